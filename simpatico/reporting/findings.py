"""All that a page shows, gathered once: the results of compare and validate, and tables of the run.

Nothing is computed here that `simpatico report --json` does not give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from shlex import quote
from typing import Any

import polars as pl

from simpatico.comparison.difference import Difference, compare
from simpatico.comparison.headline import main_pair, orient_pair
from simpatico.comparison.samples import HUMAN
from simpatico.comparison.verdict import difference_as_json
from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.judgements import Judgements
from simpatico.reporting.minimum_data import ROWS
from simpatico.reporting.scores import CentralRange, ScoreInfo, central_ranges, main_scores
from simpatico.run import Run
from simpatico.validation.correlations import CorrelationRow
from simpatico.validation.evidence import Evidence, agreement_value, validate
from simpatico.validation.overlap import (
    ScoreStructure,
    SystemProfile,
    run_structure,
    system_profiles,
)
from simpatico.wording import capitalize

WHOLE = ("overall", "quality")
"""Names of qualities that a page leads with."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class Findings:
    """What is known about a run; `evidence` is null without judgements, and `unjudged` says why."""

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

    @property
    def shell_name(self) -> str:
        """The run's name as a command line takes it; without its folder, which is private."""
        return quote(self.run.folder.resolve().name or "RUN")

    @cached_property
    def titles(self) -> dict[str, str]:
        return {s.name: s.title for s in self.scores}

    @cached_property
    def systems(self) -> list[str]:
        """The systems under evaluation; people only where there is nobody else."""
        named: list[str] = self.table["system"].to_list()
        return [s for s in named if s != HUMAN] or named

    @cached_property
    def dialogs(self) -> dict[str, int]:
        """How many dialogs each system has."""
        return dict(self.table.select("system", "dialogs").iter_rows())

    @property
    def required_evidence(self) -> Evidence:
        """What the judgements say, where there are any."""
        if self.evidence is None:
            way_out = "" if self.judgements is not None else "; add --judgements FILE"
            raise DataError(f"{self.no_evidence_reason.rstrip('.')}{way_out}")
        return self.evidence

    @property
    def qualities(self) -> list[tuple[str, str]]:
        """What was judged, at which level: the one the page leads with first."""
        rows = self.evidence.correlations if self.evidence else []
        units = {(r.quality, str(r.level)): r.n + r.nulls for r in rows}
        return sorted(units, key=lambda q: (quality_rank(q[0]), q[1] == "turn", -units[q], q))

    def correlations_with(self, quality: tuple[str, str]) -> list[CorrelationRow]:
        """How each score follows one quality."""
        rows = self.evidence.correlations if self.evidence else []
        return [r for r in rows if (r.quality, r.level) == quality]

    def lead_correlation(self, score: str) -> CorrelationRow | None:
        """How a score follows the quality that the page leads with."""
        for quality in self.qualities[:1]:
            return next((r for r in self.correlations_with(quality) if r.score == score), None)
        return None

    def rater_reference(self, row: CorrelationRow, what: str) -> float | None:
        """What one more judge, or a perfect score, reaches on the quality of a row."""
        return agreement_value(self.evidence.agreement, row, what) if self.evidence else None

    def as_json(self) -> dict[str, Any]:
        """Every figure of the page, for scripts."""
        return {
            "run": {k: self.facts[k] for k in ("version", "key", "inputs", "alignment", "units")},
            "scores": [[s.name, s.title, s.kind] for s in self.scores],
            "systems": self.table.to_dicts(),
            "differences": [difference_as_json(d) for told in self.pairs.values() for d in told],
            "main": list(self.main) if self.main else None,
            "pairs_left_out": self.pairs_left_out,
            "structure": self.structure.as_json(),
            "profiles": [p.as_json() for p in self.profiles],
            "spreads": {n: [s.p5, s.p95, s.n] for n, s in self.central_ranges.items()},
            "evidence": self.evidence.as_json() if self.evidence else None,
            "unjudged": self.no_evidence_reason,
        }


