"""The steps of fine-tuning: batches of texts of about one length, loss, and descent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from simpatico.arrays import Ints
from simpatico.errors import DataError
from simpatico.models.runtime.tokens import Pieces
from simpatico.progress import step
from simpatico.training.finetune.start import Start
from simpatico.training.finetune.state import Progress, keep, resume
from simpatico.training.fit.adam import Adam

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning, Labelled, Problem


SPAN = 50
"""Batches' worth of texts that are drawn at random and then sorted by length."""
DECAY = 0.01
LONGEST_GRADIENT = 1.0
EVERY = 300.0
"""Seconds after which what is done is kept, besides the end of every epoch."""


@dataclass(frozen=True)
class Work:
    """What learns, how, and where it is kept what is done; `key` stands for data and settings."""

    start: Start
    how: FineTuning
    partial: Path
    key: str


@dataclass(frozen=True)
class Examples:
    """Texts cut into word pieces, with what is to be said of them."""

    pieces: list[Pieces]
    target: Any

    @classmethod
    def of(cls, given: Labelled, work: Work) -> Examples:
        import torch

        cut = work.start.cut(given.first, given.second)
        target = torch.from_numpy(np.ascontiguousarray(given.target, np.float32))
        if work.how.problem == "regression":
            target = target.reshape(len(cut), -1)
        return cls(cut, target.long() if work.how.problem == "single" else target)

    @property
    def lengths(self) -> Ints:
        return np.array([len(pieces.ids) for pieces in self.pieces])


def train(work: Work, learn: Labelled, check: Labelled) -> Progress:
    """Go on from what is kept to the last step; ends with the weights of the best epoch."""
    known, judge = Examples.of(learn, work), Examples.of(check, work)
    weights = class_weights(known.target, work.how, work.start.model.config.num_labels)
    adam = Adam(work.start.model.named_parameters(), decay=DECAY)
    progress = resume(work.partial, work.key, adam)
    per_epoch = -(-len(known.pieces) // work.how.batch)
    total, kept = per_epoch * work.how.epochs, monotonic()
    with step("fine-tuning", total) as tick:
        tick(progress.step)
        for number, batch in steps(progress.step, known.lengths, work.how):
            seeded(work.how.seed, number)
            slopes(work, known, batch, weights)
            adam.descend(rate_at(number, total, work.how))
            adam.forget()
            progress.step = number + 1
            tick(1)
            ended = progress.step % per_epoch == 0
            if ended:
                progress.losses.append(check_loss(work, judge, weights))
            if ended or monotonic() - kept > EVERY:
                keep(work.partial, progress, adam)
                kept = monotonic()
    return progress


def steps(first: int, lengths: Ints, how: FineTuning) -> Iterator[tuple[int, Ints]]:
    """The steps from this one on, each with the places of its texts."""
    per_epoch = -(-len(lengths) // how.batch)
    for epoch in range(first // per_epoch, how.epochs):
        arranged = batches(lengths, how.batch, [how.seed, epoch])
        for place, batch in enumerate(arranged):
            if (number := epoch * per_epoch + place) >= first:
                yield number, batch


def batches(lengths: Ints, size: int, seed: Sequence[int]) -> list[Ints]:
    """All places in random order, but texts of about one length together."""
    rng = np.random.default_rng(list(seed))
    order = rng.permutation(len(lengths))
    found: list[Ints] = []
    for begin in range(0, len(order), size * SPAN):
        some = order[begin : begin + size * SPAN]
        some = some[np.argsort(lengths[some], kind="stable")]
        found += [some[at : at + size] for at in range(0, len(some), size)]
    return [found[place] for place in rng.permutation(len(found))]


def seeded(seed: int, number: int) -> None:
    """Let what a step draws depend on its number alone, so that it can be taken again."""
    import torch

    torch.manual_seed(int(np.random.default_rng([seed, number]).integers(2**62)))


def rate_at(number: int, total: int, how: FineTuning) -> float:
    """From nothing up to the rate, then straight down to nothing."""
    warm = how.warmup * total
    rising = (number + 1) / warm if warm else 1.0
    falling = (total - number) / max(total - warm, 1)
    return how.rate * min(rising, falling, 1.0)


def slopes(work: Work, known: Examples, batch: Ints, weights: Any) -> None:
    """Leave with every weight the gradient of the batch's loss, cut to its longest."""
    import torch

    model = work.start.model.train()
    total, weight = loss(work, known, batch, weights)
    found = total / weight
    if not torch.isfinite(found):
        raise DataError(
            f"the loss is no longer a number at a rate of {work.how.rate:g}; give a lower one"
        )
    found.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), LONGEST_GRADIENT)


def check_loss(work: Work, judge: Examples, weights: Any) -> float:
    """The mean loss on examples that are not learned from."""
    import torch

    work.start.model.eval()
    order = np.argsort(judge.lengths, kind="stable")
    total = weight = 0.0
    with torch.inference_mode(), step("checking", len(order)) as tick:
        for begin in range(0, len(order), work.how.batch):
            some = order[begin : begin + work.how.batch]
            found, heavy = loss(work, judge, some, weights)
            total, weight = total + float(found), weight + float(heavy)
            tick(len(some))
    return total / weight


def loss(work: Work, examples: Examples, batch: Ints, weights: Any) -> tuple[Any, Any]:
    """The sum of a batch's losses, and the sum of their weights."""
    model = work.start.model
    said = model(**given([examples.pieces[place] for place in batch], work.start)).logits
    target = examples.target[batch].to(said.device)
    found: tuple[Any, Any] = LOSSES[work.how.problem](said, target, weights)
    return found


def given(pieces: Sequence[Pieces], start: Start) -> dict[str, Any]:
    """Texts as a model takes them, the shorter ones filled up."""
    import torch

    most = max(len(p.ids) for p in pieces)
    ids = np.full((len(pieces), most), start.model.config.pad_token_id or 0)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    for row, p in enumerate(pieces):
        ids[row, : len(p.ids)], types[row, : len(p.ids)], mask[row, : len(p.ids)] = (
            p.ids,
            p.types,
            1,
        )
    made = {"input_ids": ids, "attention_mask": mask}
    if start.typed:
        made["token_type_ids"] = types
    return {name: torch.from_numpy(a).to(start.model.device) for name, a in made.items()}


def single(said: Any, target: Any, weights: Any) -> tuple[Any, Any]:
    """Cross-entropy; each example weighs what its class does."""
    from torch.nn.functional import cross_entropy

    heavy = len(target) if weights is None else weights[target].sum()
    return cross_entropy(said, target, weight=weights, reduction="sum"), heavy


def multi(said: Any, target: Any, weights: Any) -> tuple[Any, Any]:
    """Cross-entropy of every label by itself."""
    from torch.nn.functional import binary_cross_entropy_with_logits as entropy

    return entropy(said, target, pos_weight=weights, reduction="sum"), target.numel()


def regression(said: Any, target: Any, weights: Any) -> tuple[Any, Any]:
    """Squared distance."""
    return ((said - target) ** 2).sum(), target.numel()


LOSSES: dict[Problem, Any] = {"single": single, "multi": multi, "regression": regression}


def class_weights(target: Any, how: FineTuning, labels: int) -> Any:
    """What makes all classes count alike, or for labels their absence and presence."""
    import torch

    if not how.class_weights:
        return None
    if how.problem == "single":
        counts = torch.bincount(target, minlength=labels)
        return len(target) / (labels * counts.float())
    present = target.sum(dim=0).clamp(min=1)
    return (len(target) - present).clamp(min=1) / present
