"""What labels mean for each kind of evaluator: emotional or not, good or bad, which emotions.

A label of unknown sign is positive if a polarity classifier calls at least 70% of its utterances
positive, negative if 70% negative; otherwise each of its utterances has the classifier's sign
(Liu et al., section 2.1). Example: of 10 utterances labelled "surprise" 6 are called positive, so
each has its own sign; with 7 all 10 are positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import features_for_texts
from simpatico.features.classes import ClassProbabilities
from simpatico.features.detokenise import detokenise
from simpatico.features.heads.folder import EmotionKind, PairHead, is_heads_folder
from simpatico.features.plutchik import EMOTIONS
from simpatico.models.names import why_missing
from simpatico.training.emotion.data import Utterances
from simpatico.training.lexicon import MAPPING

Polarity = Callable[[Sequence[str]], Floats]
"""Gives the probability that each text is positive; NaN where it has none."""

MAJORITY_SHARE = 0.7
"""Of a label's utterances, as in Liu et al."""
MAX_LISTED = 10
"""Labels that an error message names."""
NEUTRAL = frozenset({"neutral", "no emotion", "no_emotion", "none"})
"""Labels that say of themselves that there is no emotion."""


class LabelSign(NamedTuple):
    """The sign that the rule gives a label, by how many utterances, and their positive share."""

    sign: Literal["positive", "negative", "each"]
    n: int
    positive: float


def infer_label_signs(
    labels: Sequence[Sequence[str]],
    texts: Sequence[str],
    polarity: Polarity,
    *,
    share: float = MAJORITY_SHARE,
) -> dict[str, LabelSign]:
    """The sign of every label; utterances without a probability do not count."""
    votes: dict[str, list[bool]] = {}
    for names, positive in zip(labels, polarity(texts), strict=True):
        for name in names:
            votes.setdefault(name, []).extend([] if np.isnan(positive) else [bool(positive > 0.5)])
    signs = {}
    for name, own in votes.items():
        mean = sum(own) / len(own) if own else 0.5
        # rounded, as 1 - .3 is a little less than .7
        positive, negative = round(mean, 9) >= share, round(1 - mean, 9) >= share
        signs[name] = LabelSign(
            "positive" if positive else "negative" if negative else "each", len(own), mean
        )
    return signs


@dataclass(frozen=True)
class LabelMeanings:
    """What the labels of some data mean; the same for all of their splits."""

    kind: EmotionKind
    meanings: Mapping[str, str]
    """That the user or the data themselves give."""
    rule: Mapping[str, LabelSign] = field(default_factory=dict)
    """Signs of the other labels, by the rule of the 70%."""
    polarity: Polarity | None = None

    def targets(self, utterances: Utterances) -> Floats:
        """A row for each utterance, a column for each head; NaN where it is left out."""
        match self.kind:
            case "neutrality":
                return np.array([[self.emotional(names)] for names in utterances.label])
            case "polarity":
                return self.positive(utterances)[:, None]
            case "plutchik":
                return np.array([self.emotions(names) for names in utterances.label])

    def emotional(self, names: Sequence[str]) -> float:
        """1 for any emotion, 0 for neutral; NaN for both, and for what is to be left out.

        A label without a meaning is an emotion: only neutral ones have to be known.
        """
        neutral = {self.meanings.get(name) == "neutral" for name in self.not_omitted(names)}
        return float(not neutral.pop()) if len(neutral) == 1 else np.nan

    def not_omitted(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if self.meanings.get(name) != "omit"]

    def positive(self, utterances: Utterances) -> Floats:
        """1 for positive, 0 for negative; NaN for neither, for both, and for neutral.

        Neutral utterances are left out rather than put into a third class: that they are neutral
        is decided by the other evaluator.
        """
        sign_of = {**{name: sign.sign for name, sign in self.rule.items()}, **self.meanings}
        signs = [{sign_of[name] for name in names} for names in utterances.label]
        # a clear sign goes before one that each utterance decides; two clear ones contradict
        clear = [frozenset(own - {"each", "omit"}) for own in signs]
        targets = np.array([CLEAR_SIGNS.get(own, np.nan) for own in clear])
        each = [row for row, own in enumerate(signs) if own == {"each"}]
        if each and self.polarity:
            positive = self.polarity([utterances.text[row] for row in each])
            targets[each] = np.where(np.isnan(positive), np.nan, positive > 0.5)
        return targets

    def emotions(self, names: Sequence[str]) -> list[float]:
        """1 under each of the eight that a label stands for; NaN throughout if left out."""
        meanings = [self.meanings[name] for name in self.not_omitted(names)]
        present = {emotion for meaning in meanings for emotion in meaning.split(",")}
        return [float(emotion in present) if meanings else np.nan for emotion in EMOTIONS]


