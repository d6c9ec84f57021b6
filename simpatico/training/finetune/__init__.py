"""Fine-tune a pretrained encoder into a classifier of texts or of pairs of texts.

All weights learn, in 32-bit precision: AdamW, a rate that warms up and then falls to nothing,
gradients cut at length 1. What is kept is the epoch whose loss on `check` is least. What is done so
far lies in `OUT.partial`; the same call goes on from there and ends at the same weights, bit for
bit, on as many threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from simpatico.arrays import Floats32
from simpatico.errors import BadValue, DataError
from simpatico.files import lock_folder
from simpatico.models.names import Model, find_model
from simpatico.models.runtime.threads import threads
from simpatico.models.runtime.torch_backend import library
from simpatico.training.card import About

Problem = Literal["single", "multi", "regression"]
PROBLEMS = ("single", "multi", "regression")
VERSION = 1


@dataclass(frozen=True)
class Labelled:
    """Texts or pairs of texts, and what is to be said of each.

    That is the number of its class (single), 0 or 1 for every label (multi), or one number or
    several (regression).
    """

    first: list[str]
    second: list[str] | None
    target: Floats32

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class FineTuning:
    """What is fine-tuned, and how; `tokens` are marks in the texts that get a vector of their own.

    A base that already has a layer of classes of the same size goes on from it.
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
class Tuned:
    """The folder that was written, the loss on `check` after each epoch, and which was kept."""

    folder: Path
    losses: tuple[float, ...]
    epoch: int
    """Counted from 1."""


def fine_tune(
    learn: Labelled,
    check: Labelled,
    out: Path,
    *,
    how: FineTuning,
    labels: tuple[str, ...],
    about: About,
) -> Tuned:
    """Fine-tune, and write a folder that `ClassProbabilities("path:OUT")` takes."""
    from simpatico.training.finetune import folder as finetune_folder
    from simpatico.training.finetune import loop as finetune_loop
    from simpatico.training.finetune import start as finetune_start

    examined(learn, how.problem, labels, "to learn from")
    examined(check, how.problem, labels, "to check by")
    if (learn.second is None) != (check.second is None):
        raise BadValue("the texts to learn from and to check by are pairs, or neither are")
    finetune_folder.check_finetuned_folder(out)
    base = find_model(how.base)
    library(base)
    partial = out.absolute().with_name(f"{out.name}.partial")
    with lock_folder(partial), apart():
        start = finetune_start.start(base, how, labels)
        work = finetune_loop.Work(start, how, partial, key(learn, check, how, labels, base))
        kept = finetune_loop.train(work, learn, check)
        told = finetune_folder.TrainingRecord(
            base, how, labels, kept, (len(learn), len(check)), about
        )
        finetune_folder.publish_finetuned(out, partial, start, told)
    return Tuned(out, tuple(kept.losses), kept.epoch)


@contextmanager
def apart() -> Iterator[None]:
    """Leave torch's random numbers and number of threads to others as they were."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads())
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(before)


def examined(given: Labelled, problem: Problem, labels: tuple[str, ...], what: str) -> None:
    """Refuse examples that do not fit together or with the labels."""
    n, k = len(given.first), len(labels)
    if not n or not k:
        raise DataError(f"{n} texts {what} and {k} labels; fine-tuning needs some of both")
    sizes = {n, len(given.target)} | ({len(given.second)} if given.second is not None else set())
    shapes: dict[Problem, list[tuple[int, ...]]] = {
        "single": [(n,)],
        "multi": [(n, k)],
        "regression": [(n,), (n, 1)] if k == 1 else [(n, k)],
    }
    if len(sizes) > 1 or given.target.shape not in shapes[problem]:
        second = "" if given.second is None else f", {len(given.second)} second ones"
        raise DataError(
            f"{n} texts {what}{second} and targets of shape {given.target.shape}; "
            f"{problem!r} with {k} labels needs {shapes[problem][0]}"
        )
    low, high = float(np.min(given.target)), float(np.max(given.target))
    whole = problem != "single" or bool((given.target == np.round(given.target)).all())
    top = {"single": k - 1, "multi": 1}.get(problem, np.inf)
    within = problem == "regression" or (low >= 0 and high <= top)
    if not np.isfinite(given.target).all() or not whole or not within:
        raise DataError(f"targets {what} from {low:g} to {high:g}; {WANTED[problem].format(k - 1)}")
    if problem == "single" and what == "to learn from":
        counts = np.bincount(given.target.astype(int), minlength=k)
        if not counts.all():
            raise DataError(
                f"no text {what} is {labels[int(counts.argmin())]!r}; leave that label out"
            )


WANTED: dict[Problem, str] = {
    "single": "a class is a whole number from 0 to {}",
    "multi": "a label is there (1), not there (0), or in between",
    "regression": "they are finite numbers",
}


def key(
    learn: Labelled, check: Labelled, how: FineTuning, labels: tuple[str, ...], base: Model
) -> str:
    """What a training must share with an unfinished one to go on from it."""
    digest = hashlib.sha256()
    settings = {**asdict(how), "base": base.sha256, "labels": labels, "version": VERSION}
    digest.update(msgspec.json.encode(settings, order="sorted"))
    for side in (learn, check):
        texts = [side.first, side.second or []]
        digest.update(
            msgspec.json.encode([[t.encode("utf-8", "replace") for t in some] for some in texts])
        )
        digest.update(np.ascontiguousarray(side.target, np.float32).tobytes())
    return digest.hexdigest()
