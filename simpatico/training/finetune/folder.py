"""The folder of a fine-tuned classifier: weights, tokenizer, how it was trained, and card."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simpatico.errors import DataError
from simpatico.features.classes import TRAINING
from simpatico.metric import package_version
from simpatico.models.catalogue import catalogue
from simpatico.models.names import Model, find_model, parse_model_name, short_model_name
from simpatico.models.runtime.threads import thread_count
from simpatico.models.runtime.torch_backend import import_transformers, quiet_loading
from simpatico.training.card import About, ModelCard
from simpatico.training.finetune.start import TrainableModel
from simpatico.training.finetune.state import Progress, load_best_weights
from simpatico.training.model_folder import encode_json, refuse_file, swap_folders

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning

CARD = "card.md"
SENTENCES = "sentence_bert_config.json"
"""Where sentence-transformers, and so we, look up how many tokens a model reads at most."""
COPIED = ("tokenizer_config.json", "special_tokens_map.json")
"""What a tokenizer of transformers needs besides tokenizer.json; the same as the base's."""
LIMITS = (
    "It uses whatever separates its training texts: words, length, spelling, topic.",
    "It is valid for the language and the style of its training texts.",
)


@dataclass(frozen=True)
class TrainingRecord:
    """All that the folder says of a training."""

    base: Model
    settings: FineTuning
    labels: tuple[str, ...]
    progress: Progress
    sizes: tuple[int, int]
    """Examples of the training and of the validation split."""
    about: About


def check_finetuned_folder(out: Path) -> None:
    """Refuse a place that holds anything but a fine-tuned model."""
    refuse_file(out)
    if out.is_dir() and any(out.iterdir()) and not (out / TRAINING).is_file():
        raise DataError(f"{out} holds something else than a fine-tuned model; name another folder")


def publish_finetuned(
    out: Path, partial: Path, prepared: TrainableModel, record: TrainingRecord
) -> None:
    """Write the best epoch's model beside its place, rename it there, and drop the checkpoints."""
    load_best_weights(partial, record.progress, prepared.model)
    new, old = partial / "model", partial / "old"
    for leftover in (new, old):
        remove_folder(leftover)
    write_model_files(new, prepared, record)
    find_model(
        f"path:{new}"
    )  # refuses what could not be loaded, while the old model is still there
    swap_folders(new, out, old)
    remove_folder(partial)


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def write_model_files(folder: Path, prepared: TrainableModel, record: TrainingRecord) -> None:
    """Write all files of the model, and wait until they are on the disk."""
    with quiet_loading(import_transformers(record.base)):
        prepared.model.eval().save_pretrained(folder)
    prepared.tokenizer.save(str(folder / "tokenizer.json"))
    for name in COPIED:
        if (record.base.folder / name).is_file():
            shutil.copyfile(record.base.folder / name, folder / name)
    (folder / SENTENCES).write_bytes(encode_json({"max_seq_length": prepared.limit}))
    (folder / TRAINING).write_bytes(encode_json(finetuning_recipe(record)))
    (folder / CARD).write_text(render_finetuned_card(record), encoding="utf-8")
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def finetuning_recipe(record: TrainingRecord) -> dict[str, Any]:
    """Everything that is needed to repeat the training."""
    progress, about = record.progress, record.about
    return {
        **{k: v for k, v in asdict(record.settings).items() if k != "base"},
        "base": base_name(record.base),
        "base_sha256": record.base.sha256,
        "labels": record.labels,
        "learned_from": record.sizes[0],
        "checked_by": record.sizes[1],
        "check_losses": progress.losses,
        "epoch": progress.epoch,
        "threads": thread_count(),
        "version": package_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
        "data": about.data,
        "licence": about.licence,
        "command": about.command,
        "training": dict(about.training),
    }


def render_finetuned_card(record: TrainingRecord) -> str:
    """What people should read before they use the model."""
    settings, base, about = record.settings, record.base, record.about
    source, package = parse_model_name(base.name)
    licence = catalogue()[package].licence if source == "package" else "see its own card"
    losses = ", ".join(f"{loss:.4f}" for loss in record.progress.losses)
    # tokens are counted, never named: some of them stand for users
    tokens = [f"- {len(settings.tokens):,} special tokens"] if settings.tokens else []
    card = ModelCard(
        ", ".join(record.labels),
        f"A classifier of texts, fine-tuned from {base_name(base)} ({base.sha256[:12]}).",
        data=[
            f"- {about.data}: {record.sizes[0]:,} examples to learn from, {record.sizes[1]:,} to "
            "check by",
            f"- licence of the base: {licence}",
        ],
        method=[
            f"- epoch {record.progress.epoch} of {settings.epochs} was kept, by the loss on the "
            f"checks: {losses}",
            f"- rate {settings.rate:g}, batches of {settings.batch}, at most {settings.longest} "
            f"word pieces, seed {settings.seed}",
            *tokens,
        ],
        limits=(*LIMITS, *about.limits),
    )
    return card.render(about)


def append_to_card(folder: Path, text: str) -> None:
    """Add results that are known only once the model can be used."""
    with (folder / CARD).open("a", encoding="utf-8") as card:
        card.write(text)


def base_name(base: Model) -> str:
    """The base's name; of a folder its last part, as the rest says where somebody keeps files."""
    return (
        f"path:{short_model_name(base.name)}"
        if parse_model_name(base.name).source == "path"
        else base.name
    )
