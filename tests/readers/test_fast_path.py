"""Rows read many at once are the rows read one by one, wherever a file is cut."""

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simpatico.readers import Alignment, Conversations
from simpatico.readers.file_formats.table import Table
from simpatico.readers.input.record import Reader

VALUE = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "",
            "a",
            'say "b": c',
            ":)",
            " : x",
            '":',
            '\\":null',
            "bot",
            "system",
            "user",
            "é\u2028\U0001f600",
        ]
    ),
    st.integers(-2, 10**12),
    st.sampled_from(["2024-01-01T00:00:00Z", 1.5, True, ["x"], {"a": 1}]),
)
FIELD = st.sampled_from(["dialog", "speaker", "text", "system", "id", "time", "prompt", "other"])
ROW = st.fixed_dictionaries(
    {"dialog": st.sampled_from("aaabbc"), "speaker": st.sampled_from(["ann", "bot", "system"])},
    optional={"text": VALUE, "system": st.sampled_from([None, "human", "acme"])},
)
ODD = st.tuples(ROW, st.dictionaries(FIELD, VALUE, max_size=2)).map(lambda two: two[0] | two[1])
PLAIN = ROW.map(lambda row: {"text": "hi: there", **row}).filter(
    lambda r: isinstance(r["text"], str)
)


def spell(rows: list[dict[str, Any]], style: int) -> bytes:
    """The rows as lines, in one of the ways in which programs write JSON."""
    separators = [(",", ":"), (", ", ": "), (" , ", " : ")][style % 3]
    lines = [json.dumps(row, separators=separators, ensure_ascii=style > 2) for row in rows]
    return ("\r\n" if style == 5 else "\n").join(lines).encode() + b"\n" * (style % 2)


def contents(path: Path, size: int, **options: Any) -> tuple[pl.DataFrame, Alignment, list[Any]]:
    """All that comes of a file."""
    chunks = list(Conversations((path,), **options).chunks(size))
    total = Alignment()
    for chunk in chunks:
        total += chunk.alignment
    rejects = [reject for chunk in chunks for reject in chunk.rejects]
    return pl.concat(chunk.turns.frame for chunk in chunks), total, rejects


@given(
    st.lists(PLAIN | ODD, min_size=1, max_size=12),
    st.integers(0, 5),
    st.lists(st.sampled_from([b"", b"\n", b"not json\n", b'{"dialog": "a", "dialog": "b"}\n',
                              b'{"dialog":"a","speaker":"s","text":"x"}{"dialog":"a"}\n',
                              b'{"dialog":"a"\n,"speaker":"s","text":"x"}\n', b'"\xff"\n']),
             max_size=2),
)  # fmt: skip
@example([{"dialog": "a", "speaker": "s", "text": "x"}] * 3, 0, [])
def test_many_rows_at_once_are_the_rows_one_by_one(
    rows: list[dict[str, Any]], style: int, others: list[bytes]
) -> None:
    half = len(rows) // 2
    lines = [spell(rows[:half], style | 1), *others, spell(rows[half:], style)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(b"".join(lines))
        options = {"on_error": "skip", "format": "table"}
        fast = [contents(path, size, **options) for size in (1, 3, 1000)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Table, "frame", Reader.frame)
            patch.setattr(Table, "divisible", False)
            slow = contents(path, 1000, **options)
    for frame, alignment, rejects in fast:
        assert frame.equals(slow[0])
        assert alignment == slow[1]
        assert rejects == slow[2]


def test_plain_rows_take_the_fast_path(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    rows = [
        {"dialog": f"d{n // 2}", "speaker": "ann", "text": ': a "b": c', "time": n}
        for n in range(40)
    ]
    path.write_bytes(spell(rows, 1))
    monkeypatch.setattr(Table, "dialogs", None)
    frame, alignment, _ = contents(path, 10)
    assert (frame.height, alignment.utterances, alignment.dialogs) == (20, 40, 20)


@pytest.mark.parametrize(
    "line",
    [
        b'{"dialog": "d1", "dialog": "d1", "speaker": "ann", "text": "x"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "other": 1}',
        b'{"dialog": "d1", "speaker": "ann", "text": 5}',
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "time": "noon"}',
        b'{"dialog": 1, "speaker": "ann", "text": "x"}',
        b' {"dialog": "d1", "speaker": "ann", "text": "x"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "x"},',
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "references": ["y"]}',
        b'{"dialog": "", "speaker": "ann", "text": "x"}',
    ],
)  # fmt: skip
def test_any_other_row_is_left_to_the_strict_reader(tmp_path, line):
    path = tmp_path / "a.jsonl"
    good = b'{"dialog": "d0", "speaker": "ann", "text": "x"}\n'
    path.write_bytes(good + line + b"\n")
    (part,) = Conversations((path,)).parts
    assert Table().frame(part.source) is None
    path.write_bytes(good)
    (part,) = Conversations((path,)).parts
    assert Table().frame(part.source).height == 1


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=30),
    st.integers(1, 60),
)
def test_pieces_hold_each_dialog_once_and_in_order(lengths: list[int], size: int) -> None:
    rows = [
        {"dialog": f"d{n}", "speaker": "ab"[k % 2], "text": "x" * (k % 7) * n}
        for n, length in enumerate(lengths)
        for k in range(length)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(spell(rows, 1))
        conversations = Conversations((path,))
        pieces = list(conversations.pieces(size) or [])
        whole, alignment, _ = contents(path, 10**6)
        chunks = [conversations.read_piece(piece) for piece in pieces]
    assert pl.concat(chunk.turns.frame for chunk in chunks).equals(whole)
    total = Alignment()
    for chunk in chunks:
        total += chunk.alignment
    assert total == alignment
    dialogs = [name for chunk in chunks for name in chunk.turns.frame["dialog"].unique()]
    assert len(dialogs) == len(set(dialogs)) == len(lengths)


def test_what_has_to_be_read_in_order_has_no_pieces(tmp_path):
    rows = [{"dialog": "d", "speaker": "ann", "text": "x" * 200} for _ in range(10)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert Conversations((path,)).pieces(1) is None  # one value, larger than a part
    assert Conversations((path,)).pieces(1000) is not None
    lines = tmp_path / "a.jsonl"
    lines.write_bytes(spell(rows, 1))
    assert Conversations((lines,)).pieces(1) is not None
    assert Conversations((lines,), gather=True).pieces(1) is None
