"""What each psychological metric adds to the traditional ones: T, P and P+T.

The design of Giorgi et al. (2023): the ratings of a quality are regressed on a traditional metric
(T), on a psychological one (P) and on both (P+T); what P adds is the gain in adjusted R² over T.
"""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts.html import Html, el
from simpatico.charts.incremental import GainBlock, GainCell, GainRow, incremental_table
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RATED_MODELS
from simpatico.reporting.sections import components as page
from simpatico.validation.chart import Quality, is_significant
from simpatico.validation.incremental.rows import ALL, Group, IncrementalRow
from simpatico.wording import format_count, lower_first_letter

WHY = {"too_few": "too few", "degenerate": "adds nothing new", "not_converged": "no fit"}
"""Why a model has no gain, by its status, short enough for a cell."""


def incremental_section(findings: Findings) -> page.Section | None:
    """Whether a psychological metric explains what the traditional ones do not; null if unrated."""
    if findings.evidence is None:
        return None
    blocks = gain_blocks(findings, findings.qualities)
    content: list[Html]
    if not findings.evidence.incremental:
        finding = "Incremental validity needs traditional and psychological metrics"
        command = "simpatico score … --metrics length,question_rate --preset psych"
        content = [
            page.intro(
                "This section compares the variance in human ratings that traditional metrics "
                "explain alone and together with psychological ones. Score with both kinds, for "
                "example ",
                el("code", None, command),
                ".",
            )
        ]
    elif not blocks:
        finding = "Too few ratings to say what each metric adds"
        reason = f"T, P and P+T need at least {RATED_MODELS} rated dialogs or turns."
        content = [page.intro(reason)]
    else:
        finding = incremental_finding(findings)
        legend = page.intro(
            "Adjusted R²: the share of variance in human ratings that a regression explains. T is "
            "the traditional metric alone, P the psychological metric alone, P+T both. In a bar, "
            "grey is T and purple the gain from adding P; dashed purple is not significant: the "
            "95% CI includes zero, or the test is not significant after correction. Learned "
            "metrics (L) were trained on human ratings and are a group of their own."
        )
        content = [legend, incremental_table(blocks), *after_table(findings)]
    return page.make_section("adds", "What each metric adds", finding, content)


def after_table(findings: Findings) -> list[Html]:
    """The qualities without a block, and how certainty was computed."""
    sizes = {
        q: max((r.n for r in quality_rows(findings, q)), default=0) for q in findings.qualities
    }
    few = ", ".join(f"“{q[0]}” ({n:,})" for q, n in sizes.items() if n < RATED_MODELS)
    note = f"Fewer than the {RATED_MODELS} rated units needed: {few}."
    method = page.small_print(
        "The bootstrap resamples whole dialogs, since turns of one dialog are not independent. The "
        "paired t-test of Giorgi et al. (2023) treats them as independent; its p-values and the "
        "cross-validated gains are in ",
        el("code", None, "simpatico validate --json"),
        ".",
    )
    sparse = findings.evidence.sparse if findings.evidence else []
    losses = [page.small_print(f"{s.sentence}.") for s in sparse]
    return [*losses, *([page.small_print(note)] if few else []), method]


def quality_rows(findings: Findings, quality: Quality) -> list[IncrementalRow]:
    """The models of one quality; none without ratings."""
    rows = findings.evidence.incremental if findings.evidence else []
    return [r for r in rows if (r.quality, r.level) == quality]


def is_clear_gain(row: IncrementalRow) -> bool:
    """Whether the gain is significant: its 95% CI is above zero and its corrected test agrees.

    The interval alone would not do, as it is not corrected for the number of models.
    """
    return row.low is not None and row.low > 0 and is_significant(row.p_adjusted)


def incremental_finding(findings: Findings) -> str:
    """How many metrics add something, over all qualities on the page.

    Models of single metrics are counted, not those of all together, which would count gains twice.
    Cross-validation is the stricter judge: a gain that it does not confirm may be overfitting.
    """
    rows = [r for r in findings.required_evidence.incremental if r.n >= RATED_MODELS]
    models = [r for r in rows if r.added_name != ALL] or rows
    gains = [r for r in models if is_clear_gain(r)]
    if not gains:
        return "No metric adds significantly to the traditional ones"
    names = sorted({r.added_name for r in gains}, key=list(findings.titles).index)
    titles = [findings.titles.get(n, n) for n in names]
    text = page.sentence_list([titles[0], *(lower_first_letter(t) for t in titles[1:])])
    verb = "adds" if len(names) == 1 else "add"
    share = f"{len(gains)} of {format_count(len(models), 'model')}"
    where = ""
    qualities = {r.quality for r in gains}
    if len(qualities) == 1 and len(findings.qualities) > 1:
        where = f", {'all for' if len(gains) > 1 else 'for'} “{qualities.pop()}”"
    held_up = sum(r.cv_low is not None and r.cv_low > 0 for r in gains)
    proof = f"confirmed by cross-validation in {held_up or 'none'} of these"
    return f"{text} {verb} to the traditional metrics in {share}{where}; {proof}"


def gain_blocks(findings: Findings, qualities: Sequence[Quality]) -> list[GainBlock]:
    """For each quality what psychological metrics add, and what learned ones do."""
    groups: tuple[Group, ...] = ("P", "L")
    blocks = (gain_block(findings, q, group) for q in qualities for group in groups)
    return [block for block in blocks if block]


def gain_block(findings: Findings, quality: Quality, group: Group = "P") -> GainBlock | None:
    """One quality: a line for each traditional metric, a column for each metric of the group.

    Null below the minimum of ratings. P alone has one value a column, whichever the line; T is that
    of most units, as metrics may lack a score of some.
    """
    rows = [r for r in quality_rows(findings, quality) if r.group == group]
    n = max((r.n for r in rows), default=0)
    if n < RATED_MODELS:
        return None
    columns = list(dict.fromkeys(r.added_name for r in rows))
    lines = list(dict.fromkeys(r.score for r in rows))
    by_name = {(r.score, r.added_name): r for r in rows}
    titles = {**findings.titles, ALL: "All combined"}
    return GainBlock(
        title=f"“{quality[0]}”{', learned metrics (L)' if group == 'L' else ''}",
        about=format_count(n, f"rated {quality[1]}"),
        columns=tuple((titles.get(c, c), by_name[lines[0], c].adj_r2_p) for c in columns),
        rows=tuple(
            GainRow(
                titles.get(name, name),
                max((by_name[name, c] for c in columns), key=lambda r: r.n).adj_r2_t,
                tuple(gain_cell(by_name[name, c]) for c in columns),
            )
            for name in lines
        ),
        group=group,
    )


def gain_cell(row: IncrementalRow) -> GainCell:
    """Adjusted R² of both metrics together, and its gain over the traditional one."""
    reason = WHY.get(row.status, "")
    return GainCell(row.adj_r2_pt, row.value, row.low, row.high, is_clear_gain(row), reason)
