"""Training of relevance: made-up replies by hand, honest sides, equal bytes, whole sentences."""

import json

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

from simpatico import Turns
from simpatico.errors import BadValue, DataError
from simpatico.features import Features
from simpatico.features.classes import ClassProbabilities
from simpatico.features.heads.folder import load_heads
from simpatico.features.heads.head import Head
from simpatico.stats.classification import roc_auc
from simpatico.training.card import About
from simpatico.training.fit.mlp import PairExamples
from simpatico.training.relevance.negatives import HARD, NegativeMix, NegativeSampler, TruePairs
from simpatico.training.relevance.train import (
    RelevanceExamples,
    RelevanceSettings,
    add_cosine,
    fine_tune_relevance,
    train_relevance,
)
from tests.models.tiny import tiny
from tests.training.heads.test_train import dialogs, saying

ABOUT = About("made up")


def maker(seed=0):
    """Texts 0 to 7 at angles of 0, 10, 20 … degrees, where alike angles are alike texts.

    Dialog 0: 0, 1, 2; dialog 1: 3, 4; dialog 2: 6, 5. Each turn answers the one before it.
    """
    angle = np.deg2rad(10.0 * np.arange(8))
    vectors = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    first, second = np.array([0, 1, 3, 6]), np.array([1, 2, 4, 5])
    turns, whose = np.array([0, 1, 2, 3, 4, 6, 5]), np.array([0, 0, 0, 1, 1, 2, 2])
    answers = TruePairs(first, second, np.array([0, 0, 1, 2]), turns, whose)
    return NegativeSampler(answers, vectors, np.random.default_rng(seed))


def test_hard_replies_by_hand():
    """The replies are 1, 2, 4, 5. Nearest of other dialogs to the true ones: 4 to 1 and 2; 5 to 4;
    4 to 5. Nearest to the questions 0, 1, 3, 6: 4, 4, 2, 4. Of dialog 0 what is in neither text of
    the pair is 2 for the first pair and 0 for the second; the other dialogs have nothing more."""
    result, rows = maker(), np.arange(4)
    assert result.nearest(rows, result.pairs.second).tolist() == [4, 4, 5, 4]
    assert result.nearest(rows, result.pairs.first).tolist() == [4, 4, 2, 4]
    assert result.same_dialog(rows).tolist() == [2, 0, -1, -1]
    assert result.draw(np.array([3, 3, 3, 3])).tolist() == [0, 1, 3, 6]


def test_true_pairs_stand_beside_made_up_ones():
    """All four pairs with another turn of their dialog: only the first two have one."""
    inputs = maker().with_negatives(np.full(4, 4))
    assert inputs.first.tolist() == [0, 1, 0, 1]
    assert inputs.second.tolist() == [1, 2, 2, 0]
    assert inputs.label.tolist() == [1, 1, 0, 0]
    assert inputs.dialog.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("negatives", ["random", "hard", "both"])
def test_made_up_replies_are_never_the_true_one(negatives):
    inputs = maker().sample(NegativeMix(negatives, HARD, per_pair=50))
    true, made = inputs.second[inputs.label == 1], inputs.second[inputs.label == 0]
    assert (true != made).all()
    assert len(inputs.label) % 2 == 0
    if negatives == "random":
        assert len(made) == 200
        assert not set(zip(inputs.first[200:].tolist(), made.tolist(), strict=True)) & {(0, 2)}


def test_the_share_of_hard_replies():
    """In 4,000 draws the share of .3 is met within three standard errors of .0072."""
    kinds = np.concatenate(
        [maker(seed).draw_kinds(NegativeMix(hard=HARD)) for seed in range(1_000)]
    )
    assert abs((kinds > 0).mean() - 0.3) < 0.0217
    assert set(kinds.tolist()) == {0, 1, 2, 3, 4}
    assert set(maker().draw_kinds(NegativeMix("hard")).tolist()) == {4}
    assert set(maker().draw_kinds(NegativeMix("random")).tolist()) == {0}


