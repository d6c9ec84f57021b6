"""`simpatico train nsp`, `ruber`, `ctx-ruber` and `usl-h`: dialogs in, heads over vectors out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import (
    FILE,
    LICENCE,
    OUT,
    option_words,
    seed_option,
)
from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.features.heads.folder import HeadEvaluation, HeadKind

heads_options = combine_options(
    [
        click.option(
            "--data",
            type=FILE,
            required=True,
            help="Conversations, in any format that `simpatico score` reads.",
        ),
        OUT,
        click.option("--format", help="The format of the conversations, if not to be guessed."),
        click.option("--encoder", default="", help="Model whose vectors the heads see."),
        seed_option("How dialogs fall."),
        LICENCE,
    ]
)
"""The options of every training on unrated dialogs."""


@click.command()
@heads_options
def nsp(**options: Any) -> None:
    """Learn which turn follows which, for `--set nsp.model=path:MODEL`."""
    train_and_show("nsp", **options)


@click.command()
@heads_options
def ruber(**options: Any) -> None:
    """Learn RUBER's unreferenced part over word vectors, for `--set ruber.model=path:MODEL`."""
    train_and_show("ruber", **options)


@click.command(name="ctx-ruber")
@heads_options
def ctx_ruber(**options: Any) -> None:
    """Learn the same over vectors in context, for `--set ctx_ruber.model=path:MODEL`."""
    train_and_show("ctx-ruber", **options)


@click.command(name="usl-h")
@heads_options
@click.option("--likelihood", default="", help="Masked language model; without it, word counts.")
def usl_h(**options: Any) -> None:
    """Learn the three parts of USL-H, for `--set usl_h.model=path:MODEL`."""
    train_and_show("usl-h", **options)


def train_and_show(
    kind: HeadKind, data: Path, out: Path, format: str | None, licence: str, **options: Any
) -> None:
    """Read, train, write, and show the results on the test split."""
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.heads.train import HeadsSettings, train_heads

    words = [f"simpatico train {kind} --data DATA --out MODEL", *option_words(options.items())]
    about = About(data.name, licence or "not stated", " ".join(words))
    turns = read(data, format=format)
    with ProgressDisplay():
        recipe = train_heads(turns, out, settings=HeadsSettings(kind, **options), about=about)
    show_evaluations({name: head.heldout for name, head in recipe.heads.items()})
    note(f"learned from {recipe.dialogs:,} dialogs, those held out included in this number")
    result(str(out))


def show_evaluations(evaluations: Mapping[str, HeadEvaluation]) -> None:
    """The results of each head on the test split, beside the AUC of a plain baseline."""
    rows = [
        (name, e.accuracy, e.auc, e.low, e.high, e.plain, e.plain_auc, e.n)
        for name, e in evaluations.items()
    ]
    columns = ["head", "accuracy", "AUC", "low", "high", "beside", "its AUC", "n"]
    show_table("Dialogs held out", columns, rows)
