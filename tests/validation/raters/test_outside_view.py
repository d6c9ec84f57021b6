"""One onlooker, their mean, and endlessly many, held against who took part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from simpatico.judgements import Judgement, Judgements
from simpatico.readers.judgement_files import read_judgements
from simpatico.stats.bootstrap import SUM_DRAWS
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.draws import draw_counts
from simpatico.validation.raters.outside_view import interlocutor_outsiders_row, outsider_rows

INSIDE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
ONE = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
OTHER = [3, 2, 5, 4, 7, 6, 9, 8, 11, 10]


def judgements_of(kind, values, judge, dialogs=None, quality="good"):
    return [
        Judgement(f"d{(dialogs or range(len(values)))[i]}", i, "bot", quality, judge, kind, v)
        for i, v in enumerate(values)
    ]


def everybody(dialogs=None):
    return [
        *judgements_of("interlocutor", INSIDE, "me", dialogs),
        *judgements_of("outsider", ONE, "a", dialogs),
        *judgements_of("expert", OTHER, "b", dialogs),
    ]


def test_the_mean_of_outsiders_by_hand():
    """Means of the onlookers: 2 1 4 3 6 5 8 7 10 9, each pair of 1..10 swapped.

    Σd² = 10, r = 1 - 6 x 10 / (10 x 99) = 31/33 = .9393939 (values are ranks here); atanh r =
    ½ ln 32 = 1.7328680; ± 1.9599640 / √7 = .7407968: tanh .9920712 = .7582441, tanh 2.4736647 =
    .9858955.
    """
    (row,) = interlocutor_outsiders_row(Judgements.of(everybody()), "good")
    assert (row.quality, row.score, row.n, row.status) == ("good", "inside_outside", 10, "ok")
    assert row.value == pytest.approx(31 / 33, abs=1e-12)
    assert (row.low, row.high) == pytest.approx((0.7582441, 0.9858955), abs=1e-6)
    assert row.method == (
        "Pearson r, Fisher interval; the interlocutor with the mean of those who looked on"
    )


def test_units_of_one_dialog_are_drawn_together():
    dialogs = [i // 2 for i in range(24)]
    x, y = np.arange(24) * 7 % 11 / 1.0, np.arange(24) * 5 % 13 / 1.0
    judgements = judgements_of("interlocutor", list(x), "me", dialogs)
    judgements += judgements_of("outsider", list(y), "a", dialogs)
    (row,) = interlocutor_outsiders_row(Judgements.of(judgements), "good", seed=3)
    order = np.lexsort([np.arange(24), [f"d{d}" for d in dialogs]])
    expected = bootstrap_correlation(
        x[order], y[order], np.array([f"d{d}" for d in dialogs])[order], seed=3
    )
    assert (row.value, row.low, row.high) == (expected.value, expected.low, expected.high)
    assert row.method.startswith("Pearson r, bootstrap of 12 clusters")


def test_the_order_of_judgements_changes_nothing():
    judgements = Judgements.of(everybody([i // 2 for i in range(10)]))
    permutation = Judgements(judgements.frame.sample(fraction=1, shuffle=True, seed=5))
    assert interlocutor_outsiders_row(judgements, "good") == interlocutor_outsiders_row(
        permutation, "good"
    )


@pytest.mark.parametrize(
    "judgements",
    [
        everybody()[:-1] + judgements_of("outsider", [None] * 10, "c"),
        judgements_of("interlocutor", INSIDE[:9], "me") + judgements_of("outsider", ONE, "a"),
        judgements_of("interlocutor", INSIDE, "me") + judgements_of("model", ONE, "a"),
        judgements_of("interlocutor", INSIDE, "me") + judgements_of(None, ONE, "a"),
        judgements_of("interlocutor", INSIDE, "me")
        + judgements_of("outsider", ONE, "a", quality="other"),
        judgements_of("outsider", INSIDE, "me") + judgements_of("expert", ONE, "a"),
    ],
)
def test_what_is_not_counted(judgements):
    """No row: nine units with both, only a model, nobody knows who, another quality, all outside.

    The first has all ten: a judge who did not rate changes nothing.
    """
    rows = interlocutor_outsiders_row(Judgements.of(judgements), "good")
    assert [r.n for r in rows] == ([10] if len(judgements) == 39 else [])


def test_ratings_that_never_vary_say_so():
    judgements = judgements_of("interlocutor", [3.0] * 10, "me") + judgements_of(
        "outsider", ONE, "a"
    )
    (row,) = interlocutor_outsiders_row(Judgements.of(judgements), "good")
    assert (row.value, row.low, row.status, row.n) == (None, None, "degenerate", 10)


SCORES = ["inside_outside_alone", "inside_outside_ceiling", "inside_outside_endless"]


def crowd(units: int = 40, judges: int = 3, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """What who took part wrote, and what each onlooker did: whole numbers with noise."""
    rng = np.random.default_rng(seed)
    true_ratings = rng.normal(4, 1.5, units)
    outside = true_ratings[:, None] * 0.9 + rng.normal(2, 1, (units, judges))
    return np.round(true_ratings + rng.normal(0, 2, units)), np.round(outside)


def as_judgements(inside: np.ndarray, outside: np.ndarray, dialogs: list[int] | None = None):
    judgements = judgements_of("interlocutor", inside.tolist(), "me", dialogs)
    for j in range(outside.shape[1]):
        column = [None if np.isnan(v) else v for v in outside[:, j].tolist()]
        judgements += judgements_of("outsider", column, f"o{j}", dialogs)
    return Judgements.of(judgements)


def covariance(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of two columns, for every row of weights."""
    n = weights.sum(axis=1)
    return weights @ (x * y) / n - (weights @ x / n) * (weights @ y / n)


