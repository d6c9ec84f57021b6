"""Talks with bots: who gets which bot, and what is said in two tabs at once."""

from collections import Counter

import pytest

from simpatico.study import schema as db
from simpatico.study.design import BotChoice, Material, Talk
from simpatico.study.loans import skip_unit
from simpatico.study.results import talk_side
from simpatico.study.store import Conflict, Gone
from simpatico.study.talks import (
    add_exchange,
    count_talks,
    end_talk,
    find_talk,
    open_talk,
    read_messages,
)
from simpatico.study.units import units_of
from tests.study.conftest import OVERALL, design_of

BOTS = (BotChoice("alpha", "script:echo"), BotChoice("beta", "script:echo"))
DESIGN = design_of(OVERALL, rate=Material(raters=1), talk=Talk(BOTS, dialogs_per_bot=2))
SAID = [("user", "hello"), ("assistant", "hi")]


@pytest.fixture
def raters(store):
    store.add_study(DESIGN, [])
    return [store.rater(token) for _, token in store.add_raters("s", "interlocutor", 5)]


def test_bots_take_turns_until_each_has_its_dialogs(store, raters, clock):
    talks = [open_talk(store, rater, DESIGN) for rater in raters]
    assert talks[4] is None
    assert Counter(talk.bot for talk in talks[:4]) == {"alpha": 2, "beta": 2}
    assert open_talk(store, raters[0], DESIGN).talk == talks[0].talk
    end_talk(store, raters[0], DESIGN, talks[0], [])
    assert count_talks(store, raters[0]) == 1
    clock.now += 4000  # the three others left, so that their places are free
    assert open_talk(store, raters[0], DESIGN).bot != talks[0].bot


def test_what_two_tabs_say_at_once_is_kept_once(store, raters):
    talk = open_talk(store, raters[0], DESIGN)
    add_exchange(store, DESIGN, talk, SAID, position=0)
    with pytest.raises(Conflict) as caught:
        add_exchange(store, DESIGN, talk, SAID, position=0)
    assert caught.value.latest == {"length": 2}
    messages = read_messages(store, "s", talk.talk)
    assert [(m.position, m.role, m.text) for m in messages] == [
        (0, "user", "hello"), (1, "assistant", "hi"),
    ]  # fmt: skip


def test_who_goes_on_talking_keeps_the_place(store, raters, clock):
    """Two leases long, with a message halfway: nobody else gets the place of the talk."""
    talks = [open_talk(store, rater, DESIGN) for rater in raters[:4]]
    for _ in range(2):
        clock.now += 3000  # a lease has 3,600 seconds
        for talk in talks:
            add_exchange(store, DESIGN, talk, SAID)
    assert open_talk(store, raters[4], DESIGN) is None


def test_a_reply_after_the_end_is_not_added(store, raters):
    talk = open_talk(store, raters[0], DESIGN)
    add_exchange(store, DESIGN, talk, SAID)
    side = talk_side(talk, read_messages(store, "s", talk.talk))
    for _ in range(2):  # again changes nothing
        end_talk(store, raters[0], DESIGN, talk, list(units_of(DESIGN, [side])))
    with pytest.raises(Gone) as caught:
        add_exchange(store, DESIGN, talk, SAID)
    assert str(caught.value) == "this talk is over"
    kinds = Counter(row.kind for row in store.rows("s", db.UNITS)[0])
    assert kinds == {"talk": 1, "dialog": 1}


def test_talks_are_their_persons_own(store, raters):
    talk = open_talk(store, raters[0], DESIGN)
    with pytest.raises(Gone) as caught:
        find_talk(store, raters[1], talk.talk)
    assert str(caught.value) == "this talk is not yours"
    with pytest.raises(Gone) as caught:
        skip_unit(store, raters[0], talk.talk)
    assert str(caught.value) == "a talk is ended, not given back"
