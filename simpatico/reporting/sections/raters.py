"""Correlation with human ratings: each metric beside the noise ceiling and one more rater."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts.forest import forest_table
from simpatico.charts.html import Child, Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RATED
from simpatico.reporting.sections.components import (
    Option,
    Section,
    intro,
    make_section,
    refusal,
    small_print,
    switch,
)
from simpatico.validation.chart import (
    Quality,
    correlation_forest,
    is_significant,
    quality_statistic,
)
from simpatico.validation.correlations import CorrelationRow
from simpatico.validation.evidence import judgements_at
from simpatico.validation.raters.agreement import AgreementRow
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_count,
)

ALPHA = "krippendorff_alpha_ordinal"
MOST_OF = 0.95
"""A score that fewer of the rated units have than this is said to be rare."""


def raters_section(found: Findings) -> Section:
    """How closely each metric correlates with human ratings."""
    if found.evidence is None:
        return make_section(
            "trust",
            "Correlation with human ratings",
            "The correlation with human ratings is unknown for this run",
            intro(
                found.no_evidence_reason,
                " With a file of human ratings, this section shows each metric’s correlation with "
                "them beside inter-rater agreement: ",
                el("code", None, f"simpatico report {found.shell_name} --judgements FILE"),
            ),
        )
    options = [Option(quality_label(q), quality_pane(found, q)) for q in found.qualities]
    return make_section(
        "trust",
        "Correlation with human ratings",
        closest_metric(found),
        intro(
            "Correlation (Pearson’s r) of each metric with the median rating. Filled dots: "
            "significant after correction for the number of metrics; hollow: not significant.",
            reference_note(found),
        ),
        el(
            "div",
            {"class": "two"},
            switch("judge", "Quality rated", options),
            agreement_sidebar(found),
        ),
        [small_print(text) for text in found.evidence.notes],
    )


def reference_note(found: Findings) -> str:
    """How to read the lines of the raters themselves, where there are any."""
    there = {r.score for r in found.required_evidence.agreement if r.value is not None}
    text = ""
    if "one_more_judge" in there:
        text += " Dashed line: correlation of one more rater with the others (band: 95% CI)."
    if "ceiling" in there:
        text += " Grey at the right: above the noise ceiling that rater disagreement sets."
    return text


def quality_label(quality: Quality) -> str:
    return f"{quality[0]} (turn)" if quality[1] == "turn" else quality[0]


def closest_metric(found: Findings) -> str:
    """The metric that comes closest to the raters on the quality the page leads with."""
    quality = found.qualities[0]
    rows = found.correlations_with(quality)
    if max((r.n for r in rows), default=0) < RATED:
        return f"Too few rated {quality[1]}s to correlate metrics with human ratings"
    best = max((r for r in rows if is_significant(r.p_adjusted)), key=size, default=None)
    if best is None:
        return f"No metric correlates significantly with “{quality[0]}”"
    title = found.titles[best.score]
    one = found.rater_reference(best, "one_more_judge")
    against = " (negatively)" if (best.value or 0) < 0 else ""
    if not one or one <= 0:
        r = format_correlation(best.value)
        return f"{title} correlates most with human ratings{against}: r = {r}"
    share = abs(best.value or 0) / one
    one_more = f"{share_in_words(share)} the correlation that one more rater has"
    return f"{title} correlates most with human ratings{against}: {one_more}"


def size(row: CorrelationRow) -> float:
    return abs(row.value or 0.0)


def share_in_words(share: float) -> str:
    """A share in words, or as a percentage where no words are near."""
    if share >= 1:
        return "at least"
    for value, text in (
        (0.25, "about a quarter of"),
        (1 / 3, "about a third of"),
        (0.5, "about half"),
    ):
        if abs(share - value) < 0.035:
            return text
    for value, text in ((2 / 3, "about two thirds of"), (0.75, "about three quarters of")):
        if abs(share - value) < 0.035:
            return text
    return f"{share:.0%} of"


def quality_pane(found: Findings, quality: Quality) -> list[Child]:
    """The forest of one quality."""
    rows = found.correlations_with(quality)
    unit = quality[1]
    n = max((r.n for r in rows), default=0)
    name = ["“", el("bdi", None, quality[0]), "”, "]
    about = [*name, f"{format_count(n, f'rated {unit}')}{scale_text(found, quality)}"]
    if n < RATED:
        return [
            small_print(about),
            refusal(
                "No correlation is drawn.",
                f"It needs at least {RATED} rated {unit}s; there are {n}. With fewer, unrelated "
                "numbers often correlate beyond ±.36 by chance.",
            ),
        ]
    kinds = {s.name: s.kind for s in found.scores}
    drawn = correlation_forest(found.required_evidence, quality, found.titles, kinds)
    seen, of_units = {r.score for r in rows}, [s for s in found.scores if s.level != "system"]
    missing = [s.title for s in of_units if s.name not in seen]
    absent = f"Only at dialog level: {', '.join(missing)}." if missing and unit == "turn" else ""
    rare = [r for r in rows if r.value is not None and r.n < MOST_OF * n]
    fewer = ", ".join(f"{found.titles[r.score]} (n {r.n:,})" for r in rare)
    seldom = f"Scored for fewer units: {fewer}." if fewer else ""
    return [
        small_print(about),
        forest_table(drawn),
        [small_print(text) for text in (absent, seldom) if text],
    ]


def scale_text(found: Findings, quality: Quality) -> str:
    """From where to where people could rate."""
    if found.judgements is None:
        return ""
    own = (
        judgements_at(found.judgements, "turn" if quality[1] == "turn" else "dialog")
        .describe()
        .filter(quality=quality[0])
        .to_dicts()
    )
    low, high = (own[0]["scale_min"], own[0]["scale_max"]) if own else (None, None)
    return "" if low is None or high is None else f", on a scale from {low:g} to {high:g}"


def agreement_sidebar(found: Findings) -> Html:
    """Inter-rater agreement."""
    rows = [
        (q, quality_statistic(found.required_evidence.agreement, q, ALPHA)) for q in found.qualities
    ]
    return el(
        "div",
        {"class": "side"},
        el("h3", None, "Inter-rater agreement"),
        el("div", None, agreement_table(rows)),
        el("div", None, rater_counts(found), participant_notes(found)),
    )


def agreement_table(rows: Sequence[tuple[Quality, AgreementRow | None]]) -> Html:
    head = [el("th", {"scope": "col"}, "quality")]
    head += [el("th", {"scope": "col", "class": "r"}, text) for text in ("α", "95% CI")]
    body = []
    for quality, row in rows:
        why = missing_alpha(row)
        ends = NO_VALUE
        if row is not None and row.low is not None:
            ends = format_correlation_interval(row.low, row.high)
        value = why or format_correlation(row.value if row else None)
        body.append(
            el(
                "tr",
                None,
                el("td", None, el("bdi", None, quality_label(quality))),
                el("td", {"class": "r"}, value),
                el("td", {"class": "r num"}, "" if why else ends),
            )
        )
    return el("table", None, el("thead", None, el("tr", None, head)), el("tbody", None, body))


def missing_alpha(row: AgreementRow | None) -> str:
    """Why there is no α, if there is none."""
    if row is not None and row.value is not None:
        return ""
    if row is not None and row.status == "degenerate":
        return "no variation"
    return "too few" if row is not None and row.n else "one rater per unit"


def rater_counts(found: Findings) -> Html | None:
    """Who rated, and how much was not rated."""
    if found.judgements is None:
        return None
    frame = found.judgements.frame
    named = frame.drop_nulls("value")["judge"].drop_nulls().n_unique()
    given, blank = frame["value"].count(), frame["value"].null_count()
    who = f"{format_count(named, 'rater')}, " if named else ""
    left = f"; {blank:,} blank (not rated)" if blank else ""
    return small_print(
        "Ordinal Krippendorff’s α: 1 = perfect agreement, 0 = chance level. "
        f"{who}{format_count(given, 'rating')}{left}."
    )


def participant_notes(found: Findings) -> list[Child]:
    """Whether the interlocutor agrees with the outside raters."""
    told = [
        r
        for r in found.required_evidence.agreement
        if r.score == "inside_outside" and r.value is not None
    ]
    return [
        small_print(
            el("b", None, "Interlocutor vs. outsiders. "),
            f"In {format_count(r.n, r.level or 'dialog')} the interlocutor also rated "
            f"“{r.quality}”; correlation with the outside raters: "
            f"r = {format_correlation(r.value)}{ends(r)}.",
        )
        for r in told
    ]


def ends(row: AgreementRow) -> str:
    return (
        " (no 95% CI)" if row.low is None else f" {format_correlation_interval(row.low, row.high)}"
    )
