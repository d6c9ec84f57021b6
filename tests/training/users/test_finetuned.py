"""Speaker tokens: who has one, what an encoder reads, and what a folder reveals and keeps."""

import json
import re
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from shutil import copytree, rmtree

import numpy as np
import polars as pl
import pytest

from simpatico import load, score, signature
from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features import features_for_texts
from simpatico.features.classes import ClassProbabilities
from simpatico.features.users.contexts import turn_contexts
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.speaker_tokens import (
    MAX_CONTEXT_CHARS,
    OTHER_SPEAKER,
    UNKNOWN_USER,
    SpeakerTokens,
    texts_with_tokens,
)
from simpatico.metric import collect_evidence, missing_resource
from simpatico.models import names as models
from simpatico.stats.by_user import ReplyPredictions, evaluate_ratings, evaluate_replies
from simpatico.training.card import About
from simpatico.training.users.card import LIMITS
from simpatico.training.users.continuity.train import ContinuityTraining, fine_tune_continuity
from simpatico.training.users.finetuned import (
    base_token_digits,
    pseudonym_key,
    reading_language,
    store_key,
)
from simpatico.training.users.forget import forget_speaker_token
from simpatico.training.users.interlocutor.train import (
    InterlocutorTraining,
    RatingData,
    fine_tune_interlocutor,
)
from tests.conftest import talk
from tests.models.tiny import tiny
from tests.training.users.logs import log, rated
from tests.training.users.test_forget import kill_at

KEY = bytes(range(32))
ABOUT = About("made up")
TALK = ("p0: how do i mend it?", "helper: look here first", "cyd: and me?", "helper: look there")


@pytest.fixture(scope="module")
def chance(tmp_path_factory):
    """A folder of chances, how it was trained, and what came out."""
    pytest.importorskip("torch", reason="torch comes with simpatico[torch]")
    training = ContinuityTraining(encoder=f"path:{tiny('bert')}", fine_tune=1)
    out = tmp_path_factory.mktemp("chance") / "m"
    return out, training, fine_tune_continuity(log(120), out, training=training, about=ABOUT)


@pytest.fixture(scope="module")
def rating(tmp_path_factory):
    """The same of scores."""
    pytest.importorskip("torch", reason="torch comes with simpatico[torch]")
    training = InterlocutorTraining(encoder=f"path:{tiny('bert')}", fine_tune=1)
    data, out = RatingData.load(*rated(4, 20), training), tmp_path_factory.mktemp("rating") / "m"
    return out, training, fine_tune_interlocutor(data, out, training=training, about=ABOUT)


def turn_table(metric, turns):
    return score(turns, [metric]).at("turn")


def in_rows(metric, turns, rows):
    """What a metric says of the turns in these rows."""
    table = turn_table(metric, turns)
    keys = zip(table["dialog"], table["turn"], strict=True)
    result = dict(zip(keys, table[metric.name], strict=True))
    return np.array(
        [result[turns.frame[int(r), "dialog"], turns.frame[int(r), "turn"]] for r in rows]
    )


def said_by_hand(out, output="softmax"):
    """What the classifier says of the helper's turns in `TALK`: one to p0, one to a stranger."""
    token = f"[{pseudonym('p0', pseudonym_key(out, f'path:{out}'))}]"
    before = (
        f"{OTHER_SPEAKER} how do i mend it? {OTHER_SPEAKER} look here first {UNKNOWN_USER} and me?"
    )
    firsts = [f"{token} {token} how do i mend it?"] * 2 + [f"{UNKNOWN_USER} {before}"]
    seconds = [
        f"{OTHER_SPEAKER} look here first",
        f"{OTHER_SPEAKER} here first",
        f"{OTHER_SPEAKER} look there",
    ]
    feature = ClassProbabilities(f"path:{out}", pair=True, output=output)
    return features_for_texts([feature])[feature].of(firsts, seconds).astype(float)


def test_a_mark_needs_five_examples():
    tokens = SpeakerTokens.for_users(["ann"] * 5 + ["bob"] * 4 + [""] * 9, KEY)
    digits = pseudonym("ann", KEY)
    assert tokens.tokens == (UNKNOWN_USER, OTHER_SPEAKER, f"[{digits}]")
    assert [tokens(name) for name in ("ann", "bob", "")] == [
        f"[{digits}]",
        UNKNOWN_USER,
        UNKNOWN_USER,
    ]
    assert SpeakerTokens.for_users([], KEY, existing=[digits]).tokens[2:] == (f"[{digits}]",)


