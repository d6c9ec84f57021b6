"""Will they answer? The ladder on logs, persons in groups, and the drawing."""

import numpy as np
import pytest

from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.users.inputs import InputSpec
from simpatico.reproduction.interlocutors_eye import continuity as eye
from simpatico.reproduction.interlocutors_eye import data as files
from simpatico.reproduction.request import Request
from simpatico.stats.by_user import ReplyPredictions, compare_replies, evaluate_replies
from simpatico.training.users.continuity.baselines import USER_MAJORITY
from simpatico.training.users.continuity.data import reply_examples
from tests.reproduction.interlocutors_eye import data_sets as seeing

SPEC = InputSpec(char_ngrams=CharNgramSettings(2, 2, 2**5))


@pytest.fixture(scope="module")
def turns(tmp_path_factory):
    data = tmp_path_factory.mktemp("logs")
    seeing.irc(data)
    return files.read_irc(data / files.IRC)


@pytest.fixture(scope="module")
def examples(turns):
    return reply_examples(turns, window=eye.WINDOW, by="person", filters=eye.FILTERS)


@pytest.fixture(scope="module")
def study(examples):
    return eye.fit_models(examples, SPEC, seeds=1)


def test_habits_are_learned_and_shuffled_names_have_none(study):
    """Even persons thank 9 times in 10 and odd ones once; text is the same for all."""
    models = {eye.USER: study.predictions[eye.USER], eye.TEXT: study.predictions[eye.TEXT]}
    models["mixed"] = study.shuffles[0]
    gaps = {row.name: row for row in compare_replies(models, eye.USER, study.labels, study.users)}
    assert gaps[eye.TEXT].auc.value > 0.15
    assert gaps["mixed"].auc.value > 0.15
    mine = np.mean(study.predictions[eye.USER].predicted == study.labels)
    assert mine == np.mean(study.predictions[USER_MAJORITY].predicted == study.labels) > 0.8


def test_going_on_begins_where_the_model_stands(study, examples):
    """The first log held out is told by the model as it was trained."""
    log = np.array(eye.log_names(examples))
    first = log == log[0]
    one, other = (study.predictions[name].score for name in (eye.USER, eye.UPDATED))
    assert 0 < first.sum() < len(first)
    assert other[first].tolist() == one[first].tolist()
    assert other[~first].tolist() != one[~first].tolist()


def test_the_ladder_has_every_rung(study):
    cells = list(eye.model_cells("t", study, seed=0))
    names = {cell.column for cell in cells}
    assert names == {
        *("text", "+ user", eye.UPDATED, eye.SHUFFLED, "+ profile", "+ both"),
        *("global majority", "private majority", eye.WORDS, eye.WORDS_USER),
    }
    by_place = {(cell.row, cell.column): cell for cell in cells}
    assert by_place["accuracy", "text"].paper == 0.668
    assert by_place["macro-F1", "+ profile"].ours is None
    assert by_place["macro-F1", "+ profile"].note == f"0 of 0 not scored; {eye.NO_PROFILE}"
    flat = by_place["AUC", "global majority"]
    assert (flat.ours, flat.paper) == (0.5, None)


def test_three_groups_by_what_is_known():
    """12 examples in all, 4 to a group: a and b have 1 + 3, c has 4, d has 4; e is new."""
    person = ["d", "a", "b", "c", "e", "d"]
    n_known = np.array([4.0, 1.0, 3.0, 4.0, 0.0, 4.0])
    assert eye.group_by_size(person, n_known).tolist() == [2, 0, 0, 1, -1, 2]


def test_figure_3(study):
    cells = list(eye.size_cells(study, seed=0))
    assert {cell.column for cell in cells} == {"text", "+ user", "private majority"}
    assert set(eye.figures(cells)) == {"figure-3"}
    assert "examples" in str(eye.figures(cells)["figure-3"])
    assert eye.figures([]) == {}


def test_baselines_that_were_not_asked_for_do_not_run():
    assert eye.selected_metrics(Request(metrics=[])) == []
    assert eye.selected_metrics(Request()) == list(eye.METRICS)
    assert eye.selected_metrics(Request(metrics=["Deep-AM", "nsp"])) == ["NSP", "Deep-AM"]


def test_where_all_answered_there_is_no_area():
    """3 turns that were answered: a guess of .6, .4, .7 tells 2 of them right; no turn is left
    without an answer that could stand below."""
    guess = {"text": ReplyPredictions.from_probability(np.array([0.6, 0.4, 0.7]))}
    row = evaluate_replies(guess, np.ones(3, bool), ["a", "b", "c"])[0]
    for rows in ([row], [row._replace(auc=None)]):
        cells = {cell.row: cell for cell in eye.result_cells("t", rows)}
        assert cells["accuracy"].ours == pytest.approx(2 / 3, abs=1e-4)
        area = cells["AUC"]
        assert (area.ours, area.low, area.high, area.n) == (None, None, None, 3)
        assert "no value: " in area.note
        mean = {cell.row: cell for cell in eye.shuffled_cells("t", rows * 2)}
        assert mean["accuracy"].ours == cells["accuracy"].ours
        assert (mean["AUC"].ours, mean["AUC"].low) == (None, None)


def test_persons_met_before_stand_alone_only_where_others_are_new(study):
    """Else their rows would be those of all persons again, or of nobody."""
    new = np.where(np.array(study.users) == study.users[0], 0.0, 1.0)
    for n_known, separate in ((new * 0, False), (new * 0 + 1, False), (new, True)):
        cells = eye.gain_cells("t", study._replace(n_known=n_known), seed=0)
        columns = {cell.column for cell in cells}
        assert any("persons met before" in name for name in columns) == separate
