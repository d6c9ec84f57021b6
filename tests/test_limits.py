"""Small files that unpack to a lot, and long ones: one sentence each, in little memory."""

import io
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from simpatico import limits
from simpatico.errors import DataError
from simpatico.parquet import unpacked_size
from simpatico.readers import Conversations, Source, read
from simpatico.readers.input.parquet import split_rows
from tests.run.test_run import corpus

ROOT = Path(__file__).parents[1]
MEGABYTE = "tea and milk " * 77_000
PARQUET = (
    "the Parquet file unpacks to more than 200 times its size; write it as JSON lines if you "
    "trust it"
)
SCRIPT = r"""
import json, re, sys
from pathlib import Path
from tests.command_line import simpatico
results = [simpatico(*call) for call in json.loads(sys.argv[1])]
# not ru_maxrss, which begins with that of the process this one was forked from
peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
print(json.dumps([[[r.returncode, r.stderr] for r in results], peak]))
"""


def table(path, rows, **columns):
    """A Parquet table of so many rows of one dialog."""
    columns = {"text": MEGABYTE, **columns}
    frame = pl.DataFrame({"dialog": ["d"] * rows, "speaker": ["a"] * rows})
    frame.with_columns(**{k: pl.lit(v) for k, v in columns.items()}).write_parquet(path)
    return path


def lines(path, dialogs, text):
    """JSON lines of one utterance each."""
    with path.open("w") as file:
        for dialog in dialogs:
            file.write(json.dumps({"dialog": dialog, "speaker": "a", "text": text}) + "\n")
    return path


def test_bombs_end_in_a_sentence_and_little_memory(tmp_path):
    """512 rows of one text, 60 packed megabytes, 100,000,000 nulls, long lines, a wide lexicon."""
    many = table(tmp_path / "many.parquet", 4_096)
    packed = tmp_path / "packed.parquet"
    pages = [chr(97 + i) + "a" * 10_000_000 for i in range(6)]
    pl.DataFrame({"dialog": "d", "speaker": "a", "text": pages}).write_parquet(packed)
    nulls = tmp_path / "nulls.parquet"
    references = pl.Series("references", [pl.Series([None] * 20_000_000, dtype=pl.String)])
    pl.DataFrame({"dialog": ["d"], "speaker": ["a"], "text": ["b"]}).with_columns(
        references
    ).write_parquet(nulls)
    turns = lines(tmp_path / "turns.jsonl", ["d"] * 40, MEGABYTE)
    line = lines(tmp_path / "line.jsonl", ["d"], MEGABYTE * 34)
    lexicon = tmp_path / "words.csv"
    rows = (f"{'abcdefghij'[i % 10]}{'x' * (i // 10)},c{i},1\n" for i in range(6_000))
    lexicon.write_text("term,category,weight\n" + "".join(rows))
    good = lines(tmp_path / "good.jsonl", ["d"], "tea")
    for bomb in (many, packed, nulls):
        assert bomb.stat().st_size < 20_000
    wide = ["--metrics", "style_matching", "--set", f"style_matching.lexicon={lexicon}"]
    out = ["--out", str(tmp_path / "run")]
    inputs = (many, packed, nulls, turns, line, "/dev/zero")
    calls = [["score", str(path), "--metrics", "length", *out] for path in inputs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([*calls, ["score", str(good), *wide, *out]])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert done.returncode == 0, done.stderr
    results, peak = json.loads(done.stdout)
    sentences = [
        f"{many}:1: {PARQUET}",
        f"{packed}:1: {PARQUET}",
        f"{nulls}:1: {PARQUET}",
        f"{turns}:1: the dialog is longer than 12 MiB; split it",
        f"{line}:1: the line is longer than 32 MiB; split it",
        "/dev/zero: this is a device without end; give a file",
        f"{lexicon}: 6,000 terms in 6,000 categories are too many; leave out what no metric uses",
    ]
    assert results == [[2, f"simpatico: {sentence}\n"] for sentence in sentences]
    assert peak < 600_000  # kB


@pytest.mark.slow
def test_as_many_words_as_a_dialog_may_have_take_little_memory(tmp_path):
    """Of one letter each, in one turn: the most words that a byte can hold."""
    path = lines(tmp_path / "letters.jsonl", ["d"], "i " * (limits.DIALOG_WORDS - 1))
    out = ["--preset", "psych", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([["score", str(path), *out]])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    ((code, errors),), peak = json.loads(done.stdout)
    assert code == 0, errors
    assert peak < 600_000  # kB


@pytest.mark.slow
def test_memory_is_bounded_in_the_number_of_turns(tmp_path):
    """2,000,000 turns take at most a third more than 200,000, which fill no row group of dialogs."""
    part = corpus(tmp_path / "few.jsonl", 20_000).read_text()
    with (tmp_path / "many.jsonl").open("w") as file:
        for k in range(10):
            file.write(part.replace('"dialog": "d', f'"dialog": "{k}-'))
    peaks = []
    for name in ("few", "many"):
        metrics = ["--metrics", "length,emotional_entropy,style_matching", "--jobs", "1"]
        call = ["score", str(tmp_path / f"{name}.jsonl"), *metrics, "--out", str(tmp_path / name)]
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, json.dumps([call])],
            capture_output=True,
            text=True,
            cwd=ROOT,
            # Numba, which only the larger one would load, takes memory once
            env={**os.environ, "PYTHONPATH": str(ROOT), "SIMPATICO_WORDS": "fast"},
        )
        ((code, errors),), peak = json.loads(done.stdout)
        assert code == 0, errors
        peaks.append(peak)
    assert peaks[1] <= 1.33 * peaks[0]
    assert peaks[1] < 600_000  # kB


