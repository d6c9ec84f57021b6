"""What labels mean for each kind of evaluator: emotional or not, good or bad, which emotions.

A label whose sign nobody tells is positive if at least 70% of its utterances are, by a classifier
of polarity, negative if 70% are negative, and otherwise each of its utterances is what the
classifier says of it (Liu et al., section 2.1). Example: of 10 utterances labelled "surprise" the
classifier calls 6 positive, so each one goes its own way; with 7 all 10 were positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features.heads.folder import EmotionKind
from simpatico.features.plutchik import EMOTIONS
from simpatico.training.emotion.data import Utterances
from simpatico.training.lexicon import MAPPING

Polarity = Callable[[Sequence[str]], Floats]
"""Gives the probability that each text is positive; NaN where it can say nothing."""

SHARE = 0.7
NEUTRAL = frozenset({"neutral", "no emotion", "no_emotion", "none"})
"""Labels that say of themselves that there is no emotion."""


class Ruled(NamedTuple):
    """What the rule says of a label: of how many utterances, and the share that is positive."""

    sign: Literal["positive", "negative", "each"]
    n: int
    positive: float

    @classmethod
    def of(cls, votes: Sequence[bool], share: float) -> Ruled:
        mean = sum(votes) / len(votes) if votes else 0.5
        # rounded, as 1 - .3 is a little less than .7
        if round(mean, 9) >= share:
            return cls("positive", len(votes), mean)
        return cls("negative" if round(1 - mean, 9) >= share else "each", len(votes), mean)


def label_rule(
    labels: Sequence[Sequence[str]],
    texts: Sequence[str],
    polarity: Polarity,
    *,
    share: float = SHARE,
) -> dict[str, Ruled]:
    """The sign of every label; utterances of which the classifier says nothing do not count."""
    votes: dict[str, list[bool]] = {}
    for names, chance in zip(labels, polarity(texts), strict=True):
        for name in names:
            votes.setdefault(name, []).extend([] if np.isnan(chance) else [bool(chance > 0.5)])
    return {name: Ruled.of(given, share) for name, given in votes.items()}


@dataclass(frozen=True)
class Meaning:
    """What the labels of some data mean; the same for all of their sides."""

    kind: EmotionKind
    told: Mapping[str, str]
    """What people or the data themselves say of labels."""
    rule: Mapping[str, Ruled] = field(default_factory=dict)
    polarity: Polarity | None = None

    def of(self, given: Utterances) -> Floats:
        """A row for each utterance, a column for each head; NaN where it is left out."""
        match self.kind:
            case "neutrality":
                return np.array([[self.emotional(names)] for names in given.label])
            case "polarity":
                return self.positive(given)[:, None]
            case "plutchik":
                return np.array([self.emotions(names) for names in given.label])

    def emotional(self, names: Sequence[str]) -> float:
        """1 for any emotion, 0 for neutral; NaN for both, and for what is to be left out."""
        found = [self.told.get(name) == "neutral" for name in names if not self.omitted(name)]
        return float(not found[0]) if len(set(found)) == 1 else np.nan

    def omitted(self, name: str) -> bool:
        return self.told.get(name) == "omit"

    def positive(self, given: Utterances) -> Floats:
        """1 for good, 0 for bad; NaN for neither, for both, and for neutral."""
        signs = [{self.sign(name) for name in names} for names in given.label]
        found = np.array([signed(some) for some in signs])
        each = [at for at, some in enumerate(signs) if some == {"each"}]
        if each and self.polarity:
            chance = self.polarity([given.text[at] for at in each])
            found[each] = np.where(np.isnan(chance), np.nan, chance > 0.5)
        return found

    def sign(self, name: str) -> str:
        return self.told[name] if name in self.told else self.rule[name].sign

    def emotions(self, names: Sequence[str]) -> list[float]:
        """1 under each of the eight that a label stands for; NaN throughout if left out."""
        found = [self.told[name] for name in names if not self.omitted(name)]
        has = {emotion for some in found for emotion in some.split(",")}
        return [float(emotion in has) if found else np.nan for emotion in EMOTIONS]


def signed(signs: set[str]) -> float:
    """1 if all that is said is good, 0 if all is bad, NaN otherwise."""
    clear = signs - {"each", "omit"}
    return float(clear == {"positive"}) if clear in ({"positive"}, {"negative"}) else np.nan


def meaning(
    given: Utterances,
    kind: EmotionKind,
    *,
    mapped: Mapping[str, str],
    polarity: Callable[[], Polarity],
) -> Meaning:
    """What the labels of these utterances mean, by what is said of them and else by the rule."""
    if odd := sorted(set(mapped) - set(given.labels)):
        raise DataError(f"{given.source}: no utterance is labelled {odd[0]!r}; {named(given)}")
    for name, meant in mapped.items():
        checked(kind, name, meant)
    neutral = {name: "neutral" for name in given.labels if name.casefold() in NEUTRAL}
    match kind:
        case "neutrality":
            return Meaning(kind, some_neutral(given, {**neutral, **mapped}))
        case "polarity":
            return by_rule(given, {**neutral, **given.known, **mapped}, polarity)
        case "plutchik":
            return Meaning(kind, all_known(given, {**neutral, **PLUTCHIK, **mapped}))


PLUTCHIK: Mapping[str, str] = {
    **{emotion: emotion for emotion in EMOTIONS},
    **{name: ",".join(found) for name, found in MAPPING.items() if found},
    **{name: "neutral" for name, found in MAPPING.items() if not found},
}
"""Plutchik's emotions of labels that are called so, or as GoEmotions calls them."""
FITTING: Mapping[EmotionKind, tuple[str, ...]] = {
    "neutrality": ("emotional", "neutral", "omit"),
    "polarity": ("positive", "negative", "neutral", "omit"),
    "plutchik": (*EMOTIONS, "neutral", "omit"),
}
"""What a label can be said to mean, by kind."""


