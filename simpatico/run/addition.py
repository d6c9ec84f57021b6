"""Add new inputs to a run, so that it equals one run over all of them, byte for byte.

Every input is scored by itself into `added/KEY` in the run folder, where the key says all that its
rows depend on; what is there already is not scored again. The parts of all inputs are finished in
`.add` as those of any run are, and the tables moved to their places, `run.json` last. Until then
the run is as it was, and the same command resumes after a kill at any point.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import BadValue, DataError, RecordError, RunError
from simpatico.files import fault, make_folder, write_atomically, write_json_atomically
from simpatico.metric import Metric
from simpatico.privacy.pseudonyms import Pseudonyms
from simpatico.readers import Alignment, Conversations, Source
from simpatico.readers.chunk_builder import Part
from simpatico.readers.conversations import dialog_prefixes, find_clashes
from simpatico.readers.cutting import cut_bytes
from simpatico.readers.input.record import Reject
from simpatico.run import Run
from simpatico.run.description import library_versions
from simpatico.run.folder import (
    ADDED,
    HOLDER,
    is_whole,
    move_tables,
    open_run,
    stored_facts,
    write_rejects,
)
from simpatico.run.former_inputs import (
    Input,
    find_source,
    input_path,
    merge_inputs,
    read_former,
    read_index,
)
from simpatico.run.former_tables import former_tables
from simpatico.run.joining import Joining
from simpatico.run.parts import PartScorer, collect_parts, score_parts
from simpatico.run.writer import (
    check_columns,
    describe_input,
    finish_run,
    join_parts,
    run_key,
    run_settings,
)
from simpatico.scoring import check_metrics, chunk_size
from simpatico.system_metric import is_system_metric
from simpatico.workers import Workers

WORK = ".add"
CONTROLS = "controls.json"
KEY_DIGITS = 32
HASH_BYTES = 32
CHANGED = "an input, lexicon or model changed meanwhile; score again"


@dataclass(frozen=True)
class Scorer:
    """Scores inputs one by one, each with its own prefix and the ids of it that clash."""

    folder: Path
    conversations: Conversations
    metrics: tuple[Metric, ...]
    settings: Mapping[str, Any]
    keep_text: bool
    pseudonyms: Pseudonyms | None

    @property
    def size(self) -> int:
        return int(self.settings["options"]["chunk"])

    def content_key(self, one: Input) -> str:
        """All that the rows of an input depend on, except for prefixes of its dialogs' ids."""
        order = [metric.name for metric in self.metrics]  # that of the columns
        return run_key({**self.settings, "input": one.facts, "order": order})[:KEY_DIGITS]

    def own_ids(self, one: Input, source: Source | None) -> pl.Series:
        """The ids of an input's dialogs, as they are or as pseudonyms; read once and kept."""
        path = self.folder / ADDED / f"{self.content_key(one)}.ids"
        stored = path.read_bytes() if path.exists() else b""
        if hashlib.sha256(table := stored[HASH_BYTES:]).digest() != stored[:HASH_BYTES]:
            names = sorted(self.conversations.dialog_ids(find_source(one, source)))
            if self.pseudonyms:
                names = sorted(map(self.pseudonyms.of, names))
            packed = BytesIO()
            pl.DataFrame({"dialog": pl.Series(names, dtype=pl.String)}).write_parquet(packed)
            table = packed.getvalue()
            write_atomically(path, hashlib.sha256(table).digest() + table)
        return pl.read_parquet(table)["dialog"]

    def score(self, entry: Entry, workers: Workers, progress: Callable[[int], object]) -> int:
        """Score an input into its folder, whose `run.json` comes last; returns its turns."""
        source, one = entry.part.source, entry.input
        conversations = replace(self.conversations, paths=(source,))
        conversations.__dict__.update(clashing_ids=entry.clashes, parts=[entry.part])
        key = entry.folder.name
        rest = conversations, self.metrics, self.keep_text, self.pseudonyms
        make_folder(entry.folder / "parts")
        try:
            alignment, _, parts = score_parts(
                PartScorer(entry.folder, key, *rest, packed=True), self.size, workers, progress
            )
            if describe_input(source) != one.facts:  # parts of two versions of a file
                raise RecordError(CHANGED)
        except RecordError:
            shutil.rmtree(entry.folder)
            raise
        hashes = {path.name: file_hash(path) for path in (entry.folder / "parts").iterdir()}
        done = {"status": "done", "key": key, "parts": parts, "given": one.given, "files": hashes}
        write_json_atomically(entry.folder / "run.json", done)
        fault("input-scored")
        return alignment.turns


class Entry(NamedTuple):
    """An input on its way into the run: its parts' folder, its source and names, ids that clash."""

    input: Input
    folder: Path
    part: Part
    clashes: frozenset[str]
    is_scored: bool = False


