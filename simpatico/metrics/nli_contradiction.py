"""Contradiction: how likely a turn contradicts something its speaker said before.

After Welleck et al. (2019, ACL), Dialogue NLI: max over the speaker's earlier turns u of
p(contradiction | premise u, hypothesis this turn), by a model of natural language inference; at
most `history` turns back.
Example: probabilities of .1 and .7 with two earlier turns give .7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features import Features
from simpatico.features.classes import ClassProbabilities
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, reasons
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import Pairs
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.turns import Turns

ROBERTA = ("hub:FacebookAI/roberta-large-mnli", "hub:roberta-large-mnli")


@dataclass(frozen=True)
class NliContradiction(PairMetric):
    """Parameters: `model`, a classifier of inference; `history`, how many earlier turns it
    compares.
    """

    model: str = ROBERTA[0]
    history: int = bounded(20, 1, 1_000)

    name = Carried("nli_contradiction")
    published = ROBERTA
    title = "Contradiction"
    statistic = "contradiction"
    meaning = "probability that the turn contradicts an earlier one of its speaker"
    comparison = "contradicts itself (more|less)"
    better = "lower"
    card = Card(
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
            "NLI models are trained on captions and essays: questions and greetings that "
            "contradict nothing can look as if they did, and the most of many grows with their "
            "number."
        ),
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def feature(self) -> ClassProbabilities:
        return ClassProbabilities(self.model, pair=True)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        classes = features[self.feature]
        column = contradiction_class(classes.labels, self.model)
        return np.asarray(classes.of(others, texts)[:, column])

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        """Scored turns beside what the same speaker said before in the dialog."""
        foreign, wordless = features[OtherScript()], features[Words()].counts == 0
        able, texts = ~foreign & ~wordless, turns.frame["text"].to_list()
        by_speaker: dict[tuple[str, str], list[int]] = defaultdict(list)
        rows, others = list[int](), list[int]()
        for row, speaker in enumerate(turns.frame.select("dialog", "speaker").iter_rows()):
            if able[row]:  # others are not compared, and nothing is compared with them
                before = by_speaker[speaker][-self.history :] if turns.scored[row] else []
                rows += [row] * len(before)
                others += before
                by_speaker[speaker].append(row)
        first = ~np.isin(np.arange(len(turns)), rows)
        why = reasons(len(turns), says_first=first, no_words=wordless, other_script=foreign)
        premises = [texts[other] for other in others]
        return Pairs(len(turns), np.array(rows, np.int64), [texts[r] for r in rows], premises, why)


def contradiction_class(labels: tuple[str, ...], model: str) -> int:
    """Which class is contradiction, by its name."""
    columns = [index for index, label in enumerate(labels) if "contradict" in label.lower()]
    if len(columns) != 1:
        raise DataError(
            f"{model} has the classes {', '.join(labels)}, not exactly one of which is "
            "contradiction; name a model of natural language inference"
        )
    return columns[0]
