"""Payloads: what is read fast is what is read slowly; parts that hold what was spoken."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from simpatico.readers.file_formats._payloads import Message, read_messages, text_messages
from simpatico.readers.input.record import Ledger

TEXTS = st.none() | st.text(max_size=3)
PARTS = st.lists(st.fixed_dictionaries({"type": st.just("text"), "content": st.text(max_size=3)}))
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool", "human"])},
    optional={"content": TEXTS, "parts": PARTS, "name": TEXTS, "finish_reason": TEXTS},
)


@given(st.lists(MESSAGES, max_size=3) | MESSAGES)
@example([{"role": "user", "name": "Ann", "content": "hi"}])
@example([{"role": "user", "content": None, "parts": []}])
@example([{"role": "user", "parts": [{"type": "text", "content": t} for t in "ab"]}])
def test_the_fast_way_reads_the_same(value: Any) -> None:
    """A payload that is text may be read fast, its value is read slowly."""
    fast, slow = Ledger(), Ledger()
    assert read_messages(json.dumps(value), "user", fast) == read_messages(value, "user", slow)
    assert fast.skip_counts == slow.skip_counts


def test_which_messages_are_read_fast() -> None:
    usual = [{"role": "system", "content": "x"}, {"role": "user", "name": "Ann", "content": "hi"}]
    assert text_messages(json.dumps(usual)) == [Message("user", "hi", "Ann")]
    assert text_messages(json.dumps([{"role": "user", "content": [{"type": "image"}]}])) is None


def test_audio_is_its_transcript() -> None:
    for part in (
        {"type": "input_audio", "input_audio": {"data": "AA", "transcript": "hi"}},
        {"type": "audio", "audio": {"transcript": "hi"}},
        {"type": "blob", "content": "AA", "transcript": "hi"},
    ):
        value = [{"role": "user", "content": [part]}]
        assert read_messages(value, "user", Ledger()) == [Message("user", "hi")]
