"""`simpatico train nsp`, `ruber`, `ctx-ruber` and `usl-h`: dialogs in, heads over vectors out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import typed
from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import Progress

if TYPE_CHECKING:
    from simpatico.features.heads.folder import Figures, Kind, Recipe

Command = Callable[..., None]


heads_options = combine_options(
    [
        click.option(
            "--data",
            type=click.Path(path_type=Path),
            required=True,
            help="Conversations, in any format that `simpatico score` reads.",
        ),
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            required=True,
            help="The model's folder to write.",
        ),
        click.option("--format", help="The format of the conversations, if not to be guessed."),
        click.option("--encoder", default="", help="Model whose vectors the heads see."),
        click.option("--seed", type=int, default=0, show_default=True, help="How dialogs fall."),
        click.option("--licence", default="", help="Licence of the data, for the card."),
    ]
)
"""What every training of heads is told."""


@click.command()
@heads_options
def nsp(**options: Any) -> None:
    """Learn which turn follows which, for `--set nsp.model=path:MODEL`."""
    run("nsp", **options)


@click.command()
@heads_options
def ruber(**options: Any) -> None:
    """Learn RUBER's unreferenced part over word vectors, for `--set ruber.model=path:MODEL`."""
    run("ruber", **options)


@click.command(name="ctx-ruber")
@heads_options
def ctx_ruber(**options: Any) -> None:
    """Learn the same over vectors in context, for `--set ctx_ruber.model=path:MODEL`."""
    run("ctx-ruber", **options)


@click.command(name="usl-h")
@heads_options
@click.option("--likelihood", default="", help="Masked language model; without it, word counts.")
def usl_h(**options: Any) -> None:
    """Learn the three parts of USL-H, for `--set usl_h.model=path:MODEL`."""
    run("usl-h", **options)


def run(
    kind: Kind, data: Path, out: Path, format: str | None, licence: str, **options: Any
) -> None:
    """Read, train, write, and show how well it did on dialogs held out."""
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.heads.train import Training, train_heads

    given = [f"--{name} {quote(*typed(value))}" for name, value in options.items() if value != ""]
    command = " ".join([f"simpatico train {kind} --data DATA --out MODEL", *given])
    about = About(data.name, licence or "not stated", command)
    turns = read(data, format=format)
    with Progress():
        recipe = train_heads(turns, out, training=Training(kind, **options), about=about)
    summarise(recipe)
    result(str(out))


def summarise(recipe: Recipe) -> None:
    """The figures on dialogs held out, and from how many dialogs all was learned."""
    show_figures({name: told.heldout for name, told in recipe.heads.items()})
    note(f"learned from {recipe.dialogs:,} dialogs, those held out included in this number")


def show_figures(figures: Mapping[str, Figures]) -> None:
    """How well each head does on dialogs held out, beside what a plain number reaches."""
    rows = [
        (name, f.accuracy, f.auc, f.low, f.high, f.plain, f.plain_auc, f.n)
        for name, f in figures.items()
    ]
    columns = ["head", "accuracy", "AUC", "low", "high", "beside", "its AUC", "n"]
    show_table("Dialogs held out", columns, rows)
