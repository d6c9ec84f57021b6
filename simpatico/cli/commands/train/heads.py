"""`simpatico train nsp`, `ruber`, `ctx-ruber`, `usl-h` and `relevance`: dialogs in, heads out.

They need no ratings: a turn that really followed is a positive example, one from elsewhere a
negative one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_interval

if TYPE_CHECKING:
    from simpatico.features.heads.folder import HeadEvaluation, HeadKind

DATA = "Conversations, in any format that `simpatico score` reads."
common_options = opt.combine(
    shared.model_folder, shared.format, shared.encoder, shared.split_seed, shared.licence
)
heads_options = opt.combine(opt.path("--data", DATA, required=True), common_options)
"""The options of every training on unrated dialogs."""
SWITCHES, FLAGS = ("people",), {"limit": "limitation"}
"""Of `relevance`: recorded when off, too; and options whose names differ from the parameters."""


@click.command()
@heads_options
def nsp(**options: Any) -> None:
    """Train next-sentence prediction.

    Whether a turn follows the one before. Needs no ratings.

    Use it with `--set nsp.model=path:MODEL`.
    """
    train_and_show("nsp", **options)


@click.command()
@heads_options
def ruber(**options: Any) -> None:
    """Train RUBER's unreferenced score over word vectors.

    Tao et al. (2018). Needs no ratings.

    Use it with `--set ruber.model=path:MODEL`.
    """
    train_and_show("ruber", **options)


@click.command(name="ctx-ruber")
@heads_options
def ctx_ruber(**options: Any) -> None:
    """Train RUBER's unreferenced score over contextual vectors.

    Ghazarian et al. (2019). Needs no ratings.

    Use it with `--set ctx_ruber.model=path:MODEL`.
    """
    train_and_show("ctx-ruber", **options)


@click.command(name="usl-h")
@heads_options
@opt.text("--likelihood", "Masked language model.  [default: word frequencies]")
def usl_h(**options: Any) -> None:
    """Train the three components of USL-H.

    Understandability, sensibleness and likelihood. Phy et al. (2020). Needs no ratings.

    Use it with `--set usl_h.model=path:MODEL`.
    """
    train_and_show("usl-h", **options)


@click.command()
@shared.data(DATA)
@common_options
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
    default=["same-dialog", "copied"],
)
@opt.value("--share", 0.3, "Share of hard negatives, with --negatives both.")
@opt.value("--per-pair", 1, "Negative examples per true reply.")
@opt.value(
    "--people/--no-people",
    False,
    "True replies are those of people only: of the system human, or of none.",
)
@opt.value("--cosine", 0.25, "Weight of the cosine added to the network, in SDs; 0 = none.")
@opt.choice("--pooling", ["mean", "max", "cls"], shared.POOLING)
@shared.fine_tune(shared.PAIR)
@shared.limitation
def relevance(out: Path, **options: Any) -> None:
    """Train a model of whether a reply fits its context.

    Needs no ratings: the model is trained to distinguish true replies from negative examples, which
    come from the same file as the reply.

    Use it with `--set relevance.model=path:MODEL`.
    """
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.relevance import train
    from simpatico.training.relevance.negatives import NegativeMix

    command = shared.record_command(
        "simpatico train relevance", options, switches=SWITCHES, flags=FLAGS
    )
    data, format = options.pop("data"), options.pop("format")
    licence, limits = options.pop("licence") or "not stated", options.pop("limit")
    about = About(shared.data_name(data), licence, command, limits=limits)
    mix = NegativeMix(*(options.pop(name) for name in ("negatives", "hard", "share", "per_pair")))
    settings = train.RelevanceSettings(mix=mix, **options)
    corpora = [read(path, format=format) for path in data]
    with ProgressDisplay():
        if settings.fine_tune:
            results = train.fine_tune_relevance(corpora, out, settings=settings, about=about)
        else:
            recipe = train.train_relevance(corpora, out, settings=settings, about=about)
            results = recipe.heads["relevant"].heldout
    show_evaluations({"relevant": results})
    result(str(out))


def train_and_show(
    kind: HeadKind, data: Path, out: Path, format: str | None, licence: str, **options: Any
) -> None:
    """Read, train, write, and show the results on the test set."""
    from simpatico.readers import read
    from simpatico.training.card import About
    from simpatico.training.heads.train import HeadsSettings, train_heads

    words = [
        f"simpatico train {kind} --data DATA --out MODEL",
        *shared.option_words(options.items()),
    ]
    about = About(data.name, licence or "not stated", " ".join(words))
    turns = read(data, format=format)
    with ProgressDisplay():
        recipe = train_heads(turns, out, settings=HeadsSettings(kind, **options), about=about)
    show_evaluations({name: head.heldout for name, head in recipe.heads.items()})
    note(f"{recipe.dialogs:,} dialogs in all: training, validation and test set")
    result(str(out))


def show_evaluations(evaluations: Mapping[str, HeadEvaluation]) -> None:
    """The results of each head on the test set, and the AUC of a simple baseline.

    AUC needs no threshold, unlike accuracy, and is .5 for a head that guesses.
    """
    rows = [
        (name, e.accuracy, e.auc, format_interval(e.low, e.high, 3), e.plain, e.plain_auc, e.n)
        for name, e in evaluations.items()
    ]
    columns = ["head", "accuracy", "AUC", "95% CI", "baseline", "its AUC", "n"]
    show_table("Test set", columns, rows)
