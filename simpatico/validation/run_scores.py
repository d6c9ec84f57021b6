"""What validation reads from a run: scores and lengths of rated units, prompts, scores left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

from simpatico.metrics.length import Length
from simpatico.run import Run
from simpatico.scoring import score
from simpatico.turns import KEYS
from simpatico.wording import join_with_and

RatedLevel = Literal["turn", "dialog"]

LENGTH = Length.name
"""The score that is itself the number of words per turn."""
WORDS = "words per turn"
"""The column of lengths, under a name that no score can have."""
NO_LENGTHS = (
    "reply lengths are unknown, as the run has no score 'length' and stores no text, so that no "
    "score is compared with length; add length to the metrics when scoring"
)


@dataclass(frozen=True)
class LeftOut:
    """A score that is not validated because it has no values at the level of the ratings."""

    score: str
    level: str
    rated: RatedLevel

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_scores(
    run: Run, level: RatedLevel, dialogs: pl.Series, names: Sequence[str] = ()
) -> pl.DataFrame:
    """Keys and scores of these dialogs: the scores named, or those of a metric's own name."""
    table = run.scan(level)
    columns = table.collect_schema()
    names = [n for n in names or run.facts["metrics"] if n in columns]
    keys = [c for c in (*KEYS["turn"], "prompt") if c in columns]
    rows = pl.col("dialog").is_in(dialogs.unique().implode())
    return table.select(*keys, *names).filter(rows).collect()


def read_lengths(run: Run, level: RatedLevel, dialogs: pl.Series) -> pl.DataFrame | None:
    """Words per turn of the scored units of these dialogs, of a dialog the mean over its turns.

    The mean and not the total: how many turns a dialog has is the user's decision as well. Out of
    the run's score `length`, else counted in its text; null where it has neither.
    """
    table = run.scan(level)
    if LENGTH in table.collect_schema():
        lengths = table.filter(pl.col("dialog").is_in(dialogs.unique().implode())).collect()
    elif (turns := run.turns(dialogs.unique())) is not None:
        lengths = score(turns, [Length()]).at(level)
    else:
        return None
    key = ["dialog", "turn", "speaker"] if level == "turn" else ["dialog", "speaker"]
    return lengths.select(*key, pl.col(LENGTH).alias(WORDS))


def dialog_prompts(run: Run, dialogs: pl.Series) -> pl.DataFrame:
    """The prompt of each system's part in these dialogs, null where it has none."""
    table = run.scan("dialog")
    if "prompt" not in table.collect_schema():
        table = table.with_columns(prompt=pl.lit(None, pl.String))
    rows = table.filter(pl.col("dialog").is_in(dialogs.unique().implode()))
    prompt = pl.col("prompt").drop_nulls().min()
    return rows.group_by("dialog", "system").agg(prompt).collect()


def scores_left_out(run: Run, rated: RatedLevel, names: Sequence[str] = ()) -> list[LeftOut]:
    """The scores named, or those of a metric's own name, that do not exist at the rated level."""
    columns = run.scan(rated).collect_schema()
    levels = {
        s["name"]: facts.get("level", "dialog")
        for metric, facts in run.facts["metrics"].items()
        for s in facts["scores"]
        if (s["name"] in names if names else s["name"] == metric)
    }
    return [LeftOut(name, level, rated) for name, level in levels.items() if name not in columns]


def describe_left_out(rows: Sequence[LeftOut], judgements: str = "ratings of") -> list[str]:
    """A sentence for each level of scores that ratings of another level cannot validate."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        groups.setdefault((row.level, row.rated), []).append(row.score)
    return [
        f"{join_with_and(names)}: computed per {level} only, so not validated against "
        f"{judgements} {rated}s"
        for (level, rated), names in groups.items()
    ]
