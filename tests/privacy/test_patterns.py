"""Patterns of personal data: what is replaced, what stays, and how much of it is found."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Conversations
from simpatico.privacy.patterns import CANDIDATE, KINDS, RECALL, redact_text
from tests.conftest import ROOT
from tests.privacy.generator import MAKERS, cases

SEED = 20_261_118  # rules were corrected on other seeds of the same generator, none on this one


def redacted(text):
    return redact_text(text, lambda kind: None)


@pytest.mark.parametrize("kind", KINDS)
def test_at_least_99_of_100_are_replaced_and_nothing_of_them_stays(kind):
    """1,000 cases a kind; one counts only where nothing but its placeholder stands in its place."""
    found = [redacted(text) == expected for text, _, expected in cases(kind, 1_000, SEED)]
    assert sum(found) / len(found) >= RECALL >= 0.99


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_that_holds_one_is_passed_over(kind):
    import polars as pl

    texts = pl.Series([text for text, _, _ in cases(kind, 1_000, SEED)])
    assert texts.str.contains(CANDIDATE).all()


@pytest.mark.parametrize(
    "text",
    [
        "It is 10:30 on 12/05/2023, or 2023-11-18 10:30:00, or 20231118.",
        "Between 1990-2000, 2020 2021 2022 and 3.14159265 or 0.123456789",
        "1,234,567.89 and 12.345.678 and 40 000 000 and 1 234 567 people",
        "$1234567890, order #12345678, v1.2.3, 16:9, 3-2, 24/7, 100%",
        "std::cout and ::, at 10:23:45, @ann, meet me at the dot",
        "see https://example.org/status/1234567890123 and 50 @ 1.85",
        "DE12 3456 is short, GB00 ABCD EFGH IJKL MNOP 12 is no IBAN",
        "912345678901238 has a right check digit and one digit too few",
        "1234567890123456 is no card; 1 2 3 4 5 6 7 8 9 10",
    ],
)
def test_other_numbers_stay(text):
    assert redacted(text) == text


def test_each_kind_has_its_placeholder_and_is_counted():
    counts = Counter()
    text = (
        "ann.lee@example.org, (030) 1234 5678, +1-555-123-4567 x12, 4111-1111-1111-1111 12/25, "
        "DE89 3704 0044 0532 0130 00, 192.168.0.1:80, fe80::1, john [at] example [dot] com"
    )
    assert redact_text(text, lambda kind: counts.update([kind])) == (
        "[email], [phone], [phone], [card] 12/25, [iban], [ip]:80, [ip], [email]"
    )
    assert counts == {"email": 2, "phone": 2, "card": 1, "iban": 1, "ip": 2}


def test_ordinary_chat_stays_as_it_is():
    path = ROOT / "simpatico" / "data" / "samples" / "conversations.jsonl"
    texts = [t for c in Conversations((path,)).chunks() for t in c.turns.frame["text"]]
    assert len(texts) == 755
    assert [text for text in texts if redacted(text) != text] == []


@given(
    st.text(st.characters(codec=None), max_size=200) | st.text("0123456789+()-. @:a/x", max_size=80)
)
def test_any_text_is_taken_and_a_second_time_changes_nothing(text):
    assert redacted(redacted(text)) == redacted(text)


ATTACKS = [
    *(
        "a",
        "1",
        "a.",
        "a@",
        "1.",
        "1-",
        "1 ",
        ":",
        "a:",
        "1:",
        "@",
        "(",
        "+1",
        "a dot ",
        " at a dot",
    ),
    *(
        "DE12",
        "DE1 ",
        "a'",
        "a@a.",
        "[at]",
        "1.1.1.1.",
        "１",
        "中",
        "中a",
        "a+",
        '"a',
        "x1",
        "ext1",
    ),
]


@pytest.mark.timing
@pytest.mark.parametrize("unit", ATTACKS)
def test_time_is_linear_in_the_text(unit):
    def cpu(n):
        text = (unit * n)[:n] + "!"
        start = time.process_time()
        redacted(text)
        return time.process_time() - start

    small = min(cpu(20_000) for _ in range(3))
    assert cpu(200_000) < 20 * max(small, 0.005)


def test_the_generator_makes_every_kind():
    assert set(MAKERS) == set(KINDS)
