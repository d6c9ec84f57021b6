"""Training of trait models: known signals, honest splits, equal bytes, whole sentences."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from simpatico.cli.commands.train import command
from simpatico.errors import DataError, MissingResource, SimpaticoError
from simpatico.features.ngram_model import load_trait_model
from simpatico.features.words import cut_words
from simpatico.training.traits.data import People, TraitColumns, TraitRow, read_people
from simpatico.training.traits.features import TextFeatures, read_topics
from simpatico.training.traits.folder import AboutTrait
from simpatico.training.traits.sources import casino_people, empathic_reactions_people
from simpatico.training.traits.train import (
    SearchGrid,
    TraitSettings,
    assign_folds,
    choose_config,
    correlation_figure,
    cross_validated_predictions,
    primal_weights,
    train_trait,
)

ABOUT = AboutTrait("made up", measures="a made-up trait", scale=(1.0, 7.0))
COLUMNS = TraitColumns("text", "answer", "who")
FILLER = ["the", "a", "of", "and", "to", "in", "it", "is", "on", "we"]
ONE = TraitSettings(orders=(1, 2), minimum_people=5)


def someone(rng: np.random.Generator, answer: float) -> str:
    """Sixty words in which "kind" is the more frequent the higher the answer."""
    drawn = rng.choice(np.array(FILLER, object), 60)
    drawn[rng.random(60) < answer / 20] = "kind"
    return " ".join(drawn)


def crowd(n: int = 80, seed: int = 0, texts: int = 2) -> People:
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        answer = float(rng.uniform(1, 7))
        rows += [TraitRow(f"p{i:03}", someone(rng, answer), answer) for _ in range(texts)]
    return People.of(rows, "0" * 64)


def test_a_known_signal_is_found(tmp_path: Path) -> None:
    report = train_trait(crowd(), tmp_path / "m", settings=ONE, about=ABOUT)
    assert (report.heldout[0].r or 0) > 0.6
    assert abs(report.word_count.r or 0) < 0.2
    model = load_trait_model(str(tmp_path / "m"))
    weights = model.weights[1]
    place = model.keys[1].tolist().index(model.word_ids["kind"])
    assert place == int(np.argmax(weights))


def test_noise_is_not_found(tmp_path: Path) -> None:
    people = crowd(150)
    shuffled = np.random.default_rng(1).permutation(people.target)
    report = train_trait(
        replace(people, target=shuffled),
        tmp_path / "m",
        settings=TraitSettings(search=True, orders=(1, 2)),
        about=ABOUT,
    )
    figure = report.heldout[0]
    assert figure.low is not None
    assert figure.low < 0.1


def test_all_texts_of_a_person_are_in_one_fold() -> None:
    # every person has a word of their own; were texts split, it would give the answer away
    rng = np.random.default_rng(0)
    rows = []
    for i in range(60):
        answer = float(rng.uniform(1, 7))
        own = [" ".join([*rng.choice(FILLER, 20), *[f"own{i}"] * 20]) for _ in range(4)]
        rows += [TraitRow(f"p{i}", text, answer) for text in own]
    people = People.of(rows, "")
    blocks = TextFeatures.of(people).blocks((1,), 1)
    guesses = cross_validated_predictions(
        blocks, people.target, SearchGrid(((1,),), (1,), ("raw",)), n=10, seed=0
    )
    assert (correlation_figure(guesses, people.target).r or 0) < 0.2


def test_guesses_do_not_look_at_the_people_held_out() -> None:
    people = crowd()
    blocks = TextFeatures.of(people).blocks((1, 2), 5)
    plan = SearchGrid.of(replace(ONE, search=True), len(people))
    out = assign_folds(len(people), 10, 0) == 3
    other = people.target.copy()
    other[out] = 100.0
    before = cross_validated_predictions(blocks, people.target, plan, n=10, seed=0)
    after = cross_validated_predictions(blocks, other, plan, n=10, seed=0)
    assert before[out].tolist() == after[out].tolist()
    assert not np.allclose(before[~out], after[~out])


def test_folds_are_even_and_drawn_by_seed() -> None:
    assert np.bincount(assign_folds(372, 10, 0)).tolist() == [38, 38, *[37] * 8]
    assert assign_folds(50, 10, 0).tolist() == assign_folds(50, 10, 0).tolist()
    assert assign_folds(50, 10, 0).tolist() != assign_folds(50, 10, 1).tolist()


@pytest.mark.parametrize("scaling", ["raw", "sqrt", "std"])
def test_folded_weights_equal_the_dual_solution(scaling: str, tmp_path: Path) -> None:
    people = crowd()
    texts = TextFeatures.of(people)
    plan = SearchGrid(((1, 2),), (5,), (scaling,))  # type: ignore[arg-type]
    blocks = texts.blocks((1, 2), 5)
    choice = choose_config(blocks, people.target, np.arange(len(people)), plan)
    assert applied(choice, texts, people) == pytest.approx(choice.predictions, abs=1e-12)


def test_topics_fold_into_words_exactly(tmp_path: Path) -> None:
    people, table = crowd(), tmp_path / "topics.csv"
    loadings = [("kind", "0", 0.9), ("kind", "1", 0.1), ("the", "1", 0.5), ("never", "2", 1.0)]
    table.write_text("term,category,weight\n" + "".join(f"{t},{c},{w}\n" for t, c, w in loadings))
    texts = TextFeatures.of(people, str(table))
    blocks = texts.blocks((1, 2), 5)
    choice = choose_config(
        blocks, people.target, np.arange(len(people)), SearchGrid(((1, 2),), (5,), ("std",))
    )
    assert [b.order for b in blocks] == [0, 1, 2]
    assert applied(choice, texts, people) == pytest.approx(choice.predictions, abs=1e-12)


def test_topics_are_read_from_a_table_or_from_dlatk(tmp_path: Path) -> None:
    rows = [("Kind", "7", 0.25), ("kind", "7", 0.5), (":)", "7", 1.0), ("nan", "8", 0.125)]
    (tmp_path / "t.csv").write_text(
        "term,category,weight\n" + "".join(f"{t},{c},{w}\n" for t, c, w in rows)
    )
    with closing(sqlite3.connect(tmp_path / "t.db")) as base:
        base.execute("create table fb2000_cp (id integer, term text, category text, weight real)")
        base.executemany("insert into fb2000_cp values (1, ?, ?, ?)", rows)
        base.commit()
    for name in ("t.csv", "t.db"):
        topics = read_topics(tmp_path / name)
        assert topics.words == ["kind", "nan"]
        assert topics.loadings.toarray().tolist() == [[0.75, 0.0], [0.0, 0.125]]


def applied(choice: object, texts: TextFeatures, people: People) -> np.ndarray:
    """The folded weights applied word by word, as the definition says."""
    plan_orders = choice.config.orders  # type: ignore[attr-defined]
    weights = primal_weights(choice, texts.blocks(plan_orders, 5), texts)  # type: ignore[arg-type]
    sums = {n: np.zeros((len(people), 2)) for n in weights.ngrams}
    for owner, text in zip(people.owner, people.texts, strict=True):
        said = cut_words(pl.Series([text]))
        spelled = [said.vocabulary[int(c)] for c in said.codes]
        for n, terms in weights.ngrams.items():
            grams = [tuple(spelled[i : i + n]) for i in range(len(spelled) - n + 1)]
            sums[n][owner] += [sum(terms.get(g, 0.0) for g in grams), len(grams)]
    return weights.intercept + sum(s[:, 0] / s[:, 1] for s in sums.values())


def test_the_saved_model_guesses_what_the_fit_guessed(tmp_path: Path) -> None:
    people = crowd(texts=1)
    train_trait(people, tmp_path / "m", settings=ONE, about=ABOUT)
    model = load_trait_model(str(tmp_path / "m"))
    sums = model.sums(cut_words(people.texts))
    blocks = TextFeatures.of(people).blocks((1, 2), 5)
    choice = choose_config(
        blocks, people.target, np.arange(len(people)), SearchGrid.of(ONE, len(people))
    )
    result = model.intercept + sums[:, 0] / sums[:, 1] + sums[:, 2] / sums[:, 3]
    assert result == pytest.approx(choice.predictions, abs=1e-5)


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        training = replace(ONE, search=True, repeats=2)
        train_trait(crowd(), tmp_path / name, settings=training, about=ABOUT)
    a, b = ({p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("a", "b"))
    assert a == b
    assert sorted(a) == [
        "card.md",
        "manifest.json",
        "model.safetensors",
        "recipe.json",
        "vocabulary.json",
    ]


def test_the_same_folder_can_be_written_again_but_no_other(tmp_path: Path) -> None:
    train_trait(crowd(), tmp_path / "m", settings=ONE, about=ABOUT)
    train_trait(crowd(), tmp_path / "m", settings=ONE, about=ABOUT)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(DataError) as error:
        train_trait(crowd(), tmp_path, settings=ONE, about=ABOUT)
    assert str(error.value) == (
        f"{tmp_path} holds 'm', which is not part of a model; name another folder"
    )


def test_answers_of_a_person_are_averaged_and_row_order_is_nothing(tmp_path: Path) -> None:
    rows = [TraitRow("b", "x", 2.0), TraitRow("a", "y", 5.0), TraitRow("b", "z", 4.0)]
    people = People.of(rows, "")
    assert people.names == ["a", "b"]
    assert people.target.tolist() == [5.0, 3.0]
    assert people.owner.tolist() == [1, 0, 1]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_every_kind_of_file_gives_the_same_people(tmp_path: Path, suffix: str) -> None:
    rows = [("p1", 'one, "two"', 3.0), ("p2", "three\ttabs" if suffix != "tsv" else "three", 4.0)]
    frame = pl.DataFrame(rows, schema=["who", "text", "answer"], orient="row")
    path = tmp_path / f"data.{suffix}"
    match suffix:
        case "jsonl":
            frame.write_ndjson(path)
        case _:
            frame.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    people = read_people(path, COLUMNS)
    assert people.names == ["p1", "p2"]
    assert people.texts.to_list() == [text for _, text, _ in rows]
    assert people.target.tolist() == [3.0, 4.0]


BAD: dict[str, tuple[str, str]] = {
    "column": ("who,text\na,b\n", "{path}:1: no column 'answer' among the 2 of the header"),
    "twice": (
        "who,text,answer,answer\n",
        "{path}:1: more than one column 'answer' among the 4 of the header",
    ),
    "word": (
        'who,text,answer\na,"two\nlines",3\nb,secret,high\n',
        "{path}:4: 'answer' is not a finite number; leave out people without an answer",
    ),
    "empty": (
        "who,text,answer\na,secret,\n",
        "{path}:2: 'answer' is not a finite number; leave out people without an answer",
    ),
    "nan": (
        "who,text,answer\na,secret,nan\n",
        "{path}:2: 'answer' is not a finite number; leave out people without an answer",
    ),
    "nobody": (
        "who,text,answer\n,secret,3\n",
        "{path}:2: 'who' names nobody; leave out texts without author",
    ),
    "cells": ("who,text,answer\na,3\n", "{path}:2: 2 cells where the header has 3"),
    "key": (
        '{"who": "a", "text": "secret"}\n',
        "{path}:1: no 'answer'; every row needs text, answer and who",
    ),
    "huge": (
        '{"who": "a", "text": "secret", "answer": 1' + "0" * 400 + "}\n",
        "{path}:1: 'answer' is not a finite number; leave out people without an answer",
    ),
    "text": (
        '{"who": "a", "text": 1, "answer": 3}\n',
        "{path}:1: 'text' is not text; leave out rows without text",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_row_is_named_and_never_shown(tmp_path: Path, case: str) -> None:
    data, sentence = BAD[case]
    path = tmp_path / "data.txt"
    path.write_text(data)
    with pytest.raises(DataError) as error:
        read_people(path, COLUMNS)
    assert str(error.value) == sentence.format(path=path)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("people", "training", "sentence"),
    [
        (crowd(12), ONE, "made up: 12 people; a trait model needs at least 30"),
        (
            replace(crowd(40), target=np.full(40, 3.0)),
            ONE,
            "made up: all 40 people have the same target; targets must differ",
        ),
        (crowd(40), replace(ONE, folds=21), "21 folds of 40 people; give 2 to 20"),
        (crowd(40), replace(ONE, orders=(2, 1)), "orders [2, 1]; give rising numbers from 1 to 5"),
        (crowd(40), replace(ONE, repeats=0), "repeats is 0; give 1 or more"),
        (
            crowd(40),
            replace(ONE, minimum_people=41),
            "no n-gram is used by 41 of 36 people, or by all alike; lower the minimum or add text",
        ),
    ],
)
def test_what_cannot_be_trained(
    tmp_path: Path, people: People, training: TraitSettings, sentence: str
) -> None:
    with pytest.raises(DataError) as error:
        train_trait(people, tmp_path / "m", settings=training, about=ABOUT)
    assert str(error.value) == sentence
    assert not (tmp_path / "m").exists()


def test_no_file_of_topics(tmp_path: Path) -> None:
    with pytest.raises(MissingResource) as error:
        TextFeatures.of(crowd(40), str(tmp_path / "none"))
    assert str(error.value) == (
        f"no file '{tmp_path}/none'; give a table term,category,weight of topics"
    )


def table(path: Path, people: People) -> Path:
    rows = [
        {"who": people.names[o], "text": t, "answer": people.target[o]}
        for o, t in zip(people.owner, people.texts, strict=True)
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


def test_the_command_writes_a_model_and_says_how_good_it_is(tmp_path: Path) -> None:
    data = table(tmp_path / "data.csv", crowd())
    columns = ["--text", "text", "--target", "answer", "--person", "who", "--orders", "1,2"]
    options = ["--scale", "1", "7", "--licence", "CC0", "--no-search"]
    result = CliRunner().invoke(
        command,
        ["trait", "--data", str(data), "--out", str(tmp_path / "m"), *columns, *options],
        catch_exceptions=False,
    )
    assert result.exit_code == 0
    assert "word count alone" in result.stdout
    assert result.stdout.rstrip().endswith(str(tmp_path / "m"))
    recipe = json.loads((tmp_path / "m" / "recipe.json").read_text())
    assert recipe["licence"] == "CC0"
    assert recipe["scale"] == [1.0, 7.0]
    assert recipe["command"] == (
        "simpatico train trait --data DATA --out MODEL --licence CC0 --orders 1,2 --person who "
        "--scale 1.0 7.0 --no-search --target answer --text text"
    )
    assert "- licence of the data: CC0" in (tmp_path / "m" / "card.md").read_text()


def test_the_command_asks_for_columns(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["trait", "--data", "x.csv", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert (
        "Missing --text, --target and --person (or --source for a known data set)." in result.stderr
    )


def negotiation() -> dict[str, object]:
    person = {
        "value2reason": {"High": "so cold"},
        "demographics": {"age": 30},
        "personality": {"svo": "prosocial", "big-five": {"agreeableness": 5.5}},
    }
    other = person | {"demographics": {"age": 31}, "value2reason": {}}
    logs = [("a", "hello"), ("b", "hi"), ("a", "Submit-Deal"), ("b", "Accept-Deal")]
    return {
        "chat_logs": [{"id": i, "text": t, "task_data": {}} for i, t in logs],
        "participant_info": {"a": person, "b": other},
    }


def test_casino_gives_messages_and_reasons_without_clicks(tmp_path: Path) -> None:
    for split in ("train", "valid", "test"):
        (tmp_path / f"casino_{split}.json").write_text(
            json.dumps([negotiation()] if split == "train" else [])
        )
    people = casino_people(tmp_path)
    assert people.texts.to_list() == ["hello", "so cold", "hi"]
    assert people.target.tolist() == [5.5, 5.5]
    assert len(people) == 2


@pytest.mark.parametrize("source", [casino_people, empathic_reactions_people])
def test_absent_data_say_where_to_get_them(tmp_path: Path, source: object) -> None:
    with pytest.raises(SimpaticoError, match=r"get it from github\.com/kushalchawla/CaSiNo"):
        source(tmp_path)  # type: ignore[operator]
