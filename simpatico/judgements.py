"""Judgements: what people said about turns, dialogs or systems, one row per judge and quality.

Long rather than wide: judges differ in number from unit to unit, and a missing row says that nobody
was asked, while a null value says that the judge did not rate. Ratings are `Judgements`; which of
two units a judge prefers are `Preferences`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import polars as pl

from simpatico.errors import DataError

JudgeKind = Literal["interlocutor", "outsider", "expert", "model"]
JUDGE_KINDS: tuple[JudgeKind, ...] = ("interlocutor", "outsider", "expert", "model")


class Judgement(NamedTuple):
    """One judge's value for one quality of one unit; `turn` is null for a whole dialog.

    A null `value` means the judge did not rate; a null `judge` means the value is already a mean.
    """

    dialog: str
    turn: int | None
    speaker: str | None
    quality: str
    judge: str | None
    judge_kind: JudgeKind | None
    value: float | None
    scale_min: float | None = None
    scale_max: float | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Key of a judgement: a judge gives one value to one quality of one unit."""
        return tuple(getattr(self, name) for name in JUDGEMENT_KEY)


SCHEMA: dict[str, pl.DataType] = {
    **dict.fromkeys(Judgement._fields, pl.String()),
    "turn": pl.Int32(),
    **dict.fromkeys(("value", "scale_min", "scale_max"), pl.Float64()),
}

UNIT = ["dialog", "turn", "speaker", "quality"]
"""Key of what is judged: a unit and one quality of it."""

JUDGEMENT_KEY = [*UNIT, "judge", "judge_kind"]

NOT_RATED = frozenset({"", "-", "na", "nan", "none", "null", "not rated", "not applicable"})
"""What annotators write, in lower case, where there is no rating."""

SIDES = "dialog_a and dialog_b, or system_a, system_b and prompt"
"""What says which two are compared."""

MAX_RATING = 1e300
"""Nothing larger is taken for a rating, so that sums of ratings stay finite."""


