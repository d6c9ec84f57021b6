"""Predicted ratings: parts that add up, text that is no text, echoes that gain nothing."""

import json
import random
import shutil

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns, load, score
from simpatico.errors import DataError
from simpatico.features.rating_model import SHIPPED, load_rating_model
from simpatico.metric import collect_evidence, missing_resource
from simpatico.models.folder import build_manifest

USER = "I just got a new puppy and he is chewing all my shoes. What should I do?"
GOOD = (
    "Puppies do that when they are teething! Give him chew toys and keep your shoes out of reach."
)
PARTS = ("fit", "fluency", "specificity", "repetition", "tone", "length")
MODELS = ("neural", "core")
NOISE = 0.15
"""Points: a fortieth of the range, and a sixth of the standard deviation of a rating."""


def rated(model, *replies, user=USER):
    """One dialog for each reply: its scores, a row each."""
    rows = [
        {"dialog": f"d{at}", "speaker": who, "text": text}
        for at, reply in enumerate(replies)
        for who, text in (("user", user), ("bot", reply))
    ]
    turns = Turns.from_utterances(pl.DataFrame(rows))
    table = score(turns, [load("predicted_rating", model=model)]).at("turn")
    return plain(table.filter(pl.col("speaker") == "bot"))


def plain(table):
    """Scores under their names without the model; reasons and counts are left out."""
    names = [name for name in table.columns if name.partition("[")[2] in ("", "core]")]
    return table.select(names).rename(lambda name: name.partition("[")[0])


def ratings(model, *replies, **context):
    return rated(model, *replies, **context)["predicted_rating"].to_list()


@pytest.mark.parametrize("model", MODELS)
def test_parts_add_up_to_the_rating(model):
    row = rated(model, GOOD).row(0, named=True)
    assert row["predicted_rating"] == pytest.approx(
        3 + sum(row[f"predicted_rating_{part}"] for part in PARTS)
    )


@pytest.mark.parametrize("model", MODELS)
def test_the_interval_of_a_turn_is_wider_than_that_of_a_dialog(model):
    """1.2816 standard deviations: for one turn those of turns, for n those of dialogs and turns."""
    turns = [
        {"dialog": "d", "speaker": who, "text": text}
        for who, text in (("user", "Hi."), ("bot", "Hello you."), ("user", "Tea?"), ("bot", "Yes."))
    ]
    table = score(
        Turns.from_utterances(pl.DataFrame(turns)), [load("predicted_rating", model=model)]
    )
    recipe = load_rating_model(model).recipe
    variance = max(recipe.turn_sd**2 - recipe.dialog_sd**2, 0)
    for level, n in (("turn", 1), ("dialog", 2)):
        rows = plain(table.at(level))
        row = rows.filter(pl.col("speaker") == "bot").row(0, named=True)
        half = row["predicted_rating"] - row["predicted_rating_range_low"]
        assert half == pytest.approx(1.2815516 * (recipe.dialog_sd**2 + variance / n) ** 0.5)


@pytest.mark.parametrize("model", MODELS)
def test_a_fitting_reply_is_above_a_generic_and_an_unrelated_one(model):
    good, generic, unrelated, echo = ratings(
        model, GOOD, "I don't know.", "Stocks fell by two percent on Monday.", USER
    )
    assert good > max(generic, unrelated, echo)
    assert good < 5


@pytest.mark.parametrize("model", MODELS)
def test_what_is_no_text_to_judge_has_no_rating(model):
    shuffled = " ".join(random.Random(1).sample(GOOD.lower().split(), len(GOOD.split())))
    texts = {
        "puppy puppy puppy puppy puppy puppy": "degenerate",
        shuffled: "degenerate",
        "umbrella seven running green because table jump of tomorrow quietly window": "degenerate",
        f"{GOOD} " * 120: "degenerate",
        " ".join(
            f"{GOOD} Number {n} of many tips I have for you is to wait and see." for n in range(70)
        ): None,
        "子犬にはおもちゃをあげてください。": "other_script",
        "Du solltest ihm Kauspielzeug geben und deine Schuhe immer wegräumen, das hilft.": "degenerate",
        "...": "no_words",
    }
    table = rated(model, *texts)
    assert table["predicted_rating"].to_list() == [None] * len(texts)


