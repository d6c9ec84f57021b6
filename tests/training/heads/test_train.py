"""Training of heads: slopes, honest splits, known signals, equal bytes, whole sentences."""

import json

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

from simpatico import Turns
from simpatico.errors import BadValue, DataError
from simpatico.features.heads.folder import load_heads
from simpatico.features.heads.head import Head
from simpatico.stats.classification import balanced_accuracy, roc_auc, roc_auc_interval
from simpatico.training.card import About
from simpatico.training.fit.mlp import (
    HeadShape,
    InputScaling,
    PairExamples,
    fit_head,
    gradients,
    initial_head,
    mean_loss,
    parameters,
    with_raw_inputs,
)
from simpatico.training.heads.data import TrainingDialogs, corrupt, draw_other_dialog
from simpatico.training.heads.train import HeadsSettings, train_heads, word_costs
from tests.metrics.heads import vectors_folder
from tests.models.tiny import tiny

ABOUT = About("made up")


def dialogs(n=40, turns=4):
    """Dialogs on tea or on rain, so that a reply tells which it belongs to."""
    rng, lines = np.random.default_rng(0), []
    for dialog in range(n):
        word = ("tea", "dog")[dialog % 2]
        for turn in range(turns):
            some = rng.choice(["the", "a", "I", "you", "is", "good"], 3)
            lines.append((f"d{dialog}", "xy"[turn % 2], " ".join([word, *some, word])))
    return Turns.from_utterances(pl.DataFrame(lines, ["dialog", "speaker", "text"], orient="row"))


def test_a_head_by_hand():
    """(1, 2) and (3, 0): product (3, 0), difference (2, 2); 3 + 0 - 2 + 0 - 1 = 0: .5."""
    weights = np.array([[1.0], [1.0], [-1.0], [0.0]])
    head = Head(("product", "difference"), ((weights, np.array([-1.0])),))
    assert head.probability(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]])).tolist() == [0.5]


def test_a_pair_gets_the_same_bits_alone_and_among_others():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, 37, 24)).astype(np.float32)
    layers = (
        (rng.standard_normal((49, 16)), np.zeros(16)),
        (rng.standard_normal((16, 1)), np.zeros(1)),
    )
    head = Head(("first", "bilinear", "second"), layers, "relu", rng.standard_normal((24, 24)))
    alone = [head.probability(first[i : i + 1], second[i : i + 1])[0] for i in range(37)]
    assert head.probability(first, second).tolist() == alone


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_slopes_are_those_of_the_loss(activation):
    """Each slope beside the change of the loss when its weight is moved by a hair to both sides."""
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((12, 3))
    inputs = PairExamples(
        rng.integers(0, 12, 9), rng.integers(0, 12, 9), (np.arange(9) % 2).astype(np.float32)
    )
    shape = HeadShape(("first", "bilinear", "difference"), (5, 4), activation)
    head, scaling = initial_head(shape, vectors, inputs, rng)
    layers = tuple((m.astype(np.float64), s.astype(np.float64) + 0.1) for m, s in head.layers)
    head = Head(head.parts, layers, activation, head.bilinear.astype(np.float64))
    for weights, slopes in zip(
        parameters(head), gradients(head, scaling, vectors, inputs), strict=True
    ):
        place = tuple(rng.integers(0, size) for size in weights.shape)
        kept = weights[place]
        weights[place] = kept + 1e-5
        above = mean_loss(head, scaling, vectors, inputs)
        weights[place] = kept - 1e-5
        below = mean_loss(head, scaling, vectors, inputs)
        weights[place] = kept
        assert slopes[place] == pytest.approx((above - below) / 2e-5, abs=1e-5)


def test_undoing_the_scaling_changes_nothing():
    rng = np.random.default_rng(2)
    scaling = InputScaling(rng.standard_normal(4), rng.random(4) + 0.5)
    head = Head(("first", "second"), ((rng.standard_normal((4, 1)), np.zeros(1)),))
    inputs = rng.standard_normal((6, 4))
    plain = with_raw_inputs(head, scaling).logit(inputs)
    assert plain == pytest.approx(head.logit((inputs - scaling.mean) / scaling.sd), abs=1e-5)


def test_a_known_signal_is_learned():
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((400, 6)).astype(np.float32)
    first, second = rng.integers(0, 400, (2, 2000))
    label = ((vectors[first] * vectors[second]).sum(axis=1) > 0).astype(np.float32)
    inputs = PairExamples(first, second, label)
    head = fit_head(
        HeadShape(("bilinear",), epochs=5), vectors, inputs, inputs.take(np.arange(200))
    )
    guess = head.logit(head.inputs(vectors[first], vectors[second]))
    assert roc_auc(guess, label) > 0.99


