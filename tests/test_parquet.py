"""Parquet whose numbers lie: refused before Polars reserves what they say, which ends a process."""

import io

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.parquet import CompactReader, check_parquet, read_pages, row_spans, unpacked_size
from tests.command_line import simpatico


def table():
    """An uncompressed table of 40 rows in two groups, a text a row."""
    buffer = io.BytesIO()
    frame = pl.DataFrame({"dialog": "d", "speaker": "a", "text": [f"tea {i}" for i in range(40)]})
    frame.write_parquet(buffer, compression="uncompressed", row_group_size=20)
    return bytearray(buffer.getvalue())


VALUES, ENCODING = 0, 2
"""Bytes of the head of a data page, from its number of values on."""


def lie(data, field, value):
    """The first page of the last column with another byte in this field of its data header."""
    length = int.from_bytes(data[-8:-4], "little")
    group = CompactReader(bytes(data[-8 - length : -8])).struct()[4][-1]
    start = group[1][-1][3][9]
    reader = CompactReader(bytes(data[start:]))
    reader.struct()
    head = bytes(data[start : start + reader.at])
    data[start + head.index(b"\x28", 2) + field] = value  # 20 rows, zigzag
    return bytes(data)


@pytest.mark.parametrize(("field", "value"), [(VALUES, 39), (ENCODING, 2)])
def test_a_page_of_odd_numbers_is_a_damaged_file(tmp_path, field, value):
    """Zigzag, 39 is -20 values: Polars would reserve 2 ** 61 bytes; encoding 1, a panic, is none."""
    path = tmp_path / "a.parquet"
    path.write_bytes(table())
    assert simpatico("score", path, "--metrics", "length", "--out", tmp_path / "a").returncode == 0
    path.write_bytes(lie(table(), field, value))
    result = simpatico("score", path, "--metrics", "length", "--out", tmp_path / "b")
    sentence = f"{path}: the Parquet file is damaged"
    assert (result.returncode, result.stderr) == (
        2,
        f"simpatico: {path}:1: {sentence[len(str(path)) + 2 :]}\n",
    )
    with pytest.raises(DataError) as error:
        check_parquet(path)
    assert str(error.value) == sentence


def test_scores_of_another_program_do_not_unpack_to_more_than_their_size(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"dialog": ["d"] * 8, "note": ["a" * 9_000_000] * 8, "score": 1.0}).with_columns(
        note=pl.col("note") + pl.int_range(8).cast(pl.String)
    ).write_parquet(path)
    chats = tmp_path / "a.csv"
    chats.write_text("dialog,speaker,text\nd,a,tea\n")
    result = simpatico("score", chats, "--scores", path, "--out", tmp_path / "run")
    assert (result.returncode, result.stderr) == (
        2,
        f"simpatico: {path}: the Parquet file unpacks to more than 200 times its size; write it as "
        "JSON lines if you trust it\n",
    )


def test_long_rows_are_read_in_parts_of_few(tmp_path):
    """900 rows of 9 bytes, then 100 of 10,000: parts of 50,000 bytes and a page at most."""
    path = tmp_path / "a.parquet"
    texts = [f"hello {n:03}" for n in range(900)] + [f"{n:05}" * 2_000 for n in range(100)]
    frame = pl.DataFrame({"n": range(1000), "text": texts})
    frame.write_parquet(path, compression="uncompressed", data_page_size=4096)
    with path.open("rb") as file:
        columns = read_pages(file)
    spans = list(row_spans(columns, n_rows=400, n_bytes=50_000))
    starts, stops = zip(*spans, strict=True)
    assert (starts[0], stops[-1], starts[1:]) == (0, 1000, stops[:-1])
    assert max(stop - start for start, stop in spans) == 400
    lengths = [sum(map(len, texts[start:stop])) for start, stop in spans]
    assert max(lengths) <= 60_000  # a page has one row at least
    assert list(row_spans([], n_rows=400, n_bytes=50_000)) == []


def test_rows_pages_and_values_have_to_add_up():
    """Of every single byte of the footer changed, none makes the file larger than it is."""
    data = bytes(table())
    whole = unpacked_size(io.BytesIO(data))
    assert 500 < whole < len(data)
    length = int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(len(data) - 8 - length, len(data) - 8):
        changed = bytes([*data[:at], data[at] ^ 1, *data[at + 1 :]])
        size = unpacked_size(io.BytesIO(changed))
        refused += size is None
        assert size is None or size <= whole
    assert refused > 50
