"""Embeddings from real MiniLM weights, and from tiny models where only the mechanics matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.embeddings import Embeddings, TokenEmbeddings, pool, unit_length
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import encoders as nets
from simpatico.models.runtime.tokens import load_tokenizer
from tests.models.texts import texts
from tests.models.tiny import tiny


def encode(texts, feature=None):
    """Rows of a fresh handle: nothing remembered from earlier."""
    return (feature or Embeddings()).compute(None, None).of(texts)


def test_a_dog_is_near_a_puppy_and_far_from_the_stock_market():
    """all-MiniLM-L6-v2 as sentence-transformers 6.2.0 gives it: .641 and .022."""
    dog, puppy, market = encode(
        ["I love my dog", "My puppy is adorable", "The stock market fell today"]
    )
    assert dog @ puppy == pytest.approx(0.641, abs=5e-4)
    assert dog @ market == pytest.approx(0.022, abs=5e-4)


@pytest.mark.parametrize("n", [64, pytest.param(400, marks=pytest.mark.slow)])
def test_texts_have_the_same_bits_alone_shuffled_or_sorted(n):
    sample_texts = texts(n)
    assert len(sample_texts) == n
    rows = encode(sample_texts)
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(n)
    by_length = np.argsort([len(text) for text in sample_texts])
    for order in (shuffled, by_length):
        assert np.array_equal(encode([sample_texts[i] for i in order]), rows[order])
    for part in np.array_split(shuffled, n // 32):
        assert np.array_equal(encode([sample_texts[i] for i in part]), rows[part])
    assert np.array_equal(np.concatenate([encode([text]) for text in sample_texts]), rows)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_number_of_threads_changes_no_bit(threads, monkeypatch):
    sample_texts = texts(60)
    rows = encode(sample_texts)
    monkeypatch.setenv("SIMPATICO_THREADS", threads)
    assert np.array_equal(encode(sample_texts), rows)


def test_equal_texts_run_once(monkeypatch):
    ran = []
    each = nets.run_texts
    monkeypatch.setattr(
        "simpatico.features.embeddings.run_texts",
        lambda m, r, tokens: ran.append(len(tokens)) or each(m, r, tokens),
    )
    handle = Embeddings().compute(None, None)
    rows = handle.of(["yes", "no", "yes", "yes"])
    assert ran == [2]
    assert np.array_equal(rows[0], rows[3])
    handle.of(["no", "perhaps"])
    assert ran == [2, 1]


@given(lengths=st.lists(st.integers(1, 300), max_size=200), tokens=st.integers(1, 200))
@settings(max_examples=100)
def test_a_batch_holds_texts_of_one_length_and_every_text_once(lengths, tokens):
    batches = list(nets.length_batches(lengths, tokens))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[place] for place in batch}) == 1
        assert len(batch) <= nets.batch_rows(lengths[batch[0]], tokens)


def test_pooling_by_hand():
    """Two word pieces (3, 0) and (0, 4): mean (1.5, 2), maximum (3, 4), first (3, 0)."""
    states = np.array([[3, 0], [0, 4]], np.float32)
    assert pool(states, "mean").tolist() == [1.5, 2.0]
    assert pool(states, "max").tolist() == [3.0, 4.0]
    assert pool(states, "cls").tolist() == [3.0, 0.0]
    assert unit_length(pool(states, "max")).tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
def test_a_text_is_its_word_pieces_pooled(pooling):
    text = "I really like tea."
    (tokens,) = TokenEmbeddings().compute(None, None).of([text])
    (row,) = encode([text], Embeddings(pooling=pooling))
    assert np.array_equal(row, unit_length(pool(tokens.vectors, pooling)))
    assert np.sqrt((row * row).sum()) == pytest.approx(1, abs=1e-6)


def test_word_pieces_begin_and_end_with_special_ones():
    (tokens,) = TokenEmbeddings().compute(None, None).of(["hello there"])
    assert tokens.ids.tolist() == [101, 7592, 2045, 102]  # [CLS] hello there [SEP]
    assert tokens.special.tolist() == [True, False, False, True]
    assert tokens.vectors.shape == (4, 384)


def test_marks_of_the_model_inside_a_text_are_text():
    plain, with_mark = load_tokenizer(find_model("package:minilm"))(["a b", "a [SEP] b"])
    assert 102 not in with_mark.ids[1:-1]
    assert len(with_mark.ids) > len(plain.ids)


def test_a_long_text_is_cut_at_256_word_pieces_as_the_model_was_trained():
    (long,) = load_tokenizer(find_model("package:minilm"))(["word " * 1000])
    assert len(long.ids) == 256
    assert long.ids[-1] == 102


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "😀" * 50, "a" * 10_000])
def test_any_text_has_a_vector(text):
    (row,) = encode([text])
    assert np.isfinite(row).all()


def test_no_texts_give_no_rows():
    assert encode([]).shape[0] == 0
    assert TokenEmbeddings().compute(None, None).of([]) == []


def test_onnxruntime_and_torch_agree_to_a_millionth():
    """The same weights: package:minilm is a graph, package:minilm-torch safetensors."""
    if why := why_missing("package:minilm-torch"):
        pytest.skip(why)
    sample_texts = texts(100)
    one, other = (
        encode(sample_texts, Embeddings(m)) for m in ("package:minilm", "package:minilm-torch")
    )
    assert np.abs(one - other).max() < 1e-6


def test_the_torch_back_end_has_the_same_bits_in_any_company():
    feature = Embeddings(f"path:{tiny('bert')}")
    sample_texts = texts(80)
    rows = encode(sample_texts, feature)
    order = np.random.default_rng(1).permutation(80)
    assert np.array_equal(encode([sample_texts[i] for i in order], feature), rows[order])
    assert np.array_equal(np.concatenate([encode([t], feature) for t in sample_texts]), rows)


def test_hidden_layers_are_those_of_transformers():
    import torch
    from transformers import AutoModel

    folder = tiny("bert")
    (tokens,) = TokenEmbeddings(f"path:{folder}", layer=1).compute(None, None).of(["good day"])
    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        outputs = model(
            input_ids=torch.tensor([tokens.ids.tolist()]), output_hidden_states=True
        ).hidden_states
    assert np.abs(outputs[1][0].numpy() - tokens.vectors).max() < 1e-6
    assert np.abs(outputs[2][0].numpy() - tokens.vectors).max() > 1e-2


def test_a_graph_has_no_hidden_layers():
    with pytest.raises(MissingResource) as error:
        TokenEmbeddings(layer=3).compute(None, None).of(["a"])
    assert str(error.value) == (
        "package:minilm is a graph for onnxruntime, which gives its last layer only; "
        "layer 3 needs a model for torch, such as package:minilm-torch"
    )


def test_an_unknown_pooling_is_refused():
    with pytest.raises(BadValue) as error:
        Embeddings(pooling="median")
    assert str(error.value) == "pooling 'median'; there are mean, max and cls"


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    import shutil

    folder = tmp_path / "mute"
    shutil.copytree(tiny("bert"), folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(DataError) as error:
        encode(["a"], Embeddings(f"path:{folder}"))
    assert str(error.value) == (
        f"{folder} has no tokenizer.json; save the model's fast tokenizer there"
    )


def test_the_fingerprint_names_model_hash_and_back_end():
    assert (
        Embeddings().fingerprint == f"minilm_sha256:{find_model('package:minilm').sha256[:12]}.onnx"
    )


def test_another_device_stands_in_the_fingerprint_of_a_torch_model(monkeypatch):
    feature = Embeddings(f"path:{tiny('bert')}")
    on_processor = feature.fingerprint
    monkeypatch.setenv("SIMPATICO_DEVICE", "meta")
    assert feature.fingerprint == f"{on_processor}@meta"
    assert Embeddings().fingerprint.endswith(".onnx")
