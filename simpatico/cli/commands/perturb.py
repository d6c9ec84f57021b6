"""`simpatico perturb`: good answers made wrong, to see whether a metric notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.bot_options import refuse_same_file
from simpatico.cli.options import out_file, reading_options
from simpatico.cli.output import note, result

if TYPE_CHECKING:
    from simpatico.perturbation.answers import Perturbed

KINDS = ["flipped", "shuffled", "generic", "off-topic", "copied"]
"""Written out, since finding them takes a tenth of a second; a test compares."""


@click.command(name="perturb")
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    required=True,
    help="How answers are made wrong; repeatable.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="JSONL to write; of several kinds, one file each with the kind before the suffix.",
)
@click.option("--seed", default=0, show_default=True, help="Of what is drawn.")
@reading_options
def command(
    paths: tuple[str, ...], kinds: tuple[Any, ...], out: Path, seed: int, **options: Any
) -> None:
    """Make the answers in PATHS wrong, into files that `simpatico score` reads.

    flipped: the opposite feeling; shuffled: the answer of another dialog; generic: "I don't know."
    and the like; off-topic: an answer about something else; copied: what was to be answered. Every
    dialog and turn stays in its place, and whatever could not be changed is as it was and says so.
    """
    import polars as pl

    from simpatico.perturbation.perturb import has_unmerged_turns, perturb, write_perturbed
    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    places = [out_file(place) for place in kind_files(out, kinds)]
    for place in places:
        for path in paths:
            refuse_same_file(place, path)
    chunks = Conversations(paths, **options).chunks()
    turns = Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())
    for kind, place in zip(dict.fromkeys(kinds), places, strict=True):
        perturbed = perturb(turns, kind, seed=seed)
        write_perturbed(perturbed, place)
        note(change_sentence(perturbed))
        result(str(place))
    flag = "" if options["merge"] and not has_unmerged_turns(turns) else " --no-merge"
    note(f"next: simpatico score {places[0]} --out RUN{flag}")


def kind_files(out: Path, kinds: tuple[str, ...]) -> list[Path]:
    """A file for each kind."""
    if len(set(kinds)) == 1:
        return [out]
    return [out.with_name(f"{out.stem}.{kind}{out.suffix}") for kind in dict.fromkeys(kinds)]


def change_sentence(perturbed: Perturbed) -> str:
    """How many answers were changed, and why the others were not."""
    n_changed, counts = perturbed.changed.sum(), perturbed.unchanged_counts
    change = f"{perturbed.kind}: {n_changed:,} of {perturbed.n_answers:,} answers changed"
    rest = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in counts.items())
    return f"{change}; left as they were: {rest}" if rest else change
