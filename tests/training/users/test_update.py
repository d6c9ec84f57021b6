"""Going on from a personal model: what it keeps, and what it refuses to mix."""

import json

import polars as pl
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features.users.folder import load_user_model
from simpatico.judgements import Judgements
from simpatico.training.card import About
from simpatico.training.users.continuity.data import Filters
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.continuity.train import (
    ContinuityTraining,
    fine_tune_continuity,
    train_continuity,
    update_continuity,
)
from simpatico.training.users.finetuned import base_token_digits
from simpatico.training.users.interlocutor.train import (
    InterlocutorTraining,
    train_interlocutor,
    update_interlocutor,
)
from simpatico.training.users.update import UpdateRequest
from tests.models.tiny import tiny
from tests.training.users.logs import log, rated

ABOUT = About("made up")
MANY = Filters(repeated=1)


@pytest.fixture(scope="module")
def chance(tmp_path_factory):
    out = tmp_path_factory.mktemp("chance") / "m"
    training = ContinuityTraining(window=Window(5.0))
    train_continuity(log(120), out, training=training, about=ABOUT)
    return f"path:{out}"


@pytest.fixture(scope="module")
def score(tmp_path_factory):
    out = tmp_path_factory.mktemp("score") / "m"
    train_interlocutor(*rated(4, 20), out, training=InterlocutorTraining(), about=ABOUT)
    return f"path:{out}"


def test_answers_are_waited_for_as_long_as_they_were(chance, tmp_path):
    assert load_user_model(chance).recipe.training["minutes"] == 5.0
    request = UpdateRequest(chance, tmp_path / "on", "more")
    done = update_continuity(log(60, first=120), request, left=0.0, filters=MANY)
    assert done.window == Window(5.0)
    with pytest.raises(DataError) as error:
        update_continuity(log(1), request, left=0.0, filters=Filters(frozenset({"helper"})))
    assert str(error.value) == (
        "no turns to update with: none has a known outcome; not used: 1 said by or to a bot"
    )


def test_another_quality_or_scale_is_refused(score, tmp_path):
    turns, judgements = rated(4, 20)
    request = UpdateRequest(score, tmp_path / "on", "more")
    recipe = load_user_model(score).recipe
    quality, bounds = recipe.training["quality"], recipe.bounds
    assert quality == judgements.frame["quality"][0]
    with pytest.raises(BadValue) as error:
        update_interlocutor(turns, judgements, request, quality="wit")
    assert str(error.value) == (
        f"{score} was trained on {quality!r} and cannot be updated with 'wit'"
    )
    smaller = judgements.frame.with_columns(
        value=pl.lit(3.0), scale_min=pl.lit(1.0), scale_max=pl.lit(5.0)
    )
    with pytest.raises(BadValue) as error:
        update_interlocutor(turns, Judgements(smaller), request, quality=None)
    assert str(error.value) == (
        f"ratings of {quality!r} go from 1 to 5; {score} was trained on a scale from "
        f"{bounds[0]:g} to {bounds[1]:g}"
    )
    beyond = judgements.frame.with_columns(
        value=pl.lit(99.0), scale_min=pl.lit(None, pl.Float64), scale_max=pl.lit(None, pl.Float64)
    )
    with pytest.raises(BadValue, match="go from 99 to 99"):
        update_interlocutor(turns, Judgements(beyond), request, quality=None)


def test_each_kind_of_model_is_gone_on_from_in_its_own_way(chance, tmp_path):
    pytest.importorskip("torch", reason="torch comes with simpatico[torch]")
    out = tmp_path / "tuned"
    training = ContinuityTraining(encoder=f"path:{tiny('bert')}", fine_tune=1)
    fine_tune_continuity(log(120), out, training=training, about=ABOUT)
    with pytest.raises(BadValue) as error:
        update_continuity(
            log(60), UpdateRequest(f"path:{out}", tmp_path / "on", "x"), left=0.0, filters=MANY
        )
    assert str(error.value) == f"path:{out} is fine-tuned; to update it, add --fine-tune EPOCHS"
    with pytest.raises(BadValue) as error:
        base_token_digits(chance)
    assert str(error.value) == (f"{chance} is not fine-tuned; to update it, leave out --fine-tune")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ["--reply-within", "5"],
            "--reply-within has no effect with --continue, which keeps the settings of",
        ),
        (["--mode", "text"], "--mode has no effect with --continue, which keeps the settings of"),
        (["--baselines"], "--baselines has no effect with --continue, which keeps the settings of"),
        (
            ["--fine-tune", "1", "--set", "fed.model=x"],
            "--set has no effect with --fine-tune; leave",
        ),
        (["--baseline-turns", "-5"], "-5 is not in the range x>=0"),
    ],
)
def test_options_that_would_do_nothing_are_refused(chance, tmp_path, call, given, told):
    data = tmp_path / "log.jsonl"
    data.write_text(json.dumps({"dialog": "d", "speaker": "a", "text": "b"}))
    named = ["--data", data, "--out", tmp_path / "on", "--continue", chance]
    code, out, err = call("train", "continuity", *named, *given)
    assert (code, out) == (2, "")
    assert told in err


def test_without_a_limit_is_not_endless(tmp_path, call):
    data = tmp_path / "log.jsonl"
    data.write_text(json.dumps({"dialog": "d", "speaker": "a", "text": "b"}))
    told = ["--data", data, "--out", tmp_path / "on", "--reply-within", "inf"]
    assert call("train", "continuity", *told) == (
        2,
        "",
        "simpatico: replies within inf minutes; give a positive number or no limit\n",
    )