def r_of(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    squares = covariance(weights, x, x) * covariance(weights, y, y)
    return covariance(weights, x, y) / np.sqrt(squares)


def cronbach(weights: np.ndarray, ratings: np.ndarray) -> np.ndarray:
    """Alpha = k / (k - 1) (1 - sum of variances / variance of the sum), which is ICC(3,k)."""
    k, total = ratings.shape[1], ratings.sum(axis=1)
    single = sum(covariance(weights, column, column) for column in ratings.T)
    return k / (k - 1) * (1 - single / covariance(weights, total, total))


def test_by_hand() -> None:
    """ONE and OTHER are INSIDE with each pair swapped, and 1 less or more: r = 31/33 each.

    Both say the same but for their level: their mean is without noise, so its ceiling is 1.
    """
    rows = outsider_rows(Judgements.of(everybody()), "good")
    assert [(r.score, r.n, r.status) for r in rows] == [(score, 10, "ok") for score in SCORES]
    assert [r.value for r in rows] == pytest.approx([31 / 33, 1.0, 31 / 33], abs=1e-12)
    assert rows[0].method == (
        "Pearson's r of the interlocutor with one who looked on, mean over 2 of these; "
        "95% bootstrap over dialogs, 2,000 draws"
    )


def test_a_second_way_and_whole_dialogs_are_drawn() -> None:
    """Cronbach's alpha and plain correlations, over the same draws of twenty dialogs."""
    inside, outside = crowd()
    dialogs = [i // 2 for i in range(40)]
    rows = outsider_rows(as_judgements(inside, outside, dialogs), "good", seed=4)
    order = sorted(set(dialogs), key=lambda d: f"d{d}")
    counts = draw_counts(20, SUM_DRAWS, 4, 0)[:, [order.index(d) for d in dialogs]]
    weights = np.vstack([np.ones(40), counts])
    top = np.sqrt(np.maximum(cronbach(weights, outside), 0))
    alone = np.mean([r_of(weights, inside, column) for column in outside.T], axis=0)
    mean = r_of(weights, inside, outside.mean(axis=1))
    for row, expected in zip(rows, (alone, top, np.clip(mean / top, -1, 1)), strict=True):
        ends = np.quantile(expected[1:][np.isfinite(expected[1:])], [0.025, 0.975])
        assert [row.value, row.low, row.high] == pytest.approx([expected[0], *ends], abs=1e-9)


def test_endless_is_at_least_the_mean_and_the_mean_above_one_alone() -> None:
    judgements = as_judgements(*crowd(200, 5, seed=2))
    alone, top, endless = (r.value or 0 for r in outsider_rows(judgements, "good"))
    (mean,) = (r.value or 0 for r in interlocutor_outsiders_row(judgements, "good"))
    assert alone < mean < endless < 1
    assert endless == pytest.approx(mean / top, abs=1e-9)


def test_units_that_one_left_out_go_where_they_are_few() -> None:
    inside, outside = crowd(100)
    outside[0, 0] = np.nan
    assert {r.n for r in outsider_rows(as_judgements(inside, outside), "good")} == {99}
    outside[:50, 0] = np.nan
    rows = outsider_rows(as_judgements(inside, outside), "good")
    assert [r.n for r in rows] == [100, 100, 100]
    assert rows[1].method.startswith("√ICC(1,k), k the harmonic mean")


@pytest.mark.parametrize(
    ("judgements", "status"),
    [
        (judgements_of("interlocutor", INSIDE, "me") + judgements_of("outsider", ONE, "a"), ["ok"]),
        (
            judgements_of("interlocutor", [3.0] * 10, "me") + judgements_of("outsider", ONE, "a"),
            ["degenerate"],
        ),
        (
            judgements_of("interlocutor", INSIDE, "me") + judgements_of("outsider", [2] * 10, "a"),
            ["degenerate"],
        ),
    ],
)
def test_what_cannot_be_had_says_why(judgements: list, status: list[str]) -> None:
    """One onlooker has no reliability, and who never varies no correlation."""
    rows = outsider_rows(Judgements.of(judgements), "good")
    assert [r.status for r in rows][:1] == status
    assert [r.value for r in rows][1:] == [None, None]
    assert rows[1].status == "too_few"


@pytest.mark.parametrize(
    "judgements",
    [
        judgements_of("interlocutor", INSIDE[:9], "me") + judgements_of("outsider", ONE, "a"),
        judgements_of("interlocutor", INSIDE, "me") + judgements_of("model", ONE, "a"),
        judgements_of("outsider", INSIDE, "me") + judgements_of("expert", ONE, "a"),
        judgements_of("interlocutor", INSIDE, "me"),
    ],
)
def test_no_row_without_ten_units_of_both(judgements: list) -> None:
    assert outsider_rows(Judgements.of(judgements), "good") == []


def test_hazumi(data: Path) -> None:
    """Five onlookers, whose mean is nearly without noise, say little of how it felt inside."""
    folder = data / "hazumi1902"
    if not folder.is_dir():
        pytest.skip(f"no hazumi1902 in {data}; set SIMPATICO_DATA to the public data sets")
    judgements = read_judgements(folder / "exchanges_parsed.json")
    rows = outsider_rows(judgements, "impression")
    assert [r.n for r in rows] == [2_480] * 3
    # from the ratings themselves: five columns, all of them there
    wide = judgements.frame.pivot(
        "judge_kind", index=["dialog", "turn"], values="value", aggregate_function="mean"
    )
    full = judgements.frame.group_by("dialog", "turn").agg(n=pl.col("value").count()).filter(n=6)
    both = wide.join(full, on=["dialog", "turn"])
    r = both.select(pl.corr("interlocutor", "outsider")).item()
    alone, top, endless = (r.value or 0 for r in rows)
    assert endless == pytest.approx(r / top, abs=1e-9)
    assert (alone, top, endless) == pytest.approx((0.347, 0.933, 0.456), abs=0.0005)
