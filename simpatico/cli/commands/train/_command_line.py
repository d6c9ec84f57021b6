"""The command that does a training again, for its card."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

PATH = re.compile(r"(?<![^=+])path:(?:(?!\+path:).)*")


def recorded(
    command: str,
    options: Mapping[str, Any],
    *,
    switches: Collection[str],
    flags: Mapping[str, str] | None = None,
) -> str:
    """The command with its options by name; files and folders keep their names alone.

    Of `switches` it says, too, that they are off. `flags` are called otherwise than their options.
    """
    data = [f"--data {quote(path.name)}" for path in options["data"]]
    kind = [f"--kind {options['kind']}"] if "kind" in options else []
    parts = [command, *data, *kind, "--out MODEL"]
    for name, value in sorted(options.items()):
        flag = (flags or {}).get(name, name.replace("_", "-"))
        if name in ("data", "kind") or value is None or value == "":
            continue
        if isinstance(value, bool):
            parts += [f"--{flag}"] if value else [f"--no-{flag}"] if name in switches else []
        else:
            parts += [f"--{flag} {quote(one)}" for one in typed(value)]
    return " ".join(parts)


def typed(value: object) -> list[str]:
    """An option's values as they are typed, without where somebody keeps files."""
    some = value if isinstance(value, tuple) else (value,)
    return [one.name if isinstance(one, Path) else nameless(str(one)) for one in some]


def nameless(told: str) -> str:
    """Of every folder in it, such as in `fed.model=path:A+path:B`, the last part alone."""
    from simpatico.models.names import bare

    return PATH.sub(lambda found: bare(found[0]), told)
