"""Check 9: bad input is a sentence with its place, without its text, or skipped and counted."""

import gc
import gzip
import os
import re
from pathlib import Path

import pytest

from simpatico import limits
from simpatico.errors import DataError, SimpaticoError
from simpatico.readers import Conversations, Source, read
from simpatico.readers.input import raw_bytes as raw
from simpatico.readers.input.record import Place
from tests.readers.bad_inputs import (
    CANARY,
    CELLS,
    FILES,
    G1,
    G2,
    LINES,
    MANY,
    MESSAGES,
    Bad,
    BadFile,
    jsonl,
    row,
)
from tests.readers.files import everything, pipe_to_stdin


@pytest.fixture(autouse=True)
def no_collection_in_deep_nesting():
    """A finalizer that runs where the stack is nearly full fails, and leaves its file open."""
    gc.disable()
    yield
    gc.enable()


CHAT = b'{"id": "g%d", "messages": [{"role": "user", "content": "good"}]}'
HEADER = b"dialog,speaker,text,time\n"
KINDS = {
    "jsonl": (LINES, b"", G1, G2),
    "csv": (CELLS, HEADER, b"g,ann,good one,", b"g,bob,good two,"),
    "messages.jsonl": (MESSAGES, b"", CHAT % 1, CHAT % 2),
}
CASES = [
    pytest.param(kind, carrier, bad, id=f"{kind}-{carrier}-{bad.name}")
    for kind, (cases, *_) in KINDS.items()
    for carrier in ("plain", "gzip", "stdin", "crlf")
    for bad in cases
]


def test_there_are_enough_cases() -> None:
    assert len(LINES) + len(CELLS) + len(MESSAGES) + len(FILES) >= 60


def provide_content(
    folder: Path, kind: str, carrier: str, content: bytes, patch: pytest.MonkeyPatch
) -> tuple[Path | str, str]:
    """The content as a file, a packed file or standard input: what to read, and its name."""
    path = folder / f"bad.{kind}"
    if carrier == "stdin":
        pipe_to_stdin(patch, content)
        return "-", "<stdin>"
    if carrier == "gzip":
        path, content = folder / f"bad.{kind}.gz", gzip.compress(content)
    path.write_bytes(content)
    return path, str(path)


@pytest.mark.parametrize(("kind", "carrier", "bad"), CASES)
def test_one_bad_record(
    tmp_path: Path, kind: str, carrier: str, bad: Bad, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, header, one, two = KINDS[kind]
    end = b"\r\n" if carrier == "crlf" else b"\n"
    start = header.replace(b"\n", end) + one + end
    content = start + bad.record + end + two + end
    path, name = provide_content(tmp_path, kind, carrier, content, monkeypatch)
    place = Place(name, start.count(b"\n") + 1, len(start))
    with pytest.raises(DataError) as caught:
        everything(path)
    assert str(caught.value) == f"{place}: {bad.reason}"
    assert CANARY not in str(caught.value)

    path, name = provide_content(tmp_path, kind, carrier, content, monkeypatch)
    turns, alignment, rejects = everything(path, on_error="skip")
    assert [(r.place, r.code, r.reason) for r in rejects] == [(place, bad.code, bad.reason)]
    assert alignment.utterances + len(rejects) == 3
    assert [t.text[:4] for t in turns] == ["good", "good"]
    assert alignment.rejected == {bad.code: 1}


@pytest.mark.parametrize(
    ("bad", "stdin"),
    [
        pytest.param(bad, stdin, id=f"{'stdin' if stdin else 'plain'}-{bad.name}")
        for bad in FILES
        for stdin in (False, True)[: 1 + bad.via_stdin]
    ],
)
def test_one_bad_file(
    tmp_path: Path, bad: BadFile, stdin: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = bad.suffix.removeprefix(".")
    carrier = "stdin" if stdin else "plain"
    path, name = provide_content(tmp_path, kind, carrier, bad.content, monkeypatch)
    with pytest.raises(DataError) as caught:
        everything(path)
    message = str(caught.value)
    assert CANARY not in message
    assert message.startswith(f"{name}:{bad.line}: ")
    if bad.code == "no_format":
        assert re.search("choose one with --format: .*openai.*table", message)
        return
    assert message == f"{name}:{bad.line}: {bad.reason}"

    path, _ = provide_content(tmp_path, kind, carrier, bad.content, monkeypatch)
    turns, alignment, rejects = everything(path, on_error="skip")
    assert [(r.code, r.place.line) for r in rejects] == [(bad.code, bad.line)]
    assert len(turns) == bad.turn_count
    assert alignment.rejected == {bad.code: 1}


def test_rows_before_a_cut_in_a_gzip_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(MANY)[:-2000])
    _, alignment, rejects = everything(path, on_error="skip")
    lines = MANY.splitlines(keepends=True)
    place = rejects[0].place
    assert [r.code for r in rejects] == ["gzip_truncated"]
    assert place.line - 1 == alignment.utterances
    assert 0 < place.line - 1 < len(lines)
    assert place.byte == sum(map(len, lines[: place.line - 1]))
    with pytest.raises(DataError, match=rf"a.jsonl.gz:{place.line}: the gzip file is truncated"):
        everything(path)


def test_damage_inside_a_gzip_file(tmp_path: Path) -> None:
    path, data = tmp_path / "a.jsonl.gz", bytearray(gzip.compress(MANY))
    data[len(data) // 2 : len(data) // 2 + 50] = b"\xff" * 50
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"a\.jsonl\.gz:\d+: "):
        everything(path)
    assert everything(path, on_error="skip")[2]


def test_a_bomb_of_good_lines_is_left_in_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(jsonl(G1) * 500_000))
    _, alignment, rejects = everything(path, on_error="skip")
    assert [r.code for r in rejects] == ["gzip_bomb"]
    assert alignment.utterances < 400_000


