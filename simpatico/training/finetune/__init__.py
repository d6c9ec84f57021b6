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
from simpatico.models.names import find_model
from simpatico.models.runtime.threads import thread_count
from simpatico.models.runtime.torch_backend import import_transformers
from simpatico.training.card import About
from simpatico.training.finetune.folder import check_finetuned_folder, partial_folder, publish_model
from simpatico.training.finetune.loop import run_training
from simpatico.training.finetune.start import FineTuningRun, prepare_model
from simpatico.training.finetune.state import Progress

Problem = Literal["single", "multi", "regression"]
TARGETS: dict[Problem, str] = {
    "single": "a class must be a whole number from 0 to {}",
    "multi": "a label must be present (1), absent (0), or in between",
    "regression": "they must be finite numbers",
}
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

    A base that already has a classification layer of the same size starts from it. Rate, batch size
    and epochs are in the range that Devlin et al. (2019, appendix A.3) recommend for BERT.
    """

    base: str = "package:minilm-torch"
    problem: Problem = "single"
    rate: float = 2e-5
    batch: int = 32
    epochs: int = 3
    longest: int = 128
    """Most tokens of a text or pair; the time of a step grows faster than in proportion."""
    class_weights: bool = False
    """Whether all classes count alike, however rare."""
    tokens: tuple[str, ...] = ()
    spelling: bool = False
    """Whether an encoder without case is shown capitals, and spaces before punctuation."""
    seed: int = 0
    warmup: float = 0.1
    """Share of the steps in which the rate rises."""

    def __post_init__(self) -> None:
        if self.problem not in TARGETS:
            raise BadValue(f"unknown problem {self.problem!r}; choose one of {', '.join(TARGETS)}")
        for name in ("rate", "batch", "epochs"):
            if not getattr(self, name) > 0:
                raise BadValue(f"{name} is {getattr(self, name)}; it must be above 0")
        if not 0 <= self.warmup < 1:
            raise BadValue(
                f"warmup is {self.warmup}; it must be a share of the steps, at least 0 and below 1"
            )
        if self.longest < 8:
            raise BadValue(
                f"longest is {self.longest}; a pair of texts with its special tokens needs 8 tokens"
            )
        if self.class_weights and self.problem == "regression":
            raise BadValue("class_weights need classes; regression has none")
        if odd := [t for t in self.tokens if not t.strip() or self.tokens.count(t) > 1]:
            raise BadValue(f"special token {odd[0]!r} is blank or repeated; each must be unique")


def fine_tune(
    train: TextDataset,
    validation: TextDataset,
    out: Path,
    *,
    settings: FineTuning,
    labels: tuple[str, ...],
    about: About,
) -> Progress:
    """Fine-tune, and write a folder that `ClassProbabilities("path:OUT")` takes.

    Returns the validation loss after each epoch, and which epoch was best.
    """
    check_dataset(train, settings.problem, labels, "training")
    check_dataset(validation, settings.problem, labels, "validation")
    if (train.second is None) != (validation.second is None):
        raise BadValue("one of training and validation set has pairs of texts; both must, or none")
    check_finetuned_folder(out)
    base = find_model(settings.base)
    import_transformers(base)
    partial = partial_folder(out)
    with lock_folder(partial), isolated_torch():
        trainable = prepare_model(base, settings, labels)
        run = FineTuningRun(trainable, base, settings, labels, train, validation, about, partial)
        progress = run_training(run, training_key(run))
        publish_model(out, run, progress)
    return progress


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
    """Restore torch's random state and number of threads afterwards.

    Sums over threads depend on how many there are: the same number gives the same bits.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(thread_count())
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(before)


def check_dataset(data: TextDataset, problem: Problem, labels: tuple[str, ...], split: str) -> None:
    """Refuse texts and targets that do not match each other or the labels."""
    n, k = len(data), len(labels)
    if not n or not k:
        raise DataError(f"{split} set: {n} texts and {k} labels; fine-tuning needs some of both")
    sizes = {n, len(data.target)} | ({len(data.second)} if data.second is not None else set())
    shapes: dict[Problem, list[tuple[int, ...]]] = {
        "single": [(n,)],
        "multi": [(n, k)],
        "regression": [(n,), (n, 1)] if k == 1 else [(n, k)],
    }
    if len(sizes) > 1 or data.target.shape not in shapes[problem]:
        second = "" if data.second is None else f", {len(data.second)} second texts"
        raise DataError(
            f"{split} set: {n} texts{second} and targets of shape {data.target.shape}; "
            f"{problem!r} with {k} labels needs {shapes[problem][0]}"
        )
    valid = np.isfinite(data.target)
    if problem != "regression":
        valid &= (data.target >= 0) & (data.target <= (k - 1 if problem == "single" else 1))
    if problem == "single":
        valid &= data.target == np.round(data.target)
    if not valid.all():
        low, high = float(np.min(data.target)), float(np.max(data.target))
        requirement = TARGETS[problem].format(k - 1)
        raise DataError(f"{split} set: targets from {low:g} to {high:g}; {requirement}")
    # nothing is learned of a class that never occurs, and its weight would be infinite
    if problem == "single" and split == "training":
        counts = np.bincount(data.target.astype(int), minlength=k)
        if not counts.all():
            label = labels[int(counts.argmin())]
            raise DataError(f"{split} set: no text is {label!r}; leave that label out")


def training_key(run: FineTuningRun) -> str:
    """A hash of all that a training must share with an unfinished one to resume it.

    Texts enter it, so that new data of the same size are not mistaken for the old.
    """
    digest = hashlib.sha256()
    names = {"base": run.base.sha256, "labels": run.labels, "version": VERSION}
    digest.update(msgspec.json.encode(asdict(run.settings) | names, order="sorted"))
    for data in (run.train, run.validation):
        columns = (data.first, data.second or [])
        utf8 = [[text.encode("utf-8", "replace") for text in column] for column in columns]
        digest.update(msgspec.json.encode(utf8))
        digest.update(np.ascontiguousarray(data.target, np.float32).tobytes())
    return digest.hexdigest()
