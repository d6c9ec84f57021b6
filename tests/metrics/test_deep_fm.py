"""Deep FM's ratios by hand, and its fluency against transformers' own loss."""

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, score
from simpatico.errors import BadValue
from simpatico.features.likelihood import Likelihoods
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import torch_backend as torch_models
from simpatico.models.runtime.language_models import LmTokenizer
from tests.conftest import talk
from tests.models.tiny import tiny


def conversation(*references):
    rows = {"dialog": ["d", "d"], "speaker": ["x", "y"], "text": ["what?", "tea."]}
    return Turns.from_utterances(pl.DataFrame({**rows, "references": [None, list(references)]}))


def deep_fm(**more):
    return load("deep_fm", **{"model": f"path:{tiny('gpt2')}", **more})


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, np.exp(-1.0)),  # -2 beside -3: exp(-3) / exp(-2); beside -8 it is exp(-6), so less
        ({"ratio": "log"}, 2 / 3),  # -2 beside -3; beside -8 it is 1 / 4
        ({"mode": "context"}, -1.75),  # (-7.5 - -4) / (4 - 2)
    ],
)
def test_ratios_by_hand(more, expected, monkeypatch):
    """Joint "what? tea.": -7.5 over 4 pieces; "what?" alone: -4 over 2; so -3.5 over 2: -1.75."""
    logs = {"tea.": [-1.0, -3.0], "A": [-3.0], "B": [-8.0, -8.0], "what?": [-1.0, -3.0]}
    logs["what? tea."] = [-1.0, -3.0, -3.0, -0.5]
    monkeypatch.setattr(
        Likelihoods,
        "of",
        lambda self, sources, texts: [np.array(logs[text]) for text in texts],
    )
    monkeypatch.setattr(LmTokenizer, "encode", lambda self, text: [0] * len(logs[text]))
    ratios = score(conversation("A", "B"), [deep_fm(**more)]).at("turn")["deep_fm[gpt2]"]
    assert ratios.to_list() == [None, pytest.approx(expected, abs=1e-15)]


def test_what_is_cut_with_the_turn_has_no_number_and_what_just_fits_has():
    """The tiny model reads 128 pieces: the closing mark and 127 others, of which "tea" is one."""
    longest = find_model(f"path:{tiny('gpt2')}").config["n_positions"]
    pieces = LmTokenizer(torch_models.load_hf_tokenizer(find_model(f"path:{tiny('gpt2')}"))).encode
    answer, many = "so good", 1
    while len(pieces(f"{'tea ' * (many + 1)}tea {answer}")) < longest:
        many += 1
    for more, why in ((0, None), (1, "too_long")):
        context = "tea " * (many + more) + "tea"
        assert (len(pieces(f"{context} {answer}")) < longest) == (why is None)
        assert len(pieces(context)) < longest
        turns = score(talk(f"x: {context}", f"y: {answer}"), [deep_fm(mode="context")]).at("turn")
        assert turns["deep_fm[gpt2]_null"].to_list() == ["answers_nothing", why]


def test_fluency_is_the_loss_of_the_text_and_its_closing_mark():
    """As the baseline of DSTC10 has it: no mark before, one after, the mean over what is left."""
    import torch

    model = find_model(f"path:{tiny('gpt2')}")
    net, words = torch_models.load_causal(model), torch_models.load_hf_tokenizer(model)

    def fluency(text):
        ids = torch.tensor([[*words(text).input_ids, 0]])
        with torch.inference_mode():
            return -net(input_ids=ids, labels=ids, loss_type="ForCausalLM").loss.item()

    turn, reference = fluency("tea."), fluency("so good")
    table = score(conversation("so good"), [deep_fm(ratio="log")]).at("turn")
    expected = max(turn, reference) / min(turn, reference)
    assert table["deep_fm[gpt2]"][1] == pytest.approx(expected, abs=1e-5)
    table = score(conversation("so good"), [deep_fm()]).at("turn")
    assert table["deep_fm[gpt2]"][1] == pytest.approx(np.exp(-abs(turn - reference)), abs=1e-5)


def test_a_turn_that_is_its_reference_has_one():
    assert score(conversation("tea."), [deep_fm()]).at("turn")["deep_fm[gpt2]"][1] == 1.0


def test_why_there_is_no_score():
    turns = score(conversation("..."), [deep_fm()]).at("turn")
    assert turns["deep_fm[gpt2]_null"].to_list() == ["no_reference", "no_reference"]
    turns = score(conversation("a"), [deep_fm(mode="context")]).at("turn")
    assert turns["deep_fm[gpt2]_null"].to_list() == ["answers_nothing", None]


def test_what_is_longer_than_the_model_reads_cannot_be_answered_fluently():
    lines = ("x: " + "tea " * 200, "y: so good")
    turns = score(talk(*lines), [deep_fm(mode="context")]).at("turn")
    assert turns["deep_fm[gpt2]_null"].to_list() == ["answers_nothing", "too_long"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"mode": "x"}, "deep_fm.mode is 'x'; it is 'reference' or 'context'"),
        ({"ratio": "x"}, "deep_fm.ratio is 'x'; it is 'probability' or 'log'"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(more, sentence):
    with pytest.raises(BadValue) as error:
        deep_fm(**more)
    assert str(error.value) == sentence


def test_the_name_carries_the_model_since_the_published_one_was_trained_further():
    assert load("deep_fm").name == "deep_fm[gpt2]"
    assert load("deep_fm").missing == why_missing("hub:openai-community/gpt2")
