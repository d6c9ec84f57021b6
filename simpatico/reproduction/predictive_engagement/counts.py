"""Tables 1 and 4: conversations and exchanges of ConvAI by score and label, in two readings.

Table 1 counts conversations, and utterances with the score of their conversation, by engagement
from 0 to 5. Table 4 splits the utterances 60/20/20 by label. The paper's figures come out again
only if every conversation with a bot has the score 0, as the file has it under people's ids: bots
do not rate, and a 0 is a missing rating. The second reading takes real ratings only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from simpatico.reproduction.cells import Cell, count_cell
from simpatico.reproduction.predictive_engagement.paper import CONVERSATIONS, EXCHANGES, SPLIT_SIZES
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import Exchanges, split_exchanges

TABLE_1 = "Table 1: ConvAI by engagement score"
TABLE_4 = "Table 4: the split of ConvAI by label"
READING_NAMES: Mapping[Reading, str] = {"paper": "the paper's reading", "rated": "real ratings"}
READING_NOTES: Mapping[Reading, str] = {
    "paper": "a conversation has what stands under people's ids, 0 for every one with a bot",
    "rated": "a reply has what its speaker got from the interlocutor, 0 being no rating",
}
WITHOUT_CROWD = "without the 50 conversations of the crowd study"
SPLIT_NOTE = "split by whole conversations, as the paper does not say how it split"
LABELS = ("not engaging", "engaging")


def score_count_cells(readings: Mapping[Reading, Exchanges]) -> Iterator[Cell]:
    """Table 1 in both readings; each side of a conversation has a score of its own."""
    for reading, exchanges in readings.items():
        ratings = exchanges.rating.tolist()
        sides = Counter(score for _, score in set(zip(exchanges.dialog, ratings, strict=True)))
        notes = [READING_NOTES[reading], WITHOUT_CROWD]
        for name, counts, total, figures in (
            ("conversations", sides, exchanges.dialogs, CONVERSATIONS),
            ("exchanges", Counter(ratings), len(exchanges), EXCHANGES),
        ):
            for score in range(6):
                paper = figures[score] if reading == "paper" else None
                place = TABLE_1, f"{name}, {READING_NAMES[reading]}", f"score {score}"
                count = counts[float(score)]
                yield count_cell(place, count, paper=paper, total=total, notes=notes)


def split_count_cells(readings: Mapping[Reading, Exchanges], *, seed: int) -> Iterator[Cell]:
    """Table 4 in both readings: exchanges of each label in each split."""
    notes = [SPLIT_NOTE, WITHOUT_CROWD]
    for reading, exchanges in readings.items():
        for name, part in zip(SPLIT_SIZES, split_exchanges(exchanges, seed=seed), strict=True):
            for label, column in enumerate(LABELS):
                paper = SPLIT_SIZES[name][label] if reading == "paper" else None
                place = TABLE_4, f"{name}, {READING_NAMES[reading]}", column
                count = int((part.label == label).sum())
                yield count_cell(place, count, paper=paper, total=len(part), notes=notes)
