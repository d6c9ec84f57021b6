"""The folder of a fine-tuned classifier: weights, tokenizer, how it was trained, and card."""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from simpatico.errors import DataError
from simpatico.features.classes import TRAINING
from simpatico.features.users.finetuned_folder import KEY
from simpatico.files import replace_folder, write_atomically
from simpatico.metric import package_version
from simpatico.models.catalogue import catalogue
from simpatico.models.names import find_model, parse_model_name, public_model_name
from simpatico.models.runtime.threads import thread_count
from simpatico.models.runtime.torch_backend import import_transformers, quiet_loading
from simpatico.training.card import ModelCard
from simpatico.training.finetune.start import FineTuningRun
from simpatico.training.finetune.state import Progress, checkpoint_tensors, copy_tensors
from simpatico.training.model_folder import encode_json, refuse_file

CARD = "card.md"
SENTENCES = "sentence_bert_config.json"
"""Where sentence-transformers, and so we, look up how many tokens a model reads at most."""
COPIED = ("tokenizer_config.json", "special_tokens_map.json")
"""What a tokenizer of transformers needs besides tokenizer.json; the same as the base's."""
FILES = {"config.json", "generation_config.json", "tokenizer.json", *COPIED} | {
    *(CARD, SENTENCES, TRAINING, KEY)
}
WEIGHTS = re.compile(r"model.*\.safetensors(\.index\.json)?")
"""transformers cuts large ones into several files."""
LIMITS = (
    "Predictions may rely on anything that separates the training labels, including length, "
    "spelling and topic.",
    "Evaluated only on the language and style of its training data.",
)


def check_finetuned_folder(out: Path) -> None:
    """Refuse a place that holds anything but a fine-tuned model: it is replaced as a whole."""
    refuse_file(out)
    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if names and TRAINING not in names:
        raise DataError(f"{out} is not the folder of a fine-tuned model; name another folder")
    if alien := sorted(name for name in names - FILES if not WEIGHTS.fullmatch(name)):
        raise DataError(f"{out} holds {alien[0]!r}, which is not part of a model; move it away")


def partial_folder(out: Path) -> Path:
    """Where the checkpoints of a training are, and the key of its users, until it is finished."""
    return out.absolute().with_name(f"{out.name}.partial")


def publish_model(out: Path, run: FineTuningRun, progress: Progress) -> None:
    """Write the best epoch's model beside its place, rename it there, and drop the checkpoints."""
    trainable, base = run.trainable, run.base
    copy_tensors(run.partial / progress.best, checkpoint_tensors(trainable.model))
    new, old = run.partial / "model", run.partial / "old"
    for leftover in (new, old):
        shutil.rmtree(leftover, ignore_errors=True)
    with quiet_loading(import_transformers(base)):
        trainable.model.eval().save_pretrained(new)
    trainable.tokenizer.save(str(new / "tokenizer.json"))
    for name in COPIED:
        if (base.folder / name).is_file():
            shutil.copyfile(base.folder / name, new / name)
    (new / SENTENCES).write_bytes(encode_json({"max_seq_length": trainable.limit}))
    (new / TRAINING).write_bytes(encode_json(finetuning_recipe(run, progress)))
    (new / CARD).write_text(render_finetuned_card(run, progress), encoding="utf-8")
    # before the model is in its place, which without its key would know none of its users
    if (run.partial / KEY).is_file():
        write_atomically(new / KEY, (run.partial / KEY).read_bytes())
    # refuses what could not be loaded, while the old model is still there
    find_model(f"path:{new}")
    replace_folder(new, out, old=old)
    shutil.rmtree(run.partial, ignore_errors=True)


def finetuning_recipe(run: FineTuningRun, progress: Progress) -> dict[str, Any]:
    """Everything that is needed to repeat the training; some keys are older than our words."""
    return {
        **{k: v for k, v in asdict(run.settings).items() if k != "base"},
        "base": public_model_name(run.base.name),
        "base_sha256": run.base.sha256,
        "labels": run.labels,
        "learned_from": len(run.train),
        "checked_by": len(run.validation),
        "check_losses": progress.losses,
        "epoch": progress.epoch,
        "threads": thread_count(),
        "version": package_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
        **{k: v for k, v in asdict(run.about).items() if k != "limits"},
    }


def render_finetuned_card(run: FineTuningRun, progress: Progress) -> str:
    settings, base, about = run.settings, run.base, run.about
    kind = "Text regression model" if settings.problem == "regression" else "Text classifier"
    source, package = parse_model_name(base.name)
    licence = catalogue()[package].licence if source == "package" else "see its own card"
    losses = ", ".join(f"{loss:.4f}" for loss in progress.losses)
    # tokens are counted, never named: some of them stand for users
    tokens = [f"- special tokens: {len(settings.tokens):,}"] if settings.tokens else []
    return ModelCard(
        f"{kind}: {', '.join(run.labels)}",
        f"{kind} fine-tuned from {public_model_name(base.name)} (SHA-256 {base.sha256[:12]}).",
        data=[
            f"- {about.data}: {len(run.train):,} training and {len(run.validation):,} validation "
            "examples",
            f"- licence of the base model: {licence}",
        ],
        method=[
            f"- validation loss by epoch: {losses}; the weights are those of epoch "
            f"{progress.epoch}",
            f"- AdamW, learning rate {settings.rate:g}, batch size {settings.batch}, at most "
            f"{settings.longest} tokens, seed {settings.seed}",
            *tokens,
        ],
        limits=(*LIMITS, *about.limits),
    ).render(about)


def append_to_card(folder: Path, text: str) -> None:
    """Add results that are known only once the model can be used."""
    path = folder / CARD
    write_atomically(path, path.read_bytes() + text.encode(), public=True)
