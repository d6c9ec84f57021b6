"""Keys taken out of what a server or a program sends back, whatever field they are in."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

MIN_SECRET = 8
"""Shorter keys, such as EMPTY, are no secret; taking them out would harm answers."""


def redact(value: Any, keys: Sequence[str]) -> Any:
    """A decoded JSON value, its strings without these keys; null if it is nested too deeply."""
    patterns = [pattern for key in keys if len(key) >= MIN_SECRET for pattern in spellings(key)]
    sieve = re.compile("|".join(patterns), re.IGNORECASE)

    def clean(part: Any) -> Any:
        match part:
            case str():
                return sieve.sub("[key]", part)
            case list():
                return [clean(item) for item in part]
            case dict():
                return {name: clean(item) for name, item in part.items()}
        return part

    try:
        return clean(value) if patterns else value
    except RecursionError:
        return None


def spellings(key: str) -> list[str]:
    """Patterns for the key as it is, URL-encoded in part or whole, as hex digits and as base64."""
    # a variable of the environment may hold bytes that are no UTF-8
    data = key.encode(errors="surrogateescape")
    encoded = [char.encode(errors="surrogateescape").hex("%") for char in key]
    plain = "".join(f"(?:{re.escape(a)}|%{b})" for a, b in zip(key, encoded, strict=True))
    patterns = [plain, data.hex()]
    # The base64 of a byte depends on its place among groups of three, and at the ends of the key on
    # its neighbours; what lies between is the same in "KEY", "Bearer KEY" and "user:KEY".
    for before in range(3):
        whole = (len(data) + before) // 3 * 3
        core = b64encode(bytes(before) + data[: whole - before]).decode()[-(-before * 8 // 6) :]
        core = re.escape(core).replace(r"\+", "[+-]").replace("/", "[/_]")
        patterns.append(core + "[a-z0-9+/_=-]{0,4}")
    return patterns
