"""`simpatico list`: which metrics there are, and the card of each."""

from __future__ import annotations

import math
from typing import Any

import click

from simpatico.cli.out import result, show_json, show_table
from simpatico.metric import Metric, missing, signature
from simpatico.registry import available, load


@click.command(name="list")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="For scripts.")
def command(name: str | None, as_json: bool) -> None:
    """List all metrics, or print the card of the metric NAME."""
    if name:
        metric = load(name)
        show_json(facts(metric)) if as_json else show_card(metric)
    elif as_json:
        show_json([facts(load(n)) for n in available()])
    else:
        rows = [row(load(n)) for n in available()]
        show_table("metrics", ["name", "level", "installed", "about"], rows)
        result("simpatico list NAME prints a metric's card")


def row(metric: Metric) -> list[str]:
    first, stop, _ = metric.card.about.partition(". ")
    installed = "no" if missing(metric) else "yes"
    return [metric.name, metric.level, installed, first + stop.strip()]


def facts(metric: Metric) -> dict[str, Any]:
    """Everything about a metric that scripts may want."""
    return {
        "name": metric.name,
        "kind": metric.card.kind,
        "level": metric.level,
        "scores": [
            {"name": s.name, "range": bounds(s.range), "better": s.better, "meaning": s.meaning}
            for s in metric.scores
        ],
        "needs": [type(f).__name__ for f in metric.needs],
        "installed": missing(metric) is None,
        "how_to_get": missing(metric),
        "about": metric.card.about,
        "undefined": metric.card.undefined,
        "language": metric.card.language,
        "citation": metric.card.citation,
        "signature": None if missing(metric) else signature(metric),
    }


def bounds(span: tuple[float, float]) -> list[float | None]:
    """A range with null for an end that does not exist."""
    return [b if math.isfinite(b) else None for b in span]


def show_card(metric: Metric) -> None:
    """What people should know before they trust the metric."""
    told = facts(metric)
    result(f"{metric.name}: {metric.card.about}")
    for score in metric.scores:
        low, high = ("…" if b is None else f"{b:.4g}" for b in bounds(score.range))
        better = f"{score.better} is better" if score.better else "describes, does not judge"
        result(f"  {score.name}  {low} to {high}, {better}: {score.meaning}")
    for word in ("undefined", "language", "level", "citation", "signature", "how_to_get"):
        if told[word]:
            result(f"  {word.replace('_', ' ')}: {told[word]}")
    if notes := getattr(metric, "notes", None):
        result(notes)
