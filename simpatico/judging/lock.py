"""Drift: the verdicts of a judge on anchors, locked, and compared with those it gives later.

`judge.lock` holds no text: hashes of rubrics and prompts say whether the same was asked again, and
the description of the bot, with what its server calls the model, whether the same judge was.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.bots.bot import Bot
from simpatico.bots.journal import Row
from simpatico.errors import DataError
from simpatico.files import write_json_atomically
from simpatico.judging.calls import call_id
from simpatico.stats.result import Result
from simpatico.stats.superiority import share_with_interval

RATES = ("judge.flips", "judge.nulls")
"""What a rule of `simpatico gate` may bound."""


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call by its name, a hash of what was asked, and the verdict; null where there was none."""

    call: str
    prompt_hash: str
    verdict: float | str | None


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `judge.lock`: `judges` has model and rubric hash by the rubric's name."""

    format: Literal[1]
    bot: dict[str, Any]
    models: list[str]
    judges: dict[str, str]
    anchors: list[Anchor]


class Change(NamedTuple):
    """A verdict that is another one now; `row` is the judgement of now."""

    row: Row
    before: float | str | None
    now: float | str | None


class Drift(NamedTuple):
    """The anchors that were judged again, those that changed, and what is new about the judge."""

    rows: list[Row]
    changes: list[Change]
    judge: list[str]

    def rate(self, name: str) -> Result:
        """The share of anchors whose verdict changed (`judge.flips`), or that have none now.

        The interval counts dialogs, not turns, as turns of one dialog may change together.
        """
        n = len({row.get("dialog") or row.get("dialog_a") for row in self.rows})
        nulls = sum(verdict_of(row) is None for row in self.rows)
        count = len(self.changes) if name == "judge.flips" else nulls
        return share_with_interval(count / max(len(self.rows), 1), n, f"share of anchors ({name})")


def verdict_of(row: Row) -> float | str | None:
    """The rating, or which of a pair is preferred."""
    verdict: float | str | None = row["preferred"] if "preferred" in row else row["value"]
    return verdict


def models_of(rows: Sequence[Row]) -> list[str]:
    """What servers call the models that answered."""
    return sorted({row["model"] for row in rows if row.get("model")})


def write_lock(path: Path, rows: Sequence[Row], bot: Bot) -> None:
    """Lock the verdicts of these rows."""
    anchors = [Anchor(call_id(row), row["prompt_hash"], verdict_of(row)) for row in rows]
    judges = {row["quality"]: row["judge"] for row in rows}
    lock = Lock(1, dict(bot.description), models_of(rows), judges, anchors)
    write_json_atomically(path, msgspec.to_builtins(lock))


def read_lock(path: Path) -> Lock:
    """The lock in a file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; check the path") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(
            f"{path} is not a lock of `simpatico judge`; name another file or delete this one"
        ) from None


def measure_drift(lock: Lock, rows: Sequence[Row], bot: Bot | None = None) -> Drift:
    """The locked verdicts compared with those of now; only where the same was asked."""
    now = {call_id(row): row for row in rows}
    if missing := [a for a in lock.anchors if a.call not in now]:
        raise DataError(
            f"{len(missing)} of {len(lock.anchors)} anchors of the lock were not judged, the first "
            f"of them {missing[0].call}; judge the same input with the same options"
        )
    pairs = [(anchor, now[anchor.call]) for anchor in lock.anchors]
    if other := [row for anchor, row in pairs if anchor.prompt_hash != row["prompt_hash"]]:
        raise DataError(
            f"{len(other)} of {len(pairs)} anchors were asked in other words than when they were "
            f"locked, the first of them {call_id(other[0])}: the text or the rubric has changed; "
            "make a new lock"
        )
    changes = [
        Change(row, anchor.verdict, verdict_of(row))
        for anchor, row in pairs
        if anchor.verdict != verdict_of(row)
    ]
    judged = [row for _, row in pairs]
    before, after = (" and ".join(names) or "unnamed" for names in (lock.models, models_of(judged)))
    news = [f"the server called the model {before} and calls it {after}"] * (before != after)
    facts = dict(bot.description) if bot else lock.bot
    news += [
        f"{name} was {lock.bot.get(name)!r} and is {facts.get(name)!r}"
        for name in sorted({*lock.bot, *facts})
        if lock.bot.get(name) != facts.get(name)
    ]
    return Drift(judged, changes, news)
