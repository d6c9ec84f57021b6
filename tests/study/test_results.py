"""Which answers count, and as what: judgements and preferences derived by hand."""

import msgspec
import pytest

from simpatico.judgements import Judgement, Preference
from simpatico.questions.question import Question
from simpatico.questions.units import unit_id
from simpatico.study.checks import CHECK
from simpatico.study.design import BotChoice, Checks, Material, Talk
from simpatico.study.loans import finish_unit, take_unit
from simpatico.study.results import collect, talk_side
from simpatico.study.talks import add_exchange, end_talk, open_talk, read_messages
from simpatico.study.units import units_of
from tests.study.conftest import (
    OVERALL,
    PREFERRED,
    WARMTH,
    Study,
    design_of,
    dialog_of,
    entry_of,
)

D1, D2 = unit_id("dialog", "d1"), unit_id("dialog", "d2")


def test_ratings_become_judgements_with_scale_speaker_and_judge(sqlite):
    study = Study(sqlite, design_of(WARMTH, OVERALL), [dialog_of("d1"), dialog_of("d2")], 2)
    values = {D1: (4, 70), D2: (2, None)}
    study.rate(
        "r001",
        lambda x: [("warmth", 1, values[x.unit][0]), ("overall", -1, values[x.unit][1])],
    )
    rows = sorted(collect(sqlite, "s").judgement_rows(), key=lambda j: (j.dialog, j.quality))
    assert rows == [
        Judgement("d1", None, "bot", "overall", "r001", "outsider", 70, 0, 100),
        Judgement("d1", 1, "bot", "warmth", "r001", "outsider", 4, 1, 5),
        Judgement("d2", None, "bot", "overall", "r001", "outsider", None, 0, 100),  # cannot tell
        Judgement("d2", 1, "bot", "warmth", "r001", "outsider", 2, 1, 5),
    ]  # fmt: skip


def test_what_does_not_count_and_why(sqlite):
    dialogs = [dialog_of("d1")]
    study = Study(sqlite, design_of(WARMTH, rate=Material("x", raters=9)), dialogs, 5)
    for name, value in (("r001", 1), ("r002", 2), ("r003", 3), ("r004", 4)):
        study.take(name)
        study.answer(name, D1, "warmth", value, turn=1)
    study.answer("r004", D1, "warmth", 5, turn=1, revision=1)
    study.answer("r003", D1, "warmth", None, turn=1, revision=1, state="withdrawn")
    for name in ("r001", "r003", "r004"):
        study.finish(name, D1)
    sqlite.exclude("s", "r001", "asked to be left out")
    results = collect(sqlite, "s")
    assert [(j.judge, j.value) for j in results.judgement_rows()] == [("r004", 5)]
    assert [(r["rater"], r["value"], r["why_not"]) for r in results.answer_rows()] == [
        ("r001", 1, "asked to be left out"),
        ("r002", 2, "unit not finished"),
        ("r003", 3, "changed later"),
        ("r004", 4, "changed later"),
        ("r004", 5, None),
        ("r003", None, "taken back"),
    ]
    sqlite.exclude("s", "r001", None)
    assert len(collect(sqlite, "s").judgements) == 2


def test_who_fails_enough_checks_does_not_count(sqlite):
    design = design_of(WARMTH, checks=Checks(every=1, exclude_after=2))
    study = Study(sqlite, design, [dialog_of("d1"), dialog_of("d2")], 2)
    for name, offset in (("r001", 0), ("r002", 1)):

        def answers(lease, offset=offset):
            item = msgspec.json.decode(lease.check_item)
            right = (item["right"] + offset) % len(item["options"])
            return [("warmth", 1, 3), (CHECK, -1, right)]

        study.rate(name, answers)
    results = collect(sqlite, "s")
    assert [results.why_excluded(name) for name in ("r001", "r002")] == [None, "failed 2 checks"]
    assert [j.judge for j in results.judgement_rows()] == ["r001", "r001"]
    why = {r["rater"]: r["why_not"] for r in results.answer_rows()}
    assert why == {"r001": None, "r002": "failed 2 checks"}


