"""Differences by what their scores are worth, and in groups by evidence and by finding."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from simpatico.comparison.difference import Difference, Finding, Standing
from simpatico.comparison.verdict import HINT
from simpatico.evidence import evidence_of

FINDINGS: tuple[Finding, ...] = ("higher", "lower")
RANKS: dict[Standing, int] = {
    "people": 0,
    "follows these raters": 1,
    "follows people": 2,
    "descriptive": 3,
    "weak": 4,
    "unproven": 4,
}
"""The order in which scores are named; the last ones never lead, and are called exploratory."""
FOLLOWS_PEOPLE, DESCRIBES = 2, 3
EXPLORATORY = "Exploratory: scores not shown to follow people"


def group_by_pair(differences: Sequence[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """The differences of each pair of systems, in their order."""
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        pairs.setdefault((d.a, d.b), []).append(d)
    return pairs


def select_findings(pair: Sequence[Difference], *findings: Finding) -> list[Difference]:
    """Differences with one of these findings: scores that follow people first, exploratory last.

    Among these, scores with a better direction come first and those of traditional metrics last
    (length and counts are quickly said, and not what somebody comes here for), then those that
    follow people best, then the largest effects.
    """
    own = [d for d in pair if d.finding in findings]

    def key(d: Difference) -> tuple[int, bool, bool, float, float, str]:
        order = RANKS[d.evidence], d.better is None, d.kind == "traditional"
        return *order, -evidence_strength(d), -effect_size(d), d.score

    return sorted(own, key=key)


def evidence_strength(d: Difference) -> float:
    """|mean rho| with ratings of public data sets, where that is what a score is ranked by."""
    mean = evidence_of(d.score).mean if d.evidence == "follows people" else None
    return abs(mean or 0.0)


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


def leads(d: Difference) -> bool:
    """Whether it is about people's ratings or a score that follows them."""
    return RANKS[d.evidence] <= FOLLOWS_PEOPLE


def is_descriptive(d: Difference) -> bool:
    """Whether the score only describes, so that neither side of it is the better one."""
    return RANKS[d.evidence] == DESCRIBES


def people_rows(pair: Sequence[Difference]) -> list[Difference]:
    """The differences in people's ratings, in their order: the leading quality first."""
    return [d for d in pair if d.evidence == "people"]


def score_rows(pair: Sequence[Difference]) -> list[Difference]:
    """The differences on scores, without people's ratings."""
    return [d for d in pair if d.evidence != "people"]


def group_by_evidence(pair: Sequence[Difference]) -> list[tuple[str, list[Difference]]]:
    """The differences of one pair by what their scores are worth, each group under its title."""
    own = sorted(score_rows(pair), key=lambda d: RANKS[d.evidence])
    groups = [
        ("People's ratings", people_rows(pair)),
        ("Scores that follow people", [d for d in own if RANKS[d.evidence] <= FOLLOWS_PEOPLE]),
        ("Descriptive scores", [d for d in own if is_descriptive(d)]),
        (EXPLORATORY, [d for d in own if is_exploratory(d)]),
    ]
    return [(title, rows) for title, rows in groups if rows]


def group_by_finding(pair: Sequence[Difference]) -> list[tuple[str, list[Difference]]]:
    """The differences of one pair by finding, each group under its title.

    People's ratings come first, whatever they show. What only describes is apart from what follows
    people, and a score that is not shown to do so has no part in either.
    """
    if not pair:
        return []
    a, scores = pair[0].a, score_rows(pair)
    shown = [d for d in scores if RANKS[d.evidence] <= FOLLOWS_PEOPLE]
    described = [d for d in scores if is_descriptive(d)]
    exploratory = [d for d in scores if is_exploratory(d)]
    groups = [
        ("People's ratings", people_rows(pair)),
        (f"Higher for {a}", select_findings(shown, "higher")),
        (f"Lower for {a}", select_findings(shown, "lower")),
        (f"Descriptive: higher for {a}", select_findings(described, "higher")),
        (f"Descriptive: lower for {a}", select_findings(described, "lower")),
        (HINT, select_findings([*shown, *described], "hint")),
        (EXPLORATORY, select_findings(exploratory, *FINDINGS, "hint")),
        ("No significant difference", select_findings(scores, "unclear")),
        ("Not compared", select_findings(scores, "same", "too_few")),
    ]
    return [(title, own) for title, own in groups if own]
