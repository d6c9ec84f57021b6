"""Which words moved a score, and by how much: derived by hand, then by scoring again without them."""

from math import log2, sqrt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns, load, score
from simpatico.errors import ContractError, MissingResource
from simpatico.metric import EVIDENCE, collect_evidence
from tests.conftest import talk
from tests.metrics.test_emotions import LEXICON
from tests.metrics.test_traits import tiny_model


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "eight.csv"
    path.write_text(LEXICON + "1,joy,1\n2,fear,1\n")
    return str(path)


def evidence_rows(metric, turns):
    """Row, stretch of text and weight of all evidence."""
    texts = turns.frame["text"]
    rows = collect_evidence(metric, turns).rows()
    return [(row, texts[row][start:end], weight) for row, start, end, weight in rows]


def near(weight):
    return pytest.approx(weight, abs=1e-9)


ONE_THIRD = log2(3) - 2 / 3
"""Entropy of one third and two thirds: 0.9183 bits."""


def test_a_word_has_the_entropy_that_goes_with_it(lexicon):
    """glad: joy 2, trust 1; woe: sadness 3. All three: 1/3 log2 3 + 1/6 log2 6 + 1/2 = 1.4591.

    Without glad one emotion is left: 0, so glad adds 1.4591. Without woe joy and trust are left:
    0.9183, so woe adds 0.5409.
    """
    both = log2(3) / 3 + log2(6) / 6 + 1 / 2
    evidence = evidence_rows(load("emotional_entropy", lexicon=lexicon), talk("x: Glad, woe!"))
    assert evidence == [(0, "Glad", near(both)), (0, "woe", near(both - ONE_THIRD))]
    assert (both, ONE_THIRD) == (pytest.approx(1.4591, abs=1e-4), pytest.approx(0.9183, abs=1e-4))


def test_a_word_that_makes_one_emotion_weigh_more_lowers_the_entropy(lexicon):
    """oh boo oh: surprise 2, fear 1: 0.9183. Without one oh 1 bit; without boo 0."""
    evidence = evidence_rows(load("emotional_entropy", lexicon=lexicon), talk("x: oh table boo oh"))
    lower = near(ONE_THIRD - 1)
    assert evidence == [(0, "oh", lower), (0, "boo", near(ONE_THIRD)), (0, "oh", lower)]


def test_the_only_emotion_word_has_the_whole_entropy_and_no_effect_is_not_shown(lexicon):
    metric = load("emotional_entropy", lexicon=lexicon)
    assert evidence_rows(metric, talk("x: so glad", "y: woe, woe")) == [
        (0, "glad", near(ONE_THIRD))
    ]


def test_entropy_is_shown_in_the_unit_of_the_score(lexicon):
    metric = load("emotional_entropy", lexicon=lexicon, normalised=True)
    assert evidence_rows(metric, talk("x: glad")) == [(0, "glad", near(ONE_THIRD / 3))]


def test_places_count_the_characters_of_the_text_as_it_was_written(lexicon):
    """😀 is 1 character, é here is 2, a family is 3, the invisible one inside "woe" counts."""
    turns = talk("x: 😀 cafe\u0301 👩‍👧 glad w\u200boe")
    evidence = collect_evidence(load("emotional_entropy", lexicon=lexicon), turns)
    assert evidence.select("row", "start", "end").rows() == [(0, 12, 16), (0, 17, 21)]


def test_words_made_from_one_character_are_one_stretch(lexicon):
    """½ is the words 1 and 2: joy, fear, and surprise of oh: log2 3 bits, 1 bit without any one."""
    evidence = evidence_rows(load("emotional_entropy", lexicon=lexicon), talk("x: ½ oh"))
    each = log2(3) - 1
    assert evidence == [(0, "½", near(2 * each)), (0, "oh", near(each))]


