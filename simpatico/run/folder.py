"""The layout of a run folder, and the steps from an empty folder to a finished run.

While a run is under way its folder holds `parts/`: each part appears by a rename after its bytes
are on disk, its `.json` last, so that a part with a `.json` is complete. `run.json` holds the key
of the run from the first scored part on; a run that fails before it, or for good, leaves nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from simpatico.errors import DataError, RecordError, RunError
from simpatico.files import (
    fault,
    lock_folder,
    make_folder,
    sync,
    write_atomically,
    write_json_atomically,
)
from simpatico.readers.input.record import Reject
from simpatico.run.schema import file_problem, open_table, read_facts
from simpatico.turns import LEVELS

HOLDER = ".holder.tmp"
"""Says which process writes the folder; it goes with that process, or as a leftover of a kill."""
REJECTS = "rejects.jsonl"
"""Lists the input that could not be read."""
ADDED = "added"
"""Keeps the parts of each input of a run that is added to, and `added.json` says of which."""


def lock_run(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from writing this run."""
    return lock_folder(folder, folder / HOLDER)


@contextmanager
def open_run(folder: Path) -> Iterator[Callable[[str], bool]]:
    """Lock the folder; gives what begins the run of a key, or says false when it is finished.

    The lock comes first, since a key takes a hash of all input: who comes second need not wait.

    A finished run that has lost a file, or in which one has changed, is scored again. A failure
    leaves the folder as it was, except for what can be resumed: scored parts after an interruption,
    a crash or a full disk. Where a record is wrong the input must change, so no part is of use.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    is_new = has_lock = False

    def begin(key: str) -> bool:
        nonlocal is_new
        is_new = begin_run(folder, key)
        return is_new

    try:
        with lock_run(folder):
            has_lock = True
            sign_folder(folder)
            fault("locked")
            try:
                yield begin
            except BaseException as error:
                is_final = isinstance(error, RecordError) or not any(folder.glob("parts/*.json"))
                if is_new and is_final:
                    shutil.rmtree(folder / "parts", ignore_errors=True)
                    if stored_facts(folder).get("status") != "done":  # a damaged run stays one
                        (folder / "run.json").unlink(missing_ok=True)
                raise
            finally:
                (folder / HOLDER).unlink(missing_ok=True)
    except BaseException:
        # without the lock another process has begun here, though the folder may still be empty
        for place in made if has_lock else ():
            with suppress(OSError):  # not empty: there is something to resume, or another's file
                place.rmdir()
        raise


def sign_folder(folder: Path) -> None:
    """Say which process writes the folder, for the message that others get.

    A finished run, or a folder of something else, is not touched.
    """
    is_open = (folder / "parts").is_dir() or (folder / ADDED).is_dir()
    if is_open or all(p.suffix == ".tmp" for p in folder.iterdir()):
        text = f"process {os.getpid()} on {socket.gethostname()}"
        (folder / HOLDER).write_text(text, encoding="utf-8")


def begin_run(folder: Path, key: str) -> bool:
    """Make the folder ready; false when this very run is already finished in it."""
    if (folder / "run.json").exists():
        former = stored_facts(folder)
        if former.get("key") != key:
            raise RunError(
                f"{folder} holds a run of other input, metrics, options or version; "
                "choose another folder or delete this one"
            )
        if former.get("status") == "done" and is_whole(folder):
            # a process killed after its last write may have left the parts behind
            shutil.rmtree(folder / "parts", ignore_errors=True)
            return False
    else:
        with suppress(OSError):  # of a run killed before its first part: empty
            (folder / "parts").rmdir()
        if any(not p.name.endswith(".tmp") for p in folder.iterdir()):
            raise RunError(
                f"{folder} holds files that do not belong to a run; choose an empty folder"
            )
    make_folder(folder / "parts")
    # files that a killed process had not renamed yet
    for leftover in [*folder.glob(".*.tmp"), *folder.glob("parts/.*.tmp")]:
        if leftover.name != HOLDER:
            leftover.unlink()
    fault("begun")
    return True


def stored_facts(folder: Path) -> dict[str, Any]:
    """What `run.json` says, whether the run is finished or not; nothing where it cannot be read."""
    try:
        facts = json.loads((folder / "run.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def is_whole(folder: Path) -> bool:
    """Whether a finished run has all its files, as far as `run.json` tells how they were written.

    Of a run by an older version, which tells nothing of them, whether its tables can be opened.
    """
    try:
        facts = read_facts(folder)
        for table in LEVELS:
            open_table(folder, table, facts)
    except DataError:
        return False
    return not any(file_problem(folder / name, facts) for name in facts["files"])


def move_tables(folder: Path, work: Path) -> bool:
    """Move the files of a run finished in `work` to their places; one unfinished is dropped.

    Until `work` has a `run.json` the run is as it was; from then on whoever comes next goes on.
    """
    finished = work / "run.json"
    is_finished = finished.exists()
    if is_finished:
        # tables of two states: neither to be read nor to be resumed by `score`
        write_json_atomically(folder / "run.json", {"status": "moving", "key": ""})
        for path in [p for p in work.iterdir() if p.is_file() and p != finished]:
            path.replace(folder / path.name)
            fault("table-moved")
        if REJECTS not in json.loads(finished.read_bytes())["files"]:
            (folder / REJECTS).unlink(missing_ok=True)
        sync(folder)
        finished.replace(folder / "run.json")
        fault("all-moved")
        sync(folder)
    shutil.rmtree(work, ignore_errors=True)
    return is_finished


def announce_run(folder: Path, key: str) -> None:
    """Write `run.json` with the key of the run, unless it is there: before its first part."""
    if not (folder / "run.json").exists():
        write_json_atomically(folder / "run.json", {"status": "running", "key": key})


def part_path(folder: Path, index: int, ending: str) -> Path:
    """A file of one part, such as its `turn.parquet`."""
    return folder / "parts" / f"{index:06d}.{ending}"


def write_rejects(folder: Path, rejects: Sequence[Reject]) -> None:
    """Input that could not be read, one JSON object a line: file, line, byte, code, reason."""
    if rejects:
        rows = [{**r.place._asdict(), "code": r.code, "reason": r.reason} for r in rejects]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_atomically(folder / REJECTS, text.encode())
