"""Likelihoods against plain loops of transformers: one text, one whole forward pass each."""

import random

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.likelihood import Likelihood
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import language_models
from simpatico.models.runtime import torch_backend as torch_models
from simpatico.models.runtime.language_models import LmTokenizer, PrefixTree, keep_end
from tests.models.texts import texts
from tests.models.tiny import LENGTH, tiny

AFTER = ("That's really boring.", "That's not so good!", "Wow that is interesting.", "x")
CAUSAL = pytest.mark.parametrize("kind", ["gpt2", "llama"])
SEQ2SEQ = pytest.mark.parametrize("kind", ["bart", "marian"])


def handle(kind, frame="plain"):
    """A fresh one: nothing remembered from earlier."""
    return Likelihood(f"path:{tiny(kind)}", frame).compute(None, None)


def loss(net, ids):
    """Mean loss of these pieces as transformers computes it."""
    import torch

    with torch.inference_mode():
        batch = torch.tensor([ids])
        return net(input_ids=batch, labels=batch, loss_type="ForCausalLM").loss.item()


def raw(model):
    """The model and what cuts a text for it, without any mark."""
    words = torch_models.load_hf_tokenizer(model)
    return torch_models.load_causal(model), lambda t: words(t, add_special_tokens=False).input_ids


@CAUSAL
@pytest.mark.parametrize("context", ["", "hello you, why?"])
def test_a_causal_model_reads_mark_context_space_and_target(kind, context):
    """All pieces' losses by transformers, less those of the pieces before the target."""
    import torch

    likelihood = handle(kind)
    net, tokenizer = raw(likelihood.model)
    target = "I went hiking with my sister."
    before = [0, *tokenizer(context)]
    ids = before + tokenizer(f" {target}" if context else target)
    with torch.inference_mode():
        logits = net(input_ids=torch.tensor([ids])).logits[0]
    every = -torch.nn.functional.cross_entropy(
        logits[:-1], torch.tensor(ids[1:]), reduction="none"
    ).numpy()
    (logs,) = likelihood.of([context], [target])
    assert logs.dtype == np.float64
    assert logs == pytest.approx(every[len(before) - 1 :], abs=1e-5)


@CAUSAL
def test_with_the_mark_at_the_end_the_mean_is_the_loss_of_the_text_and_its_mark(kind):
    likelihood = handle(kind, "end")
    net, tokenizer = raw(likelihood.model)
    end = {"gpt2": 0, "llama": 1}[kind]
    for text in texts(5):
        (logs,) = likelihood.of([""], [text])
        ids = [*tokenizer(text), end][:LENGTH]
        assert len(logs) == len(ids) - 1
        assert -logs.mean() == pytest.approx(loss(net, ids), abs=1e-5)


@CAUSAL
def test_follow_ups_equal_one_whole_pass_for_each(kind):
    """Read are mark, turn, mark, turn, mark and follow-up; all but the first piece count."""
    likelihood = handle(kind)
    net, tokenizer = raw(likelihood.model)
    mark = {"gpt2": 0, "llama": 1}[kind]
    contexts = [tuple(texts(30)[i : i + 1 + i % 3]) for i in range(0, 12, 2)]
    contexts = [tuple(text[:25] for text in turns) for turns in contexts]
    for turns, follow_ups in zip(contexts, likelihood.follow_ups(contexts, AFTER), strict=True):
        before = [mark]
        for turn in turns:
            before += [*tokenizer(f" {turn} "), mark]
        assert len(before) < LENGTH - 20
        assert follow_ups.context_tokens == len(before) - 1
        assert -follow_ups.context / (len(before) - 1) == pytest.approx(loss(net, before), abs=1e-5)
        for text, total, pieces in zip(AFTER, follow_ups.sums, follow_ups.tokens, strict=True):
            ids = [*before, *tokenizer(f" {text}")]
            assert pieces == len(ids) - len(before)
            mean = (follow_ups.context + total) / (len(ids) - 1)
            assert -mean == pytest.approx(loss(net, ids), abs=1e-5)


def test_what_follow_ups_begin_with_is_read_once():
    """Pieces 1 2 3, 1 2 4 and 5: the beginnings 1 and 1 2 are read, no last piece is."""
    tree = PrefixTree.of([[1, 2, 3], [1, 2, 4], [5]])
    assert (tree.tokens, tree.depth, tree.paths) == ([1, 2], [0, 1], [[0, 1], [0, 1], []])
    assert tree.sees.tolist() == [[True, False], [True, True]]


