"""Examples for `simpatico train interlocutor`: ratings of turns or dialogs, and who they are of.

What is learned is what the interlocutor said, or the mean of outsiders; what counts in the end is
always what the interlocutor said. Ratings are split along each dialog, along the dialogs of each
person, or at two points in time, so that what is held out comes after what is learned from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import moments
from simpatico.judgements import UNIT, Judgements
from simpatico.training.users.continuity.outcomes import Clock
from simpatico.training.users.splits import Sides, at_cuts, in_order, latest, shared, together
from simpatico.turns import Turns

Source = Literal["interlocutor", "outsiders"]
Along = Literal["dialog", "person", "time"]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Columns of equal length, in the order of time, whatever that of the judgements."""

    quality: str
    level: Literal["turn", "dialog"]
    rows: list[Ints]
    """Where the turns stand that each rating is of."""
    speaker: list[str | None]
    """Whose turns they are, as the rating says it."""
    person: list[str]
    """The interlocutor."""
    value: Floats
    """What is learned."""
    own: Floats
    """What the interlocutor said."""
    dialog: Ints
    begun: Floats
    """When the first of its turns was said."""
    known: Floats
    """From when on it may have been given: of a dialog, when that was over."""
    low: Floats
    high: Floats
    """The ends of its scale; where nobody told them, what was given."""
    ends: tuple[float, float]
    """Of the scale of all."""
    aside: dict[str, int]

    def __len__(self) -> int:
        return len(self.rows)

    def ending(self, places: Ints) -> Ratings:
        """The same with the ends that these of them have."""
        low, high = self.low[places].min(), self.high[places].max()
        return replace(self, ends=(float(low), float(high)))


def ratings(
    turns: Turns, judgements: Judgements, *, quality: str | None = None, learn: Source
) -> Ratings:
    """The ratings of one quality by interlocutors; to learn, their own or the outsiders' mean."""
    quality = only(judgements, quality)
    frame = judgements.frame.filter(quality=quality)
    own = frame.filter(judge_kind="interlocutor")
    table = own.join(
        frame.filter(judge_kind="outsider").group_by(UNIT).agg(outside=pl.col("value").mean()),
        on=UNIT,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    ).with_columns(learned="value" if learn == "interlocutor" else "outside")
    whole = own["turn"].null_count() == own.height
    rated = table.filter(
        pl.col("turn").is_null() == whole, pl.col("value", "learned").is_not_null()
    ).sort("judge", "speaker", "value")
    found = placed(turns, rated)
    some = in_time(turns, found)
    if not some:
        both = " and rated by outsiders" if learn == "outsiders" else ""
        raise DataError(
            f"of {own.height} judgements of {quality!r} by interlocutors none is of a turn that "
            f"was read{both}; learning needs some"
        )
    return built(turns, rated[some], [found[at] for at in some], own.height, whole)


def in_time(turns: Turns, found: list[Ints]) -> list[int]:
    """Which ratings are of any turns, by when the first of them was said."""
    some = [at for at, rows in enumerate(found) if len(rows)]
    first = np.array([found[at][0] for at in some], np.int64)
    return [some[n] for n in np.lexsort([first, Clock.of(turns).said[first]])] if some else []


def built(turns: Turns, rated: pl.DataFrame, rows: list[Ints], given: int, whole: bool) -> Ratings:
    """These ratings, each of some rows."""
    clock, first = Clock.of(turns), np.array([places[0] for places in rows], np.int64)
    lowest, highest = (
        pl.min_horizontal("scale_min", "value"),
        pl.max_horizontal("scale_max", "value"),
    )
    columns = rated.select(pl.col("learned", "value").cast(pl.Float64), low=lowest, high=highest)
    learned, value, low, high = (column.to_numpy() for column in columns)
    return Ratings(
        rated["quality"][0],
        "dialog" if whole else "turn",
        rows,
        rated["speaker"].to_list(),
        persons(turns, rated, rows),
        learned,
        value,
        clock.dialog[first],
        clock.said[first],
        (clock.over if whole else clock.said)[first],
        low,
        high,
        (float(low.min()), float(high.max())),
        {"not rated, or of no turn that was read": given - len(rows)},
    )


def only(judgements: Judgements, quality: str | None) -> str:
    """The quality that is asked for, or the only one that interlocutors rated."""
    own = judgements.frame.filter(judge_kind="interlocutor")
    known = own["quality"].unique(maintain_order=True).to_list()
    if not known:
        raise DataError("no judgement by an interlocutor; learning what they say needs some")
    if quality is None and len(known) > 1:
        raise BadValue(f"interlocutors rated {', '.join(known)}; name one of them as the quality")
    if quality is not None and quality not in known:
        raise BadValue(f"no interlocutor rated {quality!r}; there are {', '.join(known)}")
    return quality or known[0]


def placed(turns: Turns, rated: pl.DataFrame) -> list[Ints]:
    """Where the turns with words stand that each rating is of; of a dialog, all of the speaker."""
    frame = turns.frame.with_row_index("row").filter(
        pl.col("system").is_not_null(), pl.col("text") != ""
    )
    by_turn = {(d, t): [r] for d, t, r in frame.select("dialog", "turn", "row").iter_rows()}
    by_speaker: dict[tuple[str, str | None], list[int]] = {}
    for dialog, speaker, row in frame.select("dialog", "speaker", "row").iter_rows():
        for who in (speaker, None):
            by_speaker.setdefault((dialog, who), []).append(row)
    return [
        np.array(
            by_speaker.get((dialog, speaker), [])
            if turn is None
            else by_turn.get((dialog, turn), []),
            np.int64,
        )
        for dialog, turn, speaker in rated.select("dialog", "turn", "speaker").iter_rows()
    ]


def persons(turns: Turns, rated: pl.DataFrame, rows: list[Ints]) -> list[str]:
    """Who rated: the judge; else whom the turns are said to, as in scoring; "" if nobody knows."""
    judge = rated["judge"].to_list()
    if None not in judge:
        return judge
    found = moments(turns)
    to = dict(zip(found.row.tolist(), found.person, strict=True))
    told = (next((to[row] for row in some.tolist() if to[row]), "") for some in rows)
    return [who if one is None else one for one, who in zip(judge, told, strict=True)]


def split(given: Ratings, along: Along | None = None) -> Sides:
    """8:1:1, in order: along each dialog, along each person's dialogs, or in time over all.

    Without a choice, ratings of turns are split along each dialog, and those of dialogs along each
    person's. Along persons a dialog is on one side only.
    """
    how = along or ("dialog" if given.level == "turn" else "person")
    if how == "dialog" and given.level == "dialog":
        raise BadValue(
            f"{given.quality!r} is of whole dialogs, which cannot be split; split along 'person' "
            "or 'time'"
        )
    if how == "time":
        cuts = latest(shared(given.begun), given.begun)
        side, aside = at_cuts(given.begun, given.known, cuts)
    elif how == "person":
        side, aside = in_order(given.person, given.dialog, given.begun)
    else:
        first = np.array([rows[0] for rows in given.rows], np.int64)
        side, aside = in_order(given.dialog.tolist(), first, first.astype(np.float64))
    if given.level == "turn" and how != "person":
        return Sides.of(side, {**given.aside, **aside})
    side, torn = together(side, given.dialog)
    return Sides.of(side, {**given.aside, **aside, **torn})
