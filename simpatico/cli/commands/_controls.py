"""The part of `simpatico validate` that runs negative controls: scores of wrong replies.

A metric of quality must drop when replies are made wrong on purpose. Unlike a correlation with
ratings this needs no raters, so that it can be run on anyone's data; see docs/controls.md.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.perturb import change_sentence
from simpatico.cli.output import note, p_cell, result, show_table, value_with_interval
from simpatico.cli.progress import ProgressDisplay
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.wording import NO_VALUE, format_count, format_number, interval_digits

if TYPE_CHECKING:
    from simpatico.stats.correction import Correction
    from simpatico.validation.controls import Controls

EVERY = "every kind"
VERDICTS = {
    "notices": "detected",
    "does not": "not detected",
    "rises": "rises",
    "goes up": "increases",
    "goes down": "decreases",
    "stays": "not significant",
    "too few": "too few",
    "no score": "no score",
}
"""The verdict codes of the JSON in words; scores without a better direction only change.

The codes stay as they are: scripts compare them, people read the words.
"""


control_options = opt.combine(
    opt.option(
        "--controls",
        "Negative controls: do scores drop for wrong replies? Kinds as in `simpatico perturb`; "
        "all if none is named.",
        is_flag=False,
        flag_value=EVERY,
        metavar="[KIND,...]",
    ),
    opt.repeatable(
        "--logs",
        "With --controls: files that RUN was scored from, if references are needed.",
        type=opt.PATH,
    ),
    opt.value(
        "--max-dialogs",
        1_000,
        "With --controls: maximum number of dialogs.",
        type=click.IntRange(min=1),
    ),
)
"""Options of the negative controls."""


def controls_from_options(run: Path, options: dict[str, Any]) -> Controls:
    """Run the controls that the options ask for."""
    from simpatico.perturbation.answers import KINDS
    from simpatico.perturbation.perturb import parse_kind
    from simpatico.run import Run
    from simpatico.validation.controls import ControlSettings, run_controls
    from simpatico.validation.controls.saved import save_controls

    kinds = KINDS  # --controls without a value
    if options["controls"] != EVERY:
        names = (kind.strip() for kind in options["controls"].split(","))
        kinds = tuple(parse_kind(kind) for kind in dict.fromkeys(names) if kind)
    own = (options[name] for name in ("scores", "logs", "max_dialogs", "correction", "seed"))
    settings = ControlSettings(kinds, *own)
    with ProgressDisplay("wrong replies scored") as progress:
        controls = run_controls(Run(run), settings, tick=progress.add)
    with suppress(OSError):  # a folder of somebody else
        path = save_controls(Run(run), controls.rows)
        note(f"Kept in {path}, for simpatico compare and report.")
    return controls


def show_controls(controls: Controls, correction: Correction) -> None:
    """Each score on each kind of wrong replies, and whether it drops."""
    for text in controls.notes:
        note(text)
    for counts in controls.made:
        note(change_sentence(counts.kind, counts.changed, counts.answers, counts.left))
    # the verdict second: it is what people look for, and must not go to a second block
    columns = ["score", "verdict", "change [95% CI]", "SDs", "lower", "p", "n"]
    for kind in dict.fromkeys(row.kind for row in controls.rows):
        rows = [row for row in controls.rows if row.kind == kind]
        cells = []
        for row in rows:
            digits = interval_digits(row.low, row.high)
            change = value_with_interval(row.change, row.low, row.high, digits)
            drops = NO_VALUE if row.drops is None else f"{100 * row.drops:.0f}%"
            verdict, p = VERDICTS[row.verdict], p_cell(row.p_adjusted)
            sds, n = format_number(row.in_sds), format_count(row.n)
            cells.append([row.score, verdict, change, sds, drops, p, n])
        dialogs = format_count(max(row.dialogs for row in rows), "dialog")
        show_table(f"Scores of {kind} replies, {dialogs}", columns, cells)
    misses = [f"{r.score} ({r.kind})" for r in controls.rows if r.verdict in ("does not", "rises")]
    if misses:
        result(f"Not detected: {', '.join(misses)}")
    family = max((r.family for r in controls.rows), default=0)
    note(
        f"p: after {CORRECTIONS[correction]} correction for {format_count(family, 'row')}; lower: "
        "share of replies with a lower score; SDs: change in SDs between dialogs; n: replies, or "
        "speakers in dialogs for scores of dialogs."
    )
