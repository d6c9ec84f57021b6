"""Tokens and what they cost: guessed before a run, as counted after it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from simpatico.bots.bot import Settings
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import Summary
from simpatico.errors import BadValue

CHARACTERS = 4
"""Characters of English a token has, about."""
AROUND = 4
"""Tokens that a server puts around each turn, about."""
MILLION = 1_000_000


class Tokens(NamedTuple):
    """Tokens that a bot reads and writes."""

    read: int
    written: int


class Prices(NamedTuple):
    """What a million tokens cost, in whatever money the two numbers are; null if nobody says."""

    read: float | None = None
    written: float | None = None

    def of(self, tokens: Tokens) -> float | None:
        """The price of so many tokens; null without prices."""
        if self.read is None and self.written is None:
            return None
        return (tokens.read * (self.read or 0) + tokens.written * (self.written or 0)) / MILLION


def prices(read: float | None, written: float | None) -> Prices:
    """Prices that are none of them below zero."""
    for name, price in (("--price-in", read), ("--price-out", written)):
        if price is not None and not 0 <= price < float("inf"):
            raise BadValue(f"{name} is {price}; a price is zero or more for a million tokens")
    return Prices(read, written)


def guessed(prompts: Iterable[Prompt], settings: Settings) -> Tokens:
    """About how many tokens are read, and how many are written at most."""
    read = written = 0
    for prompt in prompts:
        for turn in settings.before(prompt.dialog):
            read += AROUND + -(-len(turn.text) // CHARACTERS)
        written += settings.max_tokens
    return Tokens(read, written)


def counted(done: Summary) -> Tokens | None:
    """The tokens that bots counted; null if none did."""
    return Tokens(done.tokens_in, done.tokens_out) if done.counted else None
