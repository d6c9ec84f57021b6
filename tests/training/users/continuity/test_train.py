"""`simpatico train continuity`: persons' habits are found, kept, gone on with; baselines beside."""

import json
from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, score
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import COVARIATES
from simpatico.features.users.folder import load_user_model
from simpatico.features.users.model import Standardizer, UserWeights
from simpatico.training.card import About
from simpatico.training.users.continuity.baselines import (
    BaselineMetrics,
    evenly_spaced,
    majority_predictions,
    predict_by_metric,
    reply_threshold,
)
from simpatico.training.users.continuity.data import Filters, reply_examples
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.continuity.train import (
    ContinuityTraining,
    evaluate_continuity,
    reply_card_lines,
    train_continuity,
    update_continuity,
)
from simpatico.training.users.update import UpdateRequest
from tests.conftest import talk
from tests.metrics.user_models import by_hand
from tests.metrics.user_models import folder as folder_of
from tests.training.users.logs import START, frame, log

ABOUT = About("made up", "CC0", "simpatico train continuity")
PLAIN = ContinuityTraining(encoder="")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("continuity") / "m"
    baselines = BaselineMetrics({"words": load("length"), "NSP": "there is none"})
    report = train_continuity(log(), folder, training=PLAIN, about=ABOUT, baselines=baselines)
    return folder, report


def test_habits_of_persons_are_found(trained):
    """Half of the persons answer 90% of the time and half 20%: who it is tells all there is to
    tell, and the text nothing."""
    _, report = trained
    rows = {row.name: row for row in report.results}
    assert list(rows) == ["+ user", "text", "global majority", "private majority", "words"]
    assert rows["+ user"].n == rows["text"].n == 24
    assert rows["+ user"].accuracy.value > 0.75
    assert rows["+ user"].auc.value > rows["text"].auc.value
    assert rows["+ user"].auc.value_and_interval[1:] == (None, None), (
        "8 persons are too few for an interval"
    )
    gains = {row.name: row for row in report.gains}
    assert [one.p_value for one in gains["text"][1:4]] == [None] * 3
    assert set(gains) == {"text", "global majority", "private majority"}
    assert report.unavailable == {"NSP": "there is none"}
    assert report.subsets == {}, "all persons held out were met before"


def test_the_folder_tells_what_was_found_and_not_of_whom(trained):
    folder, report = trained
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "- per-user weights: 8 users" in card
    assert f"- accuracy: {report.results[0].accuracy.value:.3f}\n" in card
    assert "24 turns and 8 users; no 95% CI with fewer than 10 users." in card
    assert "- baseline on the same turns: private majority, accuracy" in card
    assert "expected calibration error" in card
    recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    told = recipe["examples"], recipe["training"]["minutes"]
    assert told == (214, 30.0), "90% of 240, without the two that are open at a cut"
    for path in folder.iterdir():
        for word in (b"p3", b"helper", b"page", b"thanks"):
            assert word not in path.read_bytes().lower() or path.suffix == ".safetensors"


def dialogs(*people, answer=False, said="look at page 387420489 first"):
    """The same words to each of these, an hour after the other, with or without an answer."""
    lines = [(None, "how do i mend thing 131?"), ("human", said), (None, "thanks, 131 done")]
    table = [
        (f"n{n}", "helper" if system else who, system, text, START + timedelta(hours=n, minutes=at))
        for n, who in enumerate(people)
        for at, (system, text) in enumerate(lines[: 3 if answer else 2])
    ]
    columns = ["dialog", "speaker", "system", "text", "time"]
    return Turns.from_utterances(pl.DataFrame(table, schema=columns, orient="row"))


def test_the_metric_knows_persons_by_their_habits(trained):
    """The same words to one who answers and one who does not; who is new is between them."""
    folder, _ = trained
    metric = load("reply_chance", model=f"path:{folder}")
    table = score(dialogs("p0", "p1", "new"), [metric]).at("turn")
    often, seldom, new = table[metric.scores[0].name]
    assert often - seldom > 0.3
    assert seldom < new < often


