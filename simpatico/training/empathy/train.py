"""Train the heads of perceived empathy: one logistic regression a part, over sentence vectors.

Positive are the sentences that express the part, negative all others and a background of unlabelled
sentences. Some of those do express it, so a first fit, without them, drops what it takes for
positive (two-step learning from positive and unlabelled examples; Liu et al. 2003). Both classes
weigh the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from simpatico.arrays import Bools, Floats, Floats32
from simpatico.features import features_for_texts
from simpatico.features.classes import sigmoid
from simpatico.features.embeddings import MINILM, Embeddings, TextEncoder, row_cosines
from simpatico.features.empathy import PARTS, part_scores, perceived_empathy
from simpatico.features.heads.folder import SCHEMA, HeadEvaluation, HeadRecipe, HeadsRecipe
from simpatico.features.heads.head import Head
from simpatico.models.names import find_model
from simpatico.progress import track
from simpatico.stats.bootstrap import DECIMALS
from simpatico.stats.classification import balanced_accuracy, roc_auc, roc_auc_interval
from simpatico.training.card import About, ModelCard, format_result
from simpatico.training.empathy.data import (
    SENTENCES,
    LabelledSentence,
    background_sentences,
    read_sentences,
)
from simpatico.training.empathy.ratings import (
    OVERALL,
    STUDIES,
    Agreement,
    RatedReplies,
    agreement,
    read_study,
)
from simpatico.training.fit.linear import LogisticData, fit_logistic
from simpatico.training.heads.folder import check_heads_folder, describe_head, save_heads
from simpatico.turns import Turns

SCALE, PENALTY, CLASS_WEIGHT = 4.0, 2.0, 250.0
"""Vectors are multiplied by the first; the ridge penalty on their weights; what a class weighs."""
BACKGROUND, BACKGROUND_WEIGHT = 8_000, 2.0
"""Sentences of the background, and what all weigh together, in multiples of the labelled ones."""
TAKEN_FOR_POSITIVE = 0.7
"""Probability from which the first fit drops a background sentence."""
FOLDS = 5
METHOD = (
    f"- each head: logistic regression, ridge penalty {PENALTY:g} on vectors times {SCALE:g}, both "
    "classes weigh the same",
    f"- background sentences to which a first fit gives {TAKEN_FOR_POSITIVE:g} or more are dropped",
    "- the weights of the parts are fixed and fitted to no ratings",
)


@dataclass(frozen=True)
class EmpathySettings:
    """How to train: the labelled sentences, the folder of ratings to compare with, the seed."""

    sentences: Path = SENTENCES
    ratings: Path | None = None
    encoder: str = MINILM
    seed: int = 0


class SentenceVectors(NamedTuple):
    """Vectors of the labelled sentences and of the background, and the labels."""

    labelled: Floats32
    background: Floats32
    part: list[str]

    def positive(self, part: str) -> Bools:
        return np.array([one == part for one in self.part])


def train_empathy(
    sources: Sequence[Turns], out: Path, *, settings: EmpathySettings, about: About
) -> tuple[HeadsRecipe, list[Agreement]]:
    """Train, compare with ratings where there are some, and write the folder."""
    check_heads_folder(out)
    labelled = read_sentences(settings.sentences)
    background = background_sentences(sources, BACKGROUND, settings.seed)
    feature = Embeddings(settings.encoder)
    encoder: TextEncoder = features_for_texts([feature])[feature]
    vectors = encode_sentences(encoder, labelled, background)
    heads = {part: fit_part(vectors, part) for part in PARTS}
    evaluations = {part: cross_validate(vectors, labelled, part, settings.seed) for part in PARTS}
    model = find_model(settings.encoder)
    recipes = {
        part: HeadRecipe(model.name, model.sha256, "mean", ["second"], "tanh", evaluation)
        for part, evaluation in evaluations.items()
    }
    recipe = HeadsRecipe(
        "empathy",
        SCHEMA,
        sum(len(turns.frame["dialog"].unique()) for turns in sources),
        recipes,
        data=about.data,
        licence=about.licence,
        limits=about.limits,
    )
    rated = compare_with_ratings(settings.ratings, heads, encoder) if settings.ratings else []
    facts = {
        "seed": settings.seed,
        "sentences": len(labelled),
        "background": len(background),
        "agreement": [encode_agreement(one) for one in rated],
    }
    about = About(about.data, about.licence, about.command, facts, about.limits)
    card = render_card(recipe, rated, about, (len(labelled), len(background)))
    save_heads(out, recipe, heads, about=about, card=card)
    return recipe, rated


def encode_sentences(
    encoder: TextEncoder, labelled: Sequence[LabelledSentence], background: Sequence[str]
) -> SentenceVectors:
    """Every sentence as a vector, labelled ones first."""
    texts = [*(one.text for one in labelled), *background]
    with track("texts encoded", len(texts)) as tick:
        vectors = encoder.of(texts)
        tick(len(texts))
    n = len(labelled)
    return SentenceVectors(vectors[:n], vectors[n:], [one.part for one in labelled])


def fit_part(vectors: SentenceVectors, part: str, rows: Bools | None = None) -> Head:
    """The head of a part, fitted to all labelled sentences or to some, and to the background."""
    use = np.ones(len(vectors.part), bool) if rows is None else rows
    own, label = vectors.labelled[use], vectors.positive(part)[use]
    first = fit_weights(own, label, np.ones(len(own)))
    background = vectors.background
    if len(background):
        background = background[predict(first, background) < TAKEN_FOR_POSITIVE]
    each = BACKGROUND_WEIGHT * len(own) / max(len(background), 1)
    weights = fit_weights(
        np.concatenate([own, background]),
        np.append(label, np.zeros(len(background), bool)),
        np.append(np.ones(len(own)), np.full(len(background), each)),
    )
    return Head(("second",), ((SCALE * weights[:-1, None], weights[-1:]),))


def fit_weights(vectors: Floats32, label: Bools, weight: Floats) -> Floats:
    """Weights of scaled vectors, and the intercept; each class weighs `CLASS_WEIGHT` in all.

    Positive sentences are rare, and nobody knows how rare in the conversations to be scored.
    """
    share = np.where(label, weight / weight[label].sum(), weight / weight[~label].sum())
    rows = np.column_stack([SCALE * vectors.astype(np.float64), np.ones(len(vectors))])
    data = LogisticData(
        sparse.csr_matrix(rows), label.astype(np.float64), np.asarray(CLASS_WEIGHT * share)
    )
    start = np.zeros(rows.shape[1])
    return fit_logistic(data, start, start, PENALTY)


def predict(weights: Floats, vectors: Floats32) -> Floats:
    """The probability of each row by weights of `fit_weights`."""
    return np.asarray(sigmoid(SCALE * vectors @ weights[:-1] + weights[-1]))


def cross_validate(
    vectors: SentenceVectors, labelled: Sequence[LabelledSentence], part: str, seed: int
) -> HeadEvaluation:
    """How well a head finds labelled sentences that it was not fitted to."""
    positive, n = vectors.positive(part), len(labelled)
    fold = np.random.default_rng(seed).permutation(np.arange(n) % FOLDS)
    score = np.zeros(n)
    for one in range(FOLDS):
        head = fit_part(vectors, part, fold != one)
        rows = vectors.labelled[fold == one]
        score[fold == one] = head.probability(rows, rows)
    label = positive.astype(np.float64)
    words = np.array([float(len(one.text.split())) for one in labelled])
    low, high = roc_auc_interval(score, label, np.arange(n), seed=seed)
    return HeadEvaluation(
        accuracy=round(float(np.mean((score > 0.5) == positive)), DECIMALS),
        auc=round(roc_auc(score, label), DECIMALS),
        plain="number of words",
        plain_auc=round(roc_auc(words, label), DECIMALS),
        n=n,
        dialogs=n,
        balanced=round(balanced_accuracy(score > 0.5, label), DECIMALS),
        low=low,
        high=high,
    )


def compare_with_ratings(
    folder: Path, heads: Mapping[str, Head], encoder: TextEncoder
) -> list[Agreement]:
    """How the scores of each study's conversations follow what people rated."""
    rows = list[Agreement]()
    for study in STUDIES:
        rated = read_study(folder, study)
        scores = np.array([score_conversation(one, heads, encoder) for one in rated])
        words = np.array([np.mean([len(r.split()) for r in one.replies]) for one in rated])
        for at, what in enumerate((OVERALL, *PARTS)):
            if what in study.ratings:
                ratings = np.array([one.ratings[what] for one in rated])
                rows.append(agreement(study.name, what, scores[:, at], ratings, words))
    return rows


