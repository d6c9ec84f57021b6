"""The options of a reproduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simpatico.reproduction.sample import Sample


@dataclass(frozen=True)
class Request:
    """What `simpatico reproduce` was asked for.

    `lexicon`: of emotions, null for ours; `metrics`: which other metrics to run, null for all that
    can; `settings`: parameters by metric, such as a trained model; `seeds`: how often classifiers
    are trained anew; `fine_tuned`: fine-tuned evaluators by kind.
    """

    lexicon: str | None = None
    metrics: Sequence[str] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sample: Sample = field(default_factory=Sample)
    seeds: int = 5
    fine_tuned: Mapping[str, str] = field(default_factory=dict)

    def parameters_of(self, metric: str) -> dict[str, Any]:
        """The parameters set for a metric."""
        return dict(self.settings.get(metric, {}))
