"""The same text gets the same bits in any batch, any order and on any number of threads."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from simpatico.models.names import find_model
from simpatico.models.runtime.encoders import (
    TOKENS,
    batch_rows,
    depends_on_rows,
    length_batches,
    load_net,
    run_texts,
)
from simpatico.models.runtime.tokens import Encoding
from tests.command_line import simpatico
from tests.models.tiny import tiny

TASKS = [
    ("bert-classes-1", "classes"),  # as BLEURT: one output, a matrix-vector product
    ("roberta-classes-1", "classes"),
    ("bert-classes-3", "classes"),
    ("bert-nsp", "next-sentence"),
    ("bert", "encoder"),
]


def encodings(length: int, n: int) -> list[Encoding]:
    """Distinct texts of one length."""
    ids = np.random.default_rng(length).integers(5, 100, (n, length))
    assert len(np.unique(ids, axis=0)) == n
    return [Encoding(row, np.zeros_like(row), np.zeros(length, bool)) for row in ids]


def outputs(name, task, texts):
    """The bytes of each text's output, in order."""
    model = find_model(name)
    rows = dict(run_texts(model, load_net(model, task), texts))
    return [rows[i].tobytes() for i in range(len(texts))]


@pytest.mark.parametrize(("kind", "task"), TASKS)
@pytest.mark.parametrize("length", [5, 7, 13, 30])
def test_no_bit_depends_on_the_other_texts_of_the_same_length(kind, task, length, monkeypatch):
    name = f"path:{tiny(kind)}"
    texts = encodings(length, batch_rows(length, TOKENS) + 2)
    together = outputs(name, task, texts)
    assert outputs(name, task, texts[::-1]) == together[::-1]
    assert outputs(name, task, texts[1:]) == together[1:]
    assert [outputs(name, task, [text])[0] for text in texts] == together
    for threads in ("1", "3"):
        monkeypatch.setenv("SIMPATICO_THREADS", threads)
        assert outputs(name, task, texts) == together


@pytest.mark.parametrize("length", [2, 3, 5, 7, 11, 13, 16, 17, 19, 24, 31, 47, 48, 64])
def test_texts_of_one_length_in_any_order_and_number_through_the_real_graph(length):
    texts = encodings(length, batch_rows(length, TOKENS) + 2)
    together = outputs("package:minilm", "encoder", texts)
    assert outputs("package:minilm", "encoder", texts[::-1]) == together[::-1]
    assert outputs("package:minilm", "encoder", texts[:2]) == together[:2]
    assert outputs("package:minilm", "encoder", texts[-1:]) == together[-1:]


def test_a_batch_has_at_most_96_tokens_unless_one_text_has_more():
    assert [batch_rows(length, TOKENS) for length in (1, 5, 96, 97)] == [TOKENS, 19, 1, 1]
    assert list(length_batches([7, 3, 7, 3], TOKENS)) == [[1, 3], [0, 2]]


def copy_model(name, target, **files):
    """The folder of a model with some of its JSON files changed."""
    folder = Path(shutil.copytree(find_model(name).folder, target))
    for file, change in files.items():
        path = folder / f"{file}.json"
        path.write_text(json.dumps(change(json.loads(path.read_text()) if path.exists() else {})))
    return folder


def later_ids(tokenizer):
    """The tokenizer with ids that no weights of it have."""
    for token in tokenizer["added_tokens"]:
        token["id"] += 90_000
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {token: i + 90_000 for token, i in vocabulary.items()}
    return tokenizer


def score_coherence(folder, tmp_path):
    path = tmp_path / "talk.csv"
    path.write_text("dialog,speaker,text\nd,a,hello there\nd,b,hello you\n")
    model = f"coherence.model=path:{folder}"
    return simpatico(
        "score", path, "--metrics", "coherence", "--set", model, "--out", tmp_path / "r"
    )


@pytest.mark.parametrize("tokens", [0, -5, 7])
def test_a_model_that_reads_no_tokens_is_refused(tokens, tmp_path):
    def change(settings):
        return {**settings, "max_seq_length": tokens}

    folder = copy_model(f"path:{tiny('bert')}", tmp_path / "m", sentence_bert_config=change)
    done = score_coherence(folder, tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: {folder}: its settings let it read {tokens} tokens of a text, and a model must "
        "read 8; get the model again or name another\n",
    )


@pytest.mark.parametrize("name", ["package:minilm", "path:bert"])
def test_a_tokenizer_that_does_not_fit_the_weights_is_one_line(name, tmp_path, capfd):
    name = f"path:{tiny('bert')}" if name == "path:bert" else name
    folder = copy_model(name, tmp_path / "m", tokenizer=later_ids)
    done = score_coherence(folder, tmp_path)
    place = (
        "a model on torch"
        if (folder / "model.safetensors").exists()
        else folder / "onnx/model.onnx"
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: {place}: the tokenizer gives tokens that the weights do not know, so that they "
        "do not belong together; get the model again\n",
    )
    assert capfd.readouterr().err == ""  # onnxruntime itself prints nothing


def test_settings_that_are_no_json_are_one_line(tmp_path):
    folder = copy_model(f"path:{tiny('bert')}", tmp_path / "m")
    (folder / "sentence_bert_config.json").write_text("{")
    assert score_coherence(folder, tmp_path).stderr == (
        f"simpatico: {folder / 'sentence_bert_config.json'}: not valid JSON; get the model again\n"
    )


def batch_shapes(net, length, sizes):
    """The shapes that the graph sees of so many texts, each of which gets its own row."""
    depends_on_rows(net)  # not counted
    net.shapes.clear()
    for n in sizes:
        texts = encodings(length, n)
        rows = dict(run_texts(find_model("package:minilm"), net, texts))
        assert [rows[i][..., 0].tolist() for i in range(n)] == [t.ids.tolist() for t in texts]
    return net.shapes


class EchoNet:
    """Gives back the token ids, plus as many times `drift` as there are texts."""

    def __init__(self, drift=0.0):
        self.drift, self.shapes = drift, []

    def __call__(self, ids, types):
        self.shapes.append(ids.shape)
        states = np.repeat(ids[..., None], 2, axis=2).astype(np.float32)
        states[..., 1] += self.drift * len(ids)
        return states


def test_a_batch_of_an_encoder_has_no_copies():
    assert batch_shapes(EchoNet(), 5, (1, 8, 20)) == [(1, 5), (8, 5), (19, 5), (1, 5)]


def test_a_single_token_is_not_the_only_row_of_a_product():
    assert batch_shapes(EchoNet(), 1, (1, 2)) == [(2, 1), (2, 1)]


def test_a_batch_is_filled_up_where_its_size_changes_a_bit():
    """Nine texts of five tokens make a batch: whatever comes, the graph sees no other shape."""
    assert batch_shapes(EchoNet(drift=1e-3), 5, (1, 8, 9, 10)) == [(9, 5)] * 5


def test_a_batch_of_a_classifier_is_filled_up():
    assert depends_on_rows(lambda ids, types: ids.astype(np.float32))
