"""Every reader of other tools' files on twenty bad records: one line, exit 2, no good record lost."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest

from tests.command_line import simpatico
from tests.readers.bad_inputs import CANARY, LINES
from tests.readers.file_formats.test_results import BATTLE, DUO, HEADER, SAMPLE, talk
from tests.readers.files import everything, json_lines, write_file

FILES = Path(__file__).parent / "file_formats" / "files"
NAMES = (
    *("not_json", "single_quotes", "cut_off_string", "cut_off_object", "two_values"),
    *("trailing_comma", "comment", "a_text", "a_number", "null", "an_empty_object", "nul_between"),
    *("nested_lists", "nested_objects", "nested_open", "no_dialog", "no_text", "bad_utf8"),
    *("high_surrogate", "text_list"),
)
BAD_LINES = [bad.record for bad in LINES if bad.name in NAMES]
BAD_VALUES = [
    *(b"5", b"null", b'"CANARY-7f3a"', b"[]", b"true", b"1.5", b"false", b"-1", b"[[]]", b"1e9"),
    *(b'[{"a": 1}]', b'"\\ud83d\\ude00"', b'{"turns": 5, "provider": 5, "messages": 5}'),
    b'{"turns": ["CANARY-7f3a"], "provider": "CANARY-7f3a", "messages": ["CANARY-7f3a"]}',
    b'{"name": 5, "provider": {"id": 5}, "id": []}',
    b'{"turns": [{"role": 1}], "testIdx": "CANARY-7f3a", "provider": {}, "id": 1}',
    b'{"turns": [{}], "provider": [], "id": 1, "messages": [{}]}',
    b'{"input": [], "provider": null, "id": 1, "messages": [[]]}',
    b'{"metricsData": 5, "response": 5, "provider": {}, "id": 1, "messages": {}}',
    b'{"actualOutput": {}, "prompt": 5, "provider": {}, "id": null}',
]
"""JSON of the wrong shape, as a document with a broken item is broken as a whole."""


def lines_of(name: str) -> list[Any]:
    """The records of a file of lines."""
    return [json.loads(line) for line in (FILES / name).read_text().splitlines()]


def observations() -> list[dict[str, Any]]:
    """The rows of Langfuse's windows without empty cells."""
    frames = [pl.read_parquet(file) for file in sorted((FILES / "langfuse").iterdir())]
    rows = [row for frame in frames for row in frame.to_dicts()]
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


SDIALOG = json.loads((FILES / "sdialog.json").read_text())
WILDCHAT = {"conversation_hash": "h", "model": "m", "conversation": talk("hi", "hello")}
PRISM = {"conversation_id": "c", "conversation_history": talk("hi")}
RECORDS: dict[str, Callable[[], list[Any]]] = {
    "otlp": partial(lines_of, "otlp_spans.jsonl"),
    "otlp-logs": partial(lines_of, "otlp_events.jsonl"),
    "phoenix": partial(lines_of, "phoenix_spans.jsonl"),
    "mlflow": partial(lines_of, "mlflow_traces.jsonl"),
    "langsmith": partial(lines_of, "langsmith_runs.jsonl"),
    "langfuse": observations,
    "sdialog": lambda: [SDIALOG, SDIALOG | {"id": "d2"}],
    "arena": lambda: [BATTLE, BATTLE | {"question_id": 82}],
    "duo": lambda: [DUO, DUO | {"dialogue_id": "8"}],
    "prism": lambda: [PRISM, PRISM | {"conversation_id": "d"}],
    "openai": lambda: [WILDCHAT, WILDCHAT | {"conversation_hash": "i"}],
}


def write_lines(path: Path, format: str, bad: list[bytes]) -> Path:
    """Two records or more, with the bad ones after the first."""
    first, *rest = RECORDS[format]()
    lines = [json_lines([first]), *(record + b"\n" for record in bad), json_lines(rest)]
    return write_file(path.with_suffix(".jsonl"), b"".join(lines))


def item_file(format: str) -> tuple[Any, list[Any]]:
    """A document, and the list of its records within it."""
    if format == "inspect":
        samples = [SAMPLE, SAMPLE | {"id": 2}]
        return {"version": 2, "eval": {"model": "m"}, "samples": samples}, samples
    document = json.loads((FILES / f"{format}.json").read_text())
    if format == "promptfoo":
        return document, document["results"]["results"]
    return document, document["testRunData"]["conversationalTestCases"]


