"""Judges' answers, users' scores and numbers of turns as columns of systems; raters' noise."""

import polars as pl
import pytest

from simpatico.comparison.samples import Selection
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.validation.judge_scores import (
    leading_quality,
    load_judged_systems,
    rating_noise,
    split_judges,
)
from tests.comparison.runs import make_run


def rate(dialog, value, judge="ann", kind="outsider", quality="overall", turn=None):
    return Judgement(dialog, turn, None, quality, judge, kind, value)


def judged(run, *rows, scores=()):
    people, models = split_judges(Judgements.of(rows))
    return load_judged_systems(run, people, models, Selection(scores=scores))


@pytest.fixture
def run(tmp_path):
    values = {"ash": [0.1, 0.2, 0.3], "birch": [0.4, 0.5, 0.6], "human": [0.7, 0.8, 0.9]}
    return make_run(tmp_path / "run", {"warmth": values}, prompts=False)


def test_answers_of_models_are_no_ratings_of_people(run):
    ash, birch = judged(
        run,
        rate("ash/0000", 4),
        rate("ash/0000", 2, "llm@12345678", "model"),
        rate("birch/0001", 3, "llm@12345678", "model"),
        rate("birch/0001", 5, "llm@12345678", "model", "warm"),
        rate("birch/0001", 1, "gpt", "model"),
    )
    assert ash.units["people: overall"].to_list() == [4, None, None]
    assert birch.units["people: overall"].to_list() == [None] * 3
    assert ash.units["llm@12345678: overall"].to_list() == [2, None, None]
    assert birch.units["llm@12345678: warm"].to_list() == [None, 5, None]
    assert birch.units["gpt"].to_list() == [None, 1, None]


def test_turns_are_counted_and_scores_of_users_stand_beside(tmp_path):
    """Three dialogs, in each a bot and a user; `make_run` has two turns for each of both."""
    made = make_run(
        tmp_path / "run", {"warmth": {"ash": [0.1, 0.2], "human": [0.7, 0.8]}}, prompts=False
    )
    for table in ("dialog", "turn"):
        path = made.folder / f"{table}.parquet"
        same = pl.col("dialog").str.replace("human", "ash")
        pl.read_parquet(path).with_columns(same).write_parquet(path)
    (ash,) = judged(made, rate("ash/0000", 4))
    assert ash.units["human: warmth"].to_list() == [0.7, 0.8]
    assert ash.units["turns"].to_list() == [4, 4]
    (alone,) = judged(made, rate("ash/0000", 4), scores=("warmth",))
    assert alone.units.columns == ["dialog", "prompt", "warmth", "people: overall"]


def test_no_files_give_no_judgements():
    assert split_judges(None, None) == (None, None)
    people, models = split_judges(Judgements.of([rate("a", 1)]), None)
    assert (len(people), models) == (1, None)


def test_leading_quality():
    columns = ["people: overall", "people: warm"]
    assert leading_quality(columns, None) == "people: overall"
    assert leading_quality(columns, "warm") == "people: warm"
    with pytest.raises(
        UnknownName, match=r"^no ratings of quality 'cold'; there are overall, warm$"
    ):
        leading_quality(columns, "cold")
    with pytest.raises(
        DataError, match=r"^people rated no dialog of these systems; give ratings of"
    ):
        leading_quality([], None)


def test_noise_by_hand():
    """Dialog a has 1, 3 (squares 2), b has 2, 2, 5 (squares 6), c one: 8 / 3; 3 / (1/2 + 1/3 + 1)."""
    values = {"a": (1, 3), "b": (2, 2, 5), "c": (4,)}
    rows = [rate(d, v, f"r{i}") for d, own in values.items() for i, v in enumerate(own)]
    noise, raters = rating_noise(Judgements.of(rows), "overall", percent=False)
    assert noise == pytest.approx(8 / 3)
    assert raters == pytest.approx(3 / (1 / 2 + 1 / 3 + 1))


def test_thumbs_have_noise_in_percent():
    rows = [rate("a", v, f"r{v}") for v in (0, 1)]
    assert rating_noise(Judgements.of(rows), "overall", percent=True) == (5_000, 2)


@pytest.mark.parametrize("rows", [[rate("a", 1)], [rate("a", 1, turn=0), rate("a", 2, turn=1)], []])
def test_no_noise_without_two_raters_of_a_dialog(rows):
    noise, raters = rating_noise(Judgements.of(rows), "overall", percent=False)
    assert (noise, raters) == (None, 1)
