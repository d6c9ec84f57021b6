"""Training of rating models: a known signal, sets left out, refusals in whole sentences."""

import csv
import json
import random
from dataclasses import replace
from math import log

import numpy as np
import pytest

from simpatico import load, read, score
from simpatico.errors import DataError
from simpatico.features.chat_words import load_chat_words
from simpatico.features.rating_model import load_rating_model
from simpatico.features.replies import column_names
from simpatico.training.card import About
from simpatico.training.rating.chat_words import CountSettings, chat_texts, count_chat_words
from simpatico.training.rating.data import read_rated_set
from simpatico.training.rating.train import (
    DEFAULT_PENALTY,
    RatingSettings,
    choose_penalty,
    fit,
    predict_left_out,
    standardise_columns,
)

TOPICS = ("tea", "dogs", "rain", "trains", "music", "chess")
ANSWERS = (
    "I like {} as well, tell me more about it.",
    "Well, {} is something that I know from my sister.",
    "Hm.",
    "I have no idea what you mean, sorry.",
)


def make_set(folder, name, *, seed, dialogs=60, level="turn"):
    """Replies that name the subject are rated 5, others 1 to 3; ratings in a table of their own."""
    rng = random.Random(seed)
    chats, ratings = folder / f"{name}.jsonl", folder / f"{name}.csv"
    rows, values = [], []
    for at in range(dialogs):
        topic, kind = rng.choice(TOPICS), rng.randrange(len(ANSWERS))
        reply = ANSWERS[kind].format(topic)
        for who, text in (("user", f"What do you think about {topic}?"), ("bot", reply)):
            rows.append({"dialog": f"{name}{at}", "speaker": who, "text": text})
        value = 5 if topic in reply else rng.randint(1, 3)
        values.append((f"{name}{at}", 1 if level == "turn" else "", "bot", "overall", value))
    chats.write_text("\n".join(map(json.dumps, rows)))
    with ratings.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dialog", "turn", "speaker", "quality", "value"])
        writer.writerows(values)
    return chats, ratings


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of 60 rated turns, by the command."""
    from click.testing import CliRunner

    from simpatico.cli.commands.train import command

    folder = tmp_path_factory.mktemp("rating")
    chats, ratings = make_set(folder, "one", seed=1)
    arguments = [
        "--data",
        chats,
        "--judgements",
        ratings,
        "--encoder",
        "none",
        "--out",
        folder / "m",
    ]
    ran = CliRunner().invoke(command, ["rating", *map(str, arguments)], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return folder, ran.output


def test_a_known_signal_is_found_in_parts_left_out(trained):
    folder, output = trained
    recipe = load_rating_model(f"path:{folder / 'm'}").recipe
    rows = [one for one in recipe.evaluation if one.score == "predicted_rating"]
    assert [one.data for one in rows] == [f"part {n}" for n in range(1, 6)]
    assert np.mean([one.rho for one in rows]) > 0.6
    assert sum(one.n for one in rows) == 60
    assert "60 rated turns or dialogs in 1 sets" in output
    assert "log words" in output


def test_the_penalty_is_chosen_without_the_ratings_it_predicts(tmp_path):
    """A source of noise is predicted with the penalty that is best for the two others."""
    settings = RatingSettings(seed=0)
    sets = [
        read_rated_set(chats, judgements=[ratings])
        for chats, ratings in (make_set(tmp_path, name, seed=at) for at, name in enumerate("abc"))
    ]
    examples, _, _ = standardise_columns(sets, "")
    names, rng = column_names(encoder=False), np.random.default_rng(0)
    chosen = choose_penalty(examples[:2], names, settings)
    expected = examples[2].x @ fit(examples[:2], names, chosen)
    for ratings in (examples[2].y, rng.permutation(examples[2].y)):
        last = replace(examples[2], source=replace(examples[2].source, rating=ratings))
        predicted = predict_left_out(last, [*examples[:2], last], names, settings)
        assert predicted.tolist() == expected.tolist()
    fixed = RatingSettings(penalty=30.0)
    assert choose_penalty(examples, names, fixed) == 30
    few = examples[0].take(np.arange(40), "few")
    few.source.cluster[:] %= 3
    assert choose_penalty([few], names, settings) == DEFAULT_PENALTY


def test_signs_make_sense_and_the_metric_loads_it(trained):
    folder, _ = trained
    recipe = load_rating_model(f"path:{folder / 'm'}").recipe
    assert recipe.columns["overlap_reply"].weight >= 0 >= recipe.columns["repeated_words"].weight
    metric = load("predicted_rating", model=f"path:{folder / 'm'}")
    table = score(read(folder / "one.jsonl"), [metric]).at("turn")
    assert table["predicted_rating[m]"].drop_nulls().is_between(1, 5).all()


def test_equal_data_give_equal_bytes(trained, tmp_path, call):
    folder, _ = trained
    arguments = ("--data", folder / "one.jsonl", "--judgements", folder / "one.csv")
    assert call("train", "rating", *arguments, "--encoder", "none", "--out", tmp_path / "m")[0] == 0
    for name in ("recipe.json", "card.md", "manifest.json"):
        assert (folder / "m" / name).read_bytes() == (tmp_path / "m" / name).read_bytes()


def test_ratings_are_standardised_per_judge(tmp_path):
    """Judge a gives 1 and 2, judge b 4 and 5 to the same thirty turns: both mean -1 and 1."""
    chats, ratings = make_set(tmp_path, "two", seed=2, dialogs=30)
    with ratings.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dialog", "turn", "speaker", "quality", "value", "judge"])
        for at in range(30):
            for judge, low in (("a", 1), ("b", 4)):
                writer.writerow([f"two{at}", 1, "bot", "overall", low + at % 2, judge])
    rated = read_rated_set(chats, judgements=[ratings])
    assert sorted(set(np.round(rated.rating, 9))) == [-1.0, 1.0]
    assert rated.level == "turn"


def test_a_rating_of_a_dialog_is_of_all_its_replies(tmp_path):
    chats, ratings = make_set(tmp_path, "three", seed=3, dialogs=40, level="dialog")
    rated = read_rated_set(chats, judgements=[ratings])
    assert rated.level == "dialog"
    assert len(rated.rating) == 40
    assert rated.means(np.arange(40.0)[:, None])[:, 0].tolist() == rated.unit.argsort().tolist()


def test_refusals(tmp_path, call):
    chats, ratings = make_set(tmp_path, "four", seed=4, dialogs=12)
    with pytest.raises(DataError) as told:
        read_rated_set(chats, judgements=[ratings])
    assert str(told.value) == f"{chats}: 12 rated turns that answer something; a set needs 30"
    with pytest.raises(DataError) as told:
        read_rated_set(chats, judgements=[ratings], qualities=["warmth"])
    assert str(told.value) == f"{chats}: no ratings of ['warmth']; it has ['overall']"
    with pytest.raises(DataError) as told:
        read_rated_set(chats)
    assert str(told.value) == (
        f"{chats}: conversations without ratings; name their file with --judgements"
    )
    (empty := tmp_path / "empty.csv").write_text("dialog,quality,value\nfour1,overall,\n")
    with pytest.raises(DataError) as told:
        read_rated_set(chats, judgements=[empty])
    assert str(told.value) == "empty.csv: no rating has a value; there is nothing to learn"
    code, _, err = call(
        *("train", "rating", "--data", chats, "--data", chats, "--judgements", ratings),
        *("--out", tmp_path / "m"),
    )
    assert code == 2
    assert "--judgements goes with a single --data" in err
    assert not (tmp_path / "m").exists()


def test_words_are_counted_by_hand(tmp_path):
    """Three texts: "so it is" twice and "so". D = 3, so so has idf log(4 / 4), it log(4 / 3).

    Words and ends: so 3, it 2, is 2, end 3, of 10; "it" follows "so" 2 times of 3, where it is 2 of
    10 by itself: log(.7 x (2/3) / .2 + .3) = log(2.6333).
    """
    count_chat_words(
        ["so it is", "so it is", "so"],
        tmp_path / "words",
        settings=CountSettings(10, 1),
        about=About("made up"),
    )
    words = load_chat_words(tmp_path / "words")
    from simpatico.features.replies import word_table

    table = word_table(["so it"])
    idf = dict(zip(table.vocabulary, words.idf(table), strict=True))
    assert idf == pytest.approx({"so": log(4 / 4), "it": log(4 / 3)}, abs=2**-20)
    _, association = words.associations_of(table)
    assert association[1] == pytest.approx(log(0.7 * (2 / 3) / 0.2 + 0.3), abs=1e-3)
    # the end never followed "it"
    assert association[2] == pytest.approx(log(0.3))


def test_texts_of_people_are_counted_and_those_of_systems_are_not(tmp_path):
    rows = [
        {"dialog": "d", "speaker": "human", "text": "hello"},
        {"dialog": "d", "speaker": "bot", "system": "acme", "text": "beep"},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert chat_texts(tmp_path / "x.jsonl") == ["hello"]