def test_what_an_encoder_reads():
    """Of the second turn the person is ann, of the third bob; a long turn is cut at its begin."""
    turns = talk("ann: where", "bob: here, ann", f"ann: {'x' * 400}", "bob: why")
    tokens = SpeakerTokens.for_users(["ann"] * 5, KEY)
    ann = tokens("ann")
    before, said = texts_with_tokens(turns, turn_contexts(turns), tokens, profile=False)
    assert before[:2] == [UNKNOWN_USER, f"{ann} {ann} where"]
    assert before[2] == f"{UNKNOWN_USER} {OTHER_SPEAKER} where {UNKNOWN_USER} here, ann"
    assert before[3] == f"{ann} {ann} {'x' * MAX_CONTEXT_CHARS}"
    assert said[1] == f"{OTHER_SPEAKER} here, @", "whose name it is, only the mark tells"


def test_a_person_under_another_name_is_whoever_does_not_speak():
    """The Wizard talks to "person 0", who speaks as Participant; a profile stands in front."""
    turns, _ = rated(1, 2)
    told = turns.frame["profile"].fill_null("likes cats")
    turns = type(turns)(turns.frame.with_columns(profile=told))
    before, _ = texts_with_tokens(
        turns, turn_contexts(turns), SpeakerTokens.for_users([], KEY), profile=True
    )
    wizard = turns.frame["text"][0]
    assert before[1] == f"likes cats {UNKNOWN_USER} {OTHER_SPEAKER} {wizard} {UNKNOWN_USER} well"


def test_among_several_nobody_speaks_for_a_person_who_did_not():
    """Dave said nothing yet, and ann and bob are two; once only ann spoke, dave may be her."""
    turns = talk("ann: hi", "carl: hello", "bob: me too", "carl: your parcel")
    frame = turns.frame.with_columns(interlocutor=pl.lit("dave"))
    tokens = SpeakerTokens.for_users(["dave"] * 5, KEY)
    result = type(turns)(frame)
    before, _ = texts_with_tokens(result, turn_contexts(result), tokens, profile=False)
    dave = tokens("dave")
    assert before[1] == f"{dave} {dave} hi"
    assert before[3] == f"{dave} {OTHER_SPEAKER} hi {OTHER_SPEAKER} hello {OTHER_SPEAKER} me too"


def test_the_key_stays_until_a_training_is_done(tmp_path):
    out = tmp_path / "m"
    key = pseudonym_key(out)
    store_key(out, key)
    assert pseudonym_key(out) == key, "a training that was broken off goes on with it"
    waiting = tmp_path / "m.partial" / "person_key.txt"
    assert waiting.stat().st_mode & 0o777 == 0o600
    out.mkdir()
    waiting.rename(out / "person_key.txt")
    assert pseudonym_key(tmp_path / "other", f"path:{out}") == key
    (out / "person_key.txt").write_text("no key")
    with pytest.raises(DataError) as error:
        pseudonym_key(tmp_path / "other", f"path:{out}")
    assert str(error.value) == (
        f"{out / 'person_key.txt'}: no key of 32 bytes; restore it or train again"
    )


def test_continuity_is_tuned_with_marks_and_gone_on_with(chance, tmp_path, call):
    """8 persons have a mark each; what goes on has the same ones, and no name is anywhere. One who
    is forgotten is like somebody who is not known, and has no mark anywhere."""
    out, training, report = chance
    names = [row.name for row in report.results]
    assert names == ["+ user, fine-tuned", "global majority", "private majority"]
    assert len(base_token_digits(f"path:{out}")) == 8
    card = (out / "card.md").read_text(encoding="utf-8")
    assert "- special tokens: 10\n" in card
    assert "- baseline on the same turns: private majority" in card
    for path in out.iterdir():
        assert b"helper" not in path.read_bytes()
    later = tmp_path / "later"
    fine_tune_continuity(log(120), later, training=training, about=ABOUT, base=f"path:{out}")
    assert base_token_digits(f"path:{later}") == base_token_digits(f"path:{out}")
    assert (later / "person_key.txt").read_bytes() == (out / "person_key.txt").read_bytes()
    forgets(later, call)


