"""Scores against judgements, put together by key; a published table recomputed from its file."""

import csv

import numpy as np
import polars as pl
import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.validation.contests import compare_dependent, contest_rows
from simpatico.validation.correlations import CorrelationSettings, correlation_rows

RNG = np.random.default_rng(0)


def turns(dialogs: int = 20, each: int = 3) -> pl.DataFrame:
    n = dialogs * each
    return pl.DataFrame(
        {
            "dialog": [f"d{i // each}" for i in range(n)],
            "turn": [2 * (i % each) + 1 for i in range(n)],
            "speaker": ["bot"] * n,
            "system": [f"s{i // each % 4}" for i in range(n)],
            "warmth": RNG.normal(size=n),
            "length": RNG.integers(1, 9, n).astype(float),
            "flat": np.ones(n),
            "warmth_null": [None] * n,
        }
    )


def judgements_of(scores: pl.DataFrame, quality: str = "kind", speaker: str | None = "bot"):
    """Two judges whose mean is warmth and some noise."""
    rows = []
    for row in scores.iter_rows(named=True):
        for judge in "ab":
            value = row["warmth"] + RNG.normal()
            turn = row.get("turn")
            rows.append(Judgement(row["dialog"], turn, speaker, quality, judge, "outsider", value))
    return Judgements.of(rows)


