"""`simpatico train relevance`: dialogs in, a model of whether a reply fits its context out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simpatico.cli.commands.train._command_line import (
    PAIR,
    POOLING,
    fine_tune_option,
    option_words,
)
from simpatico.cli.commands.train.heads import heads_options, show_evaluations
from simpatico.cli.options import choice_option, repeatable_option
from simpatico.cli.output import result
from simpatico.cli.progress import ProgressDisplay


@click.command()
@heads_options
@choice_option(
    "--negatives",
    values=["random", "hard", "both"],
    default="both",
    help="Negative examples: random replies of other dialogs, hard ones, or both.",
)
@repeatable_option(
    "--hard",
    type=click.Choice(["near-reply", "near-question", "copied", "same-dialog"]),
    default=["same-dialog"],
    help="Kind of hard negatives.",
)
@click.option("--share", default=0.3, help="Share of hard negatives, with --negatives both.")
@click.option("--per-pair", default=1, help="Negative examples per true reply.")
@choice_option("--pooling", values=["mean", "max", "cls"], help=POOLING)
@fine_tune_option(PAIR)
def relevance(data: Path, out: Path, format: str | None, licence: str, **options: Any) -> None:
    """Train a model of whether a reply fits its context.

    For `--set relevance.model=path:MODEL`. Needs no ratings: the model is trained to distinguish
    true replies from negative examples.
    """
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.relevance.negatives import NegativeMix
    from simpatico.training.relevance.train import (
        RelevanceSettings,
        fine_tune_relevance,
        train_relevance,
    )

    words = option_words(sorted(options.items()))
    command = " ".join(["simpatico train relevance --data DATA --out MODEL", *words])
    mix = NegativeMix(*(options.pop(name) for name in ("negatives", "hard", "share", "per_pair")))
    about = About(data.name, licence or "not stated", command)
    turns, settings = read(data, format=format), RelevanceSettings(mix=mix, **options)
    with ProgressDisplay():
        if settings.fine_tune:
            results = fine_tune_relevance(turns, out, settings=settings, about=about)
        else:
            recipe = train_relevance(turns, out, settings=settings, about=about)
            results = recipe.heads["relevant"].heldout
    show_evaluations({"relevant": results})
    result(str(out))
