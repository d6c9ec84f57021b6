"""`simpatico train rating` and `train chat-words`: what `predicted_rating` is made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_interval

if TYPE_CHECKING:
    from simpatico.features.rating_model import RatingRecipe


@click.command()
@shared.data("Rated conversations, in any format that `simpatico score` reads.")
@shared.model_folder
@shared.format
@opt.repeatable(
    "--judgements",
    "File of human ratings.  [default: ratings inside the conversation files]",
    type=opt.PATH,
)
@opt.repeatable("--quality", "Rated quality to predict; several are averaged.  [default: all]")
@opt.value(
    "--encoder", "package:minilm", 'Encoder of the text vectors; "none" for a model without one.'
)
@opt.option(
    "--penalty",
    "Ridge penalty.  [default: the one of 1, 3, 10, 30 and 100 that predicts sources left out "
    "best]",
    type=float,
)
@opt.random_seed("Random seed of the bootstrap and of splits.")
@opt.text("--source", "What the data are, for the model card.  [default: names of the files]")
@shared.licence
@shared.limitation
def rating(data: tuple[Path, ...], out: Path, format: str | None, **options: Any) -> None:
    """Train a model of how people rate replies.

    Each file is standardised separately. The table shows how well a model trained on the other
    sources predicts the ratings of each, compared with length and with each part.

    Use it with `--set predicted_rating.model=path:MODEL`.

    \b
    Example:
      simpatico train rating --data chats.jsonl --judgements ratings.csv --out MODEL
    """
    from simpatico.training.card import About
    from simpatico.training.rating.data import read_rated_set
    from simpatico.training.rating.train import RatingSettings, train_rating

    if options["judgements"] and len(data) > 1:
        raise click.UsageError(
            "--judgements goes with a single --data; put ratings of several "
            "files into one table, or train on files that hold ratings."
        )
    command = shared.record_command(
        "simpatico train rating",
        {**options, "data": data},
        switches=(),
        flags={"limit": "limitation"},
    )
    encoder = "" if options["encoder"] == "none" else options["encoder"]
    with ProgressDisplay():
        sets = [
            read_rated_set(
                path,
                format=format,
                judgements=options["judgements"],
                qualities=options["quality"],
            )
            for path in data
        ]
        about = About(
            options["source"] or shared.data_name(data),
            options["licence"] or "not stated",
            command,
            limits=tuple(options["limit"]),
        )
        settings = RatingSettings(encoder, options["penalty"], options["seed"])
        recipe = train_rating(sets, out, settings=settings, about=about)
    show_rating_report(recipe)
    note(f"{sum(len(one.rating) for one in sets):,} rated turns or dialogs in {len(sets)} sets")
    result(str(out))


def show_rating_report(recipe: RatingRecipe) -> None:
    """Rho with the ratings of each source left out."""
    rows = [
        (e.data, e.score, e.rho, format_interval(e.low, e.high, 3), e.without_length, e.n)
        for e in recipe.evaluation
    ]
    columns = ["left out", "score", "ρ", "95% CI", "length held constant", "n"]
    show_table("Correlation with human ratings", columns, rows)


@click.command(name="chat-words")
@shared.data("Conversations, or the folder of GoEmotions.")
@shared.model_folder
@shared.format
@opt.value("--vocabulary", 20_000, "Number of words to keep.")
@opt.value("--minimum", 4, "Minimum number of occurrences of a word or pair.")
@opt.text("--source", "What the data are, for the model card.  [default: names of the files]")
@shared.licence
def chat_words(
    data: tuple[Path, ...],
    out: Path,
    format: str | None,
    vocabulary: int,
    minimum: int,
    source: str,
    licence: str,
) -> None:
    """Count words and pairs of words in chat.

    Turns of people only: what systems say is left out. The shipped counts are made like this.
    """
    from simpatico.training.card import About
    from simpatico.training.rating.chat_words import CountSettings, chat_texts, count_chat_words

    texts = [text for path in data for text in chat_texts(path, format)]
    options = {"data": data, "format": format, "vocabulary": vocabulary, "minimum": minimum}
    command = shared.record_command("simpatico train chat-words", options, switches=())
    about = About(source or shared.data_name(data), licence or "not stated", command)
    settings = CountSettings(vocabulary, minimum)
    recipe = count_chat_words(texts, out, settings=settings, about=about)
    note(f"{recipe.words:,} words in {recipe.texts:,} texts")
    result(str(out))
