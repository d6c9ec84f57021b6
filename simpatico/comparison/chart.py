"""Differences as a drawing: the table of a page, a notebook or a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from simpatico.charts.differences import Gap, Gaps, gaps_table
from simpatico.charts.html import Child, el
from simpatico.charts.notebook import framed
from simpatico.charts.systems import Party, named, parties
from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import (
    Part,
    faced,
    grouped,
    headline,
    lede,
    main_pair,
    pairs_of,
    plain,
)
from simpatico.comparison.verdict import amount, claim, judged, sentence, would_show

SIDES = {"higher": "a", "lower": "b"}


def gaps_of(
    pair: Sequence[Difference],
    who: Mapping[str, Party],
    tracks: Callable[[str], str] | None = None,
) -> Gaps:
    """One pair of systems, its findings in groups; `tracks` says how a score follows raters."""
    a, b = who[pair[0].a], who[pair[0].b]
    brief = [replace(d, a=a.shown, b=b.shown) for d in pair]
    groups = tuple((title, tuple(gap(d, tracks) for d in own)) for title, own in grouped(brief))
    caption = f"Differences between {a.name} and {b.name}"
    first = pair[0]
    return Gaps(a, b, groups, caption, tracks is not None, first.unit, first.confidence)


def gap(told: Difference, tracks: Callable[[str], str] | None = None) -> Gap:
    """One row of the table."""
    return Gap(
        claim=claimed(told),
        note=noted(told),
        difference=told.difference,
        low=told.low,
        high=told.high,
        wide_low=told.wide_low,
        wide_high=told.wide_high,
        sd=told.sd,
        times=told.times_in_100,
        tracks=tracks(told.score) if tracks else "",
        side=SIDES.get(told.finding),  # type: ignore[arg-type]
    )


def claimed(told: Difference) -> list[Child]:
    """The sentence of a row, its numbers kept in one piece."""
    numbers = el("span", {"class": "num"}, amount(told)) if told.difference is not None else None
    match told.finding:
        case "higher" | "lower" | "hint":
            return [claim_of(told), ": ", numbers, "."]
        case "unclear":
            small = el("small", {"class": "in"}, would_show(told))
            return [el("b", None, told.title), ": ", numbers, " ", small]
        case _:
            return [sentence(told)]


def claim_of(told: Difference) -> list[Child]:
    """The claim with its names apart, since one from right to left would turn the numbers."""
    between = claim(replace(told, a="", b=""))
    return [el("bdi", None, told.a), between, el("bdi", None, told.b)]


def noted(told: Difference) -> str:
    """The small line below a claim."""
    if told.finding in SIDES:
        return f"{told.title} · {judged(told)}"
    if told.finding == "hint":
        luck = "one like this turns up by luck now and then"
        return f"{told.title} · among {told.family} comparisons, {luck}"
    return ""


def coloured(parts: Sequence[Part], who: Mapping[str, Party]) -> list[Child]:
    """A text with the names of systems in their colours."""
    return [part if isinstance(part, str) else named(who[part.name]) for part in parts]


def notebook(found: Sequence[Difference]) -> str:
    """The pair that is told apart most, as a notebook shows it."""
    pairs = pairs_of(found)
    main = main_pair(found)
    if main is None:
        return framed(el("p", None, "There are no two systems to compare."))
    who = parties(dict.fromkeys(name for pair in pairs for name in pair), main)
    pair = faced(pairs[main])
    rest = len(pairs) - 1
    more = (
        f"{rest} more {'pair' if rest == 1 else 'pairs'} of systems in this list." if rest else ""
    )
    return framed(
        el("p", {"class": "lead"}, coloured(headline(pair), who)),
        el("p", {"class": "small"}, plain(lede(pair))),
        gaps_table(gaps_of(pair, who)),
        el("p", {"class": "small"}, more) if more else None,
    )
