"""`simpatico train trait`: texts and questionnaire scores in, a trait model out.

The method is that of DLATK (Schwartz et al. 2013): ridge regression on the relative frequencies of
words and phrases, cross-validated over people, so that no text of a person is in two folds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, result, show_table
from simpatico.wording import format_interval

if TYPE_CHECKING:
    from simpatico.training.traits.data import People
    from simpatico.training.traits.folder import AboutTrait, TraitReport
    from simpatico.training.traits.train import TraitSettings


@click.command()
@opt.path("--data", "CSV, TSV or JSONL file, or a folder.", required=True)
@shared.model_folder
@opt.option("--text", "Column of the text; a person may have several rows.")
@opt.option("--target", "Column of the person's questionnaire score.")
@opt.option("--person", "Column of the person's id.")
@opt.choice(
    "--source",
    ["casino", "empathic-reactions"],
    "Known data set: uses the columns, scale and settings of the shipped model.",
    default=None,
)
@opt.option("--orders", "Orders of word n-grams.  [default: 1,2,3]")
@opt.option(
    "--minimum-people", "Drop n-grams that fewer people use.  [default: 2% of people]", type=int
)
@opt.choice(
    "--scaling",
    ["raw", "sqrt", "std"],
    "Scaling of n-gram frequencies.  [default: sqrt]",
    default=None,
)
@opt.option(
    "--search/--no-search",
    "Select orders, minimum and scaling by nested cross-validation.",
    default=None,
)
@opt.option("--folds", "Folds of the cross-validation.  [default: 10]", type=int)
@opt.option("--seed", "Random seed of the folds.  [default: 0]", type=opt.SEED)
@opt.option(
    "--repeats", "Number of seeds the cross-validation is run with.  [default: 1]", type=int
)
@opt.option("--topics", "Topics to add: a table with term, category, weight, or a DLATK file.")
@opt.option("--scale", "Minimum and maximum of the scale.", type=float, nargs=2)
@opt.option("--measures", "What the scores measure, for the model card.")
@opt.option("--licence", "Licence of the data, for the model card.")
def trait(data: Path, out: Path, **options: Any) -> None:
    """Train a model that predicts a questionnaire score from text.

    Writes a folder for `--set empathy.model=MODEL`, with a model card that reports the
    cross-validated accuracy. Needs --text, --target and --person, or a --source.

    \b
    Example:
      simpatico train trait --data essays.csv --text essay --target score \\
        --person id --scale 1 7 --out MODEL
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
            raise click.UsageError("--orders takes comma-separated numbers, such as 1,2") from None
    facts = {name: options[name] for name in ("measures", "licence") if options[name]}
    extremes = float(people.target.min()), float(people.target.max())
    scale = options["scale"] or about.scale or extremes
    about = replace(about, scale=scale, command=command, **facts)
    report = train_trait(people, out, settings=replace(settings, **changes), about=about)
    show_trait_report(report)
    result(str(out))


def record_trait_command(options: dict[str, Any]) -> str:
    """The command that repeats the training; of a file of topics only the name.

    --scale takes two values at once, unlike repeatable options, and is written accordingly.
    """
    words = ["simpatico train trait --data DATA --out MODEL"]
    for name, value in sorted(options.items()):
        if name == "scale" and value:
            words.append(f"--scale {' '.join(map(str, value))}")
        else:
            path = Path(value) if name == "topics" and value is not None else value
            words += shared.option_words([(name, path)], switches=("search",))
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

        data_set = SOURCES[source]
        return data_set.people(data), data_set.settings, data_set.about
    if not all(columns):
        raise click.UsageError(
            "Missing --text, --target and --person (or --source for a known data set)."
        )
    about = AboutTrait(measures=f"the scores in column {columns[1]!r}", data=data.name)
    return read_people(data, TraitColumns(*columns)), TraitSettings(), about


def show_trait_report(report: TraitReport) -> None:
    """The cross-validated correlations, compared with that of the word count alone."""
    figures = [(f"model, seed {f.seed}", f) for f in report.heldout]
    figures.append(("word count alone", report.word_count))
    rows = [(name, f.r, format_interval(f.low, f.high, 3), f.n) for name, f in figures]
    show_table("Cross-validation", ["model", "r", "95% CI", "n"], rows)
    config = report.config
    note(
        f"{sum(report.features.values()):,} n-grams of orders {list(config.orders)} used by "
        f"{config.minimum} people or more, scaling {config.scaling}, penalty {report.penalty:.4g}"
    )
