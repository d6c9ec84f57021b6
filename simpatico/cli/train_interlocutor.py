"""`simpatico train interlocutor`: ratings by interlocutors in, a model of their scores out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.options import together
from simpatico.cli.out import note, result, show_table
from simpatico.cli.progress import Progress
from simpatico.cli.train_persons import (
    MODEL,
    PATH,
    WHERE,
    conversations,
    encoder_of,
    set_aside,
    span,
)
from simpatico.cli.train_recorded import recorded

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.train.interlocutor import Report
    from simpatico.train.scores import Measured

FLAGS = {"base": "continue", "along": "split"}
RATED = [
    click.option(
        "--judgements",
        type=PATH,
        multiple=True,
        help="Files of ratings; else those that the conversations hold. May be repeated.",
    ),
    click.option("--quality", help="Which rating, where there are several."),
    click.option(
        "--learn",
        type=click.Choice(["interlocutor", "outsiders", "all"]),
        default="interlocutor",
        show_default=True,
        help="Whose ratings teach: the interlocutor's, the mean of outsiders, or all single ones.",
    ),
    click.option(
        "--split",
        "along",
        type=click.Choice(["dialog", "person", "time"]),
        help="8:1:1 in the order of each dialog's turns, of each person's dialogs, or of time over "
        "all.  [default: dialog for ratings of turns, person for those of dialogs]",
    ),
]


@click.command()
@together([*WHERE, *RATED, *MODEL])
def interlocutor(
    data: tuple[Path, ...],
    out: Path,
    format: str | None,
    judgements: tuple[Path, ...],
    **options: Any,
) -> None:
    """Learn which score a person gives, for `--set interlocutor_score.model=path:MODEL`.

    What counts is always what the interlocutors themselves said, later on in the same dialog or in
    later ones; beside it stands what the mean of each person tells without any text.
    """
    from simpatico.train.interlocutor import Training
    from simpatico.train.pair_folder import About

    told = {**options, "data": data, "judgements": judgements}
    command = recorded("simpatico train interlocutor", told, switches=(), flags=FLAGS)
    name = " and ".join(path.name for path in data)
    about = About(name, options.pop("licence") or "not stated", command)
    base, encoder = options.pop("base"), encoder_of(options)
    training = Training(encoder=encoder, **options)
    turns, rated = conversations(data, format), ratings(judgements or data, format)
    with Progress():
        if base and not training.fine_tune:
            from simpatico.train.personal_continue import Onward, continue_interlocutor

            onward = Onward(base, out, name)
            found = continue_interlocutor(turns, rated, onward, quality=training.quality)
            show("New ratings", [found])
        elif training.fine_tune:
            from simpatico.train.interlocutor_tuned import tune_interlocutor

            given = {"training": training, "about": about, "base": base}
            summarise(tune_interlocutor(turns, rated, out, **given))
        else:
            from simpatico.train.interlocutor import train_interlocutor

            summarise(train_interlocutor(turns, rated, out, training=training, about=about))
    result(str(out))


def ratings(paths: tuple[Path, ...], format: str | None) -> Judgements:
    """All judgements of the files."""
    import polars as pl

    from simpatico.judgements import Judgements
    from simpatico.read.judgement_files import read_judgements

    found = [read_judgements(path, format=format) for path in paths]
    return Judgements(pl.concat([one.frame for one in found]))


def summarise(report: Report) -> None:
    """The figures on ratings held out, beside means."""
    show("Ratings held out", report.rows)
    for row in report.above:
        error = f"squared error lower by {span(row.mse)}, p {row.p['mse']:.3f}"
        note(f"beside {row.name}: r above by {span(row.r)}; {error}")
    set_aside(report.aside)


def show(title: str, rows: list[Measured]) -> None:
    """A table of figures."""
    columns = ["guess by", "Pearson's r", "squared error", "ratings", "persons"]
    cells = [(row.name, span(row.r), span(row.mse), row.n, row.persons) for row in rows]
    show_table(title, columns, cells)
