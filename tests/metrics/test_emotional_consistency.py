"""Emotional consistency by hand: heads over four known words.

tea (1, 5), rain (3, 2), dog (-1, 0), do (2, 2). Emotional is the second number less the first: tea
4, dog 1, do 0, rain -1, so that rain alone is neutral. Positive is the first number, less 1.5: tea
-.5, dog -2.5, do .5, rain 1.5, so that tea and dog are negative, do and rain are positive.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import load, score, signature
from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.heads import folder as head_folder
from simpatico.features.heads.folder import HeadEvaluation
from simpatico.features.sentiment import expected_points
from simpatico.metric import collect_evidence, missing_resource
from simpatico.metrics.emotional_consistency import consistency_points
from simpatico.registry import preset
from tests.conftest import talk
from tests.metrics.heads import nulls, scores, word_head
from tests.models.tiny import tiny

EMOTIONAL = {"first": [-1.0, 1.0, 0.0, 0.0]}
POSITIVE = {"first": [1.0, 0.0, 0.0, 0.0]}
MODELS = {
    "neutrality_model": word_head("neutrality", EMOTIONAL),
    "polarity_model": word_head("polarity", POSITIVE, -1.5),
}
METRIC = load("emotional_consistency", **MODELS)
MARK = METRIC.name.removeprefix("emotional_consistency")
ENDS = ("", "_min", "_max", "_mid", "_soft")


def logistic(x):
    return 1 / (1 + np.exp(-x))


def dialog(turns, speaker="y", metric=METRIC):
    """All five scores of a speaker's part in a dialog."""
    table = score(turns, [metric]).at("dialog")
    (row,) = table.filter(speaker=speaker).to_dicts()
    return [row[f"emotional_consistency{end}{MARK}"] for end in ENDS]


@pytest.mark.parametrize(
    ("query", "reply", "value"),
    [
        ("tea", "Dog!", 1.0),  # both negative
        ("do", "do", 1.0),  # both positive, and emotional with a probability of just .5
        ("tea", "do", 0.0),
        ("do", "dog", 0.0),
        ("tea", "rain", 0.5),  # a neutral answer, whatever its sign
        ("do", "rain", 0.5),
    ],
)
def test_points_by_hand(query, reply, value):
    assert scores(METRIC, talk(f"x: {query}", f"y: {reply}")) == [None, value]


def soft_points(u, e, a, b):
    not_negative = 1 - u * (1 - a)
    return (1 - e) / 2 + e * (not_negative * b + (1 - not_negative) * (1 - b))


def test_the_soft_score_by_hand():
    """tea answered by dog: u = σ(4) = .982014, e = σ(1) = .731059, a = σ(-.5) = .377541, b = σ(-2.5)
    = .075858; not negative with a' = 1 - u (1 - a) = .388736; alike a' b + (1 - a') (1 - b) =
    .029489 + .564895 = .594384; (1 - e) / 2 = .134471; in all .134471 + .731059 x .594384 =
    .569000."""
    row = score(talk("x: tea", "y: dog"), [METRIC]).at("turn").row(1, named=True)
    expected = soft_points(logistic(4), logistic(1), logistic(-0.5), logistic(-2.5))
    assert row[f"emotional_consistency_soft{MARK}"] == pytest.approx(expected, abs=1e-7)
    assert row[f"emotional_consistency_soft{MARK}"] == pytest.approx(0.569, abs=1e-6)


def test_a_neutral_turn_has_a_soft_score_beside_the_null_of_the_points():
    """rain answered by tea: u = σ(-1), e = σ(4), a = σ(1.5), b = σ(-.5). A negative reply to a turn
    that is probably neutral gets less than half a point, a positive one more."""
    row = score(talk("x: rain", "y: tea"), [METRIC]).at("turn").row(1, named=True)
    assert (row[METRIC.name], row[f"{METRIC.name}_null"]) == (None, "user_neutral")
    expected = soft_points(logistic(-1), logistic(4), logistic(1.5), logistic(-0.5))
    assert row[f"emotional_consistency_soft{MARK}"] == pytest.approx(expected, abs=1e-7)
    assert expected < 0.5
    kind = score(talk("x: rain", "y: do"), [METRIC]).at("turn")
    assert kind[f"emotional_consistency_soft{MARK}"][1] > 0.5


def test_the_example_of_the_module():
    assert consistency_points(*np.array([[0.8], [0.9], [0.7]])) == [1.0]
    assert expected_points(*np.array([[0.9], [0.8], [0.9], [0.7]])) == pytest.approx(0.6312)
    assert expected_points(*np.array([[0.0], [0.8], [0.9], [0.7]])) == pytest.approx(0.66)


