"""What a bot is: called with a dialog so far, it gives its reply, or says why it has none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from simpatico.errors import BadValue

Role = Literal["system", "user", "assistant"]
Told = Mapping[str, Any]

LONGEST_TIMEOUT = 3600.0
MOST_TOKENS = 1_000_000
MOST_RETRIES = 20


class Said(NamedTuple):
    """One turn of a dialog from a bot's view: its own turns are those of the assistant."""

    role: Role
    text: str


@dataclass(frozen=True)
class Reply:
    """What a bot answered; tokens are null where nobody counted them.

    `model` is what answered, as it calls itself; `ended` why it stopped there, such as `length`.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str | None = None
    ended: str | None = None


@dataclass(frozen=True)
class Settings:
    """How a bot is asked; what is null is left to the bot.

    `retries` and `timeout`, in seconds, are no part of what an answer depends on.
    """

    temperature: float | None = None
    max_tokens: int = 256
    seed: int | None = None
    instruction: str = ""
    timeout: float = 60.0
    retries: int = 4

    def __post_init__(self) -> None:
        warmth = 0.0 if self.temperature is None else self.temperature
        bounds = {
            "temperature": (warmth, 0.0, 10.0),
            "max_tokens": (self.max_tokens, 1, MOST_TOKENS),
            "timeout": (self.timeout, 0.01, LONGEST_TIMEOUT),
            "retries": (self.retries, 0, MOST_RETRIES),
        }
        for name, (value, low, high) in bounds.items():
            if not math.isfinite(value) or not low <= value <= high:
                raise BadValue(f"{name} is {value}; it must be from {low:g} to {high:,.0f}")
        if not self.instruction.isascii() and not is_text(self.instruction):
            raise BadValue("the instruction holds bytes that are no text; write it in UTF-8")

    def told(self) -> dict[str, Any]:
        """What an answer depends on, to be recorded beside it."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "instruction": self.instruction,
        }

    def before(self, dialog: Sequence[Said]) -> list[Said]:
        """The dialog, after the instruction if there is one."""
        opening = [Said("system", self.instruction)] if self.instruction else []
        return [*opening, *dialog]


class Bot(Protocol):
    """Something that answers; it may be called from several threads at the same time.

    A call raises `NoAnswer` where this dialog has no answer but others may have, and any other
    error of ours where no dialog will have one.
    """

    @property
    def name(self) -> str:
        """What the system is called if nobody says."""
        ...

    @property
    def told(self) -> Told:
        """What is recorded with every answer: kind and parameters, and never a secret."""
        ...

    @property
    def most(self) -> int | None:
        """How many calls at the same time make sense; null for any number."""
        ...

    def __call__(self, dialog: Sequence[Said]) -> Reply: ...

    def close(self) -> None:
        """Give back what the bot holds, such as a process."""
        ...


def last(dialog: Sequence[Said]) -> str:
    """What is to be answered."""
    if not dialog:
        raise BadValue("the dialog is empty; a bot needs at least one turn to answer")
    return dialog[-1].text


@dataclass(frozen=True)
class Renamed:
    """A bot under another name."""

    bot: Bot
    name: str

    @property
    def told(self) -> Told:
        return self.bot.told

    @property
    def most(self) -> int | None:
        return self.bot.most

    def __call__(self, dialog: Sequence[Said]) -> Reply:
        return self.bot(dialog)

    def close(self) -> None:
        self.bot.close()


def is_text(text: str) -> bool:
    """Whether the text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
