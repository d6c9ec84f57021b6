"""Answers made wrong in five ways, each in its place."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns
from simpatico.cli.commands.perturb import KINDS as CLI_KINDS
from simpatico.errors import UnknownName
from simpatico.perturbation.answers import KINDS, answer_rows
from simpatico.perturbation.perturb import GENERIC, perturb

FRAME = {"dialog": pl.String, "speaker": pl.String, "system": pl.String, "text": pl.String}


def dialogs(*lines, system="bot", person=None):
    """Exchanges "prompt | answer | prompt | answer", one dialog each."""
    rows = [
        (f"d{number}", *(("bot", system) if place % 2 else ("ann", person)), text.strip())
        for number, line in enumerate(lines)
        for place, text in enumerate(line.split("|"))
    ]
    return Turns.from_utterances(pl.DataFrame(rows, FRAME, orient="row"))


THREE = dialogs(
    "my cat died | I am sorry to hear that | thanks | Was it an old cat?",
    "I passed my exam | Great, well done!",
    "where is the library | It stands behind the church.",
)


def texts(perturbation):
    return perturbation.turns.frame["text"].to_list()


def test_copied_answers_are_what_they_answer():
    perturbation = perturb(THREE, "copied")
    originals = THREE.frame["text"].to_list()
    assert texts(perturbation) == [
        originals[0],
        originals[0],
        originals[2],
        originals[2],
        originals[4],
        originals[4],
        originals[6],
        originals[6],
    ]
    assert perturbation.changed.tolist() == [False, True] * 4
    assert (perturbation.n_answers, perturbation.unchanged_counts) == (4, {})


def test_flipped_answers_that_have_no_feeling_stay_and_are_counted():
    perturbation = perturb(THREE, "flipped")
    assert texts(perturbation)[1::2] == [
        "I am glad to hear that",
        "Was it an old cat?",
        "Terrible, badly done!",
        "It stands behind the church.",
    ]
    assert perturbation.changed.tolist() == [False, True, False, False, False, True, False, False]
    assert perturbation.unchanged.to_list() == [
        None,
        None,
        None,
        "no_feeling",
        None,
        None,
        None,
        "no_feeling",
    ]
    assert (perturbation.n_answers, perturbation.unchanged_counts) == (4, {"no_feeling": 2})


def test_generic_answers_come_from_the_list_and_the_seed():
    perturbation = perturb(THREE, "generic", seed=1)
    assert set(texts(perturbation)[1::2]) <= set(GENERIC)
    assert texts(perturbation) == texts(perturb(THREE, "generic", seed=1))
    assert any(texts(perturbation) != texts(perturb(THREE, "generic", seed=s)) for s in range(2, 5))


def test_shuffled_answers_are_the_same_ones_in_other_dialogs():
    """Six dialogs of one answer each go three places round in a drawn order: none stays."""
    many = dialogs(*(f"question {n} | answer {n}" for n in range(6)))
    perturbation = perturb(many, "shuffled")
    own, dealt = many.frame["text"].to_list()[1::2], texts(perturbation)[1::2]
    assert sorted(own) == sorted(dealt)
    assert all(a != b for a, b in zip(own, dealt, strict=True))
    assert texts(perturbation) != texts(perturb(many, "shuffled", seed=1))


def test_a_dialog_with_most_of_the_answers_cannot_be_dealt_whole():
    """Of 4 answers 3 are of one dialog: half the way round two of these meet their own dialog."""
    perturbation = perturb(dialogs("a|one|b|two|c|three", "d|four"), "shuffled")
    assert perturbation.unchanged_counts == {"no_other_dialog": 2}


def test_dialogs_of_one_prompt_count_as_one():
    frame = dialogs("hello|hi there", "hello|good day").frame.with_columns(prompt=pl.lit("greet"))
    perturbation = perturb(Turns(frame), "shuffled")
    assert perturbation.unchanged_counts == {"no_other_dialog": 2}


def test_each_system_keeps_its_own_answers():
    both = [dialogs(f"a{n}|one {n}", system="one").frame for n in range(4)]
    both += [dialogs(f"a{n}|two {n}", system="two").frame for n in range(4)]
    frame = pl.concat([f.with_columns(dialog=pl.lit(f"d{n}")) for n, f in enumerate(both)])
    for kind in ("shuffled", "off-topic"):
        perturbation = perturb(Turns(frame), kind).turns.frame.filter(pl.col("turn") == 1)
        assert all(
            text.split()[0] == system for text, system in perturbation["text", "system"].rows()
        )


def test_off_topic_answers_share_no_word_and_are_about_as_long():
    """For the cat: "old" shares nothing but is longer than what is nearest to three words."""
    turns = dialogs(
        "is the cat black | Our cat sleeps",
        "what is there for dinner | Fried fish tonight",
        "where does the cat sleep | The cat prefers sofas",
        "how was football | Rain stopped everything early, sadly, without any goals",
    )
    perturbation = perturb(turns, "off-topic")
    assert texts(perturbation)[1] == "Fried fish tonight"
    assert texts(perturbation)[5] == "Fried fish tonight"
    assert texts(perturbation)[3] in {"Our cat sleeps", "The cat prefers sofas"}


def test_an_answer_about_nothing_is_never_taken_for_another():
    perturbation = perturb(dialogs("a|it is what it is", "b|fish", "c|trees"), "off-topic")
    assert "it is what it is" not in texts(perturbation)[1:]


def test_what_is_answered_by_a_wrong_answer_stays_right():
    """Two bots in turn: only the second one's turns change; if both did, they might fit again."""
    both = dialogs("Hi|Great!|Great?|Great.", person="other")
    assert answer_rows(both).tolist() == [1, 3]
    assert perturb(both, "flipped").changed.tolist() == [False, True, False, True]


