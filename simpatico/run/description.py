"""What a run tells of its metrics, and the metrics built again from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from simpatico.errors import SimpaticoError
from simpatico.metric import Metric, bounds, plain, plain_name, signature, wording
from simpatico.registry import available, load


def described(metric: Metric) -> dict[str, Any]:
    """What a reader of the scores must know about a metric."""
    scores = [
        {
            "name": s.name,
            "range": bounds(s.range),
            "better": s.better,
            "meaning": s.meaning,
            **wording(s.name, vars(s)),
        }
        for s in metric.scores
    ]
    card = metric.card
    words = {key: getattr(card, key) for key in ("about", "careful", "undefined", "citation")}
    facts = {"signature": signature(metric), "level": metric.level, "kind": card.kind}
    return {**facts, "card": words, "scores": scores}


def parameters(metric: Metric) -> dict[str, Any]:
    """The metric's parameters, as they were given; those that JSON cannot hold are left out."""
    given = {f.name: getattr(metric, f.name) for f in fields(metric)}
    return {name: value for name, value in given.items() if storable(value)}


def storable(value: object) -> bool:
    try:
        return bool(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError):
        return False


def rebuilt(name: str, told: Mapping[str, Any]) -> Metric | str:
    """The metric that `run.json` tells of, or why it is not the one that gave the scores."""
    name = plain_name(name)
    if name not in available():
        return "it is not installed here"
    given = told.get("parameters", {})
    sources = [f"{name}.{p} is {plain(given[p])!r}" for p in ("lexicon", "model") if given.get(p)]
    where = f" ({', '.join(sources)})" if sources else ""
    try:
        metric = load(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    except (SimpaticoError, TypeError) as error:
        return f"it cannot be built again: {error}"
    try:
        now = signature(metric)
    except (SimpaticoError, OSError):
        return f"its word list or model is missing or damaged{where}"
    apart = {p.partition(":")[0] for p in {*now.split("|")} ^ {*told["signature"].split("|")}}
    if not apart:
        return metric
    if "version" in apart:
        return "the run was scored with another version of simpatico"
    if apart & {f.name for f in fields(metric)}:
        return "the run does not say with which parameters it was scored"
    what = "code" if "code_sha256" in apart else "word list or model"
    return f"its {what} is not what it was when the run was scored{where}"