def test_a_dialog_has_mean_fewest_most_and_middle():
    """Points 1, 1 and .5, and one answer to a neutral turn: 2.5 / 3, .5, 1 and .75; the soft score
    is over all four."""
    turns = talk(
        "x: tea", "y: dog", "x: do", "y: do", "x: rain", "y: dog", "x: tea", "y: rain", "x: ..."
    )
    *hard, soft = dialog(turns)
    assert hard == [pytest.approx(2.5 / 3), 0.5, 1.0, 0.75]
    each = score(turns, [METRIC]).at("turn")[f"emotional_consistency_soft{MARK}"]
    assert soft == pytest.approx(each.gather([1, 3, 5, 7]).mean())


def test_what_cannot_be_judged_is_null_and_says_why():
    turns = talk("x: rain", "y: tea", "x: zzz", "y: tea", "x: ...", "y: чай", "x: tea")
    soft = score(turns, [METRIC]).at("turn")[f"emotional_consistency_soft{MARK}"]
    assert soft.is_null().to_list() == [True, False] + [True] * 5
    assert nulls(METRIC, turns) == [
        "answers_nothing",
        "user_neutral",
        "no_known_words",
        "no_known_words",
        "no_words",
        "other_script",
        "other_script",
    ]
    assert scores(METRIC, turns) == [None] * 7


def test_a_dialog_in_which_nobody_is_emotional_has_the_soft_score_alone():
    turns = talk("x: rain", "y: rain", "x: rain", "y: tea")
    *hard, soft = dialog(turns)
    assert hard == [None] * 4
    assert 0 < soft < 1
    reasons = score(turns, [METRIC]).at("dialog")[f"{METRIC.name}_null"].to_list()
    assert reasons == ["user_neutral", "user_neutral"]


def test_only_exchanges_with_points_are_counted():
    """Two dialogs, one of which has no emotional turn: the system's mean is over one."""
    turns = talk("x: tea", "y: do")
    row = score(turns, [METRIC]).at("system").filter(system="y").row(0, named=True)
    assert (row[METRIC.name], row[f"{METRIC.name}_n"]) == (0.0, 1)
    row = score(talk("x: rain", "y: do"), [METRIC]).at("system").filter(system="y")
    assert row[f"{METRIC.name}_n"].to_list() == [0]


def test_the_threshold_moves_what_counts_as_emotional():
    """dog is emotional with .731: above .8 it is neutral on both sides."""
    strict = load("emotional_consistency", threshold=0.8, **MODELS)
    assert scores(strict, talk("x: tea", "y: dog")) == [None, 0.5]
    assert nulls(strict, talk("x: dog", "y: tea")) == ["answers_nothing", "user_neutral"]


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, float("nan")])
def test_a_threshold_that_decides_nothing_is_refused(value):
    with pytest.raises(BadValue) as error:
        load("emotional_consistency", threshold=value)
    assert str(error.value) == (
        f"emotional_consistency.threshold is {value}; it lies between 0 and 1"
    )


def test_how_a_text_was_stored_decides_nothing():
    plain, odd = (
        scores(METRIC, talk(f"x: {a}", f"y: {b}"))
        for a, b in [("tea, rain!", "dog"), ("Tea _comma_ RAIN !", "DOG")]
    )
    assert plain == odd != [None, None]


probability = st.floats(0, 1)


@given(st.lists(st.tuples(*[probability] * 4), min_size=1, max_size=20))
def test_points_and_what_they_are_expected_to_be(rows):
    """Certain answers to emotional turns make the soft score the hard one; of a neutral turn only
    the reply's sign counts; both lie between 0 and 1."""
    u, e, a, b = np.array(rows).T
    soft, one = expected_points(u, e, a, b), np.ones_like(u)
    assert ((soft >= 0) & (soft <= 1)).all()
    assert np.allclose(expected_points(one, e, a, b), expected_points(one, e, b, a))
    assert np.allclose(expected_points(0 * one, e, a, b), (1 - e) / 2 + e * b)
    sure = [np.round(x) for x in (e, a, b)]
    assert np.array_equal(expected_points(one, *sure), consistency_points(*sure))


def test_the_words_that_moved_it():
    """The largest numbers of "tea do" are (2, 5): tea makes it emotional, do makes it positive."""
    evidence = collect_evidence(METRIC, talk("x: tea", "y: tea do"))
    soft = f"emotional_consistency_soft{MARK}"
    both, tea, do = (
        score(talk("x: tea", f"y: {text}"), [METRIC]).at("turn")[soft][1]
        for text in ("tea do", "tea", "do")
    )
    assert evidence.rows() == [
        (1, 0, 3, pytest.approx(both - do)),
        (1, 4, 6, pytest.approx(both - tea)),
    ]
    assert collect_evidence(METRIC, talk("x: rain", "y: tea do")).is_empty()


