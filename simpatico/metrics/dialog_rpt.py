"""DialogRPT: how likely people would like a reply, answer it, and take it for a person's.

Gao et al. (2020, EMNLP). Five models rate a reply from 0 to 1: how much it is voted up, how many
answers it gets (width), how long the talk after it is (depth), and whether it is the true reply
rather than a random or a machine's. The score is the product of two weighted means, as the authors'
own ensemble has it: (rand + machine) / 2 * (updown + .48 depth - .5 width) / .98.
Example: all five .5 give .5 * .5 = .25.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.classes import ReplyRatings
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, NO_ANSWERED_TURN, Pairs
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.models.names import why_missing
from simpatico.turns import Turns

PUBLISHED = "hub:microsoft/DialogRPT-{head}"
# weights of the authors' ensemble; that many people answer (width) counts against a reply
PRIOR = {"human-vs-rand": 0.5, "human-vs-machine": 0.5}
CONDITIONAL = {"updown": 1.0, "depth": 0.48, "width": -0.5}
HEADS = {
    "updown": "how much the reply would be voted up",
    "width": "how many answers the reply would get",
    "depth": "how long the talk after the reply would be",
    "human-vs-rand": "how likely it is the reply to this turn, not to another",
    "human-vs-machine": "how likely the reply is human-written",
}
"""What tells the five models' names apart, and what each of them rates."""


@dataclass(frozen=True)
class DialogRpt(ModelMetric):
    """Parameters: `model`, the name of the five models with `{head}` for what tells them apart;
    `history`, how many turns they read before the reply.
    """

    model: str = PUBLISHED
    history: int = bounded(2, 1, 1_000)

    name = Carried("dialog_rpt")
    published = (PUBLISHED,)
    card = Card(
        about="How likely a reply is to be liked, replied to, and taken for human-written.",
        undefined=NO_ANSWERED_TURN,
        citation=(
            "Gao et al. 2020, Dialogue Response Ranking Training with Large-Scale Human Feedback "
            "Data; github.com/golsun/DialogRPT (its ensemble, and two turns of context); "
            "checkpoints microsoft/DialogRPT-updown, -width, -depth, -human-vs-rand and "
            "-human-vs-machine; `{head}` in `model` stands for each of these names"
        ),
        kind="traditional",
        careful="It was trained on Reddit votes, where liked does not mean helpful.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def head(self, name: str) -> str:
        """The name of the model of one head."""
        return self.model.replace("{head}", name)

    @property
    def missing(self) -> str | None:
        return next((why for name in HEADS if (why := why_missing(self.head(name)))), None)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (*dict.fromkeys(ReplyRatings(self.head(name)) for name in HEADS), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        # the least and the most that the conditional mean reaches; the prior lies from 0 to 1
        weights = sum(CONDITIONAL.values())
        ends = (-0.5 / weights, 1.48 / weights)
        parts = [("", "product of two weighted means of the five ratings", ends)]
        parts += [(f"_{column_name(h)}", meaning, (0.0, 1.0)) for h, meaning in HEADS.items()]
        scores = list[Score]()
        for part, meaning, ends in parts:
            title = f"DialogRPT{part.replace('_', ' ')}"
            of = mean_statistic(part.removeprefix("_") or "ensemble")
            comparison = f"gets a (higher|lower) rating ({title})"
            scores.append(self.score(part, of, meaning, comparison, range=ends, title=title))
        return tuple(scores)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_list()
        dialogs = list[tuple[str, ...]]()
        for row, own in zip(turns.answered[pairs.turn_rows], pairs.text, strict=True):
            start = max(row - self.history + 1, row - number[row])
            dialogs.append((*(t for t in texts[start : row + 1] if t.strip()), own))
        ratings = {name: features[ReplyRatings(self.head(name))].of(dialogs) for name in HEADS}
        prior, conditional = (
            sum(ratings[name] * weight for name, weight in part.items()) / sum(part.values())
            for part in (PRIOR, CONDITIONAL)
        )
        values = {column_name(name): pairs.best_per_turn(ratings[name]) for name in HEADS}
        values["ensemble"] = pairs.best_per_turn(np.asarray(prior * conditional))
        return pairs.statistics(**values)


def column_name(head: str) -> str:
    """The head's name as that of a column."""
    return head.replace("-", "_")
