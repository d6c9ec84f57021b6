"""`simpatico train trait`: texts with answers of a questionnaire in, a trait model out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import FILE, OUT, option_words
from simpatico.cli.output import note, result, show_table

if TYPE_CHECKING:
    from simpatico.training.traits.data import People
    from simpatico.training.traits.folder import AboutTrait, TraitReport
    from simpatico.training.traits.train import TraitSettings


@click.command()
@click.option("--data", type=FILE, required=True, help="CSV, TSV or JSONL file, or a folder.")
@OUT
@click.option("--text", help="Column with what a person wrote; several rows a person are fine.")
@click.option("--target", help="Column with the person's answer, a number.")
@click.option("--person", help="Column that says whose row it is.")
@click.option(
    "--source",
    type=click.Choice(["casino", "empathic-reactions"]),
    help="Data we know: the columns, scale and settings of the shipped model are used.",
)
@click.option("--orders", help="Lengths of word sequences.  [default: 1,2,3]")
@click.option("--minimum-people", type=int, help="Drop what fewer use.  [default: 2% of people]")
@click.option("--scaling", type=click.Choice(["raw", "sqrt", "std"]), help="[default: sqrt]")
@click.option("--search/--no-search", default=None, help="Choose these three by inner error.")
@click.option("--folds", type=int, help="Parts that are held out in turn.  [default: 10]")
@click.option("--seed", type=int, help="How people fall into folds.  [default: 0]")
@click.option("--repeats", type=int, help="Estimate with so many seeds.  [default: 1]")
@click.option("--topics", help="Table term,category,weight or DLATK's file: topics to add.")
@click.option("--scale", type=float, nargs=2, help="Ends of the answers' scale.")
@click.option("--measures", help="What the answers are, for the card.")
@click.option("--licence", help="Licence of the data, for the card.")
def trait(data: Path, out: Path, **options: Any) -> None:
    """Learn to guess a questionnaire's answer from what people wrote.

    Writes a folder to use as `--set empathy.model=MODEL`, with a card that says how well it does on
    people it has not seen.
    """
    from simpatico.training.traits.train import train_trait

    command = record_trait_command(options)
    people, settings, about = read_source(data, options)
    names = "minimum_people", "scaling", "search", "folds", "seed", "repeats", "topics"
    changes = {name: options[name] for name in names if options[name] is not None}
    if options["orders"]:
        try:
            changes["orders"] = tuple(int(n) for n in options["orders"].split(","))
        except ValueError:
            raise click.UsageError("--orders takes numbers with commas, such as 1,2") from None
    facts = {name: options[name] for name in ("measures", "licence") if options[name]}
    observed = float(people.target.min()), float(people.target.max())
    scale = options["scale"] or about.scale or observed
    about = replace(about, scale=scale, command=command, **facts)
    report = train_trait(people, out, settings=replace(settings, **changes), about=about)
    show_trait_report(report)
    result(str(out))


def record_trait_command(options: dict[str, Any]) -> str:
    """The command that repeats the training; of a file of topics only the name."""
    words = ["simpatico train trait --data DATA --out MODEL"]
    for name, value in sorted(options.items()):
        if name == "scale" and value:
            words.append(f"--scale {' '.join(map(str, value))}")
        else:
            path = Path(value) if name == "topics" and value is not None else value
            words += option_words([(name, path)], switches=("search",))
    return " ".join(words)


def read_source(data: Path, options: dict[str, Any]) -> tuple[People, TraitSettings, AboutTrait]:
    """The people, and the settings and facts of the data before any other option."""
    from simpatico.training.traits.data import TraitColumns, read_people
    from simpatico.training.traits.folder import AboutTrait
    from simpatico.training.traits.train import TraitSettings

    source = options.pop("source")
    columns = [options.pop(name) for name in TraitColumns._fields]
    if source:
        from simpatico.training.traits.sources import SOURCES

        known = SOURCES[source]
        return known.people(data), known.settings, known.about
    if not all(columns):
        raise click.UsageError("name the columns: --text, --target and --person, or a --source")
    about = AboutTrait(measures=f"the answers in {columns[1]!r}", data=data.name)
    return read_people(data, TraitColumns(*columns)), TraitSettings(), about


def show_trait_report(report: TraitReport) -> None:
    """The cross-validated correlations, beside that of the number of words alone."""
    figures = [(f"model, seed {f.seed}", f) for f in report.heldout]
    figures.append(("number of words alone", report.word_count))
    rows = [(name, f.r, f.low, f.high, f.n) for name, f in figures]
    show_table("People held out", ["guess by", "r", "low", "high", "n"], rows)
    config = report.config
    note(
        f"{sum(report.features.values()):,} n-grams of orders {list(config.orders)} used by "
        f"{config.minimum} people or more, scaling {config.scaling}, penalty {report.penalty:.4g}"
    )
