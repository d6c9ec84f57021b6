"""`simpatico train interlocutor`: ratings by interlocutors in, a model of their scores out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import recorded
from simpatico.cli.commands.train._users import (
    KEEPING,
    MODEL,
    PATH,
    WHERE,
    conversations,
    encoder_of,
    likely,
    named,
    set_aside,
    span,
    without,
)
from simpatico.cli.options import together
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import Progress
from simpatico.errors import DataError

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.stats.by_person__scores import Measured
    from simpatico.training.users.interlocutor.train import Report
    from simpatico.turns import Turns

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


KEPT = ("learn", "along", "mode", "encoder", "seed", "licence")
"""Options that do nothing where a model is gone on from."""


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
    from simpatico.training.model_folder import About
    from simpatico.training.users.interlocutor.train import Training

    if options["base"] and not options["fine_tune"]:
        without(KEPT, KEEPING, FLAGS)
    told = {**options, "data": data, "judgements": judgements}
    command = recorded("simpatico train interlocutor", told, switches=(), flags=FLAGS)
    about = About(named(data), options.pop("licence") or "not stated", command)
    base, encoder = options.pop("base"), encoder_of(options)
    training = Training(encoder=encoder, **options)
    turns = conversations(data, format)
    rated = of_files(judgements, format) if judgements else held(data, format)
    if judgements and len(data) > 1:
        rated = renamed(rated, turns)
    with Progress():
        if base and not training.fine_tune:
            from simpatico.training.users.update import Onward, continue_interlocutor

            onward = Onward(base, out, named(data))
            found = continue_interlocutor(turns, rated, onward, quality=training.quality)
            show("New ratings", [found])
        elif training.fine_tune:
            from simpatico.training.users.interlocutor.train import Given
            from simpatico.training.users.interlocutor.train__interlocutor_tuned import (
                tune_interlocutor,
            )

            given = Given.of(turns, rated, training)
            summarise(tune_interlocutor(given, out, training=training, about=about, base=base))
        else:
            from simpatico.training.users.interlocutor.train import train_interlocutor

            summarise(train_interlocutor(turns, rated, out, training=training, about=about))
    result(str(out))


def held(data: tuple[Path, ...], format: str | None) -> Judgements:
    """What files of conversations hold, of dialogs that are called as the conversations are."""
    import polars as pl

    from simpatico.judgements import Judgements
    from simpatico.readers import Conversations
    from simpatico.readers.conversations import prefixes
    from simpatico.readers.judgement_files import read_judgements

    found = []
    for path, prefix in zip(data, prefixes(Conversations(data).sources), strict=True):
        named = pl.concat_str(pl.lit(f"{prefix}/" if prefix else ""), "dialog").alias("dialog")
        found.append(read_judgements(path, format=format).frame.with_columns(named))
    return Judgements(pl.concat(found))


def of_files(paths: tuple[Path, ...], format: str | None) -> Judgements:
    """All judgements of the files."""
    import polars as pl

    from simpatico.judgements import Judgements
    from simpatico.readers.judgement_files import read_judgements

    return Judgements(pl.concat([read_judgements(path, format=format).frame for path in paths]))


def renamed(rated: Judgements, turns: Turns) -> Judgements:
    """The same of dialogs that are called as those of several inputs are.

    They may be called so already, or as their own input calls them, if no other does so.
    """
    import polars as pl

    from simpatico.judgements import Judgements

    known, called = set(turns.frame["dialog"]), dict[str, list[str]]()
    for name in sorted(known):
        called.setdefault(name.partition("/")[2], []).append(name)
    other = [name for name in rated.frame["dialog"].unique(maintain_order=True) if name in called]
    meant = {name: called[name] for name in other if name not in known}
    for name, found in meant.items():
        if len(found) > 1:
            raise DataError(
                f"ratings of {name!r} may be of {' or '.join(map(repr, found))}; name the one that "
                "is meant"
            )
    of = {name: found[0] for name, found in meant.items()}
    return Judgements(rated.frame.with_columns(pl.col("dialog").replace(of)))


def summarise(report: Report) -> None:
    """The figures on ratings held out, beside means."""
    from simpatico.stats.by_person import NO_INTERVAL

    show("Ratings held out", report.rows)
    for row in report.above:
        error = f"squared error lower by {span(row.mse)}{likely(row.p['mse'])}"
        above = "" if row.r is None else f"r above by {span(row.r)}; "
        note(f"beside {row.name}: {above}{error}")
    if report.rows[0].mse.low is None:
        note(NO_INTERVAL)
    set_aside(report.aside)


def show(title: str, rows: list[Measured]) -> None:
    """A table of figures."""
    columns = ["guess by", "Pearson's r", "squared error", "ratings", "persons"]
    cells = [(row.name, span(row.r), span(row.mse), row.n, row.persons) for row in rows]
    show_table(title, columns, cells)
