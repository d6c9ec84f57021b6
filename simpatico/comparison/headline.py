"""The summary of a comparison: the pair that matters most, its headline and grouped findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from simpatico.comparison.difference import Difference
from simpatico.comparison.ranking import (
    DESCRIBES,
    FINDINGS,
    FOLLOWS_PEOPLE,
    RANKS,
    effect_size,
    group_by_pair,
    is_descriptive,
    is_exploratory,
    people_rows,
    score_rows,
    select_findings,
)
from simpatico.comparison.samples import HUMAN, MIN_VALUES, PERCENT
from simpatico.comparison.verdict import (
    CORRECTIONS,
    SHARED,
    comparison_phrase,
    rating_text,
)
from simpatico.wording import format_count, format_number, join_with_and, lower_first_letter

MAX_CLAIMS = 3
CLAIMS_AFTER_RATINGS = 1
"""Significant differences that a headline names, and where people's ratings come first; the table
below it has all of them."""
SMALL, LARGE = 0.4, 0.8
"""Differences in SDs below which one is called small, and from which it is called large."""
RANDOM_PAIRS = {"prompt": "replies", "dialog": "dialogs"}
COUNTS = ("Zero", "One", "Two", "Three", "Four", "Five")


class SystemName(NamedTuple):
    """The name of a system within a text, so that a page can show it in the system's colour."""

    name: str


TextPart = str | SystemName


def plain_text(parts: Sequence[TextPart]) -> str:
    """The text for a terminal, where names have no colour."""
    return "".join(part.name if isinstance(part, SystemName) else part for part in parts)


def main_pair(differences: Sequence[Difference]) -> tuple[str, str] | None:
    """The pair with most significant, then most suggestive, then the largest differences.

    With three systems or more a page can open with one pair only; the others follow in tables.
    Differences in people's ratings count first, then those on scores that follow people,
    exploratory ones last; of pairs that are equal, the first by name, so that it does not depend on
    the order of the runs.
    """
    pairs = group_by_pair(differences)

    def rank(pair: tuple[str, str]) -> tuple[float, ...]:
        own = pairs[pair]
        findings, hints = (select_findings(own, *names) for names in (FINDINGS, ("hint",)))
        counts = (
            sum(RANKS[d.evidence] <= most for d in findings)
            for most in (RANKS["people"], FOLLOWS_PEOPLE, DESCRIBES, max(RANKS.values()))
        )
        return *counts, len(hints), fsum(effect_size(d) for d in own)

    return max(sorted(pairs, key=sorted), key=rank, default=None)


def orient_pair(pair: Sequence[Difference]) -> list[Difference]:
    """One pair with that system first which people rate higher, else the one that leads.

    Without ratings that differ: which is higher on the score that leads the headline, if that
    follows people; else which is higher more often, in findings, else in hints, because "A does
    more of x, y and z than B" reads better than three times less, and says the same.
    """
    if not pair:
        return []
    scores = score_rows(pair)
    findings, hints = select_findings(scores, *FINDINGS), select_findings(scores, "hint")

    def above(own: Sequence[Difference]) -> int:
        return sum(1 if (d.difference or 0.0) > 0 else -1 for d in own)

    rated = [d for d in people_rows(pair) if d.difference]
    first = [d for d in findings[:1] if RANKS[d.evidence] <= FOLLOWS_PEOPLE]
    lead = above(rated[:1]) or above(first) or above(findings) or above(hints)
    lead = lead or above((findings or hints)[:1]) or (1 if pair[0].a <= pair[0].b else -1)
    return [swap_systems(d) for d in pair] if lead < 0 else list(pair)


def swap_systems(d: Difference) -> Difference:
    """The same difference seen from the other system."""
    return replace(
        d,
        a=d.b,
        b=d.a,
        difference=mirror(d.difference),
        low=mirror(d.high),
        high=mirror(d.low),
        n_a=d.n_b,
        n_b=d.n_a,
        mean_a=d.mean_b,
        mean_b=d.mean_a,
        times_in_100=mirror(d.times_in_100, total=100.0),
        times_low=mirror(d.times_high, total=100.0),
        times_high=mirror(d.times_low, total=100.0),
        wide_low=mirror(d.wide_high),
        wide_high=mirror(d.wide_low),
    )


