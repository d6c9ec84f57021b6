"""Train a head that says how engaging a reply is, and compare it with baselines.

60% of the dialogs are for training, 20% for validation (early stopping) and 20% for the test; where
raters of several dialogs are known, all of one rater are in one split. Labels are rarely balanced,
so both count the same in the loss: a probability of .5 is where the two would be equally likely if
they were equally frequent. With several seeds everything is drawn anew for each; the head of the
first one is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec
import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.errors import BadValue, DataError
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.embeddings import MINILM
from simpatico.features.heads import folder as heads_folder
from simpatico.features.heads.head import Head
from simpatico.models.names import find_model, public_model_name
from simpatico.progress import track
from simpatico.stats.bootstrap import DECIMALS
from simpatico.stats.classification import LabelledPredictions, evaluate_runs
from simpatico.training.card import About
from simpatico.training.engagement import report as engagement_report
from simpatico.training.engagement.baselines import LENGTH, baseline_predictions, reply_lengths
from simpatico.training.engagement.exchanges import EngagementSplits, ExchangeInput, Exchanges
from simpatico.training.engagement.report import OURS, EngagementReport
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card
from simpatico.training.fit.linear import PENALTIES, fit_linear_head
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.train import EncodedTexts, HeadForm, encode_texts

ENGAGING = "engaging"
LABELS = ("not engaging", ENGAGING)
TRANSFER_RATE, TRANSFER_EPOCHS = 1e-4, 50
"""With which a head that was trained already is trained on; slower than one from scratch."""
STEPS_PER_EPOCH, BATCH_SIZES = 30, (8, 256)
"""So that a few hundred labels suffice to train."""
LENGTH_BINS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 21, 30)
"""Fewest words of the replies in each bin but the first; wider where replies are rarer."""

HeadName = Literal["paper", "best"]
PooledBy = Literal["mean", "max"]
# "paper" is the network of Ghazarian et al. (2020); "best" is linear, and adds how near both texts
# are and how they are written
PAPER = HeadShape(("first", "second"), (64, 32, 8), "relu", rate=1e-3)
BEST = HeadShape(("first", "second", "product"), grams=CharNgramSettings())
SHAPES: Mapping[tuple[HeadName, PooledBy], HeadShape] = {
    ("paper", "mean"): PAPER,
    ("paper", "max"): replace(PAPER, rate=1e-2),
    ("best", "mean"): BEST,
    ("best", "max"): BEST,
}


@dataclass(frozen=True)
class EngagementSettings:
    """How to train; `base` is a trained model to start from, which then decides the inputs.

    With `fine_tune` epochs the encoder's own weights are trained, too. Fields are named as the
    recipe of a model has them.
    """

    head: HeadName = "paper"
    pooling: PooledBy = "mean"
    encoder: str = ""
    base: str = ""
    seed: int = 0
    seeds: int = 1
    baselines: bool = False
    fine_tune: int = 0
    level: bool = False
    """Both labels count the same at every length of reply, so that length cannot be learned."""
    limits: tuple[str, ...] = ()
    """Sentences for the card's limits, besides those of all such models."""

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise BadValue(f"{self.seeds} seeds; give 1 or more")
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; give 0 or more")

    @property
    def seed_range(self) -> range:
        return range(self.seed, self.seed + self.seeds)

    @property
    def facts(self) -> dict[str, object]:
        """The settings for the recipe, without paths."""
        models = {"base": self.base, "encoder": self.encoder}
        return asdict(self) | {key: public_model_name(name) for key, name in models.items()}


