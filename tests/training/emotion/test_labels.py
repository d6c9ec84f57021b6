"""What labels mean: the rule of the 70%, maps, and complaints in whole sentences."""

import numpy as np
import pytest

from simpatico.errors import DataError, MissingResource
from simpatico.features.plutchik import EMOTIONS
from simpatico.training.emotion.data import GOEMOTIONS_SIGNS, Utterances
from simpatico.training.emotion.labels import (
    LabelSign,
    infer_label_signs,
    polarity_model,
    resolve_labels,
)
from simpatico.training.lexicon import MAPPING

NAN = float("nan")


def happy(texts):
    """A classifier that goes by one word, and says nothing of dots."""
    return np.array([NAN if text == "." else 0.9 if "good" in text else 0.1 for text in texts])


def said(*pairs, known=None):
    texts, labels = zip(*pairs, strict=True)
    names = [tuple(label.split("|")) for label in labels]
    return Utterances("made up", list(texts), names, known_signs=known or {})


def test_the_rule_by_hand():
    """Of ten "joy" seven are good: 70% is enough. Of ten "surprise" six are: each by itself. Of ten
    "fear" three are good, so 70% are bad, which 1 - .3 in floating point is just below."""
    texts = [*["good"] * 7, *["bad"] * 3, *["good"] * 6, *["bad"] * 4, *["good"] * 3, *["bad"] * 7]
    labels = [["joy"]] * 10 + [["surprise"]] * 10 + [["fear"]] * 10
    assert infer_label_signs(labels, texts, happy) == {
        "joy": LabelSign("positive", 10, 0.7),
        "surprise": LabelSign("each", 10, 0.6),
        "fear": LabelSign("negative", 10, 0.3),
    }
    assert infer_label_signs(labels[:10], texts[:10], happy, share=0.75)["joy"].sign == "each"


def test_what_the_classifier_says_nothing_of_does_not_count():
    """Two of "odd" are good, one is a dot: 2 of 2. Of "dots" nothing is known."""
    result = infer_label_signs([["odd"], ["odd", "dots"], ["odd"]], ["good", ".", "so good"], happy)
    assert result == {"odd": LabelSign("positive", 2, 1.0), "dots": LabelSign("each", 0, 0.5)}


def told(given, kind, **mapped):
    result = resolve_labels(given, kind, mapping=mapped, polarity=lambda: happy)
    return result.targets(given).tolist()


def same(found, wanted):
    assert np.array_equal(np.array(found), np.array(wanted, float), equal_nan=True), found


def test_polarity_by_map_by_rule_and_by_utterance():
    """Label "a" is mapped, of "b" all are good, of "c" half are, so that each goes by itself."""
    inputs = said(
        ("bad", "a"), ("good", "b"), ("good", "c"), ("bad", "c"), (".", "c"), ("x", "neutral")
    )
    same(told(inputs, "polarity", a="positive"), [[1], [1], [1], [0], [NAN], [NAN]])


def test_several_labels_of_one_utterance():
    """A clear sign goes before one by utterance; two clear ones contradict each other."""
    inputs = said(("good", "c"), ("bad", "c"), ("good", "c|n"), ("x", "p|n"), ("x", "p|o"))
    signs = {"p": "positive", "n": "negative", "o": "omit"}
    same(told(inputs, "polarity", **signs), [[1], [0], [0], [NAN], [1]])


def test_neutrality_takes_every_other_label_for_an_emotion():
    inputs = said(("x", "neutral"), ("x", "joy"), ("x", "joy|neutral"), ("x", "joy|q"), ("x", "q"))
    same(told(inputs, "neutrality", q="omit"), [[0], [1], [NAN], [1], [NAN]])
    same(told(said(("x", "0"), ("x", "1")), "neutrality", **{"0": "neutral"}), [[0], [1]])


def test_eight_emotions_by_name_and_by_map():
    inputs = said(("x", "love"), ("x", "Wut"), ("x", "neutral"), ("x", "q"), ("x", "realization"))
    result = told(inputs, "plutchik", Wut="anger,disgust", q="omit")
    wanted = [{"joy", "trust"}, {"anger", "disgust"}, set(), None, set()]
    same(result, [[NAN if has is None else e in has for e in EMOTIONS] for has in wanted])


def test_every_label_of_goemotions_has_a_sign():
    """Demszky et al. have 12 positive labels, 11 negative ones, 4 that are neither, and neutral."""
    assert list(MAPPING) == [*sorted(set(GOEMOTIONS_SIGNS) - {"neutral"}), "neutral"]
    signs = list(GOEMOTIONS_SIGNS.values())
    assert [signs.count(s) for s in ("positive", "negative", "omit", "neutral")] == [12, 11, 4, 1]
    inputs = said(("bad", "joy"), ("good", "fear"), ("good", "surprise"), known=GOEMOTIONS_SIGNS)
    same(told(inputs, "polarity"), [[1], [0], [NAN]])


@pytest.mark.parametrize(
    ("kind", "mapped", "sentence"),
    [
        ("polarity", {"z": "positive"}, "made up: no utterance is labelled 'z'; its labels are "),
        (
            "neutrality",
            {},
            "made up: no label is known to be neutral; name it with --map LABEL=neutral; its "
            "labels are ",
        ),
    ],
)
def test_complaints_name_the_labels(kind, mapped, sentence):
    inputs = said(("x", "a"), ("x", "b"))
    with pytest.raises(DataError) as refused:
        told(inputs, kind, **mapped)
    assert str(refused.value) == sentence + "'a', 'b'"


def test_more_complaints_are_whole_sentences():
    inputs = said(*(("x", name) for name in "abcdefghijkl"))
    with pytest.raises(DataError) as refused:
        told(inputs, "neutrality")
    assert str(refused.value).endswith("'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', ...")
    with pytest.raises(DataError) as refused:
        told(inputs, "plutchik")
    assert str(refused.value) == (
        "made up: label 'a' is none of the eight emotions; give --map a=EMOTION, =neutral for none "
        "of them, or =omit to leave it out"
    )
    with pytest.raises(DataError) as refused:
        told(inputs, "polarity", a="joy")
    assert str(refused.value) == (
        "--map a=joy: for polarity a label means one of positive, negative, neutral, omit"
    )
    with pytest.raises(MissingResource) as missing:
        polarity_model("path:/no/where")
    assert str(missing.value).startswith("no polarity model 'path:/no/where' for labels of ")
    assert str(missing.value).endswith(
        "; give one with --polarity-model, or the sign with --map LABEL=positive"
    )
