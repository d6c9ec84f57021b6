"""Perceived empathy by hand, over four known words, and what the shipped heads must never do.

tea (1, 5), rain (3, 2), dog (-1, 0), do (2, 2); maxima, then minima. The head of emotional reaction
adds the largest and the smallest first number and takes 2 away: tea 0, rain 4. That of
interpretation says .5 of everything, that of exploration nearly 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simpatico import load, score
from simpatico.features.empathy import PARTS, perceived_empathy, relevance
from simpatico.features.sentences import MAX_WORDS, sentences
from simpatico.metric import Metric, collect_evidence, missing_resource
from tests.conftest import talk
from tests.metrics.heads import answers, nulls, scores, word_heads

ZERO = {"second": [0.0, 0.0, 0.0, 0.0]}
MODEL = word_heads(
    "empathy",
    {
        PARTS[0]: ({"second": [1.0, 0.0, 1.0, 0.0]}, -2.0),
        PARTS[1]: (ZERO, 0.0),
        PARTS[2]: (ZERO, -100.0),
    },
)
METRIC = load("perceived_empathy", model=MODEL)


def test_score_by_hand() -> None:
    """Two sentences of .5 and .982014: (.982014 + .741007) / 2 = .861510.

    Extremes of the reply are (3, 5, 1, 2), of "do" (2, 2, 2, 2): a cosine of .88, so relevance is
    1 and the score .45 * .861510 + .225 * .5 + .225 * 0 + .1.
    """
    turns = answers(("Tea! Rain.", None))
    row = score(turns, [METRIC]).at("turn").row(-1, named=True)
    mark = METRIC.name.removeprefix("perceived_empathy")
    values = [row[f"perceived_empathy{part}{mark}"] for part in ("", *(f"_{p}" for p in PARTS))]
    assert values == pytest.approx([0.600180, 0.861510, 0.5, 0.0], abs=1e-6)


def test_a_reply_that_repeats_its_context_is_not_relevant() -> None:
    copy, other = scores(METRIC, answers(("rain", None), ("rain tea", None), query="rain"))
    # cosine 1 counts nothing: .45 * .982014 + .225 * .5
    assert copy == pytest.approx(0.554406, abs=1e-6)
    assert other is not None


def test_relevance_grows_up_to_a_cosine_of_point_six() -> None:
    cosines = np.array([-0.2, 0.0, 0.3, 0.6, 0.9, 0.96])
    assert relevance(cosines).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0, 0.0]
    parts = np.array([[0.8, 0.4, 0.2]])
    assert perceived_empathy(parts, np.array([0.3])).tolist() == pytest.approx([0.545])


def test_sentences_end_at_marks_and_lines_and_after_forty_words() -> None:
    assert sentences("Oh no! Are you ok? 3.5 km\nBye") == ["Oh no!", "Are you ok?", "3.5 km", "Bye"]
    assert sentences("...") == ["..."]
    assert [len(s.split()) for s in sentences("tea " * 90)] == [MAX_WORDS, MAX_WORDS, 10]


def test_reasons() -> None:
    turns = answers(("", None), ("чай", None), ("tea tea tea tea", None), ("tea", None))
    assert nulls(METRIC, turns) == ["no_words", "other_script", "degenerate", None]
    assert nulls(METRIC, talk("anna: Hello there")) == ["answers_nothing"]


def shipped() -> Metric:
    metric = load("perceived_empathy")
    if why := missing_resource(metric):
        pytest.skip(why)
    return metric


LOSS = "My dog died last night and I feel so alone without him."


def shipped_scores(*replies: str) -> list[Any]:
    return scores(shipped(), answers(*((reply, None) for reply in replies), query=LOSS))


def test_warmth_and_questions_count_more_than_advice_facts_or_talk_about_oneself() -> None:
    warm, asking, *cold = shipped_scores(
        "I'm so sorry for your loss. You must miss him terribly.",
        "What was he like?",
        "You should get a new dog.",
        "I have two cats and I like pizza.",
        "The dog is a domesticated descendant of the wolf.",
        "Okay.",
    )
    assert warm > asking > max(cold)


def test_loops_copies_and_very_long_texts_never_have_the_highest_score() -> None:
    best, copy, essay, loop, other = shipped_scores(
        "I'm so sorry for your loss. You must miss him terribly. How are you holding up?",
        LOSS,
        "The town was built on a hill and has a castle, a river and three old bridges. "
        + " ".join(
            f"In the year {n} the people of the town paid for a new road." for n in range(150)
        ),
        "I'm so sorry to hear that. " * 40,
        "Me siento muy triste por tu perro, lo siento mucho de verdad",
    )
    assert [loop, other] == [None, None]
    assert copy < best - 0.2
    assert essay is None or essay < best - 0.2


def test_evidence_shows_the_words_that_carry_the_sympathy() -> None:
    metric, text = shipped(), "I am sorry to hear that"
    turns = talk(f"anna: {LOSS}", f"bot: {text}")
    evidence = collect_evidence(metric, turns)
    top = evidence.sort("weight", descending=True).row(0, named=True)
    assert text[top["start"] : top["end"]] == "sorry"
    assert top["weight"] > 0.1
