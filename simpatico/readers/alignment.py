"""What was read and how it was understood: who spoke, which turns are scored, what they reply to.

Silent misreading is the worst error of an evaluation: a column taken for another gives numbers that
look fine. So every run states which turns it scores and what each replies to, before any score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import polars as pl

from simpatico.arrays import Ints
from simpatico.readers.extra_columns import SOURCE_ID
from simpatico.turns import Turns
from simpatico.wording import format_count

HUMAN = "human"
"""The system of people who talk with a dialog system."""
SHOWN = 5
"""Entries of a long table that sentences name."""
MOST_LONE_SYSTEMS = 20
"""More systems than this with a single dialog each are rather users than systems."""


@dataclass(frozen=True)
class Alignment:
    """Counts over the conversations read; two of them add up with `+`."""

    dialogs: int = 0
    utterances: int = 0
    turns: int = 0
    merged: int = 0
    speakers: int = 0
    context: int = 0
    scored: int = 0
    systems: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, int] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Files of a folder that were not read, and why."""
    columns: Mapping[str, int] = field(default_factory=dict)
    """Columns that are none of our fields, and how many turns have a value."""
    redacted: Mapping[str, int] = field(default_factory=dict)
    """Placeholders in place of personal data, by kind."""
    users: int = 0
    """Speakers whose system is `human`; for people, not part of `run.json`."""
    dialogs_by_system: Mapping[str, int] = field(default_factory=dict)
    """For people too."""

    @classmethod
    def of(cls, turns: Turns, *, utterances: int) -> Alignment:
        """The alignment of turns that so many utterances were merged into."""
        frame, n = turns.frame, len(turns)
        distinct = frame["system"].drop_nulls().unique(maintain_order=True)
        names = distinct.to_list()
        # the position of each turn's system; context, which has none, comes after them all
        places = frame["system"].cast(pl.Enum(distinct)).to_physical().cast(pl.Int64)
        codes = places.fill_null(len(names)).to_numpy()
        counts = np.bincount(codes, minlength=len(names) + 1)[:-1].tolist()
        # few rows: what is counted by speaker or dialog is counted here
        speakers = frame.select("dialog", "speaker", "system").unique()
        return cls(
            dialogs=int((frame["turn"] == 0).sum()),
            utterances=utterances,
            turns=n,
            merged=utterances - n,
            speakers=speakers.select("dialog", "speaker").n_unique(),
            context=n - sum(counts),
            scored=sum(counts),
            systems=dict(zip(names, counts, strict=True)),
            answers=count_answers_to(turns, names, codes),
            users=speakers.filter(system=HUMAN).select("dialog", "speaker").n_unique(),
            dialogs_by_system=count_dialogs(speakers),
        )

    def __add__(self, other: Alignment) -> Alignment:
        sums: dict[str, Any] = {}
        for name in (f.name for f in fields(self)):
            mine, more = getattr(self, name), getattr(other, name)
            if name in ("formats", "ignored"):
                sums[name] = {**mine, **more}
            elif isinstance(mine, int):
                sums[name] = mine + more
            else:
                sums[name] = dict(Counter(mine) + Counter(more))
        return Alignment(**sums)

    def as_json(self) -> dict[str, Any]:
        """The counts as plain values for `run.json`."""
        counts = asdict(self)
        del counts["users"], counts["dialogs_by_system"]
        return {k: dict(sorted(v.items())) if type(v) is dict else v for k, v in counts.items()}

    def sentences(self) -> list[str]:
        """The same for people, one sentence each."""
        speakers = format_count(self.speakers, "speaker")
        # a speaker of context has no system, and so may be either
        if self.users and not self.context:
            assistants = format_count(self.speakers - self.users, "assistant")
            speakers = f"{format_count(self.users, 'user')}, {assistants}"
        lines = [
            f"{format_count(self.dialogs, 'dialog')}, {speakers}, "
            f"{format_count(self.utterances, 'utterance')} in {format_count(self.turns, 'turn')}: "
            f"{self.scored:,} scored, {self.context:,} context only."
        ]
        if self.systems:
            lines.append(f"Systems: {list_largest(self.systems, 'turn')}.")
        lines.extend(self.reply_sentence(pair, count) for pair, count in largest(self.answers))
        if len(self.answers) > SHOWN:
            lines.append(f"{len(self.answers) - SHOWN:,} more combinations of who replies to whom.")
        if self.aside:
            lines.append(f"Skipped by design: {list_largest(self.aside)}.")
        if self.rejected:
            lines.append(f"Rejected: {list_largest(self.rejected)}.")
        if self.redacted:
            counts = list_largest(self.redacted)
            lines.append(f"Redacted: {counts}; by pattern, which is not anonymisation.")
        if self.columns:
            periods = ["week", "month"] if "time" in self.columns else []
            if kept := [*sorted(set(self.columns) - {"time", SOURCE_ID}), *periods]:
                lines.append(f"Kept for --by: {', '.join(kept)}.")
        if len(self.formats) > SHOWN:
            kinds = Counter(self.formats.values())
            lines.append(f"Files were read as {list_largest(kinds, 'file')}.")
        else:
            lines.extend(f"{file} was read as {name}." for file, name in self.formats.items())
        if self.ignored:
            names = ", ".join(f"{n} ({why})" for n, why in [*self.ignored.items()][:SHOWN])
            more = len(self.ignored) - SHOWN
            lines.append(f"Ignored: {names}{f', and {more:,} more' if more > 0 else ''}.")
        lines.extend(filter(None, [self.systems_question()]))
        return lines

    def systems_question(self) -> str | None:
        """Whether the speakers' names are systems at all; null where nothing speaks against it."""
        lone = [name for name, n in self.dialogs_by_system.items() if n == 1]
        if len(lone) <= MOST_LONE_SYSTEMS:
            return None
        return (
            f"{len(lone):,} systems have one dialog each, such as {min(lone)!r}: are these names "
            "of users? If so, say who is a person and who a bot in a column 'role' (or --columns "
            "role=NAME), or name the system in a column 'system'."
        )

    def reply_sentence(self, pair: str, count: int) -> str:
        """An entry of `answers` for people: `human answers acme` as user turns reply to acme."""
        # the longest name first, as one system may be called as another and more
        names = sorted(self.systems, key=len, reverse=True)
        name = next((n for n in names if pair.startswith((f"{n} answers ", f"{n} opens "))), "")
        verb, _, target = pair[len(name) :].strip().partition(" ")
        who = "user" if name == HUMAN else name
        turns = format_count(count, f"{who} turn")
        if verb == "opens":
            return f"{turns} {'opens' if count == 1 else 'open'} the dialog."
        target = {HUMAN: "the user", "nobody": "no earlier turn"}.get(target, target)
        return f"{turns} {'replies' if count == 1 else 'reply'} to {target}."


