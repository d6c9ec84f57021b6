"""Find metrics by name. The folder is the registry; nothing registers itself on import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import simpatico.metrics
from simpatico.errors import ContractError, MissingResource, UnknownName
from simpatico.metric import Kind, Metric, missing

GROUP = "simpatico.metrics"
PRESETS: dict[str, tuple[Kind, ...]] = {
    "psych": ("psychological",),
    "neural": ("traditional", "evaluator"),
    "all": ("psychological", "traditional", "evaluator", "other"),
}


def available() -> list[str]:
    """Names of all metrics, ours and those of installed packages, without importing any."""
    return sorted(inside() | set(outside()))


def inside() -> set[str]:
    """Metrics that stand in our own folder."""
    return {m.name for m in iter_modules(simpatico.metrics.__path__) if m.name[0] != "_"}


def outside() -> dict[str, EntryPoint]:
    """Metrics that other installed packages offer under the entry point group."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load(name: str, **parameters: Any) -> Metric:
    """The metric called `name`, built with these parameters.

    `bart_score[smollm2]` is `bart_score` with the model `package:smollm2`.
    """
    name, bracket, model = name.partition("[")
    whole = len(model) > 1 and model.endswith("]") and ":" not in model
    if bracket and (not whole or "model" in parameters):
        raise UnknownName(
            f"{name}[{model} names no metric; write {name}[MODEL] with a name of "
            "`simpatico models`, or give the parameter model"
        )
    cls = metric_class(name)
    if bracket:
        parameters |= carried(cls, model[:-1])
    known = [f.name for f in fields(cls)]
    if unknown := sorted(set(parameters) - set(known)):
        raise UnknownName(f"{name} has no parameter {unknown[0]!r}; it has {known}")
    metric: Metric = cls(**{k: str(v) if isinstance(v, Path) else v for k, v in parameters.items()})
    return metric


def carried(cls: type[Any], names: str) -> dict[str, str]:
    """The models in a metric's brackets, as its parameters; several are joined by a plus."""
    holders, models = getattr(cls, "carries", ("model",)), names.split("+")
    if not set(holders) <= set(cls.__dataclass_fields__):
        raise UnknownName(f"{cls.name} uses no model; write {cls.name} without brackets")
    if len(models) == 1 and "model" in cls.__dataclass_fields__:
        holders = ("model",)
    elif len(models) != len(holders):
        raise UnknownName(f"{cls.name} carries {len(holders)} models, not {len(models)}: {names!r}")
    own = getattr(cls, "called", ())
    return {h: m if m in own else f"package:{m}" for h, m in zip(holders, models, strict=True)}


def metric_class(name: str) -> type[Any]:
    """The class of the metric called `name`."""
    if name not in available():
        raise UnknownName(f"no metric {name!r}; {suggestion(name, available())}")
    if name not in inside():
        return outside_class(outside()[name])
    members = vars(import_module(f"simpatico.metrics.{name}")).values()
    return only([c for c in members if isinstance(c, type)], name, f"metrics/{name}.py")


def outside_class(point: EntryPoint) -> type[Any]:
    """The class that another package offers; whatever it raises becomes one sentence."""
    try:
        found = point.load()
    except Exception as error:  # foreign code may fail in any way
        raise MissingResource(
            f"metric {point.name!r} of {point.value} cannot be loaded ({type(error).__name__}); "
            "mend or remove the package that offers it"
        ) from error
    return only([found], point.name, point.value)


def only(classes: list[type[Any]], name: str, place: str) -> type[Any]:
    """The one class of this name."""
    named = [c for c in classes if getattr(c, "name", "") == name]
    if len(named) != 1:
        raise ContractError(f"{place} has {len(named)} classes with name = {name!r}; it needs one")
    return named[0]


def loadable() -> dict[str, Metric | MissingResource]:
    """Every metric with its defaults, or why it cannot be had."""
    found: dict[str, Metric | MissingResource] = {}
    for name in available():
        try:
            found[name] = load(name)
        except MissingResource as absent:
            found[name] = absent
    return found


def preset(name: str) -> list[str]:
    """Names of the metrics of a preset that can run here."""
    kinds, any_metric = PRESETS[name], name != "neural"
    ready = {n: m for n, m in loadable().items() if not isinstance(m, MissingResource)}
    return [
        n
        for n, m in ready.items()
        if m.card.kind in kinds and missing(m) is None and (any_metric or takes_model(m))
    ]


def takes_model(metric: Metric) -> bool:
    """Whether the metric runs a pretrained model that is one of its parameters."""
    holders = getattr(metric, "carries", ("model",))
    return any(f.name in holders for f in fields(metric))


def suggestion(name: str, known: Iterable[str]) -> str:
    """How to go on after a name that does not exist."""
    known = list(known)
    near = get_close_matches(name, known, n=3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are {', '.join(known)}"
