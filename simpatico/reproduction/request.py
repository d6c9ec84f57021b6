"""What a reproduction is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simpatico.reproduction.sample import Sample


@dataclass(frozen=True)
class Asked:
    """`metrics`: which of the other metrics to run, or null for all that can.

    `settings`: parameters by metric, such as a trained model; `lexicon`: of emotions, or ours;
    `seeds`: how often classifiers are trained anew; `tuned`: fine-tuned evaluators by kind.
    """

    lexicon: str | None = None
    metrics: Sequence[str] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sample: Sample = field(default_factory=Sample)
    seeds: int = 5
    tuned: Mapping[str, str] = field(default_factory=dict)

    def of(self, metric: str) -> dict[str, Any]:
        """The parameters of a metric that were asked for."""
        return dict(self.settings.get(metric, {}))
