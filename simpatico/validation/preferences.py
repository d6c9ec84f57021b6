"""A run against preferences: which of two units or systems judges prefer, and what predicts it.

Reported are Bradley-Terry strengths of the systems, the agreement of judges who saw the same pair,
and of each score the accuracy: the share of choices in which the preferred one scores higher (lower
where lower is better), equal scores counting half. Choices on one prompt are not independent, so
prompts are resampled and their signs flipped; without prompts, dialogs that a chain of comparisons
links count as one cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NoReturn

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.comparison.samples import as_floats
from simpatico.errors import DataError
from simpatico.judgements import Preferences
from simpatico.run import Run
from simpatico.stats.bootstrap import (
    DECIMALS,
    cluster_codes,
    resample_clusters,
    rounded_result,
    safe_ratio,
    stack_columns,
    sum_by_cluster,
)
from simpatico.stats.bradley_terry import bradley_terry, linked_groups
from simpatico.stats.correction import Correction, correct_p_values
from simpatico.stats.draws import Draws
from simpatico.stats.permutation import sign_flip_p
from simpatico.stats.result import Result, Row
from simpatico.validation.choices import (
    CREDIT,
    match_choices,
    read_units,
    systems_only,
    unit_credits,
)
from simpatico.validation.evidence import (
    Question,
    check_score_names,
    compare_ids,
    match_dialogs,
    select_rows,
)
from simpatico.validation.raters.agreement import (
    AgreementRow,
    agreement_row,
    krippendorff_alpha,
    with_interval,
)
from simpatico.validation.raters.ratings import RatingMatrix, rating_matrix
from simpatico.validation.run_scores import (
    LENGTH,
    NO_LENGTHS,
    WORDS,
    LeftOut,
    RatedLevel,
    describe_left_out,
    scores_left_out,
)
from simpatico.validation.turn_numbers import TurnNumbers, check_turn_numbers
from simpatico.wording import format_count, join_with_and

Better = Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True)
class StrengthRow(Result):
    """A system's Bradley-Terry strength: log-odds against the mean of its group.

    Strengths compare within a `group` only; `reason` says why there is none.
    """

    quality: str
    level: str
    system: str
    group: int
    win_rate: Result
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class AccuracyRow(Row):
    """How often a score is on the side of the preferred one; p is that of .5.

    `better`: the direction of the score that counts as better; `equal`: choices with equal scores,
    which count half; `nulls`: choices without both scores; `ties`: choices without a preferred one,
    which no score can predict; `over_length`: accuracy less that of reply length on the same
    choices.
    """

    better: Better
    equal: int
    nulls: int
    ties: int
    family: int
    over_length: Result | None


@dataclass(frozen=True)
class PreferenceEvidence:
    """What preferences say about systems and scores; the field names are the JSON."""

    agreement: list[AgreementRow] = field(default_factory=list)
    strengths: list[StrengthRow] = field(default_factory=list)
    accuracy: list[AccuracyRow] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    turn_numbers: TurnNumbers | None = None
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        names = ("agreement", "strengths", "accuracy", "left_out")
        parts: dict[str, Any] = {n: [row.as_json() for row in getattr(self, n)] for n in names}
        numbers = self.turn_numbers.as_json() if self.turn_numbers else None
        return {**parts, "turn_numbers": numbers, "notes": list(self.notes)}


def validate_preferences(
    run: Run,
    preferences: Preferences,
    question: Question | None = None,
    *,
    correction: Correction = "holm",
    seed: int = 0,
) -> PreferenceEvidence:
    """Everything preferences say about the systems and scores of a run.

    Of the question, `qualities`, `scores` and `judge_kind` apply.
    """
    question, evidence, found = question or Question(), PreferenceEvidence(), 0
    check_score_names(run, question)
    frame, notes = match_dialogs(run, preferences.frame, "dialog_a", "dialog_b")
    evidence.notes.extend(notes)
    frame = select_rows(frame, question).drop_nulls("preferred").with_row_index("index")
    of_turns = frame["turn_a"].is_not_null()
    levels: dict[RatedLevel, pl.Series] = {"turn": of_turns, "dialog": ~of_turns}
    for level, is_rated in levels.items():
        if not (rows := frame.filter(is_rated)).height:
            continue
        units = read_units(run, level, rows, question.scores)
        scores = [c for c in units.columns if units.schema[c].is_float()]
        choices = match_choices(rows, units, scores).with_columns(level=pl.lit(level))
        matched = int((choices["found_a"] & choices["found_b"]).sum())
        found += matched
        if level == "turn":
            check = check_turn_numbers(systems_only(units), unit_credits(choices), seed=seed)
            evidence = replace(evidence, turn_numbers=check)
            evidence.notes.extend(filter(None, [check.warning]))
        if matched < rows.height:
            evidence.notes.append(
                f"{rows.height - matched:,} of {format_count(rows.height, 'preference')} name "
                f"{'turns' if level == 'turn' else 'dialogs or systems'} that have no score"
            )
        if WORDS not in scores and NO_LENGTHS not in evidence.notes:
            evidence.notes.append(NO_LENGTHS)
        evidence.left_out.extend(scores_left_out(run, level, question.scores))
        for _, own in choices.sort("quality").group_by("quality", maintain_order=True):
            evidence.agreement.extend(agreement_of_choices(own, seed=seed))
            strengths, notes = strength_rows(own, seed=seed)
            evidence.strengths.extend(strengths)
            evidence.notes.extend(notes)
            if (own["credit"] == CREDIT["tie"]).all():
                quality = own["quality"][0]
                evidence.notes.append(f"{quality}: every choice is a tie, which no score predicts")
            directions = score_directions(run, scores)
            evidence.accuracy.extend(accuracy_rows(own, directions, correction, seed=seed))
    evidence.notes.extend(describe_left_out(evidence.left_out, "preferences between"))
    if not found:
        refuse_unmatched(run, frame, evidence.turn_numbers)
    return evidence


def refuse_unmatched(run: Run, frame: pl.DataFrame, numbers: TurnNumbers | None) -> NoReturn:
    """Refuse preferences to which no score belongs, and say what must be the same."""
    dialogs = frame["dialog_a"].drop_nulls()
    how = (
        "systems and prompts must be the same" if dialogs.is_empty() else compare_ids(run, dialogs)
    )
    if frame.is_empty():
        raise DataError("no preference is given; `preferred` is empty in every row")
    if numbers is not None and numbers.warning:
        raise DataError(numbers.warning)
    raise DataError(
        f"none of the {frame.height:,} preferences is between two units that have a score in "
        f"{run.folder}; {how} (systems: {', '.join(run.at('system')['system'])}), and preferences "
        "must name the speaker where several speak for a system"
    )


def score_directions(run: Run, columns: Sequence[str]) -> dict[str, Better]:
    """Which direction of each score is better, higher unless the metric says lower."""
    scores = [s for m in run.facts["metrics"].values() for s in m["scores"]]
    lower = {s["name"] for s in scores if s.get("better") == "lower"}
    return {name: "lower" if name in lower else "higher" for name in columns}


def agreement_of_choices(choices: pl.DataFrame, *, seed: int) -> list[AgreementRow]:
    """Krippendorff's ordinal alpha and the share of pairs of judges who chose alike.

    Which side is called a is arbitrary, so alpha counts each pair in both orders: else the chance
    agreement would depend on it.
    """
    side = {
        s: pl.concat_str(
            pl.col(f"dialog_{s}", f"turn_{s}", f"speaker_{s}", f"system_{s}", "prompt")
            .cast(pl.String).fill_null(""), separator="\x1f",
        )
        for s in "ab"
    }  # fmt: skip
    swapped = side["a"] > side["b"]
    pair = pl.when(swapped).then(side["b"] + side["a"]).otherwise(side["a"] + side["b"])
    frame = choices.select(
        *("quality", "judge", "judge_kind"),
        dialog=pl.col("cluster").cast(pl.String),
        turn=pair.rank("dense").cast(pl.Int32),
        speaker=pl.lit(None, pl.String),
        value=pl.when(swapped).then(1 - pl.col("credit")).otherwise("credit"),
    )
    quality, level = choices["quality"][0], choices["level"][0]
    ratings = rating_matrix(frame, quality)
    both = np.vstack([ratings.matrix, 1 - ratings.matrix])
    alpha = krippendorff_alpha(both, clusters=np.tile(ratings.dialogs, 2), seed=seed)
    results = {
        "krippendorff_alpha_ordinal": replace(alpha, n=alpha.n // 2),
        "pairwise_agreement": pairwise_agreement(ratings, seed=seed),
    }
    rows = [agreement_row(quality, name, result) for name, result in results.items()]
    return [replace(row, level=level) for row in rows]


def pairwise_agreement(ratings: RatingMatrix, *, seed: int) -> Result:
    """The share of pairs of judges of the same two units who chose alike."""
    views = ratings.views
    alike = views.sum_over_pairs((views.pairs.c == views.pairs.k).astype(np.float64))
    pairs = views.n_ratings * (views.n_ratings - 1) / 2
    statistic = views.statistic(
        "pairwise_agreement",
        "share of pairs of judges who agree",
        stack_columns(alike, pairs),
        lambda sums: safe_ratio(sums[:, 0], sums[:, 1]),
    )
    return with_interval(statistic, ratings.dialogs, seed=seed)


def strength_rows(choices: pl.DataFrame, *, seed: int) -> tuple[list[StrengthRow], list[str]]:
    """The strength of each system, most wins first, and notes on what cannot be compared."""
    quality, level = choices["quality"][0], choices["level"][0]
    known = choices.drop_nulls(["system_a", "system_b"])
    known = known.filter(pl.col("system_a") != pl.col("system_b"))
    systems = pl.concat([known["system_a"], known["system_b"]]).unique().sort().to_list()
    if len(systems) < 2:
        return [], [f"{quality}: the preferences are not between different systems"]
    k, number = len(systems), {name: i for i, name in enumerate(systems)}
    a, b = (known[c].replace_strict(number).to_numpy() for c in ("system_a", "system_b"))
    code, clusters = cluster_codes(known["cluster"].to_numpy())
    wins, credit = np.zeros((clusters, k, k)), known["credit"].to_numpy()
    np.add.at(wins, (code, a, b), credit)
    np.add.at(wins, (code, b, a), 1 - credit)
    rows = [
        StrengthRow(
            **asdict(s.strength),
            quality=quality,
            level=level,
            system=name,
            group=s.group,
            win_rate=s.win_rate,
            reason=None if s.strength.value is not None else no_strength(wins.sum(axis=0), i),
        )
        for i, (name, s) in enumerate(zip(systems, bradley_terry(wins, seed=seed), strict=True))
    ]
    notes = comparability_notes(rows, linked_groups(wins.sum(axis=0)))
    return sorted(rows, key=lambda row: -(row.win_rate.value or 0)), notes


def no_strength(wins: Floats, i: int) -> str:
    """Why the strength of a system is not finite."""
    if not wins[:, i].any():
        return "never lost"
    return "never won" if not wins[i].any() else "always won or always lost to each other system"


def comparability_notes(rows: Sequence[StrengthRow], links: Ints) -> list[str]:
    """Which strengths cannot be compared or do not exist; `links`: who is compared with whom."""
    quality, notes = rows[0].quality, []
    if links.max() > 0:
        parts = [
            f"({', '.join(r.system for r, link in zip(rows, links, strict=True) if link == part)})"
            for part in range(links.max() + 1)
        ]
        notes.append(
            f"{quality}: no comparison links {join_with_and(parts)}, so strengths compare within "
            "these groups only"
        )
    notes += [
        f"{quality}: {row.system} {row.reason}, so its strength has no finite estimate"
        for row in rows
        if row.reason
    ]
    if len({row.group for row in rows if not row.reason}) > links.max() + 1:
        notes.append(
            f"{quality}: some groups of systems never lost to others, so strengths compare within "
            "a group only (`group` in --json)"
        )
    return notes


def accuracy_rows(
    choices: pl.DataFrame, directions: Mapping[str, Better], correction: Correction, *, seed: int
) -> list[AccuracyRow]:
    """The accuracy of each score, and of length, on the choices that are no tie."""
    decided = choices.filter(pl.col("credit") != CREDIT["tie"]).sort("index")
    preferred = 2 * decided["credit"].to_numpy() - 1
    leads = {
        LENGTH if name == WORDS else name: preferred
        * (1 if better == "higher" else -1)
        * (as_floats(decided[f"{name}_a"]) - as_floats(decided[f"{name}_b"]))
        for name, better in directions.items()
    }
    if decided.is_empty() or not leads:
        return []
    credits, names = np.sign(np.column_stack(list(leads.values()))) / 2, list(leads)
    length = credits[:, names.index(LENGTH)] if LENGTH in names else np.full(decided.height, np.nan)
    table = np.hstack([credits, credits - length[:, None]])
    results = mean_results(table, decided["cluster"].to_numpy(), seed=seed)
    p_adjusted, family = correct_p_values([r.p_value for r in results[: len(names)]], correction)
    rows = []
    for i, score in enumerate(names):
        accuracy, gain = results[i], results[len(names) + i]
        value, low, high = (
            None if x is None else round(x + 0.5, DECIMALS) for x in accuracy.value_and_interval
        )
        rows.append(
            AccuracyRow(
                **asdict(replace(accuracy, value=value, low=low, high=high)),
                quality=choices["quality"][0],
                score=score,
                p_adjusted=p_adjusted[i],
                level=choices["level"][0],
                better=directions.get(score, "higher"),
                equal=int((credits[:, i] == 0).sum()),
                nulls=decided.height - accuracy.n,
                ties=choices.height - decided.height,
                family=family,
                over_length=None if score == LENGTH or LENGTH not in names else gain,
            )
        )
    return rows


def mean_results(table: Floats, clusters: Ints, *, seed: int) -> list[Result]:
    """The mean of each column: interval over resamples of clusters, p of 0 by flips of signs."""
    code, n_clusters = cluster_codes(clusters)
    valid, width = np.isfinite(table), table.shape[1]
    sums = sum_by_cluster(np.hstack([np.where(valid, table, 0), valid]), code, n_clusters)
    p_values = sign_flip_p(sums[:, :width], seed=seed) if n_clusters > 1 else np.ones(width)
    values = resample_clusters(
        lambda counts: safe_ratio((counts @ sums)[:, :width], (counts @ sums)[:, width:]),
        n_clusters,
        Draws(seed=seed),
        width=2 * width,
        with_sample=True,
    )
    results = []
    for i, p in enumerate(p_values):
        n, groups = int(valid[:, i].sum()), int((sums[:, width + i] > 0).sum())
        result = rounded_result(values[:, i], groups, n=n)
        method = f"{result.method}, p by flips of their signs"
        result = replace(result, p_value=float(p) if n else None, method=method)
        # draws that do not vary are no distribution
        results.append(
            result if result.low != result.high else replace(result, low=None, high=None)
        )
    return results
