"""The steps of fine-tuning: batches of texts of about one length, loss, gradient, AdamW."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from simpatico.arrays import Ints
from simpatico.errors import DataError
from simpatico.models.runtime.tokens import Encoding
from simpatico.progress import track
from simpatico.training.finetune.start import FineTuningRun, TrainableModel
from simpatico.training.finetune.state import Progress, resume_progress, save_progress

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning, TextDataset


BATCHES_SORTED = 50
"""So many batches' worth of shuffled texts are sorted by length, which saves padding."""
WEIGHT_DECAY = 0.01
MAX_GRADIENT_NORM = 1.0
"""Both as BERT was trained with (Devlin et al. 2019)."""
CHECKPOINT_SECONDS = 300.0
"""After so long a checkpoint is written, besides the one at the end of every epoch."""


@dataclass(frozen=True)
class TokenizedTexts:
    """Texts as token ids, with their targets."""

    encodings: list[Encoding]
    target: Any

    @classmethod
    def of(cls, data: TextDataset, run: FineTuningRun) -> TokenizedTexts:
        import torch

        encodings = run.trainable.encode(data.first, data.second)
        target = torch.from_numpy(np.ascontiguousarray(data.target, np.float32))
        if run.settings.problem == "regression":
            target = target.reshape(len(encodings), -1)
        return cls(encodings, target.long() if run.settings.problem == "single" else target)

    @property
    def lengths(self) -> Ints:
        return np.array([len(encoding.ids) for encoding in self.encodings])


