"""A personal model on made-up persons: what it finds, and that who they are is what does it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import sparse

from simpatico.errors import BadValue, DataError
from simpatico.features.users.model import Personal, Scaling
from simpatico.training.users.fit import How, fit_both, fit_personal, tempered
from simpatico.training.users.user_weights import Cases, Lessons, met
from simpatico.training.users.search import cut
from tests.training.users.people import PERSONS, habits, parts

SIDES = {target: parts(habits(target)) for target in ("chance", "score")}


@cache
def fitted(target: str, *, users: bool = True, absorb: bool = True) -> Personal:
    """A model of the made-up persons."""
    learn, check, _ = SIDES[target]
    return fit_personal(learn, check, how=How(target, users=users, absorb=absorb))


def right(model: Personal, cases) -> float:
    """How closely what a model says follows what happened."""
    told = model.of(cases.rows, cases.circumstances, cases.person).value
    return float(np.corrcoef(told, cases.y)[0, 1])


@pytest.mark.parametrize("target", ["chance", "score"])
def test_who_is_talked_to_helps_and_shuffled_names_do_not(target):
    """Persons differ by 1.5 spreads of what a text does; a name that means nothing adds nothing."""
    learn, check, last = SIDES[target]
    text, user = right(fitted(target, users=False), last), right(fitted(target), last)
    rng = np.random.default_rng(1)
    shuffled = [
        side._replace(person=list(rng.permutation(side.person))) for side in (learn, check, last)
    ]
    blind = right(fit_personal(*shuffled[:2], how=How(target)), shuffled[2])
    assert user > text + 0.1
    assert blind < text + 0.03


@pytest.mark.parametrize("target", ["chance", "score"])
def test_beside_a_model_stands_what_text_alone_learns(target):
    learn, check, last = SIDES[target]
    both = fit_both(learn, check, how=How(target))
    for one, other in zip(both, (fitted(target), fitted(target, users=False)), strict=True):
        told, wanted = (
            model.of(last.rows, last.circumstances, last.person) for model in (one, other)
        )
        assert told.value.tolist() == wanted.value.tolist()
        assert told.seen.tolist() == wanted.seen.tolist()


def test_scores_stay_between_the_ends_and_follow_what_is_true():
    last = SIDES["score"][2]
    model = replace(fitted("score"), ends=(-1.0, 1.0))
    told = model.of(last.rows, last.circumstances, last.person)
    assert (told.value.min(), told.value.max()) == (-1.0, 1.0)
    assert np.unique(told.seen).tolist() == [36]


def test_somebody_new_is_an_average_person_and_moves_towards_their_habit():
    last, model = SIDES["chance"][2], fitted("chance")
    new = last._replace(person=["new"] * len(last.y), y=np.ones(len(last.y)))
    before = model.of(new.rows, new.circumstances, new.person)
    nobody = model.of(new.rows, new.circumstances, [""] * len(new.y))
    assert before.seen.sum() == 0
    assert np.array_equal(before.value, nobody.value)
    after = met(model, new).of(new.rows, new.circumstances, new.person)
    assert after.value.mean() > before.value.mean() + 0.2
    assert set(after.seen) == {len(new.y)}


def test_persons_learn_from_the_checks_only_if_asked():
    with_them, without = fitted("score"), fitted("score", absorb=False)
    assert without.people.seen.tolist() == [32] * PERSONS
    assert with_them.people.seen.tolist() == [36] * PERSONS
    assert np.array_equal(with_them.shared, without.shared)


def test_chances_are_as_frequent_on_the_checks_as_they_say():
    """A slope and an offset that fit best make the mean chance the share of answers."""
    check, model = SIDES["chance"][1], fitted("chance", absorb=False)
    told = model.of(check.rows, check.circumstances, check.person).value
    assert told.mean() == pytest.approx(check.y.mean(), abs=1e-6)


NOISE = np.random.default_rng(0)
NUMBERS = {
    "separable": (np.array([0.5, 0.8, 1, 1.2, 1.8, 2, 2.2]), np.array([0, 0, 0, 0, 1, 1, 1])),
    "falling": (np.array([1, 1.2, 1.5, 2, 2.2, 2.5]), np.array([1, 1, 1, 1, 0, 0])),
    "noise": (NOISE.normal(3, 2, 40), (NOISE.random(40) < 0.25).astype(int)),
    "far apart": (NOISE.normal(0, 40, 40), (NOISE.random(40) < 0.5).astype(int)),
    "all the same": (np.full(4, 700.0), np.array([1, 0, 0, 0])),
}


def tempered_by(number, y) -> tuple[Personal, np.ndarray]:
    """A model whose number is the one circumstance, tempered, and what it says."""
    plain = Personal("chance", np.array([1.0, 0.0]), Scaling(np.zeros(1), np.ones(1)))
    rows, n = sparse.csr_matrix((len(y), 0)), len(y)
    model = tempered(plain, Cases(rows, number[:, None], [""] * n, y * 1.0, np.ones(n)))
    return model, model.of(rows, number[:, None], [""] * n).value


@pytest.mark.parametrize("kind", NUMBERS)
def test_the_mean_chance_is_the_share_answered_whatever_the_slope(kind):
    """That is what the best offset gives, also for a slope at its limit."""
    model, told = tempered_by(*NUMBERS[kind])
    assert told.mean() == pytest.approx(NUMBERS[kind][1].mean(), abs=1e-6)
    limit = {"separable": 4.0, "falling": 0.25}.get(kind)
    assert limit in (None, model.temper[0])


def test_slope_and_offset_by_hand():
    """Three answered of four at 1 and one of four at -1: the chances .75 and .25 are those of
    log 3 and -log 3, so that the slope is 1.098612 and the offset 0."""
    number = np.array([1.0] * 4 + [-1.0] * 4)
    model, _ = tempered_by(number, np.array([1, 1, 1, 0, 1, 0, 0, 0]))
    assert model.temper == pytest.approx((1.098612, 0), abs=1e-6)


def test_where_all_are_answered_a_chance_is_nearly_1():
    _, told = tempered_by(np.array([0.0, 1.0]), np.ones(2))
    assert told.mean() == pytest.approx(1, abs=2e-6)


def test_circumstances_that_lead_astray_are_left_out():
    """In what is learned from the first circumstance is the answer, in the checks its opposite."""
    learn, check, _ = parts(habits("score", spread=0.0))
    learn, check = (
        side._replace(circumstances=sign * side.y[:, None])
        for side, sign in ((learn, 1.0), (check, -1.0))
    )
    model = fit_personal(learn, check, how=How("score", users=False))
    assert abs(model.shared[-2]) < 1e-3


def test_what_is_far_from_all_examples_counts_as_three_spreads():
    """Without this a person's own weights run away where nobody has been."""
    last, model = SIDES["chance"][2], fitted("chance")
    far, farther = (
        model.of(last.rows, last.circumstances + shift, last.person).value for shift in (50, 500)
    )
    assert np.array_equal(far, farther)


