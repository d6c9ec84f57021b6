"""`simpatico train`: labelled or unlabelled data in, model weights or lexicons out."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli.commands.train import (
    continuity,
    emotion,
    engagement,
    heads,
    interlocutor,
    relevance,
    trait,
)
from simpatico.cli.commands.train._command_line import FILE
from simpatico.cli.output import note, result


@click.group(name="train")
def command() -> None:
    """Train a model or derive a lexicon from your own data."""


@command.command(name="lexicon")
@click.option("--data", type=FILE, required=True, help="Folder of the GoEmotions data set.")
@click.option("--out", type=FILE, required=True, help="CSV file to write.")
@click.option(
    "--minimum",
    type=int,
    default=5,
    show_default=True,
    help="Minimum number of texts that contain a word.",
)
def lexicon_command(data: Path, out: Path, minimum: int) -> None:
    """Derive an emotion lexicon from labelled texts."""
    from simpatico.training.lexicon import derive_lexicon

    lexicon = derive_lexicon(data, out, minimum=minimum)
    note(f"{lexicon.height:,} weights for {lexicon['term'].n_unique():,} words")
    result(str(out))


for evaluator in (
    *(heads.nsp, heads.ruber, heads.ctx_ruber, heads.usl_h, relevance.relevance),
    *(engagement.engagement, emotion.emotion, continuity.continuity, interlocutor.interlocutor),
    trait.trait,
):
    command.add_command(evaluator)