def forgets_whole(out, digits):
    """Killed at any point, all files of the model are old, or all are new."""
    from safetensors import safe_open

    place, points = out.parent / "copies" / out.name, []
    for number in count():
        copytree(out, place)
        with pytest.MonkeyPatch.context() as patch:
            killed = kill_at(number, points, patch, lambda: forget_speaker_token("p3", place))
        with safe_open(place / "model.safetensors", "np") as tensors:
            assert tensors.keys()
        knows = [digits in (place / name).read_text() for name in ("tokenizer.json", "card.md")]
        assert knows == [killed and "exchanged" not in points] * 2
        assert (place / "person_key.txt").stat().st_mode & 0o777 == 0o600
        with suppress(BadValue):
            forget_speaker_token("p3", place)
        assert [path.name for path in place.parent.iterdir()] == [place.name]
        rmtree(place.parent)
        if not killed:
            return


def forgets(out, call):
    """The eighth mark is gone, and where its vector was stands that of nobody in particular."""
    from safetensors.numpy import load_file

    digits = pseudonym("p3", pseudonym_key(out, f"path:{out}"))
    cutter = json.loads((out / "tokenizer.json").read_text(encoding="utf-8"))
    ids = {token["content"]: token["id"] for token in cutter["added_tokens"]}
    metric, turns = load("reply_chance", model=f"path:{out}"), talk("p3: hi", "helper: hello")
    before, known = signature(metric), metric.scores[3].name
    with (out / "card.md").open("a", encoding="utf-8") as card:
        card.write(f"- as cards said once, of [{digits}]\n")
    assert turn_table(metric, turns)[known][1] == 1
    forgets_whole(out, digits)
    code, shown, err = call("models", "forget", "p3", "--model", out)
    assert (code, shown.strip()) == (
        0,
        "Removed this user's speaker token (shared weights keep what they learned).",
    ), err
    assert not [path.name for path in out.iterdir() if digits.encode() in path.read_bytes()]
    tensors = load_file(out / "model.safetensors")
    (table,) = (t for name, t in tensors.items() if name.endswith("word_embeddings.weight"))
    assert (table[ids[f"[{digits}]"]] == table[ids[UNKNOWN_USER]]).all()
    assert 0 < turn_table(metric, turns)[metric.name][1] < 1, "it can still be used"
    assert turn_table(metric, turns)[known][1] == 0
    assert signature(metric) != before
    assert "It knows 7 users." in metric.card.about
    code, _, err = call("models", "forget", "p3", "--model", out)
    assert code == 2
    assert err.strip().endswith(f"{out} has no speaker token for this user; nothing was changed")


def test_scores_are_tuned_with_marks(rating, tmp_path):
    out, _, report = rating
    names = [row.name for row in report.results]
    assert names == ["+ user, fine-tuned", "mean of the person", "mean of all"]
    told = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert (told["problem"], told["labels"]) == ("regression", ["impression"])
    card = (out / "card.md").read_text(encoding="utf-8")
    assert "- special tokens: 6\n" in card
    assert not set(re.findall(r"\[([0-9a-f]+)\]", card)) & base_token_digits(f"path:{out}"), (
        "of nobody"
    )
    assert "## Results on the test set (later ratings)" in card
    assert f"- {LIMITS[0]}" in card
    everybody = InterlocutorTraining(learn="all", fine_tune=1)
    data = RatingData.load(*rated(), everybody)
    with pytest.raises(BadValue) as error:
        fine_tune_interlocutor(data, tmp_path / "x", training=everybody, about=ABOUT)
    assert str(error.value) == ("fine-tuning takes raters 'interlocutor' or 'outsiders', not 'all'")


def test_the_metric_says_what_the_classifier_says_of_texts_with_marks(chance):
    """The second turn is to p0, who has a mark, the fourth to cyd, who has none."""
    out, *_ = chance
    metric = load("reply_chance", model=f"path:{out}")
    table, told = turn_table(metric, talk(*TALK)), said_by_hand(out)[:, 1]
    assert table[metric.name].to_list()[1::2] == pytest.approx(told[[0, 2]].tolist(), abs=1e-7)
    assert table[metric.scores[3].name].to_list() == [None, 1, 0, 0]
    result = collect_evidence(metric, talk(*TALK)).filter(row=1, start=0)
    assert result["weight"].to_list() == pytest.approx([told[0] - told[1]], abs=1e-7)
    assert metric.card.about.endswith(
        "Trained on made up (licence: not stated): 95 turns. It knows 8 users."
    ), "80% of 120, without the one that is open at the cut"
    assert metric.card.citation.endswith("here fine-tuned with a special token per user")


