"""Exchanges with a rating of how engaging the reply is: a turn, and the turn it answers.

The rating is of the whole conversation, given to each exchange in it. ConvAI can be read in two
ways. `rated`: a reply has the rating its speaker got from the interlocutor; who got none is left
out. `paper`: Ghazarian et al. (2020, Tables 1 and 4) take what stands under the people's ids, where
a zero counts as a rating; two people's are averaged and rounded half to even. Conversations of at
most 2 are cut into pairs that do not overlap (turns 1 and 2, 3 and 4, ...); of those above, every
turn goes with the one before. Without the 50 conversations of their crowd study that gives their
13,124 exchanges of 2,049 conversations, and each count of Table 1, exactly.

In ConvAI, people could also give a thumb to a single utterance, and the labels that come of those
can be added. In Ji et al. workers differ much in how they use a scale of 0 to 100, so that a
reply is engaging if its dialog got more than the mean of all that its worker rated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import Judgements
from simpatico.readers import Source, read
from simpatico.readers.file_formats.convai2017 import ConvAI2017
from simpatico.readers.file_formats.ji2022 import Assignment, Conversation
from simpatico.readers.input.record import Ledger
from simpatico.training.engagement.exchanges import (
    BOT,
    ENGAGING,
    PEOPLE,
    Exchanges,
    split,
    stacked,
    table,
)
from simpatico.turns import Turns

__all__ = ["Exchanges", "convai", "ji", "listed", "split", "table"]

Reading = Literal["rated", "paper"]
Quality = Literal["interesting", "fun"]

THUMB = 1.5
"""Turns whose mean thumb, 1 for down and 2 for up, is above this are label 1."""
CONTROL = "QualityControl"
"""The system that was made worse on purpose, to see who notices."""


@dataclass(frozen=True)
class Taken:
    """What of a file is taken for a rating; a null threshold is the usual one of its scale."""

    reading: Reading = "rated"
    without: frozenset[str] = frozenset()
    quality: Quality = "interesting"
    threshold: float | None = None
    thumbs: bool = False
    control: bool = False

    def of(self, path: Path | str) -> Exchanges:
        """The exchanges of ConvAI, of Ji et al., or of a table, but those of dialogs left out."""
        found = self.all_of(path)
        kept = [row for row, dialog in enumerate(found.dialog) if dialog not in self.without]
        return found.some(np.array(kept, np.int64))

    def all_of(self, path: Path | str) -> Exchanges:
        head, given = Source.of(path).head, self.threshold
        if ConvAI2017().matches(head):
            threshold = ENGAGING if given is None else given
            return convai(path, self.reading, threshold=threshold, thumbs=self.thumbs)
        if head.folder or {"WorkerId", "data"} <= head.keys:
            return ji(path, self.quality, threshold=given, control=self.control)
        return table(path, threshold=ENGAGING if given is None else given)


def convai(
    path: Path | str,
    reading: Reading = "rated",
    *,
    without: Collection[str] = (),
    threshold: float = ENGAGING,
    thumbs: bool = False,
) -> Exchanges:
    """The exchanges of ConvAI 2017; `without` names dialogs to leave out.

    With `thumbs`, turns that got more of one thumb than of the other are there once more, with the
    label of their thumbs.
    """
    turns = read(path, format="convai2017")
    bot = (pl.col("system") == "bot").any().over("dialog")
    frame = turns.frame.select(
        pl.col("dialog", "turn", "speaker", "system"),
        pl.col("text").alias("reply"),
        heard(turns).alias("query"),
        pl.when(bot).then(pl.lit(BOT)).otherwise(pl.lit(PEOPLE)).alias("kind"),
    ).filter(~pl.col("dialog").is_in(list(without)))
    zero: Literal["rating", "not_rated"] = "rating" if reading == "paper" else "not_rated"
    found = ConvAI2017(zero=zero).judgements(Source.of(path), Ledger())
    given = Judgements.of(found).frame.filter(quality="engagement").drop_nulls("value")
    rated = as_paper(frame, given) if reading == "paper" else as_rated(frame, given)
    told = f"rating above {threshold:g}"
    whole = exchanges(rated.drop_nulls("query"), Path(path).name, threshold, told)
    return stacked([whole, liked(frame, path)], source=whole.source) if thumbs else whole


def heard(turns: Turns) -> pl.Series:
    """The text that each turn answers; null where it answers none."""
    before = pl.Series(turns.answered)
    return turns.frame["text"].gather(before.set(before < 0, None))


def liked(frame: pl.DataFrame, path: Path | str) -> Exchanges:
    """Turns that got thumbs, but those with as many up as down."""
    found = Judgements.of(ConvAI2017().judgements(Source.of(path), Ledger())).frame
    values = found.filter(quality="liked").drop_nulls("value").filter(pl.col("value") != THUMB)
    given = values.select("dialog", "turn", "speaker", rating="value")
    on = ["dialog", "turn", "speaker"]
    rows = frame.join(given, on=on, how="inner", maintain_order="left").drop_nulls("query")
    return exchanges(rows, Path(path).name, THUMB, "thumbs up")


def as_rated(frame: pl.DataFrame, given: pl.DataFrame) -> pl.DataFrame:
    """Turns with what their speaker got."""
    values = given.select("dialog", "speaker", rating="value")
    return frame.join(values, on=["dialog", "speaker"], how="inner", maintain_order="left")


def as_paper(frame: pl.DataFrame, given: pl.DataFrame) -> pl.DataFrame:
    """Turns with the mean of what stands under people's ids, those that the paper paired."""
    people = frame.filter(system="human").select("dialog", "speaker").unique()
    values = (
        given.join(people, on=["dialog", "speaker"], how="semi")
        .group_by("dialog")
        .agg(rating=pl.col("value").mean().round(mode="half_to_even"))
    )
    paired = (pl.col("rating") > ENGAGING) | (pl.col("turn") % 2 == 1)
    return frame.join(values, on="dialog", how="inner", maintain_order="left").filter(paired)