def train_engagement(
    exchanges: ExchangeInput | Exchanges, out: Path, *, settings: EngagementSettings, about: About
) -> EngagementReport:
    """Train with every seed, evaluate on their test splits, and write the folder of the first."""
    check_heads_folder(out)
    form, base = load_initial_head(settings)
    exchanges = ExchangeInput.of(exchanges).usable()
    texts = encode_exchanges(exchanges.parts, form)
    # a text of unknown words alone has no vector
    has_vector = ~np.isnan(texts.vectors[:, 0])
    exchanges = exchanges.usable(lambda text: bool(has_vector[texts.rows[text]]))
    heads, runs = list[Head](), list[dict[str, LabelledPredictions]]()
    for seed in settings.seed_range:
        splits = exchanges.split(seed)
        train, validation = (
            pair_examples(split, texts.rows, level=settings.level) for split in splits[:2]
        )
        shape = replace(form.shape, batch=batch_size(len(train.label)))
        # a head with n-grams is linear and has no epochs: it is fitted once for each penalty
        steps = shape.epochs if shape.grams is None else len(PENALTIES)
        with track(f"epochs, seed {seed}", steps) as tick:
            head = fit_engagement_head(
                shape, texts, train, validation, seed=seed, base=base, tick=tick
            )
        heads.append(head)
        logits = head_logits(head, texts, splits.test)
        ours = {OURS: splits.test.label_predictions(logits, logits > 0)}
        runs.append(ours | baseline_predictions(splits, seed=seed, trained=settings.baselines))
    # the head of the first seed is kept; the report has means over all of them
    splits = exchanges.split(settings.seed)
    recipe = engagement_recipe(runs[0], splits, form, about, settings)
    report = EngagementReport.of(runs, splits, recipe)
    shape_facts = msgspec.to_builtins(form.shape)
    facts = {**about.training, **settings.facts, "shape": shape_facts, **report.facts}
    about = replace(about, training=facts)
    card = engagement_report.render_engagement_card(report, recipe, about)
    save_heads(out, recipe, {ENGAGING: heads[0]}, about=about, card=card)
    return report


def fine_tune_engagement(
    exchanges: ExchangeInput | Exchanges, out: Path, *, settings: EngagementSettings, about: About
) -> EngagementReport:
    """Fine-tune an encoder that reads query and reply together; otherwise as `train_engagement`."""
    if settings.base and heads_folder.is_heads_folder(settings.base):
        raise BadValue(
            f"{settings.base} is a head over frozen vectors; fine-tuning starts from an encoder or "
            "a fine-tuned model"
        )
    exchanges = ExchangeInput.of(exchanges).usable()
    about = replace(about, training={**about.training, **settings.facts})
    runs = []
    # only the model of the first seed is kept; the others are for the estimate alone
    with TemporaryDirectory() as other:
        for seed in settings.seed_range:
            splits = exchanges.split(seed)
            folder = out if seed == settings.seed else Path(other) / str(seed)
            tuning = FineTuning(
                settings.base or settings.encoder or FineTuning.base,
                epochs=settings.fine_tune,
                class_weights=True,
                seed=seed,
            )
            train, validation = (
                TextDataset(split.query, split.reply, split.label.astype(np.float32))
                for split in splits[:2]
            )
            fine_tune(train, validation, folder, settings=tuning, labels=LABELS, about=about)
            logits = predict_logits(folder, splits.test.query, splits.test.reply)
            # of two classes the difference of logits is the log-odds of the second
            margin = logits[:, 1] - logits[:, 0]
            ours = {OURS: splits.test.label_predictions(margin, margin > 0)}
            runs.append(ours | baseline_predictions(splits, seed=seed, trained=settings.baselines))
    report = EngagementReport.of(runs, exchanges.split(settings.seed))
    results = engagement_report.describe_engagement_results(report)
    shares = engagement_report.describe_share_between_people(report)
    append_to_card(out, "\n".join(["", *results, *shares, ""]))
    return report


def encode_exchanges(parts: Sequence[Exchanges], form: HeadForm) -> EncodedTexts:
    """The vectors of all texts in some exchanges; many queries and replies recur."""
    return encode_texts([text for part in parts for text in (*part.query, *part.reply)], form)


