"""Digits that stand for persons."""

from hypothesis import given
from hypothesis import strategies as st

from simpatico.features.users.identity import new_key, pseudonym

KEY = bytes(range(32))


def test_digits_stay_the_same_so_that_folders_stay_readable():
    """The first 8 bytes that BLAKE2b makes of "ann" with this key, asked for no more than these."""
    assert pseudonym("ann", KEY) == "4d1bac848c0ca6cd"


def test_nobody_has_no_digits():
    assert pseudonym("", KEY) == ""


@given(person=st.text(st.characters(), min_size=1))
def test_digits_depend_on_the_key_and_on_nothing_else(person):
    assert pseudonym(person, KEY) == pseudonym(person, KEY)
    assert len(pseudonym(person, KEY)) == 16
    assert pseudonym(person, KEY) != pseudonym(person, new_key())


def test_half_of_a_surrogate_pair_is_a_name_like_any_other():
    assert len(pseudonym("\ud800", KEY)) == 16
