"""Which dialogs are quoted, and under which title."""

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.errors import UnknownName
from simpatico.reporting.dialogs.choice import (
    ScorePlace,
    choose_examples,
    percentiles,
    rated_standing,
    score_title,
    standing,
)

TITLES = {"empathy": "Empathy", "style_matching": "Language style matching", "bert": "BERTScore"}


def table(rows, scores=("empathy", "style_matching")):
    schema = {"dialog": pl.String, "speaker": pl.String, "system": pl.String}
    return pl.DataFrame(rows, schema | dict.fromkeys(scores, pl.Float64), orient="row")


def rated(values, scale=(1.0, 5.0)):
    """Ratings of d0, d1, … by three judges each."""
    schema = {"dialog": pl.String, "speaker": pl.String, "value": pl.Float64, "judges": pl.Int64}
    schema |= {"quality": pl.String, "scale_min": pl.Float64, "scale_max": pl.Float64}
    rows = [(f"d{i}", "bot", v, 3, "overall", *scale) for i, v in enumerate(values)]
    return pl.DataFrame(rows, schema, orient="row")


def ten(empathy, style=None):
    style = style or [0.5] * len(empathy)
    pairs = zip(empathy, style, strict=True)
    return table([(f"d{i}", "bot", "ab"[i % 2], e, s) for i, (e, s) in enumerate(pairs)])


def titles_of(examples):
    return [(e.dialog, e.title) for e in examples]


RATINGS = [1.0, 2.0, 2.5, 3.0, 3.2, 3.4, 3.6, 4.0, 4.4, 4.8]


def test_with_ratings_it_is_both_ends_of_these_then_disagreement_then_each_system():
    """Both rank alike but for d1 (empathy highest) and d8 (empathy lowest).

    Empathy by rank: d8 d0 d2 … d7 d9 d1, that is percentiles 5, 15, … 95. d0 and d9 are the ends
    of the ratings; d1 is 95 against 15 of the raters and d8 5 against 85. The ends of
    system a are d0 (quoted already) and d8 (too); of b, d1 (too) and d9 (too).
    """
    empathy = [0.10, 0.99, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.01, 0.9]
    examples = choose_examples(ten(empathy), ["empathy"], TITLES, "empathy", rated(RATINGS))
    assert titles_of(examples) == [
        ("d0", "Lowest rated: empathy below the median"),
        ("d9", "Highest rated: empathy above the median"),
        ("d1", "Disagree: empathy in the top 10%, raters below the median"),
        ("d8", "Disagree: raters above the median, empathy in the bottom 10%"),
    ]
    assert (examples[1].rating, examples[1].judges, examples[1].quality) == (
        4.8,
        3,
        "overall",
    )
    assert examples[1].scale == (1.0, 5.0)
    assert examples[1].places == (ScorePlace("empathy", 0.9, 85.0),)


def test_without_disagreement_none_is_told_and_systems_follow():
    """Rank orders are equal: d9 and d0 at the ends; then a has d8 on top (its floor d0 is quoted)
    and b has d1 at the floor (its top d9 is quoted)."""
    examples = choose_examples(
        ten([i / 10 for i in range(10)]), ["empathy"], TITLES, "empathy", rated(RATINGS)
    )
    assert titles_of(examples) == [
        ("d0", "Lowest rated: empathy in the bottom 10%"),
        ("d9", "Highest rated: empathy in the top 10%"),
        ("d8", "a: highest rated"),
        ("d1", "b: lowest rated"),
    ]


def test_a_score_that_falls_with_the_ratings_is_read_from_its_other_end():
    examples = choose_examples(
        ten([1 - i / 10 for i in range(10)]), ["empathy"], TITLES, "empathy", rated(RATINGS)
    )
    assert titles_of(examples)[:2] == [
        ("d0", "Lowest rated: empathy in the top 10%"),
        ("d9", "Highest rated: empathy in the bottom 10%"),
    ]
    values = [1 - i / 10 for i in range(10)]
    values[1] = 0.001
    odd = choose_examples(ten(values), ["empathy"], TITLES, "empathy", rated(RATINGS))
    assert odd[2].title == (
        "Disagree: empathy in the bottom 10%, raters below the median, though the two usually correlate negatively"
    )


