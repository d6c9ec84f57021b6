"""How many of a paper's figures came out again, and which did not."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.reproduction import Cell, Reproduction

NEAR_ZERO = 0.01
RATIO = 3.0
TOLERANCE = 0.01
UNEXPLAINED, PERHAPS = "unexplained", "perhaps"
"""How a reason begins where there is none, or only a guess."""


def comparable(cells: Sequence[Cell]) -> list[Cell]:
    """Those that the paper has and we have."""
    return [c for c in cells if c.paper is not None and c.ours is not None]


def agrees(cell: Cell) -> bool:
    """Both below .01 in size, or of one sign and neither more than three times the other."""
    paper, ours = cell.paper or 0.0, cell.ours or 0.0
    if near_zero(cell):
        return True
    small, large = sorted((abs(paper), abs(ours)))
    return paper * ours > 0 and large <= RATIO * small


def near_zero(cell: Cell) -> bool:
    """Whether there is next to nothing on either side, which is agreement of a cheap kind."""
    return max(abs(cell.paper or 0.0), abs(cell.ours or 0.0)) < NEAR_ZERO


def apart(cells: Sequence[Cell]) -> list[Cell]:
    """Those more than .01 from the paper's figure, the farthest first."""
    far = [c for c in comparable(cells) if gap(c) > TOLERANCE + 1e-9]
    return sorted(far, key=gap, reverse=True)


def gap(cell: Cell) -> float:
    return abs((cell.ours or 0.0) - (cell.paper or 0.0))


def summary(done: Reproduction) -> str:
    """How many figures came out again, in a sentence."""
    both = comparable(done.cells)
    near, far = sum(map(near_zero, both)), len(done.apart)
    guessed = sum(why.startswith(PERHAPS) for _, why in done.apart)
    return (
        f"{sum(map(agrees, both))} of {len(both)} figures agree with the paper in sign and size: "
        f"{near} are below {NEAR_ZERO:g} in both, {sum(map(agrees, both)) - near} are larger and "
        f"within a factor of {RATIO:g}. {far} differ by more than {TOLERANCE:g}: "
        f"{sum(why == UNEXPLAINED for _, why in done.apart)} unexplained, {guessed} with a guess, "
        f"{sum(not why.startswith((PERHAPS, UNEXPLAINED)) for _, why in done.apart)} with a reason."
    )
