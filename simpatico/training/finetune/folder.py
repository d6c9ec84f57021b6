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
from simpatico.files import replace_folder
from simpatico.metric import package_version
from simpatico.models.catalogue import catalogue
from simpatico.models.names import Model, find_model, parse_model_name, short_model_name
from simpatico.models.runtime.threads import thread_count
from simpatico.models.runtime.torch_backend import import_transformers, quiet_loading
from simpatico.training.card import About, ModelCard
from simpatico.training.finetune.start import TrainableModel
from simpatico.training.finetune.state import Progress, checkpoint_tensors, copy_tensors
from simpatico.training.model_folder import encode_json, refuse_file

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning

CARD = "card.md"
SENTENCES = "sentence_bert_config.json"
"""Where sentence-transformers, and so we, look up how many tokens a model reads at most."""
COPIED = ("tokenizer_config.json", "special_tokens_map.json")
"""What a tokenizer of transformers needs besides tokenizer.json; the same as the base's."""
LIMITS = (
    "Predictions may rely on anything that separates the training labels, including length, "
    "spelling and topic.",
    "Evaluated only on the language and style of its training data.",
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
        raise DataError(f"{out} is not the folder of a fine-tuned model; name another folder")


def publish_model(
    out: Path, partial: Path, trainable: TrainableModel, record: TrainingRecord
) -> None:
    """Write the best epoch's model beside its place, rename it there, and drop the checkpoints."""
    copy_tensors(partial / record.progress.best, checkpoint_tensors(trainable.model))
    new, old = partial / "model", partial / "old"
    for leftover in (new, old):
        remove_folder(leftover)
    write_model_files(new, trainable, record)
    # refuses what could not be loaded, while the old model is still there
    find_model(f"path:{new}")
    replace_folder(new, out, old=old)
    remove_folder(partial)


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def write_model_files(folder: Path, trainable: TrainableModel, record: TrainingRecord) -> None:
    """Write all files of the model, and wait until they are on the disk.

    A rename may survive a crash that the content of the files does not.
    """
    with quiet_loading(import_transformers(record.base)):
        trainable.model.eval().save_pretrained(folder)
    trainable.tokenizer.save(str(folder / "tokenizer.json"))
    for name in COPIED:
        if (record.base.folder / name).is_file():
            shutil.copyfile(record.base.folder / name, folder / name)
    (folder / SENTENCES).write_bytes(encode_json({"max_seq_length": trainable.limit}))
    (folder / TRAINING).write_bytes(encode_json(finetuning_recipe(record)))
    (folder / CARD).write_text(render_finetuned_card(record), encoding="utf-8")
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def finetuning_recipe(record: TrainingRecord) -> dict[str, Any]:
    """Everything that is needed to repeat the training; some keys are older than our words."""
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
    settings, base, about = record.settings, record.base, record.about
    kind = "Text regression model" if settings.problem == "regression" else "Text classifier"
    source, package = parse_model_name(base.name)
    licence = catalogue()[package].licence if source == "package" else "see its own card"
    losses = ", ".join(f"{loss:.4f}" for loss in record.progress.losses)
    # tokens are counted, never named: some of them stand for users
    tokens = [f"- special tokens: {len(settings.tokens):,}"] if settings.tokens else []
    return ModelCard(
        f"{kind}: {', '.join(record.labels)}",
        f"{kind} fine-tuned from {base_name(base)} (SHA-256 {base.sha256[:12]}).",
        data=[
            f"- {about.data}: {record.sizes[0]:,} training and {record.sizes[1]:,} validation "
            "examples",
            f"- licence of the base model: {licence}",
        ],
        method=[
            f"- validation loss by epoch: {losses}; the weights are those of epoch "
            f"{record.progress.epoch}",
            f"- AdamW, learning rate {settings.rate:g}, batch size {settings.batch}, at most "
            f"{settings.longest} tokens, seed {settings.seed}",
            *tokens,
        ],
        limits=(*LIMITS, *about.limits),
    ).render(about)


def append_to_card(folder: Path, text: str) -> None:
    """Add results that are known only once the model can be used."""
    with (folder / CARD).open("a", encoding="utf-8") as card:
        card.write(text)


def base_name(base: Model) -> str:
    """The base's name; of a folder its last part, as the rest says where somebody keeps files."""
    local = parse_model_name(base.name).source == "path"
    return f"path:{short_model_name(base.name)}" if local else base.name
