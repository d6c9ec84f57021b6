"""Per-user weights: by hand, against scipy, and updated in parts or at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from simpatico.features.users.model import Standardizer, UserModel, UserWeights
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.user_weights import (
    Quadratic,
    UserDesign,
    fit_user_weights,
    later_examples,
    update_users,
)

NONE = Standardizer(np.zeros(0), np.ones(0))


def model(target="score", *, penalty=1.0, discount=1.0):
    """Nothing is shared, and users have an intercept."""
    return UserModel(
        target,
        np.zeros(1),
        NONE,
        terms=(0,),
        penalty=np.array([penalty]),
        discount=discount,
        users=UserWeights.empty(1),
    )


def examples(*pairs):
    """Examples of users and their targets."""
    n = len(pairs)
    y = np.array([value for _, value in pairs], float)
    rows = sparse.csr_matrix((n, 0))
    return UserExamples(rows, np.zeros((n, 0)), [name for name, _ in pairs], y, np.ones(n))


def intercept(model, name):
    return model.users.mean[model.users.row_of[name], 0]


def test_an_offset_by_hand():
    """Residuals 2 and 4, penalty 1: 6 / (2 + 1) = 2; with one more of 6: 12 / (3 + 1) = 3."""
    two = update_users(model(), examples(("ann", 2), ("ann", 4)))
    assert intercept(two, "ann") == pytest.approx(2)
    assert intercept(update_users(two, examples(("ann", 6))), "ann") == pytest.approx(3)
    assert two.users.n_examples.tolist() == [2]


def test_old_examples_fade_by_hand():
    """Discount .5: 2 counts a half of 4: (1 + 4) / (1.5 + 1) = 2."""
    assert intercept(
        update_users(model(discount=0.5), examples(("ann", 2), ("ann", 4))), "ann"
    ) == pytest.approx(2)


def test_a_chance_by_hand():
    """One reply, penalty 1: u makes 1 - 1 / (1 + exp(-u)) = u, which is u = .401058."""
    result = intercept(update_users(model("chance"), examples(("ann", 1))), "ann")
    assert result == pytest.approx(0.401058, abs=1e-6)
    assert 1 - 1 / (1 + np.exp(-result)) == pytest.approx(result)


def test_nobody_is_no_person():
    assert update_users(model(), examples(("", 3.0))).users.row_of == {}


def test_who_is_not_spoken_of_stays_to_the_last_bit():
    first = update_users(model(discount=0.9), examples(("ann", 2), ("bob", 1)))
    second = update_users(first, examples(("bob", 5)))
    assert second.users.mean[0].tolist() == first.users.mean[0].tolist()
    assert second.users.curvature[0].tolist() == first.users.curvature[0].tolist()


def test_ages_count_later_examples_of_the_same_person():
    assert later_examples(np.array([0, 1, 0, 0, 1])).tolist() == [2, 1, 1, 0, 0]


pairs_of_users = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", "cyd"]), st.floats(-5, 5, width=16)), max_size=12
)


@given(
    one=pairs_of_users,
    other=pairs_of_users,
    discount=st.sampled_from([1.0, 0.9, 0.5]),
    penalty=st.sampled_from([0.3, 3.0]),
)
@settings(max_examples=50, deadline=None)
def test_scores_one_part_after_the_other_are_all_at_once(one, other, discount, penalty):
    start = model(discount=discount, penalty=penalty)
    together = update_users(start, examples(*one, *other)).users
    apart = update_users(update_users(start, examples(*one)), examples(*other)).users
    assert apart.row_of == together.row_of
    for ours, theirs in zip(apart[1:], together[1:], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_chances_one_part_after_the_other_are_nearly_all_at_once():
    answers = [("ann", float(at % 3 == 0)) for at in range(30)]
    start = model("chance")
    together = intercept(update_users(start, examples(*answers)), "ann")
    apart = intercept(
        update_users(update_users(start, examples(*answers[:20])), examples(*answers[20:])), "ann"
    )
    assert apart == pytest.approx(together, abs=0.01)
    assert together == pytest.approx(np.log(0.5), abs=0.1)


def test_several_weights_are_those_of_ridge_regression():
    """Computed a second way: (Z'Z + penalty) u = Z'r for each person by itself."""
    rng = np.random.default_rng(3)
    about, y = rng.uniform(-2, 2, (20, 2)), rng.standard_normal(20)
    start = UserModel(
        "score",
        np.array([0.2, 0.0, 0.1]),
        Standardizer(np.zeros(2), np.ones(2)),
        (0.1, 0.5),
        (0, 1, 3),
        np.array([1.0, 2.0, 3.0]),
        users=UserWeights.empty(3),
    )
    data = UserExamples(sparse.csr_matrix((20, 0)), about, ["ann", "bob"] * 10, y, np.ones(20))
    result = update_users(start, data).users
    plain = 0.1 + 0.2 * about[:, 0]
    z = np.stack([np.ones(20), (plain - 0.1) / 0.5, about[:, 1]], axis=1)
    for at in range(2):
        own_z, rest = z[at::2], (y - plain)[at::2]
        expected = np.linalg.solve(own_z.T @ own_z + np.diag([1.0, 2.0, 3.0]), own_z.T @ rest)
        assert result.mean[at] == pytest.approx(expected)


def hard(persons=10, width=18, *, seed=1):
    """Few examples of each person for many weights, and shared numbers that are far from them."""
    rng = np.random.default_rng(seed)
    n = 20 * persons
    z = np.clip(rng.normal(size=(n, width)), -3, 3)
    z[:, 0] = 1
    plain, true = 2 * rng.normal(size=n) - 1, 0.7 * rng.normal(size=(persons, width))
    who = rng.integers(0, persons, n)
    chance = 1 / (1 + np.exp(-plain - (z * true[who]).sum(axis=1)))
    return UserDesign(z, plain, (rng.random(n) < chance) * 1.0, np.ones(n), who, persons)


@pytest.mark.parametrize("known", [0.0, 0.5])
def test_weights_of_chances_are_those_of_least_loss(known):
    """Computed a second way: each person's loss by itself, made least by scipy's BFGS; steps that
    are not held back end at losses up to hundreds above. Earlier examples are u A u / 2 - b u."""
    design, penalty = hard(), np.full(18, 0.3)
    before = Quadratic(np.tile(known * np.eye(18), (10, 1, 1)), np.full((10, 18), known))
    mean, _ = fit_user_weights(design, before, penalty, "chance")
    for person in range(10):
        z, plain, y = (part[design.user == person] for part in design[:3])

        def loss(u, z=z, plain=plain, y=y):
            number = plain + z @ u
            parabola = (known + penalty) @ (u * u) / 2 - known * u.sum()
            return (np.logaddexp(0, number) - y * number).sum() + parabola

        least = minimize(loss, np.zeros(18), method="BFGS", options={"gtol": 1e-7})
        assert loss(mean[person]) == pytest.approx(least.fun, abs=1e-6)
        assert mean[person] == pytest.approx(least.x, abs=1e-4)


@given(plain=st.floats(-30, 30), answers=st.integers(0, 6), penalty=st.sampled_from([0.3, 3.0]))
@settings(max_examples=60, deadline=None)
def test_an_offset_ends_where_what_is_told_is_what_happened(plain, answers, penalty):
    """There the slope of the loss is 0, however far from the answers the shared number is."""
    y = (np.arange(6) < answers) * 1.0
    design = UserDesign(np.ones((6, 1)), np.full(6, plain), y, np.ones(6), np.zeros(6, np.int64), 1)
    (((u,),), _) = fit_user_weights(design, Quadratic.zero(1, 1), np.array([penalty]), "chance")
    share = 1 / (1 + np.exp(-plain - u))
    assert 6 * share - answers + penalty * u == pytest.approx(0, abs=1e-6)