def score_conversation(
    one: RatedReplies, heads: Mapping[str, Head], encoder: TextEncoder
) -> Floats:
    """Perceived empathy and its parts, means over the replies."""

    def probability(head: Head, texts: Sequence[str]) -> Floats:
        vectors = encoder.of(texts)
        return head.probability(vectors, vectors)

    scorers: list[Callable[[Sequence[str]], Floats]] = [
        partial(probability, heads[part]) for part in PARTS
    ]
    parts = part_scores(scorers, one.replies)
    cosines = row_cosines(encoder.of(one.replies), encoder.of(one.contexts))
    return np.asarray(np.column_stack([perceived_empathy(parts, cosines), parts]).mean(axis=0))


def encode_agreement(one: Agreement) -> dict[str, object]:
    """A row of the recipe."""
    results = {"rho": one.rho, "partial": one.partial, "length": one.length}
    return {
        "study": one.study,
        "score": one.score,
        **{name: asdict(result) for name, result in results.items()},
    }


def render_card(
    recipe: HeadsRecipe, rated: Sequence[Agreement], about: About, counts: tuple[int, int]
) -> str:
    """The card: what it was trained on, how it follows people it never saw, and its limits."""
    tests = [
        f"| {part} | {e.auc:.3f} [{e.low:.3f}, {e.high:.3f}] | {e.plain_auc:.3f} | {e.n} |"
        for part, e in ((part, head.heldout) for part, head in recipe.heads.items())
    ]
    rows = [
        f"| {one.study} | {one.score.replace('_', ' ')} | {format_result(one.rho)} | "
        f"{format_result(one.partial)} | {format_result(one.length)} | {one.rho.n} |"
        for one in rated
    ]
    people = [
        "",
        "## Results on conversations it never saw",
        "Spearman's rho with ratings by three experts and crowd workers (Kumar et al. 2025), alone "
        "and with the mean number of words of a reply held constant, and that of the number of "
        "words. In brackets: 95% CI.",
        "",
        "| study | rating | rho | rho, length held constant | rho of length | n |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    return ModelCard(
        "Perceived empathy of a reply",
        "Heads for emotional reaction, interpretation and exploration (EPITOME, Sharma et al. "
        "2020) over sentence vectors of a frozen encoder.",
        data=[
            f"- {counts[0]:,} sentences, each labelled with a part of empathy or with none",
            f"- background: {counts[1]:,} sentences of {about.data}",
        ],
        evaluation=[
            "## Cross-validation over the labelled sentences",
            "",
            "| head | AUC, 95% CI | AUC of the number of words | n |",
            "|---|---|---|---|",
            *tests,
            *(people if rated else []),
        ],
        method=[*(f"- {n}: {describe_head(h)}" for n, h in recipe.heads.items()), *METHOD],
        limits=about.limits,
    ).render(about)
