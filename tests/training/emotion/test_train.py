"""Training of emotion evaluators: known signals, equal bytes, cards, the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features.heads.folder import HeadProbabilities, load_heads, training_command
from simpatico.features.heads.head import Head
from simpatico.features.plutchik import EMOTIONS
from simpatico.models.names import public_model_name
from simpatico.training.card import About
from simpatico.training.emotion.baselines import predict_by_style, predict_by_svm, style_features
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import polarity_model
from simpatico.training.emotion.task import EmotionSplits, LabelledTexts, balanced_weights
from simpatico.training.emotion.train import (
    NGRAM_FORM,
    EmotionSettings,
    add_char_ngrams,
    fit_logistic_head,
    train_emotion,
    with_char_ngrams,
)
from simpatico.training.fit.linear import char_ngram_matrix
from simpatico.training.fit.mlp import PairExamples
from tests.models.tiny import tiny

ABOUT = About("made up", "CC0")
ENCODER = f"path:{tiny('bert')}"
WORD = {"joy": "dog", "anger": "rain", "neutral": "tea"}
QUICK = EmotionSettings(encoder=ENCODER, svm=False)


def said(n=240, *, start=0, labels=tuple(WORD)):
    """Utterances whose last word tells the label."""
    rng = np.random.default_rng(start)
    label = [labels[number % len(labels)] for number in range(n)]
    text = [
        f"{' '.join(rng.choice(['the', 'a', 'you', 'is', 'good', 'day', 'music'], 4))} {WORD[name]}"
        for name in label
    ]
    dialog = [f"d{start + number // 3}" for number in range(n)]
    return Utterances("made up", text, [(name,) for name in label], dialog)


@pytest.mark.parametrize(
    ("kind", "head", "mapped"),
    [
        ("neutrality", "emotional", {}),
        ("polarity", "positive", {"joy": "positive", "anger": "negative"}),
    ],
)
def test_two_classes_are_told_apart(kind, head, mapped, tmp_path):
    training = EmotionSettings(encoder=ENCODER, svm=False, mapped=mapped)
    report = train_emotion(said(), tmp_path / "m", kind=kind, settings=training, about=ABOUT)
    result = load_heads(f"path:{tmp_path / 'm'}", kind)
    assert result.recipe == report.recipe
    assert result.recipe.heads[head].parts == ["first"]
    rows = {row.name: row for row in report.rows[head]}
    assert list(rows) == ["this model", "majority", "style", "style as stored"]
    assert rows["this model"].auc.value > 0.9
    assert rows["style"].auc.value < 0.8
    told = result.recipe.heads[head].heldout
    assert (told.plain, told.n) == ("style", rows["style"].n)
    assert report.thresholds == {head: 0.0}
    left = sum(label == ("neutral",) for label in said().label) if kind == "polarity" else 0
    assert report.task.left_out == left


def test_the_same_training_writes_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        train_emotion(said(), tmp_path / name, kind="neutrality", settings=QUICK, about=ABOUT)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_eight_heads_with_a_limit_each(tmp_path):
    """Three of the eight are really there; the others take turns on the texts about rain."""
    rows, inputs = said(300), said(300)
    others = [e for e in EMOTIONS if e not in ("joy", "anger", "trust")]
    label = [
        ("joy", "trust") if names == ("joy",) else ("anger", others[at // 3 % len(others)])
        for at, names in enumerate(rows.label)
    ]
    inputs = Utterances("made up", inputs.text, label)
    plain = replace(QUICK, runs=False)
    report = train_emotion(inputs, tmp_path / "m", kind="plutchik", settings=plain, about=ABOUT)
    assert tuple(load_heads(f"path:{tmp_path / 'm'}", "plutchik").heads) == EMOTIONS
    best = {name: some[0] for name, some in report.rows.items()}
    assert best["joy"].average_precision.value > 0.7
    assert best["joy"].f1.value > 0.7
    assert best["fear"].average_precision.value < 0.5
    assert set(report.thresholds) == set(EMOTIONS)
    card = (tmp_path / "m" / "card.md").read_text(encoding="utf-8")
    assert "| emotion | with it | model | average precision | F1 | AUC |\n" in card
    assert f"| joy | {best['joy'].classes[1].n} | this model | " in card
    assert "- Emotions that are rare in training " in card


def test_the_rule_of_labels_goes_by_a_trained_model(tmp_path):
    """A model of polarity learns that dogs are good; by it, label "a" of dogs is positive, "b" of
    rain is negative, and "c" of both is each by itself."""
    signs = {"joy": "positive", "anger": "negative", "neutral": "omit"}
    first = EmotionSettings(encoder=ENCODER, svm=False, mapped=signs)
    train_emotion(said(), tmp_path / "p", kind="polarity", settings=first, about=ABOUT)
    model = f"path:{tmp_path / 'p'}"
    dog, rain = polarity_model(model)(["The good dog", "the good rain"])
    assert rain < 0.5 < dog
    inputs = said(200, start=500, labels=("joy", "anger"))
    names = {"joy": "a", "anger": "b"}
    label = [("c" if at % 5 == 0 else names[some[0]],) for at, some in enumerate(inputs.label)]
    inputs = Utterances("made up", inputs.text, label, inputs.dialog)
    training = EmotionSettings(encoder=ENCODER, svm=False, polarity=model)
    report = train_emotion(inputs, tmp_path / "m", kind="polarity", settings=training, about=ABOUT)
    assert {name: result.sign for name, result in report.task.meaning.rule.items()} == {
        "a": "positive",
        "b": "negative",
        "c": "each",
    }
    card = (tmp_path / "m" / "card.md").read_text(encoding="utf-8")
    share = report.task.meaning.rule["c"].positive
    assert 0.3 < share < 0.7
    assert f"- label 'c' by its utterances: {share:.1%} of 40 positive, so each by itself\n" in card
    facts = json.loads((tmp_path / "m" / "recipe.json").read_text())["training"]
    assert (facts["polarity"], facts["rule"]["a"]["sign"]) == ("path:p", "positive")


def test_style_has_no_words():
    """Same length, case and spacing, other words: the same numbers."""
    one, same, other = style_features(["So good, yes.", "So bleak, no.", "so good , yes ."])
    assert one.shape == (10,)
    assert one[5:7].tolist() == [0, 0]
    assert np.flatnonzero(one != other).tolist() == [0, 1, 2, 3, 4, 5]
    assert (one == same).all()
    assert style_features(["don’t_comma_"])[0, 7:9].tolist() == [1, 1]


def sides(texts, label):
    """Three times the same texts, each half of the label."""
    target = np.array(label, float)[:, None]
    return EmotionSplits(
        *[LabelledTexts(texts, texts, target, list(map(str, range(len(texts)))))] * 3
    )


def test_style_tells_a_corpus_and_words_tell_words():
    """Texts of one label have spaces before dots; which word they have says nothing."""
    spaced = [f"{'yes' if n % 3 else 'no'} number{' .' if n % 2 else '.'}" for n in range(80)]
    label = [n % 2 for n in range(80)]
    weight = np.ones(80, np.float32)
    result = predict_by_style(sides(spaced, label), 0, raw=False, weight=weight, seed=0)
    assert ((result.test > 0) == np.array(label, bool)).all()
    pytest.importorskip("sklearn", reason="scikit-learn comes with simpatico[train]")
    words = [n % 3 > 0 for n in range(80)]
    (said,) = predict_by_svm(sides(spaced, words), balance=True, seed=0)
    assert ((said.test > 0) == words).all()


def two(label):
    """Places and labels of texts to learn from, and the same to check by."""
    places = np.arange(len(label))
    return (PairExamples(places, places, np.array(label, np.float32)),) * 2


def test_runs_of_characters_are_weighed_where_they_help():
    """Vectors say nothing and the runs do; of one text for both labels the runs say nothing."""
    texts = ["oh dog", "my dog", "oh rain", "my rain"] * 10
    vectors = np.ones((40, 2), np.float32)
    head = Head(("first",), ((np.zeros((2, 1), np.float32), np.zeros(1, np.float32)),))
    result = add_char_ngrams(
        head, vectors, char_ngram_matrix(texts, NGRAM_FORM), two([1, 1, 0, 0] * 10)
    )
    said = HeadProbabilities(result, Plain(), "m").of(["the dog", "the rain"])
    assert said[1] < 0.4 < 0.6 < said[0]
    runs = char_ngram_matrix(["oh"] * 40, NGRAM_FORM)
    assert add_char_ngrams(head, vectors, runs, two([0, 1] * 20)).grams is None


class Plain:
    def of(self, texts):
        return np.ones((len(texts), 2))


def test_a_head_is_shifted_by_hand():
    """A number of 3 with shift 1 and nothing for runs is 4."""
    head = Head(("first",), ((np.array([[1.0], [2.0]]), np.zeros(1)),))
    result = with_char_ngrams(head, np.zeros(NGRAM_FORM.columns), shift=1.0)
    assert result.logit(np.ones((1, 2))).tolist() == [4.0]
    assert not np.any([result.grams.first, result.grams.second])


def test_both_classes_count_the_same():
    """One of four: it counts .5 / .25 = 2, each other .5 / .75."""
    assert balanced_weights(np.array([0, 0, 0, 1], np.float32)).tolist() == pytest.approx(
        [2 / 3] * 3 + [2]
    )


def test_complaints_are_whole_sentences(tmp_path):
    with pytest.raises(BadValue) as refused:
        EmotionSettings(fine_tune=-1)
    assert str(refused.value) == "-1 epochs of fine-tuning; give 0 or more"
    (tmp_path / "m").write_text("")
    with pytest.raises(DataError) as taken:
        train_emotion(said(), tmp_path / "m", kind="neutrality", settings=QUICK, about=ABOUT)
    assert str(taken.value) == f"{tmp_path / 'm'} is a file; name a folder for the model"
    assert training_command("polarity") == "emotion --target polarity"
    assert training_command("nsp") == "nsp"


def write(path, given):
    columns = given.dialog, given.text, given.label
    lines = (
        {"dialog": dialog, "said": text, "mood": list(names)}
        for dialog, text, names in zip(*columns, strict=True)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_command_line_trains_and_shows_figures(call, tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn comes with simpatico[train]")
    data, test = write(tmp_path / "a.jsonl", said()), write(tmp_path / "b.jsonl", said(60, start=9))
    columns = "--text", "said", "--label", "mood", "--encoder", ENCODER
    signs = "--map", "joy=positive", "--map", "anger=negative"
    files = "--data", data, "--test", test, "--out", tmp_path / "m"
    about = "--licence", "CC0", "--limitation", "It is made up."
    code, shown, err = call(
        "train", "emotion", "--target", "polarity", *files, *columns, *signs, *about
    )
    assert code == 0, err
    assert "Test set: positive, 20 of 40 utterances" in shown
    assert "linear SVM" in shown
    assert shown.rstrip().endswith(str(tmp_path / "m"))
    assert "excluded: 100 utterances with irrelevant or contradictory labels; " in err
    recipe = json.loads((tmp_path / "m" / "recipe.json").read_text())
    assert recipe["command"] == (
        "simpatico train emotion --data a.jsonl --target polarity --out MODEL "
        f"--encoder {public_model_name(ENCODER)} --fine-tune 0 --label mood --licence CC0 --limitation 'It is made "
        "up.' --map joy=positive --map anger=negative --polarity-model polarity --rate 1e-05 --runs "
        "--seed 0 --svm --test b.jsonl --text said --tidy"
    )
    assert recipe["limits"][-1] == "It is made up."
    assert str(tmp_path) not in (tmp_path / "m" / "card.md").read_text()
    code, _, err = call("train", "emotion", "--kind", "polarity", *files, *columns, "--map", "joy")
    assert code == 2
    assert "--map takes LABEL=MEANING, such as joy=positive, not 'joy'" in err


def test_a_linear_head_has_the_weights_of_penalised_logistic_regression():
    """As scikit-learn finds them, whose C is 1 / penalty."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(60, 4)).astype(np.float32)
    label = (vectors[:, 0] + rng.normal(size=60) > 0.5).astype(np.float32)
    rows = np.arange(60)
    weight = balanced_weights(label)
    head = fit_logistic_head(vectors, PairExamples(rows, rows, label, weight=weight), 5.0)
    model = linear_model.LogisticRegression(C=0.2, tol=1e-8).fit(vectors, label, weight)
    ((matrix, offset),) = head.layers
    assert matrix[:, 0] == pytest.approx(model.coef_[0], abs=1e-3)
    assert offset[0] == pytest.approx(model.intercept_[0], abs=1e-3)


def test_a_negative_penalty_is_refused():
    with pytest.raises(BadValue) as error:
        EmotionSettings(penalty=-1.0)
    assert str(error.value) == "a penalty of -1.0; give 0 or more"
