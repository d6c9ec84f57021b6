"""Figures without an interval, or without a value, where people read them."""

from math import nan

from simpatico import load
from simpatico.cli.commands.train._users import likely, span
from simpatico.features.users.folder import Figure, Heldout
from simpatico.reproduction import cells__eye_cells as eye_cells
from simpatico.reproduction.cells import Spot
from simpatico.stats.by_person import NO_INTERVAL, Estimate
from simpatico.training.users.card import figures
from tests.metrics.user_models import by_hand, folder

SPOT = Spot("table", "row", "column")


def test_on_the_command_line():
    assert span(Estimate(0.5, 0.25, 0.75)) == "0.500 [0.250, 0.750]"
    assert span(Estimate(0.5)) == "0.500 (no interval)"
    assert span(Estimate(nan)) == "no area"
    assert span(None) == "does not vary"
    assert (likely(0.02), likely(None)) == (", p 0.020", "")


def test_in_a_table():
    whole = eye_cells.of_estimate(SPOT, Estimate(0.5, 0.25, 0.75), n=4)
    assert whole[4:] == (0.5, 0.25, 0.75, 4, "0 of 4 not scored")
    few = eye_cells.of_estimate(SPOT, Estimate(0.5), n=4, notes=[eye_cells.tested(None, "persons")])
    assert few[4:8] == (0.5, None, None, 4)
    assert few.note == f"0 of 4 not scored; p –, resamples of persons; {NO_INTERVAL}"
    none = eye_cells.of_estimate(SPOT, Estimate(nan), n=4)
    assert none[4:8] == (None, None, None, 4)
    assert none.note == "0 of 4 not scored; no value: all turns were answered, or none"
    assert NO_INTERVAL == (
        "no interval: fewer than 10 persons, or too few resamples of them have a value"
    )


def test_on_a_card():
    """Ten persons are enough; scores are of ratings, which may be of whole dialogs."""
    few, many = (Heldout(30, n, {"r": Figure(0.5)}) for n in (9, 10))
    title = "## How well it does on later ratings, which it has not seen"
    assert figures(few)[:2] == [
        title,
        "30 ratings and 9 persons; fewer than 10 persons have no intervals.",
    ]
    assert figures(many)[:2] == [
        title,
        "30 ratings and 10 persons; in brackets where 95% of the resamples of persons lie.",
    ]
    assert "- r: 0.500" in figures(few)


def test_what_a_model_of_scores_learned_from_is_ratings():
    model = folder(by_hand("score"))
    told = load("interlocutor_score", model=model).card.about
    assert told.endswith("Learned from chats (licence: MIT): 4 ratings. It knows 2 persons.")