@pytest.mark.parametrize("negatives", ["random", "both"])
def test_it_is_trained_written_and_read(negatives, tmp_path):
    training = RelevanceSettings(
        f"path:{tiny('bert')}", mix=NegativeMix(negatives, HARD, per_pair=2)
    )
    recipe = train_relevance([dialogs(60)], tmp_path / "one", settings=training, about=ABOUT)
    train_relevance([dialogs(60)], tmp_path / "two", settings=training, about=ABOUT)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    result = load_heads(f"path:{tmp_path / 'one'}", "relevance")
    assert replace(result.recipe, data="", licence="") == recipe
    figures = recipe.heads["relevant"].heldout
    assert (recipe.dialogs, figures.dialogs) == (60, 6)
    assert figures.low <= figures.auc <= figures.high
    told = json.loads((tmp_path / "one" / "recipe.json").read_text())["training"]
    assert list(told["areas"]) == [
        "random",
        "near-reply",
        "near-question",
        "copied",
        "same-dialog",
    ]
    assert told["mix"] == {
        "negatives": negatives,
        "hard": list(HARD),
        "share": 0.3,
        "per_pair": 2,
    }


def test_an_encoder_is_fine_tuned_and_read(tmp_path):
    """The folder's probability of its second label puts the pairs held out in the same order."""
    training = RelevanceSettings(f"path:{tiny('bert')}", fine_tune=1)
    turns = dialogs()
    result = fine_tune_relevance([turns], tmp_path / "m", settings=training, about=ABOUT)
    drawn = RelevanceExamples.of([turns], "made up", training)
    inputs, texts = drawn.splits[2], list(drawn.texts.rows)
    pairs = [[texts[at] for at in places] for places in (inputs.first, inputs.second)]
    feature = ClassProbabilities(f"path:{tmp_path / 'm'}", pair=True)
    handle = Features(turns, frozenset({feature}))[feature]
    assert handle.labels == ("not relevant", "relevant")
    assert roc_auc(handle.of(*pairs)[:, 1], inputs.label) == pytest.approx(result.auc, abs=1e-6)
    assert (result.n, result.dialogs) == (len(inputs.label), 4)
    card = (tmp_path / "m" / "card.md").read_text(encoding="utf-8")
    assert f"- AUC {result.auc:.3f} [{result.low:.3f}, {result.high:.3f}] (bootstrap" in card