@pytest.mark.parametrize("said", ["ok", "look " * 400])
def test_a_turn_of_a_length_that_was_never_seen_is_nothing_extreme(trained, said):
    """All turns learned from have 26 to 28 letters. If the same model counted what is
    farther out than three spreads, "ok", 140 below, would move a stranger's chance by .05, and
    2,000 letters by .09; one that had learned so says .04 instead of .49."""
    folder, _ = trained
    metric = load("reply_chance", model=f"path:{folder}")
    usual, odd = (
        score(turns, [metric]).at("turn")[metric.name].to_numpy()
        for turns in (dialogs("p0", "p1", "new"), dialogs("p0", "p1", "new", said=said))
    )
    assert np.abs(usual - odd).max() < 0.02


def test_a_persons_own_weight_of_length_counts_up_to_three_spreads():
    """Letters of 3.36 +- .016 in logarithms; ann's weight of them is -1. "well" has log(5) = 1.609,
    which counts as -3 spreads: -1 + 3 = 2, and 1 / (1 + exp(-2)) = .880797, not all but certain."""
    count, length = len(COVARIATES), COVARIATES.index("length")
    centre, spread = np.zeros(count), np.ones(count)
    centre[length], spread[length] = 3.36, 0.016
    users = UserWeights({"ann": 0}, np.array([[-1.0]]), np.ones((1, 1, 1)), np.array([3]))
    model = replace(
        by_hand(), terms=(2 + length,), standardizer=Standardizer(centre, spread), users=users
    )
    metric = load("reply_chance", model=folder_of(model))
    result = score(talk("ann: tea", "bob: well"), [metric]).at("turn")[metric.name]
    assert result[1] == pytest.approx(0.880797, abs=1e-6)


def test_going_on_moves_persons_and_leaves_the_rest(trained, tmp_path):
    """p1 suddenly answers everything: after 30 such dialogs the chance is higher. The model gone
    on from stays as it was."""
    folder, _ = trained
    new = dialogs(*["p1"] * 30, answer=True)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    request = UpdateRequest(f"path:{folder}", tmp_path / "later", "new logs")
    result = update_continuity(new, request, left=0.0, filters=Filters(repeated=1)).results
    assert (result.name, result.n) == ("before the update", 30)
    old, later = load_user_model(f"path:{folder}"), load_user_model(f"path:{tmp_path / 'later'}")
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert old.key == later.key
    assert later.recipe.examples == old.recipe.examples + 30
    assert np.array_equal(old.model.shared, later.model.shared)
    moved = np.abs(old.model.users.mean - later.model.users.mean).max(axis=1)
    assert (moved > 0).sum() == 1, "nobody else moves"
    right = f"accuracy {result.accuracy.value:.3f}, no area"
    assert later.recipe.lines[-1] == (
        f"- updated with 30 examples of new logs; results on them before the update: {right}"
    ), "where all were answered there is nothing to be above"


def test_majorities():
    """Of all, and of each person, before what is held out; who is new, or torn, is like all."""
    inputs = reply_examples(log(60), window=Window(), filters=Filters())
    before = inputs.split.before_test
    result = majority_predictions(inputs, inputs.split.test)
    rate = inputs.labels(before).mean()
    assert np.allclose(result["global majority"].score, rate)
    assert (result["global majority"].predicted == (rate > 0.5)).all()
    for at, rate_of_user, predicted in zip(
        inputs.split.test, *result["private majority"], strict=True
    ):
        name = inputs.outcomes.user[at]
        own = [inputs.outcomes.has_reply[n] for n in before if inputs.outcomes.user[n] == name]
        assert rate_of_user == pytest.approx(np.mean(own) if own else rate)
        assert predicted == ((rate_of_user > 0.5) if rate_of_user != 0.5 else rate > 0.5)


def test_a_metric_tells_as_many_answered_as_were():
    """Of 1 to 10, a share of .3 is not below 7.3."""
    assert reply_threshold(np.arange(1.0, 11), 0.3) == pytest.approx(7.3)
    assert evenly_spaced(np.arange(10), 4).tolist() == [0, 3, 6, 9]
    assert evenly_spaced(np.arange(3), 4).tolist() == [0, 1, 2]


def test_what_a_turn_answers_stands_in_for_a_reference():
    inputs = reply_examples(log(60), window=Window(), filters=Filters())
    result = predict_by_metric(load("deep_am"), inputs, max_turns=5)
    assert len(result.test) == 5
    assert result.unscored == 0
    assert (np.abs(result.predictions.score) <= 1).all()


