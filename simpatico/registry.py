"""Find metrics by name. The folder is the registry; nothing registers itself on import.

Listing names imports nothing, and a preset imports its own metrics alone: all of them take half a
second. Other packages add metrics through the entry point group `simpatico.metrics`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast, get_args

import simpatico.metrics
from simpatico.errors import ContractError, MissingResource, UnknownName, suggest_names
from simpatico.metric import Card, Kind, Metric, missing_resource
from simpatico.metric_index import IndexEntry, builtin_names, entry_point_metrics
from simpatico.metric_index import available as available
from simpatico.models.catalogue import catalogue

PRESETS: dict[str, tuple[Kind, ...]] = {
    "default": ("psychological",),
    "psych": ("psychological",),
    "neural": ("traditional", "evaluator"),
    "all": ("psychological", "traditional", "evaluator", "other"),
}
ALWAYS = {
    "default": (
        ("predicted_rating", "predicted_rating[core]"),
        *(("engaging_and_relevant",), ("coherence",), ("relevance",)),
        *(("engagement",), ("perceived_empathy",), ("emotional_consistency",)),
        *(("length",), ("question_rate",), ("repetition",)),
    )
}
"""What a preset has beside the metrics of its kinds: of each group the first that can run here.

By the evidence, these follow people and need no references; predicted rating does so best, with an
encoder or without. The last three are the simple columns that any score should be compared with."""
FIRST_ALWAYS = {"default": 7}
"""How many of these come before the metrics of the preset's kinds."""
OLD_PARAMETERS = {
    ("deep_am_fm", "model_encoder"): "encoder_model",
    ("prism", "pivot"): "pivot_model",
    ("emotional_consistency", "neutrality"): "neutrality_model",
    ("emotional_consistency", "polarity"): "polarity_model",
}
"""Parameters by the names of the last release. The rule: what takes a model is `model`, and where a
metric takes several, the others are `ROLE_model`."""
LANGUAGE_MODEL = "Likelihood"
"""The feature of metrics that run on any causal language model."""
KIND = re.compile(rf'\bkind="({"|".join(get_args(Kind))})"')
"""The kind of a metric as its file writes it on the card."""


def load(name: str, **parameters: Any) -> Metric:
    """The metric called `name`, built with these parameters.

    `bart_score[smollm2]` is `bart_score` with the model `package:smollm2`; the models of a metric
    with several are joined by a plus.
    """
    name, bracket, model = name.partition("[")
    is_name = len(model) > 1 and model.endswith("]") and ":" not in model
    if bracket and (not is_name or "model" in parameters):
        raise UnknownName(
            f"{name}[{model} names no metric; write {name}[MODEL] with a name of "
            "`simpatico models`, or give the parameter model"
        )
    cls = metric_class(name)
    parameters = {OLD_PARAMETERS.get((name, k), k): v for k, v in parameters.items()}
    if bracket:
        holders = getattr(cls, "carries", ("model",))  # the fields that take a model
        models = model[:-1].split("+")
        if not set(holders) <= set(cls.__dataclass_fields__):
            raise UnknownName(f"{name} uses no model; write {name} without brackets")
        if len(models) == 1 and "model" in cls.__dataclass_fields__:
            holders = ("model",)
        elif len(models) != len(holders):
            raise UnknownName(
                f"{name} carries {len(holders)} models, not {len(models)}: {model[:-1]!r}"
            )
        # names that the metric has for models of its own are taken as they are
        own = getattr(cls, "called", ())
        pairs = zip(holders, models, strict=True)
        parameters |= {h: m if m in own else f"package:{m}" for h, m in pairs}
    names = [f.name for f in fields(cls)]
    if unknown := sorted(set(parameters) - set(names)):
        known = ", ".join(names) or "none"
        raise UnknownName(f"{name} has no parameter {unknown[0]!r}; it has {known}")
    metric: Metric = cls(**{k: str(v) if isinstance(v, Path) else v for k, v in parameters.items()})
    return metric


def metric_class(name: str) -> type[Any]:
    """The class of the metric called `name`, or of `FILE.py:CLASS`, a file of the user's."""
    if is_file_spec(name):
        return class_in_file(name)
    is_ours = name in builtin_names()
    if not is_ours and name not in available():
        raise UnknownName(f"no metric {name!r}; {suggest_names(name, available())}")
    if is_ours:
        place, members = f"metrics/{name}.py", vars(import_module(f"simpatico.metrics.{name}"))
        classes = [c for c in members.values() if isinstance(c, type)]
    else:
        point = entry_point_metrics()[name]
        place = point.value
        try:
            classes = [point.load()]
        except Exception as error:  # foreign code may fail in any way
            raise MissingResource(
                f"metric {name!r} of {place} cannot be loaded ({type(error).__name__}); "
                "fix or remove the package that offers it"
            ) from error
    matches = [c for c in classes if getattr(c, "name", "") == name]
    if len(matches) != 1:
        raise ContractError(
            f"{place} has {len(matches)} classes with name = {name!r}; it needs one"
        )
    return matches[0]


