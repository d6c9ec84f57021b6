"""Train heads over frozen vectors: what follows what, and what nobody would say.

No ratings are needed: true replies are separated from replies of other dialogs, and texts from
corrupted ones. The results are of the test split, whose dialogs have no part in training or early
stopping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import AnyFloats, Floats32, Ints
from simpatico.errors import BadValue
from simpatico.features import features_for_texts
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.embeddings import MINILM, row_cosines
from simpatico.features.heads import folder as heads_folder
from simpatico.features.heads.folder import HeadEvaluation, HeadKind, HeadRecipe, HeadsRecipe
from simpatico.features.heads.head import Head
from simpatico.features.likelihood import MaskedLikelihood
from simpatico.features.word_vectors import GLOVE
from simpatico.features.words import cut_words
from simpatico.models.names import find_model
from simpatico.progress import track
from simpatico.stats.bootstrap import DECIMALS
from simpatico.stats.classification import balanced_accuracy, roc_auc, roc_auc_interval
from simpatico.training.card import About
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head
from simpatico.training.heads.data import MIN_WORDS, DialogSplits, TrainingDialogs
from simpatico.training.heads.folder import FEWEST_DIALOGS_OF_WORD, check_heads_folder, save_heads
from simpatico.training.heads.splits import check_both_classes
from simpatico.turns import Turns

COSINE_QUANTILE = 0.05
"""This quantile of cosines of unrelated replies counts as nothing in common."""
LIKELIHOOD_QUANTILES = (0.25, 0.75)
"""Between these quantiles negative log-likelihoods are mapped to 0 to 1."""
MOST_TEXTS = 2_000
"""Training texts of which a masked language model computes the likelihood."""
EXAMPLES = {
    "pairs": "turns that answer another",
    "utterances": f"texts with at least {MIN_WORDS} different words or marks",
}
"""What true examples are made from."""


@dataclass(frozen=True)
class HeadForm:
    """A head to train: its vectors, examples and shape.

    Negatives of `pairs` have another reply; those of `utterances` are corrupted texts.
    """

    encoder: str
    pooling: heads_folder.Pooling
    shape: HeadShape
    examples: Literal["pairs", "utterances"] = "pairs"

    def recipe(
        self, evaluation: HeadEvaluation, grams: CharNgramSettings | None = None
    ) -> HeadRecipe:
        """What a folder says of a head of this form: its encoder, its inputs and its results."""
        model = find_model(self.encoder)
        inputs = (self.pooling, list(self.shape.parts), self.shape.activation)
        return HeadRecipe(model.name, model.sha256, *inputs, evaluation, grams)


NEXT = HeadForm(
    MINILM,
    "mean",
    HeadShape(("first", "second", "product", "difference", "bilinear"), rate=3e-4, decay=0.1),
)
# RUBER: Tao et al. (2018); contextual: Ghazarian et al. (2019); USL-H: Phy et al. (2020)
RUBER = HeadForm(GLOVE, "extremes", HeadShape(("first", "bilinear", "second"), (64,)))
CONTEXTUAL = HeadShape(("first", "second"), (256, 512, 128), "relu", rate=3e-4, decay=0.1, epochs=8)
VALID = HeadForm(MINILM, "max", HeadShape(("first",), (128,), "relu"), "utterances")
FORMS: Mapping[HeadKind, Mapping[str, HeadForm]] = {
    "nsp": {"next": NEXT},
    "ruber": {"unreferenced": RUBER},
    "ctx-ruber": {"unreferenced": HeadForm(MINILM, "mean", CONTEXTUAL)},
    "usl-h": {"valid": VALID, "next": NEXT},
}


@dataclass(frozen=True)
class HeadsSettings:
    """How to train; an empty encoder is the default of the kind."""

    kind: HeadKind
    encoder: str = ""
    seed: int = 0
    likelihood: str = ""
    """For usl-h: a masked language model; if empty, word frequencies are used."""


def train_heads(turns: Turns, out: Path, *, settings: HeadsSettings, about: About) -> HeadsRecipe:
    """Train, evaluate on the test split, and write the folder."""
    check_heads_folder(out)
    dialogs = TrainingDialogs.of(turns, about.data)
    splits = dialogs.split(settings.seed)
    if settings.likelihood and settings.kind != "usl-h":
        raise BadValue(f"{settings.kind} uses no likelihood; leave out --likelihood")
    heads, recipes, cosine_low = dict[str, Head](), dict[str, HeadRecipe](), None
    for name, form in FORMS[settings.kind].items():
        form = replace(form, encoder=settings.encoder or form.encoder)
        heads[name], recipes[name], cosine_low = train_one_head(
            dialogs, splits, form, settings.seed
        )
    likelihood, costs = None, dict[str, float]()
    if settings.kind == "usl-h":
        likelihood, costs = measure_likelihood(dialogs, splits.train, settings)
    low = cosine_low if settings.kind in ("ruber", "ctx-ruber") else None
    n = sum(map(len, splits))
    recipe = HeadsRecipe(settings.kind, heads_folder.SCHEMA, n, recipes, low, likelihood)
    shapes = {name: asdict(FORMS[settings.kind][name].shape) for name in recipes}
    facts = {**asdict(settings), "shapes": shapes}
    save_heads(out, recipe, heads, costs=costs, about=replace(about, training=facts))
    return recipe


def train_one_head(
    dialogs: TrainingDialogs, splits: DialogSplits, form: HeadForm, seed: int
) -> tuple[Head, HeadRecipe, float | None]:
    """A head, its recipe, and the cosine that replies of different dialogs hardly fall below."""
    rng = np.random.default_rng(seed)
    draw = dialogs.pairs if form.examples == "pairs" else dialogs.corrupted_utterances
    examples = [draw(split, rng) for split in splits]
    what = f"{dialogs.source}: true examples"
    check_both_classes(f"{what} ({EXAMPLES[form.examples]})", [one.label for one in examples])
    texts = encode_texts([t for split in examples for t in [*split.first, *split.second]], form)
    # a text of unknown words alone has no vector
    has_vector = ~np.isnan(texts.vectors[:, 0])
    pairs = []
    for split in (split.to_pairs(texts.rows) for split in examples):
        usable = has_vector[split.first] & has_vector[split.second]
        pairs.append(split.take(np.flatnonzero(usable)))
    check_both_classes(f"{what} with known words", [split.label for split in pairs])
    head, recipe = fit_and_evaluate(pairs, texts, form, seed=seed)
    train = pairs[0]
    # true replies against negative ones of the training split: pairs of unrelated replies
    true, other = (train.second[train.label == label] for label in (1, 0))
    n = min(len(true), len(other))
    cosines = row_cosines(texts.vectors[true[:n]], texts.vectors[other[:n]])
    # below 1, since RUBER divides by the distance to it
    low = min(float(np.quantile(cosines, COSINE_QUANTILE)), 1 - 10**-DECIMALS)
    return head, recipe, round(low, DECIMALS)


def fit_and_evaluate(
    splits: Sequence[PairExamples], texts: EncodedTexts, form: HeadForm, *, seed: int
) -> tuple[Head, HeadRecipe]:
    """A head fitted to the training split, and its recipe with the results on the test split."""
    (train, validation, test), vectors = splits, texts.vectors
    with track("epochs", form.shape.epochs) as tick:
        head = fit_head(form.shape, vectors, train, validation, seed=seed, tick=tick)
    first, second = vectors[test.first], vectors[test.second]
    if form.examples == "pairs":
        plain, baseline = "cosine", row_cosines(first, second)
    else:
        names = list(texts.rows)
        counts = cut_words(pl.Series([names[row] for row in test.first], dtype=pl.String)).counts
        plain, baseline = "number of words", counts.astype(np.float64)
    logits = head.logit(head.inputs(first, second))
    return head, form.recipe(evaluate_predictions(logits, test, plain, baseline))


class EncodedTexts(NamedTuple):
    """Distinct texts by their rows in a table of vectors.

    A row of NaN stands for a text without a vector, such as one of unknown words alone.
    """

    rows: dict[str, int]
    vectors: Floats32


def encode_texts(texts: Sequence[str], form: HeadForm) -> EncodedTexts:
    """The vectors of these texts."""
    distinct = dict.fromkeys(texts)
    feature = heads_folder.text_vectors(form.encoder, form.pooling)
    vectors = features_for_texts([feature])[feature].of(list(distinct))
    return EncodedTexts({text: row for row, text in enumerate(distinct)}, vectors)


def evaluate_predictions(
    logits: AnyFloats, test: PairExamples, plain: str, baseline: AnyFloats
) -> HeadEvaluation:
    """The results of logits, and the AUC of a plain baseline of this name.

    The interval resamples dialogs, as examples of one dialog are not independent.
    """
    label, dialogs = test.label, test.dialog_ids
    accuracy = round(float(((logits > 0) == (label > 0)).mean()), DECIMALS)
    aucs = roc_auc(logits, label), plain, roc_auc(baseline, label)
    balanced = balanced_accuracy(logits > 0, label)
    low, high = roc_auc_interval(logits, label, dialogs)
    # NaN, and so no interval, where too few dialogs have examples of both classes
    interval = (low, high) if low <= high else (None, None)
    return HeadEvaluation(accuracy, *aucs, len(label), len(np.unique(dialogs)), balanced, *interval)


def measure_likelihood(
    dialogs: TrainingDialogs, train: Ints, settings: HeadsSettings
) -> tuple[heads_folder.WordCosts, dict[str, float]]:
    """The quartiles of the training texts' negative log-likelihoods, and the cost of each word."""
    mask = np.isin(dialogs.dialog, train)
    texts = [dialogs.texts[row] for row in np.flatnonzero(mask)]
    if settings.likelihood:
        rng = np.random.default_rng(settings.seed)
        sample = [texts[index] for index in np.sort(rng.permutation(len(texts))[:MOST_TEXTS])]
        feature = MaskedLikelihood(settings.likelihood)
        logs = features_for_texts([feature])[feature].of(sample)
        costs, totals = dict[str, float](), np.array([-float(log.sum()) for log in logs])
    else:
        costs = word_costs(texts, dialogs.dialog[mask])
        table = cut_words(pl.Series("text", texts, pl.String))
        each = np.array([costs.get(word, costs[""]) for word in table.vocabulary])
        totals = table.sums(each[:, None])[:, 0]
    # scores are (cost − low) / (high − low), so that the two must differ
    low, high = (round(float(q), DECIMALS) for q in np.quantile(totals, LIKELIHOOD_QUANTILES))
    high = max(high, low + 10**-DECIMALS)
    return heads_folder.WordCosts(settings.likelihood, low, high), costs


def word_costs(texts: list[str], dialog: Ints) -> dict[str, float]:
    """−log p of each word with add-one smoothing, and of the unknown word "".

    Words of few dialogs, such as names, are left out and so cost what an unknown one does.
    """
    table = cut_words(pl.Series("text", texts, pl.String))
    size = len(table.vocabulary)
    counts = np.bincount(table.codes, minlength=size) + 1
    total = counts.sum() + 1
    occurrences = np.stack([table.codes, np.repeat(dialog, np.diff(table.ends))])
    dialogs = np.bincount(np.unique(occurrences, axis=1)[0], minlength=size)
    costs = {
        word: round(float(np.log(total / count)), DECIMALS)
        for word, count, n in zip(table.vocabulary, counts, dialogs, strict=True)
        if n >= FEWEST_DIALOGS_OF_WORD
    }
    return {"": round(float(np.log(total)), DECIMALS), **dict(sorted(costs.items()))}
