"""Correlation with human ratings: each metric beside the noise ceiling and one more rater.

How high a correlation can be depends on the raters. Two references show that: the correlation of
one more rater with the others, which a metric competes with, and the noise ceiling, which not even
a perfect metric exceeds where raters disagree.
"""

from __future__ import annotations

from simpatico.charts.forest import forest_table
from simpatico.charts.html import Child, Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RATED
from simpatico.reporting.sections import components as page
from simpatico.reporting.sections.preferences import preferences_section
from simpatico.validation.chart import Quality, correlation_forest, is_significant
from simpatico.validation.evidence import agreement_value, judgements_at
from simpatico.validation.raters.agreement import AgreementRow, find_statistic
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_count,
)

ALPHA = "krippendorff_alpha_ordinal"
"""For ratings on a scale, any number of raters and missing ratings (Krippendorff 2011)."""
MOST_OF = 0.95
"""Scores that fewer of the rated units have than this share are listed with their n."""
SHARES = {
    0.25: "about a quarter of",
    1 / 3: "about a third of",
    0.5: "about half",
    2 / 3: "about two thirds of",
    0.75: "about three quarters of",
}
SHARE_TOLERANCE = 0.035
"""Below half the distance between a quarter and a third, so that no share has two names."""


def raters_section(findings: Findings) -> page.Section:
    """How closely each metric correlates with human ratings."""
    topic = "Correlation with human ratings"
    if findings.preferences is not None:
        return preferences_section(findings, findings.preferences)
    if findings.evidence is None:
        return page.make_section(
            "trust",
            topic,
            "The correlation with human ratings is unknown for this run",
            page.intro(
                findings.no_evidence_reason,
                " With a file of human ratings, this section shows each metric’s correlation with "
                "them beside inter-rater agreement: ",
                el("code", None, f"simpatico report {findings.shell_name} --judgements FILE"),
            ),
        )
    options = [(quality_label(q), quality_pane(findings, q)) for q in findings.qualities]
    statistics = {r.score for r in findings.evidence.agreement if r.value is not None}
    rater = " Dashed line: correlation of one more rater with the others (band: 95% CI)."
    partial = " Last column: r with words per turn held constant."
    ceiling = " Grey at the right: above the noise ceiling that rater disagreement sets."
    return page.make_section(
        "trust",
        topic,
        closest_metric(findings),
        page.intro(
            "Correlation (Pearson’s r) of each metric with the median rating. Filled dots: "
            "significant after correction for the number of metrics; hollow: not significant.",
            rater if "one_more_judge" in statistics else None,
            ceiling if "ceiling" in statistics else None,
            partial
            if any(r.length_held_constant for r in findings.evidence.correlations)
            else None,
        ),
        el(
            "div",
            {"class": "two"},
            page.switch("judge", "Quality rated", options),
            agreement_sidebar(findings),
        ),
        [page.small_print(text) for text in findings.evidence.notes],
    )


def quality_label(quality: Quality) -> str:
    """The name of a quality; one may be rated for turns and for dialogs."""
    return f"{quality[0]} (turn)" if quality[1] == "turn" else quality[0]


def closest_metric(findings: Findings) -> str:
    """The heading: the metric that comes closest to the raters on the page's main quality.

    Only significant correlations count, or the largest of many chance values would be named. It is
    given as a share of what one more rater reaches, where there are several raters.
    """
    quality, level = findings.qualities[0]
    rows = findings.correlations_with((quality, level))
    if max((r.n for r in rows), default=0) < RATED:
        return f"Too few rated {level}s to correlate metrics with human ratings"
    significant = [r for r in rows if is_significant(r.p_adjusted)]
    best = max(significant, key=lambda r: abs(r.value or 0.0), default=None)
    if best is None:
        return f"No metric correlates significantly with “{quality}”"
    value, agreement = best.value or 0.0, findings.required_evidence.agreement
    one_more = agreement_value(agreement, best, "one_more_judge")
    how = f"r = {format_correlation(best.value)}"
    if one_more and one_more > 0:
        share = share_in_words(abs(value) / one_more)
        how = f"{share} the correlation that one more rater has"
    sign = " (negatively)" if value < 0 else ""
    return f"{findings.titles[best.score]} correlates most with human ratings{sign}: {how}"


def share_in_words(share: float) -> str:
    """A share in words, or as a percentage where no words are near."""
    if share >= 1:
        return "at least"
    near = (text for value, text in SHARES.items() if abs(share - value) < SHARE_TOLERANCE)
    return next(near, f"{share:.0%} of")


