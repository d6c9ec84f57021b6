"""What `run.json` says of a metric, and the metric built again from that.

A report is made long after the scores. To quote the words behind a score it needs the very metric,
which is built from the stored parameters and accepted only if its signature is still the same.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from math import inf
from typing import Any, ClassVar

import polars as pl

from simpatico.errors import SimpaticoError
from simpatico.metric import (
    Metric,
    Score,
    json_range,
    plain_name,
    score_wording,
    signature,
    signature_value,
)
from simpatico.registry import available, load, metric_class
from simpatico.scoring import run_models
from simpatico.turns import Level

LIBRARIES = ("numba", "numpy", "polars", "scipy")
MODEL_LIBRARIES = ("onnxruntime", "tokenizers", "torch", "transformers")


@dataclass(frozen=True)
class StoredMetric:
    """A metric as `run.json` tells it: enough to name its scores, not to compute them."""

    name: str
    level: Level
    scores: tuple[Score, ...]
    parameters: Mapping[str, Any]
    needs: ClassVar[tuple[()]] = ()


def stored_scores(metrics: Mapping[str, Any]) -> dict[str, Score]:
    """The scores of metrics as `describe_metric` tells them, each a column of its own name."""
    scores = {}
    for score in (s for facts in metrics.values() for s in facts["scores"]):
        name, (low, high) = score["name"], score["range"]
        bounds = (-inf if low is None else low, inf if high is None else high)
        scores[name] = Score(name, pl.col(name), bounds, "")
    return scores


def describe_metric(metric: Metric) -> dict[str, Any]:
    """What a reader of the scores must know about a metric."""
    scores = [
        {
            "name": s.name,
            "range": json_range(s.range),
            "better": s.better,
            "meaning": s.meaning,
            **score_wording(s.name, vars(s)),
        }
        for s in metric.scores
    ]
    card = metric.card
    words = {
        key: getattr(card, key) for key in ("about", "careful", "undefined", "citation", "validity")
    }
    facts = {"signature": signature(metric), "level": metric.level, "kind": card.kind}
    return {**facts, "card": words, "scores": scores}


def metric_parameters(metric: Metric) -> dict[str, Any]:
    """The metric's parameters, as they were given; those that JSON cannot hold are left out."""
    if isinstance(metric, StoredMetric):
        return dict(metric.parameters)
    parameters: dict[str, Any] = {}
    for name in (f.name for f in fields(metric)):
        value = getattr(metric, name)
        # NaN and half surrogate pairs are Python's, not JSON's
        with suppress(TypeError, ValueError):
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
            parameters[name] = value
    return parameters


def rebuild_metric(name: str, facts: Mapping[str, Any]) -> Metric | str:
    """The metric that `run.json` describes, or why it is not the one that gave the scores."""
    name = plain_name(name)
    if name not in available():
        return "it is not installed here"
    values = facts.get("parameters", {})
    files = {p: signature_value(p, values[p]) for p in ("lexicon", "model") if values.get(p)}
    sources = ", ".join(f"{name}.{p} is {file!r}" for p, file in files.items())
    where = f" ({sources})" if sources else ""
    # JSON has lists where parameters are tuples
    parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    defaults = {f.name: f.default for f in fields(metric_class(name))}
    for parameter, value in parameters.items():
        kind = type(defaults.get(parameter, value))
        if kind not in (type(value), type(None)) and (kind, type(value)) != (float, int):
            return f"it cannot be built again: {name}.{parameter} is {type(value).__name__}"
    try:
        metric = load(name, **parameters)
        hash(metric)  # features are found by their parameters
    except (SimpaticoError, TypeError, ValueError) as error:
        return f"it cannot be built again: {error}"
    try:
        # the file of a lexicon or model is read here, and may be gone or another one by now
        now = signature(metric)
    except (SimpaticoError, OSError, TypeError, ValueError):
        return f"its word list or model is missing or damaged{where}"
    # a signature is parts of `name:value`: whichever name differs tells what has changed
    differing = {p.partition(":")[0] for p in {*now.split("|")} ^ {*facts["signature"].split("|")}}
    if not differing:
        return metric
    if "version" in differing:
        return "the run was scored with another version of simpatico"
    if differing & {f.name for f in fields(metric)}:
        return "the run does not say with which parameters it was scored"
    what = "code" if "code_sha256" in differing else "word list or model"
    return f"its {what} is not what it was when the run was scored{where}"


def library_versions(metrics: Sequence[Metric]) -> dict[str, str]:
    """The versions of Python and of what computes scores here.

    Of what the metrics need, not of what this process has imported: others may have scored parts.
    """
    names = [*LIBRARIES, *(MODEL_LIBRARIES if run_models(metrics) else ())]
    versions = {"python": platform.python_version()}
    for name in names:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions
