"""The multilingual encoder: its pieces against SentencePiece, its net against plain loops."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features import features_for_texts
from simpatico.features.embeddings import Embeddings, TokenEmbeddings
from simpatico.models.names import find_model, reads_any_script, why_missing
from simpatico.models.runtime.encoders import (
    FILLED_TOKENS,
    batch_rows,
    length_batches,
    load_net,
)
from simpatico.models.runtime.sentencepiece import unigram_tokenizer
from simpatico.models.runtime.tokens import load_tokenizer
from simpatico.models.runtime.use_multilingual import assemble_encoder
from simpatico.registry import load
from tests.conftest import talk
from tests.metrics.heads import nulls, scores

USE = "package:use-multilingual"
PIECES = [
    *(("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)),
    *((piece, -3.0, 1) for piece in ("\u2581", "a", "b", "c", "犬", "が", "い", "る")),
    *(("\u2581ab", -2.5, 1), ("abc", -4.0, 1), ("\u2581a", -2.6, 1), ("がいる", -3.5, 1)),
    *(("<", -5.0, 1), ("s", -5.0, 1), (">", -5.0, 1)),
]
TEXTS = ["abc", " ab  c ", "犬がいる", "a<s>b", "axxyb 犬", "xx", "", "ba cab abcabc"]


def number(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + number(rest) if rest else bytes([low])


def field(tag: int, value: bytes) -> bytes:
    return number(tag << 3 | 2) + number(len(value)) + value


def vocabulary(path: Path, pieces: list[tuple[str, float, int]] = PIECES) -> Path:
    """A SentencePiece file of these pieces: kind unigram, texts taken as they are."""
    told = b"".join(
        field(
            1,
            field(1, text.encode())
            + number(2 << 3 | 5)
            + struct.pack("<f", score)
            + number(3 << 3)
            + number(kind),
        )
        for text, score, kind in pieces
    )
    trainer = field(2, number(3 << 3) + number(1))
    path.write_bytes(told + trainer + field(3, field(1, b"identity")))
    return path


def test_pieces_are_those_of_sentencepiece(tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    path = vocabulary(tmp_path / "sp.model")
    other = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ours = [result.ids for result in unigram_tokenizer(path).encode_batch(TEXTS)]
    assert ours == [[1, *ids, 2] for ids in other.encode(TEXTS)]
    # by hand: a space, then "ab" and "c" cost 2.5 + 3, "▁" and "abc" 3 + 4
    assert ours[0] == [1, 11, 6, 2]


@pytest.mark.parametrize(
    "content", [b"\x0a\xff", b"no vocabulary", field(1, b""), b"", field(1, field(1, b"\xff"))]
)
def test_refuses_other_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sp.model"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        unigram_tokenizer(path)
    assert str(error.value) == (
        f"{path} is no unigram vocabulary of SentencePiece; get the model again"
    )


@cache
def arrays(seed: int = 3) -> dict[str, Any]:
    """Small weights: 34 pieces of 6 numbers, convolutions of 4, dense layers of 5 and 7."""
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> Any:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    result: dict[str, Any] = {
        f"q{i + 1}": rng.integers(0, 256, (2, 6), np.uint8) for i in range(17)
    }
    result |= {"scale": some(17), "lo": some(17), "eps": np.float64(1e-6)}
    for width in (2, 3, 5):
        result |= {f"proj{width}": some(6, 4), f"proj_b{width}": some(4)}
        result |= {f"ln_g{width}": some(4), f"ln_b{width}": some(4)}
        for part in (1, 2):
            result |= {f"w{part}_{width}": some(4 * width, 4), f"b{part}_{width}": some(4)}
    result |= {"ln_g": some(18), "ln_b": some(18), "cnn_W": some(18, 8), "cnn_b": some(8)}
    result |= {"d0": some(8, 5), "p1": some(8, 5), "d1": some(5, 5)}
    return result | {"d2": some(5, 7), "p3": some(5, 7), "d3": some(7, 7)}


def standard(row: Any, gain: Any, offset: Any) -> Any:
    return (row - row.mean()) / np.sqrt(row.var() + 1e-6) * gain + offset


def by_hand(w: dict[str, Any], ids: list[int]) -> Any:
    """The vector of one text, place by place and in 64 bits."""
    w = {name: np.asarray(value, np.float64) for name, value in w.items()}
    raw = [w[f"q{i % 17 + 1}"][i // 17] * w["scale"][i % 17] + w["lo"][i % 17] for i in ids]
    gain, offset, inner, bias = (
        np.concatenate([w[f"{name}{width}"] for width in (2, 3, 5)], axis=-1)
        for name in ("ln_g", "ln_b", "proj", "proj_b")
    )
    narrow = [standard(row @ inner + bias, gain, offset) for row in raw]
    parts = [raw]
    for nth, (width, before) in enumerate(((2, 0), (3, 1), (5, 2))):
        rows = [row[4 * nth : 4 * nth + 4] for row in narrow]
        for part in (1, 2):
            outside = {**dict(enumerate(rows))}
            windows = [
                np.concatenate([outside.get(i - before + k, np.zeros(4)) for k in range(width)])
                for i in range(len(rows))
            ]
            weight, shift = w[f"w{part}_{width}"], w[f"b{part}_{width}"]
            rows = [
                row + np.maximum(window @ weight + shift, 0)
                for row, window in zip(rows, windows, strict=True)
            ]
        parts.append(rows)
    whole = [np.concatenate(places) for places in zip(*parts, strict=True)]
    last = [standard(row, w["ln_g"], w["ln_b"]) @ w["cnn_W"] + w["cnn_b"] for row in whole]
    text = np.sum(last, axis=0) / np.sqrt(len(ids))
    middle = np.maximum(text @ w["p1"] + np.maximum(text @ w["d0"], 0) @ w["d1"], 0)
    said = np.tanh(middle @ w["p3"] + np.maximum(middle @ w["d2"], 0) @ w["d3"])
    return said / np.linalg.norm(said)


@pytest.mark.parametrize("length", [1, 2, 3, 6, 11])
def test_the_net_is_what_it_says(length: int) -> None:
    ids = np.random.default_rng(length).integers(0, 34, (3, length))
    result = assemble_encoder(dict(arrays()))(ids, ids)
    expected = [by_hand(arrays(), row.tolist()) for row in ids]
    np.testing.assert_allclose(result, expected, atol=3e-5)


@pytest.fixture(scope="module")
def real() -> str:
    if why := why_missing(USE):
        pytest.skip(why)
    return USE


def test_real_pieces_are_those_of_sentencepiece(real: str) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    model = find_model(real)
    other = sentencepiece.SentencePieceProcessor(model_file=str(model.folder / "sp.model"))
    texts = [
        "今日は涼しいですね",
        "コメダ珈琲に行って",
        "①②～　ＡＢＣ…",
        "e\u0301 é 😀👨‍👩‍👧",
        "<s> a\tb\n",
        "",
    ]
    ours = [result.ids.tolist() for result in load_tokenizer(model)(texts)]
    assert ours == [[1, *ids, 2] for ids in other.encode(texts)]


def test_real_vectors(real: str) -> None:
    """Cosines that the package itself gives: the same thought in two languages is near."""
    feature = Embeddings(real)
    texts = ["I love my dog", "私の犬が大好きです", "今日は株価が下がった", "I love my dog"]
    result = features_for_texts([feature])[feature].of(texts)
    assert result.shape == (4, 512)
    np.testing.assert_allclose(result[0] @ result[1:3].T, [0.8909428, -0.0149788], atol=2e-6)
    assert (result[0] == result[3]).all()


def test_a_text_has_the_same_numbers_in_any_company(real: str) -> None:
    run = load_net(find_model(real), "encoder")
    ids = np.arange(100, 100 + 8 * 12).reshape(8, 12)
    (batch, *_) = length_batches([12] * 8, FILLED_TOKENS)
    together = run(ids[batch], ids[batch])
    filled = ids[[0] * batch_rows(12, FILLED_TOKENS)]
    assert (together[0] == run(filled, filled)[0]).all()


def test_it_has_one_vector_for_a_text(real: str) -> None:
    for feature, reason in (
        (
            Embeddings(real, "max"),
            f"pooling 'max'; {USE} makes one vector of a whole text, so leave it at mean",
        ),
        (
            TokenEmbeddings(real),
            f"{USE} makes one vector of a whole text; "
            "vectors of its word pieces need another model, such as package:minilm",
        ),
    ):
        with pytest.raises(BadValue) as error:
            features_for_texts([feature])[feature]
        assert str(error.value) == reason
    with pytest.raises(DataError) as refused:
        load_net(find_model(real), "classes")
    assert str(refused.value) == (
        f"{find_model(real).folder}/weights.npz is not a classifier; name another model"
    )


def test_metrics_of_meaning_read_japanese_with_it(real: str) -> None:
    """The cosine of the two vectors; a model that reads Latin only says why there is none."""
    turns = talk("ann: 私の犬が大好きです", "bot: 犬はかわいいですね", "ann: 。", "bot: はい")
    feature = Embeddings(real)
    first, second = features_for_texts([feature])[feature].of(
        ["私の犬が大好きです", "犬はかわいいですね"]
    )
    metric = load("coherence", model=real)
    assert scores(metric, turns) == [
        None,
        pytest.approx(float(first @ second), abs=1e-6),
        None,
        None,
    ]
    assert nulls(metric, turns) == ["answers_nothing", None, "no_words", "no_words"]
    assert nulls(load("coherence"), turns)[1] == "other_script"
    answered = load("deep_am", model=real, mode="context")
    assert scores(answered, turns)[1] == scores(metric, turns)[1]


@pytest.mark.parametrize(
    ("model", "reads"),
    [(USE, True), ("package:minilm", False), ("package:opus-mt-en-fr", False), ("path:.", False)],
)
def test_which_models_read_other_scripts(model: str, reads: bool) -> None:
    assert reads_any_script(model) is reads