def has_parts(folder: Path) -> bool:
    """Whether the parts of an input are there as they were written; those that are not are removed.

    Without all of them an input is scored again; one that was interrupted keeps what it has.
    """
    facts = stored_facts(folder)
    if facts.get("status") != "done":
        return False
    hashes = facts.get("files", {})
    paths = [folder / "parts" / name for name in hashes]
    if hashes and all(p.is_file() and file_hash(p) == hashes[p.name] for p in paths):
        return True
    shutil.rmtree(folder)
    return False


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def add_to_run(
    conversations: Conversations,
    metrics: Sequence[Metric],
    folder: Path | str,
    *,
    chunk: int | None = None,
    jobs: int | None = None,
    progress: Callable[[int], object] = lambda turns: None,
    keep_text: bool = True,
    pseudonyms: Pseudonyms | None = None,
) -> Run:
    """Score what the run does not have yet of these inputs, and merge it into the run.

    The parameters are those of `score_run`, and have to be those of the run.
    """
    check_metrics(metrics)
    check_kept(conversations, metrics, keep_text=keep_text)
    folder, size = Path(folder), chunk or chunk_size(metrics)
    with open_run(folder):
        settings = run_settings(conversations, metrics, size, keep_text, pseudonyms)
        scorer = Scorer(folder, conversations, tuple(metrics), settings, keep_text, pseudonyms)
        tidy_up(folder)
        given = {input_path(s): (s, describe_input(s)) for s in conversations.sources}
        wanted = [Input(path, s.name, **about) for path, (s, about) in given.items()]
        former, ignored = read_former(folder, settings, wanted)
        inputs = merge_inputs(former, wanted)
        if len(inputs) == len(wanted):
            ignored = {}
        index = {"inputs": inputs, "ignored": {**ignored, **conversations.inputs[1]}}
        facts = {**settings, "inputs": [one.facts for one in inputs]}
        facts["key"] = run_key(facts)
        kept = read_index(folder)
        is_same = stored_facts(folder).get("key") == facts["key"] and kept is not None
        if not (is_same and kept == (inputs, index["ignored"]) and is_whole(folder)):
            try:
                sources = {path: source for path, (source, _) in given.items()}
                entries = plan_entries(scorer, inputs, sources)
                score_entries(scorer, entries, jobs, progress)
                if run_settings(conversations, metrics, size, keep_text, pseudonyms) != settings:
                    raise RecordError(CHANGED)
                finish_addition(scorer, entries, facts, index)
            except RecordError:
                if not (folder / "run.json").exists():
                    shutil.rmtree(folder / ADDED, ignore_errors=True)
                raise
    return Run(folder)


def check_kept(conversations: Conversations, metrics: Sequence[Metric], *, keep_text: bool) -> None:
    """Refuse what cannot be added to: material that must not be kept, input without a name."""
    name = next((m.name for m in metrics if is_system_metric(m)), None)
    if name and not keep_text:
        raise BadValue(
            f"--add with --no-text: {name} describes a system by what it said, which would have to "
            "be kept; leave one of the three out"
        )
    if any(source.path is None for source in conversations.sources):
        raise DataError(
            "<stdin>: standard input cannot be added, as nothing tells whether it is new; "
            "name a file"
        )


def tidy_up(folder: Path) -> None:
    """Complete an addition that was killed while its tables moved, and drop half-written files."""
    for leftover in [*folder.glob(".*.tmp"), *(folder / ADDED).rglob(".*.tmp")]:
        if leftover.name != HOLDER:
            leftover.unlink()
    move_tables(folder, folder / WORK)
    if not (folder / "run.json").exists():
        strangers = {p.name for p in folder.iterdir()} - {ADDED, HOLDER}
        if strangers:
            raise RunError(
                f"{folder} holds files that do not belong to a run; choose an empty folder"
            )
    make_folder(folder / ADDED)


def plan_entries(
    scorer: Scorer, inputs: Sequence[Input], given: Mapping[str, Source]
) -> list[Entry]:
    """Each input with its prefix, the ids of it that clash with others, and the folder for it."""
    sources = [given.get(one.path) or Source(one.given, Path(one.path)) for one in inputs]
    prefixes = dialog_prefixes(sources)
    series = [scorer.own_ids(one, given.get(one.path)) for one in inputs]
    clashes, ids = frozenset[str](), list[set[str]]()
    if not pl.concat(series).is_unique().all():
        # ids are needed as they are: what is kept of them may be pseudonyms
        ids = [set(own) for own in series]
        if scorer.pseudonyms:
            read = scorer.conversations.dialog_ids
            ids = [read(find_source(one, given.get(one.path))) for one in inputs]
        clashes = find_clashes(ids, prefixes)
    entries = []
    for index, one in enumerate(inputs):
        own = frozenset(ids[index] & clashes) if clashes else clashes
        key = scorer.content_key(one)
        if own:
            names = json.dumps([prefixes[index], sorted(own)])
            key += f"-{hashlib.sha256(names.encode()).hexdigest()[:KEY_DIGITS]}"
        part, place = Part(sources[index], one.name, prefixes[index]), scorer.folder / ADDED / key
        if not (is_scored := has_parts(place)):
            part = part._replace(source=find_source(one, given.get(one.path)))
        entries.append(Entry(one, place, part, own, is_scored))
    return entries


