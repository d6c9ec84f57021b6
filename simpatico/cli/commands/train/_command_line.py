"""What the trainings' commands share: options, and the command line that a model's card records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

import click

from simpatico.cli.options import (
    PATH,
    Decorator,
    combine_options,
    out_option,
    repeatable_option,
    seed_option,
)

POOLING = "How a text's token vectors are combined."
PAIR = ", which reads query and reply together"
MODEL_PATH = re.compile(r"(?<![^=+])path:(?:(?!\+path:).)*")
"""A folder in the name of a model: at the start, or after = or +, up to the next one."""

format_option = click.option("--format", help="Input format.  [default: detected]")
model_folder_option = out_option("Model folder to write.")
licence_option = click.option(
    "--licence", default="", show_default=False, help="Licence of the data, for the model card."
)
limitation_option = repeatable_option(
    "--limitation", "limit", help="Sentence for the limitations in the model card."
)


def split_seed_option() -> Decorator[Any]:
    return seed_option("Random seed of the split.")


def data_option(help: str) -> Decorator[Any]:
    """The training data, in one or more files."""
    return repeatable_option("--data", type=PATH, required=True, help=help)


def model_option(*names: str, help: str, **more: Any) -> Decorator[Any]:
    """An option that names a model; the empty name is none, or the trainer's own choice."""
    return click.option(*names, default="", show_default=False, help=help, **more)


def fine_tune_option(more: str = "") -> Decorator[Any]:
    """Epochs in which the encoder's own weights are trained; 0 trains a head alone."""
    help = f"Epochs of fine-tuning the encoder{more}; 0 = none."
    return click.option("--fine-tune", metavar="EPOCHS", default=0, help=help)


def split_options(share: str) -> Decorator[Any]:
    """Files of the validation and the test set, where the data have splits of their own."""
    default = f"[default: {share}]"
    return combine_options(
        click.option(
            "--validation", type=PATH, help=f"Validation set, for early stopping.  {default}"
        ),
        click.option("--test", type=PATH, help=f"Test set.  {default}"),
    )


def data_name(paths: tuple[Path, ...]) -> str:
    """What the card calls the data."""
    return " and ".join(path.name for path in paths)


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
        else MODEL_PATH.sub(lambda match: public_model_name(match[0]), str(one))
        for one in values
    ]