def run_training(run: FineTuningRun, key: str) -> Progress:
    """Resume from the last checkpoint that has this key and train to the last step."""
    import torch

    settings, model = run.settings, run.trainable.model
    train, validation = (TokenizedTexts.of(data, run) for data in (run.train, run.validation))
    weights = class_weights(train.target, settings, model.config.num_labels)
    optimizer = make_optimizer(model)
    progress = resume_progress(run.partial, key, model, optimizer)
    lengths, saved_at = train.lengths, monotonic()
    per_epoch = -(-len(lengths) // settings.batch)
    total = per_epoch * settings.epochs
    with track("fine-tuning", total) as tick:
        tick(progress.step)
        for epoch in range(progress.step // per_epoch, settings.epochs):
            batches = length_batches(lengths, settings.batch, [settings.seed, epoch])
            for batch in batches[progress.step % per_epoch :]:
                # what dropout draws depends on the step alone: a resumed training repeats it
                seed = np.random.default_rng([settings.seed, progress.step]).integers(2**62)
                torch.manual_seed(int(seed))
                model.train()
                loss_sum, weight_sum = batch_loss(run, train, batch, weights)
                loss = loss_sum / weight_sum
                if not torch.isfinite(loss):
                    rate = f"{settings.rate:g}"
                    raise DataError(f"the loss is not finite at learning rate {rate}; lower it")
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRADIENT_NORM)
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate(progress.step, total, settings)
                optimizer.step()
                optimizer.zero_grad()
                progress.step += 1
                tick(1)
                epoch_ends = progress.step % per_epoch == 0
                if epoch_ends:
                    progress.losses.append(validation_loss(run, validation, weights))
                if epoch_ends or monotonic() - saved_at > CHECKPOINT_SECONDS:
                    save_progress(run.partial, progress, model, optimizer)
                    saved_at = monotonic()
    return progress


def make_optimizer(model: Any) -> Any:
    """AdamW with weight decay of matrices alone, not of biases and layer norms.

    Its state is there from the start, so that the first checkpoint has what every other has.
    """
    import torch

    weights = [weight for weight in model.parameters() if weight.requires_grad]
    groups = [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": WEIGHT_DECAY},
        {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
    ]
    # foreach would take all tensors at once, in an order of additions that depends on the device
    optimizer = torch.optim.AdamW([g for g in groups if g["params"]], foreach=False)
    for weight in weights:
        moments = {name: torch.zeros_like(weight) for name in ("exp_avg", "exp_avg_sq")}
        optimizer.state[weight] = {"step": torch.tensor(0.0), **moments}
    return optimizer


def length_batches(lengths: Ints, size: int, seed: Sequence[int]) -> list[Ints]:
    """All indices in random order, but texts of about one length in a batch."""
    rng = np.random.default_rng(list(seed))
    order = rng.permutation(len(lengths))
    batches: list[Ints] = []
    for start in range(0, len(order), size * BATCHES_SORTED):
        part = order[start : start + size * BATCHES_SORTED]
        part = part[np.argsort(lengths[part], kind="stable")]
        batches += [part[at : at + size] for at in range(0, len(part), size)]
    return [batches[index] for index in rng.permutation(len(batches))]


def learning_rate(step: int, total: int, settings: FineTuning) -> float:
    """Linear warm-up from 0 to the rate, then linear decay to 0.

    rate min((t + 1) / w, (T - t) / (T - w), 1) in step t, counted from 0, of T, w of them warm-up.
    """
    warm = settings.warmup * total
    rising = (step + 1) / warm if warm else 1.0
    falling = (total - step) / max(total - warm, 1)
    return settings.rate * min(rising, falling, 1.0)


def validation_loss(run: FineTuningRun, texts: TokenizedTexts, weights: Any) -> float:
    """The mean loss on the validation split."""
    import torch

    run.trainable.model.eval()
    order = np.argsort(texts.lengths, kind="stable")  # batches of about one length: less padding
    total = weight = 0.0
    with torch.inference_mode(), track("checking", len(order)) as tick:
        for start in range(0, len(order), run.settings.batch):
            batch = order[start : start + run.settings.batch]
            loss_sum, weight_sum = batch_loss(run, texts, batch, weights)
            total, weight = total + float(loss_sum), weight + float(weight_sum)
            tick(len(batch))
    return total / weight


def batch_loss(
    run: FineTuningRun, texts: TokenizedTexts, batch: Ints, weights: Any
) -> tuple[Any, Any]:
    """The sum of a batch's losses, and the sum of their weights.

    Cross-entropy with each example weighted by its class, binary cross-entropy of each label by
    itself, or squared error.
    """
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

    inputs = pad_batch([texts.encodings[index] for index in batch], run.trainable)
    logits = run.trainable.model(**inputs).logits
    target = texts.target[batch].to(logits.device)
    if run.settings.problem == "single":
        weight_sum = len(target) if weights is None else weights[target].sum()
        return cross_entropy(logits, target, weight=weights, reduction="sum"), weight_sum
    if run.settings.problem == "regression":
        return ((logits - target) ** 2).sum(), target.numel()
    loss_sum = binary_cross_entropy_with_logits(logits, target, pos_weight=weights, reduction="sum")
    return loss_sum, target.numel()


def pad_batch(encodings: Sequence[Encoding], trainable: TrainableModel) -> dict[str, Any]:
    """Texts as the model takes them, padded to the longest."""
    import torch

    longest = max(len(encoding.ids) for encoding in encodings)
    ids = np.full((len(encodings), longest), trainable.model.config.pad_token_id or 0)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        n = len(encoding.ids)
        ids[row, :n], types[row, :n], mask[row, :n] = encoding.ids, encoding.types, 1
    arrays = {"input_ids": ids, "attention_mask": mask}
    if trainable.segments:
        arrays["token_type_ids"] = types
    return {name: torch.from_numpy(a).to(trainable.model.device) for name, a in arrays.items()}


def class_weights(target: Any, settings: FineTuning, labels: int) -> Any:
    """Weights with which all classes count alike, or of a label its presence and absence.

    n / (k n_c) for class c of k, as scikit-learn balances them; (n - n_l) / n_l for label l.
    """
    import torch

    if not settings.class_weights:
        return None
    if settings.problem == "single":
        counts = torch.bincount(target, minlength=labels)
        return len(target) / (labels * counts.float())
    present = target.sum(dim=0).clamp(min=1)
    return (len(target) - present).clamp(min=1) / present
