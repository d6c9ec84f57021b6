"""All that a page shows, gathered once: the results of compare and validate, and tables of the run.

Sections and figures only choose, word and draw: every number on the page is in `Findings.as_json`,
which `simpatico report --json` prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb, nan
from pathlib import Path
from shlex import quote
from typing import Any

import polars as pl

from simpatico import limits
from simpatico.charts.systems import SystemStyle, assign_styles
from simpatico.comparison.difference import Difference, Differences
from simpatico.comparison.headline import main_pair, orient_pair
from simpatico.comparison.ranking import group_by_pair
from simpatico.comparison.samples import HUMAN, Selection
from simpatico.comparison.slices import Slices
from simpatico.comparison.verdict import difference_as_json
from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.judge_answers import JudgeAnswers, pairs_as_answers
from simpatico.judgements import Judgements, Preferences
from simpatico.reporting.minimum_data import ROWS
from simpatico.reporting.scores import CentralRange, ScoreInfo, central_ranges, main_scores
from simpatico.run import Run
from simpatico.stats.correlation import Kind
from simpatico.validation.controls.saved import control_sentences
from simpatico.validation.correlations import CorrelationRow, CorrelationSettings
from simpatico.validation.evidence import Evidence, Question, validate, with_run_ids
from simpatico.validation.judges.audit import JudgeAudit, audit_judges
from simpatico.validation.overlap import (
    ScoreStructure,
    SystemProfile,
    run_structure,
    system_profiles,
)
from simpatico.validation.people import (
    compare_by,
    compare_with_ratings,
    correlated_qualities,
    correlations_with_lead,
    rating_direction,
)
from simpatico.validation.preferences import PreferenceEvidence, validate_preferences
from simpatico.wording import capitalize

Pair = tuple[str, str]


@dataclass(frozen=True)
class Findings:
    """What is known about a run.

    `evidence` is null where no ratings could be used, and `no_evidence_reason` says why;
    `preferences` is what preferences say, if these were given instead. Of many
    systems only some pairs are on the page; `pairs_left_out` counts the others.
    """

    run: Run
    facts: Mapping[str, Any] = field(repr=False)
    scores: tuple[ScoreInfo, ...]
    table: pl.DataFrame = field(repr=False)
    pairs: Mapping[Pair, Sequence[Difference]] = field(repr=False)
    main: Pair | None
    pairs_left_out: int
    structure: ScoreStructure = field(repr=False)
    profiles: tuple[SystemProfile, ...] = field(repr=False)
    central_ranges: Mapping[str, CentralRange] = field(repr=False)
    judgements: Judgements | None = field(repr=False)
    evidence: Evidence | None = field(repr=False)
    no_evidence_reason: str
    requested_pair: Pair | None = None
    traditional: tuple[str, ...] = ()
    preferences: PreferenceEvidence | None = field(default=None, repr=False)
    turns_from: int = 0
    correlation: Kind = "pearson"
    with_human: bool = False
    by: str | None = None
    slices: Slices | Differences | None = field(default=None, repr=False)
    """The pairs within slices, or of one system its slices, where this was asked for."""
    controls: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What negative controls say of a score, where they were run."""
    judges: JudgeAudit | None = field(default=None, repr=False)
    """Model judges against these ratings or preferences, where both were given."""

    @property
    def shell_name(self) -> str:
        """The run's name as a command line takes it; without its folder, which is private."""
        return " ".join(quote(name or "RUN") for name in self.run_names)

    @property
    def run_names(self) -> list[str]:
        """The name of the run, or of each run that was merged into it."""
        folders = self.facts.get("runs", [self.run.folder])
        return [Path(folder).resolve().name for folder in folders]

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each score is called on the page."""
        return {s.name: s.title for s in self.scores}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The letter of each score's kind: P, L, T or O."""
        return {s.name: s.kind for s in self.scores}

    @cached_property
    def systems(self) -> list[str]:
        """The systems under evaluation; people only if asked for, or where there is nobody else."""
        names: list[str] = self.table["system"].to_list()
        return [name for name in names if self.with_human or name != HUMAN] or names

    @cached_property
    def styles(self) -> dict[str, SystemStyle]:
        """Colour and shape of every system, the same in all sections and figures."""
        return assign_styles(self.systems, self.main or ())

    @cached_property
    def dialogs(self) -> dict[str, int]:
        """How many dialogs each system has."""
        return dict(self.table.select("system", "dialogs").iter_rows())

    @property
    def required_evidence(self) -> Evidence:
        """The correlations with ratings, for what cannot be drawn without them."""
        if self.evidence is None:
            # The reason is a sentence for the page; an error is a clause after the program's name.
            reason = self.no_evidence_reason.rstrip(".")
            way_out = "" if self.judgements is not None else "; add --judgements FILE"
            raise DataError(f"{reason[:1].lower()}{reason[1:]}{way_out}")
        return self.evidence

    @property
    def correlations(self) -> list[CorrelationRow]:
        """The correlation of each score with each quality; none without ratings."""
        return self.evidence.correlations if self.evidence else []

    @property
    def comparison(self) -> tuple[Judgements | None, list[CorrelationRow], Selection]:
        """What a comparison of the run's systems takes beside the run."""
        ratings = self.judgements if self.evidence else None
        choice = Selection(with_human=self.with_human, systems=self.compared_systems)
        return ratings, self.correlations, choice

    @property
    def compared_systems(self) -> tuple[str, ...]:
        """Of very many systems, those with most dialogs and the pair that was asked for."""
        if len(self.systems) <= limits.SYSTEMS:
            return ()
        known = [name for name in self.requested_pair or () if name in self.dialogs]
        ordered = sorted(self.systems, key=lambda name: (-self.dialogs[name], name))
        return tuple(dict.fromkeys([*known, *ordered]))[: limits.SYSTEMS]

    @property
    def qualities(self) -> list[tuple[str, str]]:
        """What was rated, at which level: the one the page leads with first."""
        return correlated_qualities(self.correlations)

    def correlations_with(self, quality: tuple[str, str]) -> list[CorrelationRow]:
        """The correlation of each score with one quality."""
        return [r for r in self.correlations if (r.quality, r.level) == quality]

    def lead_correlation(self, score: str) -> CorrelationRow | None:
        """The correlation of a score with the quality that the page leads with."""
        return correlations_with_lead(self.correlations).get(score)

    def as_json(self) -> dict[str, Any]:
        """Every figure of the page, for scripts."""
        return {
            "run": {k: self.facts[k] for k in ("version", "key", "inputs", "alignment", "units")},
            "scores": [[s.name, s.title, s.kind] for s in self.scores],
            "systems": self.table.to_dicts(),
            "differences": [difference_as_json(d) for pair in self.pairs.values() for d in pair],
            "main": list(self.main) if self.main else None,
            "pairs_left_out": self.pairs_left_out,
            "structure": self.structure.as_json(),
            "profiles": [p.as_json() for p in self.profiles],
            "spreads": {n: [s.p5, s.p95, s.n] for n, s in self.central_ranges.items()},
            "evidence": self.evidence.as_json() if self.evidence else None,
            "preferences": self.preferences.as_json() if self.preferences else None,
            "unjudged": self.no_evidence_reason,
            "controls": dict(self.controls),
            "judges": self.judges.as_json() if self.judges else None,
            "slices": self.slices_as_json(),
        }

    def slices_as_json(self) -> list[dict[str, Any]]:
        """The differences within slices, or between the slices of one system."""
        if isinstance(self.slices, Slices):
            return [row.as_json() for row in self.slices.rows]
        return [difference_as_json(d) for d in self.slices or ()]


