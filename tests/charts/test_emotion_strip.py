"""The strip of feelings."""

import pytest

from simpatico.charts.emotion_strip import EMOTIONS, emotion_legend, emotion_strip
from simpatico.features import emotions
from tests.charts.charts import HERON, PEOPLE, every, tree, words
from tests.charts.golden import golden

SHARES = dict(zip(EMOTIONS, (0.05, 0.05, 0.3, 0.1, 0.4, 0.1, 0, 0), strict=True))


def test_golden():
    golden("strip.html", emotion_strip(SHARES, HERON) + emotion_legend())


def test_the_eight_feelings_of_the_lexicon_in_the_order_of_the_page():
    assert sorted(EMOTIONS) == sorted(emotions.EMOTIONS)


def test_shades_can_be_read_back():
    cells = [e for e in every(tree(emotion_strip(SHARES, HERON)), "path") if e.get("opacity")]
    shades = {}
    for e in cells:
        place = float(e.get("d", "").removeprefix("M").partition(" ")[0])
        shades[EMOTIONS[int(place / 10)]] = float(e.get("opacity", "")) / 1.7
    assert shades == pytest.approx({e: v for e, v in SHARES.items() if v}, abs=0.005)


def test_the_strongest_is_outlined_and_named():
    root = tree(emotion_strip(SHARES, PEOPLE))
    (edge,) = every(root, "rect")
    assert float(edge.get("x", "")) == EMOTIONS.index("fear") * 10 + 0.5
    assert words(root) == "fear"
    assert next(every(root, "span")).get("title") == (
        "fear 40%, anticipation 30%, surprise 10%, sadness 10%, joy 5%, trust 5%"
    )


def test_two_that_are_equally_strong():
    assert words(tree(emotion_strip({"trust": 0.5, "joy": 0.5}, HERON))) == "joy, trust"


@pytest.mark.parametrize("share", [0.05, 0.125])
def test_no_clear_feeling(share):
    root = tree(emotion_strip(dict.fromkeys(EMOTIONS, share), HERON))
    assert words(root) == "no clear emotion"
    assert not list(every(root, "rect"))


def test_not_scored_is_a_dash():
    assert emotion_strip(None, HERON) == '<span class="emo" title="no emotion word">–</span>'


def test_the_legend_names_all():
    assert words(tree(emotion_legend())) == (
        "JTASFSADjoy, trust, anticipation, surprise, fear, sadness, anger, disgust"
    )
