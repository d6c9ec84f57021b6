"""What the trainings' commands share: options, and the command line that a model's card records.

A card must let others repeat the training, and is published with the model: it records every option
by its present name, but no path, which would show where somebody keeps files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from simpatico.cli import options as opt

POOLING = "How a text's token vectors are combined."
PAIR = ", which reads query and reply together"
MODEL_PATH = re.compile(r"(?<![^=+])path:(?:(?!\+path:).)*")
"""A folder in the name of a model: at the start, or after = or +, up to the next one."""

format = opt.option("--format", "Input format.  [default: detected]")
model_folder = opt.out("Model folder to write.")
split_seed = opt.random_seed("Random seed of the split.")
licence = opt.text("--licence", "Licence of the data, for the model card.")
limitation = opt.repeatable(
    "--limitation", "Sentence for the limitations in the model card.", "limit"
)
encoder = opt.text("--encoder", "Encoder of the text vectors, such as package:minilm.")


def data(help: str) -> opt.Decorator:
    """The training data, in one or more files."""
    return opt.repeatable("--data", help, type=opt.PATH, required=True)


def fine_tune(more: str = "") -> opt.Decorator:
    """Epochs in which the encoder's own weights are trained; 0 trains a head alone."""
    help = f"Epochs of fine-tuning the encoder{more}; 0 = none."
    return opt.value("--fine-tune", 0, help, metavar="EPOCHS")


def split_files(share: str) -> opt.Decorator:
    """Files of the validation and the test set, where the data have splits of their own."""
    return opt.combine(
        opt.path("--validation", f"Validation set, for early stopping.  [default: {share}]"),
        opt.path("--test", f"Test set.  [default: {share}]"),
    )


def data_name(paths: tuple[Path, ...]) -> str:
    """What the card calls the data: the names of files, without their folders."""
    return " and ".join(path.name for path in paths)


def record_command(
    command: str,
    options: Mapping[str, Any],
    *,
    switches: Collection[str],
    flags: Mapping[str, str] | None = None,
) -> str:
    """The command with its options by name; of files and folders only the last part of the path.

    `switches` are also recorded when they are off, since their default may change in a later
    release. `flags` maps a parameter to its option where the two have different names. The order is
    fixed, so that equal trainings have equal cards.
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