def is_file_spec(name: str) -> bool:
    """Whether this names a class in a file: `FILE.py:CLASS`, or a file with one metric."""
    return name.partition(":")[0].endswith(".py")


def class_in_file(spec: str) -> type[Any]:
    """The metric class in a user's file.

    The file is imported by its name from its folder, which goes to the end of the search path:
    the processes of --jobs find it there too, and it hides no installed module.
    """
    file, _, wanted = spec.partition(":")
    path = Path(file).resolve()
    if not path.is_file():
        raise UnknownName(f"no file {file!r}; --metrics takes FILE.py:CLASS or a metric's name")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        module = import_module(path.stem)
    except Exception as error:  # foreign code may fail in any way
        raise MissingResource(
            f"{file} cannot be imported: {type(error).__name__}: {error}; fix the file"
        ) from error
    if Path(getattr(module, "__file__", None) or "").resolve() != path:
        raise UnknownName(f"another module is called {path.stem!r}; rename {file}")
    own = [c for c in vars(module).values() if getattr(c, "__module__", "") == path.stem]
    classes = {c.__name__: c for c in own if isinstance(c, type) and hasattr(c, "name")}
    if not wanted and len(classes) == 1:
        (wanted,) = classes
    if wanted not in classes:
        known = f"it has {', '.join(classes)}" if classes else "it has no metric class"
        raise UnknownName(f"no metric class {wanted!r} in {file}; {known}")
    return checked_class(file, classes[wanted])


def checked_class(file: str, cls: type[Any]) -> type[Any]:
    """The class, if it can be a metric at all; whether it works, scoring tells."""
    lacking = [n for n in ("name", "level", "card", "needs", "scores") if not hasattr(cls, n)]
    if lacking or not is_dataclass(cls):
        what = f"it has no {lacking[0]!r}" if lacking else "it is no dataclass"
        raise ContractError(f"{file}:{cls.__name__} is no metric: {what}; see CONTRIBUTING.md")
    if (name := getattr(cls, "name", "")) in builtin_names():
        raise ContractError(f"{file}:{cls.__name__} has the name of a shipped metric, {name!r}")
    return cls


def load_all() -> dict[str, Metric | MissingResource]:
    """Every metric with its defaults, or why it cannot be had."""
    return {name: load_if_possible(name) for name in available()}


def load_if_possible(name: str) -> Metric | MissingResource:
    """The metric with its defaults, or why it cannot be had."""
    try:
        return load(name)
    except MissingResource as absent:
        return absent


def preset(name: str) -> list[str]:
    """Names of the metrics of a preset that can run here: ours alone.

    What another package offers is scored when it is named, so that installing one never changes a
    run that names nothing.
    """
    kinds, names = PRESETS[name], []
    for metric_name in sorted(n for n in builtin_names() if kind_in_source(n) in kinds):
        if not can_run(metric_name):
            continue
        metric = load(metric_name)
        # neural metrics are those that take a pretrained model as a parameter
        holders = getattr(metric, "carries", ("model",))
        takes_model = any(f.name in holders for f in fields(metric))
        if metric.card.kind in kinds and (takes_model or name != "neural"):
            names.append(metric_name)
    always = [next(filter(can_run, group), None) for group in ALWAYS.get(name, ())]
    first = FIRST_ALWAYS.get(name, 0)
    ordered = [*always[:first], *names, *always[first:]]
    return list(dict.fromkeys(filter(None, ordered)))


def can_run(name: str) -> bool:
    """Whether the metric and all that it needs are here."""
    metric = load_if_possible(name)
    return not isinstance(metric, MissingResource) and missing_resource(metric) is None


def runnable_variant(name: str) -> str | None:
    """A metric that lacks its own model, on a language model that is here, as `fed[smollm2]`."""
    metric = load_if_possible(name)
    if isinstance(metric, MissingResource) or missing_resource(metric) is None:
        return None
    return next(filter(can_run, model_variants(name, metric)), None)


def model_variants(name: str, metric: Metric) -> list[str]:
    """The metric on each language model of the catalogue, if it runs on any such model."""
    if not any(type(need).__name__ == LANGUAGE_MODEL for need in metric.needs):
        return []
    models = [m for m, entry in catalogue().items() if entry.kind == "causal"]
    encoder = "minilm+" if "encoder_model" in metric.__dataclass_fields__ else ""
    return [f"{name}[{encoder}{model}]" for model in models]


def index_entry(name: str) -> IndexEntry:
    """What a list shows of a metric; of what it needs only whether all of it is here."""
    metric = load(name)
    first, stop, _ = metric.card.about.partition(". ")
    better = next((s.better for s in metric.scores if s.name == metric.name), None)
    requires = None if missing_resource(metric) else ()
    return IndexEntry(name, metric.name, metric.level, first + stop.strip(), better, requires)


def kind_in_source(name: str) -> Kind:
    """The kind of a metric of this package, read off its file instead of importing it."""
    (folder,) = simpatico.metrics.__path__
    kind = KIND.search((Path(folder) / f"{name}.py").read_text(encoding="utf-8"))
    return cast(Kind, kind[1]) if kind else Card.kind