def test_area_under_the_curve_by_hand():
    """True 3 and 1, made up 2 and 1: 3 beats both, 1 loses one and draws one: 2.5 of 4."""
    assert roc_auc(np.array([3.0, 1.0, 2.0, 1.0]), np.array([1, 1, 0, 0], np.float32)) == 0.625


def test_the_interval_of_an_area_is_over_dialogs():
    """Two dialogs, each with a true and a made-up example: one drawn twice gives its own area, 1
    or 0, in a quarter of the draws each; both give 3 beats 2 and 1, 0 loses to both: .5."""
    guess, label = np.array([3.0, 2.0, 0.0, 1.0]), np.array([1, 0, 1, 0], np.float32)
    assert roc_auc(guess, label) == 0.5
    assert roc_auc_interval(guess, label, np.array([7, 7, 9, 9])) == (0.0, 1.0)
    assert roc_auc_interval(guess, label, np.array([7, 7, 7, 7])) == (0.5, 0.5)


def test_balanced_accuracy_by_hand():
    """Of three true ones two are told, of one made-up one none: (2/3 + 0) / 2."""
    told, label = np.array([True, True, False, True]), np.array([1, 1, 1, 0], np.float32)
    assert balanced_accuracy(told, label) == 0.333333


def test_no_dialog_is_on_two_sides_and_made_up_replies_are_of_other_dialogs():
    talk = TrainingDialogs.of(dialogs(), "made up")
    split = talk.split(0)
    assert [len(side) for side in split] == [32, 4, 4]
    assert len(set(np.concatenate(split))) == 40
    side = talk.pairs(split.test, np.random.default_rng(0))
    assert side.label.tolist() == [1.0] * 12 + [0.0] * 12
    rows = np.array([0, 0, 1, 1, 1])
    assert (rows[draw_other_dialog(rows, np.random.default_rng(0))] != rows).all()


def test_spoilt_texts_are_never_what_was_said():
    rng, tokens = np.random.default_rng(0), ["I", "like", "good", "tea"]
    result = [corrupt(tokens, rng) for _ in range(200)]
    assert all(text and text != tokens for text in result)
    assert {len(text) > 4 for text in result} == {True, False}
    assert any(sorted(text) == sorted(tokens) for text in result)


def test_costs_of_words_by_hand():
    """tea four times, rain and Ann three: counted one more each with the unknown 5 + 4 + 4 + 1 =
    14: log 14/5, log 14/4. Ann is in two dialogs only, and is not told: unknown, log 14."""
    texts = ["tea tea", "rain", "Ann Ann tea", "rain", "rain", "Ann tea"]
    expected = {"": np.log(14), "rain": np.log(3.5), "tea": np.log(2.8)}
    result = word_costs(texts, np.array([0, 0, 1, 1, 2, 2]))
    assert result == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", ["nsp", "ctx-ruber", "usl-h", "ruber"])
def test_heads_are_trained_written_and_read(kind, tmp_path):
    encoder = f"path:{vectors_folder() if kind == 'ruber' else tiny('bert')}"
    training = HeadsSettings(kind, encoder)
    recipe = train_heads(dialogs(), tmp_path / "one", settings=training, about=ABOUT)
    train_heads(dialogs(), tmp_path / "two", settings=training, about=ABOUT)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    result = load_heads(f"path:{tmp_path / 'one'}", kind)
    assert replace(result.recipe, data="", licence="") == recipe
    assert recipe.dialogs == 40
    for told in recipe.heads.values():
        assert (told.heldout.n > 0, told.heldout.dialogs) == (True, 4)
        assert 0 <= told.heldout.low <= told.heldout.auc <= told.heldout.high <= 1
        assert 0 <= told.heldout.balanced <= 1
    card = (tmp_path / "one" / "card.md").read_text(encoding="utf-8")
    assert "- made up: 40 dialogs" in card
    if kind == "usl-h":
        assert result.costs[""] > result.costs["tea"]
        assert (
            "- likelihood: word frequencies in the training dialogs; words of fewer than "
            "3 dialogs are not in the folder and count as unknown; quartiles"
        ) in card


def saying(text, n=40, first=0, other=""):
    """Dialogs in which both say this, or from the first on something else."""
    lines = [(f"d{d}", who, text if d >= first else other) for d in range(n) for who in ("x", "y")]
    return Turns.from_utterances(pl.DataFrame(lines, ["dialog", "speaker", "text"], orient="row"))