@dataclass(frozen=True)
class Judgements:
    """A long table of judgements; joined to units by key, never by position."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    """How the file was understood, in sentences."""

    @classmethod
    def of(cls, judgements: Iterable[Judgement]) -> Judgements:
        """The table of these judgements, or the reason why they cannot be one."""
        frame = pl.DataFrame(list(judgements), schema=SCHEMA, orient="row")
        frame = frame.with_columns(pl.col("value").fill_nan(None))
        # almost all judgements are fine: only the few suspects are looked at in Python
        value, low, high = pl.col("value"), pl.col("scale_min"), pl.col("scale_max")
        suspect = pl.any_horizontal(
            pl.col("dialog", "quality").is_null(),
            *(value.is_infinite(), value < low, value > high, low >= high),
            ~pl.col("judge_kind").is_in(JUDGE_KINDS),
        )
        for row in frame.filter(suspect).iter_rows():
            if reason := judgement_problem(Judgement(*row)):
                raise DataError(f"the judgements cannot be used: {reason}")
        if n := int(frame.select(JUDGEMENT_KEY).is_duplicated().sum()):
            raise DataError(
                f"{n} of {frame.height} judgements repeat the unit, quality and judge of another "
                "one; keep one of them, or name every judge in the column 'judge'"
            )
        return cls(frame)

    def __len__(self) -> int:
        return self.frame.height

    def gold(
        self, how: Literal["median", "mean"] = "median", *, judge_kind: JudgeKind | None = None
    ) -> pl.DataFrame:
        """One value per unit and quality, with how many judges gave one and how many did not."""
        value = pl.col("value")
        frame = self.frame if judge_kind is None else self.frame.filter(judge_kind=judge_kind)
        return frame.group_by(UNIT, maintain_order=True).agg(
            value=value.median() if how == "median" else value.mean(),
            judges=value.count(),
            not_rated=value.null_count(),
        )

    def describe(self) -> pl.DataFrame:
        """Per quality: units, named judges, kinds of judge, ratings given and not given, range."""
        value = pl.col("value")
        return self.frame.group_by("quality", maintain_order=True).agg(
            units=pl.struct(UNIT).n_unique(),
            judges=pl.col("judge").drop_nulls().n_unique(),
            judge_kinds=pl.col("judge_kind").drop_nulls().unique().sort(),
            rated=value.count(),
            not_rated=value.null_count(),
            lowest=value.min(),
            highest=value.max(),
            scale_min=pl.col("scale_min").min(),
            scale_max=pl.col("scale_max").max(),
        )


def match_dialog_ids(rated: Iterable[str], existing: Collection[str]) -> dict[str, str]:
    """The id in a run of each rated dialog that has another there: with a file's name, or without.

    `FILE/ID` is the id of a dialog whose file shares ID with another one. A rated `ID` is the one
    dialog of such an id; a rated `FILE/ID` is `ID` where no other rated dialog could be meant.
    """
    rated, by_bare_id = list(dict.fromkeys(rated)), dict[str, list[str]]()
    for name in sorted(existing):
        by_bare_id.setdefault(name.partition("/")[2], []).append(name)
    bare = Counter(name.partition("/")[2] for name in rated)
    matches: dict[str, str] = {}
    for name in rated:
        rest = name.partition("/")[2]
        if name in existing:
            continue
        if len(candidates := by_bare_id.get(name, [])) > 1:
            raise DataError(
                f"ratings of dialog {name!r} match {' and '.join(map(repr, candidates[:2]))}; use "
                "the full name of one of them"
            )
        if candidates:
            matches[name] = candidates[0]
        elif rest in existing and bare[rest] == 1 and rest not in rated:
            matches[name] = rest
    return matches


def parse_rating(raw: object) -> float | None:
    """The number somebody wrote, null for "not rated"; ValueError where it is neither."""
    if isinstance(raw, str):
        words = raw.strip().lower()
        if words in NOT_RATED or words.startswith("n/a"):
            return None
        raw = float(words)
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ValueError("not a number")
    if abs(raw) > MAX_RATING:
        raise ValueError("not a finite number")
    return None if math.isnan(raw) else float(raw)


def judgement_problem(judgement: Judgement) -> str | None:
    """Why a judgement cannot be used, never quoting the input; null if it can."""
    value, low, high = judgement.value, judgement.scale_min, judgement.scale_max
    if judgement.dialog is None or judgement.quality is None:
        return "a judgement needs a dialog and a quality"
    if judgement.judge_kind is not None and judgement.judge_kind not in JUDGE_KINDS:
        return f"the judge_kind must be one of {', '.join(JUDGE_KINDS)}"
    if low is not None and high is not None and low >= high:
        return f"the scale from {low:g} to {high:g} has no width"
    if value is None:
        return None
    if math.isinf(value):
        return "the value is not a finite number"
    if (low is not None and value < low) or (high is not None and value > high):
        scale = f"{format_bound(low)} to {format_bound(high)}"
        return f"the value {value:g} is outside its scale, {scale}"
    return None


def format_bound(bound: float | None) -> str:
    """A bound of a scale for people."""
    return "open" if bound is None else f"{bound:g}"


Choice = Literal["a", "b", "tie"]
CHOICES: tuple[Choice, ...] = ("a", "b", "tie")
Side = tuple[str, int, str, str]
"""Dialog, turn, speaker and system of one side of a preference, in an order that can be sorted."""


class Preference(NamedTuple):
    """Which of two units a judge prefers: turns or dialogs, or what two systems said to a prompt.

    A null `preferred` means that the judge did not choose.
    """

    quality: str
    judge: str | None
    judge_kind: JudgeKind | None
    preferred: Choice | None
    prompt: str | None = None
    dialog_a: str | None = None
    turn_a: int | None = None
    speaker_a: str | None = None
    system_a: str | None = None
    dialog_b: str | None = None
    turn_b: int | None = None
    speaker_b: str | None = None
    system_b: str | None = None

    @property
    def sides(self) -> tuple[Side, Side]:
        """What is compared; of a unit the run says which system it is by."""
        if self.dialog_a is None:
            return ("", -1, "", self.system_a or ""), ("", -1, "", self.system_b or "")
        of_a = self.dialog_a, self.turn_a, self.speaker_a
        of_b = self.dialog_b or "", self.turn_b, self.speaker_b
        a, b = ((d, -1 if t is None else t, s or "", "") for d, t, s in (of_a, of_b))
        return a, b

    @property
    def key(self) -> tuple[object, ...]:
        """Key of a preference: a judge chooses once between two units, whichever comes first."""
        return *sorted(self.sides), self.prompt, self.quality, self.judge, self.judge_kind


PREFERENCE_SCHEMA: dict[str, pl.DataType] = {
    **dict.fromkeys(Preference._fields, pl.String()),
    **dict.fromkeys(("turn_a", "turn_b"), pl.Int32()),
}


@dataclass(frozen=True)
class Preferences:
    """A table with a row per choice between two units."""

    frame: pl.DataFrame

    @classmethod
    def of(cls, preferences: Iterable[Preference]) -> Preferences:
        """The table of these preferences, or the reason why they cannot be one."""
        rows = list(preferences)
        for row in rows:
            if reason := preference_problem(row):
                raise DataError(f"the preferences cannot be used: {reason}")
        if n := len(rows) - len({row.key for row in rows}):
            raise DataError(
                f"{n} of {len(rows)} preferences repeat the units, quality and judge of another "
                "one; keep one of them, or name every judge in the column 'judge'"
            )
        return cls(pl.DataFrame(rows, schema=PREFERENCE_SCHEMA, orient="row"))

    def __len__(self) -> int:
        return self.frame.height


def preference_problem(preference: Preference) -> str | None:
    """Why a preference cannot be used, never quoting the input; null if it can."""
    p = preference
    units = p.dialog_a is not None and p.dialog_b is not None
    systems = p.dialog_a is None and p.dialog_b is None and p.system_a and p.system_b and p.prompt
    if not units and not systems:
        return f"a preference needs {SIDES}"
    if p.sides[0] == p.sides[1]:
        return "a and b are the same; a preference is between two"
    if (p.turn_a is None) != (p.turn_b is None):
        return "one side is a turn and the other a whole dialog; give both turns or none"
    if p.judge_kind is not None and p.judge_kind not in JUDGE_KINDS:
        return f"the judge_kind must be one of {', '.join(JUDGE_KINDS)}"
    if p.preferred is not None and p.preferred not in CHOICES:
        return "the preferred one must be a, b or tie, or null for 'not rated'"
    return None
