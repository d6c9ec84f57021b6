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
from simpatico.comparison.headline import faced, main_pair
from simpatico.comparison.samples import PEOPLE
from simpatico.comparison.verdict import as_json
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgements
from simpatico.registry import suggestion
from simpatico.reporting.minimum_data import ROWS
from simpatico.reporting.scores import Measured, Spread, measured, spreads
from simpatico.run import Run
from simpatico.validation.correlations import Correlated
from simpatico.validation.evidence import Evidence, reached, validate
from simpatico.validation.overlap import structure_of
from simpatico.validation.overlap__structure import Profile, Structure, profiles
from simpatico.wording import capitalize

WHOLE = ("overall", "quality")
"""Names of qualities that a page leads with."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class Findings:
    """What is known about a run; `evidence` is null without judgements, and `unjudged` says why."""

    run: Run
    facts: Mapping[str, Any] = field(repr=False)
    scores: tuple[Measured, ...]
    table: pl.DataFrame = field(repr=False)
    pairs: Mapping[Pair, Sequence[Difference]] = field(repr=False)
    main: Pair | None
    unpaired: int
    structure: Structure = field(repr=False)
    profiles: tuple[Profile, ...] = field(repr=False)
    spreads: Mapping[str, Spread] = field(repr=False)
    judgements: Judgements | None = field(repr=False)
    evidence: Evidence | None = field(repr=False)
    unjudged: str
    asked: Pair | None = None
    traditional: tuple[str, ...] = ()

    @property
    def shell(self) -> str:
        """The run's name as a command line takes it; without its folder, which is private."""
        return quote(self.run.folder.resolve().name or "RUN")

    @cached_property
    def titles(self) -> dict[str, str]:
        return {s.name: s.title for s in self.scores}

    @cached_property
    def systems(self) -> list[str]:
        """The systems under evaluation; people only where there is nobody else."""
        named: list[str] = self.table["system"].to_list()
        return [s for s in named if s != PEOPLE] or named

    @cached_property
    def dialogs(self) -> dict[str, int]:
        """How many dialogs each system has."""
        return dict(self.table.select("system", "dialogs").iter_rows())

    @property
    def judged(self) -> Evidence:
        """What the judgements say, where there are any."""
        if self.evidence is None:
            way_out = "" if self.judgements is not None else "; add --judgements FILE"
            raise DataError(f"{self.unjudged.rstrip('.')}{way_out}")
        return self.evidence

    @property
    def qualities(self) -> list[tuple[str, str]]:
        """What was judged, at which level: the one the page leads with first."""
        rows = self.evidence.correlations if self.evidence else []
        units = {(r.quality, str(r.level)): r.n + r.nulls for r in rows}
        return sorted(units, key=lambda q: (leads(q[0]), q[1] == "turn", -units[q], q))

    def correlated(self, quality: tuple[str, str]) -> list[Correlated]:
        """How each score follows one quality."""
        rows = self.evidence.correlations if self.evidence else []
        return [r for r in rows if (r.quality, r.level) == quality]

    def tracked(self, score: str) -> Correlated | None:
        """How a score follows the quality that the page leads with."""
        for quality in self.qualities[:1]:
            return next((r for r in self.correlated(quality) if r.score == score), None)
        return None

    def reached(self, row: Correlated, what: str) -> float | None:
        """What one more judge, or a perfect score, reaches on the quality of a row."""
        return reached(self.evidence.agreement, row, what) if self.evidence else None

    def as_json(self) -> dict[str, Any]:
        """Every figure of the page, for scripts."""
        return {
            "run": {k: self.facts[k] for k in ("version", "key", "inputs", "alignment", "units")},
            "scores": [[s.name, s.title, s.kind] for s in self.scores],
            "systems": self.table.to_dicts(),
            "differences": [as_json(d) for told in self.pairs.values() for d in told],
            "main": list(self.main) if self.main else None,
            "pairs_left_out": self.unpaired,
            "structure": self.structure.as_json(),
            "profiles": [p.as_json() for p in self.profiles],
            "spreads": {n: [s.p5, s.p95, s.n] for n, s in self.spreads.items()},
            "evidence": self.evidence.as_json() if self.evidence else None,
            "unjudged": self.unjudged,
        }


