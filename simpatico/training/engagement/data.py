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
from typing import Literal

import msgspec
import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import Judgements
from simpatico.readers import Source, read
from simpatico.readers.file_formats.convai2017 import ConvAI2017
from simpatico.readers.file_formats.ji2022 import Assignment, Conversation
from simpatico.readers.input.record import Ledger
from simpatico.training.engagement import exchanges as tables
from simpatico.training.engagement.exchanges import BOT, ENGAGING, PEOPLE, Exchanges

Reading = Literal["rated", "paper"]
Quality = Literal["interesting", "fun"]

THUMB = 1.5
"""Turns whose mean thumb, 1 for down and 2 for up, is above this are label 1; those at it are left
out."""
# with types, for a file without ratings gives a table without rows
JI_COLUMNS = {
    **dict.fromkeys(("worker", "dialog", "query", "reply"), pl.String),
    "rating": pl.Float64,
    "label": pl.Boolean,
    "kind": pl.String,
}
CONTROL = "QualityControl"
"""The system that was made worse on purpose, to see who notices."""


@dataclass(frozen=True)
class ExchangeReader:
    """Which ratings of a file are used; a null threshold is the default of its scale."""

    reading: Reading = "rated"
    without: frozenset[str] = frozenset()
    quality: Quality = "interesting"
    threshold: float | None = None
    thumbs: bool = False
    control: bool = False

    def read(self, path: Path | str) -> Exchanges:
        """The exchanges of ConvAI, of Ji et al., or of a table, but those of dialogs left out.

        The format is recognised by the keys of the first record, not by the file's name.
        """
        head = Source.of(path).head
        threshold = ENGAGING if self.threshold is None else self.threshold
        if ConvAI2017().matches(head):
            exchanges = read_convai(path, self.reading, threshold=threshold, thumbs=self.thumbs)
        elif head.folder or {"WorkerId", "data"} <= head.keys:
            exchanges = read_ji(path, self.quality, threshold=self.threshold, control=self.control)
        else:
            exchanges = tables.read_exchange_table(path, threshold=threshold)
        rows = [row for row, dialog in enumerate(exchanges.dialog) if dialog not in self.without]
        return exchanges.take(np.array(rows, np.int64))