def mirror(value: float | None, *, total: float = 0.0) -> float | None:
    """The value seen from the other system; `total` for shares that add up to it."""
    return None if value is None else total - value


def single_system_headline(system: str) -> list[TextPart]:
    """The headline where there is one system."""
    return [SystemName(system), " is the only system; there is nothing to compare it with."]


def headline(pair: Sequence[Difference]) -> list[TextPart]:
    """The summary of a pair: what people say, then scores that follow people, then descriptions.

    Up to three significant differences are named, and which scores show none. Differences on
    scores that are not shown to follow people are only counted. After people's ratings one
    difference is enough.
    """
    comparable = [d for d in pair if d.finding != "too_few"]
    if not pair:
        return ["There is nothing to compare."]
    if not comparable:
        return too_few_headline(largest_sample(pair))
    parts = people_sentence(people_rows(pair))
    scores = score_rows(comparable)
    findings = select_findings(scores, *FINDINGS)
    leading = [d for d in findings if not is_exploratory(d)]
    if not leading:
        undecided = undecided_headline(scores) if scores else []
        return [*parts, *([" "] if parts and undecided else []), *undecided]
    described = [d for d in leading if is_descriptive(d)]
    shown = [d for d in leading if d not in described]
    by_people = bool(parts)
    room = CLAIMS_AFTER_RATINGS if by_people else MAX_CLAIMS
    for opening, own in (("", shown), ("Descriptive: ", described)):
        claims = own[:room] if by_people else claims_to_name(own, room)
        room -= len(claims)
        if claims:
            higher, lower = ([d for d in claims if d.finding == f] for f in FINDINGS)
            parts += [" "] if parts else []
            parts += [opening] if opening else []
            parts += claim_sentences(higher, lower)
    if by_people:
        return parts
    if rest := len(leading) - (MAX_CLAIMS - room):
        verb = "is" if rest == 1 else "are"
        parts.append(f" There {verb} {format_count(rest, 'more difference')}.")
    if rest := len(findings) - len(leading):
        on = "a score" if rest == 1 else "scores"
        count = format_count(rest, "difference")
        parts.append(f" Exploratory: {count} on {on} not shown to follow people.")
    unclear = [d for d in select_findings(scores, "unclear") if not is_exploratory(d)]
    if unclear:
        rest = len(unclear) - 1
        others = f" and {format_count(rest, 'other score')}" if rest else ""
        title = lower_first_letter(unclear[0].title)
        parts.append(f" No significant difference on {title}{others}.")
    return parts


def people_sentence(rows: Sequence[Difference]) -> list[TextPart]:
    """What people say of two systems: the leading quality with both means, then the others."""
    if not rows:
        return []
    first, others = rows[0], rows[1:]
    a, b = SystemName(first.a), SystemName(first.b)
    if first.mean_a is None or first.mean_b is None or first.finding == "too_few":
        return [f"Too few ratings of “{first.title}” to compare ", a, " with ", b, "."]
    means = f"{rating_text(first.mean_a, first)} vs. {rating_text(first.mean_b, first)}"
    both = f"({means}{' positive' * (first.score_unit == PERCENT)})"
    side = "higher" if (first.difference or 0.0) > 0 else "lower"
    match first.finding:
        case "higher" | "lower":
            opening: list[TextPart] = ["People rate ", a, f" {side} than ", b]
            parts = [*opening, f" on “{first.title}” {both}."]
        case "hint":
            opening = ["People may rate ", a, f" {side} than ", b, f" on “{first.title}” {both}"]
            parts = [*opening, ", but not significantly after correction."]
        case _:
            opening = [f"People’s ratings of “{first.title}” do not differ significantly between "]
            parts = [*opening, a, " and ", b, f" {both}."]
    named = [(f, [f"“{d.title}”" for d in others if d.finding == f]) for f in FINDINGS]
    also = [f"{finding} on {join_with_and(titles)}" for finding, titles in named if titles]
    verb = "is also rated" if first.finding in FINDINGS else "is rated"
    return [*parts, " ", a, f" {verb} {' and '.join(also)}."] if also else parts


