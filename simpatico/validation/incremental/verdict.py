"""What the paper's test and the cluster-robust ones say of a gain, as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpatico.stats.result import Result
from simpatico.wording import format_correlation

if TYPE_CHECKING:
    from simpatico.validation.incremental import Incremental

LEVEL = 0.05
"""A p-value is called significant below this."""


def incremental_verdict(gain: Incremental) -> str:
    """The result of each test, in the same words for every row."""
    if gain.paper.p_value is None:
        if gain.t.status == "too_few":
            return f"not tested: {gain.n} units with every score and a rating are too few."
        if gain.t.value is None:
            return "not tested: the ratings, the scores of T or those of P do not vary."
        return "not tested: P adds no information to T."
    paper = f"paired t-test (Giorgi et al. 2023): {format_exact_p(gain.paper)}"
    return f"{paper}; {clustered_clause(gain)}; {heldout_clause(gain.held_out)}."


def clustered_clause(gain: Incremental) -> str:
    """The paper's difference with clustered errors, and the test of the coefficients."""
    same, added = gain.clustered, gain.added
    if same.p_value is None or added.p_value is None:
        return f"{gain.clusters} clusters by {gain.unit} are too few, or too similar, for a test"
    p_values = f"{format_exact_p(same)}, added coefficients {format_exact_p(added)}"
    return f"clustered by {gain.unit}: {p_values}"


def heldout_clause(heldout: Result) -> str:
    """The cross-validated gain with its interval."""
    if heldout.value is None:
        return "too few units for cross-validation"
    interval = ""
    if heldout.low is not None and heldout.high is not None:
        interval = f" [{format_gain(heldout.low)}, {format_gain(heldout.high)}]"
    return f"cross-validated gain {format_gain(heldout.value)}{interval}"


def format_exact_p(result: Result) -> str:
    """p = .21, p = .012, p = .0003, p < .0001; near .05 as many digits as tell the side."""
    p = 1.0 if result.p_value is None else result.p_value
    if p < 0.0001:
        return "p < .0001"
    digits = 2 if p >= 0.0995 else 3 if p >= 0.00995 else 4
    while digits < 9 and (p < LEVEL) != (round(p, digits) < LEVEL):
        digits += 1
    return f"p = {format_correlation(p, digits)}"


def format_gain(value: float) -> str:
    """Three digits after the point, a fourth where these are zeros."""
    return format_correlation(value, 3 if abs(value) >= 0.0005 else 4)
