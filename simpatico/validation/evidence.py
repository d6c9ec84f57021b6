"""A run against human ratings: everything `simpatico validate` reports, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeVar

import polars as pl

from simpatico.comparison.samples import HUMAN
from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.frames import Tabular
from simpatico.judgements import JudgeKind, Judgements, match_dialog_ids
from simpatico.progress import track_each
from simpatico.run import Run
from simpatico.run.original_ids import pseudonyms_of
from simpatico.stats.result import Row
from simpatico.turns import Level
from simpatico.validation.contests import ContestRow, contest_rows
from simpatico.validation.correlations import CorrelationRow, CorrelationSettings, correlation_rows
from simpatico.validation.incremental.rows import (
    Group,
    IncrementalRow,
    SparseScore,
    find_sparse_scores,
    incremental_rows,
)
from simpatico.validation.overlap import OverlapRow, overlap_rows, run_structure
from simpatico.validation.raters.agreement import AgreementRow, agreement_rows, find_statistic
from simpatico.validation.raters.ceiling import noise_ceiling
from simpatico.validation.raters.outside_view import interlocutor_outsiders_row, outsider_rows
from simpatico.validation.raters.preparation import drop_mixed_scales, drop_people
from simpatico.validation.raters.ratings import rating_matrix
from simpatico.validation.run_scores import (
    NO_LENGTHS,
    LeftOut,
    RatedLevel,
    describe_left_out,
    dialog_prompts,
    read_lengths,
    read_scores,
    scores_left_out,
)
from simpatico.validation.systems import SystemRow, system_rows
from simpatico.validation.turn_numbers import TurnNumbers, check_turn_numbers
from simpatico.wording import format_count

AnyRow = TypeVar("AnyRow", bound=Row)

MAX_SCORES_IN_PAIRS = 6
"""Up to so many scores every pair is tested; with more, name one with `against`."""


@dataclass(frozen=True)
class Question:
    """What to validate: which scores against which qualities, rated by whom.

    `traditional`: scores to which all others may add something; by default those of metrics of
    that kind. People are left out where there are other systems, unless `with_human`.
    """

    qualities: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    traditional: tuple[str, ...] = ()
    against: str | None = None
    gold: Literal["median", "mean"] = "median"
    judge_kind: JudgeKind | None = None
    with_human: bool = False


@dataclass(frozen=True)
class Evidence(Tabular):
    """Inter-rater agreement, correlations of scores with ratings, and tests between scores.

    `structure`: correlations between scores; `notes`: what was left out, in sentences; `systems`:
    statistics over systems and inputs, at level system only; `left_out`: scores without values at
    the rated level; `sparse`: scores that few rated units have; `turn_numbers`: whether ratings of
    turns count these as the run does. The field names are the JSON.
    """

    agreement: list[AgreementRow]
    correlations: list[CorrelationRow]
    dependent: list[ContestRow]
    incremental: list[IncrementalRow]
    structure: list[OverlapRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    systems: list[SystemRow] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    sparse: list[SparseScore] = field(default_factory=list)
    turn_numbers: TurnNumbers | None = None

    def _repr_html_(self) -> str:
        from simpatico.validation.chart import evidence_notebook

        return evidence_notebook(self)

    def to_frame(self) -> pl.DataFrame:
        """The correlations: a row per quality and score."""
        rows = [row.as_json() for row in self.correlations]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_json(self) -> dict[str, Any]:
        """Every list of rows; `systems` only at level system."""
        lists = {name: rows for name, rows in vars(self).items() if isinstance(rows, list)}
        if not self.systems:
            del lists["systems"]
        del lists["notes"]
        parts = {name: [row.as_json() for row in rows] for name, rows in lists.items()}
        numbers = self.turn_numbers.as_json() if self.turn_numbers else None
        return {**parts, "turn_numbers": numbers, "notes": list(self.notes)}


def validate(
    run: Run,
    judgements: Judgements,
    question: Question | None = None,
    how: CorrelationSettings | None = None,
) -> Evidence:
    """Everything the ratings say about the scores of a run.

    Ratings of turns are compared with scores of turns, those of whole dialogs with scores of
    dialogs; at level system both are averaged first.
    """
    question, how = question or Question(), how or CorrelationSettings()
    check_score_names(run, question)
    judgements, people_dropped, notes = select_judgements(run, judgements, question)
    gold = judgements.gold(question.gold)
    evidence = Evidence([], [], [], [], notes=notes)
    for level in rated_levels(gold):
        scores = rated_scores(run, level, gold, question.scores, people_dropped=people_dropped)
        evidence.left_out.extend(scores_left_out(run, level, question.scores))
        pairs = pairs_to_compare(score_names(scores), question)
        settings = how if how.level == "system" else replace(how, level=level)
        raters = rater_statistics(judgements_at(judgements, level), how.seed)
        evidence.agreement.extend(with_level(level, raters))
        if level == "turn":
            check = check_turn_numbers(scores, gold, seed=how.seed)
            evidence = replace(evidence, turn_numbers=check)
            evidence.notes.extend(filter(None, [check.warning]))
        lengths = read_lengths(run, level, gold["dialog"])
        if lengths is None and NO_LENGTHS not in evidence.notes:
            evidence.notes.append(NO_LENGTHS)
        rows = correlation_rows(scores, gold, settings, lengths=lengths)
        evidence.correlations.extend(with_level(settings.level, rows))
        contests = contest_rows(scores, gold, pairs, how=settings)
        evidence.dependent.extend(with_level(settings.level, contests))
        if how.level == "system":
            prompts = dialog_prompts(run, gold["dialog"])
            evidence.systems.extend(system_rows(scores, gold, pairs, prompts=prompts, how=settings))
            continue
        asked = (*question.scores, *question.traditional)
        sparse = find_sparse_scores(scores, gold, level, asked)
        evidence.sparse.extend(sparse)
        evidence.notes.extend(s.sentence for s in sparse)
        dense = scores.drop(s.score for s in sparse if s.left_out)
        gains = gain_rows(run, dense, gold, question=question, how=settings)
        evidence.incremental.extend(with_level(level, gains))
    evidence.notes.extend(describe_left_out(evidence.left_out))
    refuse_without_scores(run, question, gold, evidence)
    return replace(evidence, structure=overlap_rows(run_structure(run, question.scores)))


def select_judgements(
    run: Run, judgements: Judgements, question: Question
) -> tuple[Judgements, bool, list[str]]:
    """The ratings that a question is about, whether people's own were left out, and notes."""
    frame, id_notes = match_dialogs(run, judgements.frame, "dialog")
    notes = [*judgements.notes, *id_notes]
    judgements, scale_notes = drop_mixed_scales(Judgements(select_rows(frame, question)))
    if question.with_human:
        return judgements, False, [*notes, *scale_notes]
    judgements, people_dropped, people_notes = drop_people(run, judgements)
    return judgements, people_dropped, [*notes, *scale_notes, *people_notes]


