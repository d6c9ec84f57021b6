"""What a metric is: statistics that merge, and scores read off the merged statistics."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import polars as pl

from simpatico.arrays import Bools
from simpatico.errors import ContractError
from simpatico.features import Feature, Features, closure
from simpatico.features.spans import EVIDENCE
from simpatico.models.names import short_model_name, split_model_names, why_missing
from simpatico.turns import Level, Turns
from simpatico.wording import title_from_name

Better = Literal["higher", "lower"] | None
Kind = Literal["psychological", "traditional", "evaluator", "other"]
Merge = Literal["sum", "min", "max"]
Validity = Literal["", "weak", "unproven"]


@dataclass(frozen=True)
class Score:
    """One number a metric reports.

    `of` reads it off the metric's statistics after they were merged within a unit: a Polars
    expression, or a function from the frame of statistics to a column of numbers. `more` and
    `less` stand between two systems ("sounds more agreeable than"), `unit` after a number.
    """

    name: str
    of: pl.Expr | Callable[[pl.DataFrame], Any]
    range: tuple[float, float]
    meaning: str
    better: Better = None
    title: str = ""
    more: str = ""
    less: str = ""
    unit: str = ""


def score_wording(score: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """Title, more, less and unit of a score: its own words, or some made from its name."""
    name = score.replace("_", " ")
    words = {key: str(facts.get(key) or "") for key in ("title", "more", "less", "unit")}
    words["title"] = title_with_model(words["title"] or title_from_name(plain_name(score)), score)
    for key, side in (("more", "higher"), ("less", "lower")):
        if not words[key].endswith(" than"):
            words[key] = f"has a {side} {name} than"
    return words


def title_with_model(title: str, score: str) -> str:
    """The title, ending in the model that the score's name carries."""
    model = score[len(plain_name(score)) :]
    return title if model in title else f"{title} {model}"


@dataclass(frozen=True)
class Card:
    """What people should know before they trust a metric; `simpatico list NAME` prints it.

    `careful` says in a sentence what the number cannot say. `validity` is set where the score's
    own test shows little, or where there is none: such a score is exploratory.
    """

    about: str
    undefined: str
    citation: str
    kind: Kind = "psychological"
    language: str | None = "en"
    careful: str = ""
    validity: Validity = ""


class Metric(Protocol):
    """A frozen dataclass: its fields are its parameters; calling it gives its statistics.

    A metric that can say which words moved the score of a turn has one more method, of the same
    arguments: `evidence` gives a row of `EVIDENCE` for each such stretch of text. `weight` is above
    0 where the stretch raises the score and below 0 where it lowers it, never 0; stretches of one
    turn do not overlap; a turn of no score has none.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...
    @property
    def level(self) -> Level:
        """The finest level at which the scores may be read."""
        ...

    @property
    def card(self) -> Card: ...
    @property
    def needs(self) -> tuple[Feature, ...]: ...
    @property
    def scores(self) -> tuple[Score, ...]: ...

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Statistics, one row per turn, in order; they merge by sum unless `merge` says else.

        A column `reason` (optional) says in one word why a turn cannot be scored.
        """
        ...


class Carried:
    """A metric's name, which carries the model where that is not the published one.

    On the class it is `bart_score`; on an instance with `model="package:smollm2"` it is
    `bart_score[smollm2]`, unless the class names that model in `published`.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, metric: object, kind: type | None = None) -> str:
        return self.name if metric is None else self.name + model_suffix(metric)


def model_suffix(metric: object) -> str:
    """What the names of a metric's scores end in: nothing, or the model's name in brackets.

    A metric with several models says in `carries` which of its fields they are.
    """
    fields_ = (getattr(metric, field, "") for field in getattr(metric, "carries", ("model",)))
    models = [one for model in fields_ if model for one in split_model_names(model)]
    if set(models) <= set(getattr(metric, "published", ())):
        return ""
    # of a pattern such as `DIR/{trait}`, the name of the folder
    names = (short_model_name(re.sub(r"(?<=.)/\{[^/]*\}$", "", model)) for model in models)
    return f"[{'+'.join(names)}]"


class UsesModels:
    """What metrics that run pretrained models have in common: which fields name them."""

    carries: ClassVar[tuple[str, ...]] = ("model",)

    @property
    def missing(self) -> str | None:
        """Why one of the models is not here; null when all are."""
        models = (getattr(self, field) for field in self.carries)
        return next((why for model in models if model and (why := why_missing(model))), None)


FILE_PARAMETERS = ("lexicon", "idf", "baseline")
"""Parameters that name a file, besides those that end in `model`."""


def plain_name(name: str) -> str:
    """The metric's own name, without the model that it carries."""
    return name.partition("[")[0]


def missing_resource(metric: Metric) -> str | None:
    """What the metric lacks to run here, as a sentence with the way out; null when nothing."""
    return getattr(metric, "missing", None)


def collect_evidence(metric: Metric, turns: Turns) -> pl.DataFrame:
    """Which parts of which scored turns moved their scores; empty where the metric cannot say."""
    evidence = getattr(metric, "evidence", None)
    if evidence is None or not len(turns):
        return pl.DataFrame(schema=EVIDENCE)
    frame: pl.DataFrame = evidence(turns, Features(turns, closure(metric.needs)))
    if lacking := [name for name in EVIDENCE if name not in frame.columns]:
        raise ContractError(f"{metric.name} gave evidence without a column {lacking[0]!r}")
    rows = frame.select(pl.col(name).cast(kind) for name, kind in EVIDENCE.items())
    return rows.filter(pl.Series(turns.scored[rows["row"]], dtype=pl.Boolean)).sort("row", "start")


def merge_rules(metric: Metric) -> Mapping[str, Merge]:
    """How each statistic of `metric` merges; those not named are summed."""
    return getattr(metric, "merge", {})


def json_range(span: tuple[float, float]) -> list[float | None]:
    """A range as JSON has it: null for an end that does not exist."""
    return [end if isfinite(end) else None for end in span]


def signature(metric: Metric) -> str:
    """Name, every parameter, hashes of what it reads, version: equal signatures, comparable scores.

    The idea and the form are sacrebleu's (Post 2018).
    """
    values = {f.name: getattr(metric, f.name) for f in fields(metric)}
    parameters = [f"{name}:{escape(signature_value(name, v))}" for name, v in values.items()]
    hashes = {h for feature in metric.needs if (h := getattr(feature, "fingerprint", ""))}
    module = type(metric).__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    if file and not module.startswith("simpatico."):
        # a metric of another package, of which our version says nothing
        hashes.add(f"code_sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]}")
    return "|".join([metric.name, *parameters, *sorted(hashes), f"version:{package_version()}"])


def signature_value(name: str, value: object) -> str:
    """A parameter as the signature shows it; of a file only the name, since its hash follows."""
    is_file = name in FILE_PARAMETERS or name.endswith("model") or isinstance(value, Path)
    return Path(str(value)).name if is_file and "/" in str(value) else str(value)


def escape(value: str) -> str:
    """The value without the sign that ends it, so that no two sets of parameters look alike."""
    return value.replace("%", "%25").replace("|", "%7C")


def package_version() -> str:
    """The version of simpatico, which is part of every signature."""
    try:
        return version("simpatico")
    except PackageNotFoundError:  # running from a source tree that was never installed
        return "0"


def reasons(rows: int, **masks: Bools) -> pl.Series:
    """Why rows have no score: the name of the last mask that holds, null where none does."""
    code = np.zeros(rows, np.uint32)
    for number, mask in enumerate(masks.values(), 1):
        code[mask] = number
    return pl.Series("reason", [None, *masks], pl.String)[code]
