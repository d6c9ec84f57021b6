"""`simpatico trial`: bots and prompts in; replies, scores, a comparison and a page out.

Everything is in one folder, each step in files that the next one reads: a repeated command skips
what is done. A bot that answered nothing is left out of the comparison, not an error.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simpatico.cli import bot_options as shared
from simpatico.cli import options as opt
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import BadValue, RunError

if TYPE_CHECKING:
    from simpatico.metric import Metric
    from simpatico.metrics.emotional_consistency import EmotionalConsistency
    from simpatico.trial import JudgedPrompt

METRIC = "emotional_consistency"
"""Also selects the prompts: its classifier says which of them are emotional."""


@click.command(name="trial")
@opt.repeatable("--bot", shared.SPEC, "specs", required=True, metavar="SPEC")
@shared.prompts_option
@opt.out("Folder to write.")
@opt.force
@opt.option("--system", "Names of the bots, in order.", "systems", multiple=True)
@opt.flag("--all-prompts", "Include prompts that are not emotional.")
@shared.prompt_options
@opt.option("--title", "Title of the report.  [default: name of the folder]")
@opt.metrics
@shared.many_options
@shared.setting_options
def command(specs: tuple[str, ...], out: Path, as_json: bool, **options: Any) -> None:
    """Compare bots on emotional prompts, in one command.

    Selects the emotional prompts, lets each bot reply, scores how well the replies match the
    user's sentiment (emotional_consistency, and --metrics), compares the bots and writes a report.
    FILE is as for `simpatico probe`. Run the same command again to resume after an interruption.

    \b
    Example:
      simpatico trial --bot http://localhost:8000/v1?model=a \\
        --bot http://localhost:8000/v1?model=b --prompts prompts.txt --out trial
    """
    from simpatico import trial
    from simpatico.cli.commands.compare import show_differences
    from simpatico.cli.commands.score import print_run_summary
    from simpatico.cli.commands.show import show_systems
    from simpatico.comparison.difference import compare
    from simpatico.comparison.samples import Selection
    from simpatico.comparison.verdict import difference_as_json

    systems = options.pop("systems")
    if len(systems) not in (0, len(specs)):
        raise click.UsageError("give --system once for each --bot, or not at all")
    metrics, summaries = trial_metrics(options), []
    with ExitStack() as stack:
        bots = shared.open_bots(stack, specs, shared.bot_settings(options), systems)
        n_prompts, prompts = choose_prompts(out, cast("EmotionalConsistency", metrics[0]), options)
        bots = trial.with_unique_names(bots)
        places = trial.answer_files(out, bots)
        for bot, place in zip(bots, places, strict=True):
            _, facts = shared.ask_bot(bot, [one.prompt for one in prompts], place, options=options)
            shared.print_summary(facts, f"prompts answered by {bot.name}")
            summaries.append({"system": bot.name, "answers": trial.count_answers(place), **facts})
    files = [Path(one["out"]) for one in summaries if one["answers"]]
    if not files:
        why = next((why for one in summaries for why in one["why"]), "see the files")
        raise RunError(f"no prompt was answered ({why}); {out}/answers has the reason for each")
    with ProgressDisplay() as progress:
        run = trial.score_answers(files, metrics, out, progress.add)
    page = trial.write_page(run, out, title=options["title"])
    table = run.at("system")
    differences = compare([run], Selection(with_human=True)) if table.height > 1 else []
    if as_json:
        counts = {"prompts": n_prompts, "kept": len(prompts), "bots": summaries, "page": str(page)}
        scores = {"run": str(run.folder), "systems": table.to_dicts()}
        show_json(counts | scores | {"differences": [difference_as_json(d) for d in differences]})
        return
    print_run_summary(run)
    if differences:
        show_differences(differences)
    show_systems(table, run.facts)
    result(f"report to open in a browser: {page}")


def trial_metrics(options: dict[str, Any]) -> list[Metric]:
    """Emotional consistency, and the others that are named; an error if a model is missing."""
    from simpatico.metric import plain_name, signature

    names = options["metrics"]
    if METRIC not in map(plain_name, names):
        names = [METRIC, *names]
    metrics = opt.load_metrics(options | {"metrics": names})
    for metric in metrics:
        signature(metric)  # complains of a model that is not installed, before any prompt is sent
    return sorted(metrics, key=lambda metric: plain_name(metric.name) != METRIC)


def choose_prompts(
    out: Path, metric: EmotionalConsistency, options: dict[str, Any]
) -> tuple[int, list[JudgedPrompt]]:
    """How many prompts there are, and those to send, which are written to a file."""
    from simpatico.bots.prompts import read_prompts
    from simpatico.trial import (
        PROMPTS,
        claim_folder,
        judge_prompts,
        keep_emotional,
        refuse_foreign_folder,
        write_prompts,
    )

    if out.exists() and not out.is_dir():
        raise BadValue(f"--out {out} is a file; name a folder")
    if not opt.is_forced():
        refuse_foreign_folder(out)
    place = out / PROMPTS
    shared.refuse_same_file(place, options["source"])
    prompts = read_prompts(options["source"], format=options["format"], upto=options["upto"])
    with ProgressDisplay("prompts classified"):
        ratings = judge_prompts(prompts, metric)
    every = options["all_prompts"]
    selection = ratings if every else keep_emotional(ratings, metric)
    claim_folder(out)
    write_prompts(place, selection)
    what = "used" if every else "emotional"
    note(f"{len(selection):,} of {len(prompts):,} prompts are {what}; saved in {place}")
    return len(prompts), selection
