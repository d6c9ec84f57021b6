"""A cell is one figure of a paper's table beside ours: how cells are made, compared and printed.

Every note begins with "N of M not scored" (`cli/commands/reproduce.py` reads N from there); what
else a reader must know follows, separated by semicolons.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from simpatico.stats.by_user import NO_INTERVAL
from simpatico.stats.result import Result
from simpatico.wording import capitalize, format_p

CONSTANT_SCORE = "no value: the score is the same for every turn, so it correlates with nothing"
ONE_CLASS = "no value: all turns were answered, or none"
NEAR_ZERO = 0.01
RATIO = 3.0
TOLERANCE = 0.01
"""How far a figure may be from the paper's before it needs a reason."""
UNEXPLAINED, PERHAPS = "unexplained", "perhaps"
"""How a reason begins where there is none, or only a guess."""
DATA_SETS_ACROSS = 4
"""Data sets side by side in one Markdown table; more do not fit a page."""

Place = tuple[str, str, str]
"""Table, row and column of a cell."""


class Cell(NamedTuple):
    """One figure of a paper and ours; null where one does not exist, with the reason in `note`.

    The field names are those of `simpatico reproduce --json`. `without_length`: a correlation with
    length held constant; `scored`: the share of units that have a score.
    """

    table: str
    row: str
    column: str
    paper: float | None
    ours: float | None
    low: float | None
    high: float | None
    n: int
    note: str
    without_length: float | None = None
    scored: float | None = None

    @property
    def distance(self) -> float:
        """How far our figure is from the paper's; both must be there."""
        return abs((self.ours or 0.0) - (self.paper or 0.0))

    @property
    def agrees_with_paper(self) -> bool:
        """Both below .01 in size, or of one sign and neither more than three times the other."""
        paper, ours = self.paper or 0.0, self.ours or 0.0
        smaller, larger = sorted((abs(paper), abs(ours)))
        return larger < NEAR_ZERO or (paper * ours > 0 and larger <= RATIO * smaller)


class Reproduction(NamedTuple):
    """All that could be recomputed of a paper.

    `other_metrics`: figures of other metrics, alone and with the paper's ("metric" and
    "metric + ours"); `deviations`: each cell that is far from the paper's figure, with the reason;
    `omissions`: what was left out, and why.
    """

    cells: list[Cell]
    other_metrics: list[Cell]
    deviations: list[tuple[Cell, str]]
    omissions: list[str]

    @classmethod
    def with_reasons(
        cls,
        cells: list[Cell],
        omissions: Iterable[str],
        explain: Callable[[Cell], str],
        other_metrics: Sequence[Cell] = (),
    ) -> Reproduction:
        """Cells with a reason for each that is far from the paper's; omissions once each."""
        deviations = [(cell, explain(cell)) for cell in far_from_paper(cells)]
        return cls(cells, list(other_metrics), deviations, list(dict.fromkeys(omissions)))


@cache
def printed_tables(paper: str) -> dict[str, Any]:
    """A paper's figures as it printed them, from `printed.toml` in its folder.

    They stand in a file of their own, so that they can be checked against the paper line by line.
    """
    path = files(f"simpatico.reproduction.{paper}") / "printed.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def make_cell(
    place: Place,
    ours: Result | float | None,
    *,
    paper: float | None = None,
    n: int = 0,
    total: int | None = None,
    notes: Sequence[str] = (),
) -> Cell:
    """Our figure of `n` units beside the paper's; `total` counts units without a score too."""
    value, low, high = ours.value_and_interval if isinstance(ours, Result) else (ours, None, None)
    total = n if total is None else total
    note = "; ".join([f"{total - n:,} of {total:,} not scored", *notes])
    return Cell(*place, paper, value, low, high, n, note)


def result_cell(
    place: Place,
    result: Result,
    *,
    paper: float | None = None,
    rows: int,
    notes: Sequence[str] = (),
) -> Cell:
    """A statistic with its method; `rows` counts all units, with a score or without."""
    notes = [*notes, result.method]
    if result.value is None:
        notes.append(f"no value: {result.status}")
    return make_cell(place, result, paper=paper, n=result.n, total=rows, notes=notes)


