"""The emotion paper: people's ratings, and figures of classifiers."""

import numpy as np
import pytest

from simpatico.reproduction import emotional_consistency as paper
from simpatico.reproduction.emotional_consistency import data as files
from simpatico.reproduction.emotional_consistency.classifiers import (
    AnswerScores,
    binary_figures,
    draw_groups,
    lexicon_probabilities,
    score_answers,
)
from simpatico.reproduction.emotional_consistency.raters import (
    conversation_count_cells,
    dialog_extremes,
    dialog_point_cells,
    mean_over_dialogs,
    three_means_cell,
    turn_level_cells,
)
from simpatico.reproduction.emotional_consistency.training_mix import NEGATIVE, POSITIVE
from simpatico.reproduction.request import Request
from simpatico.training.emotion.data import Utterances
from tests.reproduction.emotional_consistency.data_sets import write_published


@pytest.fixture
def data(tmp_path):
    return write_published(tmp_path)


def test_means_by_hand():
    """1, 0 and 1 of two dialogs is 2/3; what has no value is not in n."""
    mean = mean_over_dialogs(np.array([1.0, 0, 1, np.nan]), np.array([1, 1, 2, 2]), seed=0)
    assert (mean.value, mean.n) == (pytest.approx(2 / 3), 3)


def test_the_papers_correlation_of_three_has_this_p():
    """r = .9376 of the printed means; t = r sqrt(1 / (1 - r²)) = 2.70 with 1 degree of freedom:
    p = 1 - 2 atan(2.70) / pi = .226."""
    cell = three_means_cell(
        ("table", "x", "turns"), [0.8085, 0.8865, 0.6879], [0.8511, 0.8617, 0.6525], 0.9375
    )
    assert cell.ours == pytest.approx(0.9376, abs=5e-4)
    assert "p = 0.226; Blenderbot, human, DialoGPT: the order of people" in cell.note


def test_the_ends_of_dialogs(data):
    """The person's points 1 and 0 in the first dialog: most 1, least 0, middle .5."""
    talks = files.read_conversations(data / files.FOLDER / files.CONVERSATIONS)
    points = np.where((talks["turn"] == 0).to_numpy(), 1.0, 0.0)
    row = dialog_extremes(talks, points).row(0, named=True)
    assert (row["most"], row["least"], row["middle"], row["rating"]) == (1, 0, 0.5, 1)


def test_counts_and_dialogs_stand_beside_the_papers(data):
    talks = files.read_conversations(data / files.FOLDER / files.CONVERSATIONS)
    cells = {(c.table[:7], c.row): c for c in conversation_count_cells(talks)}
    assert (cells["Table 3", "2 turns"].ours, cells["Table 3", "2 turns"].paper) == (1, 43)
    assert cells["Table 4", "user"].ours == pytest.approx((2 + 4 + 2) / 3)
    scores = score_answers(
        lexicon_probabilities, talks["user"].to_list(), talks["answer"].to_list()
    )
    assert len(list(dialog_point_cells(talks, {"our lexicon": scores}, seed=0))) == 9


def test_what_follows_people_and_what_is_ahead(data):
    """Points that equal the ratings have r = 1 and an area of 1, whatever else is there."""
    talks = files.read_conversations(data / files.FOLDER / files.CONVERSATIONS)
    rated = talks["rating"].to_numpy()
    zigzag = np.tile([0.0, 1.0, 0.5], 3)
    scored = {
        "shipped": AnswerScores(rated, rated, np.ones(9)),
        "our lexicon": AnswerScores(zigzag, zigzag, np.ones(9)),
    }
    cells = {(c.row, c.column): c for c in turn_level_cells(talks, scored, seed=0)}
    assert cells["shipped, hard", "pearson"].ours == pytest.approx(1)
    assert cells["shipped, soft", "AUC"].ours == 1
    assert cells["shipped, hard", "AUC, above our lexicon, hard"].ours > 0
    assert ("our lexicon, hard", "AUC, above our lexicon, hard") not in cells


def test_lexicon_says_good_bad_or_nothing():
    emotional, positive = lexicon_probabilities(["I am happy and joyful", "qqq zzz"])
    assert emotional[1] == 0
    assert positive[1] == 0.5
    assert positive[0] > 0.5


def test_figures_of_probabilities():
    """.9 and .2 are right, .6 is wrong, and what has no chance counts as even, here right: 3/4."""
    utterances = Utterances(
        "x", ["a", "b", "c", "d"], [(POSITIVE,), (NEGATIVE,), (NEGATIVE,), (POSITIVE,)]
    )
    figures = binary_figures("x", "EC", utterances, np.array([0.9, 0.2, 0.6, np.nan]))
    assert figures.accuracy.value == pytest.approx(0.75)
    assert figures.n == 4


def test_a_draw_keeps_the_order():
    utterances = Utterances("x", list("abcdef"), [("y",)] * 6)
    sample = draw_groups(utterances, 3, seed=1)
    assert len(sample) == 3
    assert sample.text == sorted(sample.text)
    assert draw_groups(utterances, 9, seed=1) is utterances


def test_without_seeds_there_are_no_classifiers_of_ours(data):
    """Only counts and what evaluators say are left; the reason is told."""
    done = paper.reproduce(data, Request(seeds=0))
    assert "classifiers on the rebuilt mix: no seeds" in done.omissions
    assert any(cell.table.startswith("Table 1") for cell in done.cells)
