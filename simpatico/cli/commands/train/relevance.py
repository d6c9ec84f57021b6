"""`simpatico train relevance`: dialogs in, a model of whether a reply fits its context out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.commands.train.heads import heads_options, show_evaluations
from simpatico.cli.output import result
from simpatico.cli.progress import ProgressDisplay


@click.command()
@heads_options
@opt.choice(
    "--negatives",
    ["random", "hard", "both"],
    "Negative examples: random replies of other dialogs, hard ones, or both.",
    default="both",
)
@opt.repeatable(
    "--hard",
    "Kind of hard negatives.",
    type=click.Choice(["near-reply", "near-question", "copied", "same-dialog"]),
    default=["same-dialog"],
)
@opt.value("--share", 0.3, "Share of hard negatives, with --negatives both.")
@opt.value("--per-pair", 1, "Negative examples per true reply.")
@opt.choice("--pooling", ["mean", "max", "cls"], shared.POOLING)
@shared.fine_tune(shared.PAIR)
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

    words = shared.option_words(sorted(options.items()))
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
