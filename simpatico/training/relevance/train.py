"""Train a model of whether a reply fits what it answers, from dialogs and negative replies.

This is the unreferenced part of contextual RUBER (Ghazarian et al. 2019): nobody has to rate
anything. The results are of the test split, with negatives of the same kinds as in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from simpatico.arrays import Floats, Floats32, Ints
from simpatico.errors import BadValue
from simpatico.features.embeddings import MINILM, row_cosines
from simpatico.features.heads.folder import SCHEMA, HeadEvaluation, HeadsRecipe, Pooling
from simpatico.features.heads.head import Head
from simpatico.progress import track
from simpatico.stats.classification import roc_auc
from simpatico.training.card import About
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card
from simpatico.training.fit.linear import LogisticData, fit_logistic
from simpatico.training.fit.mlp import PairExamples, fit_head
from simpatico.training.heads import train as heads_train
from simpatico.training.heads.data import TrainingDialogs
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.splits import Splits, check_both_classes
from simpatico.training.relevance.negatives import KINDS, NegativeMix, NegativeSampler, TruePairs
from simpatico.turns import Turns
from simpatico.wording import format_interval

# a hidden layer, since likeness helps only up to a point: what repeats the query is no reply to it
SHAPE = replace(heads_train.NEXT.shape, hidden=(64,), rate=1e-4, decay=0.3)
LINEAR_RANGE = 1e-3
"""Cosines times this are in the range in which tanh x = x to seven digits."""
LABELS = ("not relevant", "relevant")


@dataclass(frozen=True)
class RelevanceSettings:
    """How to train: over which vectors, and against which negatives.

    An empty encoder is the default; with `fine_tune` epochs its own weights are trained, too.
    """

    encoder: str = ""
    pooling: Pooling = "mean"
    mix: NegativeMix = field(default_factory=NegativeMix)
    cosine: float = 0.25
    """Weight of the cosine beside the network, both in standard deviations; see `add_cosine`."""
    people: bool = False
    """Only what people replied is a true reply; what bots replied may be none."""
    fine_tune: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; give 0 or more")
        if self.cosine < 0:
            raise BadValue(f"a weight of {self.cosine} for the cosine; give 0 or more")


@dataclass(frozen=True)
class RelevanceExamples:
    """True and negative pairs of the three splits, with the vectors that decide what is near.

    Fine-tuning uses the same pairs, so that its results can be compared with those of a head.
    """

    form: heads_train.HeadForm
    dialogs: int
    texts: heads_train.EncodedTexts
    samplers: Sequence[Splits[NegativeSampler]]
    """One of each split for every corpus: a reply of another corpus would be told by its style."""
    splits: Splits[PairExamples]

    @classmethod
    def of(
        cls, corpora: Sequence[Turns], source: str, settings: RelevanceSettings
    ) -> RelevanceExamples:
        data = [TrainingDialogs.of(turns, source, people=settings.people) for turns in corpora]
        form = heads_train.HeadForm(settings.encoder or MINILM, settings.pooling, SHAPE)
        texts = heads_train.encode_texts([text for own in data for text in own.paired_texts], form)
        rng, samplers = np.random.default_rng(settings.seed), []
        for own in data:
            pairs = [TruePairs.of(own, split, *texts) for split in own.split(settings.seed)]
            samplers.append(Splits(*(NegativeSampler(p, texts.vectors, rng) for p in pairs)))
        splits = Splits(
            *(
                concatenate_pairs([sampler.sample(settings.mix) for sampler in same_split])
                for same_split in zip(*samplers, strict=True)
            )
        )
        what = f"{source}: pairs for which there is a negative"
        check_both_classes(what, [split.label for split in splits])
        dialogs = sum(len(np.unique(own.dialog[own.query >= 0])) for own in data)
        return cls(form, dialogs, texts, samplers, splits)


def concatenate_pairs(parts: Sequence[PairExamples]) -> PairExamples:
    """The pairs of all corpora, whose dialogs get numbers of their own."""
    dialogs, n = list[Ints](), 0
    for part in parts:
        dialogs.append(part.dialog_ids + n)
        n += int(part.dialog_ids.max(initial=-1)) + 1
    first, second, label = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("first", "second", "label")
    )
    return PairExamples(first, second, label, np.concatenate(dialogs))


def train_relevance(
    corpora: Sequence[Turns], out: Path, *, settings: RelevanceSettings, about: About
) -> HeadsRecipe:
    """Train a head, evaluate on the test split, and write the folder.

    The recipe's `areas` are the AUCs against each kind of negative by itself.
    """
    check_heads_folder(out)
    examples = RelevanceExamples.of(corpora, about.data, settings)
    (train, validation, test), vectors = examples.splits, examples.texts.vectors
    with track("epochs", SHAPE.epochs) as tick:
        head = fit_head(SHAPE, vectors, train, validation, seed=settings.seed, tick=tick)
    head = add_cosine(head, vectors, validation, settings.cosine)
    results = heads_train.evaluate_predictions(
        pair_logits(head, vectors, test), test, "cosine", pair_cosines(vectors, test)
    )
    # against each kind of negative by itself, whatever mix was trained on
    aucs, samplers = dict[str, float](), [own.test for own in examples.samplers]
    for kind, name in enumerate(KINDS):
        pairs = concatenate_pairs(
            [own.with_negatives(np.full(len(own.pairs.first), kind)) for own in samplers]
        )
        if len(pairs.label):
            aucs[name] = roc_auc(pair_logits(head, vectors, pairs), pairs.label)
    heads = {"relevant": examples.form.recipe(results)}
    recipe = HeadsRecipe("relevance", SCHEMA, examples.dialogs, heads, limits=about.limits)
    facts = {**asdict(settings), "shape": asdict(SHAPE), "areas": aucs}
    save_heads(out, recipe, {"relevant": head}, about=replace(about, training=facts))
    return recipe


def add_cosine(head: Head, vectors: Floats32, validation: PairExamples, weight: float) -> Head:
    """The head with logit a (z + weight · sd(z) / sd(cos) · cos) + b, for z the logit it had.

    What the encoder knows of meaning from far more texts outweighs some of what a small training
    set teaches. a and b are fitted to the validation split (Platt 1999), so that it stays a
    probability. The cosine comes in by one more hidden unit, in the linear range of tanh.
    Example: sd(z) = 2, sd(cos) = .2 and weight .5 make the logit a (z + 5 cos) + b.
    """
    from scipy import sparse

    logits, cosines = pair_logits(head, vectors, validation), pair_cosines(vectors, validation)
    slope = weight * float(logits.std()) / max(float(cosines.std()), 1e-6)
    column = sparse.csr_matrix((logits + slope * cosines)[:, None])
    start = np.array([1.0, 0.0])
    data = LogisticData.from_columns([column], validation)
    scale, offset = fit_logistic(data, start, start, 0.0)
    (matrix, shift), (last, bias) = head.layers
    width = vectors.shape[1]
    unit = np.zeros((len(matrix), 1))
    begin = head.parts.index("product") * width
    unit[begin : begin + width] = LINEAR_RANGE
    layers = (
        (np.hstack([matrix, unit]), np.append(shift, 0.0)),
        (np.vstack([last, [[slope / LINEAR_RANGE]]]) * scale, bias * scale + offset),
    )
    return replace(head, layers=layers)


def pair_logits(head: Head, vectors: Floats32, pairs: PairExamples) -> Floats:
    """The logit of each pair."""
    inputs = head.inputs(vectors[pairs.first], vectors[pairs.second])
    return np.asarray(head.logit(inputs), np.float64)


def pair_cosines(vectors: Floats32, pairs: PairExamples) -> Floats:
    """The cosine of each pair."""
    return row_cosines(vectors[pairs.first], vectors[pairs.second])


def fine_tune_relevance(
    corpora: Sequence[Turns], out: Path, *, settings: RelevanceSettings, about: About
) -> HeadEvaluation:
    """Fine-tune an encoder that reads query and reply together, evaluate, and write the folder."""
    examples = RelevanceExamples.of(corpora, about.data, settings)
    texts = list(examples.texts.rows)
    train, validation, test = (
        TextDataset(
            [texts[row] for row in pairs.first], [texts[row] for row in pairs.second], pairs.label
        )
        for pairs in examples.splits
    )
    base = settings.encoder or FineTuning.base
    tuning = FineTuning(base, epochs=settings.fine_tune, seed=settings.seed)
    about = replace(about, training=asdict(settings))
    fine_tune(train, validation, out, settings=tuning, labels=LABELS, about=about)
    logits = predict_logits(out, test.first, test.second)
    pairs = examples.splits.test
    cosines = pair_cosines(examples.texts.vectors, pairs)
    margin = logits[:, 1] - logits[:, 0]
    results = heads_train.evaluate_predictions(margin, pairs, "cosine", cosines)
    append_to_card(
        out,
        "\n## Results on the test set\n"
        f"- AUC {results.auc:.3f} {format_interval(results.low, results.high, 3)} (bootstrap over "
        f"dialogs); {results.plain} alone: {results.plain_auc:.3f}; "
        f"balanced accuracy {results.balanced:.3f}\n"
        f"- {results.n:,} pairs of {results.dialogs:,} dialogs, half of them negatives\n",
    )
    return results
