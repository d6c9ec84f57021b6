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
    texts = encodings(length, batch_rows(length) + 2)
    together = outputs(name, task, texts)
    assert outputs(name, task, texts[::-1]) == together[::-1]
    assert outputs(name, task, texts[1:]) == together[1:]
    assert [outputs(name, task, [text])[0] for text in texts] == together
    for threads in ("1", "3"):
        monkeypatch.setenv("SIMPATICO_THREADS", threads)
        assert outputs(name, task, texts) == together


def test_two_texts_of_one_length_in_two_orders_through_the_real_graph():
    texts = encodings(7, batch_rows(7) + 2)
    together = outputs("package:minilm", "encoder", texts)
    assert outputs("package:minilm", "encoder", texts[::-1]) == together[::-1]
    assert [outputs("package:minilm", "encoder", [text])[0] for text in texts] == together


def test_a_batch_has_at_most_48_tokens_unless_one_text_has_more():
    assert [batch_rows(length) for length in (1, 5, 48, 97)] == [TOKENS, 9, 1, 1]
    assert list(length_batches([7, 3, 7, 3])) == [[1, 3], [0, 2]]


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


def test_a_batch_of_a_graph_is_always_filled_up():
    """Nine texts of five tokens make a batch: whatever comes, the graph sees no other shape."""
    shapes = []

    def net(ids, types):
        shapes.append(ids.shape)
        return ids.astype(np.float32)

    for n in (1, 8, 9, 10):
        texts = encodings(5, n)
        rows = dict(run_texts(find_model("package:minilm"), net, texts))
        assert [rows[i].tolist() for i in range(n)] == [text.ids.tolist() for text in texts]
    assert shapes == [(9, 5)] * 5
