"""Contradiction: how likely a turn contradicts something its speaker said before.

A model of inference reads an earlier turn as premise and this one as hypothesis; of all earlier
turns of the speaker in the dialog the most contradicted counts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.errors import BadValue, DataError
from simpatico.features import Feature, Features
from simpatico.features.classes import ClassProbabilities
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, OnModels, Score, mark, reasons
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean
from simpatico.turns import Level, Turns

ROBERTA = ("hub:FacebookAI/roberta-large-mnli", "hub:roberta-large-mnli")


@dataclass(frozen=True)
class NliContradiction(OnModels):
    model: str = ROBERTA[0]
    history: int = 20

    name: ClassVar = Carried("nli_contradiction")
    published: ClassVar[tuple[str, ...]] = ROBERTA
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How likely a turn contradicts something its speaker said before.",
        undefined=(
            "Null when the speaker said nothing before, or when the turn has no words or is in "
            "another script."
        ),
        citation=(
            "Welleck et al. 2019, Dialogue Natural Language Inference, with a model of MNLI "
            "(Williams et al. 2018); checkpoint hub:FacebookAI/roberta-large-mnli"
        ),
        kind="traditional",
        careful=(
            "Models of inference learned from captions and essays: questions and greetings that "
            "contradict nothing can look as if they did, and the most of many grows with their "
            "number."
        ),
    )

    def __post_init__(self) -> None:
        if self.history < 1:
            raise BadValue(f"nli_contradiction.history is {self.history}; it is 1 or more")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (ClassProbabilities(self.model, pair=True), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"nli_contradiction{mark(self)}",
                of=mean("contradiction"),
                range=(0.0, 1.0),
                meaning="probability that the turn contradicts an earlier one of its speaker",
                better="lower",
                title="Contradiction",
                more="contradicts itself more than",
                less="contradicts itself less than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        classes = features[ClassProbabilities(self.model, pair=True)]
        pairs = self.pairs(turns, features)
        column = contradiction(classes.labels, self.model)
        found = classes.of(pairs.other, pairs.text)
        best = pairs.best(found[:, column] if len(pairs) else np.zeros(0))
        return pairs.statistics(contradiction=best)

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        """Scored turns beside what the same speaker said before in the dialog."""
        foreign, wordless = features[OtherScript()], features[Words()].counts == 0
        able, texts = ~foreign & ~wordless, turns.frame["text"].to_list()
        said: dict[tuple[str, str], list[int]] = defaultdict(list)
        row, other = list[int](), list[int]()
        for place, who in enumerate(turns.frame.select("dialog", "speaker").iter_rows()):
            if able[place]:
                before = said[who][-self.history :] if turns.scored[place] else []
                row += [place] * len(before)
                other += before
                said[who].append(place)
        first = ~np.isin(np.arange(len(turns)), row)
        why = reasons(len(turns), says_first=first, no_words=wordless, other_script=foreign)
        rows = np.array(row, np.int64)
        return Pairs(len(turns), rows, [texts[p] for p in row], [texts[p] for p in other], why)


def contradiction(labels: tuple[str, ...], model: str) -> int:
    """Which class is contradiction, by its name."""
    found = [place for place, label in enumerate(labels) if "contradict" in label.lower()]
    if len(found) != 1:
        raise DataError(
            f"{model} has the classes {', '.join(labels)}, none of which alone is contradiction; "
            "name a model of inference"
        )
    return found[0]
