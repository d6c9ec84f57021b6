"""Folders of heads and of word vectors that cannot be right are refused in whole sentences."""

import dataclasses
import json

import numpy as np
import polars as pl
import pytest

from simpatico import load
from simpatico.errors import DataError
from simpatico.features.embeddings import Embeddings
from simpatico.features.heads.folder import (
    CARD,
    RECIPE,
    VOCABULARY,
    WEIGHTS,
    HeadProbabilities,
    load_heads,
)
from simpatico.features.heads.head import Head
from simpatico.features.word_vectors import WordExtremes
from simpatico.models.folder import MANIFEST, build_manifest
from tests.metrics.heads import answers, heads_folder, nulls, scores
from tests.models.tiny import tiny


def altered_folder(kind, out, recipe=(), tensors=None):
    """A folder of heads with other entries in its recipe, or other tensors."""
    from safetensors.numpy import save

    source = heads_folder(kind)
    files = {name: (source / name).read_bytes() for name in (WEIGHTS, RECIPE, VOCABULARY, CARD)}
    files[RECIPE] = json.dumps({**json.loads(files[RECIPE]), **dict(recipe)}).encode()
    if tensors is not None:
        files[WEIGHTS] = save({k: np.array(v, np.float32) for k, v in tensors.items()})
    out.mkdir()
    for name, data in {**files, MANIFEST: build_manifest(files)}.items():
        (out / name).write_bytes(data)
    return f"path:{out}"


@pytest.mark.parametrize(
    ("kind", "recipe", "flaw"),
    [
        ("nsp", {"heads": {}}, "no head 'next', which nsp needs"),
        ("ctx-ruber", {"heads": {}}, "no head 'unreferenced', which ctx-ruber needs"),
        ("usl-h", {"heads": {}}, "no head 'valid', which usl-h needs"),
        ("ruber", {"cosine_low": 1}, "cosine_low is 1.0; it lies between -1 and 1 and is not 1"),
        (
            "usl-h",
            {"likelihood": {"source": "", "low": 2, "high": 2}},
            "the quartiles of likelihood are 2.0 and 2.0; the first is lower",
        ),
    ],
)
def test_a_recipe_that_makes_no_sense(kind, recipe, flaw, tmp_path):
    model = altered_folder(kind, tmp_path / "m", recipe)
    with pytest.raises(DataError) as error:
        load_heads(model, kind)
    assert str(error.value) == f"{tmp_path / 'm' / RECIPE}: {flaw}; train it again"


@pytest.mark.parametrize(
    "other",
    [
        {"weight_0": 1.0},
        {"offset_0": 1.0},
        {"weight_0": [1.0]},
        {"bilinear": 1.0},
        {"bilinear": np.ones((32, 31))},
        {"weight_0": [[1.0]] * 33},
        {"weight_0": [[1.0, 1.0]], "offset_0": [0.0, 0.0]},
        {"weight_1": [[1.0]]},
    ],
)
def test_tensors_that_do_not_fit(other, tmp_path):
    good = {"weight_0": [[2.0]], "offset_0": [-1.0], "bilinear": np.eye(32)}
    tensors = {f"next.{key}": value for key, value in {**good, **other}.items()}
    model = altered_folder("nsp", tmp_path / "m", tensors=tensors)
    with pytest.raises(DataError) as error:
        load_heads(model, "nsp")
    where = tmp_path / "m" / WEIGHTS
    assert str(error.value) == f"{where}: the tensors of head 'next' have shapes that do not match"


@pytest.mark.parametrize(
    ("form", "sizes"),
    [
        ({"buckets": 4}, ()),
        ({"buckets": 4}, (5,)),
        ({"buckets": 4}, (5, 4)),
        ({"buckets": 3}, (4, 4)),
        ({"shortest": 3, "longest": 2, "buckets": 4}, (5, 5)),
        (None, (5, 5)),
    ],
)
def test_runs_of_characters_that_do_not_fit(form, sizes, tmp_path):
    """With 4 buckets and one for length, there are 5 weights for each of the two texts."""
    head_recipe = json.loads((heads_folder("nsp") / RECIPE).read_bytes())["heads"]["next"]
    tensors = {"weight_0": [[2.0]], "offset_0": [-1.0], "bilinear": np.eye(32)}
    tensors |= {f"grams_{s}": np.ones(n) for s, n in zip(("first", "second"), sizes, strict=False)}
    model = altered_folder(
        "nsp",
        tmp_path / "m",
        {"heads": {"next": {**head_recipe, "grams": form}}},
        {f"next.{key}": value for key, value in tensors.items()},
    )
    with pytest.raises(DataError, match="the tensors of head 'next' have shapes that do not match"):
        load_heads(model, "nsp")


