"""The part of `simpatico validate` for ratings: a table per quality, a verdict per score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from simpatico.cli.output import note, p_cell, result, show_csv
from simpatico.cli.table_formats import Shape, show_as
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.validation.chart import SYMBOLS, is_significant
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_count,
)

if TYPE_CHECKING:
    from simpatico.stats.correction import Correction
    from simpatico.stats.result import Result
    from simpatico.validation.contests import ContestRow
    from simpatico.validation.correlations import CorrelationRow
    from simpatico.validation.evidence import Evidence
    from simpatico.validation.systems import SystemRow

COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ-b",
}
AGREEMENT_TITLES = {  # the codes are those of the JSON
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "icc_2_1": "ICC(2,1)",
    "pairwise_pearson": "mean pairwise rater correlation",
    "one_more_judge": "leave-one-out rater correlation",
    "ceiling": "noise ceiling",
    "inside_outside": "interlocutor vs. mean of outsiders",
    "inside_outside_alone": "interlocutor vs. one outsider",
    "inside_outside_ceiling": "noise ceiling of the outsiders' mean",
    "inside_outside_endless": "interlocutor vs. outsiders, corrected for attenuation",
}
IN_ONE_LINE = ("krippendorff_alpha_ordinal", "one_more_judge", "ceiling")
"""What is printed of the agreement of raters without --verbose."""

Better = Literal["higher", "lower"] | None


def verdict(row: CorrelationRow, better: Better) -> str:
    """What a correlation says of a score, its sign read by the score's better direction.

    `follows (reversed)`: lower is better, and the score falls as ratings rise. `by length`: with
    words per turn held constant the 95% CI includes 0.
    """
    if row.value is None or row.p_adjusted is None:
        return "no test" if row.status == "ok" else row.status.replace("_", " ")
    if not is_significant(row.p_adjusted):
        return "n.s."
    if better is None:
        word = "correlates"
    elif (row.value > 0) == (better == "higher"):
        word = "follows" if better == "higher" else "follows (reversed)"
    else:
        word = "opposite"
    partial = row.length_held_constant
    if partial is None or partial.low is None or partial.high is None:
        return word
    return f"{word}, by length" if partial.low <= 0 <= partial.high else word


def by_strength(rows: Sequence[CorrelationRow]) -> list[CorrelationRow]:
    """The strongest correlation first, whatever its sign; scores without one come last."""
    return sorted(rows, key=lambda r: (r.value is None, -abs(r.value or 0), r.score))


def show_correlations(
    evidence: Evidence, better: Mapping[str, Better], *, kind: str, shape: Shape
) -> None:
    """A table for each quality, with what its raters agree on above it."""
    columns = ["score", SYMBOLS[kind], "95% CI", "p", "partial", "n", "verdict"]
    for quality, level in dict.fromkeys((r.quality, r.level) for r in evidence.correlations):
        rows = [r for r in evidence.correlations if (r.quality, r.level) == (quality, level)]
        body = []
        for r in by_strength(rows):
            constant = r.length_held_constant
            partial = format_correlation(constant.value if constant else None)
            word = verdict(r, better.get(r.score))
            body.append([r.score, *value_cells(r), p_cell(r.p_adjusted), partial, r.n, word])
        units = format_count(max(r.n for r in rows), f"rated {level}")
        title = f"{quality}: correlation with human ratings ({COEFFICIENTS[kind]}), {units}"
        show_as(shape, title, columns, body)
        if shape == "table":
            result(agreement_line(evidence, quality, level))
            result("")
        if rows[0].unmatched:
            note(f"{quality}: {format_count(rows[0].unmatched, 'rated unit')} without a score.")


def agreement_line(evidence: Evidence, quality: str, level: str | None) -> str:
    """The agreement of a quality's raters in one line, as it bounds what a score can reach."""
    rows = [r for r in evidence.agreement if (r.quality, r.value is None) == (quality, False)]
    texts = [
        f"{AGREEMENT_TITLES[name]} {format_correlation(r.value)}"
        for name in IN_ONE_LINE
        for r in rows
        if r.score == name and level in (r.level, "system")
    ]
    return f"Raters of {quality}: {', '.join(texts) or 'one per unit, agreement unknown'}."


