"""What metrics of the eight emotions have in common: words of a lexicon, or trained heads.

With `emotions="lexicon"` a turn has the summed weights of its words, with "neural" the probability
of each emotion by the heads we ship, with path:DIR by those of a folder that was trained here. A
dialog has the sums over its turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.emotions import EMOTIONS, NEURAL, OURS, EmotionChances, Emotions
from simpatico.features.heads.folder import PATH, Recipe, load_heads
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, plain_name, reasons
from simpatico.metrics._shared.judge import Judge, learned
from simpatico.metrics._shared.pairs import Pairs
from simpatico.turns import Turns

CAREFUL = (
    "Even a plain text gets eight small probabilities, whose mix says little, and emotions that "
    "are common everywhere are likely everywhere."
)
"""What to keep in mind where heads judge."""


@dataclass(frozen=True)
class Emotional:
    """A metric of the eight emotions."""

    lexicon: str = OURS
    emotions: str = "lexicon"

    name: ClassVar[str]
    facts: ClassVar[Card]
    blank: ClassVar[str]
    """When there is no score where heads judge."""
    carries: ClassVar[tuple[str, ...]] = ("emotions",)
    published: ClassVar[tuple[str, ...]] = ("lexicon",)
    called: ClassVar[tuple[str, ...]] = ("neural",)

    def __post_init__(self) -> None:
        known = self.emotions in ("lexicon", "neural") or self.emotions.startswith(PATH)
        if not known:
            raise BadValue(
                f"{self._plain}.emotions is {self.emotions!r}; it is lexicon, neural, or path:DIR "
                "with the folder that `simpatico train emotion --kind plutchik` wrote"
            )
        if self._model and self.lexicon != OURS:
            raise BadValue(
                f"{self._plain} has a lexicon and emotions={self.emotions!r}, which uses none; "
                "leave out one of them"
            )

    @property
    def _plain(self) -> str:
        return plain_name(type(self).name)

    @property
    def _model(self) -> str | None:
        """Whose heads judge; null where words are counted."""
        return {"lexicon": None, "neural": NEURAL}.get(self.emotions, self.emotions)

    @property
    def missing(self) -> str | None:
        if self._model is None:
            return None
        command = "simpatico train emotion --kind plutchik --data FILE --out MODEL"
        setting = f"{self._plain}.emotions"
        return Judge(self._model, "plutchik", EMOTIONS[0], setting, command).missing

    @property
    def source(self) -> Emotions | EmotionChances:
        """Where the eight numbers of a turn come from."""
        if self._model is None:
            return Emotions(self.lexicon)
        return EmotionChances(self._model, self.missing)

    @property
    def card(self) -> Card:
        if self._model is None:
            return self.facts
        told = "" if self.missing else f" {origin(load_heads(self._model, 'plutchik').recipe)}"
        about = self.facts.about + told
        return replace(self.facts, about=about, undefined=self.blank, careful=CAREFUL)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.source, Words(), OtherScript())

    @property
    def silent(self) -> str:
        """The reason where nothing is known of a text that has words."""
        return "no_emotion_words" if self._model is None else "no_known_words"

    def sums(self, turns: Turns, features: Features) -> pl.DataFrame:
        """The eight numbers of each turn as statistics."""
        found = features[self.source]
        masks = {
            self.silent: ~found.any(axis=1),
            "no_words": features[Words()].counts == 0,
            "other_script": features[OtherScript()],
        }
        why = reasons(len(turns), **masks)
        return pl.DataFrame(found, schema=list(EMOTIONS)).with_columns(why)


def alone(turns: Turns, features: Features) -> Pairs:
    """Scored turns that have words, each beside itself."""
    wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
    row = np.flatnonzero(turns.scored & ~wordless & ~foreign)
    texts = turns.frame["text"].gather(row).to_list()
    why = reasons(len(turns), no_words=wordless, other_script=foreign)
    return Pairs(len(turns), row, texts, texts, why)


def origin(recipe: Recipe) -> str:
    """What the heads learned from, and how well the worst and the best of them do."""
    figures = {name: recipe.heads[name].heldout for name in EMOTIONS}
    worst, best = (pick(EMOTIONS, key=lambda name: figures[name].auc) for pick in (min, max))
    areas = (f"{figures[name].auc:.2f} ({name})" for name in (worst, best))
    return f"{learned(recipe)} On {figures[worst].n:,} texts held out AUC {' to '.join(areas)}."
