"""Reply chances by hand: -1, 2 more for a question, 1.5 more for ann, whom the model knows.

To ann: "why?" 1 / (1 + exp(-2.5)) = .924142, "well" 1 / (1 + exp(-.5)) = .622459. To cyd, whom it
does not know: "why?" 1 / (1 + exp(-1)) = .731059, "well" 1 / (1 + exp(1)) = .268941.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, score, signature
from simpatico.errors import MissingResource
from simpatico.features.heads import folder as head_folder
from simpatico.features.users.contexts import COVARIATES
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import Standardizer, UserModel
from simpatico.metric import collect_evidence, missing_resource
from simpatico.models.names import find_model
from tests.conftest import talk
from tests.metrics.user_models import by_hand, folder

MODEL = folder(by_hand())
METRIC = load("reply_chance", model=MODEL)
MARK = METRIC.name.removeprefix("reply_chance")
HOW = (
    "train one with `simpatico train continuity --data DIALOGS --out MODEL`, then add "
    "`--set reply_chance.model=path:MODEL`"
)


def near(*values):
    return pytest.approx(values, abs=1e-6)


def chances(turns, metric=METRIC):
    return tuple(score(turns, [metric]).at("turn")[metric.scores[0].name].to_list())


def test_chances_by_hand():
    turns = talk("ann: tea", "bob: why?", "ann: tea", "bob: well")
    assert chances(turns)[1::2] == near(0.924142, 0.622459)
    stranger = talk("cyd: tea", "bob: why?", "cyd: tea", "bob: well")
    assert chances(stranger)[1::2] == near(0.731059, 0.268941)


def test_a_dialog_has_mean_least_most_and_how_many_are_known():
    """bob speaks twice to ann and once to cyd: two of three turns are to somebody known."""
    turns = talk("ann: tea", "bob: why?", "ann: tea", "bob: well", "cyd: tea", "bob: well")
    row = score(turns, [METRIC]).at("dialog").filter(speaker="bob").row(0, named=True)
    values = [row[f"reply_chance{end}{MARK}"] for end in ("", "_min", "_max", "_known")]
    mean = (0.924142 + 0.622459 + 0.268941) / 3
    assert tuple(values) == near(mean, 0.268941, 0.924142, 2 / 3)


def test_the_interlocutor_that_data_names_is_who_counts():
    rows = {
        "dialog": ["d"] * 2,
        "speaker": ["user", "bot"],
        "text": ["tea", "why?"],
        "system": [None, "bot"],
        "interlocutor": [None, "ann"],
    }
    turns = Turns.from_utterances(pl.DataFrame(rows))
    assert chances(turns) == near(0.924142)


def test_what_is_meant_for_nobody_else_is_null_and_says_so():
    """An opening to nobody, a turn to oneself, and an opening to ann, as in training."""
    rows = {
        "dialog": ["d", "e", "f"],
        "speaker": ["bob", "bob", "bob"],
        "text": ["why?"] * 3,
        "system": ["bob"] * 3,
        "interlocutor": [None, "bob", "ann"],
    }
    table = score(Turns.from_utterances(pl.DataFrame(rows)), [METRIC]).at("turn")
    assert table[f"{METRIC.name}_null"].to_list() == ["no_interlocutor", "no_interlocutor", None]
    assert tuple(table[METRIC.name]) == (None, None, pytest.approx(0.924142, abs=1e-6))


def test_what_has_no_words_is_null_and_says_so():
    table = score(talk("ann: ...", "bob: ?!", "ann: tea"), [METRIC]).at("turn")
    assert table[f"{METRIC.name}_null"].to_list() == ["no_words", "no_words", None]
    assert table[f"reply_chance_known{MARK}"].to_list() == [None, None, 1.0]


def test_text_that_the_encoder_cannot_read_is_null_and_says_so():
    encoder, count = find_model("package:minilm"), len(COVARIATES)
    spec = InputSpec(encoder.name, encoder.sha256, char_ngrams=None)
    scaling = Standardizer(np.zeros(count), np.ones(count))
    model = folder(UserModel("chance", np.zeros(2 * 384 + count + 1), scaling), spec)
    metric = load("reply_chance", model=model)
    assert metric.card.language == "en"
    table = score(talk("ann: tea", "bob: чай", "ann: tea"), [metric]).at("turn")
    assert table[metric.name].to_list() == [None, None, 0.5]
    assert table[f"{metric.name}_null"].to_list() == ["no_interlocutor", "other_script", None]


def test_words_that_move_a_chance_are_shown():
    """Naming ann adds 1: with -1 and her 1.5 that is 1.5, without .5: .817574 - .622459 = .195115."""
    weights = by_hand().shared.copy()
    weights[COVARIATES.index("named")] = 1.0
    metric = load("reply_chance", model=folder(replace(by_hand(), shared=weights)))
    evidence = collect_evidence(metric, talk("cyd: dog", "ann: tea", "bob: well Ann tea"))
    assert [row[:3] for row in evidence.rows()] == [(2, 5, 8)]
    assert tuple(evidence["weight"]) == near(0.195115)


def test_a_model_that_is_not_here_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    nowhere = load("reply_chance", model="path:/no/where")
    empty = load("reply_chance", model=f"path:{tmp_path}")
    assert missing_resource(load("reply_chance")) == f"reply_chance needs a trained model: {HOW}"
    assert missing_resource(nowhere) == (
        f"reply_chance needs a trained model and there is none at 'path:/no/where': {HOW}"
    )
    assert missing_resource(empty) == f"'path:{tmp_path}' holds no personal model; {HOW}"
    for metric in (load("reply_chance"), nowhere, empty):
        with pytest.raises(MissingResource) as error:
            score(talk("x: do", "y: tea"), [metric])
        assert str(error.value) == missing_resource(metric)


def test_the_card_says_what_it_learned_from_and_how_many_it_knows_but_not_whom():
    about = METRIC.card.about
    assert about == (
        "How likely the addressed user is to reply to a turn. Trained on chats (licence: MIT): "
        "4 turns. It knows 2 users."
    )


def test_the_name_carries_the_model_and_the_signature_its_bytes():
    name = MODEL.rpartition("/")[2]
    assert METRIC.name == f"reply_chance[{name}]"
    assert load("reply_chance").name == "reply_chance"
    assert f"{name}_sha256:" in signature(METRIC)
    assert "ann" not in signature(METRIC)
