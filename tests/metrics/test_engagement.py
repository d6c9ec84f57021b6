"""Engagement by hand: a head over the extremes of four known words.

tea (1, 5), rain (3, 2), dog (-1, 0), do (2, 2); maxima, then minima. The head adds the largest and
the smallest first number of the reply and takes 2 away: tea 1 + 1 - 2 = 0, rain 4, dog -4,
"tea rain" 3 + 1 - 2 = 2, "tea dog" 1 - 1 - 2 = -2, "tea rain dog" 3 - 1 - 2 = 0.
"""

import json
import shutil
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from simpatico import Turns, load, score, signature
from simpatico.errors import DataError, MissingResource
from simpatico.features.embeddings import Embeddings
from simpatico.features.heads import folder as head_folder
from simpatico.features.heads.folder import HeadEvaluation
from simpatico.features.heads.head import Head
from simpatico.metric import missing_resource
from simpatico.models import names as models
from simpatico.models.names import why_missing
from simpatico.registry import preset
from tests.conftest import talk
from tests.metrics.heads import WORDS, answers, heads_folder, nulls, scores, word_head
from tests.models.tiny import tiny

WEIGHTS = {"second": [1.0, 0.0, 1.0, 0.0]}
MODEL = word_head("engagement", WEIGHTS, -2.0)
METRIC = load("engagement", model=MODEL)
MARK = METRIC.name.removeprefix("engagement")


def logistic(x):
    return 1 / (1 + np.exp(-x))


def near(*values, within=1e-7):
    return pytest.approx(values, abs=within)


def test_probabilities_by_hand():
    turns = answers(*((text, None) for text in ("Tea!", "rain", "tea dog", "tea rain dog")))
    expected = [0.5, logistic(4), logistic(-2), 0.5]
    assert scores(METRIC, turns) == near(*expected)
    assert tuple(expected[1:3]) == near(0.982014, 0.119203, within=1e-6)


def test_of_several_models_the_mean_counts():
    """The second says .5 of everything, the first .982014 of rain: the mean is .741007."""
    other = word_head("engagement", {"second": [0.0, 0.0, 0.0, 0.0]}, 0.0)
    both = load("engagement", model=f"{MODEL}+{other}")
    assert scores(both, answers(("rain", None))) == near(0.741007, within=1e-6)
    assert both.name == f"engagement[{'+'.join(one.rpartition('/')[2] for one in (MODEL, other))}]"
    assert missing_resource(load("engagement", model=f"{MODEL}+path:/nowhere")) == (
        "engagement needs a trained model and there is none at 'path:/nowhere': train one with "
        "`simpatico train engagement --data FILE --out MODEL`, then add "
        "`--set engagement.model=path:MODEL`"
    )


def test_a_dialog_has_mean_least_and_most():
    """x opens with nothing to answer; y says tea .5, "tea rain" .880797, "tea dog" .119203."""
    turns = talk("x: do", "y: tea", "x: zzz", "y: tea rain", "x: do", "y: tea dog", "x: ...")
    row = score(turns, [METRIC]).at("dialog").row(1, named=True)
    values = [row[f"engagement{end}{MARK}"] for end in ("", "_min", "_max")]
    assert values == near((0.5 + logistic(2) + logistic(-2)) / 3, logistic(-2), logistic(2))
    assert tuple(values) == near(0.5, 0.119203, 0.880797, within=1e-6)


def test_at_the_level_of_a_turn_all_three_are_one():
    row = score(talk("x: do", "y: tea rain"), [METRIC]).at("turn").row(1, named=True)
    assert {row[f"engagement{end}{MARK}"] for end in ("", "_min", "_max")} == {row[METRIC.name]}


def test_what_cannot_be_judged_is_null_and_says_why():
    turns = talk("x: tea", "y: ...", "x: rain", "y: чай", "x: tea", dialog="a")
    reasons = score(turns, [METRIC]).at("turn")[f"{METRIC.name}_null"].to_list()
    assert reasons == ["answers_nothing", "no_words", "no_words", "other_script", "other_script"]
    unknown = answers(("zzz", None), ("tea", None), query="rain")
    assert nulls(METRIC, unknown) == ["no_known_words", None]


def test_a_turn_of_no_score_moves_neither_end():
    turns = talk("x: do", "y: tea", "x: do", "y: zzz", "x: do", "y: ...")
    row = score(turns, [METRIC]).at("dialog").row(1, named=True)
    assert [row[f"engagement{e}{MARK}"] for e in ("", "_min", "_max")] == near(0.5, 0.5, 0.5)
    nothing = score(talk("x: do", "y: zzz"), [METRIC]).at("dialog").row(1, named=True)
    assert [nothing[f"engagement{e}{MARK}"] for e in ("", "_min", "_max")] == [None] * 3