def estimate_cell(
    place: Place,
    estimate: Result | None,
    *,
    n: int,
    paper: float | None = None,
    notes: Sequence[str] = (),
) -> Cell:
    """An estimate resampled by user; null for a score that does not vary over the turns."""
    if estimate is None or estimate.value is None:
        notes = [*notes, CONSTANT_SCORE if estimate is None else ONE_CLASS]
    elif estimate.low is None:
        notes = [*notes, NO_INTERVAL]
    return make_cell(place, estimate, paper=paper, n=n, notes=notes)


def count_cell(
    place: Place, count: int, *, total: int, paper: int | None = None, notes: Sequence[str] = ()
) -> Cell:
    """How many of a total there are; nothing is scored here."""
    note = "; ".join(["0 of 0 not scored", *notes])
    return Cell(*place, paper, count, None, None, total, note)


def p_note(p: float | None, units: str) -> str:
    """The p of a difference, and which units were resampled."""
    return f"p {format_p(p)}, resamples of {units}"


def comparable_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Those with a figure of the paper and one of ours."""
    return [c for c in cells if c.paper is not None and c.ours is not None]


def far_from_paper(cells: Sequence[Cell]) -> list[Cell]:
    """Those more than .01 from the paper's figure, the farthest first."""
    # papers print two or three decimals: a difference of .01 must not become .0100…01 by rounding
    far = [cell for cell in comparable_cells(cells) if cell.distance > TOLERANCE + 1e-9]
    return sorted(far, key=lambda cell: cell.distance, reverse=True)


def agreement_summary(reproduction: Reproduction) -> str:
    """How many figures agree with the paper, in two sentences.

    Agreement of two figures near zero is cheap, so it is counted by itself.
    """
    cells = comparable_cells(reproduction.cells)
    agree = sum(cell.agrees_with_paper for cell in cells)
    near = sum(max(abs(c.paper or 0.0), abs(c.ours or 0.0)) < NEAR_ZERO for c in cells)
    reasons = [reason for _, reason in reproduction.deviations]
    n_unexplained = reasons.count(UNEXPLAINED)
    n_guesses = sum(reason.startswith(PERHAPS) for reason in reasons)
    return (
        f"{agree} of {len(cells)} figures agree with the paper in sign and size: "
        f"{near} are below {NEAR_ZERO:g} in both, {agree - near} are larger and "
        f"within a factor of {RATIO:g}. {len(reasons)} differ by more than {TOLERANCE:g}: "
        f"{n_unexplained} unexplained, {n_guesses} with a guess, "
        f"{len(reasons) - n_unexplained - n_guesses} with a reason."
    )


def markdown_page(reproduction: Reproduction) -> str:
    """All figures: one row per metric and one column per data set, few data sets at a time."""
    cells = [*reproduction.cells, *reproduction.other_metrics]
    lines: list[str] = []
    for table in dict.fromkeys(cell.table for cell in cells):
        in_table = [cell for cell in cells if cell.table == table]
        rows = list(dict.fromkeys(cell.row for cell in in_table))
        lines.append(f"### {capitalize(table)}\n")
        for start in range(0, len(rows), DATA_SETS_ACROSS):
            across = rows[start : start + DATA_SETS_ACROSS]
            by_key = {(cell.column, cell.row): cell for cell in in_table if cell.row in across}
            lines += [f"| metric | {' | '.join(across)} |", "|---" * (len(across) + 1) + "|"]
            for column in dict.fromkeys(name for name, _ in by_key):
                texts = [markdown_cell(by_key.get((column, row))) for row in across]
                lines.append(f"| {column} | {' | '.join(texts)} |")
            lines.append("")
    lines += [f"- left out: {omission}" for omission in reproduction.omissions]
    return "\n".join(lines)


def markdown_cell(cell: Cell | None) -> str:
    """Our figure with its interval and n; behind a slash the published one."""
    if cell is None:
        return ""

    def format_value(value: float) -> str:
        return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"  # counts have no decimals

    paper = "" if cell.paper is None else f" / {format_value(cell.paper)}"
    if cell.ours is None:
        return f"–{paper}"
    interval = "" if cell.low is None else f" [{cell.low:.2f}, {cell.high:.2f}]"
    return f"{format_value(cell.ours)}{interval} n={cell.n:,}{paper}"