@SEQ2SEQ
def test_a_target_is_forced_as_transformers_forces_labels(kind):
    import torch

    likelihood = handle(kind)
    net, words = (
        torch_models.load_seq2seq(likelihood.model),
        torch_models.load_hf_tokenizer(likelihood.model),
    )
    replies = [text[:80] for text in texts(8)]
    pairs = list(zip(replies, replies[::-1], strict=True))
    for (source, target), logs in zip(pairs, likelihood.of(*zip(*pairs, strict=True)), strict=True):
        source_ids = torch.tensor([words(source).input_ids])
        labels = torch.tensor([words(text_target=target).input_ids])
        with torch.inference_mode():
            expected = net(input_ids=source_ids, labels=labels).loss.item()
        assert len(logs) == labels.shape[1]
        assert -logs.sum() == pytest.approx(expected * len(logs), abs=1e-5 * len(logs))


def test_the_mark_that_a_target_begins_with_can_be_left_out():
    """BART's targets begin with <s>, Marian's with the text."""
    for kind, fewer in (("bart", 1), ("marian", 0)):
        (plain,), (bare,) = (handle(kind, f).of(["tea"], ["coffee"]) for f in ("plain", "untagged"))
        assert bare.tolist() == plain[fewer:].tolist()


@CAUSAL
def test_a_long_context_loses_its_start_but_not_its_mark(kind):
    likelihood = handle(kind)
    pieces = LmTokenizer(torch_models.load_hf_tokenizer(likelihood.model))
    net = torch_models.load_causal(likelihood.model)
    assert pieces.max_tokens(net) == LENGTH
    before, after = pieces.encode_pair("tea " * 300, "so good", "plain", LENGTH)
    assert (len(before) + len(after), before[0]) == (LENGTH, pieces.start_token)
    assert before[1:] == pieces.encode("tea " * 300)[len(after) - LENGTH + 1 :]
    assert keep_end([1, 2, 3, 4], 1) == [1]
    (logs,) = likelihood.of(["tea " * 300], ["so good " * 300])
    assert len(logs) == LENGTH - 1
    (follow_ups,) = likelihood.follow_ups([("tea " * 300,)], AFTER)
    assert follow_ups.context_tokens == LENGTH - max(follow_ups.tokens) - 1


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bart", "marian"])
def test_no_bit_depends_on_what_else_is_scored_nor_on_threads(kind, monkeypatch):
    import torch

    replies = texts(24)
    pairs = [(replies[i % 5], text) for i, text in enumerate(replies)]

    def run(batch):
        return [log.tobytes() for log in handle(kind).of(*zip(*batch, strict=True))]

    monkeypatch.setenv("SIMPATICO_THREADS", "1")
    expected = dict(zip(pairs, run(pairs), strict=True))
    threads = torch.get_num_threads()
    monkeypatch.setenv("SIMPATICO_THREADS", "2")
    try:
        for within in (1, 2):
            torch.set_num_threads(within)
            shuffled = random.Random(within).sample(pairs, len(pairs))
            assert run(shuffled) == [expected[pair] for pair in shuffled]
            assert torch.get_num_threads() == within
    finally:
        torch.set_num_threads(threads)
    assert [run([pair])[0] for pair in pairs] == list(expected.values())


@CAUSAL
def test_no_bit_of_a_follow_up_depends_on_other_contexts_nor_on_threads(kind, monkeypatch):
    contexts = [tuple(texts(20)[i : i + 2]) for i in range(18)]

    def run(batch):
        return [(f.context, f.sums.tobytes()) for f in handle(kind).follow_ups(batch, AFTER)]

    monkeypatch.setenv("SIMPATICO_THREADS", "1")
    expected = dict(zip(contexts, run(contexts), strict=True))
    monkeypatch.setenv("SIMPATICO_THREADS", "2")
    shuffled = random.Random(0).sample(contexts, len(contexts))
    assert run(shuffled) == [expected[turns] for turns in shuffled]
    assert [run([turns])[0] for turns in contexts] == list(expected.values())


