"""A user-aware model of made-up users: what it finds, and that who they are is what does it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import sparse

from simpatico.errors import BadValue, DataError
from simpatico.features.users.model import Standardizer, UserModel
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.fit import (
    FitSettings,
    calibrate,
    fit_both_models,
    fit_user_model,
    predict_examples,
)
from simpatico.training.users.search import cut_each_user
from simpatico.training.users.user_weights import UserDesign, update_users
from tests.training.users.made_up_users import USERS, habits, parts

SPLITS = {target: parts(habits(target)) for target in ("chance", "score")}


@cache
def fitted(target: str, *, per_user: bool = True, update: bool = True) -> UserModel:
    """A model of the made-up users."""
    train, validation, _ = SPLITS[target]
    settings = FitSettings(target, per_user=per_user, update_on_validation=update)
    return fit_user_model(train, validation, settings=settings)


def correlation(model: UserModel, examples) -> float:
    """How closely predictions follow what happened."""
    return float(np.corrcoef(predict_examples(model, examples), examples.y)[0, 1])


@pytest.mark.parametrize("target", ["chance", "score"])
def test_who_is_talked_to_helps_and_shuffled_names_do_not(target):
    """Users differ by 1.5 SDs of what a text does; a name that means nothing adds nothing."""
    train, validation, last = SPLITS[target]
    text, user = (
        correlation(fitted(target, per_user=False), last),
        correlation(fitted(target), last),
    )
    rng = np.random.default_rng(1)
    shuffled = [
        side._replace(user=list(rng.permutation(side.user))) for side in (train, validation, last)
    ]
    without_signal = correlation(
        fit_user_model(*shuffled[:2], settings=FitSettings(target)), shuffled[2]
    )
    assert user > text + 0.1
    assert without_signal < text + 0.03


@pytest.mark.parametrize("target", ["chance", "score"])
def test_beside_a_model_stands_what_text_alone_learns(target):
    train, validation, last = SPLITS[target]
    both = fit_both_models(train, validation, settings=FitSettings(target))
    for one, other in zip(both, (fitted(target), fitted(target, per_user=False)), strict=True):
        predicted, wanted = (
            model.predict(last.rows, last.covariates, last.user) for model in (one, other)
        )
        assert predicted.value.tolist() == wanted.value.tolist()
        assert predicted.n_examples.tolist() == wanted.n_examples.tolist()


def test_scores_stay_between_the_ends_and_follow_what_is_true():
    last = SPLITS["score"][2]
    model = replace(fitted("score"), bounds=(-1.0, 1.0))
    predicted = model.predict(last.rows, last.covariates, last.user)
    assert (predicted.value.min(), predicted.value.max()) == (-1.0, 1.0)
    assert np.unique(predicted.n_examples).tolist() == [36]


def test_somebody_new_is_an_average_person_and_moves_towards_their_habit():
    last, model = SPLITS["chance"][2], fitted("chance")
    new = last._replace(user=["new"] * len(last.y), y=np.ones(len(last.y)))
    before = model.predict(new.rows, new.covariates, new.user)
    nobody = model.predict(new.rows, new.covariates, [""] * len(new.y))
    assert before.n_examples.sum() == 0
    assert np.array_equal(before.value, nobody.value)
    after = update_users(model, new).predict(new.rows, new.covariates, new.user)
    assert after.value.mean() > before.value.mean() + 0.2
    assert set(after.n_examples) == {len(new.y)}


def test_persons_learn_from_the_checks_only_if_asked():
    with_them, without = fitted("score"), fitted("score", update=False)
    assert without.users.n_examples.tolist() == [32] * USERS
    assert with_them.users.n_examples.tolist() == [36] * USERS
    assert np.array_equal(with_them.shared, without.shared)


def test_chances_are_as_frequent_on_the_checks_as_they_say():
    """A slope and an offset that fit best make the mean chance the share of answers."""
    validation, model = SPLITS["chance"][1], fitted("chance", update=False)
    predicted = model.predict(validation.rows, validation.covariates, validation.user).value
    assert predicted.mean() == pytest.approx(validation.y.mean(), abs=1e-6)


NOISE = np.random.default_rng(0)
NUMBERS = {
    "separable": (np.array([0.5, 0.8, 1, 1.2, 1.8, 2, 2.2]), np.array([0, 0, 0, 0, 1, 1, 1])),
    "falling": (np.array([1, 1.2, 1.5, 2, 2.2, 2.5]), np.array([1, 1, 1, 1, 0, 0])),
    "noise": (NOISE.normal(3, 2, 40), (NOISE.random(40) < 0.25).astype(int)),
    "far apart": (NOISE.normal(0, 40, 40), (NOISE.random(40) < 0.5).astype(int)),
    "all the same": (np.full(4, 700.0), np.array([1, 0, 0, 0])),
}


def calibrate_by_hand(number, y) -> tuple[UserModel, np.ndarray]:
    """A calibrated model whose logit is its one covariate, and its predictions."""
    plain = UserModel("chance", np.array([1.0, 0.0]), Standardizer(np.zeros(1), np.ones(1)))
    rows, n = sparse.csr_matrix((len(y), 0)), len(y)
    model = calibrate(plain, UserExamples(rows, number[:, None], [""] * n, y * 1.0, np.ones(n)))
    return model, model.predict(rows, number[:, None], [""] * n).value


@pytest.mark.parametrize("kind", NUMBERS)
def test_the_mean_chance_is_the_share_answered_whatever_the_slope(kind):
    """That is what the best offset gives, also for a slope at its limit."""
    model, predicted = calibrate_by_hand(*NUMBERS[kind])
    assert predicted.mean() == pytest.approx(NUMBERS[kind][1].mean(), abs=1e-6)
    limit = {"separable": 4.0, "falling": 0.25}.get(kind)
    assert limit in (None, model.calibration[0])


def test_slope_and_offset_by_hand():
    """Three answered of four at 1 and one of four at -1: the chances .75 and .25 are those of
    log 3 and -log 3, so that the slope is 1.098612 and the offset 0."""
    number = np.array([1.0] * 4 + [-1.0] * 4)
    model, _ = calibrate_by_hand(number, np.array([1, 1, 1, 0, 1, 0, 0, 0]))
    assert model.calibration == pytest.approx((1.098612, 0), abs=1e-6)


def test_where_all_are_answered_a_chance_is_nearly_1():
    _, predicted = calibrate_by_hand(np.array([0.0, 1.0]), np.ones(2))
    assert predicted.mean() == pytest.approx(1, abs=2e-6)


def test_circumstances_that_lead_astray_are_left_out():
    """In what is learned from the first circumstance is the answer, in the checks its opposite."""
    train, validation, _ = parts(habits("score", spread=0.0))
    train, validation = (
        side._replace(covariates=sign * side.y[:, None])
        for side, sign in ((train, 1.0), (validation, -1.0))
    )
    model = fit_user_model(train, validation, settings=FitSettings("score", per_user=False))
    assert abs(model.shared[-2]) < 1e-3


def test_what_is_far_from_all_examples_counts_as_three_spreads():
    """Without this a person's own weights run away where nobody has been."""
    last, model = SPLITS["chance"][2], fitted("chance")
    far, farther = (
        model.predict(last.rows, last.covariates + shift, last.user).value for shift in (50, 500)
    )
    assert np.array_equal(far, farther)


