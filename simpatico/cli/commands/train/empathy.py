"""`simpatico train empathy`: conversations as a background in, heads of perceived empathy out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_interval


@click.command()
@shared.data("Conversations for the background, in any format that `simpatico score` reads.")
@shared.model_folder
@opt.path("--sentences", "Labelled sentences: part, text (TSV).  [default: the shipped ones]")
@opt.path("--ratings", "Folder of Kumar et al. (2025), to compare the scores with ratings.")
@shared.split_seed
@shared.licence
@shared.limitation
def empathy(data: tuple[Path, ...], out: Path, licence: str, **options: Any) -> None:
    """Train a model of how empathic a reply reads.

    Needs no ratings: heads for emotional reaction, interpretation and exploration are fitted to
    labelled sentences, with sentences of your conversations as a background.

    Use it with `--set perceived_empathy.model=path:MODEL`.
    """
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.empathy.train import EmpathySettings, train_empathy

    limits = options.pop("limit")
    named = {key: value for key, value in options.items() if value is not None}
    command = shared.record_command("simpatico train empathy", {"data": data, **named}, switches=())
    about = About(shared.data_name(data), licence or "not stated", command, limits=limits)
    with ProgressDisplay():
        sources = [read(path) for path in data]
        recipe, rated = train_empathy(sources, out, settings=EmpathySettings(**named), about=about)
    rows = [
        (name, e.auc, format_interval(e.low, e.high, 3), e.plain_auc, e.n)
        for name, e in ((name, head.heldout) for name, head in recipe.heads.items())
    ]
    columns = ["head", "AUC", "95% CI", "AUC of length", "n"]
    show_table("Cross-validation over the labelled sentences", columns, rows)
    if rated:
        people = [
            (
                one.study,
                one.score,
                *cells(one.rho),
                *cells(one.partial),
                one.length.value,
                one.rho.n,
            )
            for one in rated
        ]
        names = ["study", "rating", "rho", "95% CI", "length constant", "95% CI", "length", "n"]
        show_table("Correlation with human ratings", names, people)
    result(str(out))


def cells(one: Any) -> tuple[float | None, str]:
    """A value and its interval, as two cells of a table."""
    return one.value, format_interval(one.low, one.high)
