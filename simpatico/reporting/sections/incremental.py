"""What each psychological metric adds to the traditional ones: T, P and P+T."""

from __future__ import annotations

from simpatico.charts.html import Html, el
from simpatico.charts.incremental import GainBlock, GainCell, GainRow, incremental_table
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RATED_MODELS
from simpatico.reporting.sections.components import (
    Section,
    intro,
    make_section,
    sentence_list,
    small_print,
)
from simpatico.validation.chart import Quality, is_significant
from simpatico.validation.incremental.rows import ALL, IncrementalRow
from simpatico.wording import format_count, lower_first_letter

TOPIC = "What each metric adds"
WHY = {"too_few": "too few", "degenerate": "adds nothing new", "not_converged": "no fit"}


def incremental_section(found: Findings) -> Section | None:
    """Whether a psychological metric explains what the traditional ones do not; null if unrated."""
    if found.evidence is None:
        return None
    if not found.evidence.incremental:
        return make_section(
            "adds",
            TOPIC,
            "Incremental validity needs traditional and psychological metrics",
            intro(
                "This section compares the variance in human ratings that traditional metrics "
                "explain alone and together with psychological ones. Score with both kinds, for "
                "example ",
                el("code", None, "simpatico score … --metrics length,question_rate --preset psych"),
                ".",
            ),
        )
    blocks = [b for q in found.qualities if (b := gain_block(found, q))]
    if not blocks:
        return make_section(
            "adds",
            TOPIC,
            "Too few ratings to say what each metric adds",
            intro(f"T, P and P+T need at least {RATED_MODELS} rated dialogs or turns."),
        )
    return make_section(
        "adds",
        TOPIC,
        incremental_finding(found),
        explanation(),
        incremental_table(blocks),
        too_few_ratings(found),
        after(),
    )


def too_few_ratings(found: Findings) -> Html | None:
    """The qualities that have no block, and why."""
    sizes = {q: max((r.n for r in quality_rows(found, q)), default=0) for q in found.qualities}
    few = [f"“{q[0]}” ({n:,})" for q, n in sizes.items() if n < RATED_MODELS]
    if not few:
        return None
    return small_print(f"Fewer than the {RATED_MODELS} rated units needed: {', '.join(few)}.")


def explanation() -> Html:
    return intro(
        "Adjusted R²: the share of variance in human ratings that a regression explains. T is the "
        "traditional metric alone, P the psychological metric alone, P+T both. In a bar, grey is T "
        "and purple the gain from adding P; dashed purple is not significant: the 95% CI includes "
        "zero, or the test is not significant after correction."
    )


def after() -> Html:
    return small_print(
        "The bootstrap resamples whole dialogs, since turns of one dialog are not independent. The "
        "paired t-test of Giorgi et al. (2023) treats them as independent; its p-values and the "
        "cross-validated gains are in ",
        el("code", None, "simpatico validate --json"),
        ".",
    )


def quality_rows(found: Findings, quality: Quality) -> list[IncrementalRow]:
    rows = found.evidence.incremental if found.evidence else []
    return [r for r in rows if (r.quality, r.level) == quality]


def is_clear_gain(row: IncrementalRow) -> bool:
    """Whether the gain is significant: its 95% CI is above zero and its corrected test agrees."""
    return row.low is not None and row.low > 0 and is_significant(row.p_adjusted)


def incremental_finding(found: Findings) -> str:
    """How many metrics add something, over all qualities on the page."""
    rows = [
        r for r in (found.evidence.incremental if found.evidence else []) if r.n >= RATED_MODELS
    ]
    singles = [r for r in rows if r.added_name != ALL]
    judged = singles or rows
    names = sorted({r.added_name for r in judged if is_clear_gain(r)}, key=list(found.titles).index)
    if not names:
        return "No psychological metric adds significantly to the traditional ones"
    titles = [found.titles.get(n, n) for n in names]
    text = sentence_list([titles[0], *(lower_first_letter(t) for t in titles[1:])])
    clear_ones = [r for r in judged if is_clear_gain(r)]
    about = {r.quality for r in clear_ones}
    every = "all for" if len(clear_ones) > 1 else "for"
    where = f", {every} “{about.pop()}”" if len(about) == 1 and len(found.qualities) > 1 else ""
    held = sum(r.cv_low is not None and r.cv_low > 0 for r in clear_ones)
    proof = f"confirmed by cross-validation in {held or 'none'} of these"
    many = f"{len(clear_ones)} of {format_count(len(judged), 'model')}"
    verb = "adds" if len(names) == 1 else "add"
    return f"{text} {verb} to the traditional metrics in {many}{where}; {proof}"


def gain_block(found: Findings, quality: Quality) -> GainBlock | None:
    """One quality: a line for each traditional metric, a column for each psychological one."""
    rows = quality_rows(found, quality)
    if not rows or max(r.n for r in rows) < RATED_MODELS:
        return None
    columns = list(dict.fromkeys(r.added_name for r in rows))
    lines = list(dict.fromkeys(r.score for r in rows))
    by = {(r.score, r.added_name): r for r in rows}
    heads = tuple((metric_title(found, c), by[lines[0], c].adj_r2_p) for c in columns)
    n = max(r.n for r in rows)
    return GainBlock(
        title=f"“{quality[0]}”",
        about=f"{format_count(n, f'rated {quality[1]}')}",
        columns=heads,
        rows=tuple(
            GainRow(
                metric_title(found, name, "All combined"),
                by[name, columns[0]].adj_r2_t,
                tuple(cell(by[name, c]) for c in columns),
            )
            for name in lines
        ),
    )


def metric_title(found: Findings, name: str, every: str = "All combined") -> str:
    return every if name == ALL else found.titles.get(name, name)


def cell(row: IncrementalRow) -> GainCell:
    return GainCell(
        row.adj_r2_pt, row.value, row.low, row.high, is_clear_gain(row), WHY.get(row.status, "")
    )
