"""`simpatico trial`: bots and prompts in; answers, scores, a comparison and a page out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simpatico.cli.bot_options import (
    SPEC,
    ask_options,
    bot_settings,
    load_named_bot,
    many_options,
    print_estimate,
    print_summary,
    prompt_options,
    refuse_same_file,
    setting_options,
    summary_json,
    token_prices,
)
from simpatico.cli.options import load_metrics, metric_options
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import BadValue, RunError

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot, Settings
    from simpatico.comparison.difference import Difference
    from simpatico.metric import Metric
    from simpatico.metrics.emotional_consistency import EmotionalConsistency
    from simpatico.run import Run
    from simpatico.trial import JudgedPrompt

METRIC = "emotional_consistency"


@click.command(name="trial")
@click.option("--bot", "specs", required=True, multiple=True, metavar="SPEC", help=SPEC)
@click.option("--prompts", "source", required=True, metavar="FILE", help="Prompts to reply to.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@click.option("--system", "systems", multiple=True, help="Names of the bots, in order.")
@click.option("--all-prompts", is_flag=True, help="Also prompts that are not emotional.")
@prompt_options
@click.option("--title", help="Title of the report; default: the folder's name.")
@metric_options
@many_options
@setting_options
def command(specs: tuple[str, ...], out: Path, as_json: bool, **options: Any) -> None:
    """Let bots reply to emotional prompts and compare them.

    Selects the emotional prompts and compares how well the bots match the user's sentiment: lets
    each bot reply, scores the replies with
    emotional_consistency (and --metrics), compares the bots and writes a report. FILE is as for
    `simpatico probe`. Run the same command again to resume after an interruption.
    """
    from simpatico.trial import answer_files, score_answers, with_unique_names, write_page

    systems = options.pop("systems")
    if len(systems) not in (0, len(specs)):
        raise click.UsageError("give --system once for each --bot, or not at all")
    metrics, settings = trial_metrics(options), bot_settings(options)
    with ExitStack() as stack:
        names = systems or (None,) * len(specs)
        loaded = [
            stack.enter_context(closing(load_named_bot(spec, settings, name)))
            for spec, name in zip(specs, names, strict=True)
        ]
        n_prompts, prompts = choose_prompts(out, cast("EmotionalConsistency", metrics[0]), options)
        bots = with_unique_names(loaded)
        places = answer_files(out, bots)
        places[0].parent.mkdir(exist_ok=True)
        summaries = [
            ask(bot, prompts, place=place, settings=settings, options=options)
            for bot, place in zip(bots, places, strict=True)
        ]
    files = [Path(one["out"]) for one in summaries if one["answers"]]
    if not files:
        why = next((why for one in summaries for why in one["why"]), "see the files")
        raise RunError(f"no prompt was answered ({why}); {out}/answers has the reason for each")
    with ProgressDisplay() as progress:
        run = score_answers(files, metrics, out, progress.add)
    page = write_page(run, out, title=options["title"])
    differences = compare_systems(run)
    if as_json:
        counts = {"prompts": n_prompts, "kept": len(prompts), "bots": summaries, "page": str(page)}
        show_json(counts | trial_json(run, differences))
    else:
        show_trial(run, differences, page)


def trial_metrics(options: dict[str, Any]) -> list[Metric]:
    """Emotional consistency, and what else is asked for; an error if a model is missing."""
    from simpatico.metric import plain_name, signature

    names = [name.strip() for name in (options["metrics"] or "").split(",") if name.strip()]
    if METRIC not in map(plain_name, names):
        names = [METRIC, *names]
    metrics = load_metrics(options | {"metrics": ",".join(names)})
    for metric in metrics:
        signature(metric)
    return sorted(metrics, key=lambda metric: plain_name(metric.name) != METRIC)


def choose_prompts(
    out: Path, metric: EmotionalConsistency, options: dict[str, Any]
) -> tuple[int, list[JudgedPrompt]]:
    """How many prompts there are, and those to ask, which are written to a file."""
    from simpatico.bots.prompts import read_prompts
    from simpatico.trial import PROMPTS, judge_prompts, keep_emotional, write_prompts

    if out.exists() and not out.is_dir():
        raise BadValue(f"--out {out} is a file; name a folder")
    out.mkdir(parents=True, exist_ok=True)
    place = out / PROMPTS
    refuse_same_file(place, options["source"])
    prompts = read_prompts(options["source"], format=options["format"], upto=options["upto"])
    with ProgressDisplay("prompts classified"):
        judged = judge_prompts(prompts, metric)
    every = options["all_prompts"]
    selection = judged if every else keep_emotional(judged, metric)
    write_prompts(place, selection)
    what = "used" if every else "emotional"
    note(f"{len(selection):,} of {len(prompts):,} prompts are {what}; saved in {place}")
    return len(prompts), selection


def ask(
    bot: Bot,
    prompts: Sequence[JudgedPrompt],
    *,
    place: Path,
    settings: Settings,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Let one bot answer; what came of it."""
    from simpatico.bots.probe import probe
    from simpatico.trial import count_answers

    own = dict(options)
    prices = token_prices(own)
    with ProgressDisplay("prompts answered") as progress:
        how = ask_options(
            own,
            progress,
            lambda todo: print_estimate(todo, bot, settings=settings, prices=prices),
        )
        summary = probe(bot, [one.prompt for one in prompts], place, how=how)
    facts = summary_json(summary, prices, place)
    print_summary(facts, f"prompts answered by {bot.name}")
    return {"system": bot.name, "answers": count_answers(place), **facts}


def compare_systems(run: Run) -> list[Difference]:
    """The systems against each other; nothing where there is one."""
    from simpatico.comparison.difference import compare
    from simpatico.comparison.samples import Selection

    several = run.at("system", ["system"]).height > 1
    return compare([run], Selection(with_human=True)) if several else []


def show_trial(run: Run, differences: Sequence[Difference], page: Path) -> None:
    """What came out of it: the comparison, the systems, and where to read on."""
    from simpatico.cli.commands.compare import show_differences
    from simpatico.cli.commands.score import print_run_summary
    from simpatico.cli.commands.show import show_systems

    print_run_summary(run)
    if differences:
        show_differences(differences)
    show_systems(run.at("system"), run.facts)
    result(f"report to open in a browser: {page}")


def trial_json(run: Run, differences: Sequence[Difference]) -> dict[str, Any]:
    """The same for scripts."""
    from simpatico.comparison.verdict import difference_as_json

    systems = run.at("system").to_dicts()
    return {
        "run": str(run.folder),
        "systems": systems,
        "differences": [difference_as_json(d) for d in differences],
    }