def test_people_are_left_alone_beside_a_system():
    began = pl.DataFrame(
        [("d", "bot", "bot", "Hi"), ("d", "ann", "human", "Great!"), ("d", "bot", "bot", "Great?")],
        FRAME,
        orient="row",
    )
    assert answer_rows(Turns.from_utterances(began)).tolist() == [2]
    alone = began.with_columns(system=pl.lit("human"))
    assert answer_rows(Turns.from_utterances(alone)).tolist() == [1]


def test_wordless_answers_and_the_same_words_are_counted():
    perturbation = perturb(dialogs("Really?|really!", "a|...", "?!|yes"), "copied")
    assert perturbation.unchanged.to_list()[1::2] == ["same_words", "no_words", "no_words"]
    assert not perturbation.changed.any()


@pytest.mark.parametrize("kind", KINDS)
def test_conversations_without_an_answer_stay_as_they_are(kind):
    for turns in (Turns(THREE.frame.clear()), dialogs("hello")):
        perturbation = perturb(turns, kind)
        assert perturbation.turns.frame.equals(turns.frame)
        assert perturbation.n_answers == 0


def test_an_unknown_kind_is_named():
    with pytest.raises(UnknownName) as error:
        perturb(THREE, "flip")
    assert str(error.value) == "no perturbation 'flip'; did you mean 'flipped'?"


def test_the_command_knows_every_kind():
    assert list(KINDS) == CLI_KINDS


LINES = st.lists(
    st.sampled_from(["Good dog", "no", "", "I like it", "é 👍", "bad|luck"]), max_size=5
)


@settings(max_examples=40)
@given(st.lists(LINES, min_size=1, max_size=5), st.sampled_from(KINDS), st.integers(0, 3))
def test_only_texts_of_answers_change_and_each_says_so(lines, kind, seed):
    turns = dialogs(*("|".join(line) for line in lines))
    perturbation = perturb(turns, kind, seed=seed)
    rest = perturbation.turns.frame.drop("text")
    assert rest.equals(turns.frame.drop("text"))
    differs = (perturbation.turns.frame["text"] != turns.frame["text"]).to_list()
    assert differs == perturbation.changed.tolist()
    unchanged = perturbation.unchanged.is_not_null().to_list()
    rows = set(answer_rows(turns).tolist())
    assert all(
        (a or b) == (row in rows) for row, (a, b) in enumerate(zip(differs, unchanged, strict=True))
    )
    assert not any(a and b for a, b in zip(differs, unchanged, strict=True))
