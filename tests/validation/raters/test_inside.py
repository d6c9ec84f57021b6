"""Who took part against who looked on, by hand."""

import numpy as np
import pytest

from simpatico.judgements import Judgement, Judgements
from simpatico.stats.bootstrap import bootstrap
from simpatico.validation.raters.outside_view__inside import inside_outside

INSIDE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
ONE = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
OTHER = [3, 2, 5, 4, 7, 6, 9, 8, 11, 10]


def judged(kind, values, judge, dialogs=None, quality="good"):
    return [
        Judgement(f"d{(dialogs or range(len(values)))[i]}", i, "bot", quality, judge, kind, v)
        for i, v in enumerate(values)
    ]


def everybody(dialogs=None):
    return [
        *judged("interlocutor", INSIDE, "me", dialogs),
        *judged("outsider", ONE, "a", dialogs),
        *judged("expert", OTHER, "b", dialogs),
    ]


def test_by_hand():
    """Means of the onlookers: 2 1 4 3 6 5 8 7 10 9, each pair of 1..10 swapped.

    Σd² = 10, r = 1 - 6 x 10 / (10 x 99) = 31/33 = .9393939 (values are ranks here); atanh r =
    ½ ln 32 = 1.7328680; ± 1.9599640 / √7 = .7407968: tanh .9920712 = .7582441, tanh 2.4736647 =
    .9858955.
    """
    (row,) = inside_outside(Judgements.of(everybody()), "good")
    assert (row.quality, row.score, row.n, row.status) == ("good", "inside_outside", 10, "ok")
    assert row.value == pytest.approx(31 / 33, abs=1e-12)
    assert (row.low, row.high) == pytest.approx((0.7582441, 0.9858955), abs=1e-6)
    assert row.method == (
        "Pearson r, Fisher interval; the interlocutor with the mean of those who looked on"
    )


def test_units_of_one_dialog_are_drawn_together():
    dialogs = [i // 2 for i in range(24)]
    x, y = np.arange(24) * 7 % 11 / 1.0, np.arange(24) * 5 % 13 / 1.0
    given = judged("interlocutor", list(x), "me", dialogs)
    given += judged("outsider", list(y), "a", dialogs)
    (row,) = inside_outside(Judgements.of(given), "good", seed=3)
    order = np.lexsort([np.arange(24), [f"d{d}" for d in dialogs]])
    told = bootstrap(x[order], y[order], np.array([f"d{d}" for d in dialogs])[order], seed=3)
    assert (row.value, row.low, row.high) == (told.value, told.low, told.high)
    assert row.method.startswith("Pearson r, bootstrap of 12 clusters")


def test_the_order_of_judgements_changes_nothing():
    whole = Judgements.of(everybody([i // 2 for i in range(10)]))
    mixed = Judgements(whole.frame.sample(fraction=1, shuffle=True, seed=5))
    assert inside_outside(whole, "good") == inside_outside(mixed, "good")


@pytest.mark.parametrize(
    "given",
    [
        everybody()[:-1] + judged("outsider", [None] * 10, "c"),
        judged("interlocutor", INSIDE[:9], "me") + judged("outsider", ONE, "a"),
        judged("interlocutor", INSIDE, "me") + judged("model", ONE, "a"),
        judged("interlocutor", INSIDE, "me") + judged(None, ONE, "a"),
        judged("interlocutor", INSIDE, "me") + judged("outsider", ONE, "a", quality="other"),
        judged("outsider", INSIDE, "me") + judged("expert", ONE, "a"),
    ],
)
def test_what_is_not_counted(given):
    """No row: nine units with both, only a model, nobody knows who, another quality, all outside.

    The first has all ten: a judge who did not rate changes nothing.
    """
    told = inside_outside(Judgements.of(given), "good")
    assert [r.n for r in told] == ([10] if len(given) == 39 else [])


def test_ratings_that_never_vary_say_so():
    given = judged("interlocutor", [3.0] * 10, "me") + judged("outsider", ONE, "a")
    (row,) = inside_outside(Judgements.of(given), "good")
    assert (row.value, row.low, row.status, row.n) == (None, None, "degenerate", 10)
