"""How long a reproduction will take, said before it starts.

Seconds are of two cores of an ordinary laptop, measured with the shipped models; they are to tell a
minute from an hour, not to be exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simpatico.reproduction.request import Sample
from simpatico.reproduction.runnable import RunnableMetric
from simpatico.wording import format_count

SECONDS_PER_SET = 1.5
"""Scores, regressions and bootstraps of one data set, without traditional metrics."""
SECONDS_PER_FAST_METRIC = 6.0
"""One metric without a language model over one data set, with its regressions."""
SECONDS_PER_REPLY = 1.0
"""One reply by a language model."""
TYPICAL_SET = 1_000
"""Replies of a data set, where all of them are read."""


@dataclass(frozen=True)
class Plan:
    """What a reproduction will compute: data sets, further metrics, how long about."""

    sets: tuple[str, ...]
    fast: tuple[str, ...]
    slow: tuple[str, ...]
    replies: int
    omissions: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """The estimate."""
        per_set = SECONDS_PER_SET + SECONDS_PER_FAST_METRIC * len(self.fast)
        return len(self.sets) * (per_set + SECONDS_PER_REPLY * self.replies * len(self.slow))

    def lines(self) -> list[str]:
        """The plan in sentences."""
        size = format_count(self.replies, "reply", "replies")
        lines = [f"{format_count(len(self.sets), 'data set')}: {', '.join(self.sets)}"]
        if self.fast:
            lines.append(f"Traditional metrics: {', '.join(self.fast)}")
        if self.slow:
            lines.append(f"With a language model, {size} per data set: {', '.join(self.slow)}")
        return [*lines, f"Takes {format_duration(self.seconds)} on two cores."]


def make_plan(
    sets: Sequence[str],
    runnable: Sequence[RunnableMetric],
    sample: Sample,
    omissions: Sequence[str] = (),
) -> Plan:
    """The plan for these data sets and metrics; a sample of 0 means every reply."""
    return Plan(
        sets=tuple(sets),
        fast=tuple(r.label for r in runnable if not r.slow),
        slow=tuple(r.label for r in runnable if r.slow),
        replies=sample.size or TYPICAL_SET,
        omissions=tuple(omissions),
    )


def format_duration(seconds: float) -> str:
    """About how long, in the largest unit that says something."""
    if seconds < 90:
        return f"about {max(10 * round(seconds / 10), 10)} seconds"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 3600)} hours"
