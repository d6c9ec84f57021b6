"""Training for engagement: known signals, equal bytes, transfer, whole sentences."""

import json
import os
import shutil

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.heads.folder import PairHead, load_heads
from simpatico.models.names import public_model_name
from simpatico.stats.classification import roc_auc
from simpatico.training.card import About
from simpatico.training.engagement.baselines import (
    best_threshold,
    question_marks,
    reply_lengths,
    svm_scores,
)
from simpatico.training.engagement.exchanges import ExchangeInput, Exchanges, split_exchanges
from simpatico.training.engagement.train import (
    EngagementSettings,
    load_initial_head,
    pair_examples,
    train_engagement,
)
from tests.models.tiny import tiny

ABOUT = About("made up")
ENCODER = f"path:{tiny('bert')}"


def talks(n=40, *, start=0, people=True, source="made up"):
    """Dialogs of three exchanges; those about a dog are engaging, those about rain are not."""
    rng, dialog, query, reply, label = np.random.default_rng(start), [], [], [], []
    for number in range(start, start + n):
        for _ in range(3):
            some = " ".join(rng.choice(["the", "a", "I", "you", "is", "good"], 3))
            dialog.append(f"d{number}")
            query.append(f"{some} day")
            reply.append(f"{some} {'dog' if number % 2 else 'rain'}")
            label.append(number % 2)
    rating = np.array(label, np.float64)
    kind = ["human-human" if people else ""] * len(label)
    return Exchanges(source, dialog, query, reply, rating, np.array(label, np.int64), kind)


def test_a_limit_for_a_plain_number_by_hand():
    """Engaging replies have 1 or 2 words, others 4 and 9: fewer than 3 are engaging."""
    guess, label = np.array([1.0, 2, 2, 4, 9]), np.array([1, 1, 1, 0, 0], bool)
    assert best_threshold(guess, label) == (-1, -3.0)
    assert best_threshold(guess, ~label) == (1, 3.0)
    assert reply_lengths(["I like it, I do", "?"]).tolist() == [[5, 4], [0, 0]]
    assert question_marks(["so?", "so", "本当？"]).tolist() == [1, 0, 1]


def test_the_support_vector_machine_learns_words():
    pytest.importorskip("sklearn", reason="scikit-learn comes with simpatico[train]")
    learn, test = split_exchanges(talks(), (0.5, 0.5), seed=0)
    assert roc_auc(svm_scores(learn, test, seed=0), test.label) > 0.9


def test_both_labels_weigh_the_same():
    """One engaging of four: it weighs .5 / .25 = 2, each other .5 / .75."""
    inputs = talks(4).take(np.array([0, 1, 2, 3]))
    place = dict.fromkeys((*inputs.query, *inputs.reply), 0)
    assert pair_examples(inputs, place).weight.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2])


@pytest.mark.parametrize("head", ["paper", "best"])
def test_a_model_is_trained_written_and_read(head, tmp_path):
    training = EngagementSettings(head, encoder=ENCODER, seeds=2)
    report = train_engagement(talks(), tmp_path / "one", settings=training, about=ABOUT)
    train_engagement(talks(), tmp_path / "two", settings=training, about=ABOUT)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    result = load_heads(f"path:{tmp_path / 'one'}", "engagement")
    assert result.recipe == report.recipe
    told = result.recipe.heads["engaging"].heldout
    assert (result.recipe.dialogs, told.dialogs, told.n, told.plain) == (40, 8, 24, "reply length")
    ours, length, question = report.rows
    assert (ours.name, length.name, question.name) == (
        "engagement",
        "reply length",
        "question mark",
    )
    assert ours.auc.value > 0.8
    assert question.auc.value == 0.5
    assert length.auc.value == 0.5
    assert report.ahead["question mark"].low > 0
    assert report.people == {
        "learned from": 1.0,
        "decide when to stop": 1.0,
        "held out": 1.0,
    }


