"""Which metrics can run here, with which weights, and their scores of a data set.

Published weights come first; where they are not on this machine a smaller model stands in, and the
note of every such figure says so. Slow metrics score a sample of the responses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import MissingResource, UnknownName
from simpatico.features import closure
from simpatico.features.likelihood import Likelihood, MaskedLikelihood
from simpatico.features.translation import Translation
from simpatico.metric import Metric, missing_resource, plain_name
from simpatico.models.names import why_missing
from simpatico.registry import load, metric_class
from simpatico.reproduction.request import Sample, sample_names
from simpatico.scoring import score
from simpatico.turns import Level, Turns

SMOLLM2, MINILM = "package:smollm2", "package:minilm"
SUBSTITUTES: dict[str, dict[str, Any]] = {
    "bart_score": {"model": SMOLLM2},
    "bert_score": {"model": MINILM},
    "deep_fm": {"model": SMOLLM2},
    "deep_am_fm": {"model": SMOLLM2},
    "fed": {"model": SMOLLM2},
    "prism": {"model": "package:opus-mt-fr-en", "pivot": "package:opus-mt-en-fr"},
}
"""What stands in for weights that are not here."""
SLOW_FEATURES = (Likelihood, MaskedLikelihood, Translation)
"""A language model reads every response, which takes a second or so for each."""
SIZE_DIVISOR = {"fed": 2}
"""FED reads a response with each of its follow-ups, so its sample is so many times smaller."""
MAX_REFERENCES = 5
"""So many references of a response are read by a slow metric; DSTC7 has up to 137."""


class RunnableMetric(NamedTuple):
    """A metric that can run here; `label` heads its column."""

    metric: Metric
    label: str
    published_weights: bool

    @property
    def slow(self) -> bool:
        """Whether it scores a sample only."""
        return any(isinstance(feature, SLOW_FEATURES) for feature in closure(self.metric.needs))

    @property
    def note(self) -> str:
        """Which weights it runs on; empty where there are none to speak of."""
        fields = self.metric.__dataclass_fields__
        names = [getattr(self.metric, f) for f in fields if f.startswith(("model", "pivot"))]
        models = [name for name in names if ":" in str(name)]
        if not models:
            return ""
        own = self.published_weights
        whose = "its own weights" if own else "not the weights it was published with"
        return f"{self.metric.name} runs on {' and '.join(models)}, {whose}"


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
    # a model that is not a default of the metric stands in brackets behind its name
    return RunnableMetric(ready, label, published_weights="[" not in ready.name)


def candidate_parameters(name: str) -> Iterator[dict[str, Any]]:
    """What to try: published weights, the metric's defaults, and what can stand in for them."""
    if name != plain_name(name):  # the model stands in the name
        yield {}
        return
    cls = metric_class(name)
    if "model" in cls.__dataclass_fields__:
        models = getattr(cls, "published", ())
        yield from ({"model": model} for model in models if why_missing(model) is None)
    yield {}
    if name in SUBSTITUTES:
        yield SUBSTITUTES[name]


def choose_dialogs(dialogs: pl.Series, runnable: RunnableMetric, sample: Sample) -> pl.Series:
    """The dialogs that the metric scores: all, or a sample for a slow one."""
    size = sample.size // SIZE_DIVISOR.get(plain_name(runnable.metric.name), 1)
    if not runnable.slow or not size or dialogs.n_unique() <= size:
        return dialogs.unique(maintain_order=True)
    return pl.Series(sample_names(dialogs, size, seed=sample.seed))


def score_sample(
    turns: Turns, runnable: RunnableMetric, *, level: Level, sample: Sample
) -> tuple[pl.DataFrame, list[str]]:
    """A metric's scores of the one response in each dialog, or of whole dialogs, with notes.

    One row per dialog that was scored, one column per score.
    """
    dialogs = turns.frame.filter(turns.scored)["dialog"]
    names = choose_dialogs(dialogs, runnable, sample)
    notes = [runnable.note] if runnable.note else []
    if len(names) < dialogs.n_unique():
        notes.append(f"{len(names):,} of {dialogs.n_unique():,} sampled")
    frame = turns.frame.filter(pl.col("dialog").is_in(names.implode()))
    most = frame["references"].list.len().max() or 0
    if runnable.slow and most > MAX_REFERENCES:  # type: ignore[operator]
        frame = frame.with_columns(pl.col("references").list.head(MAX_REFERENCES))
        notes.append(f"beside the first {MAX_REFERENCES} references only")
    # a dialog has one scored response, so that the score of the dialog is that of the response
    at: Level = level if runnable.metric.level == "turn" else "dialog"
    columns = [s.name for s in runnable.metric.scores]
    return score(Turns(frame), [runnable.metric]).at(at).select("dialog", *columns), notes