@pytest.mark.parametrize("value", [0, 1, 2, None])
def test_a_choice_is_of_a_dialog_whichever_stood_first(sqlite, value):
    design = design_of(PREFERRED, rate=Material("x", raters=40))
    study = Study(sqlite, design, [dialog_of("a", "alpha"), dialog_of("b", "beta")], 12)
    sides = {}
    for name in study.tokens:
        lease = study.take(name)
        sides[name] = lease.swapped
        state = "cannot_tell" if value is None else "given"
        study.answer(name, lease.unit, "preferred", value, state=state)
        study.finish(name, lease.unit)
    assert set(sides.values()) == {True, False}  # 2^-11 that all stand the same way, and seeded
    choice = {0: ("a", "b"), 1: ("b", "a"), 2: ("tie", "tie"), None: (None, None)}[value]
    assert list(collect(sqlite, "s").preferences()) == [
        Preference("preferred", name, "outsider", choice[swapped], dialog_a="a", dialog_b="b")
        for name, swapped in sides.items()
    ]


def test_an_answer_about_an_exchange_is_about_its_reply(sqlite):
    fit = Question("fit", "Does it fit?", "exchange", answers=("no", "yes"), first=0)
    study = Study(sqlite, design_of(fit), [dialog_of("d1", replies=2)], 1)
    study.rate("r001", lambda lease: [("fit", -1, 1)])
    results = collect(sqlite, "s")
    assert sorted(results.judgement_rows()) == [
        Judgement("d1", 1, "bot", "fit", "r001", "outsider", 1, 0, 1),
        Judgement("d1", 3, "bot", "fit", "r001", "outsider", 1, 0, 1),
    ]
    # the whole dialog is there to score, though nobody was asked about it
    assert [row["text"] for row in results.dialogs()] == [
        "said 0", "replied 0", "said 1", "replied 1",
    ]  # fmt: skip


def talk_design():
    bots = (BotChoice("alpha", "script:echo"),)
    return design_of(
        WARMTH, OVERALL, rate=Material(raters=2), talk=Talk(bots, dialogs_per_bot=1, min_turns=2)
    )


def test_a_talk_is_rated_by_who_talked_and_by_outsiders(sqlite):
    from simpatico.study.answers import save_answer

    design = talk_design()
    sqlite.add_study(design, [])
    ((_, token),) = sqlite.add_raters("s", "interlocutor", 1)
    talker = sqlite.rater(token)
    talk = open_talk(sqlite, talker, design)
    add_exchange(sqlite, design, talk, [("user", "hello"), ("assistant", "a\0b")], position=0)
    save_answer(sqlite, talker, design, entry_of(talk.talk, "overall", 80))
    assert list(collect(sqlite, "s").judgement_rows()) == []  # the talk goes on
    side = talk_side(talk, read_messages(sqlite, "s", talk.talk))
    end_talk(sqlite, talker, design, talk, list(units_of(design, [side])))
    ((_, token),) = sqlite.add_raters("s", "outsider", 1)
    outsider = sqlite.rater(token)
    lease = take_unit(sqlite, outsider, design)
    save_answer(sqlite, outsider, design, entry_of(lease.unit, "warmth", 5, turn=1))
    finish_unit(sqlite, outsider, design, lease.unit)
    results = collect(sqlite, "s")
    assert list(results.judgement_rows()) == [
        Judgement(talk.talk, None, "alpha", "overall", "r001", "interlocutor", 80, 0, 100),
        Judgement(talk.talk, 1, "alpha", "warmth", "r002", "outsider", 5, 1, 5),
    ]
    assert list(results.dialogs()) == [
        {"dialog": talk.talk, "speaker": "r001", "text": "hello", "system": "human", "prompt": None},
        {"dialog": talk.talk, "speaker": "alpha", "text": "a\ufffdb", "system": "alpha",
         "prompt": None},
    ]  # fmt: skip