def test_the_footer_of_parquet_says_what_it_unpacks_to(tmp_path):
    """Pages of 1,000 numbers of eight bytes and 1,000 texts; what a program of its own read off."""
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"n": pl.int_range(1_000, eager=True), "text": ["ab"] * 1_000})
    frame.write_parquet(path, compression="uncompressed", row_group_size=500)
    with path.open("rb") as file:
        size = unpacked_size(file)
    assert 8_000 < size < 12_000
    assert abs(size - path.stat().st_size) < 4_000
    for broken in (
        b"PAR1",
        b"PAR1\xff\xff\xff\xffPAR1",
        b"PAR1" + b"\x19" * 40 + b"\x28\0\0\0PAR1",
    ):
        assert unpacked_size(io.BytesIO(broken.ljust(12, b"\0"))) is None


def test_chunks_close_at_bytes_or_utterances_and_hold_whole_dialogs(tmp_path, monkeypatch):
    path = lines(tmp_path / "a.jsonl", ["a", "a", "b", "b", "c", "d"], "tea" * 100)
    whole = read(path).frame
    assert [len(c.turns) for c in Conversations((path,), merge=False).chunks()] == [6]
    monkeypatch.setattr(limits, "CHUNK", 1_000)
    parts = list(Conversations((path,), merge=False).chunks(900))
    assert [part.turns.frame["dialog"].to_list() for part in parts] == [
        ["a", "a"],
        ["b", "b", "c"],
        ["d"],
    ]
    joined = pl.concat([part.turns.frame for part in Conversations((path,)).chunks(900)])
    assert joined.equals(whole)


def test_extras_count_as_bytes_of_a_chunk_too(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    row = {"speaker": "a", "text": "b", "note": "n" * 500, "references": ["r" * 500]}
    path.write_text("".join(json.dumps({"dialog": d, **row}) + "\n" for d in "abc"))
    monkeypatch.setattr(limits, "CHUNK", 1_000)
    assert len(list(Conversations((path,)).chunks(9))) == 3


def test_a_long_dialog_is_skipped_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "DIALOG", 2**20)
    path = tmp_path / "a.jsonl"
    rows = [("a", "x"), ("b", MEGABYTE), ("b", MEGABYTE), ("c", "y"), ("d", MEGABYTE * 2)]
    path.write_text(
        "".join(json.dumps({"dialog": d, "speaker": d, "text": t}) + "\n" for d, t in rows)
    )
    (chunk,) = Conversations((path,), on_error="skip").chunks()
    assert chunk.turns.frame["dialog"].to_list() == ["a", "c"]
    assert [(r.code, str(r.place), r.reason) for r in chunk.rejects] == [
        ("long_dialog", f"{path}:{line}", "the dialog is longer than 1 MiB; split it")
        for line in (2, 5)
    ]