def claims_to_name(findings: Sequence[Difference], room: int) -> list[Difference]:
    """The findings that a headline names: of what is higher first, and the largest of all."""
    higher, lower = (select_findings(findings, finding) for finding in FINDINGS)
    if not findings or room < 1:
        return []
    largest = max(findings, key=effect_size)
    first = select_claims(higher, largest, room - bool(lower and room > 1))
    return [*first, *select_claims(lower, largest, room - len(first))]


def select_claims(findings: Sequence[Difference], largest: Difference, n: int) -> list[Difference]:
    """The first n findings; the largest of all takes the last place if it would go unnamed.

    The sentence below the headline gives its size, which must not come as a surprise.
    """
    claims = list(findings[:n])
    if largest in findings and largest not in claims and claims:
        claims[-1] = largest
    return claims


def claim_sentences(higher: Sequence[Difference], lower: Sequence[Difference]) -> list[TextPart]:
    """A sentence on what the first system is higher in, and one on what it is lower in."""
    first = [*higher, *lower][0]
    subject: TextPart = SystemName(first.a)
    parts: list[TextPart] = []
    for claims in (higher, lower):
        # The other system is named once, in the first phrase.
        phrases = [comparison_phrase(d).removesuffix(" than") for d in claims]
        *middle, last = phrases[1:] or [""]
        rest = "".join(f", {p}" for p in middle) + (f" and {last}" if last else "")
        if phrases and not parts:
            opening = f" {comparison_phrase(claims[0])} "
            parts = [subject, opening, SystemName(first.b), f"{rest}."]
        elif phrases:
            pronoun: TextPart = subject if first.a.startswith(HUMAN) else "It"
            parts += [" ", pronoun, f" {phrases[0]}{rest}."]
    return parts


def undecided_headline(comparable: Sequence[Difference]) -> list[TextPart]:
    """The headline where no difference is significant, or only exploratory ones are."""
    findings = select_findings(comparable, *FINDINGS)
    pair = [d for d in comparable if d not in findings]
    parts: list[TextPart] = []
    if pair:
        first, n = pair[0], len(pair)
        names: list[TextPart] = [SystemName(first.a), " and ", SystemName(first.b)]
        hints = len(select_findings(pair, "hint"))
        kind = "metrics" if len({d.metric for d in pair}) == n else "scores"
        scores = f"any of {n} {kind}" if n > 1 else lower_first_letter(first.title)
        verb = "is" if hints == 1 else "are"
        hint = f" {format_count(hints, 'difference')} {verb} suggestive." if hints else ""
        parts = ["No significant difference between ", *names, f" on {scores}.{hint}"]
    if not findings:
        return parts
    what = "a score" if len(findings) == 1 else "scores"
    opening = f"{' ' if pair else ''}Exploratory, on {what} not shown to follow people: "
    higher, lower = (select_findings(findings, finding) for finding in FINDINGS)
    claims = higher[: MAX_CLAIMS - bool(lower)]
    return [*parts, opening, *claim_sentences(claims, lower[: MAX_CLAIMS - len(claims)])]


def too_few_headline(d: Difference) -> list[TextPart]:
    """The headline where there are too few units; names the system if only one lacks them."""
    fewest, system = min((d.n_a, d.a), (d.n_b, d.b))
    n, owner = d.n_a + d.n_b, list[TextPart]()
    if d.paired:
        n, owner = d.n_a, [f" {SHARED[d.unit]}"]
    elif max(d.n_a, d.n_b) >= MIN_VALUES:
        n, owner = fewest, [" of ", SystemName(system)]
    count = COUNTS[n] if n < len(COUNTS) else format_count(n)
    noun, verb = (d.unit, "is") if n == 1 else (f"{d.unit}s", "are")
    return [f"{count} {noun}", *owner, f" {verb} too few to compare anything."]


