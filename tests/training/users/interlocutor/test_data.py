"""Ratings by interlocutors: of turns and dialogs, own or outsiders', split so that order holds."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import turn_contexts
from simpatico.judgements import Judgement, Judgements
from simpatico.training.users.interlocutor.data import interlocutor_ratings, split_ratings

START = datetime(2020, 1, 1, tzinfo=UTC)


def dialogs(sizes, timed=False, speakers=("Wizard", "Participant")):
    """Dialogs of so many exchanges; the first speaker is under evaluation."""
    rows = []
    for at, (name, size) in enumerate(sizes.items()):
        for n in range(size):
            for who in speakers:
                rows.append(
                    {
                        "dialog": name,
                        "speaker": who,
                        "text": f"{who} {n}",
                        "system": who if who == "Wizard" else None,
                        "interlocutor": f"p{name}" if who == "Wizard" else None,
                        "time": START + timedelta(days=at, minutes=n) if timed else None,
                    }
                )
    return Turns.from_utterances(pl.DataFrame(rows, infer_schema_length=None))


def of_turn(dialog, turn, value, kind="interlocutor", judge="p", quality="impression"):
    return Judgement(dialog, turn, "Wizard", quality, judge, kind, value, 1, 7)


def of_dialog(dialog, value, judge, speaker="Wizard"):
    return Judgement(dialog, None, speaker, "fun", judge, "interlocutor", value)


def test_own_and_outsiders_ratings_of_the_same_turns():
    """The outsiders' mean of turn 0 is (2 + 5) / 2. Turn 2 nobody else rated; of turn 4 the
    interlocutor's own is missing; turn 9 was never said."""
    given = Judgements.of(
        [
            of_turn("d", 0, 6),
            of_turn("d", 0, 2, "outsider", "o1"),
            of_turn("d", 0, 5, "outsider", "o2"),
            of_turn("d", 2, 4),
            of_turn("d", 2, None, "outsider", "o1"),
            of_turn("d", 4, None),
            of_turn("d", 9, 3),
        ]
    )
    turns = dialogs({"d": 3})
    own = interlocutor_ratings(turns, given)
    assert (own.quality, own.level, own.bounds) == ("impression", "turn", (1, 7))
    assert [rows.tolist() for rows in own.rows] == [[0], [2]]
    assert own.target.tolist() == own.own.tolist() == [6, 4]
    assert own.user == ["p", "p"]
    assert own.excluded == {"not rated, or of no turn that was read": 2}
    other = interlocutor_ratings(turns, given, source="outsiders")
    assert (other.target.tolist(), other.own.tolist()) == ([3.5], [6])


def test_a_rating_of_a_dialog_is_of_all_turns_of_the_speaker():
    """Of nobody, it is of all turns under evaluation. Who rated is the judge or, if unnamed, whom
    the turns are said to. Nobody told the scale: it ends where the ratings do."""
    given = Judgements.of(
        [of_dialog("d", 20, "ann"), of_dialog("e", 90, None, None), of_dialog("e", 5, "x", "Eve")]
    )
    result = interlocutor_ratings(dialogs({"d": 2, "e": 1}), given)
    assert result.level == "dialog"
    assert [rows.tolist() for rows in result.rows] == [[0, 2], [4]]
    assert result.user == ["ann", "pe"]
    assert result.bounds == (20, 90)
    assert result.excluded == {"not rated, or of no turn that was read": 1}


def test_the_last_tenth_of_each_dialog_is_held_out():
    """20 rated turns: 16 to learn from, 2 to decide by, 2 held out; of 3 one each; of 2 none
    decides; 1 is learned from."""
    sizes = {"a": 20, "b": 3, "c": 2, "d": 1}
    given = [of_turn(name, 2 * n, 4) for name, size in sizes.items() for n in range(size)]
    result = interlocutor_ratings(dialogs(sizes), Judgements.of(given))
    sides = split_ratings(result)
    assert [len(side) for side in sides[:3]] == [16 + 1 + 1 + 1, 2 + 1, 2 + 1 + 1]
    turns = {side: [result.rows[at][0] for at in sides[n]] for n, side in enumerate("lch")}
    assert turns["c"] == [32, 34, 42], "the turns 16 and 17 of a, and the second of b"
    assert turns["h"] == [36, 38, 44, 48]


def test_dialogs_of_a_person_are_split_in_order_and_none_is_on_two_sides():
    """ann talks in a, b, c and bob in c, d, e: of ann's, b decides and c is held out; bob would
    learn from c, which is held out for ann, and so does not."""
    given = [of_dialog(d, n, "ann") for n, d in enumerate("abc")]
    given += [of_dialog(d, n, "bob") for n, d in enumerate("cde")]
    turns = dialogs(dict.fromkeys("abcde", 1), timed=True)
    result = interlocutor_ratings(turns, Judgements.of(given))
    sides = split_ratings(result)
    names = [list(zip(result.dialog[s], np.array(result.user)[s], strict=True)) for s in sides[:3]]
    assert names == [[(0, "ann")], [(1, "ann"), (3, "bob")], [(2, "ann"), (4, "bob")]]
    assert sides.excluded["of a dialog that is later for somebody else"] == 1


def test_a_split_in_time_over_all():
    given = [of_dialog(d, n, "ann") for n, d in enumerate("abcdefghij")]
    turns = dialogs(dict.fromkeys("abcdefghij", 2), timed=True)
    result = interlocutor_ratings(turns, Judgements.of(given))
    assert [side.tolist() for side in split_ratings(result, "time")[:3]] == [
        list(range(8)),
        [8],
        [9],
    ]


