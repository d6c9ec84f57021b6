"""The engagement paper's files: pairs, labels, conversations, counts, and what people said."""

import numpy as np
import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement import read_paper_data
from simpatico.reproduction.predictive_engagement.counts import (
    TABLE_1,
    TABLE_4,
    score_count_cells,
    split_count_cells,
)
from simpatico.reproduction.predictive_engagement.paper import GENERATED, WRITTEN
from simpatico.reproduction.predictive_engagement.raters import (
    ABOVE_0,
    FIGURE_2,
    LABELLED,
    REAL,
    TABLE_2,
    TABLE_3,
    THUMBS,
    aggregate_turns,
    aggregation_cells,
    rater_agreement_cells,
    worker_matrix,
)
from tests.reproduction.predictive_engagement.data_sets import HEAD, write, write_published


@pytest.fixture
def small(tmp_path):
    return write_published(tmp_path)


def by_place(cells):
    return {(c.table, c.row, c.column): c for c in cells}


def test_three_rows_of_a_pair_become_one(small):
    """The first generated reply has 1, 2 and 3; the fourth has 4 three times."""
    pairs = files.read_rated_pairs(locate_file(small, files.FOLDER, files.PAIRS))
    assert pairs.height == 24
    assert pairs["part"].to_list() == [GENERATED] * 12 + [WRITTEN] * 12
    assert pairs["ratings"].to_list()[:4:3] == [[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]]
    assert (pairs["mean_rating"][0], pairs["Ctx-RUBER"][7]) == (2.0, 0.07)


def test_files_that_are_not_what_they_should_be(tmp_path):
    path = tmp_path / files.PAIRS
    write(path, HEAD[:3], [("a", "b", 1)])
    with pytest.raises(DataError) as error:
        files.read_rated_pairs(path)
    assert str(error.value) == (
        f"{path}: no column 'Ruber_Unref_Score'; it has query, response, human_score"
    )
    write(path, HEAD, [("a", "b", "good", 1, 1, 1, 1)])
    with pytest.raises(DataError) as error:
        files.read_rated_pairs(path)
    assert str(error.value) == f"{path}: 1 of 1 values of 'human_score' are no numbers"
    write(path, HEAD, [("a", "b", 1, 1, 1, 1, 1)] * 2)
    with pytest.raises(DataError) as error:
        files.read_rated_pairs(path)
    assert str(error.value) == f"{path}: pairs with [1] ratings, where each should have 3"
    talks = tmp_path / files.DIALOGS
    talks.write_text("1\t2\n")
    with pytest.raises(DataError) as error:
        files.read_crowd_dialogs(talks)
    assert str(error.value) == f"{talks}: line 1 has 2 columns, where 6 are needed"
    talks.write_text("1\t2\tfine\t4\t5\t<sp1> a </sp1>\n")
    with pytest.raises(DataError) as error:
        files.read_crowd_dialogs(talks)
    assert (
        str(error.value) == f"{talks}: line 1 has the engagement score 'fine', which is no number"
    )


def test_utterances_are_found_in_their_conversations_whatever_their_spacing(tmp_path):
    """Two exchanges of equal texts take two labels in their order; an unknown one has none."""
    talks = pl.DataFrame(
        {
            "dialog": ["a", "b"],
            "score": [4.0, 0.0],
            "texts": [["Hi!", "Oh", "So?", "No"], ["hi", "oh"]],
        }
    )
    path = tmp_path / "labels.csv"
    write(path, ["query", "reply", "label"], [("hi !", "oh .", 1), ("Hi", "oh", 0), ("x", "y", 1)])
    exchanges = files.read_labelled_exchanges(talks, path)
    assert exchanges.rows() == [("a", 4.0, "Hi!", "Oh", 1.0), ("b", 0.0, "hi", "oh", 0.0)]


def test_pairs_to_tune_on_are_not_among_the_rated_ones(small):
    pairs = files.read_rated_pairs(locate_file(small, files.FOLDER, files.PAIRS))
    pairs, n_dropped = files.read_target_pairs(
        locate_file(small, files.FOLDER, files.TARGET_TRAIN), pairs
    )
    assert (pairs.height, n_dropped) == (40, 1)
    assert (
        files.read_target_pairs(locate_file(small, files.FOLDER, files.TARGET_TRAIN), None)[1] == 0
    )


def test_what_is_not_there_is_told(small, tmp_path_factory):
    (small / files.FOLDER / files.WORKERS).unlink(missing_ok=True)
    absent = []
    paper = read_paper_data(small, absent)
    assert absent == [f"predictive-engagement: no {files.WORKERS}"]
    assert (paper.crowd_labels.height, paper.target.n_dropped) == (36, 1)
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(DataError) as error:
        read_paper_data(empty, [])
    assert str(error.value) == (
        f"{empty} has neither convai2017/train_full.json nor a file of predictive-engagement such "
        f"as {files.PAIRS}; give the folder that holds convai2017 and predictive-engagement"
    )


