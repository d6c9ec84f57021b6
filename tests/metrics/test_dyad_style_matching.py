"""LSM of a dyad over the whole conversation: by hand, and symmetric."""

import polars as pl
import pytest

import simpatico as si
from tests.conftest import talk


def scored(*lines):
    return si.score(talk(*lines), "dyad_style_matching").at("dialog")


def test_by_hand():
    """A: "No." and "Yes.", half of the words negations; B: "Yes." none.

    "no" is also a quantifier, so that two of nine categories are as unlike as can be (50 against 0)
    and seven are used by neither: (7 + 2 (1 - 50 / 50.0001)) / 9.
    """
    frame = scored("a: No.", "b: Yes.", "a: Yes.")
    unlike = 1 - 50 / 50.0001
    assert frame["dyad_style_matching"].to_list() == pytest.approx([(7 + 2 * unlike) / 9] * 2)
    assert frame["percent_negate"].to_list() == [50, 0]
    assert frame["dyad_style_matching_negate"].to_list() == pytest.approx([unlike] * 2)


def test_the_whole_conversation_counts_not_only_answers():
    """The same words in another order of turns give the same score, unlike turn by turn."""
    lines = ("a: we had a dog and it was old", "b: I am so sorry", "a: not now", "b: maybe later")
    first, last = scored(*lines), scored(lines[2], lines[3], lines[0], lines[1])
    columns = [c for c in first.columns if "null" not in c and first.schema[c] == pl.Float64]
    for column in columns:
        assert first[column].to_list() == pytest.approx(last[column].to_list())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("a: hi", "b: hello", "c: hey"), "not_two_speakers"),
        (("a: hi there",), "not_two_speakers"),
        (("a: hi there", "b: ..."), "no_words"),
        (("a: hi there", "b: 今日は元気ですか"), "other_script"),
    ],
)
def test_what_is_no_dyad_has_a_reason(lines, reason):
    frame = scored(*lines)
    assert frame["dyad_style_matching"].null_count() == frame.height
    assert reason in frame["dyad_style_matching_null"].to_list()


def test_presets_do_not_change():
    from simpatico.registry import preset

    assert not any("dyad_style_matching" in preset(name) for name in ("default", "psych"))
