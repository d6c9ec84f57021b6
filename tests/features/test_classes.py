"""Classifiers of texts and pairs: the same numbers as transformers, and sentences for mistakes."""

import json
import shutil

import numpy as np
import pytest

from simpatico.errors import BadValue, ContractError, DataError
from simpatico.features.classes import ClassProbabilities, sigmoid, softmax
from tests.models.texts import texts
from tests.models.tiny import tiny

PAIRS = [("what a day", "good day"), ("tea or coffee", "I like tea"), ("hello", "no")]


def handle(kind="bert-classes-3", **options):
    return ClassProbabilities(f"path:{tiny(kind)}", **options).compute(None, None)


def direct(kind, auto, first, second):
    """One pair through transformers alone."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny(kind))
    model = getattr(transformers, auto).from_pretrained(tiny(kind)).eval()
    with torch.inference_mode():
        return model(**tokenizer(first, second, return_tensors="pt")).logits[0].numpy()


def test_logits_are_those_of_transformers():
    logits = handle(pair=True, output="logits").of(*zip(*PAIRS, strict=True))
    for row, (first, second) in zip(logits, PAIRS, strict=True):
        expected = direct("bert-classes-3", "AutoModelForSequenceClassification", first, second)
        assert np.abs(row - expected).max() < 1e-5


def test_next_sentence_logits_are_those_of_transformers():
    classifier = handle("bert-nsp", pair=True, output="logits", head="next-sentence")
    logits = classifier.of(*zip(*PAIRS, strict=True))
    assert classifier.labels == ("is_next", "not_next")
    for row, (first, second) in zip(logits, PAIRS, strict=True):
        expected = direct("bert-nsp", "AutoModelForNextSentencePrediction", first, second)
        assert np.abs(row - expected).max() < 1e-5


def test_outputs_by_hand():
    """Logits 0 and log 3: shares 1/4 and 3/4; each by itself 1/2 and 3/4."""
    logits = np.array([0, np.log(3)], np.float32)
    assert softmax(logits).tolist() == pytest.approx([0.25, 0.75])
    assert sigmoid(logits).tolist() == pytest.approx([0.5, 0.75])


def test_a_text_has_the_same_bits_in_any_company():
    sample_texts = texts(60)
    rows = handle().of(sample_texts)
    order = np.random.default_rng(2).permutation(60)
    assert np.array_equal(handle().of([sample_texts[i] for i in order]), rows[order])
    assert np.array_equal(np.concatenate([handle().of([text]) for text in sample_texts]), rows)
    assert np.abs(rows.sum(1) - 1).max() < 1e-6


def test_labels_are_those_of_the_config():
    assert handle().labels == ("LABEL_0", "LABEL_1", "LABEL_2")


def test_classes_without_names_are_refused(tmp_path):
    folder = shutil.copytree(tiny("bert-classes-3"), tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "yes", "2": "no"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError) as error:
        _ = ClassProbabilities(f"path:{folder}").compute(None, None).labels
    assert str(error.value) == f"{folder / 'config.json'}: id2label does not name classes"


def test_an_unknown_output_is_refused():
    with pytest.raises(BadValue) as error:
        ClassProbabilities("package:minilm", output="odds")
    assert str(error.value) == "output 'odds'; there are softmax, sigmoid and logits"


def test_pairs_are_given_where_pairs_were_asked_for():
    with pytest.raises(ContractError):
        handle(pair=True).of(["a"])
    with pytest.raises(ContractError):
        handle().of(["a"], ["b"])


def test_an_encoder_is_no_classifier():
    folder = tiny("bert")
    with pytest.raises(DataError, match="is not a classifier: it has no weights for"):
        ClassProbabilities(f"path:{folder}").compute(None, None).of(["a"])


def test_no_texts_give_no_rows():
    assert len(handle().of([])) == 0
