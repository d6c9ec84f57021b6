"""What a comparison comes to: the pair that matters, its headline, and its findings in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from simpatico.comparison.difference import Difference, Finding
from simpatico.comparison.samples import EACH, PEOPLE
from simpatico.comparison.verdict import CORRECTIONS, HINT, SHARED, phrase
from simpatico.wording import format_count, format_number, lower_first_letter

FOUND: tuple[Finding, ...] = ("higher", "lower")
CLAIMS = 3
"""So many findings a headline names."""
SMALL, LARGE = 0.4, 0.8
"""Standard deviations from which a difference is called moderate, and large."""
NOUNS = {"prompt": "answer", "dialog": "dialog"}
COUNTS = ("Zero", "One", "Two", "Three", "Four", "Five")


class Name(NamedTuple):
    """The name of a system within a text, so that a page can show whose it is."""

    name: str


Part = str | Name


def plain(parts: Sequence[Part]) -> str:
    return "".join(part.name if isinstance(part, Name) else part for part in parts)


def pairs_of(found: Sequence[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """The differences of each pair of systems, in their order."""
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for told in found:
        pairs.setdefault((told.a, told.b), []).append(told)
    return pairs


def main_pair(found: Sequence[Difference]) -> tuple[str, str] | None:
    """The pair with most findings, then most hints, then the largest differences."""

    def weight(pair: tuple[str, str]) -> tuple[int, int, float]:
        own = pairs[pair]
        return len(of(own, *FOUND)), len(of(own, "hint")), sum(effect(d) for d in own)

    pairs = pairs_of(found)
    return max(pairs, key=weight, default=None)


def of(pair: Sequence[Difference], *findings: Finding) -> list[Difference]:
    """Those with one of these findings: those with a direction first, traditional ones last.

    How long or how often is quickly said, and is not what somebody comes here for.
    """
    own = [d for d in pair if d.finding in findings]
    return sorted(own, key=lambda d: (d.better is None, d.kind == "traditional", -effect(d)))


def effect(told: Difference) -> float:
    """The size of a difference beside the spread of its units; without any spread endless."""
    if not told.difference:
        return 0.0
    return abs(told.difference) / told.sd if told.sd else inf


def grouped(pair: Sequence[Difference]) -> list[tuple[str, list[Difference]]]:
    """The differences of one pair by what was found, each group under its title."""
    if not pair:
        return []
    a = pair[0].a
    groups = [
        (f"Higher for {a}", of(pair, "higher")),
        (f"Lower for {a}", of(pair, "lower")),
        (HINT, of(pair, "hint")),
        ("Can't tell apart", of(pair, "unclear")),
        ("Not compared", of(pair, "same", "too_few")),
    ]
    return [(title, own) for title, own in groups if own]


def faced(pair: Sequence[Difference]) -> list[Difference]:
    """One pair with that system first which is higher more often: in findings, else in hints."""
    hints = of(pair, "hint")
    above = sum((d.difference or 0.0) > 0 for d in hints)
    ahead = len(of(pair, "higher")) - len(of(pair, "lower")) or above - (len(hints) - above)
    return [swapped(d) for d in pair] if ahead < 0 else list(pair)


def swapped(told: Difference) -> Difference:
    """The same difference seen from the other system."""
    return replace(
        told,
        a=told.b,
        b=told.a,
        difference=mirrored(told.difference),
        low=mirrored(told.high),
        high=mirrored(told.low),
        n_a=told.n_b,
        n_b=told.n_a,
        mean_a=told.mean_b,
        mean_b=told.mean_a,
        times_in_100=mirrored(told.times_in_100, 100.0),
        times_low=mirrored(told.times_high, 100.0),
        times_high=mirrored(told.times_low, 100.0),
        wide_low=mirrored(told.wide_high),
        wide_high=mirrored(told.wide_low),
    )


def mirrored(value: float | None, whole: float = 0.0) -> float | None:
    return None if value is None else whole - value


def alone(system: str) -> list[Part]:
    """The headline where there is one system."""
    return [Name(system), " was scored alone; there is nothing to compare it with."]


def headline(pair: Sequence[Difference]) -> list[Part]:
    """What a pair comes to, in up to three findings and what can't be told."""
    compared = [d for d in pair if d.finding != "too_few"]
    if not pair:
        return ["There is nothing to compare."]
    if not compared:
        return too_few(fullest(pair))
    if not of(pair, *FOUND):
        return undecided(compared)
    higher, lower = of(pair, "higher"), of(pair, "lower")
    largest = max([*higher, *lower], key=effect)
    first = named_with(largest, higher, CLAIMS - bool(lower))
    second = named_with(largest, lower, CLAIMS - len(first))
    rest = len(higher) + len(lower) - len(first) - len(second)
    more = f" There {'is' if rest == 1 else 'are'} {format_count(rest, 'more difference')}."
    return [*claims(first, second), more if rest else "", *unclear(of(pair, "unclear"))]


def named_with(largest: Difference, own: Sequence[Difference], most: int) -> list[Difference]:
    """The first few; the largest of all takes the place of the last if it would go unnamed."""
    chosen = list(own[:most])
    if largest in own and largest not in chosen and chosen:
        chosen[-1] = largest
    return chosen


def claims(first: Sequence[Difference], second: Sequence[Difference]) -> list[Part]:
    """A sentence on what the first system is higher in, and one on what it is lower in."""
    told = [*first, *second][0]
    subject: Part = Name(told.a)
    parts: list[Part] = []
    for own in (first, second):
        phrases = [bare(d) for d in own]
        if phrases and not parts:
            parts = [subject, f" {phrase(own[0])} ", Name(told.b), f"{joined(phrases)}."]
        elif phrases:
            it: Part = subject if told.a.startswith(PEOPLE) else "It"
            parts += [" ", it, f" {phrases[0]}{joined(phrases)}."]
    return parts