def gain_rows(
    run: Run,
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    *,
    question: Question,
    how: CorrelationSettings,
) -> list[IncrementalRow]:
    """What psychological and what learned scores add to traditional ones."""
    names = score_names(scores)
    t = traditional_scores(run, question, names)
    learned = [n for n in names if n not in t and is_learned(run, n)]
    p = [n for n in names if n not in t and n not in learned]
    groups: dict[Group, list[str]] = {"P": p, "L": learned}
    return [
        row
        for group, added in groups.items()
        for row in incremental_rows(
            scores, gold, traditional=t, psychological=added, how=how, group=group
        )
    ]


def correlate_with_ratings(run: Run, judgements: Judgements) -> list[CorrelationRow]:
    """The correlation of each score with each quality, as `validate` computes it, and no more."""
    judgements, _ = drop_mixed_scales(with_run_ids(run, judgements))
    judgements, people_dropped, _ = drop_people(run, judgements)
    gold = judgements.gold()
    rows: list[CorrelationRow] = []
    for level in rated_levels(gold):
        scores = rated_scores(run, level, gold, people_dropped=people_dropped)
        own = correlation_rows(scores, gold, CorrelationSettings(level=level))
        rows += with_level(level, own)
    refuse_without_scores(run, Question(), gold, Evidence([], rows, [], []))
    return rows


