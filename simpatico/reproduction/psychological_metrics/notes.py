"""What a reader of a figure must know, and why ours differs from the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.reproduction.cells import PERHAPS, UNEXPLAINED, Cell
from simpatico.reproduction.psychological_metrics import paper as tables
from simpatico.reproduction.psychological_metrics.data import SETS
from simpatico.reproduction.psychological_metrics.scores import DROPPED, LENGTH
from simpatico.validation.incremental import Incremental
from simpatico.validation.incremental.rows import CorrectedPValues

MATCHING = "style_matching"
SINGLE_JUDGES = {s.name for s in SETS if s.single_judges}
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


def remarks(name: str, column: str, lexicon: str | None) -> list[str]:
    """What a figure is made of, where that is not what the paper had."""
    paper = tables.paper_r2(name, column)
    conditions = (
        (column == LENGTH, "a baseline: the variance that the number of words explains"),
        (column in OWN_MODEL, OWN_MODEL.get(column, "")),
        (
            column in tables.TRAITS and name != tables.DIALOGS,
            "a model of persons applied to one response, however short",
        ),
        (column == DROPPED, "categories that neither side uses left out of the mean"),
        (column in (MATCHING, DROPPED), "our own function words, the paper used LIWC"),
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
        other = places.get((cell.table, cell.row, DROPPED))
        if other and interval_holds(other, cell.paper) and other.agrees_with_paper:
            return f"{PERHAPS}: without categories that neither side uses it is {other.ours:.3f}"
    if cell.column in tables.TRAITS or (cell.row, cell.column) == (tables.DIALOGS, tables.ALL):
        return f"{PERHAPS} the model: the paper's was trained on Facebook posts and is not public"
    if OWN_LEXICON in cell.note:
        return f"{PERHAPS} the lexicon: pass the paper's with --lexicon to see"
    return UNEXPLAINED


def interval_holds(cell: Cell, value: float | None) -> bool:
    """Whether our interval holds this value, which is known to three decimals."""
    if value is None or cell.low is None or cell.high is None:
        return False
    return cell.low - ROUNDING <= value <= cell.high + ROUNDING