def test_the_name_carries_the_models_unless_they_are_ours():
    assert [s.name for s in load("emotional_consistency").scores] == [
        f"emotional_consistency{end}" for end in ENDS
    ]
    folders = [model.rpartition("/")[2] for model in MODELS.values()]
    assert METRIC.name == f"emotional_consistency[{'+'.join(folders)}]"
    assert all(f"{folder}_sha256:" in signature(METRIC) for folder in folders)


def test_words_between_systems():
    wording = [(s.title, s.more) for s in METRIC.scores]
    assert wording == [
        ("Emotional consistency", "matches the user's sentiment more often than"),
        (
            "Emotional consistency, at its worst",
            "matches the user's sentiment more often at its worst than",
        ),
        (
            "Emotional consistency, at its best",
            "matches the user's sentiment more often at its best than",
        ),
        (
            "Emotional consistency, in the middle of its range",
            "matches the user's sentiment more often in the middle of its range than",
        ),
        (
            "Emotional consistency, by probability",
            "matches the user's sentiment more often by probability than",
        ),
    ]


def test_a_model_that_is_not_here_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    how = (
        "train one with `simpatico train emotion --target neutrality --data FILE --out MODEL`, then "
        "add `--set emotional_consistency.neutrality_model=path:MODEL`"
    )
    metric = load("emotional_consistency")
    assert missing_resource(metric) == f"emotional_consistency needs a trained model: {how}"
    with pytest.raises(MissingResource) as error:
        score(talk("x: do", "y: tea"), [metric])
    assert str(error.value) == missing_resource(metric)
    half = load(
        "emotional_consistency",
        neutrality_model=MODELS["neutrality_model"],
        polarity_model="path:/no",
    )
    assert missing_resource(half) == (
        "emotional_consistency needs a trained model and there is none at 'path:/no': train one "
        "with `simpatico train emotion --target polarity --data FILE --out MODEL`, then add "
        "`--set emotional_consistency.polarity_model=path:MODEL`"
    )
    assert "emotional_consistency" not in preset("neural")


def test_heads_of_another_kind_are_refused():
    swapped = load("emotional_consistency", neutrality_model=MODELS["polarity_model"])
    with pytest.raises(DataError) as error:
        score(talk("x: do", "y: tea"), [swapped])
    folder = MODELS["polarity_model"].removeprefix("path:")
    assert str(error.value) == (
        f"{folder}/recipe.json: heads of kind 'polarity', where 'neutrality' are needed"
    )


def test_the_card_tells_what_both_learned_from(tmp_path):
    figures = HeadEvaluation(0.6, 0.83, "length", 0.58, 900, 900, 0.75, 0.81, 0.85)
    models = {
        "neutrality": word_head("neutrality", EMOTIONAL, 0.0, tmp_path / "n", figures),
        "polarity": word_head("polarity", POSITIVE, 0.0, tmp_path / "p", figures),
    }
    card = load("emotional_consistency", **models).card
    same = (
        "Trained on chats (licence: MIT): 40 texts. Test set of 900 texts: AUC = 0.83 (95% CI "
        "[0.81, 0.85], n = 900), balanced accuracy 0.75; length alone reaches 0.58."
    )
    assert card.about == (
        "Whether an emotional turn gets a reply of the same sentiment. Emotional or not: "
        f"{same} Positive or not: {same}"
    )


def test_fine_tuned_classifiers_say_their_second_class():
    """As transformers itself says it of each text in small letters."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = tiny("bert-classes-2")
    query, reply = "why do you like it", "I hate tea ."
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    net = BertForSequenceClassification.from_pretrained(str(folder)).eval()
    with torch.inference_mode():
        a, b = (
            net(**tokenizer(text, return_tensors="pt")).logits.softmax(1)[0, 1].item()
            for text in (query, "i hate tea.")
        )
    model = f"path:{folder}"
    metric = load(
        "emotional_consistency", neutrality_model=model, polarity_model=model, threshold=1e-9
    )
    row = score(talk(f"x: {query}", f"y: {reply}"), [metric]).at("turn").row(1, named=True)
    soft = soft_points(a, b, a, b)
    assert row[metric.scores[4].name] == pytest.approx(soft, abs=1e-6)


def test_a_classifier_of_three_classes_is_refused():
    model = f"path:{tiny('bert-classes-3')}"
    with pytest.raises(DataError) as error:
        score(talk("x: do", "y: tea"), [load("emotional_consistency", neutrality_model=model)])
    assert str(error.value) == (
        f"{model} predicts 3 classes, where emotional_consistency needs two: not emotional, "
        "and emotional"
    )
