"""Scores by hand, in spreads of 2 around a mean of 4: -1, 2 more for a question, 1.5 for ann."""

import math

import pytest

from simpatico import load, score
from simpatico.errors import DataError
from simpatico.metric import missing_resource
from tests.conftest import talk
from tests.metrics.user_models import by_hand, folder

MODEL = folder(by_hand("score", target_scale=(4.0, 2.0), bounds=(1.0, 7.0)))
METRIC = load("interlocutor_score", model=MODEL)


def test_scores_by_hand_stay_on_their_scale():
    """To ann: "why?" 4 + 2 * 2.5 = 9, cut to 7; "well" 4 + 2 * .5 = 5. "why?" to cyd: 6."""
    turns = talk("ann: tea", "bob: why?", "ann: tea", "bob: well", "cyd: tea", "bob: why?")
    table = score(turns, [METRIC]).at("turn")
    assert table[METRIC.name].to_list()[1::2] == pytest.approx([7.0, 5.0, 6.0])
    known_flags = table[METRIC.scores[3].name].to_list()
    assert known_flags == [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]


def test_the_range_is_that_of_the_scale_and_open_without_a_model():
    assert [spec.range for spec in METRIC.scores] == [(1.0, 7.0)] * 3 + [(0.0, 1.0)]
    assert load("interlocutor_score", model="path:/no").scores[0].range == (-math.inf, math.inf)


def test_a_model_that_is_not_here_is_a_sentence():
    assert missing_resource(load("interlocutor_score", model="path:/no/where")) == (
        "interlocutor_score needs a trained model and there is none at 'path:/no/where': train "
        "one with `simpatico train interlocutor --data DIALOGS --out MODEL`, then add "
        "`--set interlocutor_score.model=path:MODEL`"
    )


def test_a_model_of_chances_is_refused():
    other = folder(by_hand())
    with pytest.raises(DataError) as error:
        score(talk("x: do", "y: tea"), [load("interlocutor_score", model=other)])
    where = other.removeprefix("path:")
    assert str(error.value) == (
        f"{where}/recipe.json: a model from `train continuity`; one from "
        "`train interlocutor` is needed"
    )
