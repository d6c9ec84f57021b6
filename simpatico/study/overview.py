"""What the owner of a study sees: progress, agreement with intervals, and how each rater does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import polars as pl

from simpatico.judgements import PREFERENCE_SCHEMA
from simpatico.questions.question import ROLES
from simpatico.study.checks import CHECK, CheckCounts
from simpatico.study.design import role_problem
from simpatico.study.results import Results
from simpatico.system_means import mean_with_interval
from simpatico.validation.choices import CREDIT, linked_choices
from simpatico.validation.evidence import judgements_at, rater_statistics
from simpatico.validation.preferences import agreement_of_choices
from simpatico.validation.raters.agreement import AgreementRow

STATISTICS = (
    *("krippendorff_alpha_ordinal", "cohen_kappa_quadratic", "icc_2_1"),
    "pairwise_agreement",  # of choices between two dialogs
)
"""Of all that `validate` computes, what the page shows while people are still rating."""


def overview(results: Results, now: float) -> dict[str, Any]:
    """The owner's page as JSON."""
    design = results.design
    kinds = design.rated_kinds
    units = [u for u in results.units.values() if u.kind in kinds and u.id not in results.talks]
    finished = Counter(
        unit
        for (unit, rater), lease in results.leases.items()
        if lease.finished is not None and results.why_excluded(rater) is None
    )
    complete = sum(finished[u.id] >= design.rate.raters for u in units)
    return {
        "title": design.title,
        "roles": [role for role in ROLES if not role_problem(design, role)],
        "name": design.name,
        "raters_per_unit": design.rate.raters,
        "units": len(units),
        "complete": complete,
        "ratings": sum(finished[u.id] for u in units),
        "ratings_wanted": len(units) * design.rate.raters,
        "talks": talk_rows(results, now),
        "agreement": list(agreement(results)),
        "raters": list(rater_rows(results)),
        "holding": [
            {"rater": rater, "dialog": dialog_names(results, unit), "since": lease.taken,
             "until": lease.expires}
            for (unit, rater), lease in sorted(results.leases.items())
            if lease.finished is None and lease.skipped is None and lease.expires > now
        ],
    }  # fmt: skip


def dialog_names(results: Results, unit: str) -> str:
    """What a unit is called in the source: its dialogs; of a talk that goes on, its bot."""
    if found := results.units.get(unit):
        return " | ".join(side.dialog for side in found.sides)
    return f"talk with {results.talks[unit].bot}"


def talk_rows(results: Results, now: float) -> list[dict[str, Any]]:
    """For each bot, how many talks have ended, are open, and are wanted."""
    if (talk := results.design.talk) is None:
        return []
    counted = [t for t in results.talks.values() if results.why_excluded(t.rater) is None]
    ended = Counter(t.bot for t in counted if t.ended is not None)
    live = [t for t in counted if t.ended is None and t.expires > now]
    open_now = Counter(t.bot for t in live)
    return [
        {"bot": b.name, "ended": ended[b.name], "open": open_now[b.name],
         "wanted": talk.dialogs_per_bot}
        for b in talk.bots
    ]  # fmt: skip


def agreement(results: Results) -> Iterator[dict[str, Any]]:
    """Inter-rater agreement on each quality, and on choices between dialogs, as `validate` has it.

    Only what counts is compared: units that are finished, by raters who are not excluded.
    """
    rated, chosen = results.judgements, choices_between(results)
    for level in ("turn", "dialog"):
        if len(rated) and len(own := judgements_at(rated, level)):
            counts = own.frame.group_by("quality").agg(pl.col("value").count())
            yield from agreement_json(level, counts, rater_statistics(own, 0))
    for _, choices in chosen.group_by("quality", maintain_order=True):
        counts = choices.group_by("quality").agg(pl.len())
        yield from agreement_json("pair", counts, agreement_of_choices(choices, seed=0))