def test_the_card_says_what_people_need(tmp_path):
    about = About("made up", "CC0", "simpatico train engagement --data DATA --out MODEL")
    training = EngagementSettings(encoder=ENCODER, seeds=2, limits=("It is made up.",))
    train_engagement(talks(), tmp_path / "m", settings=training, about=about)
    card = (tmp_path / "m" / "card.md").read_text(encoding="utf-8")
    for part in (
        "- made up: 40 dialogs\n- licence of the data: CC0\n"
        "- made up: 120 exchanges of 40 dialogs, 50.0% engaging\n"
        "- 100.0% of the engaging exchanges of the training set are between two people\n",
        "Means over 2 random splits; in brackets: 95% CI (bootstrap over dialogs, or over raters "
        "where they are known). Compared with simple baselines.\n",
        "| question mark | 0.500 [0.500, 0.500] | 0.500 [0.500, 0.500] | 0.",
        "- its AUC is above that of question mark\n",
        "- to reproduce: `simpatico train engagement --data DATA --out MODEL`\n",
        "too high where engaging replies are rare.\n- It is made up.\n",
    ):
        assert part in card
    facts = json.loads((tmp_path / "m" / "recipe.json").read_text())["training"]
    assert facts["encoder"] == f"path:{tiny('bert').name}"
    assert [row["name"] for row in facts["measured"]] == [
        "engagement",
        "reply length",
        "question mark",
    ]


def test_a_trained_model_goes_on_with_other_labels(tmp_path):
    """The target domain has the opposite labels, which the head learns from where it was."""
    first = EngagementSettings("best", encoder=ENCODER)
    train_engagement(talks(), tmp_path / "base", settings=first, about=ABOUT)
    turned = talks(60)
    turned = Exchanges(
        turned.source,
        turned.dialog,
        turned.query,
        turned.reply,
        turned.rating,
        1 - turned.label,
        turned.kind,
    )
    base = f"path:{tmp_path / 'base'}"
    training = EngagementSettings(base=base)
    report = train_engagement(turned, tmp_path / "m", settings=training, about=ABOUT)
    told = load_heads(f"path:{tmp_path / 'm'}", "engagement").recipe.heads["engaging"]
    assert (told.encoder, told.parts) == (ENCODER, ["first", "second", "product"])
    assert told.grams == CharNgramSettings(2, 4, 2**16)
    assert report.rows[0].auc.value > 0.5
    assert load_initial_head(training)[0].shape.rate == 1e-4
    with pytest.raises(BadValue) as refused:
        load_initial_head(EngagementSettings(base=base, encoder="other"))
    assert str(refused.value) == (
        f"{base} was trained with encoder {ENCODER!r}, not 'other'; leave out --encoder"
    )
    with pytest.raises(MissingResource):
        load_initial_head(EngagementSettings(base=f"path:{tmp_path / 'nothing'}"))
    assert public_model_name(base) == public_model_name("path:base") == "path:base"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "m"
    train_engagement(
        talks(), out, settings=EngagementSettings("best", encoder=ENCODER), about=ABOUT
    )
    return out


def refused(folder):
    with pytest.raises(DataError) as told:
        load_initial_head(EngagementSettings(base=f"path:{folder}"))
    return str(told.value)


@pytest.mark.parametrize("name", ["model.safetensors", "recipe.json", "card.md"])
def test_a_base_with_one_flipped_byte_is_refused(name, model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "m")
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    assert refused(folder) == (
        f"{folder}: {name} is not the file that manifest.json names; get the model again"
    )


def test_a_base_with_a_pickle_or_a_symlink_is_refused(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "one")
    (folder / "weights.pkl").write_bytes(b"\x80\x04.")
    assert "weights.pkl" in refused(folder)
    folder = shutil.copytree(model, tmp_path / "two")
    (folder / "model.safetensors").unlink()
    os.symlink(model / "model.safetensors", folder / "model.safetensors")
    assert "model.safetensors" in refused(folder)


def test_the_model_scores_texts(model):
    import polars as pl

    from simpatico.features import Features
    from simpatico.turns import Turns

    feature = PairHead(f"path:{model}", "engagement", "engaging")
    empty = Turns(pl.DataFrame({"text": pl.Series([], dtype=pl.String)}))
    fits = Features(empty, frozenset({feature, *feature.needs}))[feature]
    dog, rain = fits.of(["good day"] * 2, ["the good dog", "the good rain"])
    assert 0 <= rain < 0.5 < dog <= 1