@pytest.mark.parametrize("model", MODELS)
def test_reasons_are_given(model):
    rows = [("user", USER), ("bot", "no " * 30), ("user", "ok"), ("bot", "word " * 1001)]
    turns = Turns.from_utterances(
        pl.DataFrame(rows, ["speaker", "text"], orient="row").with_columns(dialog=pl.lit("d"))
    )
    metric = load("predicted_rating", model=model)
    _, why = metric.replies(turns, features_of(metric, turns))
    assert why.to_list() == ["answers_nothing", "degenerate", None, "too_long"]


def features_of(metric, turns):
    from simpatico.features import Features, closure

    return Features(turns, closure(metric.needs))


SENTENCES = st.sampled_from(
    [
        "I would try a crate at night, it helped with ours.",
        "My sister has a puppy as well!",
        "That sounds hard, how old is he now?",
        "You could buy him some toys.",
        "I like long walks on the beach.",
    ]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=3, unique=True))
def test_echoing_or_repeating_gains_nothing(sentences):
    """Neither a sentence of the user's in front, nor saying it all twice, raises the rating."""
    honest = " ".join(sentences)
    echo = "I just got a new puppy and he is chewing all my shoes. " + honest
    for model in MODELS:
        plain, echoed, twice = ratings(model, honest, echo, f"{honest} {honest}")
        assert echoed is None or echoed <= plain + NOISE
        assert twice is None or twice <= plain + NOISE


def test_evidence_words_move_the_rating():
    rows = [{"dialog": "d", "speaker": w, "text": t} for w, t in (("user", USER), ("bot", GOOD))]
    turns = Turns.from_utterances(pl.DataFrame(rows))
    evidence = collect_evidence(load("predicted_rating"), turns)
    assert evidence["row"].unique().to_list() == [1]
    assert "toys" in GOOD[evidence["start"].min() :]
    assert (evidence["weight"] > 0).any()


def test_names_and_what_is_missing():
    assert load("predicted_rating").name == "predicted_rating"
    assert load("predicted_rating[core]").name == "predicted_rating[core]"
    assert missing_resource(load("predicted_rating[core]")) is None
    assert missing_resource(load("predicted_rating", model="path:/nowhere")) == (
        "there is no rating model 'path:/nowhere': train one with `simpatico train rating --data "
        "DIALOGS --judgements RATINGS --out MODEL`, then add `--set predicted_rating.model=path:MODEL`"
    )


def test_a_damaged_or_foreign_model_is_refused(tmp_path):
    shutil.copytree(SHIPPED / "rating_core", folder := tmp_path / "m")
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["columns"]["cosine"] = recipe["columns"]["overlap"]
    write(folder, recipe)
    with pytest.raises(DataError) as told:
        load_rating_model(f"path:{folder}")
    assert str(told.value) == (
        f"{folder / 'recipe.json'}: no column 'cosine' can be computed; train it again"
    )
    write(folder, recipe | {"kind": "trait"})
    with pytest.raises(DataError) as told:
        load_rating_model(f"path:{folder}")
    assert str(told.value) == (
        f"{folder / 'recipe.json'}: a model of kind 'trait' in form 1, where a rating model in "
        "form 1 is needed; train it again or update simpatico"
    )


def write(folder, recipe):
    """A recipe in place of the folder's, with the manifest that belongs to it."""
    files = {
        "recipe.json": json.dumps(recipe).encode(),
        "card.md": (folder / "card.md").read_bytes(),
    }
    for name, content in {**files, "manifest.json": build_manifest(files)}.items():
        (folder / name).write_bytes(content)


def test_cards_say_on_what_it_was_trained_and_how_well_it_does():
    about = load("predicted_rating").card.about
    assert "Trained on DSTC7 Task 2, ConvAI 2017 and Ji et al. (2022)" in about
    assert "Spearman's rho with ratings of a set left out of the training: dstc7 0.3" in about