def rated_scores(
    run: Run,
    level: RatedLevel,
    gold: pl.DataFrame,
    names: Sequence[str] = (),
    *,
    people_dropped: bool,
) -> pl.DataFrame:
    """The scores of the rated dialogs, without those of people where these are left out."""
    scores = read_scores(run, level, gold["dialog"], names)
    return scores.filter(pl.col("system") != HUMAN) if people_dropped else scores


def score_names(scores: pl.DataFrame) -> list[str]:
    """The columns that are scores: keys are strings and integers."""
    return [c for c in scores.columns if scores.schema[c].is_float()]


def rated_levels(gold: pl.DataFrame) -> list[RatedLevel]:
    """The levels at which people rated."""
    of_turns = gold["turn"].is_not_null()
    levels: dict[RatedLevel, bool] = {"turn": of_turns.any(), "dialog": not of_turns.all()}
    return [name for name, is_rated in levels.items() if is_rated]


def traditional_scores(run: Run, question: Question, names: Sequence[str]) -> list[str]:
    """The baseline scores of incremental validity: those named, else all traditional metrics."""
    metrics = run.facts["metrics"].items()
    default = [name for name, facts in metrics if facts.get("kind") == "traditional"]
    return [name for name in names if name in (question.traditional or default)]


def is_learned(run: Run, score: str) -> bool:
    """Whether a score is of a model that was trained on ratings or behaviour of people.

    That it predicts ratings is what it was made for: it is no psychological metric.
    """
    metric = run.metric_by_score.get(score, "")
    kind: str | None = run.facts["metrics"].get(metric, {}).get("kind")
    return kind == "evaluator"


def refuse_without_scores(
    run: Run, question: Question, gold: pl.DataFrame, evidence: Evidence
) -> None:
    """Refuse ratings to which no score belongs."""
    rows, numbers = evidence.correlations, evidence.turn_numbers
    if not rows:
        names = ", ".join(question.scores) or "a metric's own name"
        raise DataError(f"no score of {names} exists at the level that was rated")
    if sum({(r.level, r.quality): r.unmatched for r in rows}.values()) == gold.height:
        if numbers is not None and numbers.warning:
            raise DataError(numbers.warning)
        raise DataError(
            f"none of the {gold.height:,} rated units has a score in {', '.join(run.sources)}; "
            f"{compare_ids(run, gold['dialog'])}, and ratings must name the speaker where several "
            "speak for a system"
        )


def match_dialogs(run: Run, frame: pl.DataFrame, *columns: str) -> tuple[pl.DataFrame, list[str]]:
    """The judgements with the run's ids of their dialogs, and a note where ids differ."""
    units = run.at("dialog", ["dialog", "speaker"])
    dialogs, speakers = (set(units[column]) for column in ("dialog", "speaker"))
    rated = pl.concat([frame[column] for column in columns]).drop_nulls()
    if pseudonyms := pseudonyms_of(run, rated, dialogs):
        rated, frame = (
            rated.replace(pseudonyms),
            frame.with_columns(pl.col(columns).replace(pseudonyms)),
        )
        for column in [c for c in frame.columns if c.startswith("speaker")]:
            names = pseudonyms_of(run, frame[column].drop_nulls(), ())
            names = {name: new for name, new in names.items() if new in speakers}
            frame = frame.with_columns(pl.col(column).replace(names))
    ids = match_dialog_ids(rated, dialogs)
    if not ids:
        return frame, []
    theirs, ours = next(iter(ids.items()))
    n = format_count(len(ids), "judged dialog")
    return frame.with_columns(pl.col(columns).replace(ids)), [
        f"{n} matched by id without the file's name, such as {theirs!r} for {ours!r}"
    ]


