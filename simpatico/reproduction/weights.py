"""With which weights a metric can run here: the published ones if they are there, else others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from simpatico.errors import MissingResource, UnknownName
from simpatico.features import closure
from simpatico.features.likelihood import Likelihood
from simpatico.features.masked import MaskedLikelihood
from simpatico.features.translation import Translation
from simpatico.metric import Metric, missing
from simpatico.models.names import absent
from simpatico.registry import load, metric_class

Parameters = dict[str, Any]

SMOLLM2, MINILM = "package:smollm2", "package:minilm"
INSTEAD: dict[str, tuple[Parameters, ...]] = {
    "bart_score": ({"model": SMOLLM2},),
    "bert_score": ({"model": MINILM},),
    "deep_fm": ({"model": SMOLLM2},),
    "deep_am_fm": ({"model": SMOLLM2},),
    "fed": ({"model": SMOLLM2},),
    "prism": ({"model": "package:opus-mt-fr-en", "pivot": "package:opus-mt-en-fr"},),
}
"""What stands in for weights that are not here, in order of preference."""


class Way(NamedTuple):
    """A metric that can run here; `label` is what its figures stand under."""

    metric: Metric
    label: str
    own: bool

    @property
    def models(self) -> list[str]:
        """The models it runs on."""
        fields = self.metric.__dataclass_fields__
        told = [getattr(self.metric, f) for f in fields if f.startswith(("model", "pivot"))]
        return [model for model in told if ":" in str(model)]

    @property
    def slow(self) -> bool:
        """Whether a language model reads every response, which takes a second or so for each."""
        slow = (Likelihood, MaskedLikelihood, Translation)
        return any(isinstance(feature, slow) for feature in closure(self.metric.needs))

    @property
    def note(self) -> str:
        """The weights, in words; empty where there are none to speak of."""
        if not self.models:
            return ""
        whose = "its own weights" if self.own else "not the weights it was published with"
        return f"{self.metric.name} runs on {' and '.join(self.models)}, {whose}"


def way(name: str, **parameters: Any) -> Way | str:
    """How the metric called `name` can run here, or the sentence why it cannot."""
    try:
        tried = [load(name, **(more | parameters)) for more in settings(name)]
    except (UnknownName, MissingResource) as error:
        return str(error)
    ready = next((metric for metric in tried if missing(metric) is None), None)
    if ready is None:
        return missing(tried[0]) or ""
    mode = parameters.get("mode")
    return Way(ready, f"{ready.name}, {mode}" if mode else ready.name, "[" not in ready.name)


def settings(name: str) -> Iterator[Parameters]:
    """What to try: published weights, what the metric does by itself, and what can stand in."""
    cls = metric_class(name)
    published = getattr(cls, "published", ())
    if "model" in cls.__dataclass_fields__:
        yield from ({"model": model} for model in published if absent(model) is None)
    yield {}
    yield from INSTEAD.get(name, ())
