"""DialogRPT's ensemble by hand, and a head against transformers' own classifier."""

import numpy as np
import pytest

from simpatico import load, score
from simpatico.errors import BadValue, DataError
from simpatico.features.classes import ReplyRater, sigmoid
from simpatico.metrics.dialog_rpt import HEADS
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import torch_backend as torch_models
from tests.conftest import talk
from tests.models.tiny import tiny

KIND = "gpt2-classes-1"
LINES = ("x: hello you", "y: tea?", "x: so good ", "y: I like the dog.")


def dialog_rpt(**more):
    return load("dialog_rpt", **{"model": f"path:{tiny(KIND)}", **more})


def test_the_ensemble_by_hand(monkeypatch, tmp_path):
    """updown .8, width .4, depth .5, against random .9, against machines .7.

    (.9 + .7) / 2 = .8; (.8 + .48 * .5 - .5 * .4) / .98 = .84 / .98; together .685714.
    """
    ratings = dict(zip(HEADS, (0.8, 0.4, 0.5, 0.9, 0.7), strict=True))
    (folder := tmp_path / "ratings").mkdir()
    for head in HEADS:
        (folder / head).symlink_to(tiny(KIND))
    monkeypatch.setattr(
        ReplyRater,
        "of",
        lambda self, sources: np.full(len(sources), ratings[self.model.name.split("/")[-1]]),
    )
    metric = dialog_rpt(model=f"path:{folder}/{{head}}")
    row = score(talk(*LINES), [metric]).at("turn").row(1, named=True)
    assert row["dialog_rpt[ratings]"] == pytest.approx(0.8 * 0.84 / 0.98, abs=1e-12)
    assert row["dialog_rpt_width[ratings]"] == 0.4
    assert row["dialog_rpt_human_vs_machine[ratings]"] == 0.7


@pytest.mark.parametrize(("history", "turns"), [(1, 1), (2, 2), (9, 3)])
def test_a_head_reads_context_mark_and_reply_and_says_a_share(history, turns):
    """As the repository does: each turn stripped, a mark between them, a sigmoid at the end."""
    import torch

    model = find_model(f"path:{tiny(KIND)}")
    net, words = torch_models.load_classifier(model), torch_models.load_hf_tokenizer(model)
    text = "<|endoftext|>".join(line[3:].strip() for line in LINES[3 - turns :])
    ids = torch.tensor([words(text, split_special_tokens=False).input_ids])
    with torch.inference_mode():
        expected = torch.sigmoid(net(input_ids=ids).logits)[0, 0].item()
    table = score(talk(*LINES), [dialog_rpt(history=history)]).at("turn")
    assert table[f"dialog_rpt_updown[{KIND}]"][3] == pytest.approx(expected, abs=1e-5)
    assert table[f"dialog_rpt[{KIND}]_null"].to_list() == ["answers_nothing", None, None, None]


def test_no_bit_depends_on_other_dialogs():
    full, part = (score(talk(*lines), [dialog_rpt()]).at("turn") for lines in (LINES, LINES[:2]))
    assert full[f"dialog_rpt[{KIND}]"].to_list()[:2] == part[f"dialog_rpt[{KIND}]"].to_list()


def test_a_long_conversation_loses_its_start():
    lines = ("x: " + "tea " * 200, "y: " + "so good " * 200)
    assert 0 < score(talk(*lines), [dialog_rpt()]).at("turn")[f"dialog_rpt_updown[{KIND}]"][1] < 1


def test_a_share_never_overflows():
    assert [sigmoid(x) for x in (-1e6, 0.0, 1e6)] == [0.0, 0.5, 1.0]


def test_a_model_of_several_classes_is_refused():
    with pytest.raises(DataError) as error:
        score(talk(*LINES), [dialog_rpt(model=f"path:{tiny('gpt2-classes-3')}")])
    assert str(error.value) == (
        f"path:{tiny('gpt2-classes-3')} predicts 3 classes, where one number is needed; name "
        "a regression model"
    )


def test_a_parameter_that_makes_no_sense_is_refused():
    with pytest.raises(BadValue) as error:
        dialog_rpt(history=0)
    assert str(error.value) == "dialog_rpt.history is 0; it is from 1 to 1,000"


def test_the_first_head_that_is_not_here_is_named():
    assert load("dialog_rpt").missing == why_missing("hub:microsoft/DialogRPT-updown")
    assert (load("dialog_rpt").name, dialog_rpt().name) == ("dialog_rpt", f"dialog_rpt[{KIND}]")
