"""Options and tables that the trainings of user-aware models share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note
from simpatico.wording import format_interval, format_number, format_p

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.turns import Turns

PATH = click.Path(path_type=Path)
NO_ENCODER = "none"
WITH_CONTINUE = "--continue, which keeps the settings of the model"

INPUT_OPTIONS = [
    click.option(
        "--data",
        type=PATH,
        required=True,
        multiple=True,
        help="Files or folders of conversations. May be repeated.",
    ),
    click.option("--out", type=PATH, required=True, help="Model folder to write."),
    click.option("--format", help="Input format.  [default: detected]"),
]
MODEL_OPTIONS = [
    click.option(
        "--mode",
        type=click.Choice(["text", "user", "profile", "both"]),
        default="user",
        show_default=True,
        help="User information the model sees besides the text: none, the user's identity, their "
        "profile, or both.",
    ),
    click.option(
        "--encoder",
        default="",
        help="Encoder whose text vectors are used in addition to character n-grams, such as "
        "package:minilm, or package:use-multilingual for Japanese.  [default: none; "
        "package:minilm-torch for fine-tuning]",
    ),
    click.option(
        "--continue",
        "base",
        default="",
        metavar="MODEL",
        help="Update a trained model, path:DIR: new examples change the per-user weights; the "
        "shared weights stay fixed.",
    ),
    click.option(
        "--fine-tune",
        type=int,
        default=0,
        show_default=True,
        help="Epochs of fine-tuning the encoder, with a speaker token per user; 0 = none.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Random seed of fine-tuning (otherwise deterministic).",
    ),
    click.option("--licence", default="", help="Licence of the data, for the model card."),
]


def read_all_turns(paths: tuple[Path, ...], format: str | None) -> Turns:
    """All turns of the files."""
    import polars as pl

    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    chunks = Conversations(tuple(paths), format).chunks()
    return Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())


def refuse_options(names: Collection[str], other: str, flags: Mapping[str, str]) -> None:
    """Refuse options on the command line that have no effect in combination with another one."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            flag = flags.get(name, name.replace("_", "-"))
            raise click.UsageError(f"--{flag} has no effect with {other}; leave it out")


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
        return "undefined (no variance)"
    if estimate.value is None:
        return "undefined"
    if estimate.low is None:
        return f"{format_number(estimate.value, 3)} (no CI)"
    return f"{format_number(estimate.value, 3)} {format_interval(estimate.low, estimate.high, 3)}"


def format_p_suffix(p: float | None) -> str:
    """The p of a difference, where there is one."""
    return "" if p is None else f", p {format_p(p)}"


def note_excluded(counts: dict[str, int]) -> None:
    """Say what was not used, and why."""
    for why, n in counts.items():
        if n:
            note(f"excluded: {n:,} {why}")
