"""Options and tables that the trainings of personal models share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note

if TYPE_CHECKING:
    from simpatico.stats.by_person import Estimate
    from simpatico.turns import Turns

PATH = click.Path(path_type=Path)
NO_ENCODER = "none"
KEEPING = "--continue, which keeps what the model was trained with"

WHERE = [
    click.option(
        "--data",
        type=PATH,
        required=True,
        multiple=True,
        help="Files or folders of conversations. May be repeated.",
    ),
    click.option("--out", type=PATH, required=True, help="The model's folder to write."),
    click.option("--format", help="Picked by name and shape if not given."),
]
MODEL = [
    click.option(
        "--mode",
        type=click.Choice(["text", "user", "profile", "both"]),
        default="user",
        show_default=True,
        help="What a model knows of the person: nothing, who it is, their profile, or both.",
    ),
    click.option(
        "--encoder",
        default="",
        help="Gives texts vectors beside their runs of characters, such as package:minilm, or "
        "package:use-multilingual for Japanese.  [default: none; to fine-tune, "
        "package:minilm-torch]",
    ),
    click.option(
        "--continue",
        "base",
        default="",
        metavar="MODEL",
        help="Go on from a model, path:DIR: persons learn from new examples, what all share stays.",
    ),
    click.option(
        "--fine-tune",
        type=int,
        default=0,
        show_default=True,
        help="Epochs in which the encoder itself learns, with a mark for each person.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="For fine-tuning; else no chance."
    ),
    click.option("--licence", default="", help="Licence of the data, for the card."),
]


def conversations(paths: tuple[Path, ...], format: str | None) -> Turns:
    """All conversations of the files."""
    import polars as pl

    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    chunks = Conversations(tuple(paths), format).chunks()
    return Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())


def without(names: Collection[str], other: str, flags: Mapping[str, str]) -> None:
    """Refuse options that were given and would do nothing beside another one."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            flag = flags.get(name, name.replace("_", "-"))
            raise click.UsageError(f"--{flag} does nothing with {other}; leave it out")


def named(paths: tuple[Path, ...]) -> str:
    """What the data are called."""
    return " and ".join(path.name for path in paths)


def encoder_of(options: dict[str, Any]) -> str:
    """The encoder that the options name; "" for none."""
    named = str(options.pop("encoder"))
    return "" if named == NO_ENCODER and not options["fine_tune"] else named


def span(found: Estimate | None) -> str:
    """A figure for people, with its interval where there is one."""
    if found is None:
        return "does not vary"
    if isnan(found.value):
        return "no area"
    if found.low is None:
        return f"{found.value:.3f} (no interval)"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def likely(p: float | None) -> str:
    """How surely a difference is there, where that is known."""
    return "" if p is None else f", p {p:.3f}"


def set_aside(counts: dict[str, int]) -> None:
    """What was not used, and why."""
    for why, n in counts.items():
        if n:
            note(f"not used: {n:,} {why}")
