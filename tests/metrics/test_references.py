"""BLEU and chrF: what sacrebleu itself says, and nothing where there is nothing to compare."""

import polars as pl
import pytest

from simpatico import Turns, load, score, signature
from simpatico.errors import MissingResource
from simpatico.features import references

sacrebleu = pytest.importorskip("sacrebleu")

PAIRS = [
    ("the cat sat on", ["the cat sat down", "a cat sat on the mat"]),
    ("I would like some tea, please.", ["Could I have tea?", "I would like a cup of tea, please."]),
    ("no", ["yes, of course"]),
    ("Das ist gut", ["Das ist sehr gut"]),
]


def turns(pairs):
    rows = [("d", f"{i % 2}", text, refs) for i, (text, refs) in enumerate(pairs)]
    names = ["dialog", "speaker", "text", "references"]
    return Turns.from_utterances(pl.DataFrame(rows, names, orient="row"))


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_a_turn_has_what_sacrebleu_says_of_it(name):
    theirs = {"bleu": sacrebleu.sentence_bleu, "chrf": sacrebleu.sentence_chrf}[name]
    values = score(turns(PAIRS), [load(name)]).at("turn")[name].to_list()
    assert values == [pytest.approx(theirs(t, r).score, abs=1e-9) for t, r in PAIRS]


def test_bleu_by_hand():
    """4 of 4, 3 of 3, 2 of 2, and 0 of 1 smoothed to 1/2; no brevity: 100 (1/2)^(1/4)."""
    values = score(turns(PAIRS[:1]), [load("bleu")]).at("turn")["bleu"].item()
    assert values == pytest.approx(100 * 0.5**0.25, abs=1e-9)


def test_a_dialog_has_the_bleu_of_all_its_turns_at_once():
    """The speaker of the first and third turn; sacrebleu's own corpus score of the two."""
    pairs = [PAIRS[0], PAIRS[1], PAIRS[3]]
    values = score(turns(pairs), [load("bleu")]).at("dialog")["bleu"].to_list()
    texts, refs = (
        [pairs[0][0], pairs[2][0]],
        [[pairs[0][1][0], pairs[2][1][0]], [pairs[0][1][1], None]],
    )
    assert values[0] == pytest.approx(sacrebleu.corpus_bleu(texts, refs).score, abs=1e-9)


def test_a_dialog_has_the_mean_chrf_of_its_turns():
    table = score(turns(PAIRS), [load("chrf")])
    each = table.at("turn")["chrf"].to_list()
    assert table.at("dialog")["chrf"].to_list() == [
        pytest.approx((each[0] + each[2]) / 2),
        pytest.approx((each[1] + each[3]) / 2),
    ]


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_without_reference_or_words_there_is_none(name):
    pairs = [("hello there", None), ("...", ["hello"]), ("hi", ["", " "]), ("hi", ["hi"])]
    table = score(turns(pairs), [load(name)]).at("turn")
    assert table[name].is_null().to_list() == [True, True, True, False]
    assert table[f"{name}_null"].to_list() == ["no_reference", "no_words", "no_reference", None]
    assert score(turns(pairs[:1]), [load(name)]).at("dialog")[name].to_list() == [None]


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_the_signature_names_the_version_and_without_the_package_a_way_out_is_told(
    name, monkeypatch
):
    assert f"|sacrebleu:{sacrebleu.__version__}|" in signature(load(name))
    monkeypatch.setattr(references, "find_spec", lambda package: None)
    sentence = (
        "comparing with references needs the package sacrebleu; pip install 'simpatico[neural]'"
    )
    assert load(name).missing == sentence
    with pytest.raises(MissingResource) as error:
        score(turns(PAIRS), [load(name)])
    assert str(error.value) == sentence


def test_bleu_of_a_script_without_spaces_is_null_and_not_0():
    turns = Turns.from_utterances(
        pl.DataFrame(
            {
                "dialog": ["d"] * 2,
                "speaker": ["x", "y"],
                "text": ["元気ですか", "はい、とても元気です。"],
                "references": [None, ["元気です"]],
            }
        )
    )
    frame = score(turns, [load("bleu"), load("chrf")]).at("turn")
    assert frame["bleu"][1] is None
    assert frame["bleu_null"][1] == "no_spaces"
    assert frame["chrf"][1] > 10