def quality_pane(findings: Findings, quality: Quality) -> list[Child]:
    """The forest of one quality, or why it is not drawn; notes name scores with fewer units.

    Their correlations rest on another sample than those beside them.
    """
    name, level = quality
    rows = findings.correlations_with(quality)
    n = max((r.n for r in rows), default=0)
    size = f"{format_count(n, f'rated {level}')}{scale_text(findings, quality)}"
    about = page.small_print("“", el("bdi", None, name), "”, ", size)
    if n < RATED:
        reason = (
            f"It needs at least {RATED} rated {level}s; there are {n}. With fewer, unrelated "
            "numbers often correlate beyond ±.36 by chance."
        )
        return [about, page.refusal("No correlation is drawn.", reason)]
    evidence = findings.required_evidence
    forest = correlation_forest(evidence, quality, findings.titles, findings.kinds)
    notes = []
    scored = {r.score for r in rows}
    missing = [s.title for s in findings.scores if s.level != "system" and s.name not in scored]
    if missing and level == "turn":
        notes.append(f"Only at dialog level: {', '.join(missing)}.")
    rare = [r for r in rows if r.value is not None and r.n < MOST_OF * n]
    if rare:
        fewer = ", ".join(f"{findings.titles[r.score]} (n {r.n:,})" for r in rare)
        notes.append(f"Scored for fewer units: {fewer}.")
    return [about, forest_table(forest), [page.small_print(note) for note in notes]]


def scale_text(findings: Findings, quality: Quality) -> str:
    """The ends of the rating scale, where the file of ratings says them."""
    if findings.judgements is None:
        return ""
    ratings = judgements_at(findings.judgements, "turn" if quality[1] == "turn" else "dialog")
    for row in ratings.describe().filter(quality=quality[0]).iter_rows(named=True):
        if row["scale_min"] is not None and row["scale_max"] is not None:
            return f", on a scale from {row['scale_min']:g} to {row['scale_max']:g}"
    return ""


def agreement_sidebar(findings: Findings) -> Html:
    """Krippendorff's α of each quality, who rated, and whether interlocutors agree."""
    rows = []
    for quality in findings.qualities:
        row = find_statistic(findings.required_evidence.agreement, *quality, ALPHA)
        reason = missing_alpha(row)
        interval = NO_VALUE if row is None else format_correlation_interval(row.low, row.high)
        cells = [
            el("td", None, el("bdi", None, quality_label(quality))),
            el("td", {"class": "r"}, reason or format_correlation(row.value if row else None)),
            el("td", {"class": "r num"}, "" if reason else interval),
        ]
        rows.append(el("tr", None, cells))
    head = [page.column_heads(["quality"]), page.column_heads(["α", "95% CI"], "r")]
    return el(
        "div",
        {"class": "side"},
        el("h3", None, "Inter-rater agreement"),
        el("div", None, page.table(None, head, rows)),
        el("div", None, rater_counts(findings), interlocutor_notes(findings)),
    )


def missing_alpha(row: AgreementRow | None) -> str:
    """Why there is no α, if there is none.

    Agreement needs units that two rated, and ratings that differ: raters who all give the same
    value agree perfectly and by chance alike.
    """
    if row is not None and row.value is not None:
        return ""
    if row is not None and row.status == "degenerate":
        return "no variation"
    return "too few" if row is not None and row.n else "one rater per unit"


def rater_counts(findings: Findings) -> Html | None:
    """How many rated, how often, and how many ratings are blank.

    Raters without a name in the file cannot be counted, their ratings can.
    """
    if findings.judgements is None:
        return None
    frame = findings.judgements.frame
    raters = frame.drop_nulls("value")["judge"].drop_nulls().n_unique()
    ratings, blank = frame["value"].count(), frame["value"].null_count()
    who = f"{format_count(raters, 'rater')}, " if raters else ""
    blanks = f"; {blank:,} blank (not rated)" if blank else ""
    return page.small_print(
        "Ordinal Krippendorff’s α: 1 = perfect agreement, 0 = chance level. "
        f"{who}{format_count(ratings, 'rating')}{blanks}."
    )


def interlocutor_notes(findings: Findings) -> list[Child]:
    """The correlation of the interlocutor's ratings with those of outside raters.

    Who took part felt the dialog, who reads it afterwards judges it; the two often differ.
    """
    notes: list[Child] = []
    for row in findings.required_evidence.agreement:
        if row.score != "inside_outside" or row.value is None:
            continue
        interval = format_correlation_interval(row.low, row.high)
        text = (
            f"In {format_count(row.n, row.level or 'dialog')} the interlocutor also rated "
            f"“{row.quality}”; correlation with the outside raters: "
            f"r = {format_correlation(row.value)} "
            f"{'(no 95% CI)' if row.low is None else interval}."
        )
        notes.append(page.small_print(el("b", None, "Interlocutor vs. outsiders. "), text))
    return notes