def show_agreement(evidence: Evidence, shape: Shape) -> None:
    """Every statistic of inter-rater agreement."""
    rows = [
        [r.quality, AGREEMENT_TITLES[r.score], *value_cells(r), r.n]
        for r in evidence.agreement
        if r.score in AGREEMENT_TITLES
    ]
    columns = ["quality", "statistic", "value", "95% CI", "units"]
    show_as(shape, "Inter-rater agreement", columns, rows, keys=2)


def show_legend(evidence: Evidence, kind: str, correction: Correction) -> None:
    """How to read the tables, once."""
    family = format_count(max((r.family for r in evidence.correlations), default=0), "score")
    tests = {test_name(r.method, kind) for r in evidence.correlations if r.p_value is not None}
    note(
        f"{SYMBOLS[kind]}: {COEFFICIENTS[kind]}; p: {' or '.join(sorted(tests)) or 'none'}, "
        f"{CORRECTIONS[correction]}-corrected for {family} per quality; partial: words per turn "
        "held constant; n: units with score and rating."
    )
    note(
        "verdict: follows = significant in the better direction (reversed: lower is better); "
        "opposite = significant in the wrong direction; correlates = significant, the score has no "
        "better direction; n.s. = not significant; by length = partial 95% CI includes 0."
    )


def test_name(method: str, kind: str) -> str:
    """The test of a correlation, by how its interval was made."""
    if "bootstrap" in method:
        return "cluster bootstrap"
    return "normal approximation" if kind == "kendall" else "t-test"


def show_contests(
    rows: Sequence[ContestRow | SystemRow], shape: Shape, *, where: str = "", every: bool = False
) -> None:
    """Which of two scores correlates more with ratings; only significant rows unless `every`.

    Both correlate with the same ratings, so the tests are for dependent correlations; to compare
    two intervals by eye would miss many differences.
    """
    shown = [r for r in rows if every or is_significant(r.p_adjusted)]
    body = [
        [*(r.quality, r.score, r.against), *value_cells(r), p_cell(r.p_adjusted)]
        for r in sorted(shown, key=lambda r: (r.quality, r.p_adjusted is None, r.p_adjusted or 0))
    ]
    if body:
        title = f"Differences between correlations{where}, {contest_test(rows)}"
        columns = ["quality", "score", "against", "difference", "95% CI", "p"]
        show_as(shape, title, columns, body, keys=3)
    if rest := len(rows) - len(shown):
        test = contest_test(rows)
        note(f"{format_count(rest, 'pair')} of scores{where}: no significant difference ({test}).")


def contest_test(rows: Sequence[ContestRow | SystemRow]) -> str:
    """The test between two correlations: Williams' where units are independent."""
    names = {
        "Williams": "Williams' test",
        "bootstrap": "cluster bootstrap",
        "PERM": "PERM-SYSTEMS permutation test",
    }
    methods = [name for key, name in names.items() if any(key in r.method for r in rows)]
    return " or ".join(methods) or "no test"


def show_correlation_csv(evidence: Evidence, better: Mapping[str, Better]) -> None:
    """Every correlation in one file, at full precision."""
    import polars as pl

    rows = []
    for r in evidence.correlations:
        partial = r.length_held_constant
        rows.append(
            {
                **{name: getattr(r, name) for name in ("quality", "level", "score")},
                "better": better.get(r.score),
                **{name: getattr(r, name) for name in ("value", "low", "high")},
                **{name: getattr(r, name) for name in ("p_value", "p_adjusted", "n")},
                "partial": partial.value if partial else None,
                "partial_low": partial.low if partial else None,
                "partial_high": partial.high if partial else None,
                "method": r.method,
                "verdict": verdict(r, better.get(r.score)),
            }
        )
    show_csv(pl.DataFrame(rows, infer_schema_length=None))


def value_cells(row: Result) -> tuple[str, str]:
    """A correlation or agreement and its interval; the reason where there is none."""
    if row.value is None and row.status != "ok":
        return NO_VALUE, row.status.replace("_", " ")
    return format_correlation(row.value), format_correlation_interval(row.low, row.high)