def test_the_name_carries_the_model_unless_it_is_ours():
    assert load("engagement").name == "engagement"
    assert [s.name for s in load("engagement").scores] == [
        "engagement",
        "engagement_min",
        "engagement_max",
    ]
    folder = MODEL.rpartition("/")[2]
    assert METRIC.scores[1].name == f"engagement_min[{folder}]"
    assert f"{folder}_sha256:" in signature(METRIC)


def test_words_between_systems():
    wording = [(s.title, s.more, s.less) for s in METRIC.scores]
    assert wording == [
        ("Engagement", "is more engaging than", "is less engaging than"),
        (
            "Engagement, at its lowest",
            "is more engaging at its lowest than",
            "is less engaging at its lowest than",
        ),
        (
            "Engagement, at its highest",
            "is more engaging at its highest than",
            "is less engaging at its highest than",
        ),
    ]


def test_a_model_that_is_not_here_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    how = (
        "train one with `simpatico train engagement --data FILE --out MODEL`, then add "
        "`--set engagement.model=path:MODEL`"
    )
    assert missing_resource(load("engagement")) == f"engagement needs a trained model: {how}"
    nowhere = load("engagement", model="path:/no/where")
    assert missing_resource(nowhere) == (
        f"engagement needs a trained model and there is none at 'path:/no/where': {how}"
    )
    for metric in (load("engagement"), nowhere):
        with pytest.raises(MissingResource) as error:
            score(talk("x: do", "y: tea"), [metric])
        assert str(error.value) == missing_resource(metric)
    assert missing_resource(load("engagement", model="hub:a/b")) == why_missing("hub:a/b")


def test_a_model_that_is_here_is_in_the_presets(monkeypatch, tmp_path):
    word_head("engagement", WEIGHTS, folder=tmp_path / "engagement")
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    assert missing_resource(load("engagement")) is None
    assert "engagement" in preset("neural")
    assert "engagement" not in preset("psych")


def test_without_the_extra_the_encoder_says_what_is_missing(monkeypatch):
    metric = load("engagement", model=f"path:{heads_folder('engagement')}")
    assert missing_resource(metric) is None
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    bert = f"path:{tiny('bert')}"
    sentence = f"{bert} needs the package torch; pip install 'simpatico[torch]'"
    assert missing_resource(metric) == sentence
    with pytest.raises(MissingResource) as error:
        score(talk("x: do", "y: tea"), [metric])
    assert str(error.value) == sentence


def test_heads_of_another_kind_are_refused(tmp_path):
    model = word_head("relevance", WEIGHTS, folder=tmp_path / "m")
    with pytest.raises(DataError) as error:
        score(talk("x: do", "y: tea"), [load("engagement", model=model)])
    assert str(error.value) == (
        f"{tmp_path / 'm' / 'recipe.json'}: heads of kind 'relevance', where 'engagement' are needed"
    )


def test_the_card_tells_what_the_folder_learned_from(tmp_path):
    figures = HeadEvaluation(0.6, 0.63, "length", 0.58, 900, 80, 0.59, 0.6, 0.66)
    limits = ("Long replies score higher.", "English only.")
    model = word_head("engagement", WEIGHTS, 0.0, tmp_path / "m", figures, limits=limits)
    card = load("engagement", model=model).card
    assert card.kind == "evaluator"
    assert card.about == (
        "How likely a turn engages its addressee. Trained on chats (licence: MIT): 40 "
        "dialogs. Test set of 80 dialogs: AUC = 0.63 (95% CI [0.60, 0.66], n = 900), balanced accuracy 0.59; "
        "length alone reaches 0.58."
    )
    assert card.careful == "Long replies score higher."


def test_the_card_says_when_a_plain_number_does_as_well(tmp_path):
    figures = HeadEvaluation(0.6, 0.63, "length", 0.63, 900, 80)
    model = word_head("engagement", WEIGHTS, 0.0, tmp_path / "m", figures)
    card = load("engagement", model=model).card
    assert card.about.endswith(
        "Test set of 80 dialogs: AUC = 0.63 (n = 900); length alone reaches 0.63, which is not less."
    )
    assert card.careful == "It is only as good as its figures on dialogs it has not seen."


@pytest.fixture
def classifier_folder(tmp_path):
    """A classifier of two classes with what a fine-tuning writes beside it."""
    folder = shutil.copytree(tiny("bert-classes-2"), tmp_path / "tuned")
    recipe = {
        "base": "package:x",
        "data": "chats",
        "licence": "MIT",
        "learned_from": 1234,
        "more": 1,
    }
    (folder / "training.json").write_text(json.dumps(recipe))
    return folder


