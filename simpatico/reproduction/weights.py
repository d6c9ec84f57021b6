"""With which weights a metric can run here: the published ones if they are there, else others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from simpatico.errors import MissingResource, UnknownName
from simpatico.features import closure
from simpatico.features.likelihood import Likelihood
from simpatico.features.masked import MaskedLikelihood
from simpatico.features.translation import Translation
from simpatico.metric import Metric, missing_resource
from simpatico.models.names import why_missing
from simpatico.registry import load, metric_class

Parameters = dict[str, Any]

SMOLLM2, MINILM = "package:smollm2", "package:minilm"
SUBSTITUTES: dict[str, tuple[Parameters, ...]] = {
    "bart_score": ({"model": SMOLLM2},),
    "bert_score": ({"model": MINILM},),
    "deep_fm": ({"model": SMOLLM2},),
    "deep_am_fm": ({"model": SMOLLM2},),
    "fed": ({"model": SMOLLM2},),
    "prism": ({"model": "package:opus-mt-fr-en", "pivot": "package:opus-mt-en-fr"},),
}
"""What stands in for weights that are not here, in order of preference."""


class RunnableMetric(NamedTuple):
    """A metric that can run here; `label` heads its column."""

    metric: Metric
    label: str
    published_weights: bool

    @property
    def models(self) -> list[str]:
        """The models it runs on."""
        fields = self.metric.__dataclass_fields__
        names = [getattr(self.metric, f) for f in fields if f.startswith(("model", "pivot"))]
        return [name for name in names if ":" in str(name)]

    @property
    def slow(self) -> bool:
        """Whether a language model reads every response, which takes a second or so for each."""
        slow = (Likelihood, MaskedLikelihood, Translation)
        return any(isinstance(feature, slow) for feature in closure(self.metric.needs))

    @property
    def note(self) -> str:
        """Which weights it runs on; empty where there are none to speak of."""
        if not self.models:
            return ""
        published = self.published_weights
        whose = "its own weights" if published else "not the weights it was published with"
        return f"{self.metric.name} runs on {' and '.join(self.models)}, {whose}"


def runnable_metric(name: str, **parameters: Any) -> RunnableMetric | str:
    """How the metric called `name` can run here, or the sentence why it cannot."""
    try:
        metrics = [load(name, **(more | parameters)) for more in candidate_parameters(name)]
    except (UnknownName, MissingResource) as error:
        return str(error)
    ready = next((metric for metric in metrics if missing_resource(metric) is None), None)
    if ready is None:
        return missing_resource(metrics[0]) or ""
    mode = parameters.get("mode")
    label = f"{ready.name}, {mode}" if mode else ready.name
    return RunnableMetric(ready, label, published_weights="[" not in ready.name)


def candidate_parameters(name: str) -> Iterator[Parameters]:
    """What to try: published weights, the metric's defaults, and what can stand in for them."""
    cls = metric_class(name)
    if "model" in cls.__dataclass_fields__:
        published = getattr(cls, "published", ())
        yield from ({"model": model} for model in published if why_missing(model) is None)
    yield {}
    yield from SUBSTITUTES.get(name, ())