CLEAR_SIGNS = {frozenset({"positive"}): 1.0, frozenset({"negative"}): 0.0}
PLUTCHIK: Mapping[str, str] = {
    **{emotion: emotion for emotion in EMOTIONS},
    **{name: ",".join(emotions) or "neutral" for name, emotions in MAPPING.items()},
}
"""Plutchik's emotions of labels that are called so, or as GoEmotions calls them."""
MEANINGS: Mapping[EmotionKind, tuple[str, ...]] = {
    "neutrality": ("emotional", "neutral", "omit"),
    "polarity": ("positive", "negative", "neutral", "omit"),
    "plutchik": (*EMOTIONS, "neutral", "omit"),
}
"""What a label can mean, by kind."""


def resolve_labels(
    utterances: Utterances,
    kind: EmotionKind,
    *,
    mapping: Mapping[str, str],
    polarity: Callable[[], Polarity],
) -> LabelMeanings:
    """What the labels of these utterances mean, by `mapping`, by their names, and by the rule."""
    labels, source = utterances.labels, utterances.source
    more = ", ..." if len(labels) > MAX_LISTED else ""
    listing = f"its labels are {', '.join(map(repr, labels[:MAX_LISTED]))}{more}"
    if unknown := sorted(set(mapping) - set(labels)):
        raise DataError(f"{source}: no utterance is labelled {unknown[0]!r}; {listing}")
    # that an emotion is positive or negative says, for neutrality, that it is one
    also = ("positive", "negative") if kind == "neutrality" else ()
    for name, value in mapping.items():
        for meaning in value.split(",") if kind == "plutchik" else [value]:
            if meaning not in (*MEANINGS[kind], *also):
                raise DataError(
                    f"--map {name}={meaning}: for {kind} a label means one of "
                    f"{', '.join(MEANINGS[kind])}"
                )
    neutral = {name: "neutral" for name in labels if name.casefold() in NEUTRAL}
    defaults: Mapping[EmotionKind, Mapping[str, str]] = {
        "neutrality": {},
        "polarity": utterances.known_signs,
        "plutchik": PLUTCHIK,
    }
    meanings = {**neutral, **defaults[kind], **mapping}
    rest = {name for name in labels if name not in meanings}
    if kind == "neutrality" and "neutral" not in meanings.values():
        remedy = "name it with --map LABEL=neutral"
        raise DataError(f"{source}: no label is known to be neutral; {remedy}; {listing}")
    if kind == "plutchik" and rest:
        raise DataError(
            f"{source}: label {min(rest)!r} is none of the eight emotions; give --map "
            f"{min(rest)}=EMOTION, =neutral for none of them, or =omit to leave it out"
        )
    if kind != "polarity" or not rest:
        return LabelMeanings(kind, meanings)
    # only now, as this loads a model that most data do not need
    model = polarity()
    rows = [row for row, names in enumerate(utterances.label) if rest & {*names}]
    names = [[name for name in utterances.label[row] if name in rest] for row in rows]
    rule = infer_label_signs(names, [utterances.text[row] for row in rows], model)
    return LabelMeanings(kind, meanings, rule, model)


def polarity_model(model: str) -> Polarity:
    """A head of ours, or a classifier of two classes whose second is positive."""
    feature: PairHead | ClassProbabilities
    if is_heads_folder(model):
        feature = PairHead(model, "polarity", "positive")
    elif why := why_missing(model):
        raise MissingResource(
            f"no polarity model {model!r} for labels of unknown sign ({why}); give one with "
            "--polarity-model, or the sign with --map LABEL=positive"
        )
    else:
        feature = ClassProbabilities(model)
    classes = features_for_texts([feature, *feature.needs])[feature]

    # tidied as in training, so that the way a corpus was stored does not decide the sign

    def positive(texts: Sequence[str]) -> Floats:
        probabilities = np.asarray(classes.of([detokenise(text) for text in texts]), np.float64)
        if probabilities.ndim == 1:
            return probabilities
        if probabilities.shape[1] != 2:
            raise DataError(
                f"{model} has {probabilities.shape[1]} classes, where polarity needs two: negative "
                "and positive"
            )
        return probabilities[:, 1]

    return positive
