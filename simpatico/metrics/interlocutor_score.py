"""Interlocutor score: the rating that the user a turn is addressed to would give it.

A model of `simpatico train interlocutor`, fine-tuned or not, is trained on ratings that people gave
to what was said to them. It knows how the users it was trained on rate; anybody else is treated
like the average user.
`interlocutor_score_known` is the share of turns that are addressed to known users. A dialog has the
mean over its turns, the lowest and the highest.
Example: turns of 4, 6 and 5 on a scale from 1 to 7 make a dialog of 5, from 4 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from simpatico.metric import Card, Carried
from simpatico.metrics._shared.user_aware import CITATION, UNDEFINED, UserAware


@dataclass(frozen=True)
class InterlocutorScore(UserAware):
    """Parameter `model`: the shipped one, or path:DIR of `simpatico train interlocutor`."""

    model: str = "interlocutor_score"

    name = Carried("interlocutor_score")
    published = ("interlocutor_score",)
    target = "score"
    meaning = "rating that the addressed user would give the turn"
    comparison = "is predicted to be rated (higher|lower) by its users"
    known_users = "users whose ratings are known"
    facts = Card(
        about="Which rating the addressed user would give a turn.",
        undefined=f"{UNDEFINED} An opening that names nobody is scored for an average user.",
        citation=CITATION,
        kind="evaluator",
        careful=(
            "It mostly captures how high a user rates in general: compare systems on turns to "
            "the same users."
        ),
    )

    # ratings have the scale of the data a model was trained on; without a model none is known
    @property
    def bounds(self) -> tuple[float, float]:
        folder = self.folder
        return (folder.recipe.bounds if folder else None) or (-inf, inf)
