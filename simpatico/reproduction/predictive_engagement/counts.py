"""Tables 1 and 4: conversations and exchanges of ConvAI by score and label, in two readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_count
from simpatico.reproduction.predictive_engagement.paper import CONVERSATIONS, EXCHANGES, SIDES
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import Exchanges, split

TABLE_1 = "Table 1: ConvAI by engagement score"
TABLE_4 = "Table 4: the split of ConvAI by label"
NAMES: Mapping[Reading, str] = {"paper": "the paper's reading", "rated": "real ratings"}
HOW: Mapping[Reading, str] = {
    "paper": "a conversation has what stands under people's ids, 0 for every one with a bot",
    "rated": "a reply has what its speaker got from the interlocutor, 0 being no rating",
}
APART = "without the 50 conversations of the crowd study"
DRAWN = "drawn anew by whole conversations, where the paper does not say how it drew"
LABELS = ("not engaging", "engaging")


def score_counts(readings: Mapping[Reading, Exchanges]) -> Iterator[Cell]:
    """Table 1 in both readings."""
    for reading, given in readings.items():
        yield from by_score(reading, given)


def side_counts(readings: Mapping[Reading, Exchanges], *, seed: int) -> Iterator[Cell]:
    """Table 4 in both readings."""
    for reading, given in readings.items():
        yield from by_side(reading, given, seed=seed)


def by_score(reading: Reading, given: Exchanges) -> Iterator[Cell]:
    """Conversations and exchanges of each score; one side of a conversation has its own score."""
    sides = Counter(
        score for _, score in set(zip(given.dialog, given.rating.tolist(), strict=True))
    )
    rows = Counter(given.rating.tolist())
    note = f"{HOW[reading]}; {APART}"
    for name, counts, printed in (
        ("conversations", sides, CONVERSATIONS),
        ("exchanges", rows, EXCHANGES),
    ):
        total = given.dialogs if name == "conversations" else len(given)
        for score in range(6):
            paper = printed[score] if reading == "paper" else None
            spot = Spot(TABLE_1, f"{name}, {NAMES[reading]}", f"score {score}")
            yield of_count(spot, counts[float(score)], paper=paper, total=total, note=note)


def by_side(reading: Reading, given: Exchanges, *, seed: int) -> Iterator[Cell]:
    """Exchanges of each label on each side of the split."""
    for name, side in zip(SIDES, split(given, seed=seed), strict=True):
        for label, told in enumerate(LABELS):
            paper = SIDES[name][label] if reading == "paper" else None
            spot = Spot(TABLE_4, f"{name}, {NAMES[reading]}", told)
            count = int((side.label == label).sum())
            yield of_count(spot, count, paper=paper, total=len(side), note=f"{DRAWN}; {APART}")
