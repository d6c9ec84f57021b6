"""What a bot is: called with a dialog so far, it gives its reply, or says why it has none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec

from simpatico.errors import BadValue

Role = Literal["system", "user", "assistant"]
TokenCount = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
"""As a server or program counts; what no model can reach is a mistake, and would spoil sums."""


class Message(NamedTuple):
    """One turn of a dialog from a bot's view: its own turns are those of the assistant."""

    role: Role
    text: str


class TokenAlternatives(NamedTuple):
    """A token of a reply, and the likeliest tokens in its place with their log-probabilities."""

    token: str
    logprobs: Mapping[str, float]


@dataclass(frozen=True)
class Reply:
    """What a bot answered; tokens are null where nobody counted them.

    `model` is what the model calls itself, `stop_reason` why it stopped there, such as `length`.
    `alternatives` has the tokens of the text if `Settings.alternatives` asked for them.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str | None = None
    stop_reason: str | None = None
    alternatives: tuple[TokenAlternatives, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How a bot is asked; what is null is left to the bot.

    `retries`, `timeout`, in seconds, and `alternatives`, how many tokens are to be reported for
    each place of a reply, are no part of what an answer depends on. `opening` is how a reply
    begins, in a model on this machine, which continues from there; whoever sets it records it.
    """

    temperature: float | None = None
    max_tokens: int = 256
    seed: int | None = None
    instruction: str = ""
    timeout: float = 60.0
    retries: int = 4
    alternatives: int = 0
    opening: str = ""

    def __post_init__(self) -> None:
        # wide bounds, for slips of the keyboard: a timeout of 0 would fail every prompt
        temperature = 0.0 if self.temperature is None else self.temperature
        bounds = {
            "temperature": (temperature, 0.0, 10.0),
            "max_tokens": (self.max_tokens, 1, 1_000_000),
            "timeout": (self.timeout, 0.01, 3600.0),
            "retries": (self.retries, 0, 20),
            "alternatives": (self.alternatives, 0, 20),
        }
        for name, (value, low, high) in bounds.items():
            if not math.isfinite(value) or not low <= value <= high:
                raise BadValue(f"{name} is {value}; it must be from {low:g} to {high:,.0f}")
        try:
            self.instruction.encode()
        except UnicodeEncodeError:  # the shell passed bytes that are not UTF-8
            raise BadValue("the instruction is not valid UTF-8; write it in UTF-8") from None

    def describe(self) -> dict[str, Any]:
        """What an answer depends on, to be recorded beside it."""
        return {n: getattr(self, n) for n in ("temperature", "max_tokens", "seed", "instruction")}

    def with_instruction(self, dialog: Sequence[Message]) -> list[Message]:
        """The dialog, after the instruction if there is one."""
        return [*([Message("system", self.instruction)] if self.instruction else []), *dialog]


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
    def description(self) -> Mapping[str, Any]:
        """What is recorded with every answer: kind and parameters, and never a secret."""
        ...

    @property
    def max_parallel(self) -> int | None:
        """How many calls at the same time make sense; null for any number."""
        ...

    def __call__(self, dialog: Sequence[Message]) -> Reply: ...

    def close(self) -> None:
        """Give back what the bot holds, such as a process."""
        ...


@dataclass(frozen=True)
class RenamedBot:
    """A bot under another name."""

    bot: Bot
    name: str

    @property
    def description(self) -> Mapping[str, Any]:
        return self.bot.description

    @property
    def max_parallel(self) -> int | None:
        return self.bot.max_parallel

    def __call__(self, dialog: Sequence[Message]) -> Reply:
        return self.bot(dialog)

    def close(self) -> None:
        self.bot.close()
