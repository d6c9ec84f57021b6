"""Reply chance: the probability that the user a turn is addressed to replies.

A model of `simpatico train continuity`, fine-tuned or not, is trained on logs, where a turn got a
reply or did not; no ratings are needed. It knows the habits of the users it was trained on; anybody
else is treated like the average user.
`reply_chance_known` is the share of turns that are addressed to known users. A dialog has the mean
over its turns, the lowest and the highest.
Example: turns of .2, .9 and .4 make a dialog of .5, from .2 to .9.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metric import Card, Carried
from simpatico.metrics._shared.user_aware import CITATION, UNDEFINED, UserAware


@dataclass(frozen=True)
class ReplyChance(UserAware):
    """Parameter `model`: the shipped one, or path:DIR of `simpatico train continuity`."""

    model: str = "reply_chance"

    name = Carried("reply_chance")
    published = ("reply_chance",)
    target = "chance"
    meaning = "probability that the addressed user replies"
    comparison = "is (more|less) likely to get a reply"
    known_users = "users whose reply habits are known"
    scores_unaddressed = False
    facts = Card(
        about="How likely the addressed user is to reply to a turn.",
        undefined=(
            f"{UNDEFINED} Null, too, for a turn that is meant for nobody else, such as an opening "
            "where the data do not say to whom: there is nobody whose answer could be waited for."
        ),
        citation=CITATION,
        kind="evaluator",
        careful="A reply is no sign of satisfaction: puzzled users ask again.",
    )