def read_convai(
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
    before = pl.Series(turns.answered)
    frame = turns.frame.select(
        pl.col("dialog", "turn", "speaker", "system"),
        pl.col("text").alias("reply"),
        # the text that each turn answers; null where it answers none
        turns.frame["text"].gather(before.set(before < 0, None)).alias("query"),
        pl.when(bot).then(pl.lit(BOT)).otherwise(pl.lit(PEOPLE)).alias("kind"),
    ).filter(~pl.col("dialog").is_in(list(without)))
    if reading == "paper":
        ratings = paper_ratings(frame, read_ratings(path, "engagement", zero="rating"))
    else:
        ratings = with_ratings(frame, read_ratings(path, "engagement"), ["dialog", "speaker"])
    name, label = Path(path).name, pl.col("rating") > threshold
    rule = f"rating above {threshold:g}"
    exchanges = labelled_exchanges(ratings.with_columns(label=label), name, rule)
    if not thumbs:
        return exchanges
    # a turn with as many thumbs up as down is neither
    by_turn = with_ratings(frame, read_ratings(path, "liked"), ["dialog", "turn", "speaker"])
    clear = by_turn.filter(pl.col("rating") != THUMB).with_columns(label=pl.col("rating") > THUMB)
    by_thumbs = labelled_exchanges(clear, name, "thumbs up")
    return tables.concatenate_exchanges([exchanges, by_thumbs], source=name)


def read_ratings(
    path: Path | str, quality: str, *, zero: Literal["rating", "not_rated"] = "not_rated"
) -> pl.DataFrame:
    """ConvAI's ratings of one quality, without units that were not rated."""
    judgements = Judgements.of(ConvAI2017(zero=zero).judgements(Source.of(path), Ledger())).frame
    return judgements.filter(quality=quality).drop_nulls("value").rename({"value": "rating"})


def with_ratings(frame: pl.DataFrame, ratings: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Turns with the rating that their keys got, such as their speaker; without one, left out."""
    values = ratings.select(*keys, "rating")
    return frame.join(values, on=keys, how="inner", maintain_order="left")


def paper_ratings(frame: pl.DataFrame, ratings: pl.DataFrame) -> pl.DataFrame:
    """Turns with the mean of what stands under people's ids, those that the paper paired.

    Up to a rating of 2 pairs do not overlap, so that only every second turn is a reply.
    """
    people = frame.filter(system="human").select("dialog", "speaker").unique()
    values = (
        ratings.join(people, on=["dialog", "speaker"], how="semi")
        .group_by("dialog")
        .agg(pl.col("rating").mean().round(mode="half_to_even"))
    )
    in_pair = (pl.col("rating") > ENGAGING) | (pl.col("turn") % 2 == 1)
    return with_ratings(frame, values, ["dialog"]).filter(in_pair)


def labelled_exchanges(
    frame: pl.DataFrame, source: str, rule: str, *, group: str = "dialog"
) -> Exchanges:
    """The rows of a table that have a query; `rule` says in words what makes them engaging."""
    frame = frame.drop_nulls("query")
    dialog, query, reply, kind, groups = (
        frame[column].to_list() for column in ("dialog", "query", "reply", "kind", group)
    )
    rating = frame["rating"].to_numpy().astype(np.float64)
    label = frame["label"].to_numpy().astype(np.int64)
    origin = [f"{source}, {rule}"] * len(frame)
    return Exchanges(source, dialog, query, reply, rating, label, kind, groups, origin)


def read_ji(
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
    ratings: dict[str, list[float]] = {}
    for worker, _, _, rating in talks:
        ratings.setdefault(worker, []).append(rating)
    rows = []
    for worker, dialog, conversation, rating in talks:
        own = ratings[worker]
        limit = sum(own) / len(own) if threshold is None else threshold
        # at the worker's own mean a dialog is neither engaging nor dull
        at_mean = threshold is None and rating == limit
        if not at_mean and (control or conversation.model != CONTROL):
            label = rating > limit
            rows += [
                (worker, dialog, turn.user, turn.bot, rating, label, BOT)
                for turn in conversation.dialogue
            ]
    frame = pl.DataFrame(rows, JI_COLUMNS, orient="row")
    rule = f"{quality} above " + ("the worker's mean" if threshold is None else f"{threshold:g}")
    return labelled_exchanges(frame, Path(path).name, rule, group="worker")


def rated_talks(path: Path, quality: Quality) -> Iterator[tuple[str, str, Conversation, float]]:
    """Worker, name of the dialog, dialog and rating, in the order of the files."""
    files = sorted(path.glob("pass_*.json")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no pass_*.json in it; give the folder of Ji et al. or a file")
    for file in files:
        try:
            assignments = msgspec.json.decode(file.read_bytes(), type=list[Assignment])
            for assignment in assignments:
                worker = assignment.worker_id
                for number, conversation in enumerate(assignment.data):
                    # here, other than in the reader, every rating has to be a number
                    ratings = msgspec.convert(conversation.raw_scores, dict[str, float])
                    if quality in ratings:
                        dialog = f"{worker}/{assignment.assignment_id}/{number}"
                        yield worker, dialog, conversation, ratings[quality]
        except msgspec.DecodeError as error:
            raise DataError(f"{file}: not ratings of Ji et al.: {error}") from None


def read_dialog_list(path: Path | str) -> frozenset[str]:
    """The dialogs that a file names, one in the first cell of each line; tabs part cells."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{path}: not a text file with one dialog per line") from None
    return frozenset(line.split("\t")[0].strip() for line in lines if line.strip())
