"""The tables of an audit of judges, as the command line and the page show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from simpatico.stats.result import Result
from simpatico.validation.judges.audit import JudgeAudit
from simpatico.validation.judges.units import JudgeRow
from simpatico.validation.judges.verdict import Verdict
from simpatico.validation.preference_tables import TextTable
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_difference,
    format_interval,
    format_number,
    format_p,
)

PEOPLE, CEILING = "people", "noise ceiling"
"""What the rows of people's own figures are called."""
HOW_TO_READ = (
    "use: stand-in = passes the alternative annotator test (Calderon et al. 2025; "
    "Benjamini-Yekutieli) and follows people who agree with each other; proxy = only beside "
    "ratings that correct it; none = for nothing. wins: raters whom it wins against at ε; from ε: "
    "smallest ε at which it passes; advantage: how probable it is that the judge is at least as "
    "close to the other raters as a rater is.",
    "people: one rater with another (κ, α) or with the mean of the others (r); judges: with one "
    "rater (κ, α) or with the mean of all (r). severity: judge − people, in points; spread: SD of "
    "the judge / SD of ratings. 95% CI: bootstrap of dialogs.",
)
RATES = {
    "no_answer": "no answer",
    "repeat_agreement": "repeats agree",
    "repeat_reliability": "repeats ICC",
    "order_flips": "order flips",
}
RESEMBLANCE = {
    "interlocutor": "interlocutor",
    "outsider": "one outsider",
    "resemblance": "difference",
}
BOTH = ("quality", "judge")


def audit_tables(audit: JudgeAudit) -> list[TextTable]:
    """The tables that have rows; the first two say most."""
    epsilons = list(audit.verdicts[0].curve)
    heads = (f"ε {format_correlation(float(e))}" for e in epsilons)
    tables = [
        TextTable(
            "May a judge stand in for one rater?",
            (*BOTH, "use", "wins", "from ε", "advantage", "n"),
            [verdict_cells(audit, v) for v in audit.verdicts],
        ),
        TextTable(
            "Agreement with people",
            (*BOTH, "weighted κ", "α", "r", "severity", "spread"),
            agreement_cells(audit),
        ),
        TextTable(
            "Winning rate by ε (.5 passes)",
            (*BOTH, *heads),
            [
                (v.quality, v.judge, *(format_correlation(v.curve[e]) for e in epsilons))
                for v in audit.verdicts
            ],
        ),
        statistic_table(audit, "Consistency of the judges", RATES),
        error_table(audit.judges),
        statistic_table(audit, "Whom does the judge resemble? Pearson’s r", RESEMBLANCE),
        contest_table(audit.judges),
        TextTable(
            "Effective number of independent judges",
            ("quality", "number", "95% CI", "units"),
            [
                (r.quality, format_number(r.value), format_interval(r.low, r.high), f"{r.n:,}")
                for r in audit.judges
                if r.score == "effective_judges"
            ],
            1,
        ),
    ]
    return [table for table in tables if table.rows]


def verdict_cells(audit: JudgeAudit, v: Verdict) -> tuple[str, ...]:
    """What a judge may be used for, and how it did in the test."""
    wins = f"{v.wins} of {v.people}" if v.people else NO_VALUE
    advantage = correlation_cell(audit.find(v, "advantage"))
    smallest = format_correlation(v.smallest_epsilon)
    return v.quality, v.judge, v.use, wins, smallest, advantage, f"{v.n:,}"


def agreement_cells(audit: JudgeAudit) -> list[tuple[str, ...]]:
    """People's own figures above those of the judges, for every quality."""
    names = ("cohen_kappa_quadratic", "krippendorff_alpha_interval", "pearson")
    body: list[tuple[str, ...]] = []
    for quality, level in dict.fromkeys((v.quality, v.level) for v in audit.verdicts):
        people = {r.score: r for r in audit.people if (r.quality, r.level) == (quality, level)}
        own = [people.get(name) for name in (*names[:2], "one_more_judge")]
        body.append((quality, PEOPLE, *map(correlation_cell, own), NO_VALUE, NO_VALUE))
        ceiling = correlation_cell(people.get("ceiling"))
        body.append((quality, CEILING, NO_VALUE, NO_VALUE, ceiling, NO_VALUE, NO_VALUE))
        for v in audit.verdicts:
            if (v.quality, v.level) == (quality, level):
                cells = [correlation_cell(audit.find(v, name)) for name in names]
                severity = cell_of(audit.find(v, "severity"), format_difference, format_interval)
                spread = cell_of(audit.find(v, "spread"), format_number, format_interval)
                body.append((quality, v.judge, *cells, severity, spread))
    return body


def statistic_table(audit: JudgeAudit, title: str, names: Mapping[str, str]) -> TextTable:
    """These statistics of every judge that has one, without those that no judge has."""
    found = {name: [audit.find(v, name) for v in audit.verdicts] for name in names}
    present = [name for name, rows in found.items() if any(rows)]
    body = [
        (v.quality, v.judge, *(correlation_cell(found[name][i]) for name in present))
        for i, v in enumerate(audit.verdicts)
        if any(found[name][i] for name in present)
    ]
    return TextTable(title, (*BOTH, *(names[name] for name in present)), body)


def error_table(rows: Sequence[JudgeRow]) -> TextTable:
    """What errors depend on; p by Holm over the terms of a judge and quality."""
    return TextTable(
        "Error (judge − people) by length, position, system, model family",
        (*BOTH, "by", "points", "95% CI", "p"),
        [
            (
                *(r.quality, str(r.judge), r.score.removeprefix("error_by_").replace("_", " ")),
                *(format_difference(r.value), format_interval(r.low, r.high), p_text(r)),
            )
            for r in rows
            if r.score.startswith("error_by_")
        ],
        3,
    )


def contest_table(rows: Sequence[JudgeRow]) -> TextTable:
    """The judge of the highest advantage against each other one; p by Holm."""
    return TextTable(
        "Which judge? Advantage of the best less that of another, paired",
        ("quality", "best", "other", "difference", "95% CI", "p"),
        [
            (
                *(r.quality, str(r.judge), str(r.against), format_correlation(r.value)),
                *(format_correlation_interval(r.low, r.high), p_text(r)),
            )
            for r in rows
            if r.score == "advantage_difference"
        ],
        3,
    )


def p_text(row: JudgeRow) -> str:
    """The corrected p below a head that says p."""
    return format_p(row.p_adjusted).removeprefix("= ")


def correlation_cell(row: Result | None) -> str:
    """A value that cannot exceed 1 with its interval."""
    return cell_of(row, format_correlation, format_correlation_interval)


def cell_of(
    row: Result | None,
    number: Callable[[float | None], str],
    interval: Callable[[float | None, float | None], str],
) -> str:
    """A value with its interval in one cell; a dash where there is none."""
    if row is None or row.value is None:
        return NO_VALUE
    return number(row.value) + (f" {interval(row.low, row.high)}" if row.low is not None else "")
