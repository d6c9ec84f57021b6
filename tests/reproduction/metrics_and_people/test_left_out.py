"""A model of all sets but one: what it finds on the one it has not seen."""

import numpy as np
import polars as pl
import pytest

from simpatico import Turns
from simpatico.reproduction.metrics_and_people import left_out

TOPICS = ("tea", "dogs", "rain", "music")


def rated_set(name, seed):
    """Replies that take up the subject are rated 5, others 1."""
    rng = np.random.default_rng(seed)
    rows, ratings = [], []
    for at in range(40):
        topic, fits = TOPICS[rng.integers(4)], bool(rng.integers(2))
        reply = f"I like {topic} a lot, you know." if fits else "I have no idea what you mean."
        rows += [(f"{name}{at}", "user", f"What about {topic}?"), (f"{name}{at}", "bot", reply)]
        ratings.append((f"{name}{at}", f"{name}{at}", 5.0 if fits else 1.0))
    frame = pl.DataFrame(rows, ["dialog", "speaker", "text"], orient="row")
    system = pl.when(pl.col("speaker") == "bot").then(pl.col("speaker"))
    turns = Turns.from_utterances(frame.with_columns(system=system))
    judged = pl.DataFrame(ratings, ["dialog", "prompt", "rating"], orient="row")
    return left_out.training_set(name, turns, judged)


def test_a_signal_that_all_sets_share_is_found_on_the_set_left_out(monkeypatch):
    monkeypatch.setattr(left_out, "ENCODERS", {"predicted_rating[core]": ""})
    cells = list(left_out.left_out_cells([rated_set(n, s) for s, n in enumerate("abc")], 0))
    assert [cell.row for cell in cells] == ["a", "b", "c", "mean of sets"]
    assert all(cell.ours > 0.8 for cell in cells)
    assert cells[-1].ours == pytest.approx(np.mean([cell.ours for cell in cells[:-1]]))
    assert cells[0].note == "0 of 40 not scored; trained on the other sets alone"


def test_a_single_set_leaves_nothing_to_learn_from():
    assert list(left_out.left_out_cells([rated_set("a", 0)], 0)) == []