def exchanges(frame: pl.DataFrame, source: str, threshold: float, told: str) -> Exchanges:
    """The exchanges in a table that has their columns but the label, and what makes it 1."""
    rating = frame["rating"].to_numpy().astype(np.float64)
    dialog, query, reply, kind = (
        frame[column].to_list() for column in ("dialog", "query", "reply", "kind")
    )
    label = (rating > threshold).astype(np.int64)
    origin = [f"{source}, {told}"] * len(frame)
    return Exchanges(source, dialog, query, reply, rating, label, kind, origin=origin)


def ji(
    path: Path | str,
    quality: Quality = "interesting",
    *,
    threshold: float | None = None,
    control: bool = False,
) -> Exchanges:
    """The bots' replies in Ji et al. (2022); of a folder, the sittings that passed its control.

    Ratings are from 0 to 100. Without a threshold, what is above the mean of the worker's dialogs
    is engaging, and what equals it is left out. The dialog is named worker/sitting/number, and the
    worker is its group. `control` keeps the system that was made worse on purpose.
    """
    talks = list(rated_talks(Path(path), quality))
    usual = usual_ratings([(given.worker, given.rating) for given in talks])
    rows = [
        (given.worker, given.dialog, said.user, said.bot, given.rating, at)
        for given in talks
        for at in [usual[given.worker] if threshold is None else threshold]
        for said in given.talk.dialogue
        if (control or given.talk.model != CONTROL)
        and (threshold is not None or given.rating != at)
    ]
    told = f"{quality} above " + ("the worker's mean" if threshold is None else f"{threshold:g}")
    return of_workers(rows, Path(path).name, told)


JiRow = tuple[str, str, str, str, float, float]
"""Worker, dialog, query, reply, rating, and above what it is engaging."""


def of_workers(rows: list[JiRow], source: str, told: str) -> Exchanges:
    """The exchanges of these rows; all of a worker's are one group."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(6)]
    worker, dialog, query, reply = columns[:4]
    rating, above = (np.array(column, np.float64) for column in columns[4:])
    label, n = (rating > above).astype(np.int64), len(rows)
    origin = [f"{source}, {told}"] * n
    return Exchanges(source, dialog, query, reply, rating, label, [BOT] * n, worker, origin)


def usual_ratings(given: list[tuple[str, float]]) -> dict[str, float]:
    """The mean rating of each worker."""
    ratings: dict[str, list[float]] = {}
    for worker, rating in given:
        ratings.setdefault(worker, []).append(rating)
    return {worker: sum(some) / len(some) for worker, some in ratings.items()}


class RatedTalk(NamedTuple):
    """A dialog with a bot, and what its worker thought of one quality of it."""

    worker: str
    dialog: str
    talk: Conversation
    rating: float


def rated_talks(path: Path, quality: Quality) -> Iterator[RatedTalk]:
    """The dialogs that were rated, in the order of the files."""
    files = sorted(path.glob("pass_*.json")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no pass_*.json in it; give the folder of Ji et al. or a file")
    for file in files:
        try:
            for sitting in msgspec.json.decode(file.read_bytes(), type=list[Assignment]):
                yield from rated_in(sitting, quality)
        except msgspec.DecodeError as error:
            raise DataError(f"{file}: not ratings of Ji et al.: {error}") from None


def rated_in(sitting: Assignment, quality: Quality) -> Iterator[RatedTalk]:
    """The dialogs of one sitting; here every rating has to be a number."""
    worker = sitting.worker_id
    for number, talk in enumerate(sitting.data):
        ratings = msgspec.convert(talk.raw_scores, dict[str, float])
        if quality in ratings:
            dialog = f"{worker}/{sitting.assignment_id}/{number}"
            yield RatedTalk(worker, dialog, talk, ratings[quality])


def listed(path: Path | str) -> frozenset[str]:
    """The dialogs that a file names, one in the first cell of each line; tabs part cells."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{path}: no text file that names a dialog a line") from None
    return frozenset(line.split("\t")[0].strip() for line in lines if line.strip())
