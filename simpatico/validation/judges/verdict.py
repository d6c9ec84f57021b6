"""What each judge may be used for, and why: stand-in for a rater, proxy beside ratings, neither.

A stand-in passes the alternative annotator test; that alone is not enough. Where people do not
agree, anything is as close to them as they are, and a judge that always gives the middle of the
scale is closer on average than people are: so people must agree beyond chance, and the judge's
answers must follow theirs, both by intervals above 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import polars as pl

from simpatico.stats.alternative_annotator import (
    EPSILONS,
    MIN_UNITS,
    Contests,
    JudgeContest,
    contests,
)
from simpatico.stats.correction import correct_p_values
from simpatico.stats.result import Result
from simpatico.validation.judges.units import JudgedUnits, JudgeRow
from simpatico.validation.raters.agreement import AgreementRow
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_count,
    join_with_and,
)

Use = Literal["stand-in", "proxy", "none", "undecided"]
EXPERT_EPSILON, CROWD_EPSILON = 0.2, 0.1
"""The paper's: .2 for experts, who are dear, .1 for crowd workers."""
MIN_PEOPLE = 3
"""With two raters there is no consensus to be close to (the paper's FAQ)."""
ALONE = "one rater a unit"
MAX_TIMES = 10
"""More than so many times the ratings there are is no plan."""
MAX_NO_ANSWER = 0.05
"""A stand-in must answer: the share of units without an answer."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one judge may be used for on one quality.

    `follows`: whether its answers correlate with people's; `winning_rate`: the share of `people` it
    wins against at `epsilon`, `curve` the same at other epsilons; `units_needed`: ratings by each
    rater with which the test would pass, if differences stay as they are.
    """

    quality: str
    level: str
    judge: str
    use: Use
    reason: str
    follows: bool
    epsilon: float
    n: int
    people: int
    wins: int
    winning_rate: float | None
    smallest_epsilon: float | None
    units_needed: int | None
    curve: dict[str, float | None]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def default_epsilon(units: Sequence[JudgedUnits]) -> float:
    """The paper's for experts where all raters are, else that for crowd workers."""
    kinds = set[str | None]().union(*(group.ratings["judge_kind"] for group in units))
    return EXPERT_EPSILON if kinds == {"expert"} else CROWD_EPSILON


def stand_in_tests(
    units: JudgedUnits,
    rows: Sequence[JudgeRow],
    people: Sequence[AgreementRow],
    epsilon: float,
) -> tuple[list[Verdict], list[JudgeRow]]:
    """A verdict for each judge, with its advantage, and the best judge against each other one."""
    closeness: Literal["match", "distance"] = "match" if units.level == "pair" else "distance"
    found = contests(
        units.people.matrix, units.judges, clusters=units.clusters, closeness=closeness
    )
    agreement = next(r for r in people if r.score == "krippendorff_alpha_interval")
    verdicts, advantages = list[Verdict](), list[JudgeRow]()
    for number, judge in enumerate(units.names):
        contest = found.of_judge(number)
        own = {row.score: row for row in rows if row.judge == judge}
        verdicts.append(judge_verdict(units, judge, contest, own, agreement, epsilon))
        advantage = contest.advantage.share("advantage probability")
        advantages.append(units.row(judge, "advantage", **asdict(advantage)))
    return verdicts, [*advantages, *best_judge_rows(units, found, advantages)]


def judge_verdict(
    units: JudgedUnits,
    judge: str,
    contest: JudgeContest,
    rows: dict[str, JudgeRow],
    agreement: AgreementRow,
    epsilon: float,
) -> Verdict:
    """The first reason against a stand-in, or that there is none."""
    eligible = int(contest.eligible.sum())
    follows = is_above_zero(rows.get("pearson"))
    use, reason = decide(contest, rows, agreement, epsilon)
    return Verdict(
        quality=units.quality,
        level=units.level,
        judge=judge,
        use=use,
        reason=reason,
        follows=follows,
        epsilon=epsilon,
        n=contest.n,
        people=eligible,
        wins=round((contest.winning_rate(epsilon) or 0) * eligible),
        winning_rate=contest.winning_rate(epsilon),
        smallest_epsilon=contest.smallest_epsilon,
        units_needed=contest.units_needed(epsilon),
        curve={f"{e:g}": contest.winning_rate(e) for e in EPSILONS},
    )


def decide(
    contest: JudgeContest, rows: dict[str, JudgeRow], agreement: AgreementRow, epsilon: float
) -> tuple[Use, str]:
    """The use and its reason."""
    eligible, r = int(contest.eligible.sum()), rows.get("pearson")
    silent = rows["no_answer"].value or 0.0
    if eligible < MIN_PEOPLE:
        raters = format_count(eligible, "rater")
        have = f"n = {contest.n}" if not eligible else f"{raters} of {MIN_UNITS} units or more"
        return "undecided", f"this cannot be decided with {have if contest.n else ALONE}"
    if not is_above_zero(agreement):
        return "undecided", f"people do not agree beyond chance ({with_interval('α', agreement)})"
    if not is_above_zero(r):
        return "none", f"is not shown to follow people ({with_interval('r', r)})"
    wins = round((contest.winning_rate(epsilon) or 0) * eligible)
    won = f"wins against {wins} of {eligible} raters"
    if not contest.passes(epsilon):
        smallest = contest.smallest_epsilon
        after = (
            f"; would pass from ε = {format_correlation(smallest)}" if smallest is not None else ""
        )
        return "proxy", f"{won}{after}"
    if silent > MAX_NO_ANSWER:
        return "proxy", f"{won}, but no answer for {silent:.0%}"
    return "stand-in", won


