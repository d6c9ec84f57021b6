"""Places of numbers against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simpatico.features.key_index import KeyIndex

NUMBERS = st.integers(0, 9) | st.integers(0, 2**63 - 1)


@given(st.lists(NUMBERS, unique=True), st.lists(NUMBERS))
def test_places_are_those_of_a_dictionary(keys: list[int], others: list[int]) -> None:
    place = {key: at for at, key in enumerate(keys)}
    asked = [*others, *keys]
    found, places = KeyIndex(np.array(keys, np.int64)).find(np.array(asked, np.int64))
    assert found.tolist() == [number in place for number in asked]
    assert places.tolist() == [place[number] for number in asked if number in place]


def test_numbers_of_one_slot_are_told_apart() -> None:
    # the highest bits of k times the multiplier are 0 for both: they are in slot 0 of 32
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    keys = np.array([n for n in range(1, 10**5) if n * inverse % 2**64 < 2**63][:3], np.int64)
    keys = (keys.astype(np.uint64) * np.uint64(inverse)).view(np.int64)
    found, places = KeyIndex(keys).find(np.append(keys[::-1], [0, 7]))
    assert (found.tolist(), places.tolist()) == ([True] * 3 + [False] * 2, [2, 1, 0])
