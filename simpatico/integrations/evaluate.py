"""Hugging Face evaluate: a measurement of conversations, each a list of messages.

    import evaluate
    measurement = evaluate.load("simpatico_measurement.py", module_type="measurement")
    measurement.compute(conversations=[messages, ...], metrics=["style_matching", "length"])

`simpatico init evaluate` writes the file. It gives the value of each conversation by score, null
with its reason; the mean of those that have one, their number, and the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

from simpatico.integrations import import_host

FILE = '''\
"""Measures conversations with simpatico; load it with `evaluate.load`."""

from simpatico.integrations.evaluate import Simpatico

__all__ = ["Simpatico"]
'''
MARK = b"from simpatico.integrations.evaluate import Simpatico"
USE = "load it in Python"
EXAMPLE = """\
import evaluate

measurement = evaluate.load("{name}", module_type="measurement")
measurement.compute(conversations=[messages], metrics=["style_matching"])"""


def __getattr__(name: str) -> Any:
    """The class `Simpatico`, made when it is asked for: it needs its host for that."""
    if name != "Simpatico":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = measurement = measurement_class()
    return measurement


def measurement_class() -> Any:
    """The measurement, as evaluate wants it: a class of its own."""
    host, datasets = import_host("evaluate", "evaluate"), import_host("datasets", "datasets")
    base = host.Measurement

    class Simpatico(base):  # type: ignore[misc,valid-type]
        def _info(self) -> Any:
            text = datasets.Value("string")
            return host.MeasurementInfo(
                module_type="measurement",
                description="How a dialog system comes across to the person it talks with.",
                citation="",
                inputs_description="conversations: lists of messages with role and content",
                features=datasets.Features(
                    {"conversations": datasets.List({"role": text, "content": text})}
                ),
            )

        def _compute(
            self,
            conversations: Sequence[Sequence[dict[str, str]]],
            metrics: str | Sequence[str] | None = None,
        ) -> dict[str, dict[str, Any]]:
            return measure(conversations, metrics)

    return Simpatico


def measure(
    conversations: Sequence[Sequence[dict[str, str]]], metrics: str | Sequence[str] | None
) -> dict[str, dict[str, Any]]:
    """The scores of the assistant in each conversation, by name."""
    from simpatico.api import load_metrics
    from simpatico.integrations.conversation import Conversation

    loaded = load_metrics(metrics)
    rows = [Conversation.of(messages).scores(loaded) for messages in conversations]
    results = {}
    for column in zip(*rows, strict=True):
        values = [score.value for score in column]
        known = [value for value in values if value is not None]
        results[column[0].name] = {
            "values": values,
            "null_reasons": [score.reason for score in column],
            "mean": fsum(known) / len(known) if known else None,
            "n": len(known),
            "signature": column[0].signature,
        }
    return results