def test_matching_with_and_without_each_word(lexicon):
    """heard glad, said glad woe: 16.5 / 28, derived in test_emotions.

    Without woe both sides are the same: 1, so woe adds 16.5 / 28 - 1 = -0.4107.
    Without glad only sadness is said: its rank is 8, the seven others have 4. d = rank - 4.5:
      heard: -1 x 6, trust 2.5, joy 3.5 -> 24.5;  said: -0.5 x 7, sadness 3.5 -> 14
      cross: 5 x 0.5 - 3.5 - 0.5 x 3.5 - 0.5 x 2.5 = -4, so rho = -4 / sqrt(24.5 x 14) = -0.2160
    and glad adds 16.5 / 28 + 0.2160 = 0.8053.
    """
    evidence = evidence_rows(
        load("emotion_matching", lexicon=lexicon), talk("x: glad", "y: Glad. Woe!")
    )
    glad = 16.5 / 28 + 4 / sqrt(24.5 * 14)
    assert evidence == [(1, "Glad", near(glad)), (1, "Woe", near(16.5 / 28 - 1))]
    assert glad == pytest.approx(0.8053, abs=1e-4)


def test_the_only_emotion_word_of_an_answer_has_the_whole_correlation(lexicon):
    evidence = evidence_rows(
        load("emotion_matching", lexicon=lexicon), talk("x: glad", "y: so glad")
    )
    assert evidence == [(1, "glad", near(1.0))]


def like(a, b):
    return 1 - abs(a - b) / (a + b + 0.0001)


def test_function_words_that_match_raise_and_others_lower():
    """heard "the cat": articles 50. said "the dog no": articles, negations, quantifiers 33.3 each.

    Without articles: 0 against 50. Without negations, and without quantifiers: used by neither
    side, a match each, and "no" is both.
    """
    evidence = evidence_rows(load("style_matching"), talk("x: The cat.", "y: The dog, no!"))
    the = (like(100 / 3, 50) - like(0, 50)) / 9
    no = 2 * (like(100 / 3, 0) - 1) / 9
    assert evidence == [(1, "The", near(the)), (1, "no", near(no))]
    assert (the, no) == (pytest.approx(0.0889, abs=1e-4), pytest.approx(-0.2222, abs=1e-4))


def test_with_empty_categories_dropped():
    """Three categories are used: (0.8 + 0 + 0) / 3. Without articles: 0, as the other side has them.

    Without negations two are used: 0.8 / 2; without quantifiers as well, and "no" is both. Where
    nothing is used but what does not match anyway, nothing is shown.
    """
    metric = load("style_matching", empty="drop")
    (_, _, the), (_, _, no) = evidence_rows(metric, talk("x: The cat.", "y: The dog, no!"))
    assert (the, no) == pytest.approx((0.8 / 3, 2 * (0.8 / 3 - 0.8 / 2)), abs=1e-5)
    assert evidence_rows(metric, talk("x: Yes.", "y: No.")) == []


def test_words_of_a_category_share_what_it_does():
    """Two articles where the other side has none: the ninth of the score that is lost is halved."""
    evidence = evidence_rows(load("style_matching"), talk("x: Yes.", "y: The dog, a cat."))
    assert evidence == [
        (1, "The", near((like(50, 0) - 1) / 18)),
        (1, "a", near((like(50, 0) - 1) / 18)),
    ]


def test_a_single_word_that_is_not_matched_lowers_the_style():
    ((row, text, weight),) = evidence_rows(load("style_matching"), talk("x: Yes.", "y: No."))
    assert (row, text, weight) == (1, "No", near(2 * (like(100, 0) - 1) / 9))


def test_an_n_gram_is_shared_by_its_words():
    """good 6, day -6, "good day" 2 over "Good day, sir": 3 words, 2 pairs.

    good: 6/3 + half of 2/2 = 2.5; day: -6/3 + 0.5 = -1.5. With the intercept 4 they make 5.
    """
    metric = load("empathy", model=str(tiny_model()))
    evidence = evidence_rows(metric, talk("x: Good day, sir!", "y: Sir."))
    assert evidence == [(0, "Good", near(2.5)), (0, "day", near(-1.5))]