def is_above_zero(result: Result | None) -> bool:
    """Whether the whole interval is above 0."""
    return result is not None and result.low is not None and result.low > 0


def with_interval(symbol: str, result: Result | None) -> str:
    """`r = .05 [−.10, .20]`, or that there is none."""
    if result is None or result.value is None:
        return f"no {symbol}"
    interval = format_correlation_interval(result.low, result.high)
    return f"{symbol} = {format_correlation(result.value)} {interval}"


def best_judge_rows(
    units: JudgedUnits, found: Contests, advantages: Sequence[JudgeRow]
) -> list[JudgeRow]:
    """The judge of the highest advantage against each other one, on the same ratings.

    p by Holm over all pairs of judges, as any of them might have turned out to be the best.
    """
    values = [-1.0 if row.value is None else row.value for row in advantages]
    if len(values) < 2 or max(values) < 0:
        return []
    best = values.index(max(values))
    rest = [number for number in range(len(values)) if number != best]
    pairs = [*((best, other) for other in rest), *combinations(rest, 2)]
    results = [
        found.advantage_difference(*pair).result("difference of advantages, paired")
        for pair in pairs
    ]
    corrected, _ = correct_p_values([r.p_value for r in results])
    return [
        units.row(
            units.names[best],
            "advantage_difference",
            against=units.names[other],
            **{**asdict(result), "p_adjusted": p},
        )
        for (_, other), result, p in zip(pairs[: len(rest)], results, corrected, strict=False)
    ]


def answer_sentences(verdicts: Sequence[Verdict]) -> list[str]:
    """May I use this judge, for what, and what would make me sure? One sentence each."""
    table = pl.DataFrame([v.as_json() | {"curve": None} for v in verdicts])
    return [may_sentence(table), proxy_sentence(table), surer_sentence(table)]


def may_sentence(table: pl.DataFrame) -> str:
    """Which judges may stand in for a rater, on how many qualities."""
    epsilon = format_correlation(table["epsilon"][0])
    test = f"(alternative annotator test, ε = {epsilon})"
    passed, qualities = table.filter(use="stand-in"), table["quality"].n_unique()
    if not passed.height:
        undecided = table.filter(use="undecided")
        if undecided.height == table.height:
            why = undecided["reason"].mode().sort()[0]
            return f"Whether a judge may stand in for a rater stays open: {why} {test}."
        return f"No judge may stand in for a rater {test}."
    if qualities == 1:
        names = join_with_and(passed["judge"].to_list())
        return f"{names} may stand in for one rater of “{table['quality'][0]}” {test}."
    counts = passed.group_by("judge").len().sort(["len", "judge"], descending=[True, False])
    each = join_with_and([f"{judge} on {n}" for judge, n in counts.iter_rows()])
    return f"As a stand-in for one rater you may use {each} of {qualities} qualities {test}."


def proxy_sentence(table: pl.DataFrame) -> str:
    """What the others are good for."""
    rest = table.filter(pl.col("use") != "stand-in")
    if not rest.height:
        return (
            "They may take the place of one rater in means of these ratings, for systems and "
            "raters like these."
        )
    undecided = (rest["use"] == "undecided").all() and rest.height == table.height
    lead = (
        "Until then use" if undecided else "Elsewhere use" if rest.height < table.height else "Use"
    )
    follows, n = int(rest["follows"].sum()), rest.height
    if not follows:
        return f"{lead} the answers for nothing: these data do not show that they follow people’s."
    where = "" if n == 1 else f" in {'all' if follows == n else f'{follows:,} of'} {n:,} cases"
    but = "" if undecided else ", but not as closely as a rater does"
    return (
        f"{lead} the answers beside ratings, which correct them (compare --correct ppi), never "
        f"alone: they follow people’s{where}{but}."
    )


def surer_sentence(table: pl.DataFrame) -> str:
    """How many ratings would decide what is open."""
    few = table.filter(pl.col("people") < MIN_PEOPLE)
    rest = few if few.height else table.filter(pl.col("use") != "stand-in")
    n, need = max(table["n"].to_list()), sorted(rest["units_needed"].drop_nulls().to_list())
    if few.height:
        what = "it" if few.height == table.height else f"“{few['quality'][0]}”"
        goal = need[len(need) // 2] if need else MIN_UNITS
        return (
            f"To decide {what}, have the same {MIN_PEOPLE} people or more rate about {goal:,} "
            f"judged units each (now {max(few['n'].to_list()):,})."
        )
    if not rest.height:
        return "To be surer, audit again on new dialogs, of systems and raters not among these."
    need = [units for units in need if units <= MAX_TIMES * n]
    if not need:
        return (
            "More ratings alone would hardly change that: change the rubric, or calibrate the "
            "answers to people’s (train interlocutor --judges), and audit again on other dialogs."
        )
    middle = need[len(need) // 2]
    amount = f"{need[0]:,}" if need[0] == middle else f"{need[0]:,} to {middle:,}"
    share = "it" if rest.height == 1 else f"{len(need):,} of the {rest.height:,} others"
    return (
        f"To decide {share} with 80% power, have each person rate about {amount} units (now {n:,})."
    )