def gather_findings(
    run: Run,
    judgements: Judgements | Preferences | None = None,
    *,
    pair: Pair | None = None,
    traditional: tuple[str, ...] = (),
    turns_from: int = 0,
    correlation: Kind = "pearson",
    with_human: bool = False,
    by: str | None = None,
    answers: JudgeAnswers | None = None,
) -> Findings:
    """Everything about a run that a page shows; `turns_from`: how the judgements counted turns.

    `answers`: those of model judges, to audit against the judgements.
    """
    scores = main_scores(run.facts)
    check_names(traditional, [s.name for s in scores])
    table = run.at("system")
    evidence, preferences, reason = validate_judgements(run, judgements, traditional, correlation)
    if evidence and isinstance(judgements, Judgements):
        judgements = with_run_ids(run, judgements)
    compared = table if with_human else table.filter(pl.col("system") != HUMAN)
    findings = Findings(
        run=run,
        facts=run.facts,
        scores=scores,
        table=table,
        pairs={},
        main=None,
        pairs_left_out=0,
        structure=run_structure(run),
        profiles=tuple(system_profiles(compared, score_ranges(scores))),
        central_ranges=central_ranges(run, [s.name for s in scores if s.level != "system"]),
        judgements=judgements if isinstance(judgements, Judgements) else None,
        evidence=evidence,
        no_evidence_reason=reason,
        requested_pair=pair,
        traditional=traditional,
        preferences=preferences,
        turns_from=turns_from,
        correlation=correlation,
        with_human=with_human,
        controls=control_sentences(run),
        by=by,
        judges=audit_answers(run, judgements, answers),
    )
    if by:
        findings = replace(findings, slices=compare_by(by, run, *findings.comparison))
    pairs = compare_pairs(findings)  # whose order depends on what raters of this run say
    main = choose_pair(pairs, pair)
    shown = {p: pairs[p] for p in select_pairs(pairs, main, len(scores))}
    every = comb(len(findings.systems), 2) if findings.compared_systems else len(pairs)
    return replace(findings, pairs=shown, main=main, pairs_left_out=every - len(shown))