def score_entries(
    scorer: Scorer, entries: Sequence[Entry], jobs: int | None, progress: Callable[[int], object]
) -> None:
    """Score the inputs that are not scored yet: large ones by parts, small ones side by side."""
    todo = [entry for entry in entries if not entry.is_scored]
    most = cut_bytes(scorer.size)
    small = [e for e in todo if not e.part.source.spool and e.part.source.size <= most]
    options = replace(scorer.conversations, paths=())
    options.__dict__["clashing_ids"] = frozenset[str]()  # for workers: each entry has its own
    worker = replace(scorer, conversations=options)
    with Workers(jobs) as workers:
        for turns in workers.map(score_small, ((worker, entry) for entry in small)):
            progress(turns)
        for entry in todo:
            if entry not in small:
                scorer.score(entry, workers, progress)


def score_small(scorer: Scorer, entry: Entry) -> int:
    """Score an input in one process, which may be another one."""
    return scorer.score(entry, Workers(None), lambda turns: None)


def finish_addition(
    scorer: Scorer, entries: Sequence[Entry], facts: dict[str, Any], index: Mapping[str, Any]
) -> None:
    """Join the parts of all inputs into the tables of the run, and drop those of no input."""
    folder, work = scorer.folder, scorer.folder / WORK
    make_folder(work / "parts")
    alignment, rejects, parts = Alignment(ignored=index["ignored"]), list[Reject](), 0
    files = Counter(entry.input.name for entry in entries)
    for entry in entries:
        scored = stored_facts(entry.folder)
        own, bad, n = collect_parts(entry.folder, scored["parts"])
        # names of files are those of all inputs together, and those that this command gives
        name = entry.part.prefix if files[entry.input.name] > 1 else entry.input.name
        kind = next(iter(own.formats.values()), "")
        alignment += replace(own, formats=dict.fromkeys(own.formats and [name], kind))
        rejects += [rename_file(reject, scored["given"], entry.input.given) for reject in bad]
        for number in range(n):
            link_part(entry.folder / "parts", number, work / "parts", parts + number)
        parts += n
    check_totals(scorer, alignment, rejects, entries)
    fault("gathered")
    write_rejects(work, rejects)
    folders = [entry.folder.name for entry in entries]
    write_json_atomically(work / f"{ADDED}.json", {**index, "folders": folders})
    facts = {**facts, "alignment": alignment.as_json()}
    former = former_tables(folder, folders, facts["alignment"], library_versions(scorer.metrics))
    with Joining(work, keep_text=scorer.keep_text, former=former) as joining:
        finish_run(work, join_parts(scorer.metrics, parts, facts, joining, Workers(None)))
    (folder / CONTROLS).unlink(missing_ok=True)  # came of the dialogs there were
    move_tables(folder, work)
    drop_others(folder / ADDED, {entry.folder.name for entry in entries})


def check_totals(
    scorer: Scorer, alignment: Alignment, rejects: Sequence[Reject], entries: Iterable[Entry]
) -> None:
    """Refuse what a run over all inputs would refuse."""
    limit = scorer.conversations.max_errors
    if limit is not None and len(rejects) > limit:
        raise RecordError(f"more than {limit} bad records")
    if not alignment.dialogs:
        raise RecordError(f"no dialog in {', '.join(entry.input.given for entry in entries)}")
    if scorer.pseudonyms:
        check_columns(scorer.pseudonyms.columns, alignment.columns)


def rename_file(reject: Reject, scored: str, given: str) -> Reject:
    """A reject under the name that its file goes by now."""
    file = given + reject.place.file.removeprefix(scored)
    return reject._replace(place=reject.place._replace(file=file))


def link_part(source: Path, number: int, target: Path, index: int) -> None:
    """Give the files of a part another number in another folder; they are never written again."""
    for path in source.glob(f"{number:06d}.*"):
        new = target / path.name.replace(f"{number:06d}", f"{index:06d}", 1)
        try:
            os.link(path, new)
        except OSError:  # a disk without links
            shutil.copy(path, new)


def drop_others(folder: Path, names: Iterable[str]) -> None:
    """Remove what is kept of inputs that changed, or whose ids did."""
    kept = {*names, *(f"{name[:KEY_DIGITS]}.ids" for name in names)}
    for path in [p for p in folder.iterdir() if p.name not in kept]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    fault("others-dropped")
