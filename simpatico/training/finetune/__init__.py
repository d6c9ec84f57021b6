"""Fine-tune a pretrained encoder into a classifier of texts or of pairs of texts.

All weights are trained in 32-bit precision: AdamW, a learning rate that warms up and then falls
linearly to 0, gradients clipped at norm 1. The epoch of least validation loss is kept. Checkpoints
are in `OUT.partial`; the same call resumes there and ends at the same weights, bit for bit, on as
many threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.errors import BadValue, DataError
from simpatico.features import features_for_texts
from simpatico.features.classes import ClassProbabilities
from simpatico.files import lock_folder
from simpatico.models.names import Model, find_model
from simpatico.models.runtime.threads import thread_count
from simpatico.models.runtime.torch_backend import import_transformers
from simpatico.training.card import About

Problem = Literal["single", "multi", "regression"]
PROBLEMS = ("single", "multi", "regression")
VERSION = 1
"""Of the training itself: checkpoints of another version are not resumed."""


@dataclass(frozen=True)
class TextDataset:
    """Texts or pairs of texts, and the target of each.

    That is the index of its class (single), 0 or 1 for every label (multi), or one value or
    several (regression).
    """

    first: list[str]
    second: list[str] | None
    target: Floats32

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class FineTuning:
    """The base model and hyperparameters; `tokens` are special tokens to add to its vocabulary.

    A base that already has a classification layer of the same size starts from it.
    """

    base: str = "package:minilm-torch"
    problem: Problem = "single"
    rate: float = 2e-5
    batch: int = 32
    epochs: int = 3
    longest: int = 128
    class_weights: bool = False
    tokens: tuple[str, ...] = ()
    seed: int = 0
    warmup: float = 0.1

    def __post_init__(self) -> None:
        if self.problem not in PROBLEMS:
            raise BadValue(f"problem {self.problem!r}; there are {', '.join(PROBLEMS)}")
        for name in ("rate", "batch", "epochs"):
            if not getattr(self, name) > 0:
                raise BadValue(f"{name} is {getattr(self, name)}; it is above 0")
        if not 0 <= self.warmup < 1:
            raise BadValue(
                f"warmup is {self.warmup}; it is a share of the steps, at least 0 and below 1"
            )
        if self.longest < 8:
            raise BadValue(
                f"longest is {self.longest}; two texts and their marks need 8 word pieces"
            )
        if self.class_weights and self.problem == "regression":
            raise BadValue("class_weights are for classes; regression has none")
        if odd := [t for t in self.tokens if not t.strip() or self.tokens.count(t) > 1]:
            raise BadValue(f"token {odd[0]!r} is blank or named twice; each is a mark of its own")


@dataclass(frozen=True)
class FineTuningResult:
    """The folder that was written, the validation loss after each epoch, and which was kept."""

    folder: Path
    losses: tuple[float, ...]
    epoch: int
    """Counted from 1."""


def fine_tune(
    train: TextDataset,
    validation: TextDataset,
    out: Path,
    *,
    settings: FineTuning,
    labels: tuple[str, ...],
    about: About,
) -> FineTuningResult:
    """Fine-tune, and write a folder that `ClassProbabilities("path:OUT")` takes."""
    from simpatico.training.finetune import folder as finetune_folder
    from simpatico.training.finetune.loop import FineTuningRun, run_training
    from simpatico.training.finetune.start import prepare_model

    check_dataset(train, settings.problem, labels, "to learn from")
    check_dataset(validation, settings.problem, labels, "to check by")
    if (train.second is None) != (validation.second is None):
        raise BadValue("the texts to learn from and to check by are pairs, or neither are")
    finetune_folder.check_finetuned_folder(out)
    base = find_model(settings.base)
    import_transformers(base)
    partial = out.absolute().with_name(f"{out.name}.partial")
    with lock_folder(partial), isolated_torch():
        prepared = prepare_model(base, settings, labels)
        key = training_key(train, validation, settings, labels, base)
        progress = run_training(FineTuningRun(prepared, settings, partial, key), train, validation)
        sizes = len(train), len(validation)
        record = finetune_folder.TrainingRecord(base, settings, labels, progress, sizes, about)
        finetune_folder.publish_finetuned(out, partial, prepared, record)
    return FineTuningResult(out, tuple(progress.losses), progress.epoch)


def predict_logits(
    folder: Path, first: Sequence[str], second: Sequence[str] | None = None
) -> Floats:
    """The logits of a finished classifier, a column a label."""
    feature = ClassProbabilities(f"path:{folder}", pair=second is not None, output="logits")
    classes = features_for_texts([feature])[feature]
    logits = classes.of(list(first)) if second is None else classes.of(list(first), list(second))
    return np.asarray(logits, np.float64)


@contextmanager
def isolated_torch() -> Iterator[None]:
    """Restore torch's random state and number of threads afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(thread_count())
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(before)


TARGETS: dict[Problem, str] = {
    "single": "a class is a whole number from 0 to {}",
    "multi": "a label is there (1), not there (0), or in between",
    "regression": "they are finite numbers",
}


def check_dataset(data: TextDataset, problem: Problem, labels: tuple[str, ...], what: str) -> None:
    """Refuse texts and targets that do not match each other or the labels."""
    n, k = len(data.first), len(labels)
    if not n or not k:
        raise DataError(f"{n} texts {what} and {k} labels; fine-tuning needs some of both")
    sizes = {n, len(data.target)} | ({len(data.second)} if data.second is not None else set())
    shapes: dict[Problem, list[tuple[int, ...]]] = {
        "single": [(n,)],
        "multi": [(n, k)],
        "regression": [(n,), (n, 1)] if k == 1 else [(n, k)],
    }
    if len(sizes) > 1 or data.target.shape not in shapes[problem]:
        second = "" if data.second is None else f", {len(data.second)} second ones"
        raise DataError(
            f"{n} texts {what}{second} and targets of shape {data.target.shape}; "
            f"{problem!r} with {k} labels needs {shapes[problem][0]}"
        )
    low, high = float(np.min(data.target)), float(np.max(data.target))
    integral = problem != "single" or bool((data.target == np.round(data.target)).all())
    top = {"single": k - 1, "multi": 1}.get(problem, np.inf)
    in_range = problem == "regression" or (low >= 0 and high <= top)
    if not np.isfinite(data.target).all() or not integral or not in_range:
        wanted = TARGETS[problem].format(k - 1)
        raise DataError(f"targets {what} from {low:g} to {high:g}; {wanted}")
    if problem == "single" and what == "to learn from":
        counts = np.bincount(data.target.astype(int), minlength=k)
        if not counts.all():
            raise DataError(
                f"no text {what} is {labels[int(counts.argmin())]!r}; leave that label out"
            )


def training_key(
    train: TextDataset,
    validation: TextDataset,
    settings: FineTuning,
    labels: tuple[str, ...],
    base: Model,
) -> str:
    """A hash of all that a training must share with an unfinished one to resume it."""
    digest = hashlib.sha256()
    facts = {**asdict(settings), "base": base.sha256, "labels": labels, "version": VERSION}
    digest.update(msgspec.json.encode(facts, order="sorted"))
    for data in (train, validation):
        columns = [data.first, data.second or []]
        digest.update(
            msgspec.json.encode([[t.encode("utf-8", "replace") for t in c] for c in columns])
        )
        digest.update(np.ascontiguousarray(data.target, np.float32).tobytes())
    return digest.hexdigest()
