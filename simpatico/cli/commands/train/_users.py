"""Options and tables that the trainings of user-aware models share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.turns import Turns

PATH = click.Path(path_type=Path)
NO_ENCODER = "none"
WITH_CONTINUE = "--continue, which keeps what the model was trained with"

INPUT_OPTIONS = [
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
MODEL_OPTIONS = [
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


def read_all_turns(paths: tuple[Path, ...], format: str | None) -> Turns:
    """All turns of the files."""
    import polars as pl

    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    chunks = Conversations(tuple(paths), format).chunks()
    return Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())


def refuse_options(names: Collection[str], other: str, flags: Mapping[str, str]) -> None:
    """Refuse options on the command line that would do nothing beside another one."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            flag = flags.get(name, name.replace("_", "-"))
            raise click.UsageError(f"--{flag} does nothing with {other}; leave it out")


def data_name(paths: tuple[Path, ...]) -> str:
    """What the card calls the data."""
    return " and ".join(path.name for path in paths)


def pop_encoder(options: dict[str, Any]) -> str:
    """The encoder that the options name; "" for none."""
    encoder = str(options.pop("encoder"))
    return "" if encoder == NO_ENCODER and not options["fine_tune"] else encoder


def format_estimate(estimate: Result | None) -> str:
    """A value with its interval, where there is one."""
    if estimate is None:
        return "does not vary"
    if estimate.value is None:
        return "no area"
    if estimate.low is None:
        return f"{estimate.value:.3f} (no interval)"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def format_p_suffix(p: float | None) -> str:
    """The p of a difference, where there is one."""
    return "" if p is None else f", p {p:.3f}"


def note_excluded(counts: dict[str, int]) -> None:
    """Say what was not used, and why."""
    for why, n in counts.items():
        if n:
            note(f"not used: {n:,} {why}")
