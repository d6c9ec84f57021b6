"""`simpatico perturb`: good replies made wrong, to test whether a metric notices."""

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
    help="How to make replies wrong; repeatable.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="JSONL file to write; with several kinds one file each, the kind before the suffix.",
)
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@reading_options
def command(
    paths: tuple[str, ...], kinds: tuple[Any, ...], out: Path, seed: int, **options: Any
) -> None:
    """Make replies wrong, to test whether a metric notices.

    Writes the conversations in PATHS to files that `simpatico score` reads. flipped: the
    opposite sentiment; shuffled: a reply from another dialog; generic: "I don't know." and the
    like; off-topic: a reply about another topic; copied: the turn it replies to. Dialogs and turns
    keep their order; a reply that could not be changed is kept, with the reason.
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
    """How many replies were changed, and why the others were not."""
    n_changed, counts = perturbed.changed.sum(), perturbed.unchanged_counts
    change = f"{perturbed.kind}: {n_changed:,} of {perturbed.n_answers:,} replies changed"
    rest = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in counts.items())
    return f"{change}; unchanged: {rest}" if rest else change
