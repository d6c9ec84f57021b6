"""Golden numbers for distinct n-grams."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns, load, score
from simpatico.errors import BadValue
from simpatico.metrics.distinct_n import count_ngrams, expected_distinct_share, word_lists


def system(*texts, **parameters):
    rows = {"dialog": [f"d{i}" for i in range(len(texts))], "speaker": "x", "text": list(texts)}
    table = score(Turns.from_utterances(pl.DataFrame(rows)), [load("distinct_n", **parameters)])
    return table.at("system").row(0, named=True)


def test_no_turn_of_any_system_gives_an_empty_table():
    rows = pl.DataFrame(schema=dict.fromkeys(["dialog", "speaker", "text"], pl.String))
    table = score(Turns.from_utterances(rows), [load("distinct_n")])
    assert table.at("system").is_empty()


def test_it_is_what_is_expected_of_a_draw():
    """so so so fun, two drawn: so is never missed, fun in C(3,2)/C(4,2) = 1/2: 1.5 of 2."""
    row = system("so so so fun", n=1, size=2)
    assert row["distinct_n"] == row["distinct_1"] == pytest.approx(0.75, abs=1e-12)


def test_at_the_size_of_the_whole_it_is_a_plain_share():
    """Pairs: to-be, be-or, or-not, not-to, to-be: 4 distinct of 5; Li et al. divide by 6 words."""
    row = system("to be or not to be", n=2, size=5)
    assert row["distinct_n"] == pytest.approx(4 / 5, abs=1e-12)
    assert row["distinct_n_raw"] == pytest.approx(4 / 6, abs=1e-12)
    assert row["distinct_n_n"] == 1
    assert row["distinct_n_low"] is None


def test_adjusted_for_what_even_draws_would_give():
    """4 distinct of 6 words; of 10 even ones 10 (1 - .9^6) = 4.68559: .853681."""
    row = system("to be or not to be", n=1, size=5, vocabulary=10)
    assert row["distinct_n_adjusted"] == pytest.approx(4 / (10 * (1 - 0.9**6)), abs=1e-12)
    assert row["distinct_n_adjusted"] == pytest.approx(0.853681, abs=1e-6)


def test_no_pair_runs_from_one_turn_into_the_next():
    rows = {"dialog": "d", "speaker": ["x", "y", "x"], "text": ["a b", "c", "d"]}
    turns = Turns.from_utterances(pl.DataFrame(rows))
    row = score(turns, [load("distinct_n", size=1)]).at("system").row(0, named=True)
    assert row["distinct_n_raw"] == pytest.approx(1 / 3)  # a-b alone, of three words


def test_more_of_the_same_text_does_not_lower_it_as_it_does_the_raw_one():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{w}" for w in rng.zipf(1.5, 30) % 500) for _ in range(200)]
    few, many = (system(*texts[:n], n=1, size=500) for n in (50, 200))
    assert many["distinct_n_raw"] < 0.75 * few["distinct_n_raw"]
    assert many["distinct_n"] == pytest.approx(few["distinct_n"], rel=0.05)
    assert few["distinct_n_low"] < few["distinct_n"] < few["distinct_n_high"]
    assert many["distinct_n_high"] - many["distinct_n_low"] < (
        few["distinct_n_high"] - few["distinct_n_low"]
    )


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    """Dialogs of a known source; its truth is read off 4,000 of them: 40 samples of 60, of which
    95 in 100 should hold it, and fewer than 34 only once in some thousand times."""
    rng = np.random.default_rng(1)

    def texts(n):
        return [" ".join(f"w{w}" for w in rng.zipf(1.4, 20) % 300) for _ in range(n)]

    truth = system(*texts(4_000), n=1, size=200)["distinct_n"]
    rows = [system(*texts(60), n=1, size=200) for _ in range(40)]
    assert sum(r["distinct_n_low"] <= truth <= r["distinct_n_high"] for r in rows) >= 34


def test_too_little_text_has_no_score_and_says_how_little():
    row = system("a b c", "d e")
    assert row["distinct_n"] is None
    assert row["distinct_n_null"] == "too_few_ngrams (3 of 1000)"
    assert row["distinct_n_n"] == 0
    assert system("", "...")["distinct_n_null"] == "too_few_ngrams (0 of 1000)"


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_expected_equals_drawing_every_way(counts, data):
    from itertools import combinations

    items = [kind for kind, n in enumerate(counts) for _ in range(n)][:9]
    size = data.draw(st.integers(1, len(items)))
    draws = [len({items[i] for i in subset}) for subset in combinations(range(len(items)), size)]
    frequencies = np.bincount(items).astype(float)
    assert expected_distinct_share(frequencies, size) == pytest.approx(
        np.mean(draws) / size, abs=1e-9
    )


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=8), min_size=1, max_size=5))
def test_ngrams_are_counted_as_a_loop_counts_them(turns):
    rows = [[ord(w) for w in words] for words in turns]
    names = {"dialog": [str(i) for i in range(len(rows))]}
    frame = pl.DataFrame({**names, "words": pl.Series(rows, dtype=pl.List(pl.UInt64))})
    for n in (1, 2, 3):
        ngrams = count_ngrams(frame, n)
        loop = [[tuple(r[i : i + n]) for i in range(len(r) - n + 1)] for r in rows]
        assert ngrams.totals.tolist() == [len(g) for g in loop]
        totals = ngrams.counts(np.ones(len(rows)))
        assert np.count_nonzero(totals) == len({g for own in loop for g in own})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n": 0}, "distinct_n.n is 0; it is from 1 to 20"),
        ({"size": -3}, "distinct_n.size is -3; it is from 1 to 1,000,000,000"),
        ({"vocabulary": 1}, "distinct_n.vocabulary is 1; it is from 2 to 1,000,000,000"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises(BadValue) as error:
        load("distinct_n", **parameters)
    assert str(error.value) == sentence


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=4), max_size=8))
@settings(deadline=None)
def test_word_lists_are_cut_by_their_lengths(rows: list[list[int]]) -> None:
    words = np.array([word for row in rows for word in row], np.uint64)
    assert word_lists(words, np.array([len(row) for row in rows], np.int64)).to_list() == rows