def count_dialogs(speakers: pl.DataFrame) -> dict[str, int]:
    """In how many dialogs each system speaks."""
    pairs = speakers.select("dialog", "system").drop_nulls().unique()
    return dict(pairs["system"].value_counts().sort("system").iter_rows())


def count_answers_to(turns: Turns, names: list[str], codes: Ints) -> dict[str, int]:
    """How many turns of each system answer whom, or open the dialog."""
    # codes after those of the systems: context, nobody, and nobody as the dialog begins
    target = np.where(turns.answered >= 0, codes[turns.answered], len(names) + 1)
    target = target + ((turns.answered < 0) & (turns.frame["turn"].to_numpy() == 0))
    width, of_systems = len(names) + 3, codes < len(names)
    pairs, counts = np.unique((codes * width + target)[of_systems], return_counts=True)
    phrases = [f"answers {name}" for name in names]
    phrases += ["answers context", "answers nobody", "opens the dialog"]
    pair_counts = zip(pairs.tolist(), counts.tolist(), strict=True)
    return {f"{names[p // width]} {phrases[p % width]}": n for p, n in pair_counts}


def largest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The largest few, ties in alphabetical order."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:SHOWN]


def list_largest(counts: Mapping[str, int], noun: str = "") -> str:
    """The largest few in words, and how many more there are."""
    words = [f"{name} ({format_count(count, noun)})" for name, count in largest(counts)]
    more = [f"and {len(counts) - SHOWN:,} more"] if len(counts) > SHOWN else []
    return ", ".join(words + more)
