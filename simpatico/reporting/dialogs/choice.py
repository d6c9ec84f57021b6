"""Which dialogs a page quotes: the ends of what raters gave, and where a score disagrees with them.

Dialogs are compared by ranks: scores have units of their own and ratings end at the top of a scale,
so that only positions among all dialogs of the run can be set side by side. Each rule finds one
dialog, and its title says only what is true of that dialog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.charts.systems import shorten_name
from simpatico.errors import UnknownName, suggest_names
from simpatico.stats.ranks import mid_ranks
from simpatico.wording import format_count, lower_first_letter, title_from_name

SHOWN = 4
"""Scores beside a quoted dialog."""
SYSTEMS = 6
"""Systems that get dialogs of their own."""
RATED = 4
"""Fewest rated dialogs in which ranks of raters and of a score can be set side by side."""
DISAGREE = 25.0
"""Percentile points between two ranks that are called a disagreement: a quarter of all dialogs."""
TOP, HIGH, LOW, BOTTOM = 90.0, 60.0, 40.0, 10.0
"""Percentiles from which, or below which, a rank is called by these words."""

UNIT = ["dialog", "speaker", "system"]
"""What has a score: the part of one speaker in a dialog."""
RATING: dict[str, pl.DataType] = {
    "value": pl.Float64(),
    "judges": pl.Int64(),
    "quality": pl.String(),
    "scale_min": pl.Float64(),
    "scale_max": pl.Float64(),
}
"""Columns of ratings; in a pool they begin with an underscore, as a score may have any name."""


@dataclass(frozen=True)
class ScorePlace:
    """Where a dialog stands among all dialogs of the run: mid-rank percentile, 0 to 100."""

    score: str
    value: float
    percentile: float


@dataclass(frozen=True)
class Example:
    """A dialog to quote, one speaker's part in it being what was scored and rated."""

    title: str
    dialog: str
    speaker: str
    system: str
    lead: str
    places: tuple[ScorePlace, ...]
    rating: float | None
    quality: str | None
    judges: int
    scale: tuple[float, float] | None = None
    """Ends of the scale of the rating."""
    low_turn: int | None = None
    """The first turn where a dialog that ended badly went wrong, and by what that is known."""
    low_reason: str = ""


@dataclass(frozen=True)
class Pool:
    """Dialogs in the order of their ids; the first of `scores` is the one the page is about."""

    frame: pl.DataFrame
    scores: tuple[str, ...]
    titles: Mapping[str, str]

    @cached_property
    def values(self) -> Floats:
        """A row per dialog and a column per score, NaN where there is none."""
        return np.stack([self.column(name) for name in self.scores], axis=1)

    @cached_property
    def places(self) -> Floats:
        """The percentiles of `values`, each score on its own."""
        return np.stack([percentiles(column) for column in self.values.T], axis=1)

    @property
    def lead(self) -> Floats:
        """The score the page is about."""
        return self.values[:, 0]

    @cached_property
    def rating(self) -> Floats:
        """The rating of each dialog, NaN where nobody rated it."""
        return self.column("_value")

    @cached_property
    def both(self) -> Bools:
        """Which dialogs have a rating and the lead."""
        return np.isfinite(self.rating) & np.isfinite(self.lead)

    @cached_property
    def rated(self) -> bool:
        """Whether raters and the lead can be set side by side."""
        return bool(self.both.sum() >= RATED) and varies(self.rating[self.both])

    def column(self, name: str) -> Floats:
        """A column as numbers; what is missing or infinite is NaN."""
        values = self.frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return np.where(np.isfinite(values), values, np.nan)

    def scale(self, row: int) -> tuple[float, float] | None:
        """The ends of the scale on which the dialog was rated, where they are known."""
        low, high = self.frame["_scale_min"][row], self.frame["_scale_max"][row]
        return (low, high) if low is not None and high is not None and low < high else None

    def share(self, row: int) -> float | None:
        """Where the rating stands on its scale, 0 to 1."""
        if (scale := self.scale(row)) is None:
            return None
        return float((self.rating[row] - scale[0]) / (scale[1] - scale[0]))

    def title(self, place: int = 0) -> str:
        """The name of a score inside a sentence."""
        return lower_first_letter(score_title(self.scores[place], self.titles))


class Rule(NamedTuple):
    """The dialog with the highest key is quoted; NaN where a dialog has no part in it."""

    key: Floats
    title: Callable[[int], str]
    exact: bool = True
    """Only the very highest key will do; else the highest of those not yet quoted."""
    first: Callable[[int], tuple[str, ...]] = lambda row: ()
    """Scores to show before the others."""


