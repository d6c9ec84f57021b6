"""FED's composition by hand, and the whole metric against the published loop."""

import numpy as np
import pytest

from simpatico import load, score
from simpatico.errors import BadValue
from simpatico.features.likelihood import FollowUps, Likelihoods
from simpatico.metrics.fed import QualityFollowUps, follow_ups
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import torch_backend as torch_models
from tests.conftest import talk
from tests.models.tiny import tiny


def fed_metric(kind="gpt2", **more):
    return load("fed", model=f"path:{tiny(kind)}", **more)


def test_a_quality_is_the_loss_of_bad_follow_ups_less_that_of_good_ones():
    """Context: 4 pieces of -2 each. Follow-ups: -1 over 1 piece, -6 over 2, -8 over 4 pieces.

    Over the whole: 9/5 = 1.8, 14/6 = 2.333, 16/8 = 2. Bad are the last two, good is the first:
    (2.333 + 2) / 2 - 1.8 = .3667. Over the follow-ups alone 1, 3 and 2: 2.5 - 1 = 1.5.
    Where there is no good one, the mean of the bad ones stays: 2.1667 and 2.5.
    """
    losses = FollowUps(-8.0, 4, np.array([-1.0, -6.0, -8.0]), np.array([1.0, 2.0, 4.0]))
    weights = {"both": np.array([-1.0, 0.5, 0.5]), "bad": np.array([0.0, 0.5, 0.5])}
    quality = QualityFollowUps(("a", "b", "c"), weights)
    assert quality.values(losses, "whole") == pytest.approx([11 / 30, 13 / 6])
    assert quality.values(losses, "followup") == pytest.approx([1.5, 2.5])


def test_the_paper_has_eight_qualities_of_a_turn_and_ten_of_a_dialog():
    """38 follow-ups in the lists of turns and 35 in those of dialogs, 32 and 34 of them distinct."""
    turn, dialog = follow_ups("turn"), follow_ups("dialog")
    assert (len(turn.weights), len(dialog.weights)) == (8, 10)
    assert (len(turn.texts), len(dialog.texts)) == (32, 34)
    counts = [sum(int((w != 0).sum()) for w in level.weights.values()) for level in (turn, dialog)]
    assert counts == [38, 35]
    both = turn.weights["semantically_appropriate"]
    weights = {text: weight for text, weight in zip(turn.texts, both, strict=True) if weight}
    assert weights == {
        "That makes sense!": -0.5,
        "You have a good point.": -0.5,
        "That makes no sense!": 1.0,
    }


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_scores_equal_the_published_loop(kind):
    """Each follow-up in its own pass, the mean loss of conversation and follow-up."""
    import torch

    lines = ["x: hello you", "y: I like tea.", "x: why?", "y: it is so good"]
    row = score(talk(*lines), [fed_metric(kind)]).at("turn").row(3, named=True)
    model = find_model(f"path:{tiny(kind)}")
    net, words = torch_models.load_causal(model), torch_models.load_hf_tokenizer(model)
    mark = {"gpt2": "<|endoftext|>", "llama": "<|e|>"}[kind]
    history = "".join(f"{mark} {line[3:]} " for line in lines)

    def loss(text):
        inputs = words(
            f"{history}{mark} {text}", split_special_tokens=False, add_special_tokens=False
        )
        ids = torch.tensor([inputs.input_ids])
        with torch.inference_mode():
            return net(input_ids=ids, labels=ids, loss_type="ForCausalLM").loss.item()

    good = ["That makes sense!", "You have a good point."]
    bad = ["I don't understand at all!", "I'm so confused!", "That makes no sense!"]
    bad.append("What does that even mean?")
    expected = np.mean([loss(t) for t in bad]) - np.mean([loss(t) for t in good])
    assert row[f"fed_understandable[{kind}]"] == pytest.approx(expected, abs=1e-5)
    only = ["That's not what you said earlier!", "Stop contradicting yourself!"]
    expected = np.mean([loss(text) for text in only])
    assert row[f"fed_consistent[{kind}]"] == pytest.approx(expected, abs=1e-5)


def test_a_dialog_is_judged_once_after_a_speakers_last_turn_and_turns_are_averaged():
    metric = fed_metric()
    table = score(talk("x: hello", "y: tea?", "x: no", "y: so sad", "x: ..."), [metric])
    turns, dialogs = table.at("turn"), table.at("dialog")
    has_dialog_score = turns["fed_dialog[gpt2]"].is_not_null().to_list()
    assert has_dialog_score == [False, False, True, True, False]
    assert turns["fed[gpt2]_null"].to_list() == [None, None, None, None, "no_words"]
    turn_scores = turns["fed[gpt2]"].to_list()
    assert dialogs["fed[gpt2]"].to_list() == [
        (turn_scores[0] + turn_scores[2]) / 2,
        (turn_scores[1] + turn_scores[3]) / 2,
    ]
    assert dialogs["fed_dialog[gpt2]"].to_list() == turns["fed_dialog[gpt2]"].to_list()[2:4]
    names = [f"fed_{quality}[gpt2]" for quality in follow_ups("turn").weights]
    assert turn_scores[0] == pytest.approx(np.mean([turns[name][0] for name in names]), abs=1e-12)


def test_a_turn_is_heard_after_all_before_it_that_have_text(monkeypatch):
    contexts = []
    real = Likelihoods.follow_ups
    monkeypatch.setattr(
        Likelihoods, "follow_ups", lambda s, c, t: contexts.append(c) or real(s, c, t)
    )
    score(talk("x: hello", "y: ", "x: tea"), [fed_metric()])
    assert contexts == [[("hello",), ("hello", "tea")], [("hello", "tea")]]


def test_a_score_does_not_depend_on_later_turns_nor_on_other_dialogs():
    lines = ["x: hello you", "y: I like tea.", "x: why do you?", "y: it is so good"]
    full, part = (score(talk(*subset), [fed_metric()]).at("turn") for subset in (lines, lines[:2]))
    assert full["fed[gpt2]"].to_list()[:2] == part["fed[gpt2]"].to_list()


def test_another_script_is_null_and_says_so():
    table = score(talk("x: hello", "y: Сегодня хорошая погода"), [fed_metric()])
    assert table.at("turn")["fed[gpt2]_null"].to_list() == [None, "other_script"]


def test_a_parameter_that_makes_no_sense_is_refused():
    with pytest.raises(BadValue) as error:
        fed_metric(over="all")
    assert str(error.value) == "fed.over is 'all'; it is 'whole' or 'followup'"


def test_the_name_carries_what_is_not_the_published_model():
    assert load("fed").name == "fed"
    assert fed_metric().name == "fed[gpt2]"
    assert load("fed").missing == why_missing("hub:microsoft/DialoGPT-large")