def test_a_long_item_row_and_stream_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "RECORD", 2**20)
    document = tmp_path / "a.json"
    document.write_text(json.dumps([{"dialog": "d", "speaker": "a", "text": MEGABYTE * 2}]))
    with pytest.raises(DataError) as error:
        read(document)
    assert str(error.value) == f"{document}:1: the record is longer than 1 MiB; split it"
    rows = tmp_path / "a.csv"
    rows.write_text("dialog,speaker,text\nd,a," + ',"\n"' * 600_000)
    with pytest.raises(DataError) as error:
        read(rows)
    assert str(error.value) == f"{rows}:2: the row is longer than 1 MiB; split it"
    path = table(tmp_path / "a.parquet", 2, text=MEGABYTE * 2, other="x")
    monkeypatch.setattr(limits, "UNPACKED_FLOOR", 2**30)
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value) == f"{path}:1: the row is longer than 1 MiB; split it"
    monkeypatch.setattr(limits, "STREAM", 3 << 20)
    with pytest.raises(DataError) as error:
        Source.from_stream("<stdin>", None, io.BytesIO(bytes(4 << 20)))
    assert str(error.value) == "<stdin>: the stream is longer than 0 GiB; write it to a file"


def test_rows_that_share_a_long_text_are_written_out_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_FLOOR", 2**30)
    monkeypatch.setattr(limits, "RECORD", 3 * 2**20)
    texts = {"text": MEGABYTE, "speaker": "a"}
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"dialog": list("abcdefghi")})
    frame.with_columns(**{k: pl.lit(v) for k, v in texts.items()}).write_parquet(path)
    parts = [part.height for part in split_rows(pl.read_parquet(path))]
    assert parts == [2, 2, 2, 3]
    assert read(path).frame["text"].to_list() == [MEGABYTE] * 9


def test_a_resource_is_a_regular_file(tmp_path):
    for path, reason in (
        (Path("/dev/zero"), "this is no regular file; give a file"),
        (tmp_path, "this is no regular file; give a file"),
    ):
        with pytest.raises(DataError) as error:
            limits.check_resource(path)
        assert str(error.value) == f"{path}: {reason}"


def test_the_documents_say_the_limits():
    text = (ROOT / "docs/limits.md").read_text()
    mebibytes = [limits.RECORD, limits.DIALOG, limits.CHUNK, limits.UNPACKED_FLOOR, limits.RESOURCE]
    values = [f" {n >> 20} MiB" for n in mebibytes]
    values += [f" {n >> 30} GiB" for n in (limits.DOCUMENT, limits.STREAM)]
    values += [f" {limits.UNPACKED_RATIO} times", f"| {limits.SYSTEMS} |"]
    counts = (limits.CELLS, limits.LEXICON_ROWS, limits.LEXICON_CELLS, limits.LEXICON_TERM)
    values += [f"{n:,}" for n in counts]
    assert [value for value in values if value not in text] == []


def test_a_dialog_of_too_many_words_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "DIALOG_WORDS", 100)
    rows = [("a", "i " * 101), ("b", "i " * 100), ("c", "tea " * 101)]
    for name, text in rows:
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"dialog": name, "speaker": "s", "text": text}) + "\n")
    (chunk,) = Conversations((tmp_path,), on_error="skip").chunks()
    assert chunk.turns.frame["dialog"].to_list() == ["b"]
    assert [str(reject.place)[-9:-2] for reject in chunk.rejects] == ["a.jsonl", "c.jsonl"]
    with pytest.raises(DataError) as error:
        list(Conversations((tmp_path / "a.jsonl",)).chunks())
    sentence = "the dialog has more than 100 words; split it"
    assert str(error.value) == f"{tmp_path / 'a.jsonl'}:1: {sentence}"
