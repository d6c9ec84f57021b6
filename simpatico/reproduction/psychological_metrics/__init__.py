"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): what can be redone.

What the psychological metrics alone explain of people's judgements (the columns "P" of Tables 1, 2
and 8 to 18), and what they add to traditional metrics (T and P+T): those that run here, and those
whose scores others published. All figures are adjusted R² of a linear regression of the median
judgement, 1 - (1 - R²)(n - 1) / (n - p - 1); intervals resample prompts, as responses to one prompt
are not independent.

Left out: Tables 3 to 5, whose dialogs of three bots are not among the data, and Table 7 (DSTC6).
Deviations with known reasons: the models of agreeableness and empathy are our own, as the paper's
are not public; so is the lexicon unless the paper's is given; some sets publish mean ratings only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from simpatico.progress import track_each
from simpatico.reproduction.cells import PERHAPS, UNEXPLAINED, Cell, Reproduction, make_cell
from simpatico.reproduction.clustered_correlation import dense_codes
from simpatico.reproduction.plan import Plan, make_plan
from simpatico.reproduction.psychological_metrics import data as data_sets
from simpatico.reproduction.psychological_metrics import paper as tables
from simpatico.reproduction.psychological_metrics.traditional import (
    MetricColumn,
    TraditionalMetrics,
    pool_columns,
)
from simpatico.reproduction.request import Request, Tell
from simpatico.stats.regression import adjusted_r2
from simpatico.stats.result import Result
from simpatico.validation.incremental import Incremental, IncrementalSettings, incremental
from simpatico.validation.incremental.rows import CorrectedPValues, correct_every_way

COMPLETE = "over rows that have all of these scores"
MATCHING = "style_matching"
SINGLE_JUDGES = {s.name for s in data_sets.SETS if s.single_judges}
ABOUT_SET = {
    "D7": "no overall rating exists: each judge's mean of relevance and informativeness; "
    "what came before the response is a passage, not the conversation",
    "HU": "1,000 of the 9,500 rows",
    tables.POOLED: "mixes 1-5 ratings with 0-1 win rates: mostly differences between data sets",
    tables.WITHIN: "each data set's means taken out first, the paper has no such figure",
}
OWN_MODEL = {
    "agreeableness": "our own model, trained on negotiation chat, the paper's on Facebook posts",
    "empathy": "our own model of state empathy, the paper's is of the trait",
}
OWN_LEXICON = "our own emotion lexicon, the paper used NRC Hashtag (pass --lexicon)"
REPEATED_FIGURE = 0.009
REPEATED = (
    "the paper prints the same .009 in each of Tables 7-18, "
    "in eight of them clearly below one of its own columns"
)
ROUNDING = 0.0005
"""The paper prints three decimals."""