def test_what_follows_a_cut_is_foretold_from_what_is_before_it():
    """Cut after half of eight lessons: four to learn from, then the next two tenths, 1.6 of eight."""
    who = np.tile(np.arange(2), 8)
    design = UserDesign(np.ones((16, 1)), np.zeros(16), np.arange(16.0), np.ones(16), who, 2)
    train, validation = cut_each_user(design, 0.5)
    assert train.y.tolist() == list(range(8))
    assert validation.y.tolist() == [8, 9, 10, 11]


def test_examples_that_teach_nothing_are_refused():
    train, validation, _ = parts(habits("chance"))
    nothing = train.take(np.zeros(0, np.int64))
    same = validation._replace(y=np.ones(len(validation.y)))
    with pytest.raises(DataError) as error:
        fit_user_model(nothing, validation, settings=FitSettings("chance"))
    assert str(error.value) == "the training set is empty; give more data, or split it otherwise"
    with pytest.raises(DataError) as error:
        fit_user_model(train, same, settings=FitSettings("chance"))
    assert str(error.value) == (
        "all 120 turns of the validation set have a reply; both kinds are needed"
    )
    flat = train._replace(y=np.full(len(train.y), 4.0))
    with pytest.raises(BadValue) as error:
        fit_user_model(flat, validation, settings=FitSettings("score"))
    assert str(error.value) == "all 960 training scores are 4; they must differ"