def test_of_many_dialogs_with_one_rating_the_score_decides():
    """Thumbs: d0 to d4 are down, d5 to d9 up; empathy is lowest in d3 and highest in d8."""
    empathy = [0.4, 0.5, 0.3, 0.1, 0.2, 0.6, 0.7, 0.5, 0.9, 0.8]
    thumbs = rated([0.0] * 5 + [1.0] * 5, (0.0, 1.0))
    examples = choose_examples(ten(empathy), ["empathy"], TITLES, "empathy", thumbs)
    assert titles_of(examples)[:2] == [
        ("d3", "Lowest rated, like 4 more: empathy in the bottom 10%"),
        ("d8", "Highest rated, like 4 more: empathy in the top 10%"),
    ]


def test_the_ends_of_the_ratings_are_quoted_also_without_a_score():
    dialogs = ten([None, *(i / 10 for i in range(1, 10))])
    examples = choose_examples(dialogs, ["empathy"], TITLES, "empathy", rated(RATINGS))
    assert titles_of(examples)[0] == ("d0", "Lowest rated")


def test_places_in_words():
    ladder = [95, 75, 50, 25, 5]
    middle = ["above the median", "near the median", "below the median"]
    assert [standing(p) for p in ladder] == ["in the top 10%", *middle, "in the bottom 10%"]
    assert [rated_standing(p, None) for p in ladder] == ["near the top", *middle, "near the bottom"]
    assert rated_standing(95, 0.6) == "among their highest"


def test_without_ratings_it_is_the_ends_and_where_two_scores_differ_most():
    """d3 is second in empathy (70) and last in style (10): 60 apart, more than any other; the ends of
    the systems are d0, d4 (quoted) of a, and d1, d3 (quoted) of b."""
    dialogs = ten([0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.4, 0.5, 0.1, 0.3])
    examples = choose_examples(dialogs, ["style_matching", "empathy"], TITLES, "empathy", None)
    assert titles_of(examples) == [
        ("d4", "Highest empathy"),
        ("d0", "Lowest empathy"),
        ("d3", "Metrics disagree: empathy high, language style matching low"),
        ("d1", "b: lowest empathy"),
    ]
    assert examples[2].places == (
        ScorePlace("empathy", 0.4, 70.0),
        ScorePlace("style_matching", 0.1, 10.0),
    )
    assert (
        examples[0].rating,
        examples[0].quality,
        examples[0].judges,
        examples[0].scale,
    ) == (
        None,
        None,
        0,
        None,
    )


def test_fewer_than_four_ratings_or_all_alike_are_as_none():
    dialogs = ten([0.1, 0.2, 0.3, 0.4, 0.5])
    plain = choose_examples(dialogs, ["empathy"], TITLES, "empathy", None)
    few = choose_examples(dialogs, ["empathy"], TITLES, "empathy", rated([1, 2, 3]))
    alike = choose_examples(dialogs, ["empathy"], TITLES, "empathy", rated([3] * 5))
    assert titles_of(plain) == titles_of(few) == titles_of(alike)
    assert few[-1].rating is not None


def test_a_system_without_ratings_has_the_ends_of_the_score():
    dialogs = pl.concat(
        [
            ten([i / 10 for i in range(10)]),
            table([("x", "c", "c", 0.3, 0.1), ("y", "c", "c", 0.7, 0.1)]),
        ]
    )
    examples = choose_examples(dialogs, ["empathy"], TITLES, "empathy", rated(RATINGS))
    assert titles_of(examples)[-2:] == [
        ("y", "c: highest empathy"),
        ("x", "c: lowest empathy"),
    ]


def test_one_and_two_dialogs():
    dialogs = ten([0.1, 0.2])
    assert titles_of(choose_examples(dialogs[:1], ["empathy"], TITLES, "empathy", None)) == [
        ("d0", "The only dialog")
    ]
    assert titles_of(choose_examples(dialogs, ["empathy"], TITLES, "empathy", None)) == [
        ("d0", "One of 2 dialogs"),
        ("d1", "One of 2 dialogs"),
    ]
    assert choose_examples(dialogs[:0], ["empathy"], TITLES, "empathy", None) == []


def test_where_no_dialog_has_a_score_each_system_shows_one():
    dialogs = table(
        [("d0", "s", "a", None, None), ("d1", "s", "b", None, None), ("d2", "s", "b", None, None)]
    )
    examples = choose_examples(dialogs, ["empathy", "style_matching"], TITLES, "empathy", None)
    assert titles_of(examples) == [
        ("d0", "a: the only dialog"),
        ("d1", "b: one of 2 dialogs"),
    ]
    assert examples[0].places == ()