def agreement_json(
    level: str, counts: pl.DataFrame, rows: Sequence[AgreementRow]
) -> Iterator[dict[str, Any]]:
    """The statistics of each quality that the page shows; `counts`: its ratings or choices."""
    ratings = dict(counts.iter_rows())
    for quality in dict.fromkeys(row.quality for row in rows):
        found = {r.score: r for r in rows if r.quality == quality}
        yield {
            "quality": quality,
            "level": level,
            "ratings": ratings[quality],
            "statistics": {
                name: {"value": row.value, "low": row.low, "high": row.high, "n": row.n,
                       "status": row.status}
                for name in STATISTICS
                if (row := found.get(name))
            },
        }  # fmt: skip


def choices_between(results: Results) -> pl.DataFrame:
    """The choices that count, with what depends on what, as `validate` finds it in a run."""
    preferences = list(results.preferences())
    frame = pl.DataFrame(preferences, schema=PREFERENCE_SCHEMA, orient="row")
    frame = frame.drop_nulls("preferred").sort("quality", maintain_order=True)
    if frame.is_empty():
        return frame
    sides = (side for unit in results.units.values() for side in unit.sides)
    nodes = {side.dialog: side.prompt or side.dialog for side in sides}
    a, b = (frame[name].replace_strict(nodes) for name in ("dialog_a", "dialog_b"))
    credit = pl.col("preferred").replace_strict(CREDIT, return_dtype=pl.Float64)
    return frame.with_columns(linked_choices(a, b), credit=credit, level=pl.lit("pair"))


def rater_rows(results: Results) -> Iterator[dict[str, Any]]:
    """How far each rater is, how long a unit takes, checks, and severity against the others."""
    differences = rater_differences(results)
    for rater, row in sorted(results.raters.items()):
        checks = results.checks.get(rater, CheckCounts())
        own = [lease for (_, name), lease in results.leases.items() if name == rater]
        times = [lease.finished - lease.taken for lease in own if lease.finished is not None]
        answers = [a for a in results.answers if a.rater == rater and a.question != CHECK]
        mean, n, low, high = mean_with_interval(differences.get(rater, []), (-1.0, 1.0))
        yield {
            "rater": rater,
            "person": results.people.get(rater),
            "role": row.role,
            "consented": row.consented is not None,
            "finished": len(times),
            "skipped": sum(lease.skipped is not None for lease in own),
            "answers": len(answers),
            "cannot_tell": sum(a.state == "cannot_tell" for a in answers),
            "median_seconds": round(median(times)) if times else None,
            "last_seen": max((a.saved for a in answers), default=None),
            "checks": checks.seen,
            "failed": checks.failed,
            "severity": {"value": mean, "low": low, "high": high, "n": n},
            "excluded": row.excluded is not None,
            "why_excluded": results.why_excluded(rater),
        }


def rater_differences(results: Results) -> dict[str, list[float]]:
    """Severity: how far each rater is above the mean of the others, a mean per dialog.

    In shares of the scale, so that qualities on different scales can be put together: -0.1 is a
    tenth of the scale below the others. Dialogs are the units, as in every interval of ours.
    """
    ratings: dict[tuple[str, int | None, str], dict[str, float]] = {}
    for j in results.judgement_rows():
        if j.value is not None and j.scale_min is not None and j.scale_max is not None and j.judge:
            share = (j.value - j.scale_min) / (j.scale_max - j.scale_min)
            ratings.setdefault((j.dialog, j.turn, j.quality), {})[j.judge] = share
    sums: dict[tuple[str, str], list[float]] = {}
    for (dialog, *_), values in ratings.items():
        for rater, own in values.items():
            if len(values) > 1:
                others = (sum(values.values()) - own) / (len(values) - 1)
                sums.setdefault((rater, dialog), []).append(own - others)
    means: dict[str, list[float]] = {}
    for (rater, _), differences in sums.items():
        means.setdefault(rater, []).append(sum(differences) / len(differences))
    return means
