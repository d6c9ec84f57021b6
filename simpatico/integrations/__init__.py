"""simpatico inside other tools: each module imports its host when it is used, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from simpatico.errors import MissingResource


def import_host(module: str, package: str) -> Any:
    """A module of another tool, or the sentence that says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingResource(f"{package} is not installed: pip install {package}") from None
