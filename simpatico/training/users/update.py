"""Update a model with new logs or ratings: users' weights change, the shared weights stay.

The model predicts the new examples before it is updated with them, which shows how well it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from simpatico.errors import BadValue, DataError
from simpatico.features.users.finetuned_folder import is_finetuned
from simpatico.features.users.folder import (
    FILES,
    UserModelFolder,
    check_encoder,
    load_user_model,
)
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.model import Target
from simpatico.judgements import Judgements
from simpatico.stats.by_user import (
    RatingResults,
    ReplyPredictions,
    ReplyResults,
    describe_auc,
    evaluate_ratings,
    evaluate_replies,
)
from simpatico.training.model_folder import check_writable
from simpatico.training.users.continuity.data import (
    TRAIN_ON_ALL,
    Filters,
    describe_excluded,
    reply_examples,
)
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.examples import UserExamples, turn_examples
from simpatico.training.users.fit import predict_examples
from simpatico.training.users.folder import write_user_model
from simpatico.training.users.interlocutor.data import InterlocutorRatings, interlocutor_ratings
from simpatico.training.users.interlocutor.train import rating_examples
from simpatico.training.users.user_weights import update_users
from simpatico.turns import Turns

BEFORE_UPDATE = "before going on"


@dataclass(frozen=True)
class UpdateRequest:
    """The model to update, where to write the result, and what the new data are called."""

    base: str
    out: Path
    data: str

    def load_base(self, target: Target) -> UserModelFolder:
        """The model, once it is known that it can be updated."""
        check_writable(self.out, FILES)
        if is_finetuned(self.base):
            raise BadValue(f"{self.base} is fine-tuned; to go on from it, add --fine-tune EPOCHS")
        folder = load_user_model(self.base, target)
        if not folder.recipe.terms:
            raise BadValue(
                f"{self.base} knows nothing of persons, so that there is nothing to go on with; "
                "train it with --mode user"
            )
        check_encoder(folder, self.base)
        return folder

    def write(self, folder: UserModelFolder, examples: UserExamples, results: str) -> None:
        """Write the model after these examples, whose users have pseudonyms."""
        n, recipe = len(examples.y), folder.recipe
        line = f"- went on with {n:,} examples of {self.data}, on which it had had {results}"
        recipe = msgspec.structs.replace(
            recipe, examples=recipe.examples + n, lines=(*recipe.lines, line)
        )
        write_user_model(self.out, update_users(folder.model, examples), recipe, folder.key)


def use_pseudonyms(examples: UserExamples, key: bytes) -> UserExamples:
    """The same with pseudonyms in place of names."""
    return examples._replace(user=[pseudonym(name, key) for name in examples.user])


class ReplyUpdate(NamedTuple):
    """How well new replies were predicted, which turns were excluded, and which are uncertain."""

    results: ReplyResults
    excluded: dict[str, int]
    window: Window
    unfinished: int


def update_continuity(
    turns: Turns, request: UpdateRequest, *, left: float, filters: Filters
) -> ReplyUpdate:
    """Update users with their replies in these logs, within the model's own reply window."""
    folder = request.load_base("chance")
    window = Window(folder.recipe.training.get("minutes", Window().minutes), left)
    new = reply_examples(turns, window=window, by=TRAIN_ON_ALL, filters=filters)
    indices, excluded = new.split.train, new.split.excluded
    if not len(indices):
        why = describe_excluded(excluded)
        raise DataError(f"no turn whose answer is known; there is nothing to go on with{why}")
    labels = new.labels(indices)
    examples = use_pseudonyms(
        turn_examples(new.contexts.take(indices), folder.recipe.inputs, labels.astype(np.float64)),
        folder.key,
    )
    probability = predict_examples(folder.model, examples)
    predictions = {BEFORE_UPDATE: ReplyPredictions.from_probability(probability)}
    (results,) = evaluate_replies(predictions, labels, new.users(indices))
    request.write(
        folder, examples, f"accuracy {results.accuracy.value:.3f}, {describe_auc(results.auc)}"
    )
    return ReplyUpdate(results, excluded, window, new.count_unfinished(indices))


def update_interlocutor(
    turns: Turns, judgements: Judgements, request: UpdateRequest, *, quality: str | None
) -> RatingResults:
    """Update users with their ratings of these dialogs; returns how well these were predicted."""
    folder = request.load_base("score")
    learned = folder.recipe.training.get("quality")
    if quality and learned and quality != learned:
        raise BadValue(f"{request.base} learned {learned!r}; it cannot go on with {quality!r}")
    ratings = interlocutor_ratings(
        turns, judgements, quality=quality or learned, source="interlocutor"
    )
    check_scale(ratings, judgements, folder.recipe.bounds, request.base)
    first = np.array([rows[0] for rows in ratings.rows], np.int64)
    order = np.lexsort([first, ratings.start])
    by_name = rating_examples(turns, ratings, folder.recipe.inputs).take(order)
    examples = use_pseudonyms(by_name, folder.key)
    predictions = {BEFORE_UPDATE: predict_examples(folder.model, examples)}
    (results,) = evaluate_ratings(predictions, by_name.y, by_name.user)
    correlation = "no r" if results.r is None else f"r {results.r.value:.3f}"
    request.write(folder, examples, f"{correlation}, squared error {results.mse.value:.3f}")
    return results


def check_scale(
    ratings: InterlocutorRatings,
    judgements: Judgements,
    bounds: tuple[float, float] | None,
    base: str,
) -> None:
    """Refuse ratings on another scale than the model's, or beyond it where none is declared."""
    if bounds is None:
        return
    (low, high), own = ratings.bounds, judgements.frame.filter(quality=ratings.quality)
    declared = own["scale_min"].null_count() == own["scale_max"].null_count() == 0
    if (low, high) != bounds if declared else not bounds[0] <= low <= high <= bounds[1]:
        raise BadValue(
            f"ratings of {ratings.quality!r} go from {low:g} to {high:g}; {base} learned a scale "
            f"from {bounds[0]:g} to {bounds[1]:g}"
        )
