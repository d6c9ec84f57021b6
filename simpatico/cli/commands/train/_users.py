"""Options and tables that the trainings of user-aware models share.

Both predict the reaction of one user: whether they reply (continuity), how they rate
(interlocutor). Model selection and results use later data than the training set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, show_table, value_with_interval
from simpatico.wording import format_p

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.turns import Turns

WITH_CONTINUE = "--continue, which keeps the settings of the model"

input_options = opt.combine(
    shared.data("File or folder of conversations."), shared.model_folder, shared.format
)
user_model_options = opt.combine(
    opt.choice(
        "--mode",
        ["text", "user", "profile", "both"],
        "User information the model sees besides the text: none, the user's identity, their "
        "profile, or both.",
        default="user",
    ),
    opt.text(
        "--encoder",
        "Encoder whose text vectors are used in addition to character n-grams, such as "
        "package:minilm, or package:use-multilingual for Japanese.  [default: none; "
        "package:minilm-torch for fine-tuning]",
    ),
    opt.text(
        "--continue",
        "Update a trained model, path:DIR: new examples change the per-user weights; the "
        "shared weights stay fixed.",
        "base",
        metavar="MODEL",
    ),
    shared.fine_tune(", with a speaker token per user"),
    opt.random_seed("Random seed of fine-tuning (otherwise deterministic)."),
    shared.licence,
)


def read_all_turns(paths: tuple[Path, ...], format: str | None) -> Turns:
    """All turns of the files."""
    import polars as pl

    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    chunks = Conversations(tuple(paths), format).chunks()
    return Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())


def refuse_options(names: Collection[str], other: str, flags: Mapping[str, str]) -> None:
    """Refuse options on the command line that have no effect in combination with another one.

    Only those that were typed: all others have their defaults, which nobody chose.
    """
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            flag = flags.get(name, name.replace("_", "-"))
            raise click.UsageError(f"--{flag} has no effect with {other}; leave it out")


def pop_encoder(options: dict[str, Any]) -> str:
    """The encoder that the options name; "" for none, which fine-tuning cannot do without."""
    encoder = str(options.pop("encoder"))
    return "" if encoder == "none" and not options["fine_tune"] else encoder


def format_estimate(estimate: Result | None) -> str:
    """A value with its interval, where there is one.

    Null is a correlation of what does not vary, such as a mean that is the same for every turn.
    """
    if estimate is None:
        return "undefined (no variance)"
    if estimate.value is None:
        return "undefined"
    suffix = " (no CI)" if estimate.low is None else ""
    return value_with_interval(estimate.value, estimate.low, estimate.high) + suffix


def show_results(title: str, rows: Sequence[Any], measures: Mapping[str, str], unit: str) -> None:
    """A table of models: each measure with its interval, number of units, number of users."""
    cells = [
        (row.name, *(format_estimate(getattr(row, name)) for name in measures), row.n, row.users)
        for row in rows
    ]
    show_table(title, ["model", *measures.values(), unit, "users"], cells)


def format_p_suffix(p: float | None) -> str:
    """The p of a difference, where there is one."""
    return "" if p is None else f", p {format_p(p)}"


def note_excluded(counts: dict[str, int]) -> None:
    """Say what was not used, and why."""
    for why, n in counts.items():
        if n:
            note(f"excluded: {n:,} {why}")
