"""Measure how a dialog system comes across to the person it talks with.

The names below are loaded when they are first used, so that `import simpatico` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot
    from simpatico.bots.play import play
    from simpatico.bots.probe import probe
    from simpatico.bots.prompts import read_prompts
    from simpatico.bots.spec import load_bot
    from simpatico.comparison.difference import compare
    from simpatico.errors import SimpaticoError
    from simpatico.judgements import Judgements
    from simpatico.metric import Metric, Score, signature
    from simpatico.readers import Conversations, read
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.registry import available, load
    from simpatico.reporting.page import report
    from simpatico.run import Run
    from simpatico.run.writer import score_run
    from simpatico.scoring import score
    from simpatico.table import ScoreTable
    from simpatico.turns import Turns
    from simpatico.validation.evidence import validate

HOMES = {
    "Bot": "bots.bot",
    "Conversations": "readers",
    "Judgements": "judgements",
    "Metric": "metric",
    "Run": "run",
    "Score": "metric",
    "ScoreTable": "table",
    "SimpaticoError": "errors",
    "Turns": "turns",
    "available": "registry",
    "compare": "comparison.difference",
    "load": "registry",
    "load_bot": "bots.spec",
    "play": "bots.play",
    "probe": "bots.probe",
    "read": "readers",
    "read_judgements": "readers.judgement_files",
    "read_prompts": "bots.prompts",
    "report": "reporting.page",
    "score": "scoring",
    "score_run": "run.writer",
    "signature": "metric",
    "validate": "validation.evidence",
}

__all__ = [
    "Bot",
    "Conversations",
    "Judgements",
    "Metric",
    "Run",
    "Score",
    "ScoreTable",
    "SimpaticoError",
    "Turns",
    "available",
    "compare",
    "load",
    "load_bot",
    "play",
    "probe",
    "read",
    "read_judgements",
    "read_prompts",
    "report",
    "score",
    "score_run",
    "signature",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'simpatico' has no attribute {name!r}")
    return getattr(import_module(f"simpatico.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
