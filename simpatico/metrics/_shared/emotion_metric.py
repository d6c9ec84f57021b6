"""What metrics of the eight emotions have in common: words of a lexicon, or trained heads.

Emotions are those of Plutchik (1980). With `emotions="lexicon"` a turn has the summed weights of
its words, with "neural" the probability of each emotion by the heads we ship, with path:DIR by
those of a folder that was trained here. A dialog has the sums over its turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.emotions import EMOTIONS, NEURAL, OURS, EmotionProbabilities, Emotions
from simpatico.features.heads.folder import PATH, HeadsRecipe, load_heads
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, reasons
from simpatico.metrics._shared.classifier import BinaryClassifier, describe_training_data
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS
from simpatico.turns import Turns

NEURAL_CAUTION = (
    "Even a plain text gets eight small probabilities, whose mix says little, and emotions that "
    "are common everywhere are likely everywhere."
)
"""What the number cannot say where trained heads give the emotions."""


@dataclass(frozen=True)
class EmotionMetric(ModelMetric):
    """A metric of the eight emotions."""

    lexicon: str = OURS
    emotions: str = "lexicon"

    facts: ClassVar[Card]
    undefined_neural: ClassVar[str]
    """When there is no score where trained heads give the emotions."""
    carries = ("emotions",)
    published = ("lexicon",)
    called = ("neural",)  # emotion_matching[neural] names no package, unlike other brackets

    def __post_init__(self) -> None:
        if self.emotions not in ("lexicon", "neural") and not self.emotions.startswith(PATH):
            raise BadValue(
                f"{self.plain}.emotions is {self.emotions!r}; it is lexicon, neural, or path:DIR "
                "with the folder that `simpatico train emotion --target plutchik` wrote"
            )
        if self._model and self.lexicon != OURS:
            raise BadValue(
                f"{self.plain} has a lexicon and emotions={self.emotions!r}, which uses none; "
                "leave out one of them"
            )

    @property
    def _model(self) -> str | None:
        """The folder of trained heads; null where words of a lexicon are counted."""
        return {"lexicon": None, "neural": NEURAL}.get(self.emotions, self.emotions)

    @property
    def missing(self) -> str | None:
        if self._model is None:
            return None
        command = "simpatico train emotion --target plutchik --data FILE --out MODEL"
        setting = f"{self.plain}.emotions"
        return BinaryClassifier(self._model, "plutchik", EMOTIONS[0], setting, command).missing

    @property
    def source(self) -> Emotions | EmotionProbabilities:
        """Where the eight numbers of a turn come from."""
        if self._model is None:
            return Emotions(self.lexicon)
        return EmotionProbabilities(self._model, self.missing)

    @property
    def card(self) -> Card:
        if self._model is None:
            return self.facts
        about = self.facts.about
        if not self.missing:
            recipe = load_heads(self._model, "plutchik").recipe
            about = f"{about} {describe_emotion_heads(recipe)}"
        return replace(
            self.facts, about=about, undefined=self.undefined_neural, careful=NEURAL_CAUTION
        )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.source, *NEEDS)

    @property
    def unknown_reason(self) -> str:
        """The reason of a text that has words, of which none is known."""
        return "no_emotion_words" if self._model is None else "no_known_words"

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        """The eight sums or probabilities of each turn."""
        values = features[self.source]
        masks = {
            self.unknown_reason: ~values.any(axis=1),
            "no_words": features[Words()].counts == 0,
            "other_script": features[OtherScript()],
        }
        why = reasons(len(turns), **masks)
        return pl.DataFrame(values, list(EMOTIONS), orient="row").with_columns(why)


def describe_emotion_heads(recipe: HeadsRecipe) -> str:
    """What the heads were trained on, and how well the worst and the best of them do."""
    tests = {name: recipe.heads[name].heldout for name in EMOTIONS}
    worst, best = (pick(EMOTIONS, key=lambda name: tests[name].auc) for pick in (min, max))
    aucs = (f"{tests[name].auc:.2f} ({name})" for name in (worst, best))
    data = describe_training_data(recipe)
    return f"{data} Test set of {tests[worst].n:,} texts: AUC {' to '.join(aucs)}."
