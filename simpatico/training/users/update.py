"""Update a model with new examples: users' weights change, the shared weights stay.

The model predicts the new examples before it is updated with them, which shows how well it does.
Nothing of the old examples is needed: what they said of a user is in the mode and the Hessian that
the folder keeps (see user_weights.py). The hyperparameters and the calibration stay, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from simpatico.errors import BadValue
from simpatico.features.users.finetuned_folder import is_finetuned
from simpatico.features.users.folder import FILES, UserModelFolder, load_user_model
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.model import Target
from simpatico.training.model_folder import check_writable
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.folder import write_user_model
from simpatico.training.users.user_weights import update_users

BEFORE_UPDATE = "before the update"


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
            raise BadValue(f"{self.base} is fine-tuned; to update it, add --fine-tune EPOCHS")
        folder = load_user_model(self.base, target)
        if not folder.recipe.terms:
            raise BadValue(
                f"{self.base} has no per-user weights to update; train it with --mode user"
            )
        folder.check_encoder(self.base)
        return folder

    def write(self, folder: UserModelFolder, examples: UserExamples, results: str) -> None:
        """Write the model after these examples, whose users have pseudonyms."""
        n, recipe = len(examples.y), folder.recipe
        line = (
            f"- updated with {n:,} examples of {self.data}; results on them before the update: "
            f"{results}"
        )
        recipe = msgspec.structs.replace(
            recipe, examples=recipe.examples + n, lines=(*recipe.lines, line)
        )
        write_user_model(self.out, update_users(folder.model, examples), recipe, folder.key)


def use_pseudonyms(examples: UserExamples, key: bytes) -> UserExamples:
    """The same with pseudonyms in place of names."""
    return examples._replace(user=[pseudonym(name, key) for name in examples.user])