def with_run_ids(run: Run, judgements: Judgements) -> Judgements:
    """The judgements with the run's ids of their dialogs."""
    return replace(judgements, frame=match_dialogs(run, judgements.frame, "dialog")[0])


def compare_ids(run: Run, rated: pl.Series) -> str:
    """One dialog id of the judgements beside one of the run, for people to see the difference."""
    ids = run.at("dialog", ["dialog"])["dialog"]
    if not len(ids):
        return "no dialog of the run was scored"
    others = rated.drop_nulls().filter(~rated.drop_nulls().is_in(ids.unique().implode()))
    if not len(others):
        return "their dialogs are in the run, so turns or speakers must differ"
    return f"dialog ids must be the same ({others[0]!r} was judged, {ids[0]!r} was scored)"


def check_score_names(run: Run, question: Question) -> None:
    """Refuse names that are no score of the run at any level."""
    existing = list(run.metric_by_score)
    names = [*question.scores, *question.traditional, *filter(None, [question.against])]
    if unknown := [name for name in names if name not in existing]:
        raise UnknownName(f"no score {unknown[0]!r}; {suggest_names(unknown[0], existing)}")
    run.refuse_system_scores(names)


def select_rows(frame: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The ratings or preferences of the qualities and by the kind of judge of the question."""
    qualities = frame["quality"].unique().sort().to_list()
    if unknown := sorted(set(question.qualities) - set(qualities)):
        raise UnknownName(f"no ratings of quality {unknown[0]!r}; there are {', '.join(qualities)}")
    if question.qualities:
        frame = frame.filter(pl.col("quality").is_in(question.qualities))
    if question.judge_kind:
        frame = frame.filter(pl.col("judge_kind") == question.judge_kind)
    if frame.is_empty():
        whose = f" by judges of kind {question.judge_kind!r}" if question.judge_kind else ""
        raise DataError(f"there are no judgements{whose}")
    return frame


def with_level(level: Level, rows: Sequence[AnyRow]) -> list[AnyRow]:
    """The rows with the level of their units."""
    return [replace(row, level=level) for row in rows]


def judgements_at(judgements: Judgements, level: Level) -> Judgements:
    """The ratings of turns, or of whole dialogs."""
    return Judgements(judgements.frame.filter(pl.col("turn").is_not_null() == (level == "turn")))


def pairs_to_compare(names: Sequence[str], question: Question) -> list[tuple[str, str]]:
    """Which scores are tested against each other."""
    if question.against:
        others = [name for name in names if name != question.against]
        return [(name, question.against) for name in others if question.against in names]
    return list(combinations(names, 2)) if len(names) <= MAX_SCORES_IN_PAIRS else []


def rater_statistics(judgements: Judgements, seed: int) -> list[AgreementRow]:
    """Inter-rater agreement on each quality, and the noise ceiling that follows from it."""
    rows: list[AgreementRow] = []
    for quality in track_each("inter-rater agreement", judgements.frame["quality"].unique().sort()):
        ratings = rating_matrix(judgements, quality)
        rows += agreement_rows(ratings, quality, seed=seed)
        rows += noise_ceiling(ratings, quality, seed=seed)
        rows += interlocutor_outsiders_row(judgements, quality, seed=seed)
        rows += outsider_rows(judgements, quality, seed=seed)
    return rows


def agreement_value(rows: Sequence[AgreementRow], of: Row, score: str) -> float | None:
    """A statistic of the agreement of those who rated what a row is about."""
    row = find_statistic(rows, of.quality, of.level, score)
    return row.value if row else None
