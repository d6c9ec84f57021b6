"""`simpatico train`: labelled or unlabelled data in, model weights or lexicons out.

Results are printed next to those of a trivial baseline, such as reply length alone: a model that
does not beat it has found nothing.
"""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import (
    continuity,
    emotion,
    empathy,
    engagement,
    heads,
    interlocutor,
    trait,
)
from simpatico.cli.output import note, result


@click.group(name="train")
def command() -> None:
    """Train a model or derive a lexicon from your own data.

    Every training writes a folder that a metric loads with `--set METRIC.PARAMETER=path:MODEL`,
    and a model card with the results on the test set.
    """


@command.command(name="lexicon")
@opt.path("--data", "Folder of the GoEmotions data set.", required=True)
@opt.out("CSV file to write.")
@opt.value("--minimum", 5, "Minimum number of texts that contain a word.")
def lexicon_command(data: Path, out: Path, minimum: int) -> None:
    """Derive an emotion lexicon from labelled texts.

    Use it with `simpatico score --lexicon FILE`.
    """
    from simpatico.training.lexicon import derive_lexicon

    lexicon = derive_lexicon(data, out, minimum=minimum)
    note(f"{lexicon.height:,} weights for {lexicon['term'].n_unique():,} words")
    result(str(out))


for evaluator in (
    *(heads.nsp, heads.ruber, heads.ctx_ruber, heads.usl_h, heads.relevance),
    *(engagement.engagement, emotion.emotion, continuity.continuity, interlocutor.interlocutor),
    *(trait.trait, empathy.empathy),
):
    command.add_command(evaluator)