def choose_examples(
    dialogs: pl.DataFrame,
    scores: Sequence[str],
    titles: Mapping[str, str],
    lead: str,
    ratings: pl.DataFrame | None,
    limit: int = 24,
) -> list[Example]:
    """The dialogs to quote, each once, whatever the order of the rows; people are not in them."""
    pool = gather_pool(dialogs, tuple(dict.fromkeys((lead, *scores))), titles, ratings)
    free = np.ones(pool.frame.height, dtype=np.bool_)
    dialog = pool.frame["dialog"].rank("dense").to_numpy()
    examples: list[Example] = []
    for rule in quote_rules(pool):
        present = np.isfinite(rule.key)
        if len(examples) == limit or not (present & free).any():
            continue
        keys = np.where(present & free, rule.key, -np.inf)
        row = int(keys.argmax())
        if rule.exact and keys[row] < rule.key[present].max():
            continue  # the dialog with the highest key is quoted already, under another title
        examples.append(build_example(pool, row, rule))
        free &= dialog != dialog[row]
    return examples


def gather_pool(
    dialogs: pl.DataFrame,
    scores: tuple[str, ...],
    titles: Mapping[str, str],
    ratings: pl.DataFrame | None,
) -> Pool:
    """Dialogs with their ratings, sorted, so that a tie goes to the first id."""
    for name in scores:
        if name not in dialogs.columns:
            raise UnknownName(f"no score {name!r}; {suggest_names(name, dialogs.columns)}")
    key = ["dialog", "speaker"]
    if ratings is None:
        ratings = pl.DataFrame(schema={"dialog": pl.String, "speaker": pl.String, **RATING})
    columns = [pl.col(c).cast(t).alias(f"_{c}") for c, t in RATING.items()]
    finite = ratings.select(*key, *columns).filter(pl.col("_value").is_finite())
    once = finite.sort(finite.columns).unique(key, keep="first", maintain_order=True)
    frame = dialogs.select(*UNIT, *scores).sort(UNIT)
    return Pool(frame.join(once, on=key, how="left", maintain_order="left"), scores, titles)


def build_example(pool: Pool, row: int, rule: Rule) -> Example:
    """What is known about the dialog of a row, besides its text."""
    facts = pool.frame.row(row, named=True)
    order = [pool.scores.index(s) for s in dict.fromkeys((*rule.first(row), *pool.scores))]
    places = [
        ScorePlace(pool.scores[i], float(pool.values[row, i]), float(pool.places[row, i]))
        for i in order
        if np.isfinite(pool.values[row, i])
    ]
    return Example(
        title=rule.title(row),
        **{key: facts[key] for key in UNIT},
        lead=pool.scores[0],
        places=tuple(places[:SHOWN]),
        rating=facts["_value"],
        quality=facts["_quality"],
        judges=facts["_judges"] or 0,
        scale=pool.scale(row),
    )


def score_title(score: str, titles: Mapping[str, str]) -> str:
    """What a score is called: its title, or its name as words."""
    return titles.get(score) or title_from_name(score)


def percentiles(values: Floats) -> Floats:
    """Mid-rank percentiles, 100 (rank − ½) / n, among the values that exist."""
    present = np.isfinite(values)
    ranks = np.full(len(values), np.nan)
    ranks[present] = 100 * (mid_ranks(values[present]) - 0.5) / max(int(present.sum()), 1)
    return ranks


def varies(values: Floats) -> bool:
    """Whether there are two different values, so that one can be called the highest."""
    finite = values[np.isfinite(values)]
    return bool(finite.size and finite.min() < finite.max())


def quote_rules(pool: Pool) -> Iterator[Rule]:
    """The reasons to quote a dialog, the most telling first."""
    number = pool.frame["dialog"].n_unique()
    if number <= 2:
        title = "The only dialog" if number == 1 else "One of 2 dialogs"
        yield from [Rule(np.zeros(pool.frame.height), lambda row: title, exact=False)] * number
        return
    yield from rated_rules(pool) if pool.rated else scored_rules(pool)
    for system in pool.frame["system"].unique().sort().to_list()[:SYSTEMS]:
        yield from system_rules(pool, system)


