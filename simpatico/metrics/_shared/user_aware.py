"""What metrics have in common that ask how a turn looks to the person it is meant for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import PATH, heads_folder
from simpatico.features.users.contexts import Moments, moments
from simpatico.features.users.feature import Folder, PersonalNumbers, holds_model, load_model
from simpatico.features.users.finetuned_folder import MarkedFolder
from simpatico.features.users.folder import TRAINED_BY
from simpatico.features.users.model import Target
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Merge, OnModels, Score, mark, reasons
from simpatico.metrics._shared.left_out import left_out
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean
from simpatico.turns import Level, Turns

LEARNED: dict[Target, str] = {"chance": "turns", "score": "ratings"}
UNDEFINED = "Null when the turn has no words or is in a script that the model does not read."
PAPER = (
    "Tsuta et al. 2023, Rethinking Response Evaluation from Interlocutor's Eye for Open-Domain "
    "Dialogue Systems; the authors fine-tune a model with a token for each speaker"
)
CITATION = f"{PAPER}, here an encoder stays as it is and each person has a few weights"
TUNED = f"{PAPER}, as it was done here with a mark for each person"


@dataclass(frozen=True)
class ForPerson(OnModels):
    """A number for each turn from a model that knows, or does not know, who is talked to."""

    model: str = ""

    name: ClassVar[str]
    plain: ClassVar[str]
    target: ClassVar[Target]
    facts: ClassVar[Card]
    meaning: ClassVar[str]
    more: ClassVar[tuple[str, str]]
    whom: ClassVar[str]
    """Who the known persons are."""
    to_nobody: ClassVar[bool] = True
    """Whether it says anything of a turn that is meant for nobody else."""
    level: ClassVar[Level] = "turn"
    merge: ClassVar[dict[str, Merge]] = {"least": "min", "most": "max"}

    @property
    def folder(self) -> Folder | None:
        """The trained model; null where there is none."""
        return load_model(self.model, self.target) if holds_model(self.model) else None

    @property
    def missing(self) -> str | None:
        if folder := self.folder:
            return folder.lacks
        where = heads_folder(self.model)
        if where is not None and where.is_dir():
            return f"{self.model!r} holds no personal model; {self.how}"
        there = f" and there is none at {self.model!r}" if self.model.startswith(PATH) else ""
        return f"{self.plain} needs a trained model{there}: {self.how}"

    @property
    def how(self) -> str:
        """How to get one."""
        command = f"simpatico train {TRAINED_BY[self.target]} --data DIALOGS --out MODEL"
        return f"train one with `{command}`, then add `--set {self.plain}.model=path:MODEL`"

    @property
    def card(self) -> Card:
        if (folder := self.folder) is None:
            return self.facts
        recipe = folder.recipe
        people = f"It knows {folder.persons:,} persons."
        tuned = isinstance(folder, MarkedFolder)
        origin = (
            f"Learned from {recipe.data} (licence: {recipe.licence}): {recipe.examples:,} "
            f"{LEARNED[self.target]}."
        )
        return replace(
            self.facts,
            about=f"{self.facts.about} {origin} {people}",
            citation=TUNED if tuned else self.facts.citation,
            language=recipe.language,
        )

    @property
    def feature(self) -> PersonalNumbers:
        return PersonalNumbers(self.model, self.target, self.missing)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.feature, *self.feature.needs, *NEEDS)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the scale."""
        return (0.0, 1.0)

    @property
    def scores(self) -> tuple[Score, ...]:
        known = Score(
            f"{self.plain}_known{mark(self)}",
            of=mean("known"),
            range=(0.0, 1.0),
            meaning="share of scored turns that are meant for a person the model knows",
            title=f"{self.title}, share of known persons",
            more=f"talks more to {self.whom} than",
            less=f"talks less to {self.whom} than",
        )
        return (
            self.score("", mean("sum"), ""),
            self.score("_min", pl.col("least"), " at its lowest"),
            self.score("_max", pl.col("most"), " at its highest"),
            known,
        )

    @property
    def title(self) -> str:
        return self.plain.capitalize().replace("_", " ")

    def score(self, part: str, of: pl.Expr, where: str) -> Score:
        """A score of the whole, or of one end of it."""
        more, less = self.more
        return Score(
            f"{self.plain}{part}{mark(self)}",
            of=of,
            range=self.ends,
            meaning=self.meaning + where.replace(" at ", ", at "),
            better="higher",
            title=self.title + where.replace(" at ", ", at "),
            more=f"{more}{where} than",
            less=f"{less}{where} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        asked, why = self.asked(turns, features)
        told = features[self.feature].of(asked)
        columns = {name: np.zeros(len(turns)) for name in ("sum", "n", "known")}
        columns["sum"][asked.row], columns["n"][asked.row] = told.value, 1.0
        columns["known"][asked.row] = told.seen > 0
        ends = np.full(len(turns), np.nan)
        ends[asked.row] = told.value
        found = pl.Series(ends).fill_nan(None)
        return pl.DataFrame(columns).with_columns(why, least=found, most=found)

    def asked(self, turns: Turns, features: Features) -> tuple[Moments, pl.Series]:
        """The turns that can be judged, and why the others cannot."""
        if lacks := self.missing:
            raise MissingResource(lacks)
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        english = self.folder is not None and self.folder.recipe.language == "en"
        foreign = foreign & english
        found = moments(turns)
        alone = np.zeros(len(turns), bool) if self.to_nobody else for_nobody(turns, found)
        why = reasons(len(turns), no_interlocutor=alone, no_words=wordless, other_script=foreign)
        able = ~(alone | wordless | foreign)[found.row]
        return found.some(np.flatnonzero(able)), why

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the number of its turn."""
        asked, why = self.asked(turns, features)
        judge = features[self.feature]

        # each text stands beside the place of its moment, which says all but its words
        def again(places: Sequence[str], said: Sequence[str]) -> Floats:
            at = np.array([int(place) for place in places], np.int64)
            found: Floats = judge.of(asked.some(at).saying(said)).value
            return found

        places = [str(at) for at in range(len(asked))]
        return left_out(turns, Pairs(len(turns), asked.row, asked.said, places, why), again)


def for_nobody(turns: Turns, found: Moments) -> Bools:
    """Which turns are meant for nobody that the data tell, or for who says them."""
    speaker, alone = turns.frame["speaker"].to_list(), np.zeros(len(turns), bool)
    told = zip(found.row, found.person, strict=True)
    alone[[row for row, person in told if person in ("", speaker[row])]] = True
    return alone
