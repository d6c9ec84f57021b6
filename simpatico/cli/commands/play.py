"""`simpatico play`: two bots and openings in, their dialogs out."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from simpatico.cli.bot_options import (
    SPEC,
    elsewhere,
    how_of,
    many_options,
    named,
    prices_of,
    setting_options,
    settings_of,
    summed,
    tell,
)
from simpatico.cli.options import out_file
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import Progress
from simpatico.errors import RunError


@click.command(name="play")
@click.option("--bot", "specs", required=True, multiple=True, metavar="SPEC", help=f"Twice. {SPEC}")
@click.option("--openings", "given", required=True, metavar="FILE", help="First turns, as prompts.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSONL to write.")
@click.option("--turns", type=int, default=6, show_default=True, help="Of a dialog in all.")
@click.option("--system", "systems", multiple=True, help="What to call the bots; twice, in order.")
@many_options
@setting_options
def command(
    specs: tuple[str, ...], given: str, out: Path, systems: tuple[str, ...], **options: Any
) -> None:
    """Let two bots talk with each other, from openings.

    Each opening counts as the first bot's turn, and the second speaks next. The same call again
    goes on where an interrupted one stopped.
    """
    from simpatico.bots.play import play
    from simpatico.bots.prompts import read_prompts

    if len(specs) != 2 or len(systems) not in (0, 2):
        raise click.UsageError("give --bot twice, and --system twice or not at all")
    place, settings, prices = out_file(out), settings_of(options), prices_of(options)
    elsewhere(place, given)
    openings = read_prompts(given)
    with ExitStack() as stack:
        names = systems or (None, None)
        first, second = (
            stack.enter_context(closing(named(spec, settings, name)))
            for spec, name in zip(specs, names, strict=True)
        )
        progress = stack.enter_context(Progress("dialogs played"))
        how = how_of(options, progress, lambda left: note(f"{len(left):,} dialogs to play"))
        done = play((first, second), openings, place, turns=options["turns"], how=how)
    told = summed(done, prices, out)
    tell(told, "dialogs played")
    if options["as_json"]:
        show_json(told)
    else:
        result(str(out))
    if done.failed and not done.answered and not done.before:
        why = done.failed.most_common(1)[0][0]
        raise RunError(f"no dialog came to its end ({why}); {out} says why for each")
    note(f"next: simpatico score {out} --out RUN")
