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
from typing import Any, ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Floats32
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings, TokenEmbeddings
from simpatico.metric import Card, Carried, OnModels, Score, mark
from simpatico.metrics._shared.halves import LEAST, around, halves, ranks
from simpatico.metrics._shared.kmeans import clustered
from simpatico.turns import Level, Turns

STARTS, ROUNDS = 5, 500
EXPLAINED = 0.9
"""Of the variance, that the clustered dimensions keep."""
POINTS, SHARPNESS = 25, 5.0
"""Mixtures on the curve, and the c of the paper."""
DECIMALS = 5
"""Of the points that are clustered."""
PER_BUCKET = 10
SMOOTHING = 0.5
DRAWS = 999
"""Halves of the dialogs that the interval is made from."""


@dataclass(frozen=True)
class Mauve(OnModels):
    model: str = MINILM
    people: str = "human"
    minimum: int = 100
    most: int = 5_000
    seed: int = 25

    name: ClassVar = Carried("mauve")
    published: ClassVar[tuple[str, ...]] = ("hub:openai-community/gpt2-large", "hub:gpt2-large")
    level: ClassVar[Level] = "system"
    card: ClassVar[Card] = Card(
        about="How near the texts of a system are, taken together, to texts of people.",
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
        f"none where a side has fewer than {LEAST} dialogs.",
    )

    def __post_init__(self) -> None:
        if self.minimum < 2:
            raise BadValue(f"mauve.minimum is {self.minimum}; it is 2 or more")
        if self.most < self.minimum:
            raise BadValue(f"mauve.most is {self.most}; it is at least minimum, {self.minimum}")

    @property
    def needs(self) -> tuple[Feature, ...]:
        if self.model in self.published:
            return (TokenEmbeddings(self.model),)
        return (Embeddings(self.model),)

    @property
    def scores(self) -> tuple[Score, ...]:
        text, column = "texts of the system beside texts of people", pl.col
        return (
            Score(
                self.name,
                of=column(self.name),
                range=(0.0, 1.0),
                meaning=f"area under the divergence curve of {text}",
                better="higher",
                title="MAUVE",
                more="writes texts nearer to those of people than",
                less="writes texts farther from those of people than",
            ),
            Score(
                f"mauve_star{mark(self)}",
                of=column(f"mauve_star{mark(self)}"),
                range=(0.0, 1.0),
                meaning="the same with half a text added to every cluster of both sides",
                better="higher",
                title="MAUVE, smoothed",
                more="writes texts nearer, by smoothed MAUVE, to those of people than",
                less="writes texts farther, by smoothed MAUVE, from those of people than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        told = turns.frame["references"].to_list()
        first = [next((r for r in found or () if r.strip()), "") for found in told]
        said = [
            t if ours else "" for t, ours in zip(turns.frame["text"], turns.scored, strict=True)
        ]
        return pl.DataFrame(
            {
                "said": self._vectors(said, features),
                "meant": self._vectors(first, features),
                "rank": ranks(turns.frame.select("dialog", "turn"), self.seed),
            }
        )

    def _vectors(self, texts: list[str], features: Features) -> pl.Series:
        """A vector for each text, null for an empty one."""
        there = [place for place, text in enumerate(texts) if text.strip()]
        if not there:
            return pl.Series([None] * len(texts), dtype=pl.List(pl.Float32))
        found = features[self.needs[0]].of([texts[place] for place in there])
        rows = np.stack([tokens.vectors[-1] for tokens in found]) if self._last else found
        order = np.full(len(texts), -1)
        order[there] = np.arange(len(there))
        place = pl.Series(order).replace(-1, None)
        return (
            pl.Series(rows, dtype=pl.Array(pl.Float32, rows.shape[1])).arr.to_list().gather(place)
        )

    @property
    def _last(self) -> bool:
        """Whether the vector of a text is that of its last word piece, as was published."""
        return self.model in self.published

    def sample(self, material: pl.DataFrame) -> pl.DataFrame:
        """Of each system at most so many turns that say something, drawn by their rank."""
        told = material.filter(pl.col("said").is_not_null()).sort("rank", "dialog", "turn")
        return told.group_by("system", maintain_order=True).head(self.most).select(material.columns)

    def summary(self, material: pl.DataFrame, *, seed: int) -> pl.DataFrame:
        rows = [self._row(name, material, seed) for name in material["system"].unique().sort()]
        main, star = (s.name for s in self.scores)
        columns = ["system", "reason", main, star, "n", *ends(main), *ends(star)]
        table = pl.DataFrame(rows, columns, orient="row", infer_schema_length=None)
        counts = [pl.col("n").alias(f"{name}_n") for name in (main, star)]
        return table.with_columns(pl.col("reason").cast(pl.String), *counts)

    def _row(self, system: str, material: pl.DataFrame, seed: int) -> tuple[Any, ...]:
        own, theirs, reason = self._sides(system, material)
        if reason:
            return (system, reason, None, None, 0, None, None, None, None)
        q, p = counted(own, theirs, seed + 2)
        found = np.array(both(p.sum(0), q.sum(0)))
        sizes = own["dialog"].n_unique(), theirs["dialog"].n_unique()
        intervals: list[Any] = [(None, None)] * 2
        if min(sizes) >= LEAST:
            drawn = both(*halved(p, q, seed))
            intervals = [
                around(float(v), d, (0.0, 1.0), *sizes) for v, d in zip(found, drawn, strict=True)
            ]
        return (system, None, *found.tolist(), sizes[0], *intervals[0], *intervals[1])

    def _sides(
        self, system: str, material: pl.DataFrame
    ) -> tuple[pl.DataFrame, pl.DataFrame, str | None]:
        """What the system said, what people did, or in a word why they cannot be compared."""
        mine, vector = material.filter(pl.col("system") == system), pl.col("said").alias("vector")
        if material["meant"].null_count() < material.height:
            mine = mine.filter(pl.col("meant").is_not_null())
            theirs = mine.select("dialog", vector=pl.col("meant"))
            lack = "no_reference" if mine.is_empty() else None
        else:
            people = material.filter(pl.col("system") == self.people)
            theirs = people.select("dialog", vector)
            lack = "no_reference" if people.is_empty() else None
            lack = "is_the_reference" if system == self.people else lack
        fewest = min(mine.height, theirs.height)
        if lack is None and fewest < self.minimum:
            lack = f"too_few_turns ({fewest} of {self.minimum})"
        return mine.select("dialog", vector), theirs, lack


def ends(score: str) -> tuple[str, str]:
    return f"{score}_low", f"{score}_high"


def counted(own: pl.DataFrame, theirs: pl.DataFrame, seed: int) -> tuple[Floats, Floats]:
    """How many texts of each dialog fall into each cluster: the system's, and people's."""
    q, p = (np.stack(list(side["vector"].to_numpy())) for side in (own, theirs))
    buckets = max(2, round(min(len(p), len(q)) / PER_BUCKET))
    points = reduced(np.vstack([q, p]))
    labels = clustered(points, buckets, starts=STARTS, rounds=ROUNDS, seed=seed)
    dialogs = pl.concat([own["dialog"], theirs["dialog"]])
    places = dialogs.rank("dense").to_numpy().astype(np.int64) - 1
    cells = (places * buckets + labels, (int(places.max()) + 1) * buckets)
    parts = [cells[0][: len(q)], cells[0][len(q) :]]
    ours, others = (np.bincount(c, minlength=cells[1]).reshape(-1, buckets) for c in parts)
    return ours.astype(float), others.astype(float)


def halved(p: Floats, q: Floats, seed: int) -> tuple[Floats, Floats]:
    """Histograms of halves of each side's dialogs, of the same half where they share them all."""
    theirs, ours = (np.flatnonzero(side.sum(1)) for side in (p, q))
    apart = 0 if np.array_equal(theirs, ours) else 1
    return (
        halves(len(theirs), DRAWS, seed, apart) @ p[theirs],
        halves(len(ours), DRAWS, seed) @ q[ours],
    )


def reduced(vectors: Floats32) -> Floats32:
    """The vectors made 1 long, in the fewest dimensions that keep most of their variance."""
    rows = vectors.astype(np.float64)
    rows /= np.maximum(np.sqrt((rows**2).sum(1, keepdims=True)), 1e-12)
    rows -= rows.mean(0)
    values, axes = np.linalg.eigh(rows.T @ rows)
    kept = np.cumsum(np.maximum(values[::-1], 0))
    width = int(np.argmax(kept >= EXPLAINED * kept[-1])) + 1
    # rounded, so that the last bits of the axes, which differ by machine, decide nothing
    return np.asarray(np.round(rows @ axes[:, ::-1][:, :width], DECIMALS), np.float32)


def both(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """MAUVE of two histograms, or of rows of them, plain and smoothed; NaN where one is empty."""
    empty = (p.sum(-1) == 0) | (q.sum(-1) == 0)
    p, q = (np.where(empty[..., None], np.nan, side) for side in (p, q))
    return area(p, q), area(p + SMOOTHING, q + SMOOTHING)


def area(p: Floats, q: Floats) -> Floats:
    """The area under the divergence curve, seen from either axis."""
    p, q = (side / side.sum(-1, keepdims=True) for side in (p, q))
    weights = np.linspace(1e-6, 1 - 1e-6, POINTS)
    mixtures = [w * p + (1 - w) * q for w in weights]
    x = curve([0.0, *(divergence(q, r) for r in mixtures), np.inf], p.shape[:-1])
    y = curve([np.inf, *(divergence(p, r) for r in mixtures), 0.0], p.shape[:-1])
    return np.asarray((np.trapezoid(y, -x, axis=0) - np.trapezoid(x, -y, axis=0)) / 2)


def curve(divergences: Iterable[Any], shape: tuple[int, ...]) -> Floats:
    return np.exp(-SHARPNESS * np.stack([np.broadcast_to(d, shape) for d in divergences]))


def divergence(p: Floats, r: Floats) -> Floats:
    """Kullback-Leibler divergence of p from a mixture that has all that p has."""
    there = p > 0
    ratio = np.where(there, p, 1.0) / np.where(there, r, 1.0)
    return np.asarray((p * np.log(ratio)).sum(-1))