def values(scores: pl.DataFrame, gold: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    both = scores.join(gold, on=["dialog", "turn"], how="inner")
    return both["warmth"].to_numpy(), both["value"].to_numpy()


def test_rows_hold_what_the_columns_alone_give():
    scores = turns()
    gold = judgements_of(scores).gold("mean")
    rows = {r.score: r for r in correlation_rows(scores, gold, CorrelationSettings(clusters=None))}
    alone = correlation(*values(scores, gold))
    warmth = rows["warmth"]
    assert list(rows) == ["warmth", "length", "flat"]
    assert (warmth.value, warmth.p_value) == pytest.approx((alone.value, alone.p_value), abs=1e-12)
    assert (warmth.n, warmth.nulls, warmth.unmatched, warmth.quality) == (60, 0, 0, "kind")
    assert warmth.p_adjusted == pytest.approx(2 * warmth.p_value)
    assert (rows["flat"].value, rows["flat"].status) == (None, "degenerate")
    assert (rows["flat"].p_adjusted, rows["flat"].family) == (None, 2)
    assert set(warmth.as_json()) >= {
        "quality", "score", "value", "low", "high", "p_value", "p_adjusted", "n", "nulls",
        "status", "method",
    }  # fmt: skip


def test_the_order_of_rows_does_not_matter():
    scores = turns()
    gold = judgements_of(scores).gold()
    permutation = correlation_rows(scores.sample(fraction=1, shuffle=True, seed=1), gold)
    assert permutation == correlation_rows(scores, gold.sample(fraction=1, shuffle=True, seed=2))


def test_turns_of_one_dialog_are_resampled_together_unless_asked_otherwise():
    scores = turns()
    gold = judgements_of(scores).gold()
    row = correlation_rows(scores, gold)[0]
    alone = bootstrap_correlation(*values(scores, gold), np.repeat(np.arange(20), 3))
    assert row.method == alone.method == "Pearson r, bootstrap of 20 clusters"
    assert (row.high - row.low) == pytest.approx(alone.high - alone.low, abs=0.02)
    by_system = correlation_rows(scores, gold, CorrelationSettings(clusters="system"))[0]
    assert by_system.method == "Pearson r, bootstrap of 4 clusters: too few for an interval"
    rank = correlation_rows(
        scores, gold, CorrelationSettings(kind="kendall", clusters=None, correction="bh")
    )[0]
    assert rank.method == "Kendall tau-b, Bonett-Wright interval"


def test_nulls_and_units_nobody_scored_are_counted():
    scores = turns()
    gold = judgements_of(scores).gold()
    part = scores.filter(pl.col("dialog") != "d3").with_columns(
        warmth=pl.when(pl.col("dialog") != "d4").then("warmth")
    )
    warmth = correlation_rows(part, gold)[0]
    assert (warmth.n, warmth.nulls, warmth.unmatched) == (54, 3, 3)


def test_another_speakers_turn_is_another_unit_and_no_speaker_means_the_only_one():
    scores = turns()
    wrong = correlation_rows(scores, judgements_of(scores, speaker="user").gold())
    assert {(r.n, r.unmatched, r.status) for r in wrong} == {(0, 60, "too_few")}
    without_speaker = correlation_rows(scores, judgements_of(scores, speaker=None).gold())
    assert {(r.n, r.unmatched) for r in without_speaker} == {(60, 0)}


def test_a_dialogs_judgement_without_a_speaker_needs_a_single_scored_speaker():
    scores = turns(each=1).drop("turn")
    gold = judgements_of(scores, speaker=None).gold()
    row = correlation_rows(scores, gold, CorrelationSettings("dialog"))[0]
    assert (row.n, row.method) == (20, "Pearson r, Fisher interval")
    two = pl.concat([scores, scores.filter(dialog="d0").with_columns(speaker=pl.lit("user"))])
    row = correlation_rows(two, gold, CorrelationSettings("dialog"))[0]
    assert (row.n, row.unmatched) == (19, 1)


def test_systems_are_means_of_dialogs():
    scores = turns()
    gold = judgements_of(scores).gold("mean")
    row = correlation_rows(scores, gold, CorrelationSettings("system"))[0]
    both = scores.join(gold, on=["dialog", "turn"]).group_by("system").agg(
        pl.col("warmth", "value").mean()
    )  # fmt: skip
    expected = correlation(both["warmth"], both["value"])
    assert row.value == pytest.approx(expected.value, abs=1e-12)
    assert (row.n, row.p_value) == (4, pytest.approx(expected.p_value, abs=1e-12))


def test_qualities_are_families_of_their_own():
    scores = turns()
    gold = pl.concat([judgements_of(scores, q).gold() for q in ("warm", "kind")])
    rows = correlation_rows(scores, gold)
    assert [r.quality for r in rows] == ["kind"] * 3 + ["warm"] * 3
    assert {r.family for r in rows} == {2}


def test_errors_say_what_to_do():
    scores = turns()
    gold = judgements_of(scores).gold()
    with pytest.raises(DataError) as error:
        correlation_rows(scores, gold, CorrelationSettings("dialog"))
    assert str(error.value) == (
        "a table of turn scores has no level 'dialog'; choose 'turn' or 'system'"
    )
    with pytest.raises(DataError) as error:
        correlation_rows(scores, pl.concat([gold, gold.head(1)]))
    assert str(error.value) == (
        "2 scored units have more than one rating of a quality; "
        "aggregate the ratings of each unit first, as Judgements.gold() does"
    )


def test_nothing_judged_is_nothing_to_say():
    scores = turns()
    assert correlation_rows(scores, judgements_of(scores).gold().clear()) == []
    assert (
        correlation_rows(scores, judgements_of(scores).gold(), CorrelationSettings("system"))[0].n
        == 4
    )


def test_contests_of_two_scores_are_rivals_over_the_same_units():
    scores = turns()
    gold = judgements_of(scores).gold("mean")
    pairs = [("warmth", "length"), ("length", "flat")]
    rows = contest_rows(scores, gold, pairs, how=CorrelationSettings(clusters=None))
    both = scores.join(gold, on=["dialog", "turn"])
    alone = compare_dependent(both["warmth"], both["length"], both["value"])
    assert (rows[0].value, rows[0].p_value) == pytest.approx((alone.value, alone.p_value))
    assert (rows[0].quality, rows[0].score, rows[0].against) == ("kind", "warmth", "length")
    assert rows[0].p_adjusted == rows[0].p_value
    assert (rows[1].status, rows[1].p_adjusted) == ("degenerate", None)
    joint = contest_rows(scores, gold, pairs)[0]
    assert joint.method == "Pearson r, difference, bootstrap of 20 clusters"
    assert joint.as_json()["value"] == pytest.approx(alone.value, abs=1e-12)
    kendall_rows = contest_rows(
        scores, gold, pairs, how=CorrelationSettings(kind="kendall", clusters=None)
    )[0]
    assert kendall_rows.low < kendall_rows.value < kendall_rows.high
    with pytest.raises(UnknownName) as error:
        contest_rows(scores, gold, [("warmth", "wit")])
    assert str(error.value) == "no score 'wit'; there are warmth, length, flat"


COLUMNS = {
    "RUBER": "Ruber_Unref_Score",
    "relevance": "CTX_Unref_Score",
    "mean": "Eng_Score_MeanPooling",
    "max": "Eng_Score_MaxPooling",
}
TABLE_5 = {
    "generated": {
        "RUBER": (0.28, 0.30), "relevance": (0.55, 0.45), "mean": (0.06, 0.16),
        "max": (0.09, 0.03), "mean + relevance": (0.48, 0.48), "max + relevance": (0.52, 0.44),
    },
    "human": {
        "RUBER": (0.04, 0.02), "relevance": (0.14, 0.12), "mean": (0.46, 0.52),
        "max": (0.53, 0.53), "mean + relevance": (0.36, 0.39), "max + relevance": (0.32, 0.39),
    },
    "both": {
        "RUBER": (0.24, 0.30), "relevance": (0.54, 0.55), "mean": (0.39, 0.45),
        "max": (0.35, 0.36), "mean + relevance": (0.61, 0.64), "max + relevance": (0.60, 0.62),
    },
}  # fmt: skip
"""Ghazarian et al. (2020), Table 5: Pearson and Spearman with the mean of three ratings."""

DEVIATIONS = {
    # The sign is missing in the paper.
    ("generated", "max"): (-0.09, -0.03),
    # The paper's relevance scores of human-written replies are not those in the file.
    ("human", "RUBER"): (-0.02, -0.01),
    ("human", "relevance"): (0.04, 0.02),
    ("human", "mean + relevance"): (0.33, 0.39),
    ("human", "max + relevance"): (0.24, 0.39),
}


@pytest.fixture(scope="module")
def replies(data):
    """Mean rating and scores of each reply, and whether a person wrote it."""
    path = data / "predictive-engagement" / "Eng_Scores_queries_gen_gtruth_replies.csv"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    units: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        units.setdefault((row["query"], row["response"]), []).append(i)
    assert {len(v) for v in units.values()} == {3}
    first = [rows[v[0]] for v in units.values()]
    frame = {k: np.array([float(row[c]) for row in first]) for k, c in COLUMNS.items()}
    frame["rating"] = np.array(
        [np.mean([float(rows[i]["human_score"]) for i in v]) for v in units.values()]
    )
    for pooling in ("mean", "max"):
        frame[f"{pooling} + relevance"] = (frame[pooling] + frame["relevance"]) / 2
    human = np.array([v[0] >= 900 for v in units.values()])
    parts = {"generated": ~human, "human": human, "both": np.ones(600, dtype=bool)}
    return {p: {k: v[mask] for k, v in frame.items()} for p, mask in parts.items()}


def test_predictive_engagements_table_5_is_in_its_file_to_two_digits(replies):
    off = {}
    for part, cells in TABLE_5.items():
        for score, paper in cells.items():
            x, y = replies[part][score], replies[part]["rating"]
            ours = [correlation(x, y, kind=k).value for k in ("pearson", "spearman")]
            if max(abs(o - p) for o, p in zip(ours, paper, strict=True)) > 0.00501:
                off[part, score] = tuple(round(o, 2) for o in ours)
    assert off == DEVIATIONS


SIGNIFICANT = {
    ("generated", "mean + relevance"): False,
    ("generated", "max + relevance"): False,
    ("human", "mean + relevance"): True,
    ("human", "max + relevance"): True,
    ("both", "mean + relevance"): True,
    ("both", "max + relevance"): True,
}
"""Bold in Table 5: an improvement over relevance alone, p <= .05."""


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_predictive_engagements_improvements_are_significant_as_claimed(replies, kind):
    for (part, score), is_significant in SIGNIFICANT.items():
        columns = replies[part]
        gain = compare_dependent(columns[score], columns["relevance"], columns["rating"], kind=kind)
        assert (gain.value > 0 and gain.p_value <= 0.05) == is_significant, (part, score, gain)
        assert gain.low < gain.value < gain.high
