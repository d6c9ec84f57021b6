"""Everything `simpatico validate --judges` reports, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl

from simpatico.comparison.samples import HUMAN
from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.frames import Tabular
from simpatico.judge_answers import JudgeAnswers
from simpatico.judgements import JudgeKind, Judgements
from simpatico.progress import track_each
from simpatico.run import Run
from simpatico.validation.evidence import compare_ids, match_dialogs
from simpatico.validation.judges.agreement import agreement_with_people, people_rows
from simpatico.validation.judges.bias import bias_rows
from simpatico.validation.judges.consistency import consistency_rows
from simpatico.validation.judges.units import JudgedUnits, JudgeRow, judged_units
from simpatico.validation.judges.verdict import (
    Verdict,
    answer_sentences,
    default_epsilon,
    stand_in_tests,
)
from simpatico.validation.raters.agreement import AgreementRow
from simpatico.validation.run_scores import WORDS, RatedLevel, read_lengths
from simpatico.wording import format_count


@dataclass(frozen=True)
class AuditSettings:
    """What to audit; `epsilon`: what a judge's lower price is worth, null: .2 for experts, else .1.

    `judge_kind`: compare judges with people of this kind only; `expected`: use the mean weighted by
    answer probabilities, where the file has it.
    """

    qualities: tuple[str, ...] = ()
    judge_kind: JudgeKind | None = None
    epsilon: float | None = None
    expected: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.epsilon is not None and not 0 <= self.epsilon < 1:
            raise BadValue(f"epsilon {self.epsilon:g} must be from 0 up to, not including, 1")


@dataclass(frozen=True)
class JudgeAudit(Tabular):
    """People's own agreement, statistics of the judges, verdicts; `answer` says it in sentences."""

    answer: list[str]
    verdicts: list[Verdict]
    people: list[AgreementRow]
    judges: list[JudgeRow]
    notes: list[str] = field(default_factory=list)

    def to_frame(self) -> pl.DataFrame:
        """The statistics of the judges: a row per quality, judge and statistic."""
        return pl.DataFrame([row.as_json() for row in self.judges], infer_schema_length=None)

    def as_json(self) -> dict[str, Any]:
        lists: dict[str, Sequence[Any]] = {
            "verdicts": self.verdicts,
            "people": self.people,
            "judges": self.judges,
        }
        parts = {name: [row.as_json() for row in rows] for name, rows in lists.items()}
        return {"answer": self.answer, **parts, "notes": list(self.notes)}

    def find(self, verdict: Verdict, score: str) -> JudgeRow | None:
        """A statistic of the judge and quality that a verdict is about."""
        return self._index.get((verdict.quality, verdict.level, verdict.judge, score))

    @cached_property
    def _index(self) -> dict[tuple[str, str | None, str | None, str], JudgeRow]:
        return {(r.quality, r.level, r.judge, r.score): r for r in self.judges if not r.against}


def audit_judges(
    people: Judgements,
    answers: JudgeAnswers,
    settings: AuditSettings | None = None,
    *,
    run: Run | None = None,
) -> JudgeAudit:
    """Compare judges with people; with a run also by length and system of what was judged."""
    settings = settings or AuditSettings()
    people, answers, notes = choose_rows(people, answers, settings)
    if run is not None:
        people, answers, id_notes = use_run_ids(run, people, answers)
        notes += id_notes
    groups, unit_notes = judged_units(people, answers)
    epsilon = default_epsilon(groups) if settings.epsilon is None else settings.epsilon
    verdicts, agreement, rows = list[Verdict](), list[AgreementRow](), list[JudgeRow]()
    covariates = {level: run_covariates(run, level, groups) for level in ("turn", "dialog")}
    for units in track_each("judges", groups):
        own_people = [replace(r, level=units.level) for r in people_rows(units, seed=settings.seed)]
        own = agreement_with_people(units, seed=settings.seed)
        own += consistency_rows(units, seed=settings.seed)
        own += bias_rows(units, covariates.get(units.level))
        found, tested = stand_in_tests(units, own, own_people, epsilon)
        agreement += own_people
        verdicts += found
        rows += own + tested
    notes = list(dict.fromkeys([*notes, *unit_notes]))
    return JudgeAudit(answer_sentences(verdicts), verdicts, agreement, rows, notes)


def choose_rows(
    people: Judgements, answers: JudgeAnswers, settings: AuditSettings
) -> tuple[Judgements, JudgeAnswers, list[str]]:
    """People's ratings and judges' answers that the settings ask for, each without the other."""
    notes, kind = list[str](), pl.col("judge_kind")
    frame = people.frame.filter((kind != "model") | kind.is_null())
    if dropped := people.frame.height - frame.height:
        notes.append(f"{format_count(dropped, 'rating')} by models are not counted as people's")
    if settings.judge_kind:
        frame = frame.filter(kind == settings.judge_kind)
    if frame["value"].count() == 0:
        whose = f" by judges of kind {settings.judge_kind!r}" if settings.judge_kind else ""
        raise DataError(
            f"there are no ratings of people{whose} to compare judges with; "
            "name a file that has some"
        )
    answers = answers.with_expected() if settings.expected else answers
    judged = answers.frame.filter(kind == "model")
    if judged["value"].count() == 0:
        raise DataError(
            "the file of judges has no answer of a model: its judge_kind must be 'model' or empty, "
            "and some values must not be null"
        )
    qualities = sorted(set(frame["quality"]) & set(judged["quality"]))
    for name in settings.qualities:
        if name not in qualities:
            hint = suggest_names(name, qualities) if qualities else "there is none"
            raise UnknownName(f"no quality {name!r} that people rated and judges answered; {hint}")
    if settings.qualities:
        rows = pl.col("quality").is_in(settings.qualities)
        frame, judged = frame.filter(rows), judged.filter(rows)
    return replace(people, frame=frame), replace(answers, frame=judged), notes


def use_run_ids(
    run: Run, people: Judgements, answers: JudgeAnswers
) -> tuple[Judgements, JudgeAnswers, list[str]]:
    """Both with the run's ids of their dialogs; pairs keep theirs, as they name two."""
    if answers.of_pairs:
        return people, answers, []
    rated, notes = match_dialogs(run, people.frame, "dialog")
    judged, more = match_dialogs(run, answers.frame, "dialog")
    if not judged["dialog"].is_in(run.at("dialog", ["dialog"])["dialog"].implode()).any():
        raise DataError(
            f"none of the {judged['dialog'].n_unique():,} judged dialogs is in "
            f"{', '.join(run.sources)}; {compare_ids(run, judged['dialog'])}, or leave the run out"
        )
    return replace(people, frame=rated), replace(answers, frame=judged), [*notes, *more]


def run_covariates(
    run: Run | None, level: RatedLevel, groups: Sequence[JudgedUnits]
) -> pl.DataFrame | None:
    """Words and system of the run's units at a level, where these were judged."""
    own = [group for group in groups if group.level == level]
    if run is None or not own:
        return None
    dialogs = pl.concat([group.people.units["dialog"] for group in own]).unique()
    key = ["dialog", *(["turn"] if level == "turn" else []), "speaker"]
    rows = pl.col("dialog").is_in(dialogs.implode())
    units = run.scan(level).select(*key, "system").filter(rows).collect()
    lengths = read_lengths(run, level, dialogs)
    if lengths is not None:
        units = units.join(lengths.rename({WORDS: "words"}), on=key, how="left")
    units = units.filter(pl.col("system").is_not_null())
    systems = units.filter(pl.col("system") != HUMAN)
    return systems if systems.height else units