def test_complaints_are_whole_sentences(tmp_path):
    out, training = tmp_path / "m", RelevanceSettings(f"path:{tiny('bert')}")
    for n, told_n in ((0, "0 dialogs"), (1, "1 dialog")):
        turns = dialogs(n) if n else Turns(dialogs(1).frame.head(0))
        with pytest.raises(DataError) as told:
            train_relevance([turns], out, settings=training, about=ABOUT)
        assert str(told.value) == (
            f"made up: {told_n} in which a turn answers another; training needs at least 20"
        )
    with pytest.raises(DataError) as told:
        train_relevance([dialogs(40, 1)], out, settings=training, about=ABOUT)
    assert str(told.value) == (
        "made up: 0 dialogs in which a turn answers another; training needs at least 20"
    )
    with pytest.raises(DataError) as told:
        train_relevance([saying("good tea")], out, settings=training, about=ABOUT)
    assert str(told.value) == (
        "made up: pairs for which there is a negative: 0 of 0 in the training set, 0 of 0 in the "
        "validation set, 0 of 0 in the test set; each set needs examples of both classes"
    )
    assert not out.exists()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"negatives": "easy"}, "negatives 'easy'; there are random, hard and both"),
        (
            {"hard": ("copied", "odd")},
            "hard negatives 'odd'; there are near-reply, near-question, copied, same-dialog",
        ),
        (
            {"hard": ()},
            "no kind of hard negatives; there are near-reply, near-question, copied, same-dialog",
        ),
        ({"share": 1.0}, "a share of 1.0 hard negatives; give one between 0 and 1"),
        ({"per_pair": 0}, "0 negatives per pair; give 1 or more"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(BadValue) as told:
        NegativeMix(**settings)
    assert str(told.value) == sentence


def test_fewer_than_no_epochs_are_refused():
    with pytest.raises(BadValue) as told:
        RelevanceSettings(fine_tune=-1)
    assert str(told.value) == "-1 epochs of fine-tuning; give 0 or more"


def test_the_command_line_trains_and_shows_figures(call, tmp_path):
    data = tmp_path / "talk.jsonl"
    rows = dialogs().frame.select("dialog", "speaker", "text").to_dicts()
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    inputs = ["train", "relevance", "--data", data, "--out", tmp_path / "m"]
    code, out, _ = call(*inputs, "--encoder", f"path:{tiny('bert')}", "--hard", "copied")
    assert (code, "Test set" in out) == (0, True)
    recipe = json.loads((tmp_path / "m" / "recipe.json").read_text())
    assert recipe["command"] == (
        "simpatico train relevance --data talk.jsonl --out MODEL --cosine 0.25 "
        f"--encoder path:{tiny('bert').name} --fine-tune 0 --hard copied --negatives both "
        "--no-people --per-pair 1 --pooling mean --seed 0 --share 0.3"
    )
    data.write_text('{"dialog": "d", "speaker": "x", "text": "hi"}\n')
    code, out, err = call(*inputs[:-1], tmp_path / "n")
    assert (code, out) == (2, "")
    assert err == (
        "simpatico: talk.jsonl: 0 dialogs in which a turn answers another; "
        "training needs at least 20\n"
    )


def test_the_cosine_is_added_to_the_logit_and_both_are_calibrated():
    """a (z + w sd(z) / sd(cos) cos) + b: within pairs, differences of logits follow that line."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((60, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    label = np.tile(np.array([0, 1], np.float32), 15)
    pairs = PairExamples(np.arange(30), np.arange(30, 60), label)
    layers = (
        (rng.standard_normal((8, 3)), np.zeros(3)),
        (rng.standard_normal((3, 1)), np.zeros(1)),
    )
    head = Head(("first", "product"), layers)
    z = head.logit(head.inputs(vectors[:30], vectors[30:]))
    cosines = (vectors[:30] * vectors[30:]).sum(axis=1)
    line = z + 0.5 * z.std() / cosines.std() * cosines
    after = add_cosine(head, vectors, pairs, 0.5)
    logits = after.logit(after.inputs(vectors[:30], vectors[30:]))
    scale, offset = np.polyfit(line, logits, 1)
    assert logits == pytest.approx(scale * line + offset, abs=1e-5)
    # at the least loss predicted and observed frequencies are equal
    assert (1 / (1 + np.exp(-logits))).mean() == pytest.approx(0.5, abs=1e-3)


def test_negatives_come_from_the_same_corpus_and_true_replies_from_people():
    """Of two corpora with other words in each, no pair has texts of both; bots reply in neither."""
    frame = dialogs(30).frame
    shouted = frame.with_columns(pl.col("text").str.to_uppercase())
    corpora = [Turns(frame), Turns(shouted)]
    settings = RelevanceSettings(f"path:{tiny('bert')}", mix=NegativeMix("random"))
    examples = RelevanceExamples.of(corpora, "made up", settings)
    texts = list(examples.texts.rows)
    for pairs in examples.splits:
        for one, other in zip(pairs.first, pairs.second, strict=True):
            assert texts[one].isupper() == texts[other].isupper()
    of_bots = Turns(frame.with_columns(system=pl.lit("bot")))
    with pytest.raises(DataError):
        RelevanceExamples.of([of_bots], "made up", RelevanceSettings(settings.encoder, people=True))
    with pytest.raises(BadValue) as told:
        RelevanceSettings(cosine=-1.0)
    assert str(told.value) == "a weight of -1.0 for the cosine; give 0 or more"