def test_six_systems_and_the_limit():
    rows = [(f"{s}{i}", "bot", s, i / 5 + ord(s) / 100, None) for s in "abcdefgh" for i in range(4)]
    examples = choose_examples(table(rows), ["empathy"], TITLES, "empathy", None)
    assert {e.system for e in examples[2:]} == set("abcdef")
    assert len(choose_examples(table(rows), ["empathy"], TITLES, "empathy", None, limit=3)) == 3


def test_a_dialog_of_two_systems_is_quoted_once():
    rows = [(f"d{i}", s, s, i + (s == "b") / 2, None) for i in range(4) for s in "ab"]
    examples = choose_examples(table(rows), ["empathy"], TITLES, "empathy", None)
    assert len({e.dialog for e in examples}) == len(examples)
    assert (examples[0].dialog, examples[0].system) == ("d3", "b")


def test_names_inside_of_a_sentence():
    dialogs = table([(f"d{i}", "s", "a", i / 10, 0) for i in range(3)], ("bert", "z"))
    assert choose_examples(dialogs, ["bert"], TITLES, "bert", None)[0].title == "Highest BERTScore"
    assert score_title("reply_chance", {}) == "Reply chance"


def test_a_score_that_is_not_there():
    with pytest.raises(UnknownName, match=r"^no score 'empaty'; did you mean 'empathy'\?$"):
        choose_examples(ten([0.1]), ["empathy"], TITLES, "empaty", None)


def test_percentiles_are_mid_ranks():
    """Ranks 1, 2.5, 2.5, 4 of four: (rank - ½) / 4."""
    ranks = percentiles(np.array([1.0, 2, np.nan, 2, 3]))
    assert ranks.tolist()[:2] == [12.5, 50]
    assert ranks.tolist()[3:] == [50, 87.5]
    assert np.isnan(ranks[2])


optional_scores = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.5, 1.0, float("nan")]))
rows_of = st.lists(
    st.tuples(st.sampled_from("pqrstuvwxyz"), st.sampled_from("12"), st.sampled_from("abc"), optional_scores, optional_scores),
    unique_by=lambda r: r[:2],
    max_size=22,
)  # fmt: skip
rated_rows = st.lists(
    st.tuples(st.sampled_from("pqrstuvwxyz"), st.sampled_from("12"), st.sampled_from([1.0, 3.0, 5.0])),
    unique_by=lambda r: r[:2],
)  # fmt: skip


@given(rows_of, rated_rows, st.randoms(), st.integers(0, 8))
def test_the_order_of_rows_does_not_matter_and_no_dialog_comes_twice(rows, given_, random, limit):
    def ratings(rows):
        frame = pl.DataFrame(rows, ["dialog", "speaker", "value"], orient="row") if rows else None
        more = {"judges": 1, "quality": "q", "scale_min": 1.0, "scale_max": 5.0}
        return (
            None if frame is None else frame.with_columns(**{k: pl.lit(v) for k, v in more.items()})
        )

    names = ["empathy", "style_matching"]
    examples = choose_examples(table(rows), names, TITLES, "empathy", ratings(given_), limit)
    random.shuffle(rows)
    random.shuffle(given_)
    assert (
        choose_examples(table(rows), names, TITLES, "empathy", ratings(given_), limit) == examples
    )
    assert len({e.dialog for e in examples}) == len(examples) <= limit
    assert not limit or bool(examples) == bool(rows)


@pytest.mark.timing
def test_a_hundred_thousand_dialogs_take_less_than_a_second():
    n, rng = 100_000, np.random.default_rng(1)
    names = [f"score_{i}" for i in range(12)]
    dialogs = pl.DataFrame({name: rng.normal(size=n) for name in names}).with_columns(
        dialog=pl.Series([f"d{i}" for i in rng.permutation(n)]),
        speaker=pl.lit("bot"),
        system=pl.Series(np.array(list("abcdefgh"))[rng.integers(0, 8, n)]),
    )
    ratings = dialogs.select("dialog", "speaker", value=pl.col("score_3") + rng.normal(size=n))
    ratings = ratings.with_columns(judges=3, quality=pl.lit("q"), scale_min=None, scale_max=None)
    for given_ in (None, ratings):
        start = time.process_time()
        assert len(choose_examples(dialogs, names, {}, "score_0", given_)) > 10
        assert time.process_time() - start < 1