def reproduce(
    data: Path, request: Request | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which `data` has the data sets; `tell` receives progress messages."""
    request = request or Request()
    seed, lexicon = request.sample.seed, request.lexicon
    paths, omissions = data_sets.locate_sets(data)
    traditional = TraditionalMetrics(request, tell)
    rows, cells, columns, others = {}, list[Cell](), {}, list[Cell]()
    for s in track_each("data sets", list(paths)):
        rows[s] = data_sets.score_rated_units(s, paths[s], lexicon)
        cells += psychological_cells(rows[s], s.name, lexicon, seed)
        columns[s] = traditional.columns(rows[s], s, data)
        others += incremental_cells(rows[s], s.name, columns[s], seed=seed)
    if all(s in rows for s in data_sets.POOL):
        pool = pl.concat(rows[s] for s in data_sets.POOL)
        for name in (tables.POOLED, tables.WITHIN):
            cells += psychological_cells(pool, name, lexicon, seed)
        pooled_columns = pool_columns([columns[s] for s in data_sets.POOL])
        others += incremental_cells(pool, tables.POOLED, pooled_columns, seed=seed)
    else:
        names = ", ".join(s.name for s in data_sets.POOL)
        omissions.append(f"{tables.POOLED}, {tables.WITHIN}: needs all of {names}")
    return Reproduction.with_reasons(
        cells,
        [*omissions, *traditional.omissions],
        lambda cell: explain_deviation(cell, cells),
        others,
    )


def plan(data: Path, request: Request) -> Plan:
    """What `reproduce` would compute, and how long it takes."""
    paths, omissions = data_sets.locate_sets(data)
    traditional = TraditionalMetrics(request, lambda _: None)
    names, runnable = [s.name for s in paths], list(traditional.runnable.values())
    return make_plan(names, runnable, request.sample, [*omissions, *traditional.omissions])


def psychological_cells(
    rows: pl.DataFrame, name: str, lexicon: str | None, seed: int
) -> Iterator[Cell]:
    """One row of a table: each metric alone, then all together (the paper's columns P).

    "within sets" takes the mean of each data set out of scores and ratings first: pooled sets have
    scales of their own, and their differences are most of what Table 1 explains.
    """
    sets = dense_codes(rows["set"]) if name == tables.WITHIN else None
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    baselines = [data_sets.DROPPED] if name != tables.DIALOGS else []
    for column in (*tables.metrics_of(name), *baselines, data_sets.LENGTH, tables.ALL):
        names = tables.metrics_of(name) if column == tables.ALL else [column]
        scores = rows.select(names).to_numpy()
        fit = adjusted_r2(scores, ratings, prompts, sets=sets, seed=seed)
        place = tables.table_number(name), name, column
        paper, notes = tables.paper_r2(name, column), remarks(name, column, lexicon)
        yield make_cell(place, fit, paper=paper, n=fit.n, total=rows.height, notes=notes)


def incremental_cells(
    rows: pl.DataFrame, name: str, columns: Sequence[MetricColumn], *, seed: int
) -> Iterator[Cell]:
    """Each of the other metrics alone (T), and with ours (P+T), beside what the paper prints."""
    fits: list[tuple[MetricColumn, str, Incremental]] = []
    settings = IncrementalSettings(seed=seed, unit="dialog" if name == tables.DIALOGS else "prompt")
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    for column in (c for c in columns if c.scores.count()):
        traditional = column.scores.to_numpy()
        for addition in (*tables.metrics_of(name), tables.ALL):
            names = tables.metrics_of(name) if addition == tables.ALL else [addition]
            psychological = rows.select(names).to_numpy()
            fit = incremental(traditional, psychological, ratings, clusters=prompts, how=settings)
            fits.append((column, addition, fit))
    family = correct_every_way([fit.paper.p_value for *_, fit in fits])

    def cell(column: MetricColumn, addition: str, fit: Result, notes: Sequence[str]) -> Cell:
        figure = tables.paper_incremental_r2(name, column.paper, addition)
        stars = [f"the paper has {figure.stars}"] if figure and figure.stars else []
        label = f"{column.scores.name} + {addition}" if addition else column.scores.name
        place, paper = (tables.table_number(name), name, label), figure.value if figure else None
        notes = [*column.notes, *notes, COMPLETE, *stars]
        return make_cell(place, fit, paper=paper, n=fit.n, total=rows.height, notes=notes)

    # T is the same whatever is added, save for rows without the added score; once is enough
    for column, addition, fit in fits:
        if addition == tables.ALL:
            yield cell(column, "", fit.t, [])
    for index, (column, addition, fit) in enumerate(fits):
        yield cell(column, addition, fit.pt, [incremental_note(fit, family, index)])


def remarks(name: str, column: str, lexicon: str | None) -> list[str]:
    """What a figure is made of, where that is not what the paper had.

    The command prints each of these once, with the number of figures that have it.
    """
    paper = tables.paper_r2(name, column)
    conditions = (
        (column == data_sets.LENGTH, "a baseline: the variance that the number of words explains"),
        (column in OWN_MODEL, OWN_MODEL.get(column, "")),
        (
            column in tables.TRAITS and name != tables.DIALOGS,
            "a model of a person's trait, applied to one response however short",
        ),
        (column == data_sets.DROPPED, "categories that neither side uses left out of the mean"),
        (column in (MATCHING, data_sets.DROPPED), "our own function words, the paper used LIWC"),
        (column.startswith("emotion") and lexicon is None, OWN_LEXICON),
        (column == tables.ALL and paper == REPEATED_FIGURE, REPEATED),
        (
            name not in (*SINGLE_JUDGES, tables.POOLED, tables.WITHIN),
            "judged by the mean over judges, single ratings are not public",
        ),
        (name in ABOUT_SET, ABOUT_SET.get(name, "")),
        (name != tables.WITHIN and paper is None, "not in the paper"),
    )
    return [note for applies, note in conditions if applies]


def incremental_note(fit: Incremental, family: CorrectedPValues, index: int) -> str:
    """What the psychological metrics add to a traditional one, with its tests.

    The paper's p stands there corrected in three ways over all such tests of the data set.
    """
    corrections = {"Bonferroni": family.bonferroni, "BH": family.bh, "Holm": family.holm}
    texts = [f"{how} {p:.2g}" for how, ps in corrections.items() if (p := ps[index]) is not None]
    paper = f"the paper's p over the {family.family} tests of the set: {', '.join(texts) or 'none'}"
    return f"{fit.verdict.rstrip('.').replace(';', ',')}, {paper}"  # ";" parts remarks


def explain_deviation(cell: Cell, cells: Sequence[Cell]) -> str:
    """Why a figure is far from the paper's, as far as the figures tell; untested is "perhaps".

    Leaving out empty categories brings one figure to the paper's and takes others (ESL, ZP) away.
    """
    if cell.column == tables.ALL and cell.paper == REPEATED_FIGURE:
        return REPEATED
    if interval_holds(cell, cell.paper):
        return "the paper's figure lies within our interval"
    if cell.column == MATCHING:
        places = {c[:3]: c._replace(paper=cell.paper) for c in cells}
        other = places.get((cell.table, cell.row, data_sets.DROPPED))
        if other and interval_holds(other, cell.paper) and other.agrees_with_paper:
            return f"{PERHAPS}: without categories that neither side uses it is {other.ours:.3f}"
    if cell.column in tables.TRAITS or (cell.row, cell.column) == (tables.DIALOGS, tables.ALL):
        return f"{PERHAPS} the model: the paper's was trained on Facebook posts and is not public"
    if OWN_LEXICON in cell.note:
        return f"{PERHAPS} the lexicon: pass the paper's with --lexicon to see"
    return UNEXPLAINED


def interval_holds(cell: Cell, value: float | None) -> bool:
    """Whether our interval holds this value, which is known to three decimals.

    A printed .011 may be anything from .0105 to .0115.
    """
    if value is None or cell.low is None or cell.high is None:
        return False
    return cell.low - ROUNDING <= value <= cell.high + ROUNDING