def checked(kind: EmotionKind, name: str, meant: str) -> None:
    """Refuse a meaning that no label can have."""
    also = ("positive", "negative") if kind == "neutrality" else ()
    several = meant.split(",") if kind == "plutchik" else [meant]
    for one in several:
        if one not in (*FITTING[kind], *also):
            raise DataError(
                f"label {name!r} is said to mean {one!r}; for {kind} it means one of "
                f"{', '.join(FITTING[kind])}"
            )


def some_neutral(given: Utterances, told: Mapping[str, str]) -> Mapping[str, str]:
    """What is told, if it says of some label that it is neutral."""
    if "neutral" in told.values():
        return told
    raise DataError(
        f"{given.source}: no label is known to be neutral; say which is with "
        f"--map LABEL=neutral; {named(given)}"
    )


def all_known(given: Utterances, told: Mapping[str, str]) -> Mapping[str, str]:
    """What is told, if it says something of every label."""
    if unknown := [name for name in given.labels if name not in told]:
        raise DataError(
            f"{given.source}: which of the eight emotions is {unknown[0]!r}? Say "
            f"--map {unknown[0]}=EMOTION, or =neutral for none of them, or =omit to leave it out"
        )
    return told


def by_rule(
    given: Utterances, told: Mapping[str, str], polarity: Callable[[], Polarity]
) -> Meaning:
    """Good or bad by what is told, and where nothing is, by the rule of the 70%."""
    if not (unknown := {name for name in given.labels if name not in told}):
        return Meaning("polarity", told)
    rows = [at for at, names in enumerate(given.label) if unknown & {*names}]
    labels = [[name for name in given.label[at] if name in unknown] for at in rows]
    judge = polarity()
    rule = label_rule(labels, [given.text[at] for at in rows], judge)
    return Meaning("polarity", told, rule, judge)


def named(given: Utterances, most: int = 10) -> str:
    """The first labels there are, for a complaint."""
    more = ", ..." if len(given.labels) > most else ""
    return f"its labels are {', '.join(map(repr, given.labels[:most]))}{more}"
