"""What evaluators of a reply have in common: who judges, what it learned from, and its evidence.

A model is the one we ship, path:DIR of a folder of trained heads, or path:DIR of a classifier of
two texts whose second class is what is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.classes import Classes, ClassProbabilities
from simpatico.features.head_folder import (
    PATH,
    Kind,
    PairHead,
    Recipe,
    heads_folder,
    load_heads,
    trained,
)
from simpatico.features.models import Model, absent, find
from simpatico.metric import Card, Merge, OnModels, Score, mark
from simpatico.metrics._left_out import left_out
from simpatico.metrics._pairs import NEEDS, Pairs, mean, with_answered
from simpatico.turns import Level, Turns

Numbers = npt.NDArray[np.float64]

UNDEFINED = (
    "Null when the turn answers nothing, or when it or what it answers has no words or is in "
    "another script."
)
TRAINING = "training.json"
"""How a classifier was fine-tuned here."""
OWN = "It is only as good as its figures on dialogs it has not seen."
"""What to be careful about with a model that is not shipped and names no limits."""


@dataclass(frozen=True)
class Evaluator(OnModels):
    """A reply's probability of being what people were asked about, given what it answers."""

    model: str = ""

    name: ClassVar[str]
    plain: ClassVar[str]
    kind: ClassVar[Kind]
    head: ClassVar[str]
    facts: ClassVar[Card]
    meaning: ClassVar[str]
    command: ClassVar[str]
    level: ClassVar[Level] = "turn"
    merge: ClassVar[dict[str, Merge]] = {"least": "min", "most": "max"}

    @property
    def missing(self) -> str | None:
        return self.lacking(f"{self.plain}.model", self.plain)

    def lacking(self, setting: str, name: str) -> str | None:
        """What to do when there is no such model, by which a metric of this name is set."""
        if trained(self.model):
            return absent(load_heads(self.model, self.kind).recipe.heads[self.head].encoder)
        folder = heads_folder(self.model)
        if folder is None or folder.is_dir():
            return absent(self.model)
        where = f" and there is none at {self.model!r}" if self.model.startswith(PATH) else ""
        return (
            f"{name} needs a trained model{where}: train one with `{self.command}`, then add "
            f"`--set {setting}=path:MODEL`"
        )

    @property
    def judge(self) -> PairHead | ClassProbabilities:
        """The feature that judges: one of our heads, or a classifier of two texts."""
        why = self.missing
        if why or trained(self.model):
            return PairHead(self.model, self.kind, self.head, why)
        return ClassProbabilities(self.model, pair=True)

    @property
    def card(self) -> Card:
        careful = self.facts.careful if self.model == type(self).model else OWN
        told = ""
        if trained(self.model):
            recipe = load_heads(self.model, self.kind).recipe
            if self.model != type(self).model and recipe.limits:
                careful = recipe.limits[0]
            told = provenance(recipe, self.head)
        elif self.missing is None:
            told = fine_tuned(find(self.model))
        return replace(self.facts, about=f"{self.facts.about} {told}".rstrip(), careful=careful)

    @property
    def needs(self) -> tuple[Feature, ...]:
        judge = self.judge
        return (judge, *judge.needs, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (self.score("", mean("sum"), ""),)

    def score(self, part: str, of: pl.Expr, where: str) -> Score:
        """A score of the whole, or of one end of it."""
        return Score(
            f"{self.plain}{part}{mark(self)}",
            of=of,
            range=(0.0, 1.0),
            meaning=self.meaning + where.replace(" at ", ", at "),
            better="higher",
            title=self.plain.capitalize() + where.replace(" at ", ", at "),
            more=f"is more {self.head}{where} than",
            less=f"is less {self.head}{where} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = with_answered(turns, features)
        found = pairs.best(self.probability(features, pairs.other, pairs.text))
        ends = pl.Series(found).fill_nan(None)
        return pairs.statistics("no_known_words", sum=found).with_columns(least=ends, most=ends)

    def probability(self, features: Features, heard: Sequence[str], said: Sequence[str]) -> Numbers:
        """What the judge says of each pair; NaN where it can say nothing."""
        if why := self.missing:
            raise MissingResource(why)
        judge = features[self.judge]
        found = judge.of(heard, said)
        if isinstance(judge, Classes):
            if len(judge.labels) != 2:
                raise DataError(
                    f"{self.model} tells {len(judge.labels)} classes apart, where {self.plain} "
                    f"needs two: not {self.head}, and {self.head}"
                )
            found = found[:, 1]
        return np.asarray(found, np.float64)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the probability of its turn."""
        pairs: Pairs = with_answered(turns, features)
        return left_out(turns, pairs, lambda a, b: self.probability(features, a, b))


class Tuned(msgspec.Struct):
    """What `fine_tune` writes beside a classifier, as far as a card needs it."""

    base: str
    data: str
    licence: str
    learned_from: int


def fine_tuned(model: Model) -> str:
    """What a classifier was made from, where it is one that was fine-tuned here."""
    if TRAINING not in model.files:
        return ""
    path = model.folder / TRAINING
    try:
        told = msgspec.json.decode(path.read_bytes(), type=Tuned)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not what a training writes; train it again") from None
    return (
        f"Fine-tuned from {told.base} on {told.data} (licence: {told.licence}): "
        f"{told.learned_from:,} examples."
    )


def provenance(recipe: Recipe, head: str) -> str:
    """What a head learned from, and how well it did on dialogs it had not seen."""
    figure = recipe.heads[head].heldout
    data = recipe.data or "dialogs"
    licence = f" (licence: {recipe.licence})" if recipe.licence else ""
    told = f"Learned from {data}{licence}: {recipe.dialogs:,} dialogs."
    reach = ""
    if figure.low is not None and figure.high is not None:
        reach = f"95% {figure.low:.2f} to {figure.high:.2f}, "
    balanced = "" if figure.balanced is None else f", balanced accuracy {figure.balanced:.2f}"
    beaten = "" if figure.auc > figure.plain_auc else ", which is not less"
    return (
        f"{told} On {figure.dialogs:,} dialogs held out AUC = {figure.auc:.2f} "
        f"({reach}n = {figure.n:,}){balanced}; {figure.plain} alone reaches "
        f"{figure.plain_auc:.2f}{beaten}."
    )