def test_a_fine_tuned_classifier_says_its_second_class(classifier_folder):
    """As transformers itself says it of the pair."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    query, reply = "why do you like it", "I like tea."
    tokenizer = AutoTokenizer.from_pretrained(str(classifier_folder))
    net = BertForSequenceClassification.from_pretrained(str(classifier_folder)).eval()
    with torch.inference_mode():
        expected = (
            net(**tokenizer(query, reply, return_tensors="pt")).logits.softmax(1)[0, 1].item()
        )
    metric = load("engagement", model=f"path:{classifier_folder}")
    assert scores(metric, talk(f"x: {query}", f"y: {reply}")) == [
        None,
        pytest.approx(expected, abs=1e-6),
    ]
    assert metric.name == "engagement[tuned]"
    assert metric.card.about.endswith(
        "Fine-tuned from package:x on chats (licence: MIT): 1,234 examples."
    )
    assert scores(metric, talk("x: tea")) == [None]
    assert load("engagement", model=f"path:{tiny('bert-classes-2')}").card.about.endswith(
        "addressee."
    )


def test_a_classifier_of_three_classes_is_refused():
    model = f"path:{tiny('bert-classes-3')}"
    with pytest.raises(DataError) as error:
        score(talk("x: do", "y: tea"), [load("engagement", model=model)])
    assert str(error.value) == (
        f"{model} predicts 3 classes, where engagement needs two: not engaging, and engaging"
    )


def test_a_training_file_of_something_else_is_refused(classifier_folder):
    (classifier_folder / "training.json").write_text('{"base": 1}')
    with pytest.raises(DataError) as error:
        _ = load("engagement", model=f"path:{classifier_folder}").card
    assert str(error.value) == (
        f"{classifier_folder / 'training.json'}: not a training record; train the model again"
    )


texts = st.lists(st.sampled_from([*WORDS, "zzz", "..."]), max_size=8).map(" ".join)
talks = st.lists(st.lists(texts, min_size=1, max_size=8), min_size=1, max_size=5)


def turns_of(dialogs):
    rows = [
        (f"d{n}", "xy"[k % 2], text)
        for n, texts in enumerate(dialogs)
        for k, text in enumerate(texts)
    ]
    return Turns.from_utterances(pl.DataFrame(rows, ["dialog", "speaker", "text"], orient="row"))


@given(dialogs=talks)
@settings(max_examples=40)
def test_least_mean_and_most_stand_in_order_within_0_and_1(dialogs):
    table = score(turns_of(dialogs), [METRIC])
    for level in ("turn", "dialog"):
        values = table.at(level).select(s.name for s in METRIC.scores)
        assert len({values[name].null_count() for name in values.columns}) == 1
        for mean, least, most in values.drop_nulls().rows():
            assert 0 <= least <= mean + 1e-15
            assert mean - 1e-15 <= most <= 1


@given(dialogs=talks, data=st.data())
@settings(max_examples=15)
def test_a_turn_gets_the_same_bits_alone_and_in_any_order_of_dialogs(dialogs, data):
    turns = turns_of(dialogs)
    table = score(turns, [METRIC])
    parts = [score(part, [METRIC]) for part in turns.chunks(1)]
    for level in ("turn", "dialog"):
        alone = pl.concat(part.at(level) for part in parts)
        assert_frame_equal(table.at(level), alone, check_exact=True)
    order = data.draw(st.permutations(turns.frame["dialog"].unique().to_list()))
    permutation = Turns(pl.concat(turns.frame.filter(dialog=name) for name in order))
    for level in ("turn", "dialog", "system"):
        again = score(permutation, [METRIC]).at(level)
        assert_frame_equal(table.at(level), again, check_row_order=False, check_exact=True)


@pytest.mark.timing
def test_the_head_takes_a_twentieth_of_the_time_at_most():
    """The paper's head of 64, 32 and 8 on 2,000 exchanges; the encoder's time is that of 200, times
    10: both take as long per exchange however many there are."""
    if why := why_missing("package:minilm"):
        pytest.skip(why)
    rng = np.random.default_rng(0)
    words = rng.choice(["tea", "rain", "I", "like", "what", "do", "you", "think", "so"], (400, 9))
    texts = [" ".join(row) + f" {n}" for n, row in enumerate(words)]
    encoder = Embeddings().compute(None, None)
    encoder.of(["tea"])
    start = time.process_time()
    vectors = encoder.of(texts)
    took = 10 * (time.process_time() - start)
    sizes = [(768, 64), (64, 32), (32, 8), (8, 1)]
    layers = tuple((rng.standard_normal(s) / s[0] ** 0.5, np.zeros(s[1])) for s in sizes)
    head = Head(("first", "second"), layers)
    first, second = np.tile(vectors[:200], (10, 1)), np.tile(vectors[200:], (10, 1))
    head.probability(first[:1], second[:1])
    least = min(spent(head, first, second) for _ in range(3))
    assert least <= 0.05 * took


def spent(head, first, second):
    start = time.process_time()
    head.probability(first, second)
    return time.process_time() - start