def test_chances_of_turns_held_out_are_those_reported(chance):
    out, training, report = chance
    turns, metric = log(120), load("reply_chance", model=f"path:{out}")
    examples = training.examples(turns)
    test = examples.split.test
    probability = in_rows(metric, turns, examples.contexts.row[test])
    models = {"ours": ReplyPredictions(probability, probability > 0.5)}
    (row,) = evaluate_replies(models, examples.labels(test), examples.users(test))
    assert (row.accuracy, row.auc) == (report.results[0].accuracy, report.results[0].auc)


def test_scores_of_turns_held_out_are_those_reported(rating):
    out, training, report = rating
    (turns, judged), metric = rated(4, 20), load("interlocutor_score", model=f"path:{out}")
    data = RatingData.load(turns, judged, training)
    test = data.split.test
    predicted = in_rows(metric, turns, [data.ratings.rows[at][-1] for at in test])
    (row,) = evaluate_ratings({"ours": predicted}, data.ratings.own[test], data.users(test))
    assert (row.mse, row.r) == (report.results[0].mse, report.results[0].r)
    assert metric.scores[0].range == (1, 7)


def test_scores_are_on_their_scale(rating, tmp_path):
    """From 1 to 7: 1 + 6 shares of it, cut at the ends; with a bias of 9 all are beyond them."""
    from safetensors.numpy import load_file, save_file

    out, *_ = rating
    metric = load("interlocutor_score", model=f"path:{out}")
    result = turn_table(metric, talk(*TALK))[metric.name].to_list()[1::2]
    by_hand = [min(max(1 + 6 * share, 1), 7) for share in said_by_hand(out, "logits")[[0, 2], 0]]
    assert result == pytest.approx(by_hand, abs=1e-6)
    high = load("interlocutor_score", model=f"path:{copytree(out, tmp_path / 'm')}")
    assert signature(high) == signature(metric)
    tensors = load_file(out / "model.safetensors")
    beyond = {**tensors, "classifier.bias": tensors["classifier.bias"] + 9}
    save_file(beyond, tmp_path / "m" / "model.safetensors", metadata={"format": "pt"})
    assert turn_table(high, talk(*TALK))[high.name].to_list() == [7.0] * 4
    assert signature(high) != signature(metric)


def test_a_folder_of_something_else_is_a_sentence(chance, rating, tmp_path, monkeypatch):
    for (out, *_), name, kinds in (
        (chance, "interlocutor_score", ("continuity", "interlocutor")),
        (rating, "reply_chance", ("interlocutor", "continuity")),
    ):
        with pytest.raises(DataError) as error:
            score(talk(*TALK), [load(name, model=f"path:{out}")])
        assert str(error.value) == (
            f"{out / 'training.json'}: a model from `train {kinds[0]}`; one from "
            f"`train {kinds[1]}` is needed"
        )
    monkeypatch.setattr(
        models, "find_spec", lambda name: None if name == "torch" else find_spec(name)
    )
    metric = load("interlocutor_score", model=f"path:{rating[0]}")
    why = f"path:{rating[0]} needs the package torch; pip install 'simpatico[torch]'"
    assert (missing_resource(metric), metric.scores[0].range) == (why, (1, 7))
    with pytest.raises(MissingResource) as lacking:
        score(talk(*TALK), [metric])
    assert str(lacking.value) == why


def test_a_damaged_folder_is_a_sentence(rating, tmp_path):
    path, metric = tmp_path / "training.json", load("interlocutor_score", model=f"path:{tmp_path}")
    (tmp_path / "person_key.txt").write_text(KEY.hex())
    path.write_text("{}")
    with pytest.raises(DataError) as error:
        missing_resource(metric)
    assert str(error.value) == f"{path}: not a recipe with speaker tokens; train it again"
    told = json.loads((rating[0] / "training.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps({**told, "training": {**told["training"], "ends": None}}))
    with pytest.raises(DataError) as error:
        missing_resource(metric)
    assert str(error.value) == f"{path}: invalid bounds of the rating scale, None; train it again"


def test_a_model_reads_what_its_base_does(chance):
    """MiniLM reads English; of a folder nobody knows, and what goes on from one is like it."""
    assert reading_language("package:minilm-torch") == "en"
    assert reading_language("package:no such") is reading_language(f"path:{chance[0]}") is None
