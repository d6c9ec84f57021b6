"""MAUVE: how near the texts of a system are to those of people, all in all (Pillutla et al. 2021).

Texts of both sides become vectors, the vectors clusters, and each side the shares of its texts that
fall into them, p for people and q for the system. For mixtures r = wp + (1 - w)q of the two, the
points (exp(-c KL(q|r)), exp(-c KL(p|r))) make a curve from (1, 0) to (0, 1), and MAUVE is the area
under it: 1 where both sides have the same shares, near 0 where they share no cluster.
Example: p = (1/2, 1/2), q = (1/2, 1/2): the curve goes by (1, 1), and the area is 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Floats32
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings, TokenEmbeddings
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.jackknife import (
    MIN_DIALOGS,
    draw_halves,
    sampling_ranks,
    summary_row,
    summary_table,
)
from simpatico.metrics._shared.kmeans import kmeans_labels
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.parameters import MAX_SEED, bounded, check_parameters
from simpatico.turns import Turns

# the first six are defaults of mauve-text: `compute_mauve`
STARTS, ROUNDS = 5, 500
EXPLAINED_VARIANCE = 0.9
"""That the dimensions which are clustered keep."""
MIXTURES, SCALING = 25, 5.0
"""Points on the curve, and the c of the paper."""
TEXTS_A_CLUSTER = 10
DECIMALS = 5
"""To which points are rounded before they are clustered."""
SMOOTHING = 0.5
"""Texts added to every cluster of both sides (Pillutla et al. 2023), in mauve_star."""
DRAWS = 999
"""Halves of the dialogs that the interval is made from."""


@dataclass(frozen=True)
class Mauve(ModelMetric):
    """Parameters: `model`, an encoder (GPT-2 large for the published scores); `people`, the system
    whose turns stand for people where there are no references; `minimum` of texts on a side; `most`
    turns of a system that are read, drawn by `seed`.
    """

    model: str = MINILM
    people: str = "human"
    minimum: int = bounded(100, 2, 10**5)
    most: int = bounded(5_000, 2, 10**5)
    seed: int = bounded(25, 0, MAX_SEED)

    name = Carried("mauve")
    published = ("hub:openai-community/gpt2-large", "hub:gpt2-large")
    level = "system"
    card = Card(
        about="How close the distribution of a system's texts is to that of human texts.",
        undefined="Null when a side has fewer than `minimum` texts, or there are no texts of "
        "people: the first reference of each turn or, where no turn has any, the turns of the "
        "system named by `people`. Empty texts are left out, and beyond `most` turns of a system "
        "a sample of them is read.",
        citation="Pillutla et al. 2021 (NeurIPS), 2023 (JMLR 24:356); github.com/krishnap25/mauve, "
        "whose figures are with the last hidden state of GPT-2 large (hub:openai-community/"
        "gpt2-large); as mauve-text 0.4 with faiss 1.15",
        kind="traditional",
        language=None,
        careful="It moves with the number of texts and with the encoder: compare systems with "
        "about as many turns, of one run; the interval takes the clusters as given, and there is "
        f"none where a side has fewer than {MIN_DIALOGS} dialogs.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.most < self.minimum:
            raise BadValue(f"mauve.most is {self.most}; it is at least minimum, {self.minimum}")

    @property
    def needs(self) -> tuple[Feature, ...]:
        if self.model in self.published:
            return (TokenEmbeddings(self.model),)
        return (Embeddings(self.model),)

    @property
    def scores(self) -> tuple[Score, ...]:
        star = f"mauve_star{self.name.removeprefix('mauve')}"
        texts = "texts of the system beside texts of people"
        return (
            self.score(
                "",
                pl.col(self.name),
                f"area under the divergence curve of {texts}",
                "writes texts (closer in distribution to|farther in distribution from) human texts",
                title="MAUVE",
            ),
            self.score(
                "_star",
                pl.col(star),
                "the same with half a text added to every cluster of both sides",
                "writes texts (nearer, by smoothed MAUVE, to|farther, by smoothed MAUVE, from) "
                "those of people",
                title="MAUVE, smoothed",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        references = [
            next((text for text in texts or () if text.strip()), "")
            for texts in turns.frame["references"].to_list()
        ]
        texts = [
            text if scored else ""
            for text, scored in zip(turns.frame["text"], turns.scored, strict=True)
        ]
        return pl.DataFrame(
            {
                "said": self._vectors(texts, features),
                "meant": self._vectors(references, features),
                "rank": sampling_ranks(turns.frame.select("dialog", "turn"), self.seed),
            }
        )

    def _vectors(self, texts: list[str], features: Features) -> pl.Series:
        """A vector for each text, null for an empty one."""
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if not rows:
            return pl.Series([None] * len(texts), dtype=pl.List(pl.Float32))
        vectors = features[self.needs[0]].of([texts[row] for row in rows])
        if self.model in self.published:  # the hidden state of the last token, as was published
            vectors = np.stack([tokens.vectors[-1] for tokens in vectors])
        # -1 becomes null, and null gathers null
        index = np.full(len(texts), -1)
        index[rows] = np.arange(len(rows))
        kind = pl.Array(pl.Float32, vectors.shape[1])
        return (
            pl.Series(vectors, dtype=kind).arr.to_list().gather(pl.Series(index).replace(-1, None))
        )

    def sample(self, material: pl.DataFrame) -> pl.DataFrame:
        """Of each system at most so many turns that say something, drawn by their rank."""
        rows = material.filter(pl.col("said").is_not_null()).sort("rank", "dialog", "turn")
        return rows.group_by("system", maintain_order=True).head(self.most).select(material.columns)

    def summary(self, material: pl.DataFrame, *, seed: int) -> pl.DataFrame:
        systems = material["system"].unique().sort()
        return summary_table(self.scores, [self._row(name, material, seed) for name in systems])

    def _row(self, system: str, material: pl.DataFrame, seed: int) -> dict[str, Any]:
        own, theirs, reason = self._sides(system, material)
        if reason:
            return {"system": system, "reason": reason}
        # mauve-text clusters with its seed plus 2, and only so do its scores come out
        q, p = cluster_histograms(own, theirs, seed + 2)
        values = np.array(plain_and_smoothed(p.sum(0), q.sum(0))).tolist()
        sizes = own["dialog"].n_unique(), theirs["dialog"].n_unique()
        halves = np.zeros((len(values), 0))
        if min(sizes) >= MIN_DIALOGS:
            halves = np.stack(plain_and_smoothed(*half_histograms(p, q, seed)))
        return summary_row(system, self.scores, values, halves, *sizes)

    def _sides(
        self, system: str, material: pl.DataFrame
    ) -> tuple[pl.DataFrame, pl.DataFrame, str | None]:
        """Texts of the system, texts of people, and why they cannot be compared, if they cannot."""
        own, vector = material.filter(pl.col("system") == system), pl.col("said").alias("vector")
        if material["meant"].null_count() < material.height:
            own = own.filter(pl.col("meant").is_not_null())
            theirs = own.select("dialog", vector=pl.col("meant"))
            reason = "no_reference" if own.is_empty() else None
        else:
            people = material.filter(pl.col("system") == self.people)
            theirs = people.select("dialog", vector)
            reason = "no_reference" if people.is_empty() else None
            reason = "is_the_reference" if system == self.people else reason
        fewest = min(own.height, theirs.height)
        if reason is None and fewest < self.minimum:
            reason = f"too_few_turns ({fewest} of {self.minimum})"
        return own.select("dialog", vector), theirs, reason


def cluster_histograms(own: pl.DataFrame, theirs: pl.DataFrame, seed: int) -> tuple[Floats, Floats]:
    """How many texts of each dialog fall into each cluster: the system's, and people's."""
    q, p = (np.stack(list(side["vector"].to_numpy())) for side in (own, theirs))
    clusters = max(2, round(min(len(p), len(q)) / TEXTS_A_CLUSTER))
    points = reduce_dimensions(np.vstack([q, p]))
    labels = kmeans_labels(points, clusters, starts=STARTS, rounds=ROUNDS, seed=seed)
    dialogs = pl.concat([own["dialog"], theirs["dialog"]])
    codes = dialogs.rank("dense").to_numpy().astype(np.int64) - 1
    # one code for each dialog and cluster, so that a bincount is the whole table
    cells, size = codes * clusters + labels, (int(codes.max()) + 1) * clusters
    ours, others = (
        np.bincount(side, minlength=size).reshape(-1, clusters).astype(float)
        for side in (cells[: len(q)], cells[len(q) :])
    )
    return ours, others


def half_histograms(p: Floats, q: Floats, seed: int) -> tuple[Floats, Floats]:
    """Histograms of halves of each side's dialogs, of the same half where they share them all."""
    theirs, ours = (np.flatnonzero(side.sum(1)) for side in (p, q))
    stream = 0 if np.array_equal(theirs, ours) else 1
    return (
        draw_halves(len(theirs), DRAWS, seed, stream) @ p[theirs],
        draw_halves(len(ours), DRAWS, seed) @ q[ours],
    )


