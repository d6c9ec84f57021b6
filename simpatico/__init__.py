"""Measure how a dialog system comes across to the person it talks with.

The names below are loaded when they are first used, so that `import simpatico` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simpatico.api import compare as compare
    from simpatico.api import explain as explain
    from simpatico.api import read as read
    from simpatico.api import score as score
    from simpatico.bots.bot import Bot as Bot
    from simpatico.bots.play import play as play
    from simpatico.bots.probe import probe as probe
    from simpatico.bots.prompts import read_prompts as read_prompts
    from simpatico.bots.spec import load_bot as load_bot
    from simpatico.errors import SimpaticoError as SimpaticoError
    from simpatico.judgements import Judgements as Judgements
    from simpatico.judgements import Preferences as Preferences
    from simpatico.metric import Metric as Metric
    from simpatico.metric import Score as Score
    from simpatico.metric import signature as signature
    from simpatico.readers import Conversations as Conversations
    from simpatico.readers.judgement_files import read_judgements as read_judgements
    from simpatico.readers.judgement_files import read_preferences as read_preferences
    from simpatico.registry import available as available
    from simpatico.registry import load as load
    from simpatico.reporting.page import report as report
    from simpatico.run import Run as Run
    from simpatico.run.writer import score_run as score_run
    from simpatico.table import ScoreTable as ScoreTable
    from simpatico.turns import Turns as Turns
    from simpatico.validation.evidence import validate as validate
    from simpatico.validation.preferences import validate_preferences as validate_preferences

HOMES = {
    "Bot": "bots.bot",
    "Conversations": "readers",
    "Judgements": "judgements",
    "Metric": "metric",
    "Preferences": "judgements",
    "Run": "run",
    "Score": "metric",
    "ScoreTable": "table",
    "SimpaticoError": "errors",
    "Turns": "turns",
    "available": "registry",
    "compare": "api",
    "explain": "api",
    "load": "registry",
    "load_bot": "bots.spec",
    "play": "bots.play",
    "probe": "bots.probe",
    "read": "api",
    "read_judgements": "readers.judgement_files",
    "read_preferences": "readers.judgement_files",
    "read_prompts": "bots.prompts",
    "report": "reporting.page",
    "score": "api",
    "score_run": "run.writer",
    "signature": "metric",
    "validate": "validation.evidence",
    "validate_preferences": "validation.preferences",
}

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'simpatico' has no attribute {name!r}")
    return getattr(import_module(f"simpatico.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
