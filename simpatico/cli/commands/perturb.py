"""`simpatico perturb`: good replies made wrong, to test whether a metric notices.

The files are for metrics of any origin; `simpatico validate --controls` does the same for ours in
one step, with statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.bot_options import refuse_same_file
from simpatico.cli.output import format_reasons, note, result

KINDS = ["flipped", "shuffled", "generic", "off-topic", "copied"]
"""Written out, since finding them takes a tenth of a second; a test compares."""


@click.command(name="perturb")
@click.argument("paths", nargs=-1, required=True)
@opt.repeatable(
    "--kind", "How to make replies wrong.", "kinds", type=click.Choice(KINDS), required=True
)
@opt.out("JSONL file to write; with several kinds one file each, the kind before the suffix.")
@opt.force
@opt.random_seed()
@opt.reading
def command(
    paths: tuple[str, ...], kinds: tuple[Any, ...], out: Path, seed: int, **options: Any
) -> None:
    """Make replies wrong, to test whether a metric notices.

    Writes the conversations in PATHS to files that `simpatico score` reads. Dialogs and turns keep
    their order; a reply that could not be changed is kept, with the reason.

    \b
    flipped    the same reply with the opposite sentiment
    shuffled   a reply from another dialog
    generic    "I don't know." and the like
    off-topic  a reply about another topic
    copied     the turn it replies to
    """
    import polars as pl

    from simpatico.perturbation.perturb import has_unmerged_turns, perturb, write_perturbed
    from simpatico.readers import Conversations
    from simpatico.turns import Turns

    kinds = tuple(dict.fromkeys(kinds))
    names = [out]
    if len(kinds) > 1:
        names = [out.with_name(f"{out.stem}.{kind}{out.suffix}") for kind in kinds]
    for name in names:
        for path in paths:
            refuse_same_file(name, path)
    places = [opt.out_file(name, b'"perturbation":') for name in names]
    chunks = Conversations(paths, **options).chunks()
    turns = Turns(pl.concat([chunk.turns.frame for chunk in chunks]).rechunk())
    for kind, place in zip(kinds, places, strict=True):
        replies = perturb(turns, kind, seed=seed)
        write_perturbed(replies, place)
        note(
            change_sentence(
                kind, replies.changed.sum(), replies.n_answers, replies.unchanged_counts
            )
        )
        result(str(place))
    # what was read without merging must be scored without it, or the turns would differ
    flag = "" if options["merge"] and not has_unmerged_turns(turns) else " --no-merge"
    note(f"next: simpatico score {places[0]} --out RUN{flag}")


def change_sentence(kind: str, n_changed: int, n_replies: int, reasons: Mapping[str, int]) -> str:
    """How many replies were changed, and why the others were not."""
    rest = f"; unchanged: {format_reasons(reasons)}" if reasons else ""
    return f"{kind}: {n_changed:,} of {n_replies:,} replies changed{rest}"
