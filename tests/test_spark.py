"""Batches of Arrow in, turn scores out, without Spark itself (see tests/run/test_engines.py)."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import spark
from simpatico.errors import DataError
from simpatico.system_means import whole_dialogs


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 6))
def test_frames_end_where_dialogs_do_and_no_row_is_lost(lengths, size):
    dialogs = [f"d{number}" for number, length in enumerate(lengths) for _ in range(length)]
    rows = pl.DataFrame({"dialog": dialogs, "row": range(len(dialogs))})
    cut = [rows[start : start + size] for start in range(0, rows.height, size)]
    whole = list(whole_dialogs(cut))
    assert pl.concat(whole).equals(rows)
    assert sum(frame["dialog"].n_unique() for frame in whole) == len(lengths)
    assert all(frame.height for frame in whole)


def test_a_dialog_that_comes_back_and_a_missing_column_are_sentences():
    pytest.importorskip("pyarrow")
    run = spark.score_batches("length")

    def batch(**columns):
        return pl.DataFrame(columns).to_arrow().to_batches()[0]

    with pytest.raises(DataError) as error:
        list(run(batch(dialog=[d], speaker=["a"], text=["Hi"]) for d in "aba"))
    assert str(error.value) == (
        "a dialog goes on after others in the same partition; sort within partitions by dialog"
    )
    with pytest.raises(DataError) as error:
        list(run([batch(session=["a"], text=["Hi"])]))
    assert str(error.value) == "no column 'dialog' among session, text; rename yours"


def test_the_schema_names_the_columns_of_turn_scores():
    assert spark.spark_schema("length") == (
        "`dialog` string, `turn` bigint, `speaker` string, `system` string, `length` double, "
        "`length_null` string"
    )