def test_turns_that_have_no_score_have_no_evidence(lexicon):
    foreign = "Сегодня очень хорошая погода glad the"
    turns = talk(f"x: {foreign}", "y: glad the good", "x: ...", "y: glad the good", dialog="e")
    for name, parameters, rows in [
        ("emotional_entropy", {"lexicon": lexicon}, {1, 3}),
        ("emotion_matching", {"lexicon": lexicon}, set()),
        ("style_matching", {}, set()),
        ("empathy", {"model": str(tiny_model())}, {1, 3}),
    ]:
        assert set(collect_evidence(load(name, **parameters), turns)["row"]) == rows


def test_context_has_no_evidence(lexicon):
    rows = {"dialog": "d", "speaker": ["x", "y"], "system": [None, "bot"], "text": "glad"}
    turns = Turns.from_utterances(pl.DataFrame(rows))
    evidence = evidence_rows(load("emotional_entropy", lexicon=lexicon), turns)
    assert evidence == [(1, "glad", near(ONE_THIRD))]


def test_no_method_and_no_turns_give_an_empty_table():
    assert not hasattr(load("emotion_shares"), "evidence")
    for name in ("emotion_shares", "style_matching", "empathy", "question_rate"):
        turns = talk("x: hi")
        nothing = turns if name == "emotion_shares" else Turns(turns.frame.clear())
        evidence = collect_evidence(load(name), nothing)
        assert (evidence.schema, evidence.height) == (pl.Schema(EVIDENCE), 0)


def test_evidence_without_a_column_is_refused():
    class Odd(type(load("question_rate"))):
        def evidence(self, turns, features):
            return pl.DataFrame({"row": [0], "start": [0], "end": [1]})

    with pytest.raises(ContractError) as error:
        collect_evidence(Odd(), talk("x: a"))
    assert str(error.value) == "question_rate gave evidence without a column 'weight'"


def test_a_missing_model_is_told():
    metric = load("openness")
    with pytest.raises(MissingResource) as error:
        collect_evidence(metric, talk("x: good day"))
    assert str(error.value) == metric.missing


utterances = st.lists(
    st.sampled_from(["I", "you", "don't", "happy", "sad", "no", "the", "of", "fear", "wow", "zzz"]),
    min_size=1,
    max_size=12,
)


@given(query=utterances, reply=utterances)
@settings(max_examples=60)
def test_style_weights_add_up_to_what_all_function_words_do(query, reply):
    metric, other = load("style_matching"), " ".join("zzz" for _ in reply)
    turns, none = (talk(f"x: {' '.join(query)}", f"y: {t}") for t in (" ".join(reply), other))
    total, rest = (score(t, [metric]).at("turn")["style_matching"][1] for t in (turns, none))
    evidence = collect_evidence(metric, turns).filter(row=1)
    assert evidence["weight"].sum() == pytest.approx(total - rest, abs=1e-9)


@pytest.mark.parametrize("name", ["emotional_entropy", "emotion_matching"])
@given(query=utterances, reply=utterances)
@settings(max_examples=60)
def test_effects_are_what_scoring_again_gives(name, query, reply):
    """The second way: the turn is written anew without the word, and scored."""
    metric = load(name)

    def scored(words):
        turns = talk(f"x: {' '.join(query)}", f"y: {' '.join(words)}")
        return score(turns, [metric]).at("turn")[name][1]

    total, turns = scored(reply), talk(f"x: {' '.join(query)}", f"y: {' '.join(reply)}")
    evidence = collect_evidence(metric, turns).filter(row=1)
    effects = {start: weight for _, start, _, weight in evidence.rows()}
    starts = [len(" ".join(reply[:n])) + (n > 0) for n in range(len(reply))]
    for number, start in enumerate(starts):
        without = scored([*reply[:number], *reply[number + 1 :]])
        expected = 0.0 if total is None else total - (without or 0.0)
        assert effects.get(start, 0.0) == pytest.approx(expected, abs=1e-9)
