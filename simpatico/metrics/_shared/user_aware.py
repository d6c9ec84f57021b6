"""The metrics that predict how the user a turn is addressed to takes it: replies, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import PATH, heads_folder
from simpatico.features.script import OtherScript
from simpatico.features.users.contexts import Contexts, turn_contexts
from simpatico.features.users.feature import (
    Folder,
    PersonalNumbers,
    has_user_model,
    open_user_model,
)
from simpatico.features.users.finetuned_folder import FineTunedFolder
from simpatico.features.users.folder import TRAINED_BY
from simpatico.features.users.model import Target
from simpatico.features.words import Words
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.model_metric import EXTREMES, ModelMetric, with_extremes
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns
from simpatico.wording import title_from_name

EXAMPLE_NOUN: dict[Target, str] = {"chance": "turns", "score": "ratings"}
"""What a model is trained on, by what it predicts."""
UNDEFINED = "Null when the turn has no words or is in a script that the model does not read."
PAPER = (
    "Tsuta et al. 2023, Rethinking Response Evaluation from Interlocutor's Eye for Open-Domain "
    "Dialogue Systems; the authors fine-tune a model with a token for each speaker"
)
CITATION = f"{PAPER}, here with a frozen encoder and a few weights per user"
FINETUNED_CITATION = f"{PAPER}, here fine-tuned with a special token per user"


@dataclass(frozen=True)
class UserAware(ModelMetric):
    """A prediction for each turn from a model that knows, or does not know, the user addressed."""

    model: str = ""

    target: ClassVar[Target]
    facts: ClassVar[Card]
    meaning: ClassVar[str]
    comparison: ClassVar[str]
    known_users: ClassVar[str]
    """Whom the model knows, in words of the comparison."""
    scores_unaddressed: ClassVar[bool] = True
    """Whether a turn that is addressed to nobody else has a score."""
    merge = EXTREMES

    @property
    def folder(self) -> Folder | None:
        """The trained model; null where there is none."""
        return open_user_model(self.model, self.target) if has_user_model(self.model) else None

    @property
    def missing(self) -> str | None:
        if folder := self.folder:
            return folder.missing
        path = heads_folder(self.model)
        if path is not None and path.is_dir():
            return f"{self.model!r} holds no personal model; {self.instructions}"
        there = f" and there is none at {self.model!r}" if self.model.startswith(PATH) else ""
        return f"{self.plain} needs a trained model{there}: {self.instructions}"

    @property
    def instructions(self) -> str:
        """How to train a model and use it."""
        command = f"simpatico train {TRAINED_BY[self.target]} --data DIALOGS --out MODEL"
        return f"train one with `{command}`, then add `--set {self.plain}.model=path:MODEL`"

    @property
    def card(self) -> Card:
        if (folder := self.folder) is None:
            return self.facts
        recipe, fine_tuned = folder.recipe, isinstance(folder, FineTunedFolder)
        about = (
            f"{self.facts.about} Trained on {recipe.data} (licence: {recipe.licence}): "
            f"{recipe.examples:,} {EXAMPLE_NOUN[self.target]}. It knows {folder.n_users:,} users."
        )
        citation = FINETUNED_CITATION if fine_tuned else self.facts.citation
        return replace(self.facts, about=about, citation=citation, language=recipe.language)

    @property
    def feature(self) -> PersonalNumbers:
        return PersonalNumbers(self.model, self.target, self.missing)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.feature, *self.feature.needs, *NEEDS)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest possible value."""
        return (0.0, 1.0)

    @property
    def scores(self) -> tuple[Score, ...]:
        known_share = self.score(
            "_known",
            mean_statistic("known"),
            "share of scored turns addressed to a user the model knows",
            f"talks (more|less) to {self.known_users}",
            better=None,
            title=f"{title_from_name(self.plain)}, share of known users",
        )
        return (*self.scores_with_extremes(self.meaning, self.comparison, self.bounds), known_share)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        contexts, why = self.scorable_contexts(turns, features)
        predictions = features[self.feature].predict(contexts)
        columns = {name: np.zeros(len(turns)) for name in ("sum", "n", "known")}
        columns["sum"][contexts.row], columns["n"][contexts.row] = predictions.value, 1.0
        columns["known"][contexts.row] = predictions.n_examples > 0
        return with_extremes(pl.DataFrame(columns).with_columns(why), "sum")

    def scorable_contexts(self, turns: Turns, features: Features) -> tuple[Contexts, pl.Series]:
        """The turns that can be scored, and why the others cannot."""
        if why_missing := self.missing:
            raise MissingResource(why_missing)
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        # other letters than Latin are foreign to a model of English, not to that of any language
        english = self.folder is not None and self.folder.recipe.language == "en"
        foreign = foreign & english
        contexts = turn_contexts(turns)
        # whose addressee the data do not name, or name as their own speaker
        unaddressed = np.zeros(len(turns), bool)
        if not self.scores_unaddressed:
            speakers = turns.frame["speaker"].gather(contexts.row)
            addressees = zip(contexts.user, speakers, strict=True)
            unaddressed[contexts.row] = [user in ("", speaker) for user, speaker in addressees]
        masks = {"no_interlocutor": unaddressed, "no_words": wordless, "other_script": foreign}
        why = reasons(len(turns), **masks)
        scorable = ~(unaddressed | wordless | foreign)[contexts.row]
        return contexts.take(np.flatnonzero(scorable)), why

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the prediction for its turn (occlusion)."""
        contexts, why = self.scorable_contexts(turns, features)
        predictor = features[self.feature]

        # each altered text comes with the index of its context, where all but the words is known
        def predict_texts(indices: Sequence[str], texts: Sequence[str]) -> Floats:
            at = np.array([int(index) for index in indices], np.int64)
            values: Floats = predictor.predict(replace(contexts.take(at), text=texts)).value
            return values

        indices = [str(at) for at in range(len(contexts))]
        pairs = Pairs(len(turns), contexts.row, contexts.text, indices, why)
        return occlusion_evidence(turns, pairs, predict_texts)
