"""Rows read many at once are the rows read one by one, wherever a file is cut."""

import csv
import gzip
import io
import json
import math
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simpatico import limits
from simpatico.readers import Alignment, Conversations
from simpatico.readers.file_formats.table import Table
from simpatico.readers.input import parquet
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


def check_both_ways(name: str, content: bytes) -> None:
    """All that comes of a file is the same at once and one by one, whatever the size of parts."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / name
        path.write_bytes(content)
        options = {"on_error": "skip", "format": "table"}
        patch.setattr(parquet, "ROWS", 2)
        fast = [contents(path, size, **options) for size in (1, 3, 1000)]
        patch.setattr(Table, "frame", Reader.frame)
        patch.setattr(Table, "divisible", False)
        slow = contents(path, 1000, **options)
    for frame, alignment, rejects in fast:
        assert frame.equals(slow[0])
        assert alignment == slow[1]
        assert rejects == slow[2]


@given(
    st.lists(PLAIN | ODD, min_size=1, max_size=12),
    st.integers(0, 5),
    st.lists(st.sampled_from([b"", b"\n", b"not json\n", b'{"dialog": "a", "dialog": "b"}\n',
                              b'{"dialog":"a","speaker":"s","text":"x"}{"dialog":"a"}\n',
                              b'{"dialog":"a"\n,"speaker":"s","text":"x"}\n', b'"\xff"\n',
                              rb'{"dialog":"a","speaker":"s","text":"\ud83d\ude00 \uD800"}' b"\n",
             ]), max_size=2),
    st.sampled_from(["a.jsonl", "a.jsonl.gz"]),
    st.sampled_from(["", "", "dialog", "speaker", "text"]),
)  # fmt: skip
@example([{"dialog": "a", "speaker": "s", "text": "x"}] * 3, 0, [], "a.jsonl", "")
@example([{"dialog": "a", "speaker": "s", "text": "x"}] * 3, 0, [], "a.jsonl", "dialog")
def test_many_lines_at_once_are_the_lines_one_by_one(
    rows: list[dict[str, Any]], style: int, others: list[bytes], name: str, absent: str
) -> None:
    rows = [{key: value for key, value in row.items() if key != absent} for row in rows]
    half = len(rows) // 2
    content = b"".join([spell(rows[:half], style | 1), *others, spell(rows[half:], style)])
    check_both_ways(name, gzip.compress(content) if name.endswith("gz") else content)


@given(st.lists(PLAIN | ODD, min_size=1, max_size=12), st.integers(1, 40))
@settings(max_examples=30)
def test_a_packed_file_that_breaks_off_is_read_as_far_as_it_goes(
    rows: list[dict[str, Any]], missing: int
) -> None:
    check_both_ways("a.jsonl.gz", gzip.compress(spell(rows, 1))[:-missing])


NAME = st.sampled_from(["a", "a", "a", "b", "b", "c", " a", '5" tall', "", "x\ny", "a,b", "\u2028"])
SAID = st.sampled_from(["hi", "", 'say "b"', "two\nlines", "a,b;c", "\r\n", "é\x85\u2028", "a\x0b"])
CELL = {
    "dialog": NAME,
    "speaker": st.sampled_from(["ann", "ann", "bot", "user", "system", "", "b\nc"]),
    "text": SAID,
    "system": st.sampled_from(["", "human", "acme"]),
    "id": st.sampled_from(["", "1", "2", "3", "4"]),
    "time": st.sampled_from(["", "", "5", "2024-01-01", "noon"]),
    "references": st.sampled_from(["", "", "", "r"]),
    "segment": SAID,
    "dialogue": NAME,
    " role ": st.sampled_from(["system", "user", ""]),
    "": SAID,
}
HEADER = st.lists(st.sampled_from([*CELL]), max_size=3).map(
    lambda n: ["dialog", "speaker", "text", *n]
)
BROKEN = st.sampled_from(
    [b"", b"\n", b"a\n", b'a,ann,"open\n', b'a,ann,"x"y\n', b"a,ann,\xff\n", b"a,a\0,x\n", b"\r\n",
     b'a,ann,5" tall\n', b"a,ann,x,,,,,\n", b"a,b\rc,d\n", b'"a\nb",ann,"x\ny"\n']
)  # fmt: skip


@given(st.data(), HEADER, st.integers(0, 2), st.sampled_from(["a.csv", "a.tsv", "a.csv.gz"]))
@settings(max_examples=60)
def test_many_rows_of_csv_at_once_are_the_rows_one_by_one(
    data: st.DataObject, header: list[str], style: int, name: str
) -> None:
    cells = st.tuples(*(CELL[column] for column in header))
    lines = [spell_csv(header, name, style), *data.draw(st.lists(BROKEN, max_size=1))]
    for row in data.draw(st.lists(cells, max_size=12)):
        lines += [spell_csv(row, name, style), *data.draw(st.lists(BROKEN, max_size=1))]
    content = b"".join(lines).removesuffix(b"\n" * (style == 1))
    check_both_ways(name, gzip.compress(content) if name.endswith("gz") else content)


@pytest.mark.parametrize("broken", [b'a,ann,"x"y\n', b"a,a\0,x\n", b"a,ann,\xff\n", b"a,ann\n"])
@pytest.mark.parametrize("at", [0, 2, 30])
def test_no_row_after_a_broken_one_is_lost_wherever_the_file_is_cut(broken: bytes, at: int) -> None:
    rows = [b"dialog,speaker,text\n", *(b"d%d,ann,tea\n" % (n // 2) for n in range(60))]
    check_both_ways("a.csv", b"".join([*rows[:at], broken, *rows[at:]]))


def test_a_line_of_too_many_cells_is_rejected_wherever_it_stands(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "CELLS", 9)
    rows = [b"dialog,speaker,text\n", *(b"d%d,ann,tea\n" % (n // 2) for n in range(60))]
    long = b"d0,ann" + b"," * 9 + b"\n"
    for at in (0, 2, 30):
        check_both_ways("a.csv", b"".join([*rows[:at], long, *rows[at:]]))
    check_both_ways("a.csv", b"".join([*rows[:30], b'd14,ann,"tea\n', long, *rows[30:]]))
    path = tmp_path / "a.csv"
    path.write_bytes(b"".join([*rows[:3], long, *rows[3:]]))
    _, alignment, rejects = contents(path, 1000, on_error="skip")
    (reject,) = rejects
    assert (alignment.utterances, str(reject.place)) == (60, f"{path}:4")
    assert reject.reason == "the line has more than 9 cells; leave some out"


def spell_csv(cells: Sequence[str], name: str, style: int) -> bytes:
    """The cells as a row, in one of the ways in which programs write CSV."""
    target = io.StringIO()
    end, quoting = ["\n", "\r\n", "\n"][style], [csv.QUOTE_MINIMAL, csv.QUOTE_ALL][style == 2]
    delimiter = "\t" if "tsv" in name else ","
    csv.writer(target, delimiter=delimiter, lineterminator=end, quoting=quoting).writerow(cells)
    return target.getvalue().encode()


KINDS = [
    st.sampled_from([None, "x", '"\x01']),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, 0.5, math.nan, math.inf, 1e22]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, [1, 2]]),
    st.sampled_from([None, {"a": None}, {"a": 1}]),
    st.sampled_from([None, datetime(2024, 1, 1), datetime(2024, 1, 1, 1, 1, 1, 5)]),
]
"""Values of one kind each, as a column of Parquet has them."""


@given(st.data(), HEADER.map(dict.fromkeys), st.sampled_from(["", *CELL]))
@settings(max_examples=60)
def test_many_rows_of_parquet_at_once_are_the_rows_one_by_one(
    data: st.DataObject, header: dict[str, None], odd: str
) -> None:
    n = data.draw(st.integers(1, 12))
    columns = []
    for name in header:
        kind = CELL[name].map(lambda v: v or None) if name in ("system", "id") else CELL[name]
        if name in (odd, "segment"):
            kind = data.draw(st.sampled_from(KINDS))
        columns.append(pl.Series(name, data.draw(st.lists(kind, min_size=n, max_size=n))))
    target = io.BytesIO()
    pl.DataFrame(columns).write_parquet(target)
    check_both_ways("a.parquet", target.getvalue())


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
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "other": [1]}',
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "other": "\\ud800"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "x", "other": 1, "other": 2}',
        b'{"other": 1, "dialog": "d1", "more": 2, "speaker": "ann", "text": "x", "next": NaN}',
        b'{"dialog": "d1", "speaker": "ann", "text": 5}',
        b'{"dialog": "d1", "speaker": "ann", "text": "a\\ud800b"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "\\uD83Dx\\uDE00"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "\\x"}',
        b'{"dialog": "d1", "speaker": "ann", "text": "a\tb"}',
        b'{"dialog": "d1", "speaker": null, "text": "x"}',
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


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        (['"system":"acme",', ""], ["acme", "ann"]),
        (['"system":"acme",', '"system" : null,'], ["acme", None]),
        (['"system": null,', '"system":null,'], [None, None]),
        (['"system": null,', ""], None),
    ],
)
def test_a_system_that_is_null_is_none_and_one_that_is_absent_is_the_speaker(
    tmp_path, systems, expected
):
    path = tmp_path / "a.jsonl"
    lines = [f'{{"dialog":"d{n}",{system}"speaker":"ann","text":"\\"system\\":null"}}\n'
             for n, system in enumerate(systems)]  # fmt: skip
    path.write_text("".join(lines))
    (part,) = Conversations((path,)).parts
    frame = Table().frame(part.source)
    assert (None if frame is None else frame["system"].to_list()) == expected
    turns = pl.concat(chunk.turns.frame for chunk in Conversations((path,)).chunks())
    assert turns["system"].to_list() == (expected or [None, "ann"])


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
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(spell(rows, 1)))
    assert Conversations((lines, packed)).pieces(1000) is None  # nobody knows how long it is
