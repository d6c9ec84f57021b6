"""`simpatico train relevance`: dialogs in, what tells whether a reply fits out."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

import click

from simpatico.cli.commands.train._command_line import typed
from simpatico.cli.commands.train.heads import heads_options, show_figures
from simpatico.cli.output import result
from simpatico.cli.progress import Progress


@click.command()
@heads_options
@click.option(
    "--negatives",
    type=click.Choice(["random", "hard", "both"]),
    default="both",
    show_default=True,
    help="Made-up replies: of any other dialog, such as are hard to tell, or both.",
)
@click.option(
    "--hard",
    multiple=True,
    type=click.Choice(["near-reply", "near-question", "copied", "same-dialog"]),
    default=["same-dialog"],
    show_default=True,
    help="Which hard ones; may be given repeatedly.",
)
@click.option(
    "--share",
    type=float,
    default=0.3,
    show_default=True,
    help="Of hard ones, where there are both.",
)
@click.option(
    "--per-pair", type=int, default=1, show_default=True, help="Made-up replies to each true one."
)
@click.option(
    "--pooling",
    type=click.Choice(["mean", "max", "cls"]),
    default="mean",
    show_default=True,
    help="How a text's word pieces make its vector.",
)
@click.option(
    "--fine-tune",
    type=int,
    default=0,
    show_default=True,
    help="Epochs in which the encoder itself learns, reading question and reply together.",
)
def relevance(data: Path, out: Path, format: str | None, licence: str, **options: Any) -> None:
    """Learn whether a reply fits what it answers, for `--set relevance.model=path:MODEL`.

    Nobody has to judge anything: true replies are told from made-up ones.
    """
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.relevance.negatives import Mix
    from simpatico.training.relevance.train import Training, train_relevance

    command = repeated(options)
    mix = Mix(*(options.pop(name) for name in ("negatives", "hard", "share", "per_pair")))
    about = About(data.name, licence or "not stated", command)
    turns, training = read(data, format=format), Training(mix=mix, **options)
    with Progress():
        if training.fine_tune:
            from simpatico.training.relevance.train__relevance_tuned import tune_relevance

            figures = {"relevant": tune_relevance(turns, out, training=training, about=about)}
        else:
            recipe = train_relevance(turns, out, training=training, about=about)
            figures = {name: told.heldout for name, told in recipe.heads.items()}
    show_figures(figures)
    result(str(out))


def repeated(options: dict[str, Any]) -> str:
    """The command that does the same again."""
    parts = ["simpatico train relevance --data DATA --out MODEL"]
    for name, value in sorted(options.items()):
        parts += [f"--{name.replace('_', '-')} {quote(one)}" for one in typed(value) if one]
    return " ".join(parts)