def leads(quality: str) -> int:
    """Where a quality stands by its name: those about the whole first."""
    name = quality.lower()
    return next((i for i, word in enumerate(WHOLE) if name.startswith(word)), len(WHOLE))


def gather(
    run: Run,
    judgements: Judgements | None = None,
    *,
    pair: Pair | None = None,
    traditional: tuple[str, ...] = (),
    unjudged: str = "",
) -> Findings:
    """Everything about a run that a page shows."""
    facts = run.facts
    scores = measured(facts)
    for name in traditional:
        if name not in [s.name for s in scores]:
            raise UnknownName(f"no score {name!r}; {suggestion(name, [s.name for s in scores])}")
    table = run.at("system")
    found = compared(run)
    main = chosen_pair(found, pair)
    kept = shown_pairs(found, main, len(scores))
    evidence, why = judged(run, judgements, traditional, unjudged)
    ranges = {s.name: (s.low, s.high) for s in scores}
    open_ended = {n: tuple(float("nan") if b is None else b for b in r) for n, r in ranges.items()}
    own = table.filter(pl.col("system").is_in([s for s in table["system"] if s != PEOPLE]))
    return Findings(
        run=run,
        facts=facts,
        scores=scores,
        table=table,
        pairs={p: found[p] for p in kept},
        main=main,
        unpaired=len(found) - len(kept),
        structure=structure_of(run),
        profiles=tuple(profiles(own, open_ended)),  # type: ignore[arg-type]
        spreads=spreads(run, [s.name for s in scores if s.level != "system"]),
        judgements=judgements,
        evidence=evidence,
        unjudged=why,
        asked=pair,
        traditional=traditional,
    )


def compared(run: Run) -> dict[Pair, Sequence[Difference]]:
    """The differences of every pair of systems, each pair facing the way it reads best.

    People are no system: a page that compared one with them would say little of either.
    """
    try:
        found = compare([run])
    except DataError:  # one system: nothing to compare
        return {}
    told: dict[Pair, list[Difference]] = {}
    for difference in found:
        if PEOPLE in (difference.a, difference.b):
            continue
        told.setdefault((difference.a, difference.b), []).append(difference)
    turned = [faced(own) for own in told.values()]
    return {(own[0].a, own[0].b): own for own in turned}


def chosen_pair(found: Mapping[Pair, Sequence[Difference]], asked: Pair | None) -> Pair | None:
    """The pair the page leads with: the one asked for, or the one that is most told apart."""
    if asked is None:
        return main_pair([d for told in found.values() for d in told])
    for pair in found:
        if set(pair) == set(asked):
            return pair
    known = sorted({name for pair in found for name in pair})
    if not known:
        raise DataError("there are no two systems to compare, so --pair has no meaning here")
    for name in asked:
        if name not in known:
            raise UnknownName(f"no system {name!r}; {suggestion(name, known)}")
    raise DataError(f"{asked[0]!r} and {asked[1]!r} are not two systems to compare")


def shown_pairs(
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


def judged(
    run: Run, judgements: Judgements | None, traditional: tuple[str, ...], unjudged: str
) -> tuple[Evidence | None, str]:
    """The scores against the judgements, or a sentence why there is nothing to say."""
    if judgements is None:
        return None, unjudged or "No judgements were given."
    from simpatico.validation.evidence import Question

    try:
        return validate(run, judgements, Question(traditional=traditional)), ""
    except DataError as refused:
        text = str(refused).replace(str(run.folder), run.folder.resolve().name)
        return None, f"{capitalize(text)}."
