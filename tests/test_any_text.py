"""Any text: no exception, finite or null with a reason, and what nobody sees changes nothing."""

import string
import time
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from simpatico import Turns, load, score
from simpatico.registry import preset

METRICS = [load(name) for name in preset("psych")]
INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u200e", "\u202e", "\u2066", "\u2069"]  # fmt: skip

NAUGHTY = [
    *"\x00\x01\x07\x08\x1b\x7f\x85\xa0\u1680\u180e\u2028\u2029\u202f\u205f\u3000\ufffe\uffff",
    *string.punctuation,
    "NULL", "nan", "NaN", "None", "undefined", "true", "inf", "-inf", "1e999", "0x0", "1/0", "-0",
    "' OR 1=1 --", '"; DROP TABLE turns; --', "<script>alert(1)</script>", "{{7*7}}", "${jndi:ldap}",
    "=cmd|' /C calc'!A0", "@SUM(1+1)", "%s%s%n", "../../etc/passwd", "\\\\host\\share", "C:\\nul",
    "\x1b[31mred\x1b[0m", "\x1b]52;c;aGk=\x07", "a\rb", "a\nb\tc", "\u202eevil", "z" * 5_000,
    "''''''", "'" * 1001, "don''t", "'tis", "rock'n'roll'", "’’’", "o’’o", "‘quoted’", "´acute´",
    "e\u0301", "é", "ﬁ", "Ｆｕｌｌ", "①②", "½", "²", "İstanbul", "ẞ", "ß", "ſ", "K", "Å", "ǅ", "ΑΣ", "ς",
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "😀" * 100, "¯\\_(ツ)_/¯", "(╯°□°)╯︵ ┻━┻", "ಠ_ಠ", "ʕ•ᴥ•ʔ",
    "日本語", "한국어", "العربية", "עברית", "ไทย", "हिन्दी", "Ελληνικά", "Кириллица", "ქართული", "አማርኛ",
    "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤", "Z̮̞̠͙͔ͅA̴̵̜̰͔L̶̷̲G̵̯̩O͉", "\u0301\u0302\u0303", "a" + "\u0301" * 200,
    "ｌｏｖｅ", "l\u200bove", "lo\u00adve", "l-o-v-e", "l.o.v.e", "𝓵𝓸𝓿𝓮", "𝐥𝐨𝐯𝐞", "łóve", "lοve", "love" * 500,
    "http://a.b/c?d=e&f#g", "a@b.c", "#love", "@love", "$love", "I❤you", "1,000.00", "12:30", "C++", "x_y",
    "\ud7ff", "\ue000", "\U0010ffff", "\U000e0001\U000e0041", "\u2063\u2064", "\ufffd",
    "Lorem ipsum " * 300, "no " * 2_000, "no" * 2_000, "I", "i", "I'm", "im", "i m", "Iʼm", "I＇m",
]  # fmt: skip


def scored(texts):
    """All metrics on a dialog in which each text is answered by a plain one."""
    rows = [
        ("d", who, text) for text in texts for who, text in (("x", text), ("y", "I love you so"))
    ]
    table = pl.DataFrame(rows, schema=["dialog", "speaker", "text"], orient="row")
    return score(Turns.from_utterances(table), METRICS)


def check(frame):
    """Every score is finite, or null with a reason beside it."""
    for metric in METRICS:
        names = [s.name for s in metric.scores if s.name in frame.columns]
        for name in names:
            assert frame[name].is_nan().sum() == 0
            assert frame[name].is_infinite().sum() == 0
        if names:
            reason = frame[f"{metric.name}_null"]
            assert (frame[names[0]].is_null() == reason.is_not_null()).all()


def test_there_are_at_least_150_naughty_strings():
    assert len(NAUGHTY) >= 150


@pytest.mark.parametrize("text", NAUGHTY, ids=range(len(NAUGHTY)))
def test_naughty_strings_are_scored_or_null_with_a_reason(text):
    check(scored([text]).at("turn"))
    check(scored([text]).at("dialog"))


@given(st.lists(st.text(), min_size=50, max_size=50))
@settings(max_examples=200)
def test_ten_thousand_random_texts(texts):
    check(scored(texts).at("turn"))


def scores_of(text):
    return scored([text]).at("turn").drop("turn")


@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "M", "N", "P", "Zs"))))
def test_composed_and_decomposed_text_score_alike(text):
    nfc, nfd = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert_frame_equal(scores_of(nfc), scores_of(nfd), check_exact=True)


@given(st.data())
def test_what_nobody_sees_changes_no_score(data):
    words = data.draw(
        st.lists(st.sampled_from(["I", "love", "don't", "the", "no", "fear", "é"]), min_size=1)
    )
    text = " ".join(words)
    hidden = "".join(c + data.draw(st.sampled_from(["", *INVISIBLE])) for c in text)
    assert_frame_equal(scores_of(text), scores_of(hidden), check_exact=True)


@pytest.mark.timing
@pytest.mark.parametrize(
    "unit", ["a", "a ", "'", "a'", "é", "日", "😀", " ", "\n", "I love ", "\u200b", "a\u0301"]
)
def test_time_is_linear_in_the_length_of_a_turn(unit):
    """Ten times the text takes at most twenty times the time; quadratic would take a hundred."""

    def seconds(size):
        text = unit * (size // len(unit.encode()))
        start = time.process_time()
        scored([text])
        return time.process_time() - start

    seconds(1_000)
    short = min(seconds(100_000) for _ in range(3))
    assert seconds(1_000_000) < 20 * max(short, 0.02)
