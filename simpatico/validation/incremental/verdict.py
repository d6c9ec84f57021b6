"""The difference between the paper's test and the honest ones, as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpatico.stats.result import Result

if TYPE_CHECKING:
    from simpatico.validation.incremental import Incremental

LEVEL = 0.05


def sentence(told: Incremental) -> str:
    """What each test says of the gain, in the same words for every row."""
    if told.paper.p_value is None:
        return nothing_to_test(told)
    paper = f"the paper's test calls the gain {significance(told.paper)}"
    return f"{paper}; {by_cluster(told)}, and {out_of_sample(told)}."


def nothing_to_test(told: Incremental) -> str:
    if told.t.status == "too_few":
        return f"can't tell: {told.n} rows with every score and a judgement are too few."
    if told.t.value is None:
        return "can't tell: the judgements, the scores of T or those of P do not vary."
    return "can't tell: P adds nothing that T has not."


def significance(told: Result) -> str:
    return f"{word(told)} ({p_text(told)})"


def word(told: Result) -> str:
    found = told.p_value is not None and told.p_value < LEVEL
    return "significant" if found else "not significant"


def by_cluster(told: Incremental) -> str:
    """The paper's difference with errors clustered, and the test of the coefficients."""
    same, added = told.clustered, told.added
    if same.p_value is None or added.p_value is None:
        return f"{told.clusters} clusters by {told.unit} are too few, or too alike, for a test"
    opening = f"clustered by {told.unit} it is {word(same)}"
    if word(same) == word(added):
        return f"{opening} ({p_text(same)}, of the added coefficients {p_text(added)})"
    return f"{opening} ({p_text(same)}), though the added coefficients are {significance(added)}"


def out_of_sample(told: Incremental) -> str:
    held = told.held_out
    if held.value is None:
        return "there are too few for a gain out of sample"
    ends = ""
    if held.low is not None and held.high is not None:
        ends = f" ({number(held.low)} to {number(held.high)})"
    return f"out of sample the gain is {number(held.value)}{ends}"


def p_text(told: Result) -> str:
    """p = .21, p = .012, p = .0003, p < .0001; of p near .05 as many digits as tell the side."""
    p = 1.0 if told.p_value is None else told.p_value
    if p < 0.0001:
        return "p < .0001"
    digits = 2 if p >= 0.0995 else 3 if p >= 0.00995 else 4
    while digits < 9 and (p < LEVEL) != (round(p, digits) < LEVEL):
        digits += 1
    return f"p = {bare(f'{p:.{digits}f}')}"


def number(value: float) -> str:
    """Three digits after the point, a fourth where these are zeros; no zero before the point."""
    digits = 3 if abs(value) >= 0.0005 else 4
    rounded = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(rounded) else ""
    return f"{sign}{bare(rounded)}"


def bare(figure: str) -> str:
    """0.21 as .21."""
    return figure.removeprefix("0")
