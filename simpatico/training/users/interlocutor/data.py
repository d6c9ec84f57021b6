"""Examples for `simpatico train interlocutor`: ratings of turns or dialogs by their interlocutors.

The target in training is the interlocutor's own rating, or the mean of outsiders; what a model is
evaluated against is always the interlocutor's own. Splits are chronological: along each dialog,
along the dialogs of each user, or at two points in time.
Example: of 20 turns that ann rated in a dialog, 16 are for training, the next 2 for validation and
the last 2 for test; outsiders' ratings of the test turns are never read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import turn_contexts
from simpatico.judgements import UNIT, Judgements
from simpatico.training.users import splits
from simpatico.turns import Turns

Source = Literal["interlocutor", "outsiders"]
Along = Literal["dialog", "person", "time"]


@dataclass(frozen=True, eq=False)
class InterlocutorRatings:
    """Columns of equal length, in the order of time, whatever that of the judgements."""

    quality: str
    level: Literal["turn", "dialog"]
    rows: list[Ints]
    """Indices of the turns that each rating is of."""
    speaker: list[str | None]
    """Whose turns they are, as the rating says it."""
    user: list[str]
    """The interlocutor."""
    target: Floats
    """What is learned: the interlocutor's rating, or the mean of outsiders."""
    own: Floats
    """The interlocutor's rating."""
    dialog: Ints
    start: Floats
    """When the first of its turns was said."""
    known_from: Floats
    """From when on it may have been given: of a dialog, when that was over."""
    low: Floats
    high: Floats
    """The bounds of its scale; where none are declared, the rating itself."""
    bounds: tuple[float, float]
    """The widest of all."""
    excluded: dict[str, int]

    def with_bounds_of(self, indices: Ints) -> InterlocutorRatings:
        """The same with the bounds of these ratings, as nothing later may be known."""
        low, high = self.low[indices].min(), self.high[indices].max()
        return replace(self, bounds=(float(low), float(high)))


def interlocutor_ratings(
    turns: Turns,
    judgements: Judgements,
    *,
    quality: str | None = None,
    source: Source = "interlocutor",
) -> InterlocutorRatings:
    """The ratings of one quality by interlocutors, with the target that the source gives."""
    quality = choose_quality(judgements, quality)
    frame = judgements.frame.filter(quality=quality)
    own = frame.filter(judge_kind="interlocutor")
    of_dialogs = own["turn"].null_count() == own.height
    # where both turns and dialogs are rated, the ratings of turns are used
    table = rating_table(frame, source).filter(pl.col("turn").is_null() == of_dialogs)
    rows, clock = rated_rows(turns, table), splits.Clock.of(turns)
    first = np.array([own_rows[0] if len(own_rows) else -1 for own_rows in rows], np.int64)
    present = np.flatnonzero(first >= 0)
    if not len(present):
        both = " that outsiders rated" if source == "outsiders" else ""
        raise DataError(
            f"none of {own.height:,} ratings of {quality!r} by interlocutors matches a turn of the "
            f"data{both}; check the names of dialogs and raters"
        )
    order = present[np.lexsort([first[present], clock.time[first[present]]])]
    first, table, rows = first[order], table[order], [rows[at] for at in order]
    columns = table.select(
        pl.col("target", "value").cast(pl.Float64),
        low=pl.min_horizontal("scale_min", "value"),
        high=pl.max_horizontal("scale_max", "value"),
    )
    target, value, low, high = (column.to_numpy() for column in columns)
    return InterlocutorRatings(
        quality,
        "dialog" if of_dialogs else "turn",
        rows,
        table["speaker"].to_list(),
        rater_names(turns, table, rows),
        target,
        value,
        clock.dialog[first],
        clock.time[first],
        (clock.dialog_end if of_dialogs else clock.time)[first],
        low,
        high,
        (float(low.min()), float(high.max())),
        {"not rated, or of no turn that was read": own.height - len(rows)},
    )