def fit_engagement_head(
    shape: HeadShape,
    texts: EncodedTexts,
    train: PairExamples,
    validation: PairExamples,
    *,
    seed: int,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """A head of this shape; `base` is a head to start from.

    Without character n-grams it is a network fitted by Adam, with them a logistic regression fitted
    by L-BFGS, which thousands of sparse columns need.
    """
    vectors = texts.vectors
    if shape.grams is None:
        return fit_head(shape, vectors, train, validation, seed=seed, base=base, tick=tick)
    names = list(texts.rows)
    return fit_linear_head(
        shape.grams, names, vectors, train, validation, parts=shape.parts, base=base, tick=tick
    )


def head_logits(head: Head, texts: EncodedTexts, exchanges: Exchanges) -> Floats:
    """The logit of each exchange, above 0 for engaging; those of its n-grams are added."""
    first, second = (
        texts.vectors[[texts.rows[text] for text in column]]
        for column in (exchanges.query, exchanges.reply)
    )
    logits = head.logit(head.inputs(first, second)).astype(np.float64)
    if head.grams is None:
        return logits
    return logits + head.grams.logits(exchanges.query, exchanges.reply)


def batch_size(n: int) -> int:
    """Examples a step: about 30 steps an epoch."""
    return int(np.clip(n // STEPS_PER_EPOCH, *BATCH_SIZES))


def load_initial_head(settings: EngagementSettings) -> tuple[HeadForm, Head | None]:
    """The form of head to train, and the trained head to start from; null is random weights."""
    if not settings.base:
        shape = SHAPES[settings.head, settings.pooling]
        return HeadForm(settings.encoder or MINILM, settings.pooling, shape), None
    folder = heads_folder.load_heads(settings.base, "engagement")
    recipe, head = folder.recipe.heads[ENGAGING], folder.heads[ENGAGING]
    if settings.encoder not in ("", recipe.encoder):
        raise BadValue(
            f"{settings.base} was trained with encoder {recipe.encoder!r}, not "
            f"{settings.encoder!r}; leave out --encoder"
        )
    if find_model(recipe.encoder).sha256 != recipe.encoder_sha256:
        raise DataError(
            f"{settings.base} was trained with other weights of {recipe.encoder!r} than those "
            "installed; train it again"
        )
    return HeadForm(recipe.encoder, recipe.pooling, transfer_shape(head)), head


def transfer_shape(head: Head) -> HeadShape:
    """The shape of a trained head, with the hyperparameters to train it on.

    A low rate and more epochs keep it near what it knows already.
    """
    hidden = tuple(matrix.shape[1] for matrix, _ in head.layers[:-1])
    grams = head.grams.form if head.grams else None
    rate, epochs = TRANSFER_RATE, TRANSFER_EPOCHS
    return HeadShape(head.parts, hidden, head.activation, rate, epochs=epochs, grams=grams)


def pair_examples(
    exchanges: Exchanges, rows: Mapping[str, int], *, level: bool = False
) -> PairExamples:
    """Exchanges as rows of a table of vectors, weighted by `exchange_weights`."""
    first, second = (
        np.array([rows[text] for text in texts], np.int64)
        for texts in (exchanges.query, exchanges.reply)
    )
    _, dialog = np.unique(exchanges.dialog, return_inverse=True)
    weight = exchange_weights(exchanges, level=level)
    return PairExamples(first, second, exchanges.label.astype(np.float32), dialog, weight)


def exchange_weights(exchanges: Exchanges, *, level: bool = False) -> Floats32:
    """Weights with which every origin counts the same, and in it both labels.

    Otherwise a model would learn where labels come from. If `level`, both labels count the same
    among replies of about the same length, too; a length that occurs with one label alone gets 0.
    """
    label = exchanges.label
    _, origin = np.unique(exchanges.origin, return_inverse=True)
    bins = np.zeros_like(origin)
    if level:
        bins = np.digitize(reply_lengths(exchanges.reply)[:, 0], LENGTH_BINS)
    cell = origin * (len(LENGTH_BINS) + 1) + bins
    yes, no = np.bincount(cell, label), np.bincount(cell, 1 - label)
    # half the harmonic mean of both counts: a cell's weight is limited by its rarer label
    both = np.divide(yes * no, yes + no, out=np.zeros_like(yes), where=yes * no > 0)
    weight = both[cell] / np.where(label > 0, yes[cell], no[cell])
    total = np.bincount(origin, weight)
    if not total.any():
        raise DataError(
            f"{exchanges.source}: no reply length has both labels; add exchanges, or leave out "
            "--balance-length"
        )
    scale = np.divide(len(exchanges), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(weight * scale[origin] / np.count_nonzero(total), np.float32)


def engagement_recipe(
    runs: Mapping[str, LabelledPredictions],
    splits: EngagementSplits,
    form: HeadForm,
    about: About,
    settings: EngagementSettings,
) -> heads_folder.HeadsRecipe:
    """What a reader of the folder must know of the head that is kept, that of the first seed."""
    ours, length = (evaluate_runs(name, [runs[name]]) for name in (OURS, LENGTH))
    accuracy = round(float((runs[OURS].predicted == runs[OURS].label).mean()), DECIMALS)
    aucs = ours.auc.numbers[0], LENGTH, length.auc.numbers[0]
    balanced, interval = ours.balanced_accuracy.value, (ours.auc.low, ours.auc.high)
    evaluation = heads_folder.HeadEvaluation(
        accuracy, *aucs, ours.n, splits.test.dialogs, balanced, *interval
    )
    return heads_folder.HeadsRecipe(
        "engagement",
        heads_folder.SCHEMA,
        sum(split.dialogs for split in splits),
        {ENGAGING: form.recipe(evaluation, form.shape.grams)},
        data=about.data,
        licence=about.licence,
        limits=(*engagement_report.LIMITS, *settings.limits),
    )