def test_what_follows_a_cut_is_foretold_from_what_is_before_it():
    """Cut after half of eight lessons: four to learn from, then the next two tenths, 1.6 of eight."""
    who = np.tile(np.arange(2), 8)
    lessons = Lessons(np.ones((16, 1)), np.zeros(16), np.arange(16.0), np.ones(16), who, 2)
    learn, check = cut(lessons, 0.5)
    assert learn.y.tolist() == list(range(8))
    assert check.y.tolist() == [8, 9, 10, 11]


def test_examples_that_teach_nothing_are_refused():
    learn, check, _ = parts(habits("chance"))
    nothing = learn.some(np.zeros(0, np.int64))
    same = check._replace(y=np.ones(len(check.y)))
    with pytest.raises(DataError) as told:
        fit_personal(nothing, check, how=How("chance"))
    assert str(told.value) == "no examples to learn from; give more, or split them otherwise"
    with pytest.raises(DataError) as told:
        fit_personal(learn, same, how=How("chance"))
    assert str(told.value) == ("all 120 examples to check by are answered; both kinds are needed")
    flat = learn._replace(y=np.full(len(learn.y), 4.0))
    with pytest.raises(BadValue) as told:
        fit_personal(flat, check, how=How("score"))
    assert str(told.value) == "all 960 scores to learn from are 4; they must differ"