def test_the_card_says_on_how_many_turns_a_metric_stands_beside():
    """Of 12 turns held out 5 are scored; of other 5, two have no words, so that 3 are."""
    turns = log(120)
    inputs = PLAIN.examples(turns)
    test = inputs.split.test
    silent = pl.arange(len(turns)).is_in(inputs.outcomes.row[evenly_spaced(test, 5)[:2]].tolist())
    text = pl.when(silent).then(pl.lit("...")).otherwise("text")
    guess = {"ours": np.linspace(0, 1, len(test))}
    wordless = replace(inputs, turns=Turns(turns.frame.with_columns(text=text)))
    for some, told in (
        (inputs, "5 of the 12 turns"),
        (wordless, "3 of the 12 turns, without 2 that it did not score"),
    ):
        baselines = BaselineMetrics({"words": load("repetition")}, max_turns=5)
        result = reply_card_lines(evaluate_continuity(some, guess, baselines))
        assert result[0].startswith("- baseline on the same turns: global majority, accuracy")
        assert result[2].startswith(f"- baseline on {told}: words, accuracy")


def test_metrics_that_cannot_run_say_why():
    inputs = reply_examples(log(60), window=Window(), filters=Filters())
    why = predict_by_metric(load("ctx_ruber"), inputs)
    assert why.startswith("ctx_ruber needs a trained part: train one with")
    assert predict_by_metric(load("fed", model="path:nowhere"), inputs).startswith(
        "model 'path:nowhere'"
    )


def test_whole_sentences(tmp_path):
    with pytest.raises(BadValue) as error:
        ContinuityTraining(mode="voice")
    assert str(error.value) == "unknown mode 'voice'; choose one of text, user, profile, both"
    with pytest.raises(DataError) as error:
        train_continuity(log(10), tmp_path / "m", training=PLAIN, about=ABOUT)
    assert str(error.value) == (
        "validation set: 0 turns, 0 with a reply; turns with and without are needed; not used: 2 "
        "not known yet at a cut"
    )
    with pytest.raises(DataError) as error:
        ContinuityTraining(mode="both").examples(log(80))
    assert str(error.value) == (
        "mode 'both' reads profiles, and no addressed user has one; give profiles, or another mode"
    )
    text = ContinuityTraining(mode="text", encoder="")
    train_continuity(log(80), tmp_path / "text", training=text, about=ABOUT)
    request = UpdateRequest(f"path:{tmp_path / 'text'}", tmp_path / "later", "x")
    with pytest.raises(BadValue) as error:
        update_continuity(log(60), request, left=0.0, filters=Filters())
    assert str(error.value) == (
        f"path:{tmp_path / 'text'} has no per-user weights to update; train it with --mode user"
    )


def test_the_command_line(call, tmp_path):
    data = tmp_path / "log.csv"
    frame(100).with_columns(time=frame(100)["time"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")).write_csv(
        data
    )
    out = tmp_path / "m"
    told = ["--data", data, "--out", out, "--encoder", "none", "--bot", "nobody"]
    code, shown, err = call("train", "continuity", *told)
    assert code == 0, err
    assert shown.strip().endswith(str(out))
    assert "private majority" in shown + err
    assert "no interval: fewer than 10 users" in err
    recipe = json.loads((out / "recipe.json").read_text(encoding="utf-8"))
    assert recipe["command"].startswith("simpatico train continuity --data log.csv --out MODEL")
    assert "--bot NAME" in recipe["command"], "whoever was left out is not named"
    later = tmp_path / "later"
    code, shown, err = call(
        "train", "continuity", "--data", data, "--out", later, "--continue", f"path:{out}"
    )
    assert code == 0, err
    assert "before the update" in shown + err
    code, _, err = call("train", "continuity", *told, "--test-from", "2015-03-04")
    assert code == 2
    assert "Give both --validation-from and --test-from, or neither." in err
    code, _, err = call("train", "continuity", *told, "--set", "wit.model=x")
    assert err.strip().endswith(
        "--set names 'wit', which is not among nsp, ctx_ruber, fed, deep_am, deep_fm, deep_am_fm"
    )