def quality_rank(quality: str) -> int:
    """Where a quality stands by its name: those about the whole first."""
    name = quality.lower()
    return next((i for i, word in enumerate(WHOLE) if name.startswith(word)), len(WHOLE))


def gather_findings(
    run: Run,
    judgements: Judgements | None = None,
    *,
    pair: Pair | None = None,
    traditional: tuple[str, ...] = (),
    unjudged: str = "",
) -> Findings:
    """Everything about a run that a page shows."""
    facts = run.facts
    scores = main_scores(facts)
    for name in traditional:
        if name not in [s.name for s in scores]:
            raise UnknownName(f"no score {name!r}; {suggest_names(name, [s.name for s in scores])}")
    table = run.at("system")
    found = compare_pairs(run)
    main = choose_pair(found, pair)
    kept = select_pairs(found, main, len(scores))
    evidence, why = validate_judgements(run, judgements, traditional, unjudged)
    ranges = {s.name: (s.low, s.high) for s in scores}
    open_ended = {n: tuple(float("nan") if b is None else b for b in r) for n, r in ranges.items()}
    own = table.filter(pl.col("system").is_in([s for s in table["system"] if s != HUMAN]))
    return Findings(
        run=run,
        facts=facts,
        scores=scores,
        table=table,
        pairs={p: found[p] for p in kept},
        main=main,
        pairs_left_out=len(found) - len(kept),
        structure=run_structure(run),
        profiles=tuple(system_profiles(own, open_ended)),  # type: ignore[arg-type]
        central_ranges=central_ranges(run, [s.name for s in scores if s.level != "system"]),
        judgements=judgements,
        evidence=evidence,
        no_evidence_reason=why,
        requested_pair=pair,
        traditional=traditional,
    )


def compare_pairs(run: Run) -> dict[Pair, Sequence[Difference]]:
    """The differences of every pair of systems, each pair facing the way it reads best.

    People are no system: a page that compared one with them would say little of either.
    """
    try:
        found = compare([run])
    except DataError:  # one system: nothing to compare
        return {}
    told: dict[Pair, list[Difference]] = {}
    for difference in found:
        if HUMAN in (difference.a, difference.b):
            continue
        told.setdefault((difference.a, difference.b), []).append(difference)
    turned = [orient_pair(own) for own in told.values()]
    return {(own[0].a, own[0].b): own for own in turned}


def choose_pair(found: Mapping[Pair, Sequence[Difference]], asked: Pair | None) -> Pair | None:
    """The pair the page leads with: the one asked for, or the one with the clearest differences."""
    if asked is None:
        return main_pair([d for told in found.values() for d in told])
    for pair in found:
        if set(pair) == set(asked):
            return pair
    known = sorted({name for pair in found for name in pair})
    if not known:
        raise DataError("there are no two systems to compare, so --pair does not apply")
    for name in asked:
        if name not in known:
            raise UnknownName(f"no system {name!r}; {suggest_names(name, known)}")
    raise DataError(f"{asked[0]!r} and {asked[1]!r} are not two systems to compare")


def select_pairs(
    found: Mapping[Pair, Sequence[Difference]], main: Pair | None, scores: int
) -> list[Pair]:
    """The pairs that are on the page, the main one first: all, or those with one of its two."""
    if main is None:
        return []
    others = [p for p in found if p != main]
    most = max(ROWS // max(scores, 1), 1)
    if len(found) > most:
        others = [p for p in others if set(p) & set(main)][: most - 1]
    return [main, *others]


def validate_judgements(
    run: Run, judgements: Judgements | None, traditional: tuple[str, ...], unjudged: str
) -> tuple[Evidence | None, str]:
    """The scores against the judgements, or a sentence why there is nothing to say."""
    if judgements is None:
        return None, unjudged or "No human ratings were given."
    from simpatico.validation.evidence import Question

    try:
        return validate(run, judgements, Question(traditional=traditional)), ""
    except DataError as refused:
        text = str(refused).replace(str(run.folder), run.folder.resolve().name)
        return None, f"{capitalize(text)}."