def largest_sample(pair: Sequence[Difference]) -> Difference:
    """The difference with most units, which says how large the study is."""
    # ties are broken in a way that depends on no order, of scores or of systems
    return max(pair, key=lambda d: (d.n_a + d.n_b, min(d.n_a, d.n_b), d.score))


def sample_size_text(pair: Sequence[Difference]) -> str:
    """How many units; scores can have fewer where a metric could not score some."""
    most = largest_sample(pair)
    uneven = any((d.n_a, d.n_b) != (most.n_a, most.n_b) for d in pair)
    prefix = "up to " if uneven else ""
    if most.paired:
        return f"{prefix}{format_count(most.n_a, most.unit)} {SHARED[most.unit]}"
    total = format_count(most.n_a + most.n_b, most.unit)
    return f"{prefix}{total}, {format_count(most.n_a)} and {format_count(most.n_b)}"


def lede(pair: Sequence[Difference]) -> list[TextPart]:
    """The sample size behind the headline, and how large the largest difference is."""
    if not pair:
        return []
    findings = select_findings(score_rows(pair), *FINDINGS)
    leading = [d for d in findings if not is_exploratory(d)]
    shown = [d for d in leading if not is_descriptive(d)]
    hints = select_findings(score_rows(pair), "hint")
    rated = [d for d in people_rows(pair) if d.difference]
    d = (
        rated[0]
        if rated
        else max(shown or leading or findings or hints, key=effect_size, default=None)
    )
    basis = f"Based on {sample_size_text(pair)}."
    if d is None:
        return [basis]
    if d.sd is None:
        size = f"(no SD: {d.unit}s do not vary within a system)"
    else:
        sds = effect_size(d)
        word = "large" if sds >= LARGE else "small" if sds < SMALL else "moderate"
        size = f"({word}, {format_number(sds, 1)} SD between {d.unit}s)"
    what = "Largest effect on a score that follows people" if shown else "Largest effect"
    if rated:
        what = "Effect on ratings" if d.finding in FINDINGS else "Observed difference in ratings"
    opening = f"{basis} {what} {size}"
    if d.times_in_100 is None:
        return [f"{opening}."]
    up = (d.difference or 0.0) > 0
    times = d.times_in_100 if up else 100 - d.times_in_100
    units = f"{d.unit}s" if d.paired else f"random pairs of {RANDOM_PAIRS[d.unit]}"
    side = f"is {'higher' if up else 'lower'} in {lower_first_letter(d.title)}"
    if rated:
        side = f"is rated {'higher' if up else 'lower'} on “{d.title}”"
    ending = f" {side} in {format_number(times, 0)}% of {units} (ties count half)."
    return [f"{opening}: ", SystemName(d.a), ending]


def family_note(differences: Sequence[Difference]) -> str:
    """When a difference is called significant or suggestive, and what the brackets hold."""
    if not differences:
        return ""
    first = (score_rows(differences) or differences)[0]
    level = f"{1 - first.confidence:.4g}".removeprefix("0")
    how = f" after {CORRECTIONS[first.correction]} correction for {first.family} comparisons"
    ratings = people_rows(differences)
    apart = f", people's ratings apart ({ratings[0].family})" if ratings else ""
    return (
        f"Brackets: {confidence_percent(first)} CI. Significant: p ≤ {level}"
        f"{how + apart if first.family > 1 else ''}. Suggestive: only the uncorrected p or the CI "
        "indicates a difference."
    )


def confidence_percent(d: Difference) -> str:
    """The confidence level as text: 95%."""
    return f"{100 * d.confidence:.4g}%"
