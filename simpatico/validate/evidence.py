"""A run against judgements: all that `simpatico validate` says, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import polars as pl

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import JudgeKind, Judgements
from simpatico.run import Run
from simpatico.turns import KEYS, Level
from simpatico.validate.agreement import AgreementRow, agreement
from simpatico.validate.ceiling import ceiling
from simpatico.validate.contests import Contest, contests
from simpatico.validate.correlations import Correlated, How, correlations
from simpatico.validate.incremental_rows import IncrementalRow, incremental_rows

ALL_PAIRS = 6
"""Up to so many scores, every pair is tested; with more, name one with `against`."""


@dataclass(frozen=True)
class Question:
    """What is asked of a run: which qualities, by whom, against which scores.

    `traditional`: scores to which all others may add something; by default those of metrics of
    that kind.
    """

    qualities: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    traditional: tuple[str, ...] = ()
    against: str | None = None
    gold: Literal["median", "mean"] = "median"
    judge_kind: JudgeKind | None = None


@dataclass(frozen=True)
class Evidence:
    """How far judges agree, how scores follow them, and which score follows them more closely."""

    agreement: list[AgreementRow]
    correlations: list[Correlated]
    dependent: list[Contest]
    incremental: list[IncrementalRow]

    def as_json(self) -> dict[str, list[dict[str, Any]]]:
        return {part: [row.as_json() for row in rows] for part, rows in vars(self).items()}


def validate(
    run: Run, judgements: Judgements, question: Question | None = None, how: How | None = None
) -> Evidence:
    """Everything the judgements say about the scores of a run.

    Judgements of turns are compared with scores of turns, those of whole dialogs with scores of
    dialogs; at level system both are averaged first.
    """
    question, how = question or Question(), how or How()
    judged = chosen(judgements, question)
    gold = judged.gold(question.gold)
    found: list[Correlated] = []
    dependent: list[Contest] = []
    added: list[IncrementalRow] = []
    for level in levels(gold):
        scores = wanted(run.at(level), run, question)
        asked = replace(how, level=how.level if how.level == "system" else level)
        found += correlations(scores, gold, asked)
        dependent += contests(scores, gold, pairs(scores, question), how=asked)
        old, new = kinds(scores, run, question)
        if asked.level != "system":
            added += incremental_rows(scores, gold, traditional=old, psychological=new, how=asked)
    if not any(row.n for row in found):
        raise DataError(
            f"none of the {gold.height:,} judged units was scored in {run.folder}; "
            "dialog ids and speakers of both must be the same"
        )
    return Evidence(agreed(judged, how.seed), found, dependent, added)


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
        raise DataError(f"there is no judgement by a judge of kind {question.judge_kind!r}")
    return Judgements(frame)


def levels(gold: pl.DataFrame) -> list[Level]:
    """The levels at which something was judged."""
    turns = gold["turn"].is_not_null()
    found: list[Level] = []
    if turns.any():
        found.append("turn")
    if not turns.all():
        found.append("dialog")
    return found


def wanted(frame: pl.DataFrame, run: Run, question: Question) -> pl.DataFrame:
    """The unit keys and the scores asked for: by default those of a metric's own name."""
    names = list(question.scores) or [n for n in run.facts["metrics"] if n in frame.columns]
    keys = [c for c in (*KEYS["turn"], "prompt") if c in frame.columns]
    present = [n for n in names if n in frame.columns]
    return frame.select(*keys, *present)


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
        if question.against not in names:
            raise UnknownName(f"no score {question.against!r}; there are {', '.join(names)}")
        return [(name, question.against) for name in names if name != question.against]
    return list(combinations(names, 2)) if len(names) <= ALL_PAIRS else []


def agreed(judgements: Judgements, seed: int) -> list[AgreementRow]:
    """How far the judges of each quality agree, and what that allows any score to reach."""
    rows: list[AgreementRow] = []
    for quality in judgements.frame["quality"].unique().sort():
        rows += agreement(judgements, quality, seed=seed)
        rows += ceiling(judgements, quality, seed=seed).rows(quality)
    return rows


def reached(rows: Sequence[AgreementRow], quality: str, score: str) -> float | None:
    """A figure of the agreement table."""
    return next((r.value for r in rows if (r.quality, r.score) == (quality, score)), None)
