"""Evidence in a text: marked where the offsets say, in words that say how much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.html import show_invisible
from simpatico.reporting.dialogs.evidence import character_boundary, mark_evidence, strongest_words
from tests.reporting.reading import Page

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quotes\" 'and' & ampersands &lt; &#60;",
    "a</mark></span></article><img src=x onerror=alert(1)>",
    "nul \x00 bell \x07 escape \x1b[31m",
    "left\u202eright\u2066isolate\u200b",
    "🙂👍🏽👩‍👩‍👧‍👦🇩🇪 yes",
    "e\u0301\u0301 n\u0303 Z̮̞̠͙͔ͅA̴̵̜̰͔L̶̷̲G̵̯̩O͉",
    "مرحبا كيف حالك؟",
    "こんにちは、元気ですか。",
    "a\nb\n\nc",
    "<!-- comment --> <![CDATA[x]]> <?php ?>",
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_reader_gets_back_the_very_text(text):
    spans = [(0, len(text) // 2, 0.5), (len(text) // 2, len(text), -0.5)]
    page = Page(mark_evidence(text, spans, 0.1))
    assert page.text == show_invisible(text)
    assert {tag for tag, _ in page.elements} <= {"mark", "span"}


def test_marks_are_at_the_code_points():
    """The smiley is one code point, though two units in a browser and four bytes."""
    assert mark_evidence("🙂 so glad", [(5, 9, 0.3)], 0) == '🙂 so <mark class="p">glad</mark>'
    assert mark_evidence("🙂🙂no", [(1, 2, -1)], 0) == '🙂<mark class="m">🙂</mark>no'


def test_weights_up_to_the_least_are_not_marked():
    spans = [(0, 1, 0.2), (2, 3, -0.2), (4, 5, 0.21)]
    assert mark_evidence("a-b-c", spans, 0.2) == 'a-b-<mark class="p">c</mark>'


def test_offsets_outside_are_cut_and_bad_ones_left_out():
    bad = [(3, 3, 1), (4, 2, 1), (9, 12, 1), (1, 2, 0), (1, 2, float("nan")), (-5, -1, 1)]
    assert mark_evidence("abcde", [*bad, (-2, 1, 1), (4, 99, -1)], 0) == (
        '<mark class="p">a</mark>bcd<mark class="m">e</mark>'
    )


def test_overlapping_spans_add_up():
    """On b lie +3 and −1, on c only −1."""
    assert mark_evidence("abc", [(0, 2, 3), (1, 3, -1)], 0) == (
        '<mark class="p">ab</mark><mark class="m">c</mark>'
    )


def test_a_space_between_words_of_one_sign_is_marked_with_them():
    assert mark_evidence("so very good", [(3, 7, 1), (8, 12, 1)], 0) == (
        'so <mark class="p">very good</mark>'
    )
    assert mark_evidence("very good", [(0, 4, 1), (5, 9, -1)], 0) == (
        '<mark class="p">very</mark> <mark class="m">good</mark>'
    )


def test_a_line_break_of_two_characters_is_one():
    assert Page(mark_evidence("a\r\nb\rc", [], 0)).text == "a\nb[U+000D]c"


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70), st.floats(-2, 2))),
    st.sampled_from([0, 0.3]),
)
def test_any_text_with_any_spans_reads_as_the_text(text, spans, least):
    text = text.replace("\r\n", "")
    assert Page(mark_evidence(text, spans, least)).text == show_invisible(text)


GLAD = ("I am so glad, what a joy", [(8, 12, 0.114), (21, 24, 0.07), (5, 7, 0.01)])
BAD = ("Whatever. I was glad", [(0, 8, -0.05), (16, 20, 0.02)])


def test_the_strongest_words_as_a_sentence():
    assert Page(strongest_words([GLAD, BAD])).text == (
        "Raised most by “glad” (+.11) and “joy” (+.07); lowered most by “Whatever” (−.05)."
    )
    assert Page(strongest_words([BAD], n=1)).text == (
        "Raised most by “glad” (+.02); lowered most by “Whatever” (−.05)."
    )
    assert Page(strongest_words([GLAD], n=3)).text == (
        "Raised most by “glad” (+.11), “joy” (+.07) and “so” (+.01)."
    )
    assert Page(strongest_words([("no", [(0, 2, -1.5)])])).text == "Lowered most by “no” (−1.50)."
    assert strongest_words([("nothing", [])]) == strongest_words([]) == ""


def test_weights_that_would_round_to_0_have_more_digits():
    rows = [("a b", [(0, 1, 0.0512), (2, 3, -0.0004)])]
    assert (
        Page(strongest_words(rows)).text
        == "Raised most by “a” (+.0512); lowered most by “b” (−.0004)."
    )


def test_quoted_words_are_short_on_one_line_and_cannot_break_out():
    long = "word " * 30
    assert Page(strongest_words([(long, [(0, 150, 1)])])).text == (
        "Raised most by “word word word word word word word word…” (+1.00)."
    )
    assert Page(strongest_words([("</p>\n\n<b>\u202e", [(0, 11, 1)])])).text == (
        "Raised most by “</p> <b>[U+202E]” (+1.00)."
    )


@pytest.mark.parametrize(
    ("text", "at", "length"),
    [
        ("abcdef", 3, 3),
        ("abc", 9, 3),
        ("abe\u0301d", 3, 2),
        ("ab👍🏽c", 3, 2),
        ("a👩‍👩‍👧c", 4, 1),
        ("ab🇩🇪", 3, 2),
        ("a" + "\u0301" * 500, 100, 100),
        ("", 5, 0),
    ],
)
def test_a_cut_keeps_what_is_read_as_one_character_whole(text, at, length):
    assert character_boundary(text, at) == length