def write_items(path: Path, format: str, bad: list[bytes]) -> Path:
    """The file with bad items after the first."""
    document, items = item_file(format)
    items[1:1] = [f"BAD-{number}" for number in range(len(bad))]
    data = json.dumps(document).encode()
    for number, record in enumerate(bad):
        data = data.replace(b'"BAD-%d"' % number, record)
    return write_file(path.with_suffix(".json"), data)


def write_members(path: Path, format: str, bad: list[bytes]) -> Path:
    """An archive of Inspect with bad members between two samples."""
    path = path.with_suffix(".eval")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEADER[0], json.dumps(HEADER[1]))
        members = [json.dumps(SAMPLE).encode(), *bad, json.dumps(SAMPLE | {"id": 2}).encode()]
        for number, member in enumerate(members):
            archive.writestr(f"samples/{number}_epoch_1.json", member)
    return path


def write_cells(path: Path, format: str, bad: list[bytes]) -> Path:
    """Parquet whose column of messages holds JSON, of which some is bad."""
    path = path.with_suffix(".parquet")
    good = json.dumps(talk("hi", "hello"))
    cells = [good, *(record.decode() for record in bad), good]
    names = ["first", *(f"bad-{number}" for number in range(len(bad))), "last"]
    if format == "scout":
        pl.DataFrame({"transcript_id": names, "messages": cells}).write_parquet(path)
    else:
        sides = {"conversation_a": cells, "conversation_b": [good] * len(cells)}
        rest = {"model_a": "m", "model_b": "n", "winner": "tie"}
        table = pl.DataFrame({"question_id": names, **sides})
        table.with_columns(**{k: pl.lit(v) for k, v in rest.items()}).write_parquet(path)
    return path


READER_OF = {"otlp-logs": "otlp", "scout": "inspect", "deepeval_turns": "deepeval"}


def plan(path: Path, *options: str) -> CompletedProcess[str]:
    """What `simpatico score --plan` says of a file, with a metric that is soon loaded."""
    return simpatico("score", path, "--plan", "--metrics", "length", *options)


Writer = Callable[[Path, str, list[bytes]], Path]
TEXTS = [record for record in BAD_VALUES if record not in (b"[]", b"null")]
TEXTS += [b"[{]", b"CANARY-7f3a"]
CASES: list[tuple[str, Writer, list[bytes]]] = [
    *((format, write_lines, BAD_LINES) for format in RECORDS),
    *((format, write_items, BAD_VALUES) for format in ("promptfoo", "deepeval_turns", "inspect")),
    ("inspect", write_members, BAD_LINES),
    *((format, write_cells, TEXTS) for format in ("scout", "arena")),
]


@pytest.mark.parametrize(
    ("format", "write", "bad"), CASES, ids=[f"{c[0]}-{c[1].__name__}" for c in CASES]
)
def test_a_bad_record_is_one_line_and_costs_no_other(
    tmp_path: Path, format: str, write: Writer, bad: list[bytes]
) -> None:
    assert len(bad) == 20
    for record in bad:
        path = write(tmp_path / "bad", format, [record])
        done = plan(path)
        assert (done.returncode, done.stdout) == (2, ""), record
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"simpatico: {path}:"), record
        assert CANARY not in line
    name = READER_OF.get(format, format)
    good, alignment, _ = everything(write(tmp_path / "bad", format, []))
    assert set(alignment.formats.values()) == {name}
    path = write(tmp_path / "bad", format, bad)
    turns, alignment, rejects = everything(path, on_error="skip", format=name)
    names = {t.dialog for t in good}  # of a battle, the other side is good
    kept = [(t.dialog, t.text) for t in turns if t.dialog in names]
    assert kept == [(t.dialog, t.text) for t in good]
    assert len(rejects) == sum(alignment.rejected.values()) == 20
    done = plan(path, "--on-error", "skip", "--format", name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", [p for p in sorted(FILES.rglob("*.*")) if p.suffix != ".md"])
def test_a_file_that_was_cut_off(tmp_path: Path, path: Path) -> None:
    """Of lines, the whole ones are kept; of other files there is nothing to be had."""
    data = path.read_bytes()
    cut = write_file(tmp_path / path.name, data[: len(data) * 9 // 10])
    done = plan(cut)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"simpatico: {cut}:")
    turns, _, rejects = everything(cut, on_error="skip")
    assert len(rejects) == 1
    assert bool(turns) == (path.suffix == ".jsonl" and path.name != "spans.jsonl")
