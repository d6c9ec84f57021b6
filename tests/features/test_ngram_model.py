"""Trait models: sums by hand, and folders that must be refused."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

from simpatico.errors import DataError, MissingResource
from simpatico.features.ngram_model import (
    RECIPE,
    SHIPPED,
    VOCABULARY,
    WEIGHTS,
    NgramSums,
    load_trait_model,
    shipped_traits,
)
from simpatico.features.words import cut_words
from simpatico.models import folder as model_folder
from simpatico.models.folder import MANIFEST, build_manifest
from simpatico.training.traits.features import FeatureConfig
from simpatico.training.traits.folder import (
    AboutTrait,
    CorrelationFigure,
    NgramWeights,
    TraitReport,
    save_trait_model,
)

FIGURE = CorrelationFigure(0.5, 40, 0.2, 0.7, 0.2, 0.7, 0)
NGRAMS = {1: {("good",): 2.0, ("day",): -1.0}, 2: {("good", "day"): 3.0}}


def make_model(folder: Path, ngrams: dict[int, dict[tuple[str, ...], float]] = NGRAMS) -> Path:
    counts = {n: len(terms) for n, terms in ngrams.items()}
    report = TraitReport(
        FeatureConfig((1, 2), 2, "raw"), 1.0, 40, 40, 800, counts, [FIGURE], FIGURE
    )
    about = AboutTrait("made up", measures="a made-up trait", scale=(1.0, 7.0))
    save_trait_model(folder, NgramWeights(4.0, ngrams), report, about=about, training={})
    return folder


def write_manifest(folder: Path) -> None:
    """Write the manifest that fits the files as they are now."""
    files = {p.name: p.read_bytes() for p in folder.iterdir() if p.name != MANIFEST}
    (folder / MANIFEST).write_bytes(build_manifest(files))


def sums(folder: Path, *texts: str) -> list[list[float]]:
    return load_trait_model(str(folder)).sums(cut_words(pl.Series(texts, dtype=pl.String))).tolist()


def test_sums_and_totals_by_hand(tmp_path: Path) -> None:
    # good day sir: 2 - 1 over 3 words, "good day" 3 over 2 pairs
    assert sums(make_model(tmp_path), "Good day, sir!", "", "day good", "sir") == [
        [1.0, 3.0, 3.0, 2.0],
        [0.0, 0.0, 0.0, 0.0],
        [1.0, 2.0, 0.0, 1.0],
        [0.0, 1.0, 0.0, 0.0],
    ]


def test_an_ngram_never_crosses_a_turn(tmp_path: Path) -> None:
    assert sums(make_model(tmp_path), "good", "day") == [
        [2.0, 1.0, 0.0, 0.0],
        [-1.0, 1.0, 0.0, 0.0],
    ]


def test_no_turns_at_all(tmp_path: Path) -> None:
    table = cut_words(pl.Series([], dtype=pl.String))
    assert load_trait_model(str(make_model(tmp_path))).sums(table).shape == (0, 4)


def test_unknown_word_between_known_ones_breaks_the_pair(tmp_path: Path) -> None:
    assert sums(make_model(tmp_path), "good old day") == [[1.0, 3.0, 0.0, 2.0]]


VOCAB = ("a", "b", "c", "d")
TERMS = {
    n: st.dictionaries(st.tuples(*[st.sampled_from(VOCAB[:3])] * n), st.integers(-9, 9), max_size=6)
    for n in (1, 2, 3)
}


@given(
    st.lists(st.lists(st.sampled_from(VOCAB), max_size=8), max_size=6),
    st.fixed_dictionaries(TERMS),
)
def test_sums_equal_a_loop_over_words(
    tmp_path_factory: pytest.TempPathFactory,
    turns: list[list[str]],
    ngrams: dict[int, dict[tuple[str, ...], float]],
) -> None:
    folder = make_model(tmp_path_factory.mktemp("model"), ngrams)
    expected = [
        [
            float(value)
            for n in (1, 2, 3)
            for value in (
                sum(ngrams[n].get(tuple(t[i : i + n]), 0) for i in range(len(t) - n + 1)),
                max(len(t) - n + 1, 0),
            )
        ]
        for t in turns
    ]
    results = sums(folder, *(" ".join(t) for t in turns))
    assert np.allclose(np.array(results).reshape(-1, 6), np.array(expected).reshape(-1, 6))


def test_the_fingerprint_changes_with_every_file(tmp_path: Path) -> None:
    results = set()
    for name in ("card.md", RECIPE, VOCABULARY, WEIGHTS, "none"):
        folder = make_model(tmp_path / name)
        path = folder / name
        if name == WEIGHTS:
            tensors = load(path.read_bytes())
            path.write_bytes(save({**tensors, "intercept": tensors["intercept"] + 1}))
        elif name != "none":
            path.write_bytes(path.read_bytes() + b"\n")
        write_manifest(folder)
        results.add(NgramSums(str(folder)).fingerprint)
    assert len(results) == 5


def test_no_such_model() -> None:
    with pytest.raises(MissingResource) as error:
        load_trait_model("nowhere")
    assert str(error.value) == (
        "no trait model 'nowhere': give the folder that `simpatico train trait` wrote, "
        "or one of ['agreeableness', 'empathy']"
    )


def rewrite(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        (folder / name).write_bytes(change((folder / name).read_bytes()))
        write_manifest(folder)

    return act


def tensor(name: str, value: object, dtype: type = np.float32) -> Callable[[Path], None]:
    return rewrite(WEIGHTS, lambda data: save({**load(data), name: np.array(value, dtype)}))


def field(**changes: object) -> Callable[[Path], None]:
    return rewrite(RECIPE, lambda data: json.dumps(json.loads(data) | changes).encode())


def add_link(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.parent / "elsewhere")
    (folder / WEIGHTS).symlink_to(folder.parent / "elsewhere")


def replaced_by_folder(folder: Path) -> None:
    (folder / "card.md").unlink()
    (folder / "card.md").mkdir()


def flipped(name: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)

    return act


def header(length: int, text: bytes) -> Callable[[Path], None]:
    return rewrite(WEIGHTS, lambda data: struct.pack("<Q", length) + text)


OVERLAP = json.dumps(
    {
        "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
    }
).encode()
OVERFLOW = json.dumps({"a": {"dtype": "F32", "shape": [2**62, 8], "data_offsets": [0, 4]}}).encode()
NOT_SAFE = "not a safetensors file; get the model again"

HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pickle": (rewrite(WEIGHTS, lambda _: pickle.dumps(print)), NOT_SAFE),
    "empty weights": (rewrite(WEIGHTS, lambda _: b""), NOT_SAFE),
    "cut off": (rewrite(WEIGHTS, lambda data: data[:-5]), NOT_SAFE),
    "huge header": (header(200 << 20, b"{}"), NOT_SAFE),
    "header beyond 64 bits": (header(2**64 - 1, b"{}"), NOT_SAFE),
    "overlap": (header(len(OVERLAP), OVERLAP + b"\0" * 4), NOT_SAFE),
    "shape overflow": (header(len(OVERFLOW), OVERFLOW + b"\0" * 4), NOT_SAFE),
    "NaN": (tensor("weights_1", [np.nan, 1]), "'weights_1' holds something that is not a finite"),
    "infinite intercept": (tensor("intercept", [np.inf]), "'intercept' holds something"),
    "weights of text": (tensor("weights_1", [1, 2], np.int32), "'weights_1' holds something"),
    "two intercepts": (tensor("intercept", [1, 2]), "'intercept' must be a single number"),
    "shape": (tensor("weights_1", [1, 2, 3]), "shapes (2, 1) and (3,) of order 1 do not match"),
    "float ids": (tensor("ngrams_1", [[0], [1]]), "'ngrams_1' must be 32-bit integers"),
    "beyond": (tensor("ngrams_1", [[0], [9]], np.int32), "names a word that vocabulary.json does"),
    "below 0": (
        tensor("ngrams_1", [[0], [-1]], np.int32),
        "names a word that vocabulary.json does",
    ),
    "twice": (tensor("ngrams_1", [[0], [0]], np.int32), "an n-gram of order 1 occurs twice"),
    "more tensors": (tensor("evil", [1]), "tensor 'evil' is missing or unexpected"),
    "word twice": (rewrite(VOCABULARY, lambda _: b'["a", "a"]'), "a word occurs twice"),
    "vocabulary of numbers": (rewrite(VOCABULARY, lambda _: b"[1, 2]"), "Expected `str`"),
    "deep JSON": (rewrite(RECIPE, lambda _: b"[" * 200_000), "get the model again"),
    "not UTF-8": (rewrite(VOCABULARY, lambda _: b'["\xff"]'), "not valid JSON"),
    "newer": (field(schema=2), "written in form 2 where this version reads 1"),
    "other kind": (
        field(kind="encoder"),
        "a model of kind 'encoder', where a trait model is needed",
    ),
    "orders": (field(orders=[2, 1]), "orders [2, 1]; they must increase, from 1 to 5"),
    "no orders": (field(orders=[]), "orders []; they must increase, from 1 to 5"),
    "scale": (field(scale=[7, 1]), "a scale from 7.0 to 1.0; the lower end comes first"),
    "NaN scale": (rewrite(RECIPE, lambda d: d.replace(b"7.0", b"NaN")), "not valid JSON"),
    "no figures": (field(heldout=[]), "it has no test results"),
    "extra file": (
        lambda f: (f / "auto_map.py").touch(),
        "'auto_map.py' is not part of a model folder",
    ),
    "hidden file": (lambda f: (f / ".x").touch(), "'.x' is not part of a model folder"),
    "no card": (lambda f: (f / "card.md").unlink(), "there is no card.md"),
    "no manifest": (lambda f: (f / MANIFEST).unlink(), "there is no manifest.json"),
    "symlink": (add_link, "not a plain file; a model folder holds no links and no folders"),
    "folder": (replaced_by_folder, "not a plain file; a model folder holds no links"),
    "flip weights": (
        flipped(WEIGHTS),
        "model.safetensors is not the file that manifest.json names",
    ),
    "flip recipe": (flipped(RECIPE), "recipe.json is not the file that manifest.json names"),
    "flip words": (flipped(VOCABULARY), "vocabulary.json is not the file that manifest.json names"),
    "flip card": (flipped("card.md"), "card.md is not the file that manifest.json names"),
    "flip manifest": (flipped(MANIFEST), "get the model again"),
    "manifest not JSON": (lambda f: (f / MANIFEST).write_bytes(b"x"), "manifest.json is not valid"),
    "manifest spaced": (
        lambda f: (f / MANIFEST).write_bytes((f / MANIFEST).read_bytes() + b" "),
        "manifest.json is not as it was written",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_folder_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    folder = make_model(tmp_path / "model")
    act, sentence = HOSTILE[case]
    act(folder)
    with pytest.raises(DataError) as error:
        load_trait_model(str(folder))
    assert sentence in str(error.value)
    assert str(error.value).startswith(str(folder))
    assert "\n" not in str(error.value)


def test_a_file_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_model(tmp_path)
    os.truncate(folder / "card.md", model_folder.MAX_BYTES + 1)
    with pytest.raises(DataError) as error:
        load_trait_model(str(folder))
    assert str(error.value) == (
        f"{folder}/card.md: 67,108,865 bytes; no file of a model is larger than 67,108,864"
    )


def test_a_hard_link_is_the_same_file(tmp_path: Path) -> None:
    # installers such as uv link packages from a cache
    folder, copy = make_model(tmp_path / "a"), tmp_path / "b"
    shutil.copytree(folder, copy, copy_function=os.link)
    assert load_trait_model(str(copy)) == load_trait_model(str(folder))


def test_what_is_shipped_beside_trait_models_is_none() -> None:
    assert shipped_traits() == ["agreeableness", "empathy"]
    assert {p.parent.name for p in SHIPPED.glob("*/recipe.json")} > set(shipped_traits())


@pytest.mark.parametrize("name", shipped_traits())
def test_shipped_models_are_whole_and_small(name: str) -> None:
    assert load_trait_model(name).weights
    assert sum(p.stat().st_size for p in (SHIPPED / name).iterdir()) < 1_000_000
