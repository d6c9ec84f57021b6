"""Measure how a dialog system comes across to the person it talks with.

The names below are loaded when they are first used, so that `import simpatico` is quick.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot
    from simpatico.bots.play import play
    from simpatico.bots.probe import probe
    from simpatico.bots.prompts import read_prompts
    from simpatico.bots.spec import load_bot
    from simpatico.compare.difference import compare
    from simpatico.errors import SimpaticoError
    from simpatico.judgements import Judgements
    from simpatico.metric import Metric, Score, signature
    from simpatico.read import Conversations, read
    from simpatico.read.judgement_files import read_judgements
    from simpatico.registry import available, load
    from simpatico.report.page import report
    from simpatico.run import Run, score_run
    from simpatico.score import score
    from simpatico.table import ScoreTable
    from simpatico.turns import Turns
    from simpatico.validate.evidence import validate

HOMES = {
    "Bot": "bots.bot",
    "Conversations": "read",
    "Judgements": "judgements",
    "Metric": "metric",
    "Run": "run",
    "Score": "metric",
    "ScoreTable": "table",
    "SimpaticoError": "errors",
    "Turns": "turns",
    "available": "registry",
    "compare": "compare.difference",
    "load": "registry",
    "load_bot": "bots.spec",
    "play": "bots.play",
    "probe": "bots.probe",
    "read": "read",
    "read_judgements": "read.judgement_files",
    "read_prompts": "bots.prompts",
    "report": "report.page",
    "score": "score",
    "score_run": "run",
    "signature": "metric",
    "validate": "validate.evidence",
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


class _Lazy(ModuleType):
    """This package: public names are looked up on first use, and win over submodules.

    Importing `simpatico.score` would otherwise put the module where the function belongs.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in HOMES:
            raise AttributeError(f"module 'simpatico' has no attribute {name!r}")
        return getattr(import_module(f"simpatico.{HOMES[name]}"), name)

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Lazy