@pytest.mark.parametrize(
    ("turns", "counts"),
    [
        (saying("お茶が好きです"), ("0 of 0", "0 of 0", "0 of 0")),
        (
            saying("good tea", first=1, other="I like good tea"),
            ("0 of 0", "2 of 4", "0 of 0"),
        ),
    ],
)
def test_texts_too_short_to_be_spoilt_are_counted_and_refused(turns, counts, tmp_path):
    training = HeadsSettings("usl-h", f"path:{tiny('bert')}")
    with pytest.raises(DataError) as told:
        train_heads(turns, tmp_path / "m", settings=training, about=ABOUT)
    assert str(told.value) == (
        "made up: true examples (texts with at least 3 different words or marks): "
        f"{counts[0]} in the training set, {counts[1]} in the validation set, {counts[2]} in the "
        "test set; each set needs examples of both classes"
    )
    assert not (tmp_path / "m").exists()


def test_texts_without_known_words_are_counted_and_refused(tmp_path):
    training = HeadsSettings("ruber", f"path:{vectors_folder()}")
    with pytest.raises(DataError) as told:
        train_heads(saying("hello you"), tmp_path / "m", settings=training, about=ABOUT)
    assert str(told.value) == (
        "made up: true examples with known words: 0 of 0 in the training set, 0 of 0 in the "
        "validation set, 0 of 0 in the test set; each set needs examples of both classes"
    )


def test_replies_that_are_all_the_same_can_be_blended(tmp_path):
    """All cosines are 1: the lowest is a hair below, since it is divided by what is above it."""
    training = HeadsSettings("ctx-ruber", f"path:{tiny('bert')}")
    recipe = train_heads(saying("good tea"), tmp_path / "m", settings=training, about=ABOUT)
    assert recipe.cosine_low == 0.999999
    assert load_heads(f"path:{tmp_path / 'm'}", "ctx-ruber").recipe.heads == recipe.heads


def test_a_changed_byte_is_refused(tmp_path):
    train_heads(
        dialogs(),
        tmp_path / "m",
        settings=HeadsSettings("nsp", f"path:{tiny('bert')}"),
        about=ABOUT,
    )
    recipe = tmp_path / "m" / "recipe.json"
    recipe.write_text(recipe.read_text().replace("0", "1", 1))
    with pytest.raises(DataError) as told:
        load_heads(f"path:{tmp_path / 'm'}", "nsp")
    assert str(told.value) == (
        f"{tmp_path / 'm'}: recipe.json is not the file that manifest.json names; get the model again"
    )


def test_complaints_are_whole_sentences(tmp_path):
    out, training = tmp_path / "m", HeadsSettings("nsp", f"path:{tiny('bert')}")
    for n, told_n in ((0, "0 dialogs"), (1, "1 dialog"), (19, "19 dialogs")):
        turns = dialogs(n) if n else Turns(dialogs(1).frame.head(0))
        with pytest.raises(DataError) as told:
            train_heads(turns, out, settings=training, about=ABOUT)
        assert str(told.value) == (
            f"made up: {told_n} in which a turn answers another; training needs at least 20"
        )
    with pytest.raises(BadValue) as refused:
        train_heads(dialogs(), out, settings=HeadsSettings("nsp", likelihood="x"), about=ABOUT)
    assert str(refused.value) == "nsp uses no likelihood; leave out --likelihood"
    out.write_text("")
    with pytest.raises(DataError) as told:
        train_heads(dialogs(), out, settings=training, about=ABOUT)
    assert str(told.value) == f"{out} is a file; name a folder for the model"


def test_the_command_line_trains_and_shows_figures(call, tmp_path):
    data = tmp_path / "talk.jsonl"
    rows = dialogs().frame.select("dialog", "speaker", "text").to_dicts()
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = call(
        "train", "nsp", "--data", data, "--out", tmp_path / "m", "--encoder", f"path:{tiny('bert')}"
    )
    assert (code, "Test set" in out) == (0, True)
    assert out.rstrip().endswith(str(tmp_path / "m"))
    data.write_text('{"dialog": "d", "speaker": "x", "text": "hi"}\n')
    code, out, err = call("train", "nsp", "--data", data, "--out", tmp_path / "n")
    assert (code, out) == (2, "")
    assert err == (
        "simpatico: talk.jsonl: 0 dialogs in which a turn answers another; "
        "training needs at least 20\n"
    )
