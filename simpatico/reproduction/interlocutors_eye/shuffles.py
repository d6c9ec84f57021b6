"""Models of shuffled users: as many weights as before, but nothing to know about anybody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simpatico.stats.draws import draw_uniform
from simpatico.stats.result import Result
from simpatico.training.users.examples import UserExamples
from simpatico.wording import format_count

SHUFFLE_STREAM = 8
"""Of random numbers, so that these draws are independent of all others."""


def shuffle_users(examples: UserExamples, seed: int) -> UserExamples:
    """The same with the users permuted over all examples."""
    order = np.argsort(draw_uniform(len(examples.user), seed, SHUFFLE_STREAM), kind="stable")
    return examples._replace(user=[examples.user[at] for at in order])


def mean_and_range(results: Sequence[Result | None]) -> Result | None:
    """The mean over shuffles between the lowest and the highest.

    Null where one of the shuffles has no result; without a value where one has none.
    """
    if not results or None in results:
        return None
    values = [one.value for one in results if one is not None and one.value is not None]
    if len(values) < len(results):
        return Result(None, status="degenerate")
    return Result(float(np.mean(values)), min(values), max(values))


def shuffles_note(n: int) -> str:
    """The note on such a mean."""
    return f"mean, lowest and highest of {format_count(n, 'shuffle')}"
