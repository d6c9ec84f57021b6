"""`simpatico train`: data with human answers in, weights or word lists out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train.continuity import continuity
from simpatico.cli.commands.train.emotion import emotion
from simpatico.cli.commands.train.engagement import engagement
from simpatico.cli.commands.train.heads import ctx_ruber, nsp, ruber, usl_h
from simpatico.cli.commands.train.interlocutor import interlocutor
from simpatico.cli.commands.train.relevance import relevance
from simpatico.cli.output import note, result, show_table

if TYPE_CHECKING:
    from simpatico.training.traits.data import People
    from simpatico.training.traits.folder import AboutTrait, Report
    from simpatico.training.traits.train import Training

FOLDER = click.Path(path_type=Path)


@click.group(name="train")
def command() -> None:
    """Learn a model or a word list from data with human answers."""


@command.command()
@click.option("--data", type=FOLDER, required=True, help="CSV, TSV or JSONL file, or a folder.")
@click.option("--out", type=FOLDER, required=True, help="The model's folder to write.")
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

    told = repeated(options)
    people, training, about = inputs(data, options)
    about = replace(described(about, people, options), command=told)
    report = train_trait(people, out, training=chosen(training, options), about=about)
    summarise(report)
    result(str(out))


def repeated(options: dict[str, Any]) -> str:
    """The command that does the same again; of a file of topics only the name."""
    parts = ["simpatico train trait --data DATA --out MODEL"]
    for name, value in sorted(options.items()):
        flag = name.replace("_", "-")
        match value:
            case None:
                continue
            case bool():
                parts.append(f"--{flag}" if value else f"--no-{flag}")
            case tuple():
                parts.append(f"--{flag} {' '.join(map(str, value))}")
            case _:
                plain = Path(value).name if name == "topics" else str(value)
                parts.append(f"--{flag} {quote(plain)}")
    return " ".join(parts)


def inputs(data: Path, options: dict[str, Any]) -> tuple[People, Training, AboutTrait]:
    """The people, and what is known about them before any option."""
    from simpatico.training.traits.data import Columns, read_people
    from simpatico.training.traits.folder import AboutTrait
    from simpatico.training.traits.train import Training

    source = options.pop("source")
    columns = [options.pop(name) for name in Columns._fields]
    if source:
        from simpatico.training.traits.sources import SOURCES

        known = SOURCES[source]
        return known.people(data), known.training, known.about
    if not all(columns):
        raise click.UsageError("name the columns: --text, --target and --person, or a --source")
    about = AboutTrait(measures=f"the answers in {columns[1]!r}", data=data.name)
    return read_people(data, Columns(*columns)), Training(), about


def chosen(training: Training, options: dict[str, Any]) -> Training:
    """The training with what the options say in its place."""
    names = "minimum_people", "scaling", "search", "folds", "seed", "repeats", "topics"
    given = {name: options[name] for name in names if options[name] is not None}
    if options["orders"]:
        try:
            given["orders"] = tuple(int(n) for n in options["orders"].split(","))
        except ValueError:
            raise click.UsageError("--orders takes numbers with commas, such as 1,2") from None
    return replace(training, **given)


def described(about: AboutTrait, people: People, options: dict[str, Any]) -> AboutTrait:
    """What the card says; without a scale, the answers' own range is taken for it."""
    given = {name: options[name] for name in ("measures", "licence") if options[name]}
    low_high = float(people.target.min()), float(people.target.max())
    scale = options["scale"] or about.scale or low_high
    return replace(about, scale=scale, **given)


def summarise(report: Report) -> None:
    """The figures, with what the number of words alone would give."""
    figures = [(f"model, seed {f.seed}", f) for f in report.heldout]
    figures.append(("number of words alone", report.word_count))
    rows = [(name, f.r, f.low, f.high, f.n) for name, f in figures]
    show_table("People held out", ["guess by", "r", "low", "high", "n"], rows)
    config = report.config
    note(
        f"{sum(report.features.values()):,} n-grams of orders {list(config.orders)} used by "
        f"{config.minimum} people or more, scaling {config.scaling}, penalty {report.penalty:.4g}"
    )


@command.command()
@click.option("--data", type=FOLDER, required=True, help="Folder with GoEmotions.")
@click.option("--out", type=FOLDER, required=True, help="The table to write, a .csv file.")
@click.option("--minimum", type=int, default=5, show_default=True, help="Texts a word must be in.")
def lexicon(data: Path, out: Path, minimum: int) -> None:
    """Derive an emotion lexicon from labelled texts."""
    from simpatico.training.lexicon import derive

    found = derive(data, out, minimum=minimum)
    note(f"{found.height:,} weights of {found['term'].n_unique():,} words")
    result(str(out))


for heads in (nsp, ruber, ctx_ruber, usl_h, relevance, engagement, emotion):
    command.add_command(heads)
for personal in (continuity, interlocutor):
    command.add_command(personal)
