"""Masked likelihoods against a plain loop of transformers: one hidden piece, one pass."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from simpatico.errors import DataError
from simpatico.features import likelihood
from simpatico.features.likelihood import MaskedLikelihood
from simpatico.models.runtime import torch_backend as torch_models
from tests.models.texts import texts
from tests.models.tiny import LENGTH, tiny

KINDS = pytest.mark.parametrize("kind", ["bert-mlm", "roberta-mlm"])


def handle(kind):
    return MaskedLikelihood(f"path:{tiny(kind)}").compute(None, None)


@KINDS
def test_each_piece_is_guessed_from_all_others(kind):
    import torch

    masked_model = handle(kind)
    net, words = (
        torch_models.load_masked(masked_model.model),
        torch_models.load_hf_tokenizer(masked_model.model),
    )
    for text in [text[:40] for text in texts(2)]:
        ids, expected = words(text).input_ids, []
        for place in range(1, len(ids) - 1):
            hidden = [*ids[:place], words.mask_token_id, *ids[place + 1 :]]
            with torch.inference_mode():
                logits = net(input_ids=torch.tensor([hidden])).logits[0, place]
            expected.append(logits.log_softmax(-1)[ids[place]].item())
        assert masked_model.of([text])[0] == pytest.approx(np.array(expected), abs=1e-5)


@KINDS
def test_no_bit_depends_on_what_else_is_scored_nor_on_threads(kind, monkeypatch):
    sample_texts = texts(30)
    monkeypatch.setenv("SIMPATICO_THREADS", "1")
    reference = dict(
        zip(sample_texts, (log.tobytes() for log in handle(kind).of(sample_texts)), strict=True)
    )
    monkeypatch.setenv("SIMPATICO_THREADS", "2")
    shuffled = random.Random(0).sample(sample_texts, len(sample_texts))
    assert [log.tobytes() for log in handle(kind).of(shuffled)] == [reference[t] for t in shuffled]
    assert [handle(kind).of([text])[0].tobytes() for text in sample_texts] == list(
        reference.values()
    )


def test_a_text_of_nothing_has_no_pieces_and_a_long_one_loses_its_end():
    """128 places, of which two are marks."""
    assert [len(log) for log in handle("bert-mlm").of(["", "so " * 300])] == [0, LENGTH - 2]


def test_a_long_text_runs_in_blocks_and_gives_the_same(monkeypatch):
    text = "the dog and the cat like music"
    (scores,) = handle("bert-mlm").of([text])
    monkeypatch.setattr(likelihood, "BLOCK", 20)
    assert handle("bert-mlm").of([text])[0] == pytest.approx(scores, abs=1e-5)


def test_a_tokenizer_without_a_mask_is_refused(monkeypatch):
    monkeypatch.setattr(
        likelihood, "load_hf_tokenizer", lambda model: SimpleNamespace(mask_token_id=None)
    )
    with pytest.raises(DataError) as error:
        handle("bert-mlm").of(["tea"])
    assert str(error.value) == f"{tiny('bert-mlm')}: its tokenizer has no mask; name another model"
