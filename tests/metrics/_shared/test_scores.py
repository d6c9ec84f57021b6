"""Scores in few words: what their names, phrases and defaults become."""

import polars as pl

from simpatico.metrics._shared.scores import make_score


def words(comparison="", **facts):
    score = make_score("deep_am[bert]", pl.col("x"), "a cosine", comparison, **facts)
    return score.title, score.more, score.less


def test_both_wordings_of_a_comparison_become_sentences_of_their_own():
    assert words("is (likelier to be|less often) answered") == (
        "Deep am",
        "is likelier to be answered than",
        "is less often answered than",
    )


def test_parentheses_without_a_bar_stay():
    title, more, less = words("is (more|less) adequate (Deep AM)", title="Deep AM")
    assert (title, more) == ("Deep AM", "is more adequate (Deep AM) than")
    assert less == "is less adequate (Deep AM) than"


def test_without_a_comparison_the_title_is_compared():
    assert words(title="Deep AM")[1:] == ("has a higher Deep AM than", "has a lower Deep AM than")