def test_runs_of_characters_add_to_what_the_vectors_say(tmp_path):
    """Only length weighs, 2 in the second text: log(1 + 6) - 4 = -2.054090, twice is -4.108180."""
    head_recipe = json.loads((heads_folder("nsp") / RECIPE).read_bytes())["heads"]["next"]
    form = {"shortest": 2, "longest": 3, "buckets": 4}
    plain = {"weight_0": [[2.0]], "offset_0": [-1.0], "bilinear": np.eye(32)}
    runs = {"grams_first": np.zeros(5), "grams_second": [0, 0, 0, 0, 2.0]}
    model = altered_folder(
        "nsp",
        tmp_path / "m",
        {"heads": {"next": {**head_recipe, "grams": form}}},
        {f"next.{key}": value for key, value in (plain | runs).items()},
    )
    vectors = type("Two", (), {"of": staticmethod(lambda texts: np.zeros((len(texts), 32)))})()
    head = load_heads(model, "nsp").heads["next"]
    bare = HeadProbabilities(dataclasses.replace(head, grams=None), vectors, "m").of(
        ["hello"], ["friend"]
    )
    both = HeadProbabilities(head, vectors, "m").of(["hello"], ["friend"])
    logit = np.log(both / (1 - both)) - np.log(bare / (1 - bare))
    assert logit == pytest.approx([-4.108180], abs=1e-4)


def test_a_first_layer_that_its_parts_cannot_fill(tmp_path):
    """Two vectors make an even number of numbers, never 3."""
    recipe = json.loads((heads_folder("nsp") / RECIPE).read_text())
    recipe["heads"]["next"]["parts"] = ["first", "second"]
    tensors = {"next.weight_0": [[1.0]] * 3, "next.offset_0": [0.0]}
    model = altered_folder("nsp", tmp_path / "m", recipe, tensors)
    with pytest.raises(DataError) as error:
        load_heads(model, "nsp")
    where = tmp_path / "m" / WEIGHTS
    assert str(error.value) == f"{where}: the tensors of head 'next' have shapes that do not match"


@pytest.mark.parametrize(
    "head",
    [
        Head(("bilinear",), ((np.ones((1, 1)), np.zeros(1)),), "tanh", np.eye(31)),
        Head(("first", "second"), ((np.ones((62, 1)), np.zeros(1)),)),
    ],
)
def test_a_head_for_vectors_of_another_width(head):
    vectors = Embeddings(f"path:{tiny('bert')}").compute(None, None)
    with pytest.raises(DataError) as error:
        HeadProbabilities(head, vectors, "path:m").of(["tea"], ["rain"])
    assert str(error.value) == (
        "path:m takes vectors of 31 dimensions, where its encoder gives 32; train it again"
    )


def test_without_a_likelihood_nothing_is_specific(tmp_path):
    metric = load("usl_h", model=altered_folder("usl-h", tmp_path / "m", {"likelihood": None}))
    turns = answers(("I like tea.", None))
    assert (scores(metric, turns), nulls(metric, turns)) == ([None], ["no_likelihood"])


def test_word_vectors_that_promise_more_than_the_file_holds(tmp_path):
    """A header of 2 petabytes over 4 bytes."""
    pl.DataFrame({"index": ["tea"]}).write_parquet(tmp_path / "v.parquet")
    with (tmp_path / "v.npy").open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": (10**13, 50)}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(b"1234")
    with pytest.raises(DataError) as error:
        WordExtremes(f"path:{tmp_path}").compute(None, None)
    assert str(error.value) == f"{tmp_path}: its word vectors cannot be read; get them again"


def test_word_vectors_in_a_folder_whose_name_looks_like_a_pattern(tmp_path):
    folder = tmp_path / "v[1]"
    folder.mkdir()
    np.save(folder / "v.npy", np.array([[1.0, 5.0]]))
    pl.DataFrame({"index": ["tea"]}).write_parquet(folder / "v.parquet")
    extremes = WordExtremes(f"path:{folder}").compute(None, None).of(["tea"])
    assert extremes.tolist() == [[1, 5, 1, 5]]