def reduce_dimensions(vectors: Floats32) -> Floats32:
    """PCA of the vectors made 1 long: the fewest dimensions that keep 90% of their variance."""
    rows = vectors.astype(np.float64)
    rows /= np.maximum(np.sqrt((rows**2).sum(1, keepdims=True)), 1e-12)
    rows -= rows.mean(0)
    values, axes = np.linalg.eigh(rows.T @ rows)
    variance = np.cumsum(np.maximum(values[::-1], 0))
    width = int(np.argmax(variance >= EXPLAINED_VARIANCE * variance[-1])) + 1
    # rounded, so that the last bits of the axes, which differ by machine, decide nothing
    return np.asarray(np.round(rows @ axes[:, ::-1][:, :width], DECIMALS), np.float32)


def plain_and_smoothed(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """MAUVE of two histograms, or of rows of them, plain and smoothed; NaN where one is empty."""
    empty = (p.sum(-1) == 0) | (q.sum(-1) == 0)
    p, q = (np.where(empty[..., None], np.nan, side) for side in (p, q))
    return divergence_area(p, q), divergence_area(p + SMOOTHING, q + SMOOTHING)


def divergence_area(p: Floats, q: Floats) -> Floats:
    """The area under the divergence curve of two histograms."""
    p, q = (side / side.sum(-1, keepdims=True) for side in (p, q))
    weights = np.linspace(1e-6, 1 - 1e-6, MIXTURES)
    mixtures = [w * p + (1 - w) * q for w in weights]

    def coordinates(divergences: Iterable[Any]) -> Floats:
        rows = [np.broadcast_to(divergence, p.shape[:-1]) for divergence in divergences]
        return np.exp(-SCALING * np.stack(rows))

    x = coordinates([0.0, *(kl_divergence(q, r) for r in mixtures), np.inf])
    y = coordinates([np.inf, *(kl_divergence(p, r) for r in mixtures), 0.0])
    # the mean of the areas over either axis, so that neither side is preferred
    return np.asarray((np.trapezoid(y, -x, axis=0) - np.trapezoid(x, -y, axis=0)) / 2)


def kl_divergence(p: Floats, r: Floats) -> Floats:
    """KL(p | r) = sum of p log(p / r), where the mixture r has all that p has."""
    positive = p > 0
    ratio = np.where(positive, p, 1.0) / np.where(positive, r, 1.0)
    return np.asarray((p * np.log(ratio)).sum(-1))
