"""The folder of a fine-tuned classifier: weights, tokenizer, how it was made, and card."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simpatico.errors import DataError
from simpatico.features.classes import TRAINING
from simpatico.features.persons.speaker_tokens import digits_of
from simpatico.metric import package_version
from simpatico.models.catalogue import catalogue
from simpatico.models.names import Model, find, named, short
from simpatico.models.runtime.threads import threads
from simpatico.models.runtime.torch_backend import library, quiet
from simpatico.training.finetune.start import Start
from simpatico.training.finetune.state import Progress, best_weights
from simpatico.training.model_folder import About, written
from simpatico.training.persons import card as personal_card

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning

CARD = "card.md"
SENTENCES = "sentence_bert_config.json"
"""The file in which the longest text is told that a model reads."""
TAKEN = ("tokenizer_config.json", "special_tokens_map.json")
"""What a tokenizer of transformers needs besides tokenizer.json; the same as the base's."""
LIMITS = (
    "It goes by whatever tells its training texts apart: words, length, spelling, subject.",
    "It knows the language and the manner of the texts it learned from.",
)


@dataclass(frozen=True)
class Told:
    """All that the folder says of a training."""

    base: Model
    how: FineTuning
    labels: tuple[str, ...]
    progress: Progress
    sizes: tuple[int, int]
    about: About


def writable(out: Path) -> None:
    """Refuse a place that holds anything but a fine-tuned model."""
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; name a folder for the model")
    if out.is_dir() and any(out.iterdir()) and not (out / TRAINING).is_file():
        raise DataError(f"{out} holds something else than a fine-tuned model; name another folder")


def write(out: Path, partial: Path, start: Start, told: Told) -> None:
    """Put the folder together beside its place, move it there whole, and forget the steps."""
    best_weights(partial, told.progress, start.model)
    folder, old = partial / "model", partial / "old"
    for leftover in (folder, old):
        remove(leftover)
    fill(folder, start, told)
    find(f"path:{folder}")
    if out.is_dir():
        out.rename(old)
    folder.rename(out)
    remove(partial)


def remove(folder: Path) -> None:
    """Take a folder away, if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def fill(folder: Path, start: Start, told: Told) -> None:
    """Write all files of the model."""
    with quiet(library(told.base)):
        start.model.eval().save_pretrained(folder)
    start.tokenizer.save(str(folder / "tokenizer.json"))
    for name in TAKEN:
        if (told.base.folder / name).is_file():
            shutil.copyfile(told.base.folder / name, folder / name)
    (folder / SENTENCES).write_bytes(written({"max_seq_length": start.limit}))
    (folder / TRAINING).write_bytes(written(recipe(told)))
    (folder / CARD).write_text(card(told), encoding="utf-8")
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def recipe(told: Told) -> dict[str, Any]:
    """Everything that is needed to train it again."""
    progress, about = told.progress, told.about
    return {
        **{k: v for k, v in asdict(told.how).items() if k != "base"},
        "base": base_name(told.base),
        "base_sha256": told.base.sha256,
        "labels": told.labels,
        "learned_from": told.sizes[0],
        "checked_by": told.sizes[1],
        "check_losses": progress.losses,
        "epoch": progress.epoch,
        "threads": threads(),
        "version": package_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
        "data": about.data,
        "licence": about.licence,
        "command": about.command,
        "training": dict(about.training),
    }


def card(told: Told) -> str:
    """What people should read before they use the model."""
    about, progress = told.about, told.progress
    lines = [
        f"# {', '.join(told.labels)}",
        "",
        f"A classifier of texts, fine-tuned from {base_name(told.base)} ({told.base.sha256[:12]}).",
        "",
        "## Data",
        f"- {about.data}: {told.sizes[0]:,} examples to learn from, {told.sizes[1]:,} to check by",
        f"- licence of the data: {about.licence}",
        f"- licence of the base: {base_licence(told.base)}",
        "",
        "## How it was made",
        f"- epoch {progress.epoch} of {told.how.epochs} was kept, by the loss on the checks: "
        + ", ".join(f"{loss:.4f}" for loss in progress.losses),
        f"- rate {told.how.rate:g}, batches of {told.how.batch}, at most {told.how.longest} word "
        f"pieces, seed {told.how.seed}",
        *marks(told.how.tokens),
        *([f"- made again by: `{about.command}`"] if about.command else []),
        "",
        "## Limits",
        *(f"- {note}" for note in limits(told.how.tokens)),
        "",
    ]
    return "\n".join(lines)


def marks(tokens: tuple[str, ...]) -> list[str]:
    """How many marks have a vector of their own; some stand for persons, so that none is named."""
    return [f"- {len(tokens):,} marks of their own"] if tokens else []


def limits(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """What it cannot do; of one that knows persons, what that means for them."""
    return (*LIMITS, *personal_card.LIMITS) if digits_of(tokens) else LIMITS


def base_name(base: Model) -> str:
    """The base's name; of a folder its last part, as the rest says where somebody keeps files."""
    return f"path:{short(base.name)}" if named(base.name).where == "path" else base.name


def base_licence(base: Model) -> str:
    """What the catalogue says of the base's licence."""
    where, what = named(base.name)
    return catalogue()[what].licence if where == "package" else "see its own card"
