"""`simpatico list`: which metrics there are, and the card of each."""

from __future__ import annotations

from typing import Any

import click

from simpatico.cli.output import result, show_json, show_table
from simpatico.errors import MissingResource
from simpatico.metric import Metric, json_range, missing_resource, plain_name, signature
from simpatico.registry import load, load_all


@click.command(name="list")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Output as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List all metrics, or print the card of the metric NAME."""
    if name:
        metric = load(name)
        show_json(metric_facts(metric)) if as_json else show_card(metric)
    elif as_json:
        show_json([metric_json(name, metric) for name, metric in load_all().items()])
    else:
        rows = [metric_row(name, metric) for name, metric in load_all().items()]
        show_table("metrics", ["name", "level", "installed", "about"], rows)
        result("Run `simpatico list NAME` for the card of a metric.")


def metric_row(name: str, metric: Metric | MissingResource) -> list[str]:
    if isinstance(metric, MissingResource):
        return [name, "–", "no", str(metric)]
    first, stop, _ = metric.card.about.partition(". ")
    return [name, metric.level, "no" if missing_resource(metric) else "yes", first + stop.strip()]


def metric_json(name: str, metric: Metric | MissingResource) -> dict[str, Any]:
    """What scripts learn of a metric, even of one that cannot be loaded."""
    if not isinstance(metric, MissingResource):
        return metric_facts(metric)
    unknown: dict[str, Any] = {
        "kind": None,
        "level": None,
        "scores": [],
        "needs": [],
        "citation": None,
    }
    return {"name": name, **unknown, "installed": False, "how_to_get": str(metric)}


def metric_facts(metric: Metric) -> dict[str, Any]:
    """Everything about a metric that scripts may want."""
    return {
        "name": plain_name(metric.name),
        "scored_as": metric.name,
        "kind": metric.card.kind,
        "level": metric.level,
        "scores": [
            {"name": s.name, "range": json_range(s.range), "better": s.better, "meaning": s.meaning}
            for s in metric.scores
        ],
        "needs": [type(f).__name__ for f in metric.needs],
        "installed": missing_resource(metric) is None,
        "how_to_get": missing_resource(metric),
        "about": metric.card.about,
        "undefined": metric.card.undefined,
        "language": metric.card.language,
        "citation": metric.card.citation,
        "signature": None if missing_resource(metric) else signature(metric),
    }


def show_card(metric: Metric) -> None:
    """What people should know before they trust the metric."""
    facts = metric_facts(metric)
    result(f"{metric.name}: {metric.card.about}")
    for score in metric.scores:
        low, high = ("…" if b is None else f"{b:.4g}" for b in json_range(score.range))
        better = (
            f"{score.better} is better" if score.better else "descriptive (no better direction)"
        )
        result(f"  {score.name}  {low} to {high}, {better}: {score.meaning}")
    for word in ("undefined", "language", "level", "citation", "signature", "how_to_get"):
        if facts[word]:
            result(f"  {word.replace('_', ' ')}: {facts[word]}")
