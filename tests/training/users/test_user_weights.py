"""Weights of persons: worked out by hand, moved by examples, one part after another or at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from simpatico.features.users.model import People, Personal, Scaling
from simpatico.training.users.user_weights import Before, Cases, Lessons, ages, believed, met

NONE = Scaling(np.zeros(0), np.ones(0))


def model(target="score", *, pull=1.0, discount=1.0):
    """Nothing is shared, and a person has an offset."""
    return Personal(
        target,
        np.zeros(1),
        NONE,
        own=(0,),
        pull=np.array([pull]),
        discount=discount,
        people=People.nobody(1),
    )


def seen(*pairs):
    """Cases of persons and what they gave."""
    n = len(pairs)
    y = np.array([value for _, value in pairs], float)
    rows = sparse.csr_matrix((n, 0))
    return Cases(rows, np.zeros((n, 0)), [name for name, _ in pairs], y, np.ones(n))


def own(found, name):
    return found.people.mean[found.people.place[name], 0]


def test_an_offset_by_hand():
    """Residuals 2 and 4, pull 1: 6 / (2 + 1) = 2; with one more of 6: 12 / (3 + 1) = 3."""
    two = met(model(), seen(("ann", 2), ("ann", 4)))
    assert own(two, "ann") == pytest.approx(2)
    assert own(met(two, seen(("ann", 6))), "ann") == pytest.approx(3)
    assert two.people.seen.tolist() == [2]


def test_old_examples_fade_by_hand():
    """Discount .5: 2 counts a half of 4: (1 + 4) / (1.5 + 1) = 2."""
    assert own(met(model(discount=0.5), seen(("ann", 2), ("ann", 4))), "ann") == pytest.approx(2)


def test_a_chance_by_hand():
    """One answer, pull 1: u makes 1 - 1 / (1 + exp(-u)) = u, which is u = .401058."""
    found = own(met(model("chance"), seen(("ann", 1))), "ann")
    assert found == pytest.approx(0.401058, abs=1e-6)
    assert 1 - 1 / (1 + np.exp(-found)) == pytest.approx(found)


def test_nobody_is_no_person():
    assert met(model(), seen(("", 3.0))).people.place == {}


def test_who_is_not_spoken_of_stays_to_the_last_bit():
    first = met(model(discount=0.9), seen(("ann", 2), ("bob", 1)))
    second = met(first, seen(("bob", 5)))
    assert second.people.mean[0].tolist() == first.people.mean[0].tolist()
    assert second.people.curvature[0].tolist() == first.people.curvature[0].tolist()


def test_ages_count_later_examples_of_the_same_person():
    assert ages(np.array([0, 1, 0, 0, 1])).tolist() == [2, 1, 1, 0, 0]


given_cases = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", "cyd"]), st.floats(-5, 5, width=16)), max_size=12
)


@given(
    one=given_cases,
    other=given_cases,
    discount=st.sampled_from([1.0, 0.9, 0.5]),
    pull=st.sampled_from([0.3, 3.0]),
)
@settings(max_examples=50, deadline=None)
def test_scores_one_part_after_the_other_are_all_at_once(one, other, discount, pull):
    start = model(discount=discount, pull=pull)
    together = met(start, seen(*one, *other)).people
    apart = met(met(start, seen(*one)), seen(*other)).people
    assert apart.place == together.place
    for ours, theirs in zip(apart[1:], together[1:], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_chances_one_part_after_the_other_are_nearly_all_at_once():
    answers = [("ann", float(at % 3 == 0)) for at in range(30)]
    start = model("chance")
    together = own(met(start, seen(*answers)), "ann")
    apart = own(met(met(start, seen(*answers[:20])), seen(*answers[20:])), "ann")
    assert apart == pytest.approx(together, abs=0.01)
    assert together == pytest.approx(np.log(0.5), abs=0.1)


def test_several_weights_are_those_of_ridge_regression():
    """Computed a second way: (Z'Z + pull) u = Z'r for each person by itself."""
    rng = np.random.default_rng(3)
    about, y = rng.uniform(-2, 2, (20, 2)), rng.standard_normal(20)
    start = Personal(
        "score",
        np.array([0.2, 0.0, 0.1]),
        Scaling(np.zeros(2), np.ones(2)),
        (0.1, 0.5),
        (0, 1, 3),
        np.array([1.0, 2.0, 3.0]),
        people=People.nobody(3),
    )
    cases = Cases(sparse.csr_matrix((20, 0)), about, ["ann", "bob"] * 10, y, np.ones(20))
    found = met(start, cases).people
    plain = 0.1 + 0.2 * about[:, 0]
    z = np.stack([np.ones(20), (plain - 0.1) / 0.5, about[:, 1]], axis=1)
    for at in range(2):
        own_z, rest = z[at::2], (y - plain)[at::2]
        expected = np.linalg.solve(own_z.T @ own_z + np.diag([1.0, 2.0, 3.0]), own_z.T @ rest)
        assert found.mean[at] == pytest.approx(expected)


def hard(persons=10, width=18, *, seed=1):
    """Few examples of each person for many weights, and shared numbers that are far from them."""
    rng = np.random.default_rng(seed)
    n = 20 * persons
    z = np.clip(rng.normal(size=(n, width)), -3, 3)
    z[:, 0] = 1
    plain, true = 2 * rng.normal(size=n) - 1, 0.7 * rng.normal(size=(persons, width))
    who = rng.integers(0, persons, n)
    chance = 1 / (1 + np.exp(-plain - (z * true[who]).sum(axis=1)))
    return Lessons(z, plain, (rng.random(n) < chance) * 1.0, np.ones(n), who, persons)


@pytest.mark.parametrize("known", [0.0, 0.5])
def test_weights_of_chances_are_those_of_least_loss(known):
    """Computed a second way: each person's loss by itself, made least by scipy's BFGS; steps that
    are not held back end at losses up to hundreds above. Earlier examples are u A u / 2 - b u."""
    lessons, pull = hard(), np.full(18, 0.3)
    before = Before(np.tile(known * np.eye(18), (10, 1, 1)), np.full((10, 18), known))
    mean, _ = believed(lessons, before, pull, "chance")
    for person in range(10):
        z, plain, y = (part[lessons.who == person] for part in lessons[:3])

        def loss(u, z=z, plain=plain, y=y):
            number = plain + z @ u
            parabola = (known + pull) @ (u * u) / 2 - known * u.sum()
            return (np.logaddexp(0, number) - y * number).sum() + parabola

        least = minimize(loss, np.zeros(18), method="BFGS", options={"gtol": 1e-7})
        assert loss(mean[person]) == pytest.approx(least.fun, abs=1e-6)
        assert mean[person] == pytest.approx(least.x, abs=1e-4)


@given(plain=st.floats(-30, 30), answers=st.integers(0, 6), pull=st.sampled_from([0.3, 3.0]))
@settings(max_examples=60, deadline=None)
def test_an_offset_ends_where_what_is_told_is_what_happened(plain, answers, pull):
    """There the slope of the loss is 0, however far from the answers the shared number is."""
    y = (np.arange(6) < answers) * 1.0
    lessons = Lessons(np.ones((6, 1)), np.full(6, plain), y, np.ones(6), np.zeros(6, np.int64), 1)
    (((u,),), _) = believed(lessons, Before.nothing(1, 1), np.array([pull]), "chance")
    share = 1 / (1 + np.exp(-plain - u))
    assert 6 * share - answers + pull * u == pytest.approx(0, abs=1e-6)
