"""What the trainings' commands share: options, and the command line that a model's card records."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

import click

from simpatico.cli.options import Function

FILE = click.Path(path_type=Path)
OUT = click.option("--out", type=FILE, required=True, help="Model folder to write.")
LICENCE = click.option("--licence", default="", help="Licence of the data, for the model card.")
LIMITATION = click.option(
    "--limitation",
    "limit",
    multiple=True,
    help="Sentence for the limitations in the model card. May be repeated.",
)
PATH = re.compile(r"(?<![^=+])path:(?:(?!\+path:).)*")


def seed_option(help: str) -> Callable[[Function], Function]:
    return click.option("--seed", type=int, default=0, show_default=True, help=help)


def fine_tune_option(help: str, **more: Any) -> Callable[[Function], Function]:
    """Epochs in which the encoder's own weights are trained; 0 trains a head alone."""
    return click.option("--fine-tune", type=int, default=0, show_default=True, help=help, **more)


def record_command(
    command: str,
    options: Mapping[str, Any],
    *,
    switches: Collection[str],
    flags: Mapping[str, str] | None = None,
) -> str:
    """The command with its options by name; of files and folders only the last part of the path.

    `switches` are also recorded when they are off. `flags` maps a parameter to its option where
    the two have different names.
    """
    data = [f"--data {quote(path.name)}" for path in options["data"]]
    target = [f"--target {options['kind']}"] if "kind" in options else []
    rest = [item for item in sorted(options.items()) if item[0] not in ("data", "kind")]
    own = option_words(rest, switches=switches, flags=flags or {})
    return " ".join([command, *data, *target, "--out MODEL", *own])


def option_words(
    options: Iterable[tuple[str, Any]],
    *,
    switches: Collection[str] = (),
    flags: Mapping[str, str] | None = None,
) -> list[str]:
    """Options as they are typed; those that are null or empty are left out."""
    words = []
    for name, value in options:
        flag = (flags or {}).get(name, name.replace("_", "-"))
        if value is None or value == "":
            continue
        if isinstance(value, bool):
            words += [f"--{flag}"] if value else [f"--no-{flag}"] if name in switches else []
        else:
            words += [f"--{flag} {quote(one)}" for one in option_values(value)]
    return words


def option_values(value: object) -> list[str]:
    """An option's values without paths, which would reveal how somebody's disk is organised.

    Of every folder, also those in `fed.model=path:A+path:B`, the last part alone stays.
    """
    from simpatico.models.names import public_model_name

    values = value if isinstance(value, tuple) else (value,)
    return [
        one.name
        if isinstance(one, Path)
        else PATH.sub(lambda match: public_model_name(match[0]), str(one))
        for one in values
    ]