def rating_table(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Interlocutors' ratings with the target: their own, or the mean of outsiders for the unit.

    Sorted, as the order of the judgements must not matter.
    """
    outside = frame.filter(judge_kind="outsider").group_by(UNIT)
    means = outside.agg(outside=pl.col("value").mean())
    return (
        frame.filter(judge_kind="interlocutor")
        .join(means, on=UNIT, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(target="value" if source == "interlocutor" else "outside")
        .drop_nulls(["value", "target"])
        .sort("judge", "speaker", "value")
    )


def choose_quality(judgements: Judgements, quality: str | None) -> str:
    """The quality that is asked for, or the only one that interlocutors rated."""
    own = judgements.frame.filter(judge_kind="interlocutor")
    names = own["quality"].unique(maintain_order=True).to_list()
    if not names:
        raise DataError(
            "no rating by an interlocutor; training needs judgements of that judge_kind"
        )
    if quality is None and len(names) > 1:
        raise BadValue(f"interlocutors rated {', '.join(names)}; choose one of these qualities")
    if quality is not None and quality not in names:
        raise BadValue(f"no interlocutor rated {quality!r}; choose one of {', '.join(names)}")
    return quality or names[0]


def rated_rows(turns: Turns, ratings: pl.DataFrame) -> list[Ints]:
    """Indices of the turns with words that each rating is of; of a dialog, all of the speaker."""
    # an empty turn has no inputs: a mean over it would pull towards 0
    frame = turns.frame.with_row_index("row").filter(
        pl.col("system").is_not_null(), pl.col("text") != ""
    )
    rows_of = dict[tuple[str, int | None, str | None], list[int]]()
    for dialog, turn, speaker, row in frame.select("dialog", "turn", "speaker", "row").iter_rows():
        for unit in ((dialog, turn, None), (dialog, None, speaker), (dialog, None, None)):
            rows_of.setdefault(unit, []).append(row)
    # a turn is known by its number: whose it is need not be said alike
    speaker = pl.when(pl.col("turn").is_null()).then("speaker")
    units = ratings.select("dialog", "turn", speaker).iter_rows()
    return [np.array(rows_of.get(unit, ()), np.int64) for unit in units]


def rater_names(turns: Turns, ratings: pl.DataFrame, rows: list[Ints]) -> list[str]:
    """Who rated: the judge; else the addressee of the turns, as in scoring; "" if unknown."""
    judges: list[Any] = ratings["judge"].to_list()
    if None not in judges:
        return judges
    contexts = turn_contexts(turns)
    user = dict(zip(contexts.row.tolist(), contexts.user, strict=True))
    return [
        next((user[at] for at in own.tolist() if user[at]), "") if judge is None else judge
        for judge, own in zip(judges, rows, strict=True)
    ]


def split_ratings(ratings: InterlocutorRatings, along: Along | None = None) -> splits.TimeSplit:
    """8:1:1, in order: along each dialog, along each user's dialogs, or in time over all.

    By default ratings of turns are split along each dialog, and those of dialogs along each user's.
    Along users a dialog is in one split only.
    """
    how = along or ("dialog" if ratings.level == "turn" else "person")
    if how == "dialog" and ratings.level == "dialog":
        raise BadValue(
            f"ratings of {ratings.quality!r} are of dialogs, which cannot be split by their turns; "
            "split by 'person' or 'time'"
        )
    if how == "time":
        cuts = splits.latest_cuts(splits.cuts_by_share(ratings.start), ratings.start)
        split, n_excluded = splits.split_at_cuts(ratings.start, ratings.known_from, cuts)
    elif how == "person":
        split, n_excluded = splits.split_in_order(ratings.user, ratings.dialog, ratings.start)
    else:
        first = np.array([rows[0] for rows in ratings.rows], np.int64)
        split, n_excluded = splits.split_in_order(
            ratings.dialog.tolist(), first, first.astype(np.float64)
        )
    n_excluded = ratings.excluded | n_excluded
    if ratings.level == "dialog" or how == "person":
        # a dialog of two users may be early for one and late for the other
        split, torn = splits.keep_dialogs_whole(split, ratings.dialog)
        n_excluded |= torn
    return splits.TimeSplit.of(split, n_excluded)
