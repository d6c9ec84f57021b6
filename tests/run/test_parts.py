"""Parts that workers read by themselves make the run that is read in order."""

import json
from pathlib import Path

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from simpatico.errors import RecordError
from simpatico.readers.chunk_builder import Piece
from simpatico.run import parts
from simpatico.run.parts import PartScorer

TABLES = ("turn", "dialog", "system", "text")


def write_rows(path: Path, dialogs: list[str]) -> Path:
    rows = [
        {"dialog": name, "speaker": who, "text": f"I love the {who} in {name}"}
        for name in dialogs
        for who in ("user", "assistant")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tables(path: Path, out: Path, **options):
    jobs = options.pop("jobs", None)
    conversations = Conversations((path,), **options)
    metrics = [load("style_matching"), load("length")]
    run = score_run(conversations, metrics, out, chunk=3, jobs=jobs)
    frames = {name: pl.read_parquet(run.folder / f"{name}.parquet") for name in TABLES}
    return frames, run.facts["alignment"]


@pytest.fixture
def in_order(monkeypatch):
    """Let no worker read by itself."""

    def switch():
        monkeypatch.setattr(Conversations, "pieces", lambda self, size: None)

    return switch


@pytest.mark.parametrize("jobs", [None, 2])
def test_pieces_give_the_run_that_is_read_in_order(tmp_path, in_order, jobs):
    path = write_rows(tmp_path / "a.jsonl", [f"d{n}" for n in range(20)])
    assert len(list(Conversations((path,)).pieces(3))) > 5
    frames, alignment = tables(path, tmp_path / "run", jobs=jobs)
    in_order()
    others, same = tables(path, tmp_path / "in-order")
    assert all(frames[name].equals(others[name]) for name in TABLES)
    assert alignment == same
    assert alignment["dialogs"] == 20


def test_a_dialog_in_two_pieces_is_what_reading_in_order_says_it_is(tmp_path, in_order):
    path = write_rows(tmp_path / "a.jsonl", [*(f"d{n}" for n in range(12)), "d0", "d12"])
    sentence = (
        f"{path}:25: a dialog that ended earlier in the file goes on here; "
        "sort the file by dialog, or pass --gather to collect it first"
    )
    with pytest.raises(RecordError) as error:
        tables(path, tmp_path / "run")
    assert str(error.value) == sentence
    assert not (tmp_path / "run").exists()
    frames, alignment = tables(path, tmp_path / "skip", on_error="skip")
    assert alignment["rejected"] == {"dialog_comes_back": 2}
    assert alignment["dialogs"] == 13
    in_order()
    others, same = tables(path, tmp_path / "in-order", on_error="skip")
    assert all(frames[name].equals(others[name]) for name in TABLES)
    assert alignment == same


def test_parts_of_a_run_that_is_read_in_order_are_not_mixed_with_pieces(tmp_path, monkeypatch):
    path = write_rows(tmp_path / "a.jsonl", [*(f"d{n}" for n in range(12)), "d0", "d12"])
    whole, _ = tables(path, tmp_path / "whole", on_error="skip")
    real = PartScorer.score_chunk

    def stops(self, index, chunk):
        if index == 3 and (self.folder / "parts" / parts.IN_ORDER).exists():
            raise KeyboardInterrupt
        return real(self, index, chunk)

    monkeypatch.setattr(PartScorer, "score_chunk", stops)
    with pytest.raises(KeyboardInterrupt):
        tables(path, tmp_path / "run", on_error="skip")
    monkeypatch.setattr(PartScorer, "score_chunk", real)
    frames, _ = tables(path, tmp_path / "run", on_error="skip")
    assert all(frames[name].equals(whole[name]) for name in TABLES)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_of_several_errors_is_told(tmp_path, jobs):
    path = write_rows(tmp_path / "a.jsonl", [f"d{n}" for n in range(40)])
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[17] = lines[71] = "{"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(RecordError) as error:
        tables(path, tmp_path / "run", jobs=jobs)
    assert str(error.value).startswith(f"{path}:18: ")
    with pytest.raises(RecordError) as error:
        tables(path, tmp_path / "run", jobs=jobs, on_error="skip", max_errors=1)
    assert str(error.value).startswith(f"{path}:72: ")
    assert str(error.value).endswith(" (more than 1 bad records)")
    _, alignment = tables(path, tmp_path / "run", jobs=jobs, on_error="skip", max_errors=2)
    rejects = (tmp_path / "run" / "rejects.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["line"] for line in rejects] == [18, 72]
    assert alignment["utterances"] == 78


def test_scored_parts_are_not_read_again(tmp_path, monkeypatch):
    path = write_rows(tmp_path / "a.jsonl", [f"d{n}" for n in range(20)])
    whole, _ = tables(path, tmp_path / "whole")
    real, seen = Conversations.read_piece, list[Piece]()

    def stops(self, piece):
        seen.append(piece)
        if len(seen) == 4:
            raise KeyboardInterrupt
        return real(self, piece)

    monkeypatch.setattr(Conversations, "read_piece", stops)
    with pytest.raises(KeyboardInterrupt):
        tables(path, tmp_path / "run")
    frames, _ = tables(path, tmp_path / "run")
    assert all(frames[name].equals(whole[name]) for name in TABLES)
    assert len(seen) == len(list(Conversations((path,)).pieces(3))) + 1