def audit_answers(
    run: Run, judgements: Judgements | Preferences | None, answers: JudgeAnswers | None
) -> JudgeAudit | None:
    """Model judges against people; null where one of the two was not given."""
    if answers is None:
        return None
    if judgements is None:
        raise DataError("judges are audited against people; add --judgements FILE")
    if isinstance(judgements, Preferences):
        judgements = pairs_as_answers(judgements).judgements()
    return audit_judges(judgements, answers, run=run)


def check_names(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that no score has."""
    for name in names:
        if name not in known:
            raise UnknownName(f"no score {name!r}; {suggest_names(name, known)}")


def score_ranges(scores: Sequence[ScoreInfo]) -> dict[str, tuple[float, float]]:
    """The range of each score; NaN is an open end, within which a profile has no position."""
    bounds = ((s.name, s.low, s.high) for s in scores)
    return {n: (nan if lo is None else lo, nan if hi is None else hi) for n, lo, hi in bounds}


def compare_pairs(findings: Findings) -> dict[Pair, Sequence[Difference]]:
    """The differences of every pair of systems, each pair facing the way it reads best."""
    try:
        differences = compare_with_ratings(findings.run, *findings.comparison)
    except DataError:  # one system: nothing to compare
        return {}
    facing = map(orient_pair, group_by_pair(differences).values())
    return {(pair[0].a, pair[0].b): pair for pair in facing}


def score_direction(findings: Findings, score: str) -> int | None:
    """1 where a score follows these raters, -1 in the wrong direction, 0 where it does neither."""
    better = next(s.better for s in findings.scores if s.name == score)
    return rating_direction(findings.lead_correlation(score), better)


def choose_pair(pairs: Mapping[Pair, Sequence[Difference]], request: Pair | None) -> Pair | None:
    """The pair the page leads with: as requested, or the one with the clearest differences."""
    if request is None:
        return main_pair([d for pair in pairs.values() for d in pair])
    for pair in pairs:
        if set(pair) == set(request):
            return pair
    systems = sorted({name for pair in pairs for name in pair})
    if not systems:
        raise DataError("there are no two systems to compare, so --pair does not apply")
    for name in request:
        if name not in systems:
            raise UnknownName(f"no system {name!r}; {suggest_names(name, systems)}")
    raise DataError(f"{request[0]!r} and {request[1]!r} are not two systems to compare")


def select_pairs(
    pairs: Mapping[Pair, Sequence[Difference]], main: Pair | None, scores: int
) -> list[Pair]:
    """The pairs that are on the page, the main one first: all, or those with one of its two.

    26 systems have 325 pairs; tables of all would make a page that no browser opens quickly.
    """
    if main is None:
        return []
    others = [p for p in pairs if p != main]
    most = max(ROWS // max(scores, 1), 1)
    if len(pairs) > most:
        others = [p for p in others if set(p) & set(main)][: most - 1]
    return [main, *others]


def validate_judgements(
    run: Run,
    judgements: Judgements | Preferences | None,
    traditional: tuple[str, ...],
    correlation: Kind = "pearson",
) -> tuple[Evidence | None, PreferenceEvidence | None, str]:
    """The scores against ratings or preferences, or a sentence why they cannot be compared.

    Ratings that do not fit must not cost the page: the rest of it does not need them.
    """
    if judgements is None:
        return None, None, "No human ratings were given."
    try:
        if isinstance(judgements, Preferences):
            found = validate_preferences(run, judgements)
            return None, found, "Preferences were given, but no human ratings."
        how = CorrelationSettings(kind=correlation)
        return validate(run, judgements, Question(traditional=traditional), how), None, ""
    except DataError as error:
        text = str(error)
        for folder in run.sources:
            text = text.replace(folder, Path(folder).resolve().name)
        return None, None, f"{capitalize(text)}."