def test_a_long_line_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECORD", 1024)
    path, long = tmp_path / "a.jsonl", row(text=CANARY * 500)
    path.write_bytes(jsonl(G1, long, G2))
    turns, _, rejects = everything(path, on_error="skip")
    assert [(r.code, r.place.line, r.place.byte) for r in rejects] == [
        ("long_line", 2, len(G1) + 1)
    ]
    assert [t.text for t in turns] == ["good one", "good two"]


def test_a_long_document_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENT", 10)
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + G1 + b"]")
    with pytest.raises(DataError, match=r"a\.json:1: the file is larger than"):
        read(path)


def test_paths_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing.jsonl"
    for path, reason in {
        missing: "no such file; check the path",
        tmp_path: "no file in this folder holds conversations",
    }.items():
        with pytest.raises(DataError) as caught:
            read(path, on_error="skip")
        assert str(caught.value).split(": ", 1)[1].startswith(reason)
    with pytest.raises(DataError) as caught:
        read(tmp_path, format="table")
    assert str(caught.value) == (
        f"{tmp_path}: no file in this folder holds conversations; name the files, or their format "
        "with --format"
    )
    with pytest.raises(DataError, match="not a valid file name"):
        read("a\0b")


def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(G1))
    path.chmod(0)
    if os.access(path, os.R_OK):
        assert str(raw.path_problem("a.jsonl", PermissionError())) == (
            "a.jsonl: no permission to read the file; check its owner and mode"
        )
        return
    with pytest.raises(DataError, match=": no permission to read the file"):
        read(path)


def test_the_number_of_errors_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(*[row(text=5, dialog=str(i)) for i in range(10)]))
    conversations = Conversations((path,), on_error="skip", max_errors=3)
    with pytest.raises(DataError) as caught:
        list(conversations.chunks(1))
    assert str(caught.value) == (
        f"{path}:4: 'text' must be text, not a whole number (more than 3 bad records)"
    )
    assert len(everything(path, on_error="skip", max_errors=10)[2]) == 10


def test_good_oddities_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + G1
        + b"\r\n\r\n   \n"
        + G2.replace(b"good two", rb"nul \u0000 \ud83d\ude00")
    )
    assert [t.text for t in read(path)] == ["good one", "nul \0 😀"]


def test_errors_are_ours_for_any_bytes(tmp_path: Path) -> None:
    for number, bad in enumerate([b"\x00", b"\xff" * 99, os.urandom(2000), b"{", b"[", b"]", b'"']):
        for suffix in (".jsonl", ".json", ".csv", ".parquet", ".gz", ".txt"):
            path = tmp_path / f"{number}{suffix}"
            path.write_bytes(bad)
            with pytest.raises(SimpaticoError, match=r":\d+: "):
                list(Conversations((Source.of(path).name,)).chunks())
