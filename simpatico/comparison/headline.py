"""The summary of a comparison: the pair that matters most, its headline and grouped findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, inf
from typing import NamedTuple

from simpatico.comparison.difference import Difference, Finding, Standing
from simpatico.comparison.samples import HUMAN, MIN_VALUES
from simpatico.comparison.verdict import CORRECTIONS, HINT, SHARED, comparison_phrase
from simpatico.wording import format_count, format_number, lower_first_letter

FINDINGS: tuple[Finding, ...] = ("higher", "lower")
RANKS: dict[Standing, int] = {
    "follows these raters": 0,
    "follows people": 1,
    "descriptive": 2,
    "weak": 3,
    "unproven": 3,
}
"""The order in which scores are named; the last ones never lead, and are called exploratory."""
FOLLOWS_PEOPLE, DESCRIBES = 1, 2
MAX_CLAIMS = 3
"""Significant differences that a headline names; the table below it has all of them."""
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


def group_by_pair(differences: Sequence[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """The differences of each pair of systems, in their order."""
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        pairs.setdefault((d.a, d.b), []).append(d)
    return pairs


def main_pair(differences: Sequence[Difference]) -> tuple[str, str] | None:
    """The pair with most significant, then most suggestive, then the largest differences.

    With three systems or more a page can open with one pair only; the others follow in tables.
    Differences on scores that follow people count first, exploratory ones last; of pairs that are
    equal, the first by name, so that it does not depend on the order of the runs.
    """
    pairs = group_by_pair(differences)

    def rank(pair: tuple[str, str]) -> tuple[int, int, int, int, float]:
        own = pairs[pair]
        findings, hints = (select_findings(own, *names) for names in (FINDINGS, ("hint",)))
        counts = (
            sum(RANKS[d.evidence] <= most for d in findings)
            for most in (FOLLOWS_PEOPLE, DESCRIBES, max(RANKS.values()))
        )
        return *counts, len(hints), fsum(effect_size(d) for d in own)  # type: ignore[return-value]

    return max(sorted(pairs, key=sorted), key=rank, default=None)


def select_findings(pair: Sequence[Difference], *findings: Finding) -> list[Difference]:
    """Differences with one of these findings: scores that follow people first, exploratory last.

    Among these, scores with a better direction come first and those of traditional metrics last
    (length and counts are quickly said, and not what somebody comes here for), then the largest
    effects.
    """
    own = [d for d in pair if d.finding in findings]

    def key(d: Difference) -> tuple[int, bool, bool, float, str]:
        traditional = d.kind == "traditional"
        return RANKS[d.evidence], d.better is None, traditional, -effect_size(d), d.score

    return sorted(own, key=key)


def is_exploratory(d: Difference) -> bool:
    """Whether nothing shows that the score follows people, although it has a better direction."""
    return RANKS[d.evidence] > DESCRIBES


def effect_size(d: Difference) -> float:
    """|difference| / SD of the units within a system (Cohen's d), infinite where nothing varies.

    Scores have different units; only in SDs can one say which difference is the largest.
    """
    if not d.difference:
        return 0.0
    return abs(d.difference) / d.sd if d.sd else inf


def group_by_finding(pair: Sequence[Difference]) -> list[tuple[str, list[Difference]]]:
    """The differences of one pair by finding, each group under its title."""
    if not pair:
        return []
    a = pair[0].a
    groups = [
        (f"Higher for {a}", select_findings(pair, "higher")),
        (f"Lower for {a}", select_findings(pair, "lower")),
        (HINT, select_findings(pair, "hint")),
        ("No significant difference", select_findings(pair, "unclear")),
        ("Not compared", select_findings(pair, "same", "too_few")),
    ]
    return [(title, own) for title, own in groups if own]


def orient_pair(pair: Sequence[Difference]) -> list[Difference]:
    """One pair with that system first which is higher on the score that leads the headline.

    Where no score follows people: which is higher more often, in findings, else in hints, because
    "A does more of x, y and z than B" reads better than three times less, and says the same.
    """
    if not pair:
        return []
    findings, hints = select_findings(pair, *FINDINGS), select_findings(pair, "hint")

    def above(own: Sequence[Difference]) -> int:
        return sum(1 if (d.difference or 0.0) > 0 else -1 for d in own)

    first = [d for d in findings[:1] if RANKS[d.evidence] <= FOLLOWS_PEOPLE]
    lead = above(first) or above(findings) or above(hints) or above((findings or hints)[:1])
    lead = lead or (1 if pair[0].a <= pair[0].b else -1)
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
    """The summary of a pair: up to three significant differences, and which scores show none.

    Differences on scores that are not shown to follow people are only counted.
    """
    comparable = [d for d in pair if d.finding != "too_few"]
    if not pair:
        return ["There is nothing to compare."]
    if not comparable:
        return too_few_headline(largest_sample(pair))
    findings = select_findings(pair, *FINDINGS)
    leading = [d for d in findings if not is_exploratory(d)]
    if not leading:
        return undecided_headline(comparable)
    higher, lower = (select_findings(leading, finding) for finding in FINDINGS)
    largest = max(leading, key=effect_size)
    first = select_claims(higher, largest, MAX_CLAIMS - bool(lower))
    second = select_claims(lower, largest, MAX_CLAIMS - len(first))
    parts = claim_sentences(first, second)
    if rest := len(leading) - len(first) - len(second):
        verb = "is" if rest == 1 else "are"
        parts.append(f" There {verb} {format_count(rest, 'more difference')}.")
    if rest := len(findings) - len(leading):
        scores = "a score" if rest == 1 else "scores"
        count = format_count(rest, "difference")
        parts.append(f" Exploratory: {count} on {scores} not shown to follow people.")
    if unclear := select_findings(pair, "unclear"):
        rest = len(unclear) - 1
        others = f" and {format_count(rest, 'other score')}" if rest else ""
        title = lower_first_letter(unclear[0].title)
        parts.append(f" No significant difference on {title}{others}.")
    return parts


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
    return max(pair, key=lambda d: d.n_a + d.n_b)


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
    findings = select_findings(pair, *FINDINGS)
    leading = [d for d in findings if not is_exploratory(d)]
    d = max(leading or findings or select_findings(pair, "hint"), key=effect_size, default=None)
    basis = f"Based on {sample_size_text(pair)}."
    if d is None:
        return [basis]
    if d.sd is None:
        size = f"(no SD: {d.unit}s do not vary within a system)"
    else:
        sds = effect_size(d)
        word = "large" if sds >= LARGE else "small" if sds < SMALL else "moderate"
        size = f"({word}, {format_number(sds, 1)} SD between {d.unit}s)"
    opening = f"{basis} Largest effect {size}"
    if d.times_in_100 is None:
        return [f"{opening}."]
    up = (d.difference or 0.0) > 0
    times = d.times_in_100 if up else 100 - d.times_in_100
    units = f"{d.unit}s" if d.paired else f"random pairs of {RANDOM_PAIRS[d.unit]}"
    side = f"is {'higher' if up else 'lower'} in {lower_first_letter(d.title)}"
    ending = f" {side} in {format_number(times, 0)}% of {units} (ties count half)."
    return [f"{opening}: ", SystemName(d.a), ending]


def family_note(differences: Sequence[Difference]) -> str:
    """When a difference is called significant or suggestive, and what the brackets hold."""
    if not differences:
        return ""
    first = differences[0]
    level = f"{1 - first.confidence:.4g}".removeprefix("0")
    how = f" after {CORRECTIONS[first.correction]} correction for {first.family} comparisons"
    return (
        f"Brackets: {confidence_percent(first)} CI. Significant: p ≤ {level}"
        f"{how if first.family > 1 else ''}. Suggestive: only the uncorrected p or the CI "
        "indicates a difference."
    )


def confidence_percent(d: Difference) -> str:
    """The confidence level as text: 95%."""
    return f"{100 * d.confidence:.4g}%"
