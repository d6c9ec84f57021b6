"""`simpatico score`: conversations in, a run folder out.

The folder is the result (stdout has its name, for scripts); all sentences go to stderr.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result
from simpatico.cli.progress import ProgressDisplay
from simpatico.workers import Workers, keep_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simpatico.metric import Metric
    from simpatico.privacy.pseudonyms import Pseudonyms
    from simpatico.readers import Alignment, Conversations
    from simpatico.run import Run
    from simpatico.run.engines import Ray


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
@opt.path(
    "--scores",
    "Table of scores that another program computed: dialog, optionally turn and speaker, and one "
    "column a score.",
    "outside",
)
@opt.flag(
    "--redact",
    "Replace e-mail addresses, phone numbers, payment cards, IBANs and IP addresses in texts and "
    "other columns by placeholders such as [email], before anything is scored or stored. By "
    "pattern, which is not anonymisation: names stay.",
)
@opt.flag(
    "--pseudonymise",
    "Write keyed pseudonyms in place of dialog ids and speakers' names. Systems keep their names, "
    "and names within texts stay.",
)
@opt.names(
    "--pseudonymise-columns", "With --pseudonymise: other columns of the input that tell who."
)
@opt.key_file
@opt.value(
    "--jobs",
    None,
    "Number of processes, on one core each.  [default: one; its models use all cores]",
    type=click.IntRange(min=1),
)
@opt.choice("--engine", ["local", "ray"], "Where to score: here, or on workers of Ray.")
@opt.option(
    "--address",
    "With --engine ray: HOST:PORT of the cluster, or auto.  [default: one on this machine]",
)
@opt.flag("--no-text", "Do not store the conversations in the run; the report then quotes none.")
@opt.flag(
    "--no-cache",
    "Do not use or fill the cache of model outputs.",
    expose_value=False,
    callback=switch_cache_off,
)
@opt.flag(
    "--add",
    "Score only what the run does not have yet: new files, and files that changed. The run is then "
    "that of all inputs together.",
)
@opt.flag("--plan", "Dry run: show which turns would be scored and what each replies to.")
def command(
    paths: tuple[str, ...], out: Path | None, plan: bool, add: bool, **options: Any
) -> None:
    """Score conversations into a run folder.

    PATHS are files, folders of files, patterns ('logs/*.jsonl'), addresses of object stores
    (s3://, gs://, az://, hf://), or - for standard input. Run the same command again to resume
    after an interruption. Dialog ids are kept as they are; only where two files share one
    does it get the file's name before it (FILE/ID).

    \b
    Examples:
      simpatico score chats.jsonl --plan
      simpatico score chats.jsonl --out run
      simpatico score chats.csv --metrics predicted_rating,coherence --out run
      simpatico score logs/ --out run --add
    """
    if options["jobs"] == 1:  # one core; read when Polars is imported
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    if add and options["engine"] == "ray":
        raise click.UsageError("--add scores on this machine; leave out --engine ray")
    if add and options["outside"]:
        raise click.UsageError("--add does not go with --scores; score all inputs in one run")
    if options["max_errors"] is not None and options["on_error"] == "fail":
        raise click.UsageError("--max-errors needs --on-error skip")
    if not (out or plan):
        raise click.UsageError("Missing --out (or --plan for a dry run).")
    with Workers(options["jobs"] if options["engine"] == "local" else None) as workers:
        if out and not (plan or add or (out / "run.json").exists()):
            workers.start()  # they load libraries while this process does
        score_paths(paths, out, workers, plan=plan, add=add, **options)


def score_paths(
    paths: tuple[str, ...],
    out: Path | None,
    workers: Workers,
    *,
    plan: bool,
    add: bool,
    **options: Any,
) -> None:
    """Score conversations into a run folder, or say what would be scored."""
    from simpatico.readers import Conversations
    from simpatico.run.addition import add_to_run
    from simpatico.run.writer import score_run

    keep_memory()
    cluster, keep_text = choose_cluster(options, out), not options.pop("no_text")
    jobs = options.pop("jobs")
    outside, columns = options.pop("outside"), pseudonym_columns(options)
    metrics = opt.load_metrics(options)
    conversations = Conversations(paths, **options)
    if outside:
        metrics = [*metrics, *load_outside_scores(outside, conversations)]
    if plan or out is None:
        print_plan(conversations, metrics)
        return
    score: Callable[..., Run] = partial(add_to_run, jobs=jobs)
    if not add:
        score = partial(score_run, jobs=cluster or workers)
    with ProgressDisplay() as progress:
        run = score(
            conversations,
            metrics,
            out,
            progress=progress.add,
            keep_text=keep_text,
            pseudonyms=None if columns is None else load_pseudonyms(columns),
        )
    print_run_summary(run)
    if not progress.done:
        note("Nothing to do: the run was finished before.")
    note(f"next: simpatico show {out}")
    result(str(out))


def print_plan(conversations: Conversations, metrics: Sequence[Metric]) -> None:
    """Which turns would be scored, and what each replies to."""
    from simpatico.metric import signature
    from simpatico.readers import Alignment

    for metric in metrics:
        signature(metric)  # complains of a lexicon or model that is not there
    alignment = Alignment()
    for chunk in conversations.chunks():
        alignment = alignment + chunk.alignment
    for sentence in alignment_sentences(alignment, vars(conversations)):
        result(sentence)


def choose_cluster(options: dict[str, Any], out: Path | None) -> Ray | None:
    """The cluster of Ray, if there is to be one; takes its options out of `options`."""
    from simpatico.run.engines import Ray

    engine, address = options.pop("engine"), options.pop("address")
    if engine == "local":
        if address:
            raise click.UsageError("--address needs --engine ray")
        return None
    if address and out and not out.is_absolute():
        raise click.UsageError(
            f"--out {out} is not an absolute path; with --address give one that all workers share"
        )
    return Ray(address, options["jobs"])


def pseudonym_columns(options: dict[str, Any]) -> tuple[str, ...] | None:
    """The columns to be hidden besides ids and names; null where nothing is to be hidden."""
    hidden, columns = options.pop("pseudonymise"), options.pop("pseudonymise_columns")
    if columns and not hidden:
        raise click.UsageError("--pseudonymise-columns needs --pseudonymise")
    return tuple(columns) if hidden else None


def load_pseudonyms(columns: tuple[str, ...]) -> Pseudonyms:
    """Pseudonyms by the user's key, or by a new one if there is none yet."""
    from simpatico.privacy.pseudonyms import Pseudonyms, key_path, make_key, read_key

    if make_key():
        note(
            f"New key of pseudonyms: {key_path()}. Keep it: only with it can ids be matched again."
        )
    return Pseudonyms(read_key(), columns)


def load_outside_scores(file: Path, conversations: Conversations) -> list[Metric]:
    """A metric for each score in the file; rows about other dialogs are counted, or refused."""
    from simpatico.errors import DataError
    from simpatico.metrics._shared.outside import count_matches, outside_metrics

    metrics = outside_metrics(str(file))
    dialogs = {name for c in conversations.chunks() for name in c.turns.frame["dialog"].unique()}
    matched, rows, other = count_matches(str(file), dialogs)
    if not matched:
        raise DataError(
            f"none of the {rows:,} rows of {file} is about a dialog of the input; dialog ids must "
            f"be the same ({other!r} has scores, {min(dialogs, default='')!r} was read)"
        )
    if matched < rows:
        note(
            f"{file}: {rows - matched:,} of {rows:,} rows are about dialogs that are not in the "
            f"input, such as {other!r}."
        )
    return metrics


def alignment_sentences(alignment: Alignment, options: Mapping[str, Any]) -> list[str]:
    """What was read and who replies to whom, and which options had no effect."""
    sentences, system = list(alignment.sentences()), options["system"]
    if options.get("redact") and not alignment.redacted:
        sentences.append("Redacted: nothing, as no pattern of --redact was found.")
    if system is not None and system not in alignment.systems:
        what = "was not used: every speaker in the input already has a system"
        sentences.append(f"--system {system} {what}.")
    return sentences


def print_run_summary(run: Run) -> None:
    """What was read, scored and left out.

    From the files of the run, not from what was just computed: the same after a resumption.
    """
    import polars as pl

    from simpatico.readers.alignment import HUMAN, Alignment

    facts = run.facts
    # a row of this table is a speaker of a dialog; there may be more than fit into memory
    is_user = pl.col("system") == HUMAN
    users = run.scan("dialog").select(is_user.sum()).collect(engine="streaming").item()
    dialogs = dict(run.at("system", ["system", "dialogs"]).iter_rows())
    alignment = Alignment(**facts["alignment"], users=users, dialogs_by_system=dialogs)
    for sentence in alignment_sentences(alignment, facts["options"]):
        note(sentence)
    if facts.get("pseudonyms"):
        note("Pseudonyms: dialogs and speakers; systems keep their names, and names in texts stay.")
    no_references: list[str] = []
    for name, metric in facts["metrics"].items():
        level, start = metric["level"], f"{name}."
        counts = {k: n for k, n in facts["units"][level].items() if k.startswith(start)}
        n_scored = counts.pop(f"{start}scored", 0)
        if not n_scored and f"{start}no_reference" in counts:
            no_references.append(name)
            continue
        why = ", ".join(f"{n:,} {unscored_reason(k[len(start) :])}" for k, n in counts.items())
        note(f"{name}: {n_scored:,} {level}s scored" + (f"; not scored: {why}" if why else ""))
    if no_references:
        note(skipped_sentence(no_references))


def skipped_sentence(names: Sequence[str]) -> str:
    """One line for all metrics that had nothing to compare with."""
    return f"Skipped, as the input has no references: {', '.join(names)}."


def unscored_reason(code: str) -> str:
    """The code of a missing score in words."""
    words = code.replace("_", " ")
    if words.startswith("answered "):  # about the turn that this one replies to
        return f"reply to a turn with {words.removeprefix('answered ')}"
    return {"answers nothing": "reply to no earlier turn"}.get(words, words)