def test_a_dialog_teaches_once_it_is_over():
    """a begins first and goes on for 90 days: at the first cut, when i begins, it is not rated yet.
    The others are over before the next one begins."""
    names = "abcdefghij"
    given = Judgements.of([of_dialog(d, n, "ann") for n, d in enumerate(names)])
    turns = dialogs(dict.fromkeys(names, 2), timed=True)
    last = (pl.col("dialog") == "a") & (pl.col("turn") > 1)
    late = pl.when(last).then(pl.col("time") + timedelta(days=90)).otherwise("time")
    result = interlocutor_ratings(
        Turns(turns.frame.with_columns(late)), given, source="interlocutor"
    )
    sides = split_ratings(result, "time")
    assert [side.tolist() for side in sides[:3]] == [list(range(1, 8)), [8], [9]]
    assert sides.excluded["not known yet at a cut"] == 1


def test_along_persons_turns_of_a_dialog_stay_together():
    """ann rates 3 turns in each of a, b and c, bob those of c, d and e; as for whole dialogs."""
    pairs = [*(("ann", d) for d in "abc"), *(("bob", d) for d in "cde")]
    given = [of_turn(d, 2 * n, 4, judge=who) for who, d in pairs for n in range(3)]
    turns = dialogs(dict.fromkeys("abcde", 3), timed=True)
    result = interlocutor_ratings(turns, Judgements.of(given))
    sides = split_ratings(result, "person")
    assert [result.dialog[side].tolist() for side in sides[:3]] == [
        [0] * 3,
        [1] * 3 + [3] * 3,
        [2] * 3 + [4] * 3,
    ]
    assert sides.excluded["of a dialog that is later for somebody else"] == 3


def test_along_a_dialog_its_turns_need_no_time():
    """Nobody knows when the second of ten turns was said; it comes second nevertheless."""
    turns = dialogs({"d": 10}, timed=True)
    unknown = pl.when(pl.col("turn") == 2).then(None).otherwise("time")
    timed = Turns(turns.frame.with_columns(time=unknown))
    given = Judgements.of([of_turn("d", 2 * n, 4) for n in range(10)])
    result = interlocutor_ratings(timed, given)
    sides = split_ratings(result)
    assert [[int(result.rows[n][0]) for n in side] for side in sides[1:3]] == [[16], [18]]


def test_a_rater_without_a_name_is_whom_scoring_takes_for_them():
    """Nobody is named: ann is who is answered. The greeting in e answers nobody, and f nothing."""
    rows = [
        ("d", "ann", None),
        ("d", "bot", "bot"),
        *(("e", who, system) for who, system in (("bot", "bot"), ("eve", None), ("bot", "bot"))),
        ("f", "bot", "bot"),
    ]
    table = pl.DataFrame(rows, schema=["dialog", "speaker", "system"], orient="row")
    turns = Turns.from_utterances(table.with_columns(text=pl.lit("well")))
    whole = Judgements.of([of_dialog(d, n, None, "bot") for n, d in enumerate("def")])
    result = interlocutor_ratings(turns, whole)
    assert result.user == ["ann", "eve", ""]
    single = Judgements.of([of_turn("d", 1, 3, judge=None), of_turn("e", 2, 3, judge=None)])
    person = interlocutor_ratings(turns, single).user
    seen = turn_contexts(turns)
    assert person == [who for row, who in zip(seen.row, seen.user, strict=True) if row in (1, 4)]


@settings(max_examples=40)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=5), st.sampled_from(["dialog", "person"]))
def test_what_is_held_out_comes_last(sizes, along):
    """In each dialog whatever is learned from comes before what decides, and that before what is
    held out."""
    named = {str(n): size for n, size in enumerate(sizes)}
    given = [of_turn(d, 2 * n, 4, judge=d) for d, size in named.items() for n in range(size)]
    result = interlocutor_ratings(dialogs(named), Judgements.of(given))
    sides = split_ratings(result, along)
    assert sum(len(side) for side in sides[:3]) == len(result.rows)
    for dialog in range(len(sizes)):
        rows = [result.rows[at][0] for s in sides[:3] for at in s if result.dialog[at] == dialog]
        assert rows == sorted(rows)


def test_whole_sentences():
    turns = dialogs({"d": 2})
    with pytest.raises(DataError) as error:
        interlocutor_ratings(
            turns, Judgements.of([of_turn("d", 0, 3, "outsider")]), source="interlocutor"
        )
    assert str(error.value) == (
        "no rating by an interlocutor; training needs judgements of that judge_kind"
    )
    both = Judgements.of([of_turn("d", 0, 3), of_turn("d", 0, 3, quality="fun")])
    with pytest.raises(BadValue) as error:
        interlocutor_ratings(turns, both)
    assert str(error.value) == (
        "interlocutors rated impression, fun; choose one of these qualities"
    )
    with pytest.raises(BadValue) as error:
        interlocutor_ratings(turns, both, quality="wit")
    assert str(error.value) == "no interlocutor rated 'wit'; choose one of impression, fun"
    with pytest.raises(DataError) as error:
        interlocutor_ratings(turns, both, quality="fun", source="outsiders")
    assert str(error.value) == (
        "none of 1 ratings of 'fun' by interlocutors matches a turn of the data that outsiders "
        "rated; check the names of dialogs and raters"
    )
    result = interlocutor_ratings(
        turns, Judgements.of([of_dialog("d", 3, "x")]), source="interlocutor"
    )
    with pytest.raises(BadValue) as error:
        split_ratings(result, "dialog")
    assert str(error.value) == (
        "ratings of 'fun' are of dialogs, which cannot be split by their turns; split by 'person' "
        "or 'time'"
    )