def rated_rules(pool: Pool) -> Iterator[Rule]:
    """The lowest and the highest rated, then where raters and the lead differ most, both ways.

    Of dialogs with the same rating, the one that the lead puts furthest out. Where the lead falls
    as ratings rise, its ranks are turned round first, or agreement would be called disagreement;
    titles then say so.
    """
    raters = percentiles(np.where(pool.both, pool.rating, np.nan))
    lead = percentiles(np.where(pool.both, pool.lead, np.nan))
    opposite = bool(np.nansum((raters - 50) * (lead - 50)) < -1e-6)
    lead = 100 - lead if opposite else lead
    tail = ", though the two usually correlate negatively" if opposite else ""

    def describe(row: int, order: int = 1) -> str:
        score = f"{pool.title()} {standing(pool.places[row, 0])}"
        rating = f"raters {rated_standing(raters[row], pool.share(row))}"
        return ", ".join([score, rating][::order])

    def describe_end(row: int, end: str) -> str:
        ties = int((pool.rating == pool.rating[row]).sum()) - 1
        start = f"{end} rated{f', like {format_count(ties)} more' if ties else ''}"
        if not np.isfinite(pool.lead[row]):
            return start
        return f"{start}: {pool.title()} {standing(pool.places[row, 0])}"

    ends = percentiles(pool.rating) + np.where(pool.both, lead, 50.0) / 1_000
    over, under = (np.where(gap > DISAGREE, gap, np.nan) for gap in (lead - raters, raters - lead))
    yield Rule(-ends, lambda row: describe_end(row, "Lowest"))
    yield Rule(ends, lambda row: describe_end(row, "Highest"))
    yield Rule(over, lambda row: f"Disagree: {describe(row)}{tail}", exact=False)
    yield Rule(under, lambda row: f"Disagree: {describe(row, -1)}{tail}", exact=False)


def standing(percentile: float) -> str:
    """Where a score stands among the dialogs of the run, in words."""
    for bound, words in ((TOP, "in the top 10%"), (HIGH, "above the median")):
        if percentile >= bound:
            return words
    for bound, words in ((BOTTOM, "in the bottom 10%"), (LOW, "below the median")):
        if percentile <= bound:
            return words
    return "near the median"


def rated_standing(percentile: float, share: float | None) -> str:
    """Where a rating stands, in words; its ends are those of its scale where it is known."""
    if percentile >= TOP:
        return "near the top" if share is None or share >= 0.75 else "among their highest"
    if percentile <= BOTTOM:
        return "near the bottom" if share is None or share <= 0.25 else "among their lowest"
    return standing(percentile)


def scored_rules(pool: Pool) -> Iterator[Rule]:
    """Both ends of the lead, then where two scores differ most."""
    if varies(pool.lead):
        yield Rule(pool.lead, lambda row: f"Highest {pool.title()}")
        yield Rule(-pool.lead, lambda row: f"Lowest {pool.title()}")
    high = np.where(np.isnan(pool.places), -1.0, pool.places)
    low = np.where(np.isnan(pool.places), 101.0, pool.places)
    clear = (high.max(axis=1) >= HIGH) & (low.min(axis=1) <= LOW)

    def extremes(row: int) -> tuple[int, int]:
        return int(high[row].argmax()), int(low[row].argmin())

    def describe(row: int) -> str:
        upper, lower = (pool.title(place) for place in extremes(row))
        return f"Metrics disagree: {upper} high, {lower} low"

    yield Rule(
        np.where(clear, high.max(axis=1) - low.min(axis=1), np.nan),
        describe,
        exact=False,
        first=lambda row: tuple(pool.scores[i] for i in extremes(row)),
    )


def system_rules(pool: Pool, system: str) -> Iterator[Rule]:
    """The two ends of a system's dialogs, by rating or, where there is none, by the lead.

    Every system is quoted, not only those at the ends of the whole run.
    """
    own = (pool.frame["system"] == system).to_numpy()
    rated = pool.rated and bool(np.isfinite(pool.rating[own]).any())
    key = np.where(own, pool.rating if rated else pool.lead, np.nan)
    name, what = shorten_name(system), "rated" if rated else pool.title()
    if varies(key):
        yield Rule(key, lambda row: f"{name}: highest {what}")
        yield Rule(-key, lambda row: f"{name}: lowest {what}")
        return
    number = pool.frame.filter(own)["dialog"].n_unique()
    title = "the only dialog" if number == 1 else f"one of {format_count(number)} dialogs"
    yield Rule(np.where(own, 0.0, np.nan), lambda row: f"{name}: {title}", exact=False)
