"""The part of `simpatico validate` that runs negative controls: scores on wrong answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.validation.controls import Controls
    from simpatico.validation.controls.rows import ControlRow

EVERY = "every kind"


control_options = combine_options(
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
"""Options of the negative controls."""


def controls_from_options(run: Path, options: dict[str, Any], scores: tuple[str, ...]) -> Controls:
    """Run the controls that the options ask for."""
    from simpatico.perturbation.answers import KINDS
    from simpatico.perturbation.perturb import parse_kind
    from simpatico.run import Run
    from simpatico.validation.controls import ControlSettings, run_controls

    kinds = KINDS
    if options["controls"] != EVERY:
        names = (kind.strip() for kind in options["controls"].split(","))
        kinds = tuple(parse_kind(kind) for kind in dict.fromkeys(names) if kind)
    rest = (options[name] for name in ("logs", "most", "correction", "seed"))
    with ProgressDisplay("wrong answers scored") as progress:
        return run_controls(Run(run), ControlSettings(kinds, scores, *rest), tick=progress.add)


def show_controls(controls: Controls, correction: str) -> None:
    """Each score on each kind of wrong answers, and whether it notices them."""
    for text in controls.notes:
        note(text)
    for counts in controls.made:
        left = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in counts.left.items())
        rest = f"; left out: {left}" if left else ""
        note(f"{counts.kind}: {counts.changed:,} of {counts.answers:,} answers made wrong{rest}")
    columns = ["score", "change", "95%", "in SDs", "drops", "p", "n", "dialogs", ""]
    for kind in dict.fromkeys(row.kind for row in controls.rows):
        rows = [
            [
                *(row.score, row.change, interval_cell(row, digits=3), row.in_sds, row.drops),
                *(p_cell(row.p_adjusted), row.n, row.dialogs, row.verdict),
            ]
            for row in controls.rows
            if row.kind == kind
        ]
        show_table(f"{kind} answers", columns, rows)
    missed = [f"{r.score} ({r.kind})" for r in controls.rows if r.verdict in ("does not", "rises")]
    if missed:
        result(f"do not notice: {', '.join(missed)}")
    family = max((r.family for r in controls.rows), default=0)
    note(f"p: after {correction} over the {family} rows; n: answers, or speakers of dialogs")


def interval_cell(row: ControlRow | Result, *, digits: int = 2) -> str:
    """The interval of a row, or a dash."""
    return "–" if row.low is None else f"[{row.low:.{digits}f}, {row.high:.{digits}f}]"


def p_cell(p: float | None) -> str:
    """A p-value without its leading zero, or a dash."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
