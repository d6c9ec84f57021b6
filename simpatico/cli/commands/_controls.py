"""The part of `simpatico validate` that makes answers wrong and looks who notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.options import together
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import Progress

if TYPE_CHECKING:
    from simpatico.validation.controls import Controls
    from simpatico.validation.controls.rows import Control

EVERY = "every kind"


control_options = together(
    [
        click.option(
            "--controls",
            is_flag=False,
            flag_value=EVERY,
            metavar="[KIND,...]",
            help="Do scores notice wrong answers? Kinds of `simpatico perturb`, or all.",
        ),
        click.option(
            "--logs",
            type=click.Path(path_type=Path),
            multiple=True,
            help="With --controls: what RUN was scored from, if references are needed.",
        ),
        click.option(
            "--most",
            type=click.IntRange(min=1),
            default=1_000,
            show_default=True,
            help="With --controls: dialogs to look at.",
        ),
    ]
)
"""Which controls are made, out of what."""


def controlled(run: Path, options: dict[str, Any], scores: tuple[str, ...]) -> Controls:
    """What the options ask for."""
    from simpatico.perturbation.answers import KINDS
    from simpatico.perturbation.perturb import known
    from simpatico.run import Run
    from simpatico.validation.controls import Asked, controls

    asked = options["controls"]
    kinds = tuple(dict.fromkeys(k.strip() for k in asked.split(",") if k.strip()))
    chosen = KINDS if asked == EVERY else tuple(known(kind) for kind in kinds)
    how = (options[name] for name in ("logs", "most", "correction", "seed"))
    with Progress("wrong answers scored") as progress:
        return controls(Run(run), Asked(chosen, scores, *how), tick=progress.add)


def show_controls(found: Controls, correction: str) -> None:
    """Each score with each kind of wrong answers, and what it makes of them."""
    for told in found.notes:
        note(told)
    for made in found.made:
        left = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in made.left.items())
        rest = f"; left out: {left}" if left else ""
        note(f"{made.kind}: {made.changed:,} of {made.answers:,} answers made wrong{rest}")
    for kind in dict.fromkeys(row.kind for row in found.rows):
        rows = [cells(row) for row in found.rows if row.kind == kind]
        columns = ["score", "change", "95%", "in SDs", "drops", "p", "n", "dialogs", ""]
        show_table(f"{kind} answers", columns, rows)
    silent = [f"{r.score} ({r.kind})" for r in found.rows if r.verdict in ("does not", "rises")]
    if silent:
        result(f"do not notice: {', '.join(silent)}")
    family = max((r.family for r in found.rows), default=0)
    note(f"p: after {correction} over the {family} rows; n: answers, or speakers of dialogs")


def cells(row: Control) -> list[Any]:
    """A score as a line of the table."""
    p = chance(row.p_adjusted)
    figures = [row.change, span(row), row.in_sds, row.drops, p, row.n, row.dialogs]
    return [row.score, *figures, row.verdict]


def span(row: Control) -> str:
    return "–" if row.low is None else f"[{row.low:.3f}, {row.high:.3f}]"


def chance(p: float | None) -> str:
    """A p-value as people write it."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
