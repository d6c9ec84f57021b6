"""`simpatico score`: conversations in, a run folder out.

The folder is the result (stdout has its name, for scripts); all sentences go to stderr.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.readers import Alignment
    from simpatico.run import Run


def switch_cache_off(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Switch the cache off for this process and those it starts.

    Through the environment, since the processes of --jobs do not see the options.
    """
    if value:
        os.environ["SIMPATICO_CACHE"] = "off"


@click.command(name="score")
@click.argument("paths", nargs=-1, required=True)
@opt.out("Run folder to write.", required=False)
@opt.reading
@opt.metrics
@opt.value("--jobs", 1, "Number of processes.", type=click.IntRange(min=1))
@opt.flag("--no-text", "Do not store the conversations in the run; the report then quotes none.")
@opt.flag(
    "--no-cache",
    "Do not use or fill the cache of model outputs.",
    expose_value=False,
    callback=switch_cache_off,
)
@opt.flag("--plan", "Dry run: show which turns would be scored and what each replies to.")
def command(paths: tuple[str, ...], out: Path | None, plan: bool, **options: Any) -> None:
    """Score conversations into a run folder.

    PATHS are files, folders of files, or - for standard input. Run the same command again to
    resume after an interruption. Dialog ids are kept as they are; only where two files share one
    does it get the file's name before it (FILE/ID).

    \b
    Examples:
      simpatico score chats.jsonl --plan
      simpatico score chats.jsonl --out run
      simpatico score chats.csv --metrics empathy,coherence --out run
    """
    from simpatico.metric import signature
    from simpatico.readers import Alignment, Conversations
    from simpatico.run.writer import score_run

    if options["max_errors"] is not None and options["on_error"] == "fail":
        raise click.UsageError("--max-errors needs --on-error skip")
    jobs, keep_text = options.pop("jobs"), not options.pop("no_text")
    metrics = opt.load_metrics(options)
    conversations = Conversations(paths, **options)
    if plan:
        for metric in metrics:
            signature(metric)  # complains of a lexicon or model that is not there
        alignment = Alignment()
        for chunk in conversations.chunks():
            alignment = alignment + chunk.alignment
        for sentence in alignment_sentences(alignment, conversations.system):
            result(sentence)
        return
    if out is None:
        raise click.UsageError("Missing --out (or --plan for a dry run).")
    with ProgressDisplay() as progress:
        run = score_run(
            conversations, metrics, out, jobs=jobs, progress=progress.add, keep_text=keep_text
        )
    print_run_summary(run)
    if not progress.done:
        note("Nothing to do: the run was finished before.")
    note(f"next: simpatico show {out}")
    result(str(out))


def alignment_sentences(alignment: Alignment, system: str | None) -> list[str]:
    """What was read and who replies to whom, with a warning where --system had no effect."""
    sentences = list(alignment.sentences())
    if system is not None and system not in alignment.systems:
        what = "was not used: every speaker in the input already has a system"
        sentences.append(f"--system {system} {what}.")
    return sentences


def print_run_summary(run: Run) -> None:
    """What was read, scored and left out.

    From the files of the run, not from what was just computed: the same after a resumption.
    """
    from simpatico.readers.alignment import Alignment, count_dialogs, count_users

    facts = run.facts
    units = run.at("dialog", ["dialog", "speaker", "system"])
    alignment = Alignment(
        **facts["alignment"], users=count_users(units), dialogs_by_system=count_dialogs(units)
    )
    for sentence in alignment_sentences(alignment, facts["options"]["system"]):
        note(sentence)
    for name, metric in facts["metrics"].items():
        level, start = metric["level"], f"{name}."
        counts = {k: n for k, n in facts["units"][level].items() if k.startswith(start)}
        n_scored = counts.pop(f"{start}scored", 0)
        why = ", ".join(f"{n:,} {unscored_reason(k[len(start) :])}" for k, n in counts.items())
        note(f"{name}: {n_scored:,} {level}s scored" + (f"; not scored: {why}" if why else ""))


def unscored_reason(code: str) -> str:
    """The code of a missing score in words."""
    words = code.replace("_", " ")
    if words.startswith("answered "):  # about the turn that this one replies to
        return f"reply to a turn with {words.removeprefix('answered ')}"
    return {"answers nothing": "reply to no earlier turn"}.get(words, words)
