"""What the owner of a study sees: progress, agreement with intervals, and how each rater does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Any

from simpatico.study.checks import CHECK, CheckCounts
from simpatico.study.results import Results
from simpatico.table import mean_with_interval
from simpatico.validation.evidence import judgements_at, rater_statistics

STATISTICS = ("krippendorff_alpha_ordinal", "cohen_kappa_quadratic", "icc_2_1")
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
            {"rater": rater, "unit": unit, "since": lease.taken, "until": lease.expires}
            for (unit, rater), lease in sorted(results.leases.items())
            if lease.finished is None and lease.skipped is None and lease.expires > now
        ],
    }  # fmt: skip


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
    """Inter-rater agreement on each quality, as `validate` has it."""
    if not len(results.judgements):
        return
    for level in ("turn", "dialog"):
        own = judgements_at(results.judgements, level)
        if not len(own):
            continue
        rows = rater_statistics(own, 0)
        for quality in dict.fromkeys(row.quality for row in rows):
            found = {r.score: r for r in rows if r.quality == quality}
            yield {
                "quality": quality,
                "level": level,
                "ratings": own.frame.filter(quality=quality)["value"].count(),
                "statistics": {
                    name: {"value": row.value, "low": row.low, "high": row.high, "n": row.n,
                           "status": row.status}
                    for name in STATISTICS
                    if (row := found.get(name))
                },
            }  # fmt: skip


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