def joined(phrases: Sequence[str]) -> str:
    """All phrases but the first, as they follow it."""
    *middle, last = phrases
    return "" if not middle else "".join(f", {p}" for p in middle[1:]) + f" and {last}"


def bare(told: Difference) -> str:
    """The phrase where the other system was named before."""
    return phrase(told).removesuffix(" than")


def unclear(own: Sequence[Difference]) -> list[Part]:
    if not own:
        return []
    others = f" and {len(own) - 1} more" if own[1:] else ""
    return [f" On {topic(own[0])}{others} we can't tell the two apart."]


def undecided(compared: Sequence[Difference]) -> list[Part]:
    """The headline where nothing was found."""
    first, n = compared[0], len(compared)
    names: list[Part] = [Name(first.a), " and ", Name(first.b)]
    hints = len(of(compared, "hint"))
    hint = f" There {'is' if hints == 1 else 'are'} {format_count(hints, 'hint')}." if hints else ""
    if n == 1:
        return [f"On {topic(first)} we can't tell ", *names, f" apart.{hint}"]
    kind = "metrics" if len({d.metric for d in compared}) == n else "scores"
    return ["We can't tell ", *names, f" apart on any of {n} {kind}.{hint}"]


def too_few(told: Difference) -> list[Part]:
    """The headline where there are not even enough units; if one system lacks them, which."""
    short = min((told.n_a, told.a), (told.n_b, told.b))
    owner: list[Part] = [" of ", Name(short[1])] if max(told.n_a, told.n_b) >= EACH else []
    many = short[0] if owner else told.n_a + told.n_b
    if told.paired:
        many, owner = told.n_a, [f" {SHARED[told.unit]}"]
    spelled = COUNTS[many] if many < len(COUNTS) else format_count(many)
    verb = "is" if many == 1 else "are"
    noun = told.unit if many == 1 else f"{told.unit}s"
    return [f"{spelled} {noun}", *owner, f" {verb} too few to compare anything."]


def topic(told: Difference) -> str:
    """The title within a sentence."""
    return lower_first_letter(told.title)


def fullest(pair: Sequence[Difference]) -> Difference:
    return max(pair, key=lambda d: d.n_a + d.n_b)


def based_on(pair: Sequence[Difference]) -> str:
    """How many units; scores can have fewer where a metric left some out."""
    told = fullest(pair)
    uneven = any((d.n_a, d.n_b) != (told.n_a, told.n_b) for d in pair)
    most = "up to " if uneven else ""
    if told.paired:
        return f"{most}{format_count(told.n_a, told.unit)} {SHARED[told.unit]}"
    return f"{most}{format_count(told.n_a + told.n_b, told.unit)}, {format_count(told.n_a)} and {format_count(told.n_b)}"


def lede(pair: Sequence[Difference]) -> list[Part]:
    """On how much the headline rests, and how large the largest difference is."""
    if not pair:
        return []
    found = of(pair, *FOUND) or of(pair, "hint")
    sized = max(found, key=effect, default=None)
    basis = f"Based on {based_on(pair)}."
    return [basis] if sized is None else [f"{basis} ", *size(sized)]


def size(told: Difference) -> list[Part]:
    """A difference beside the spread, and how often it is seen."""
    head = f"The largest of these is {beside(told)}"
    if told.times_in_100 is None:
        return [f"{head}."]
    up = (told.difference or 0.0) > 0
    times = told.times_in_100 if up else 100 - told.times_in_100
    where = "on the same prompt " if told.unit == "prompt" else "in the same dialog "
    if not told.paired:
        where = f"take one {NOUNS[told.unit]} of each at random and "
    side = f"comes out {'higher' if up else 'lower'} in {topic(told)}"
    said = f" {side} {format_number(times, 0)} times in 100 (ties count half)."
    return [f"{head}: {where}", Name(told.a), said]


def beside(told: Difference) -> str:
    """How large in words and standard deviations."""
    if told.sd is None:
        return f"one between {told.unit}s that do not vary"
    share = effect(told)
    words = "small next to" if share < SMALL else "moderate compared with"
    words = "large compared with" if share >= LARGE else words
    return f"{words} the spread between {told.unit}s ({format_number(share, 1)} SD)"


def family_note(found: Sequence[Difference]) -> str:
    """What makes a finding, and how to read the numbers beside it."""
    if not found:
        return ""
    first = found[0]
    level = f"{1 - first.confidence:.4g}".removeprefix("0")
    how = f" after {CORRECTIONS[first.correction]} over {first.family} comparisons"
    return (
        f"In brackets the {percent(first)} interval. A finding needs p ≤ {level}"
        f"{how if first.family > 1 else ''}; what only the uncorrected p or the interval shows is "
        "a hint. What would have shown is found 80 times in 100."
    )


def lines_note(found: Sequence[Difference]) -> str:
    """How to read a drawing of the intervals."""
    if not found:
        return ""
    first = found[0]
    thick = f"Thick line: the {percent(first)} interval"
    if first.family < 2:
        return f"{thick}; there is one comparison, so nothing is corrected."
    return f"{thick}; thin ends: the same for all {first.family} comparisons at once (Bonferroni)."


def percent(told: Difference) -> str:
    return f"{100 * told.confidence:.4g}%"
