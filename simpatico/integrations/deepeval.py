"""DeepEval: a metric of simpatico as a conversational metric, for `evaluate` and `assert_test`.

    from simpatico.integrations.deepeval import conversational_metric
    evaluate(test_cases, [conversational_metric("style_matching", threshold=0.2)])

Its score is ours, on its own scale. A score that is null is an error with its reason and never 0.
"""

from __future__ import annotations

from typing import Any

from simpatico.errors import BadValue
from simpatico.integrations import import_host


def conversational_metric(name: str, *, threshold: float | None = None) -> Any:
    """The metric called `name`; with a threshold it passes from there on, else it only measures.

    Where lower is better, as for repetition, it passes up to the threshold.
    """
    base = import_host("deepeval.metrics", "deepeval").BaseConversationalMetric
    from simpatico.integrations.conversation import Conversation, score_names
    from simpatico.registry import load

    metric = load(name)
    score_name, *others = score_names(metric)
    if others:
        raise BadValue(f"{name} has {len(others) + 1} scores and DeepEval takes one")
    lower_is_better = next(s.better for s in metric.scores if s.name == score_name) == "lower"

    class SimpaticoMetric(base):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            self.threshold = threshold

        def measure(self, test_case: Any, *args: Any, **settings: Any) -> float | None:
            messages = [{"role": turn.role, "content": turn.content} for turn in test_case.turns]
            (score,) = Conversation.of(messages).scores([metric])
            self.score, self.reason = score.value, f"{score.sentence} ({score.signature})"
            self.error = score.sentence if score.value is None else None
            self.is_successful()
            return score.value

        async def a_measure(self, test_case: Any, *args: Any, **settings: Any) -> float | None:
            return self.measure(test_case)

        def is_successful(self) -> bool | None:
            if threshold is None:
                self.success = None
            elif self.score is None:
                self.success = False
            else:
                at_least = self.score >= threshold
                self.success = self.score <= threshold if lower_is_better else at_least
            return self.success

        @property
        def __name__(self) -> str:
            return score_name

    return SimpaticoMetric()
