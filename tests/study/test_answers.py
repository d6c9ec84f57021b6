"""Answers: once however often they are sent, never overwritten."""

import pytest

from simpatico.errors import DataError
from simpatico.study import schema as db
from simpatico.study.answers import latest_answers
from simpatico.study.store import Conflict, Gone
from tests.study.conftest import OVERALL, WARMTH, Study, design_of, dialog_of


@pytest.fixture
def study(store):
    return Study(store, design_of(WARMTH, OVERALL), [dialog_of("d")], 3)


def test_the_same_key_again_adds_nothing(study, clock):
    unit = study.take("r001").unit
    assert study.answer("r001", unit, "overall", 10, key="k" * 16) == 1
    assert study.answer("r001", unit, "overall", 20, revision=1) == 2
    assert study.answer("r001", unit, "overall", 10, key="k" * 16) == 1
    rows = study.store.rows("s", db.ANSWERS)[0]
    assert sorted((row.revision, row.value) for row in rows) == [(1, 10), (2, 20)]
    # also when somebody else has got the unit in the meantime: it was saved
    clock.now += 7200
    for name in ("r002", "r003"):
        assert study.take(name).unit == unit
    assert study.answer("r001", unit, "overall", 10, key="k" * 16) == 1


def test_a_key_of_another_answer_is_refused_rather_than_taken_for_saved(study):
    unit = study.take("r001").unit
    study.answer("r001", unit, "overall", 10, key="k" * 16)
    for change in ({"value": 11}, {"question": "warmth", "turn": 1}):
        facts = {"question": "overall", "value": 10, "turn": -1, **change}
        with pytest.raises(DataError) as caught:
            study.answer("r001", unit, key="k" * 16, **facts)
        assert str(caught.value) == (
            "the key of this answer belongs to another one; make a new key"
        )


def test_an_answer_to_an_older_revision_conflicts_and_both_stay_in_the_history(study):
    unit = study.take("r001").unit
    study.answer("r001", unit, "warmth", 3, turn=1)
    study.answer("r001", unit, "warmth", 4, turn=1, revision=1)
    with pytest.raises(Conflict) as caught:
        study.answer("r001", unit, "warmth", 5, turn=1, revision=1)
    assert str(caught.value) == "this question was answered elsewhere in the meantime"
    assert caught.value.latest == {
        "turn": 1, "question": "warmth", "value": 4, "state": "given", "revision": 2,
    }  # fmt: skip
    rows = study.store.rows("s", db.ANSWERS)[0]
    assert sorted((row.revision, row.value) for row in rows) == [(1, 3), (2, 4)]
    with pytest.raises(Conflict) as caught:
        study.answer("r001", unit, "overall", 5, revision=7)
    assert caught.value.latest == {"revision": 0}
    assert [row.value for row in latest_answers(study.store, study.rater("r001"), unit)] == [4]


def test_a_unit_of_somebody_else_cannot_be_answered(study):
    unit = study.take("r001").unit
    with pytest.raises(Gone) as caught:
        study.answer("r002", unit, "overall", 1)
    assert str(caught.value) == "this unit is not yours"


def test_an_answer_can_be_changed_after_the_unit_is_finished(study, clock):
    unit = study.take("r001").unit
    study.answer("r001", unit, "overall", 1)
    study.finish("r001", unit)
    clock.now += 1e6
    assert study.answer("r001", unit, "overall", 2, revision=1) == 2
