"""What raters are shown: a dialog, an exchange or a pair, without names."""

import json

import pytest

from simpatico.errors import DataError
from simpatico.questions.question import Question
from simpatico.questions.units import split_dialogs, unit_id
from simpatico.study.design import Expected, Gold
from simpatico.study.units import build_units, units_of
from tests.conftest import talk
from tests.study.conftest import OVERALL, PREFERRED, WARMTH, design_of, dialog_of

EXCHANGE = Question("fit", "Does it fit?", "exchange", answers=("no", "yes"))


def test_a_dialog_is_shown_whole_and_its_replies_are_rated():
    (unit,) = units_of(design_of(WARMTH, OVERALL), [dialog_of("secret-id", "secret-bot")])
    assert unit.kind == "dialog"
    assert unit.shown(swapped=False) == [[
        {"turn": 0, "who": "person", "text": "said 0", "rated": False},
        {"turn": 1, "who": "partner", "text": "replied 0", "rated": True},
    ]]  # fmt: skip


def test_an_exchange_is_a_reply_and_what_it_replies_to():
    """The dialog comes along for the export, though nobody is asked about it."""
    design = design_of(EXCHANGE)
    whole, first, second = units_of(design, [dialog_of("d", replies=2)])
    assert design.rated_kinds == {"exchange"}
    assert (whole.kind, first.kind, second.kind) == ("dialog", "exchange", "exchange")
    assert [line["turn"] for line in first.shown(swapped=False)[0]] == [0, 1]
    assert [line["turn"] for line in second.shown(swapped=False)[0]] == [2, 3]


def test_pairs_are_of_different_systems_on_the_same_prompt():
    dialogs = [
        dialog_of("a1", "alpha", prompt="p"),
        dialog_of("b1", "beta", prompt="p"),
        dialog_of("a2", "alpha", prompt="q"),
        dialog_of("b2", "beta", prompt="p"),
    ]
    pairs = [
        tuple(side.dialog for side in unit.sides)
        for unit in units_of(design_of(PREFERRED), dialogs)
    ]
    assert pairs == [("a1", "b1"), ("a1", "b2")]


def test_pairs_without_prompts_are_of_the_nth_dialog_of_each():
    dialogs = [dialog_of(n, s) for n, s in (("b1", "b"), ("b2", "b"), ("a1", "a"), ("c1", "c"))]
    units = list(units_of(design_of(PREFERRED), dialogs))
    pairs = [tuple(side.dialog for side in unit.sides) for unit in units]
    assert pairs == [("a1", "b1"), ("a1", "c1"), ("b1", "c1")]
    first, second = units[0].shown(swapped=False)
    assert units[0].shown(swapped=True) == [second, first]


def test_nothing_that_is_shown_names_a_dialog_or_a_system():
    sides = [dialog_of("canary-x", "canary-a"), dialog_of("canary-y", "canary-b")]
    for unit in units_of(design_of(WARMTH, OVERALL, EXCHANGE, PREFERRED), sides):
        assert "canary" not in unit.id + json.dumps(unit.shown(swapped=True))


def test_ids_are_the_same_every_time_and_differ_by_every_part():
    assert unit_id("dialog", "d1") == "dialog-fda7bfe6364efac5ac"
    names = {unit_id("exchange", "d", 1), unit_id("exchange", "d1", ""), unit_id("exchange", "d1")}
    assert len(names) == 3


def write_chat(folder, turns: int = 2) -> None:
    rows = [
        {"dialog": "d", "speaker": ("ann", "bot")[n % 2], "text": f"t{n}",
         "system": ("human", "bot")[n % 2], "prompt": "p"}
        for n in range(turns)
    ]  # fmt: skip
    (folder / "chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_units_of_a_file(tmp_path):
    write_chat(tmp_path, 4)
    (unit,) = build_units(design_of(WARMTH), tmp_path)
    (side,) = unit.sides
    assert (side.dialog, side.prompt, side.partner, side.system) == ("d", "p", "bot", "bot")
    assert [line.rated for line in side.lines] == [False, True, False, True]


def refusal(design, folder) -> str:
    with pytest.raises(DataError) as caught:
        list(build_units(design, folder))
    return str(caught.value)


def test_a_dialog_that_nobody_can_read_is_refused(tmp_path):
    write_chat(tmp_path, 502)
    assert refusal(design_of(WARMTH), tmp_path) == (
        "[rate]: dialog 'd' has 502 turns; people can rate up to 500, so leave it out or cut it"
    )


def test_a_question_with_nothing_to_be_asked_about_is_refused(tmp_path):
    write_chat(tmp_path, 1)
    place = f"[rate]: the source {tmp_path / 'chats.jsonl'} has nothing to rate:"
    assert refusal(design_of(OVERALL, EXCHANGE), tmp_path) == (
        f"{place} 'fit' needs a turn by a system after another one; the column system names systems"
    )
    assert refusal(design_of(PREFERRED), tmp_path) == (
        f"{place} 'preferred' needs two dialogs by different systems; the column system names them"
    )


def test_gold_about_what_is_not_there_is_refused(tmp_path):
    write_chat(tmp_path, 4)
    gold = Gold("e", (Expected("warmth", 1, turn=1),))
    assert refusal(design_of(WARMTH, gold=(gold,)), tmp_path) == (
        "[[gold]]: the source has no dialog 'e'; there are d"
    )
    gold = Gold("d", (Expected("warmth", 1, turn=2),))
    assert refusal(design_of(WARMTH, gold=(gold,)), tmp_path) == (
        "[[gold]]: turn 2 of dialog 'd' is not rated; 1, 3 are"
    )


def test_two_systems_in_one_dialog_are_both_rated_and_neither_is_the_partner():
    (side,) = split_dialogs(talk("alpha: hello", "beta: hi"))
    assert [line.rated for line in side.lines] == [True, True]
    assert (side.partner, side.system) == (None, None)
