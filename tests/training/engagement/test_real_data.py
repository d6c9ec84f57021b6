"""Counts of exchanges in the real files, where they are."""

from collections import Counter

import numpy as np
import pytest

from simpatico.training.engagement.data import read_convai, read_dialog_list, read_ji
from tests.conftest import DATA


def real(path):
    """A file of the data folder; skips the test where it is absent."""
    if not (DATA / path).exists():
        pytest.skip(f"no {path} in {DATA}; set SIMPATICO_DATA to the folder of public data sets")
    return DATA / path


def test_real_convai_gives_the_counts_of_the_paper():
    """Table 1, both rows, and the sums of Table 4: 6222 + 2121 + 2062 others and 1562 + 575 + 582
    engaging exchanges; every engaging one is between people."""
    apart = read_dialog_list(real("predictive-engagement/50convs_AMT.txt"))
    result = read_convai(real("convai2017/train_full.json"), "paper", without=apart)
    talks = Counter(dict(zip(result.dialog, result.rating.tolist(), strict=True)).values())
    assert talks == {0: 1_690, 1: 21, 2: 81, 3: 47, 4: 147, 5: 63}
    exchanges = Counter(result.rating.tolist())
    assert exchanges == {0: 10_122, 1: 45, 2: 238, 3: 444, 4: 1_492, 5: 783}
    assert (len(result), result.dialogs) == (13_124, 2_049)
    assert Counter(result.label.tolist()) == {0: 6_222 + 2_121 + 2_062, 1: 1_562 + 575 + 582}
    assert result.share_between_people == 1.0


def test_real_convai_as_rated():
    result = read_convai(real("convai2017/train_full.json"), "rated")
    assert Counter(result.rating.tolist()) == {1: 3_783, 2: 3_027, 3: 2_519, 4: 1_927, 5: 2_269}
    assert (len(result), result.dialogs) == (13_525, 2_051)
    assert Counter(result.kind) == {"human-bot": 10_015, "human-human": 3_510}
    assert result.share_between_people == pytest.approx(0.426, abs=0.0005)


def test_real_convai_with_thumbs():
    """The rated exchanges, and after them those of turns whose thumbs do not cancel out."""
    whole = read_convai(real("convai2017/train_full.json"), thumbs=True)
    result = whole.take(np.arange(13_525, len(whole)))
    assert set(result.origin) == {"train_full.json, thumbs up"}
    assert (len(result), result.dialogs, int(result.label.sum())) == (7_403, 1_526, 3_654)
    assert 1.5 not in result.rating


def test_real_ji():
    whole = read_ji(real("ji2022"), threshold=50, control=True)
    assert (len(whole), whole.dialogs) == (36_997, 3_510)
    result = read_ji(real("ji2022"))
    assert (len(result), result.dialogs, len(set(result.group))) == (30_900, 2_917, 439)
    assert result.rating.min() >= 0
    assert result.rating.max() <= 100
