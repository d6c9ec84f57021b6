"""`simpatico trial`: bots and prompts in; answers, scores, a comparison and a page out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simpatico.cli.bot_options import (
    SPEC,
    elsewhere,
    foretell,
    how_of,
    many_options,
    named,
    prices_of,
    prompt_options,
    setting_options,
    settings_of,
    summed,
    tell,
)
from simpatico.cli.options import chosen_metrics, metric_options
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import Progress
from simpatico.errors import BadValue, RunError

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot, Settings
    from simpatico.bots.trial import Felt
    from simpatico.comparison.difference import Difference
    from simpatico.metric import Metric
    from simpatico.metrics.emotional_consistency import EmotionalConsistency
    from simpatico.run import Run

METRIC = "emotional_consistency"


@click.command(name="trial")
@click.option("--bot", "specs", required=True, multiple=True, metavar="SPEC", help=SPEC)
@click.option("--prompts", "given", required=True, metavar="FILE", help="What to answer.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@click.option("--system", "systems", multiple=True, help="What to call the bots, in order.")
@click.option("--all-prompts", is_flag=True, help="Also those that are not emotional.")
@prompt_options
@click.option("--title", help="Of the page; the name of the folder if not given.")
@metric_options
@many_options
@setting_options
def command(specs: tuple[str, ...], out: Path, as_json: bool, **options: Any) -> None:
    """Let bots answer emotional prompts, and see who answers feelings in kind.

    Keeps the prompts that are emotional, lets each bot answer them, scores the answers with
    emotional_consistency (and --metrics), compares the bots and writes a page. FILE is as for
    `simpatico probe`. The same call again goes on where an interrupted one stopped.
    """
    from simpatico.bots.trial import judged, told_apart, write_page

    systems = options.pop("systems")
    if len(systems) not in (0, len(specs)):
        raise click.UsageError("give --system once for each --bot, or not at all")
    metrics, settings = wanted(options), settings_of(options)
    with ExitStack() as stack:
        names = systems or (None,) * len(specs)
        loaded = [
            stack.enter_context(closing(named(spec, settings, name)))
            for spec, name in zip(specs, names, strict=True)
        ]
        given, chosen = prompts(out, cast("EmotionalConsistency", metrics[0]), options)
        told = [
            ask(bot, chosen, place=place, settings=settings, options=options)
            for bot, place in places(out, told_apart(loaded))
        ]
    files = [Path(one["out"]) for one in told if one["answers"]]
    if not files:
        why = next((why for one in told for why in one["why"]), "see the files")
        raise RunError(f"no prompt was answered ({why}); {out}/answers says why for each")
    with Progress() as progress:
        run = judged(files, metrics, out, progress.add)
    page = write_page(run, out, title=options["title"])
    found = differences(run)
    if as_json:
        counts = {"prompts": given, "kept": len(chosen), "bots": told, "page": str(page)}
        show_json(counts | outcome(run, found))
    else:
        show(run, found, page)


def wanted(options: dict[str, Any]) -> list[Metric]:
    """Emotional consistency, and what else is asked for; complains of models that are not there."""
    from simpatico.metric import plain_name, signature

    names = [name.strip() for name in (options["metrics"] or "").split(",") if name.strip()]
    if METRIC not in map(plain_name, names):
        names = [METRIC, *names]
    metrics = chosen_metrics(options | {"metrics": ",".join(names)})
    for metric in metrics:
        signature(metric)
    return sorted(metrics, key=lambda metric: plain_name(metric.name) != METRIC)


def prompts(
    out: Path, metric: EmotionalConsistency, options: dict[str, Any]
) -> tuple[int, list[Felt]]:
    """How many prompts there are, and those to ask, which are kept in a file."""
    from simpatico.bots.prompts import read_prompts
    from simpatico.bots.trial import PROMPTS, emotional, felt, write_prompts

    place = new_folder(out) / PROMPTS
    elsewhere(place, options["given"])
    given = read_prompts(options["given"], format=options["format"], upto=options["upto"])
    with Progress("prompts judged"):
        all_of_them = felt(given, metric)
    if options["all_prompts"]:
        chosen, what = all_of_them, "asked"
    else:
        chosen, what = emotional(all_of_them, metric), "emotional"
    write_prompts(place, chosen)
    note(f"{len(chosen):,} of {len(given):,} prompts are {what}; they are in {place}")
    return len(given), chosen


def new_folder(out: Path) -> Path:
    """The folder of the trial, there from now on."""
    if out.exists() and not out.is_dir():
        raise BadValue(f"--out {out} is a file; name a folder")
    out.mkdir(parents=True, exist_ok=True)
    return out


def places(out: Path, bots: Sequence[Bot]) -> list[tuple[Bot, Path]]:
    """The bots, and where the answers of each go."""
    from simpatico.bots.trial import answer_files

    files = answer_files(out, bots)
    files[0].parent.mkdir(exist_ok=True)
    return list(zip(bots, files, strict=True))


def ask(
    bot: Bot, chosen: Sequence[Felt], *, place: Path, settings: Settings, options: dict[str, Any]
) -> dict[str, Any]:
    """Let one bot answer; what came of it."""
    from simpatico.bots.probe import probe
    from simpatico.bots.trial import answered

    own = dict(options)
    prices = prices_of(own)
    with Progress("prompts answered") as progress:
        how = how_of(own, progress, lambda left: foretell(left, bot, settings, prices))
        done = probe(bot, [one.prompt for one in chosen], place, how=how)
    told = summed(done, prices, place)
    tell(told, f"prompts answered by {bot.name}")
    return {"system": bot.name, "answers": answered(place), **told}


def differences(run: Run) -> list[Difference]:
    """The systems against each other; nothing where there is one."""
    from simpatico.comparison.difference import compare
    from simpatico.comparison.samples import Choice

    many = run.at("system", ["system"]).height > 1
    return compare([run], Choice(with_human=True)) if many else []


def show(run: Run, found: Sequence[Difference], page: Path) -> None:
    """What came out of it: the comparison, the systems, and where to read on."""
    from simpatico.cli.commands.compare import show_differences
    from simpatico.cli.commands.score import summarise
    from simpatico.cli.commands.show import show_systems

    summarise(run)
    if found:
        show_differences(found)
    show_systems(run.at("system"), run.facts)
    result(f"the page to open in a browser: {page}")


def outcome(run: Run, found: Sequence[Difference]) -> dict[str, Any]:
    """The same for scripts."""
    from simpatico.comparison.verdict import as_json

    systems = run.at("system").to_dicts()
    return {"run": str(run.folder), "systems": systems, "differences": [as_json(d) for d in found]}
