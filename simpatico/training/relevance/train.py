"""Train a model of whether a reply fits what it answers, from dialogs and negative replies.

This is the unreferenced part of contextual RUBER (Ghazarian et al. 2019): nobody has to rate
anything. The results are of the test split, with negatives of the same kinds as in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from simpatico.errors import BadValue
from simpatico.features.embeddings import MINILM, row_cosines
from simpatico.features.heads.folder import SCHEMA, HeadEvaluation, HeadsRecipe, Pooling
from simpatico.stats.classification import roc_auc
from simpatico.training.card import About
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card
from simpatico.training.fit.mlp import PairExamples
from simpatico.training.heads import train as heads_train
from simpatico.training.heads.data import TrainingDialogs
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.splits import check_both_classes
from simpatico.training.relevance.negatives import KINDS, NegativeMix, NegativeSampler, TruePairs
from simpatico.turns import Turns
from simpatico.wording import format_interval

# product, difference and bilinear form let a linear layer compare the two texts
SHAPE = heads_train.NEXT.shape
LABELS = ("not relevant", "relevant")


@dataclass(frozen=True)
class RelevanceSettings:
    """How to train: over which vectors, and against which negatives.

    An empty encoder is the default; with `fine_tune` epochs its own weights are trained, too.
    """

    encoder: str = ""
    pooling: Pooling = "mean"
    mix: NegativeMix = field(default_factory=NegativeMix)
    fine_tune: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; give 0 or more")


@dataclass(frozen=True)
class RelevanceExamples:
    """True and negative pairs of the three splits, with the vectors that decide what is near.

    Fine-tuning uses the same pairs, so that its results can be compared with those of a head.
    """

    form: heads_train.HeadForm
    dialogs: int
    texts: heads_train.EncodedTexts
    samplers: Sequence[NegativeSampler]
    splits: Sequence[PairExamples]

    @classmethod
    def of(cls, data: TrainingDialogs, settings: RelevanceSettings) -> RelevanceExamples:
        form = heads_train.HeadForm(settings.encoder or MINILM, settings.pooling, SHAPE)
        dialogs, rng = data.split(settings.seed), np.random.default_rng(settings.seed)
        texts = heads_train.encode_texts(data.paired_texts, form)
        samplers = [
            NegativeSampler(TruePairs.of(data, split, *texts), texts.vectors, rng)
            for split in dialogs
        ]
        splits = [sampler.sample(settings.mix) for sampler in samplers]
        what = f"{data.source}: pairs for which there is a negative"
        check_both_classes(what, [split.label for split in splits])
        return cls(form, sum(map(len, dialogs)), texts, samplers, splits)


def train_relevance(
    turns: Turns, out: Path, *, settings: RelevanceSettings, about: About
) -> HeadsRecipe:
    """Train a head, evaluate on the test split, and write the folder.

    The recipe's `areas` are the AUCs against each kind of negative by itself.
    """
    check_heads_folder(out)
    examples = RelevanceExamples.of(TrainingDialogs.of(turns, about.data), settings)
    splits, texts, form = examples.splits, examples.texts, examples.form
    head, head_recipe = heads_train.fit_and_evaluate(splits, texts, form, seed=settings.seed)
    recipe = HeadsRecipe("relevance", SCHEMA, examples.dialogs, {"relevant": head_recipe})
    # whatever mix was trained on
    aucs, sampler, vectors = dict[str, float](), examples.samplers[2], texts.vectors
    for kind, name in enumerate(KINDS):
        pairs = sampler.with_negatives(np.full(len(sampler.pairs.first), kind))
        if len(pairs.label):
            logits = head.logit(head.inputs(vectors[pairs.first], vectors[pairs.second]))
            aucs[name] = roc_auc(logits, pairs.label)
    facts = {**asdict(settings), "shape": asdict(SHAPE), "areas": aucs}
    save_heads(out, recipe, {"relevant": head}, about=replace(about, training=facts))
    return recipe


def fine_tune_relevance(
    turns: Turns, out: Path, *, settings: RelevanceSettings, about: About
) -> HeadEvaluation:
    """Fine-tune an encoder that reads query and reply together, evaluate, and write the folder."""
    examples = RelevanceExamples.of(TrainingDialogs.of(turns, about.data), settings)
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
    vectors, pairs = examples.texts.vectors, examples.splits[2]
    cosines = row_cosines(vectors[pairs.first], vectors[pairs.second])
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
