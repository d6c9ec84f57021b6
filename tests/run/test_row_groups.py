"""Parquet files that grow by row groups have the bytes of those that Polars writes at once."""

import io
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.run import row_groups
from simpatico.run.row_groups import TableFile, read_footer, write_table


def rows_of(n):
    return pl.DataFrame(
        {
            "dialog": [f"d{i // 3}" for i in range(n)],
            "turn": pl.int_range(n, dtype=pl.Int32, eager=True),
            "score": [None if i % 5 == 2 else i / 7 for i in range(n)],
            "none": pl.Series([None] * n, dtype=pl.String),
            "text": ["x" * (i % 11) * (4_000 if i == 20 else 1) + "é" for i in range(n)],
            "time": pl.Series(range(n)).cast(pl.Datetime("ms", "UTC")),
        }
    )


def at_once(rows, size):
    out = io.BytesIO()
    rows.lazy().sink_parquet(out, compression_level=1, row_group_size=size, maintain_order=True)
    return out.getvalue()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 90), st.lists(st.integers(0, 90), max_size=5), st.integers(7, 40), st.data())
def test_rows_in_any_frames_behind_any_row_groups(tmp_path_factory, n, cuts, size, data):
    rows, out = rows_of(n), tmp_path_factory.mktemp("rows") / "a.parquet"
    copied = data.draw(st.integers(0, n // size))
    former = out.with_name("former.parquet")
    former.write_bytes(at_once(rows, size))
    ends = sorted({copied * size, n, *(cut for cut in cuts if copied * size < cut < n)})
    frames = [rows[a:b] for a, b in pairwise(ends)] or [rows[n:]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_groups, "ROWS_PER_GROUP", size)
        write_table(frames, out, copied=(former, copied) if copied else None)
    assert out.read_bytes() == at_once(rows, size)


def test_a_footer_is_written_as_it_was_read():
    file = io.BytesIO(at_once(rows_of(300), 100))
    footer = row_groups.encode(read_footer(file))
    assert file.getvalue().endswith(footer + len(footer).to_bytes(4, "little") + b"PAR1")


def test_numbers_of_any_size_and_fields_far_apart_come_back():
    fields = {1: (6, -(2**62)), 40: (5, 2**31 - 1), 41: (1, None), 42: (7, b"12345678")}
    fields |= {43: (9, (5, list(range(-20, 20)))), 44: (12, {2: (8, b"text"), 3: (3, b"b")})}
    assert row_groups.Compact(row_groups.encode(fields)).struct() == fields


def test_what_waits_is_less_than_a_row_group(monkeypatch):
    monkeypatch.setattr(row_groups, "ROWS_PER_GROUP", 10)
    table = TableFile(io.BytesIO())
    for start in range(0, 90, 9):
        table.add_rows(rows_of(90)[start : start + 9])
        assert table.n_pending < 10