def test_complaints_are_whole_sentences(tmp_path):
    out, training = tmp_path / "m", EngagementSettings(encoder=ENCODER)

    def complaint(given):
        with pytest.raises(DataError) as told:
            train_engagement(given, out, settings=training, about=ABOUT)
        assert not out.exists()
        return str(told.value)

    assert complaint(talks().take(np.arange(5))) == (
        "made up: 5 exchanges of 2 dialogs; training needs at least 20 dialogs"
    )
    assert complaint(talks().take(np.flatnonzero(talks().label == 1))) == (
        "made up: all 60 exchanges have label 1; training needs both engaging (1) and other (0) "
        "exchanges"
    )
    assert complaint(ExchangeInput(talks(), test=talks(4, start=38, source="test.csv"))) == (
        "test.csv: 2 of its 4 dialogs are in made up too; leave them out of one of the files"
    )
    own = talks(6, start=60, source="one.csv"), talks(6, start=63, source="two.csv")
    assert complaint(ExchangeInput(talks(), *own)) == (
        "two.csv: 3 of its 6 dialogs are in one.csv too; leave them out of one of the files"
    )
    nothing = talks(4, start=60, source="one.csv")
    nothing = Exchanges("one.csv", nothing.dialog, [" "] * 12, *vars_after_query(nothing))
    assert complaint(ExchangeInput(talks(), test=nothing)) == (
        "one.csv: no exchange has words in both texts; add some"
    )
    few = talks()
    label = np.array([dialog == "d1" for dialog in few.dialog], np.int64)
    few = Exchanges("made up", few.dialog, few.query, few.reply, few.rating, label, few.kind)
    assert complaint(few) == (
        "made up: engaging exchanges: 3 of 72 in the training set, 0 of 24 in the validation set, "
        "0 of 24 in the test set; each set needs examples of both classes"
    )
    for wrong, sentence in (
        ({"seeds": 0}, "0 seeds; give 1 or more"),
        ({"fine_tune": -1}, "-1 epochs of fine-tuning; give 0 or more"),
    ):
        with pytest.raises(BadValue) as refused:
            EngagementSettings(**wrong)
        assert str(refused.value) == sentence


def vars_after_query(given):
    return given.reply, given.rating, given.label, given.kind


def test_own_files_are_the_sides_and_blank_texts_are_left_out():
    inputs = talks()
    inputs.reply[0] = "  "
    own = ExchangeInput(inputs, talks(6, start=60), talks(6, start=70)).usable()
    assert [len(side) for side in own.split(0)] == [119, 18, 18]
    held = ExchangeInput(inputs, test=talks(6, start=70)).usable().split(0)
    assert [side.dialogs for side in held] == [30, 10, 6]
    stop = ExchangeInput(inputs, validation=talks(6, start=70)).usable().split(0)
    assert [side.dialogs for side in stop] == [30, 6, 10]


def write(path, given):
    columns = given.dialog, given.query, given.reply, given.label.tolist()
    names = "dialog", "query", "reply", "label"
    lines = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_command_line_trains_and_shows_figures(call, tmp_path):
    data = write(tmp_path / "talk.jsonl", talks())
    test = write(tmp_path / "test.jsonl", talks(10, start=50))
    out = tmp_path / "m"
    more = write(tmp_path / "more.jsonl", talks(20, start=70))
    (tmp_path / "none.txt").write_text("nobody\n")
    files = "--data", data, "--data", more, "--test", test, "--without", tmp_path / "none.txt"
    told = (
        "--encoder",
        ENCODER,
        "--balance-length",
        "--licence",
        "CC0, all",
        "--limitation",
        "It is made up.",
    )
    code, shown, err = call("train", "engagement", *files, "--out", out, *told)
    assert code == 0, err
    assert "Test set" in shown
    assert "question mark" in shown
    assert "AUC minus that of reply length: " in err
    assert shown.rstrip().endswith(str(out))
    recipe = json.loads((out / "recipe.json").read_text())
    assert recipe["command"] == (
        "simpatico train engagement --data talk.jsonl --data more.jsonl --out MODEL "
        f"--encoder {public_model_name(ENCODER)} --fine-tune 0 --head paper --balance-length --licence 'CC0, all' "
        "--limitation 'It is made up.' --pooling mean --quality interesting --reading rated --seed 0 "
        "--seeds 1 --test test.jsonl --no-thumbs --without none.txt"
    )
    assert recipe["limits"][-1] == "It is made up."
    assert recipe["data"] == "talk.jsonl and more.jsonl"
    assert [part["name"] for part in recipe["training"]["parts"]] == ["test.jsonl"]
    assert str(tmp_path) not in (out / "card.md").read_text()
    code, shown, err = call(
        "train", "engagement", "--data", data, "--test", data, "--out", tmp_path / "n"
    )
    assert (code, shown, (tmp_path / "n").exists()) == (2, "", False)
    assert err == (
        "simpatico: talk.jsonl: 40 of its 40 dialogs are in talk.jsonl too; leave them out of one "
        "of the files\n"
    )
