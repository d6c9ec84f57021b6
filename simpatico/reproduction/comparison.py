"""How many of a paper's figures came out again, and which did not."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.reproduction.cells import Cell, Reproduction

NEAR_ZERO = 0.01
RATIO = 3.0
TOLERANCE = 0.01
UNEXPLAINED, PERHAPS = "unexplained", "perhaps"
"""How a reason begins where there is none, or only a guess."""


def comparable_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Those with a figure of the paper and one of ours."""
    return [c for c in cells if c.paper is not None and c.ours is not None]


def agrees_with_paper(cell: Cell) -> bool:
    """Both below .01 in size, or of one sign and neither more than three times the other."""
    paper, ours = cell.paper or 0.0, cell.ours or 0.0
    smaller, larger = sorted((abs(paper), abs(ours)))
    return larger < NEAR_ZERO or (paper * ours > 0 and larger <= RATIO * smaller)


def far_from_paper(cells: Sequence[Cell]) -> list[Cell]:
    """Those more than .01 from the paper's figure, the farthest first."""

    def distance(cell: Cell) -> float:
        return abs((cell.ours or 0.0) - (cell.paper or 0.0))

    # papers print two or three decimals: a difference of .01 must not become .0100…01 by rounding
    far = [c for c in comparable_cells(cells) if distance(c) > TOLERANCE + 1e-9]
    return sorted(far, key=distance, reverse=True)


def agreement_summary(reproduction: Reproduction) -> str:
    """How many figures came out again, in a sentence.

    Agreement of two figures near zero is cheap, so it is counted by itself.
    """
    both = comparable_cells(reproduction.cells)
    agree = sum(map(agrees_with_paper, both))
    near = sum(max(abs(c.paper or 0.0), abs(c.ours or 0.0)) < NEAR_ZERO for c in both)
    reasons = [reason for _, reason in reproduction.deviations]
    return (
        f"{agree} of {len(both)} figures agree with the paper in sign and size: "
        f"{near} are below {NEAR_ZERO:g} in both, {agree - near} are larger and "
        f"within a factor of {RATIO:g}. {len(reasons)} differ by more than {TOLERANCE:g}: "
        f"{sum(reason == UNEXPLAINED for reason in reasons)} unexplained, "
        f"{sum(reason.startswith(PERHAPS) for reason in reasons)} with a guess, "
        f"{sum(not reason.startswith((PERHAPS, UNEXPLAINED)) for reason in reasons)} "
        "with a reason."
    )
