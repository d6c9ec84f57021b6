"""Figures without an interval, or without a value, where people read them."""

from simpatico import load
from simpatico.cli.commands.train._users import format_estimate, format_p_suffix
from simpatico.features.users.folder import ModelEvaluation, RecordedResult
from simpatico.reproduction import cells as eye_cells
from simpatico.stats.by_user import NO_INTERVAL
from simpatico.stats.result import Result
from simpatico.training.users.card import evaluation_lines
from tests.metrics.user_models import by_hand, folder

KEY = ("table", "row", "column")


def test_on_the_command_line():
    assert format_estimate(Result(0.5, 0.25, 0.75)) == "0.500 [0.250, 0.750]"
    assert format_estimate(Result(0.5)) == "0.500 (no CI)"
    assert format_estimate(Result(None)) == "undefined"
    assert format_estimate(None) == "undefined (no variance)"
    assert (format_p_suffix(0.02), format_p_suffix(None)) == (", p = .020", "")


def test_in_a_table():
    whole = eye_cells.estimate_cell(KEY, Result(0.5, 0.25, 0.75), n=4)
    assert whole[4:9] == (0.5, 0.25, 0.75, 4, "0 of 4 not scored")
    few = eye_cells.estimate_cell(KEY, Result(0.5), n=4, notes=[eye_cells.p_note(None, "persons")])
    assert few[4:8] == (0.5, None, None, 4)
    assert few.note == f"0 of 4 not scored; p –, resamples of persons; {NO_INTERVAL}"
    none = eye_cells.estimate_cell(KEY, Result(None), n=4)
    assert none[4:8] == (None, None, None, 4)
    assert none.note == "0 of 4 not scored; no value: all turns were answered, or none"
    assert NO_INTERVAL == (
        "no interval: fewer than 10 users, or too few resamples of users have a value"
    )


def test_on_a_card():
    """Ten persons are enough; scores are of ratings, which may be of whole dialogs."""
    few, many = (ModelEvaluation(30, n, {"r": RecordedResult(0.5)}) for n in (9, 10))
    title = "## Results on the test set (later ratings)"
    assert evaluation_lines(few)[:2] == [
        title,
        "30 ratings and 9 users; no 95% CI with fewer than 10 users.",
    ]
    assert evaluation_lines(many)[:2] == [
        title,
        "30 ratings and 10 users; in brackets: 95% CI (bootstrap over users).",
    ]
    assert "- r: 0.500" in evaluation_lines(few)


def test_what_a_model_of_scores_learned_from_is_ratings():
    model = folder(by_hand("score"))
    about = load("interlocutor_score", model=model).card.about
    assert about.endswith("Trained on chats (licence: MIT): 4 ratings. It knows 2 users.")