def test_a_context_is_encoded_once_for_all_its_targets(monkeypatch):
    lengths = []
    real = language_models.target_logprobs
    monkeypatch.setattr(
        "simpatico.models.runtime.language_models.target_logprobs",
        lambda net, source, targets, untag: (
            lengths.append(len(targets)) or real(net, source, targets, untag)
        ),
    )
    handle("bart").of(["tea", "dog", "tea", "tea"], ["a", "a", "b", "a"])
    assert sorted(lengths) == [1, 2]


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
def test_what_is_known_is_not_computed_again(kind, monkeypatch, tmp_path):
    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path))
    once = handle(kind).of(["tea"], ["coffee"])
    monkeypatch.setattr(language_models, "map_on_torch", None)
    assert handle(kind).of(["tea"], ["coffee"])[0].tobytes() == once[0].tobytes()


def test_what_looks_like_a_mark_is_text():
    likelihood = handle("gpt2")
    pieces = LmTokenizer(torch_models.load_hf_tokenizer(likelihood.model))
    assert pieces.end_token not in pieces.encode("<|endoftext|>")
    assert all(
        np.isfinite(log).all() for log in likelihood.of(["<|endoftext|>", "\ud800"], ["a", "b"])
    )


def test_a_text_of_nothing_has_no_pieces():
    assert [len(log) for log in handle("gpt2").of(["", "tea"], ["", ""])] == [0, 1]


@pytest.mark.parametrize("use", ["end", "follow"])
def test_a_model_that_writes_from_another_text_cannot_go_on_with_one(use):
    with pytest.raises(BadValue) as error:
        handle("bart", "end") if use == "end" else handle("bart").follow_ups([("a",)], AFTER)
    assert str(error.value) == (
        f"path:{tiny('bart')} is a sequence-to-sequence model; name a causal language model, such "
        "as package:smollm2"
    )


NO_MASKS = (
    "a masked language model: it has no weights for 'cls.predictions.bias'; name a model that was "
    "saved as one"
)
NO_ENCODER = (
    "a sequence-to-sequence model that transformers can load (ValueError); get the model again or "
    "name another"
)


@pytest.mark.parametrize(
    ("loader", "kind", "what"),
    [("load_masked", "bert", NO_MASKS), ("load_seq2seq", "gpt2", NO_ENCODER)],
)
def test_a_model_of_another_kind_is_refused(loader, kind, what):
    with pytest.raises(DataError) as error:
        getattr(torch_models, loader)(find_model(f"path:{tiny(kind)}"))
    assert str(error.value) == f"{tiny(kind)} is not {what}"


def test_a_device_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("SIMPATICO_DEVICE", "cuda")
    with pytest.raises(MissingResource) as error:
        torch_models.load_causal(find_model(f"path:{tiny('gpt2')}"))
    assert str(error.value) == (
        "SIMPATICO_DEVICE is 'cuda', which torch cannot use here; unset it to use the processor"
    )


def test_a_model_that_is_not_here_is_named():
    with pytest.raises(MissingResource) as error:
        Likelihood("path:nowhere").compute(None, None)
    assert str(error.value) == why_missing("path:nowhere")


def test_a_real_model_tells_english_from_shuffled_words_and_equals_a_plain_loop():
    """SmolLM2-135M-Instruct from 4 bits: perplexity 10.76, in a row of words out of order 1563."""
    if why := why_missing("package:smollm2"):
        pytest.skip(why)
    likelihood = Likelihood("package:smollm2").compute(None, None)
    good, bad = (
        "I love going to the beach in the summer.",
        "beach the summer love in I going the to.",
    )
    logs = likelihood.of(["", ""], [good, bad])
    assert [np.exp(-log.mean()) for log in logs] == pytest.approx([10.764, 1562.93], rel=1e-3)
    net, tokenizer = raw(likelihood.model)
    assert -logs[0].mean() == pytest.approx(loss(net, [0, *tokenizer(good)]), abs=1e-5)
    (follow_ups,) = likelihood.follow_ups([("How was it?", good)], AFTER)
    mean = (follow_ups.context + follow_ups.sums[0]) / (
        follow_ups.context_tokens + follow_ups.tokens[0]
    )
    ids = [
        0,
        *tokenizer(" How was it? "),
        0,
        *tokenizer(f" {good} "),
        0,
        *tokenizer(f" {AFTER[0]}"),
    ]
    assert -mean == pytest.approx(loss(net, ids), abs=1e-5)
