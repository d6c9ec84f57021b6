"""Remove a user from a model: nothing that is theirs alone stays in the folder.

The weights that all users share were learned from the removed user, too, and stay as they are: to
remove a user's influence altogether, train again without their data. The card says so.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.errors import BadValue, DataError
from simpatico.features.classes import TRAINING
from simpatico.features.heads.folder import CARD, heads_folder
from simpatico.features.users.finetuned_folder import KEY, read_key
from simpatico.features.users.folder import FILES, load_user_model
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.speaker_tokens import UNKNOWN_USER
from simpatico.training.model_folder import change_model_folder, encode_json, recover_folder
from simpatico.training.users.folder import write_user_model

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
EMBEDDING_MATRIX = "word_embeddings.weight"
"""How the name of the embedding matrix of word pieces ends."""


def forget_user(user: str, model: str) -> int:
    """Remove a user's weights from a model; returns how many examples of theirs it had."""
    path = heads_folder(model)
    if path is not None:
        recover_folder(path, FILES)
    folder = load_user_model(model)
    digits, users = pseudonym(user, folder.key), folder.model.users
    if path is None or digits not in users.row_of:
        raise BadValue(
            f"{model} has no weights for this user among its {len(users.row_of):,} users; nothing "
            "was changed"
        )
    n_examples = int(users.n_examples[users.row_of[digits]])
    remaining = users.select([name for name in users.row_of if name != digits])
    write_user_model(path, replace(folder.model, users=remaining), folder.recipe, folder.key)
    return n_examples


def forget_speaker_token(user: str, folder: Path) -> None:
    """Remove a user's speaker token from a fine-tuned model.

    The token's embedding becomes that of an unknown user, and its digits are overwritten.
    """
    from safetensors.numpy import load, save

    folder = recover_folder(folder, {path.name for path in folder.iterdir()})
    token = f"[{pseudonym(user, read_key(folder / KEY))}]"
    recipe, tokenizer = (json.loads((folder / n).read_bytes()) for n in (TRAINING, TOKENIZER))
    ids = {entry["content"]: int(entry["id"]) for entry in tokenizer["added_tokens"]}
    if token not in ids:
        raise BadValue(f"{folder} has no speaker token for this user; nothing was changed")
    placeholder = f"[gone {ids[token]}]"
    path = folder / WEIGHTS
    tensors = load(path.read_bytes())
    names = [name for name in tensors if name.endswith(EMBEDDING_MATRIX)]
    if len(names) != 1:
        raise DataError(f"{path}: {len(names)} embedding matrices; one is needed")
    embeddings = np.array(tensors[names[0]])
    embeddings[ids[token]] = embeddings[ids[UNKNOWN_USER]]
    for entry in tokenizer["added_tokens"]:
        entry["content"] = placeholder if entry["content"] == token else entry["content"]
    recipe["tokens"] = [placeholder if one == token else one for one in recipe["tokens"]]
    changes = {
        CARD: (folder / CARD).read_text(encoding="utf-8").replace(token, placeholder).encode(),
        WEIGHTS: bytes(save({**tensors, names[0]: embeddings}, metadata={"format": "pt"})),
        TRAINING: encode_json(recipe),
        TOKENIZER: json.dumps(tokenizer, ensure_ascii=False, indent=2).encode(),
    }
    change_model_folder(folder, changes)
