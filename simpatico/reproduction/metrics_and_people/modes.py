"""Which metrics are held against people's judgements, and in which of their modes."""

from __future__ import annotations

from typing import Any

from simpatico.registry import available, metric_class
from simpatico.reproduction.request import Asked
from simpatico.reproduction.weights import Way, way
from simpatico.turns import Level

MODES = {
    "prism": ("unreferenced", "source"),
    "deep_am": ("context",),
    "deep_fm": ("context",),
    "ruber": ("referenced",),
    "ctx_ruber": ("referenced",),
}
"""Modes of a metric that are run beside its usual one."""


def ways_of(asked: Asked) -> tuple[dict[Level, list[Way]], list[str]]:
    """The metrics that can run here, for turns and for dialogs, and why others cannot."""
    ways: dict[Level, list[Way]] = {"turn": [], "dialog": []}
    lacking: dict[str, None] = {}
    for name in available() if asked.metrics is None else asked.metrics:
        cls = metric_class(name)
        if cls.level == "system":
            lacking[f"{name}: it describes a system as a whole and has no value for a turn"] = None
            continue
        for mode in ("", *MODES.get(name, ())):
            for level, found in ways.items():
                one = way(name, **parameters(cls, asked, level, mode))
                if isinstance(one, Way):
                    found.append(one)
                else:
                    lacking[f"{name}{', ' if mode else ''}{mode}: {one}"] = None
    return ways, list(lacking)


def parameters(cls: type[Any], asked: Asked, level: Level, mode: str) -> dict[str, Any]:
    """What was asked for, the mode, and that the one response of a turn may be short."""
    known = cls.__dataclass_fields__
    given = asked.of(cls.name)
    if "minimum_words" in known and level == "turn":
        given.setdefault("minimum_words", 0)
    if "lexicon" in known and asked.lexicon:
        given.setdefault("lexicon", asked.lexicon)
    return given | ({"mode": mode} if mode else {})
