"""Take a person's mark out of a fine-tuned model: nothing that is theirs stays in the folder.

The mark's vector becomes that of somebody who is not known, and its digits are written over. What
the other weights learned was learned from all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from simpatico.errors import BadValue, DataError
from simpatico.features.classes import TRAINING
from simpatico.features.heads.folder import CARD
from simpatico.features.users.finetuned_folder import KEY, read_key
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.speaker_tokens import SOMEBODY
from simpatico.files import write_atomically
from simpatico.training.model_folder import written
from simpatico.training.users.folder import writer

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
VECTORS = "word_embeddings.weight"
"""How the name of the vectors of word pieces ends."""


def unmark(person: str, folder: Path) -> None:
    """Forget a person; a folder that does not know them stays as it is."""
    mark = f"[{pseudonym(person, read_key(folder / KEY))}]"
    recipe, cutter = (json.loads((folder / n).read_bytes()) for n in (TRAINING, TOKENIZER))
    ids = {token["content"]: int(token["id"]) for token in cutter["added_tokens"]}
    if mark not in ids:
        raise BadValue(f"{folder} has no mark for this person; nothing was changed")
    gone = f"[gone {ids[mark]}]"
    weights = emptied(folder / WEIGHTS, ids[mark], ids[SOMEBODY])
    for token in cutter["added_tokens"]:
        token["content"] = gone if token["content"] == mark else token["content"]
    recipe["tokens"] = [gone if token == mark else token for token in recipe["tokens"]]
    # the tokenizer's digits go last: until then the same call can be made again
    for name, data in {
        CARD: (folder / CARD).read_text(encoding="utf-8").replace(mark, gone).encode(),
        WEIGHTS: weights,
        TRAINING: written(recipe),
        TOKENIZER: plain(cutter),
    }.items():
        write_atomically(folder / name, writer(data))


def emptied(path: Path, one: int, other: int) -> bytes:
    """The weights with the vector of one word piece in the place of another's."""
    from safetensors.numpy import load, save

    tensors = load(path.read_bytes())
    names = [name for name in tensors if name.endswith(VECTORS)]
    if len(names) != 1:
        raise DataError(f"{path}: {len(names)} tables of word pieces, where one is needed")
    table = np.array(tensors[names[0]])
    table[one] = table[other]
    return bytes(save({**tensors, names[0]: table}, metadata={"format": "pt"}))


def plain(cutter: dict[str, Any]) -> bytes:
    """A tokenizer's file."""
    return json.dumps(cutter, ensure_ascii=False, indent=2).encode()
