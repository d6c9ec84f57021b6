"""A run against judgements: all that `simpatico validate` says, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeVar

import polars as pl

from simpatico.comparison.samples import PEOPLE
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import JudgeKind, Judgements
from simpatico.registry import suggestion
from simpatico.run import Run
from simpatico.stats.result import Row
from simpatico.turns import KEYS, Level
from simpatico.validation.contests import Contest, contests
from simpatico.validation.correlations import Correlated, How, correlations
from simpatico.validation.incremental.rows import IncrementalRow, incremental_rows
from simpatico.validation.overlap import Overlap, overlaps, structure_of
from simpatico.validation.raters.agreement import AgreementRow, agreement, statistic
from simpatico.validation.raters.ceiling import ceiling
from simpatico.validation.raters.outside_view import onlookers
from simpatico.validation.raters.outside_view__inside import inside_outside
from simpatico.validation.raters.preparation__people import of_systems_only
from simpatico.validation.raters.preparation__scales import on_one_scale

Told = TypeVar("Told", bound=Row)

ALL_PAIRS = 6
"""Up to so many scores, every pair is tested; with more, name one with `against`."""


@dataclass(frozen=True)
class Question:
    """What is asked of a run: which qualities, by whom, against which scores.

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
class Evidence:
    """How far judges agree, how scores follow them, and which score follows them more closely.

    `structure`: how far scores follow each other; `notes`: what was left out, in sentences.
    """

    agreement: list[AgreementRow]
    correlations: list[Correlated]
    dependent: list[Contest]
    incremental: list[IncrementalRow]
    structure: list[Overlap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def _repr_html_(self) -> str:
        from simpatico.validation.chart import notebook

        return notebook(self)

    def as_json(self) -> dict[str, list[Any]]:
        parts = {part: rows for part, rows in vars(self).items() if part != "notes"}
        told = {part: [row.as_json() for row in rows] for part, rows in parts.items()}
        return {**told, "notes": list(self.notes)}


def validate(
    run: Run, judgements: Judgements, question: Question | None = None, how: How | None = None
) -> Evidence:
    """Everything the judgements say about the scores of a run.

    Judgements of turns are compared with scores of turns, those of whole dialogs with scores of
    dialogs; at level system both are averaged first.
    """
    question, how = question or Question(), how or How()
    known_scores(run, question)
    judged, notes = on_one_scale(chosen(judgements, question))
    systems_only = False
    if not question.with_human:
        judged, systems_only, more = of_systems_only(run, judged)
        notes = [*notes, *more]
    gold = judged.gold(question.gold)
    agreement: list[AgreementRow] = []
    found: list[Correlated] = []
    dependent: list[Contest] = []
    added: list[IncrementalRow] = []
    for level in levels(gold):
        scores = wanted(run, level, gold["dialog"], question)
        if systems_only:
            scores = scores.filter(pl.col("system") != PEOPLE)
        asked = replace(how, level=how.level if how.level == "system" else level)
        agreement += at(level, agreed(of_level(judged, level), how.seed))
        found += at(asked.level, correlations(scores, gold, asked))
        dependent += at(asked.level, contests(scores, gold, pairs(scores, question), how=asked))
        old, new = kinds(scores, run, question)
        if asked.level != "system":
            rows = incremental_rows(scores, gold, traditional=old, psychological=new, how=asked)
            added += at(level, rows)
    if not found:
        asked_for = ", ".join(question.scores) or "a metric's own name"
        raise DataError(f"no score of {asked_for} exists at the level that was judged")
    if sum({(r.level, r.quality): r.unmatched for r in found}.values()) == gold.height:
        raise DataError(
            f"none of the {gold.height:,} judged units was scored in {run.folder}; "
            "dialog ids must be the same, and where several speak for a system the judgements must "
            "name the speaker"
        )
    return Evidence(
        agreement, found, dependent, added, overlaps(structure_of(run, question.scores)), notes
    )


def known_scores(run: Run, question: Question) -> None:
    """Refuse names that are no score of the run at any level."""
    known = [s["name"] for m in run.facts["metrics"].values() for s in m["scores"]]
    asked = [*question.scores, *question.traditional, *filter(None, [question.against])]
    if unknown := [name for name in asked if name not in known]:
        raise UnknownName(f"no score {unknown[0]!r}; {suggestion(unknown[0], known)}")
    run.refuse_whole(asked)


def chosen(judgements: Judgements, question: Question) -> Judgements:
    """The judgements that were asked for."""
    frame = judgements.frame
    known = frame["quality"].unique().sort().to_list()
    if unknown := sorted(set(question.qualities) - set(known)):
        raise UnknownName(f"no quality {unknown[0]!r} was judged; there are {', '.join(known)}")
    if question.qualities:
        frame = frame.filter(pl.col("quality").is_in(question.qualities))
    if question.judge_kind:
        frame = frame.filter(pl.col("judge_kind") == question.judge_kind)
    if frame.is_empty():
        whose = f" by a judge of kind {question.judge_kind!r}" if question.judge_kind else ""
        raise DataError(f"there is no judgement{whose}")
    return Judgements(frame)


def at(level: Level, rows: Sequence[Told]) -> list[Told]:
    """The rows with the level of their units."""
    return [replace(row, level=level) for row in rows]


def of_level(judgements: Judgements, level: Level) -> Judgements:
    """The judgements of turns, or of whole dialogs."""
    return Judgements(judgements.frame.filter(pl.col("turn").is_not_null() == (level == "turn")))


def levels(gold: pl.DataFrame) -> list[Level]:
    """The levels at which something was judged."""
    turns = gold["turn"].is_not_null()
    found: list[Level] = []
    if turns.any():
        found.append("turn")
    if not turns.all():
        found.append("dialog")
    return found


def wanted(run: Run, level: Level, judged: pl.Series, question: Question) -> pl.DataFrame:
    """Keys and scores of the judged dialogs only: those asked for, or of a metric's own name."""
    table = pl.scan_parquet(run.folder / f"{level}.parquet", glob=False)
    there = table.collect_schema()
    names = [n for n in question.scores or run.facts["metrics"] if n in there]
    keys = [c for c in (*KEYS["turn"], "prompt") if c in there]
    dialogs = judged.unique().implode()
    return table.select(*keys, *names).filter(pl.col("dialog").is_in(dialogs)).collect()


def kinds(scores: pl.DataFrame, run: Run, question: Question) -> tuple[list[str], list[str]]:
    """The traditional scores, and those that may add something to them."""
    names = [c for c in scores.columns if scores.schema[c].is_float()]
    usual = [n for n, m in run.facts["metrics"].items() if m.get("kind") == "traditional"]
    old = [n for n in names if n in (question.traditional or usual)]
    return old, [n for n in names if n not in old]


def pairs(scores: pl.DataFrame, question: Question) -> list[tuple[str, str]]:
    """Which scores are held against each other."""
    names = [c for c in scores.columns if scores.schema[c].is_float()]
    if question.against:
        others = [name for name in names if name != question.against]
        return [(name, question.against) for name in others if question.against in names]
    return list(combinations(names, 2)) if len(names) <= ALL_PAIRS else []


def agreed(judgements: Judgements, seed: int) -> list[AgreementRow]:
    """How far the judges of each quality agree, and what that allows any score to reach."""
    rows: list[AgreementRow] = []
    for quality in judgements.frame["quality"].unique().sort():
        rows += agreement(judgements, quality, seed=seed)
        rows += ceiling(judgements, quality, seed=seed).rows(quality)
        rows += inside_outside(judgements, quality, seed=seed)
        rows += onlookers(judgements, quality, seed=seed)
    return rows


def reached(rows: Sequence[AgreementRow], of: Row, score: str) -> float | None:
    """A figure of the agreement of those who judged what a row is about."""
    row = statistic(rows, of.quality, of.level, score)
    return row.value if row else None