def test_counts_by_score_and_side(small):
    """48 of 60 conversations are left, 24 with a bot: 24 zeros, and the others by both sides' mean.

    Number n has 4 and 1 + n mod 5: of the odd n from 13 to 59 with n mod 5 = 0, 1, 2, 3, 4 there are
    5, 4, 5, 5, 5, whose means 2.5, 3, 3.5, 4, 4.5 become 2, 3, 4, 4, 4: 5 of 2, 4 of 3, 15 of 4.
    At most 2 gives three exchanges of six turns, above 2 five.
    """
    paper = read_paper_data(small, [])
    cells = by_place(score_count_cells(paper.readings))
    row = "conversations, the paper's reading"
    counts = [cells[TABLE_1, row, f"score {n}"].ours for n in range(6)]
    assert counts == [24, 0, 5, 4, 15, 0]
    row = "exchanges, the paper's reading"
    counts = [cells[TABLE_1, row, f"score {n}"].ours for n in range(6)]
    assert counts == [72, 0, 15, 20, 75, 0]
    assert cells[TABLE_1, row, "score 4"].paper == 1492
    sides = [
        c for c in split_count_cells(paper.readings, seed=0) if c.row.endswith("paper's reading")
    ]
    assert {c.table for c in sides} == {TABLE_4}
    assert sum(c.ours for c in sides) == 182
    assert sum(c.ours for c in sides if c.column == "engaging") == 95


def test_least_greatest_and_mean_of_a_conversation():
    rows = pl.DataFrame({"dialog": ["a", "a", "b"], "score": [4, 4, 1], "label": [0.0, 1, 1]})
    assert aggregate_turns(rows, ["dialog"], "label").rows() == [
        ("a", 4, 0.0, 1.0, 0.5),
        ("b", 1, 1, 1, 1),
    ]


def test_conversations_against_their_turns(small):
    paper = read_paper_data(small, [])
    cells = by_place(aggregation_cells(paper.crowd_labels, paper.convai, seed=0))
    mean = cells[TABLE_3, LABELLED, "mean"]
    dialogs = aggregate_turns(paper.crowd_labels, ["dialog"], "label")
    assert mean.ours == pytest.approx(np.corrcoef(dialogs["mean"], dialogs["score"])[0, 1])
    assert (mean.paper, mean.n) == (0.85, 12)
    assert cells[TABLE_3, ABOVE_0, "mean"].n == 10
    assert cells[TABLE_3, REAL, "mean"].n == 12
    assert cells[TABLE_3, THUMBS, "mean"].paper is None
    assert {key[1] for key in cells if key[0] == FIGURE_2} == {LABELLED, ABOVE_0, REAL, THUMBS}
    lacking = list(aggregation_cells(None, None, seed=0))
    assert [c.paper for c in lacking] == [0.49, 0.72, 0.85]
    assert lacking[0].note == "0 of 0 not scored; the files are missing"


def test_agreement_of_raters(small):
    pairs = files.read_rated_pairs(locate_file(small, files.FOLDER, files.PAIRS))
    cells = by_place(rater_agreement_cells(pairs, None, seed=0))
    crowd = cells[TABLE_2, "297 utterances, crowd", "mean kappa"]
    assert (crowd.paper, crowd.ours) == (0.52, None)
    assert crowd.note.endswith(
        "the published files have one label (0 or 1) for an utterance and none of its five ratings"
    )
    one = cells[TABLE_2, GENERATED, "one rater with the mean of the others, Pearson"]
    assert one.n == 12
    assert 0.9 < one.ours < 1


def test_a_column_for_each_worker():
    rows = [("q", "r", "a", 1.0), ("q", "r", "b", 2.0), ("p", "r", "b", 5.0)]
    frame = pl.DataFrame(rows, ["query", "reply", "worker", "rating"], orient="row")
    matrix, query = worker_matrix(frame)
    assert np.array_equal(matrix, [[1, 2], [np.nan, 5]], equal_nan=True)
    assert query.tolist() == [1, 0]


def test_real_counts_are_the_papers(data):
    absent = []
    paper = read_paper_data(data, absent)
    assert absent == []
    cells = list(score_count_cells({"paper": paper.readings["paper"]}))
    assert len(cells) == 12
    assert [c for c in cells if c.paper is not None and c.paper != c.ours] == []
    assert (paper.pairs.height, paper.crowd_labels.height) == (600, 297)
    assert (paper.pairs["query"].n_unique(), paper.crowd_labels["label"].sum()) == (299, 95)
    assert (len(paper.target.train), len(paper.target.test), paper.target.n_dropped) == (
        201,
        88,
        11,
    )


def test_real_ratings_by_worker_are_those_of_the_pairs(data):
    pairs = files.read_rated_pairs(locate_file(data, files.FOLDER, files.PAIRS)).filter(
        part=WRITTEN
    )
    workers = files.read_worker_ratings(locate_file(data, files.FOLDER, files.WORKERS))
    assert (workers.height, workers["worker"].n_unique()) == (900, 24)
    single = workers.group_by("query", "reply").agg(pl.col("rating").mean())
    both = pairs.join(single, on=["query", "reply"], how="inner")
    assert both.height == 300
    assert both["mean_rating"].to_list() == pytest.approx(both["rating"].to_list())
