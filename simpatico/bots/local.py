"""A causal language model on this machine; nothing is fetched.

Several threads may write at the same time; each generation uses one core, so that answers do not
depend on how many run beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from simpatico.bots.bot import Message, Reply, Settings, TokenAlternatives
from simpatico.errors import NoAnswer
from simpatico.models.names import Model, short_model_name
from simpatico.models.runtime.chat_template import Frame
from simpatico.models.runtime.generation import ReplyWriter
from simpatico.models.runtime.threads import thread_count


@dataclass(frozen=True)
class Local:
    """A model that writes the likeliest answer or, with a temperature, one drawn by the seed."""

    model: Model
    settings: Settings = field(default_factory=Settings)
    frame: Frame | None = None
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        return short_model_name(self.model.name)

    @property
    def description(self) -> Mapping[str, Any]:
        facts = {"kind": "local", "model": self.name, "sha256": self.model.sha256}
        settings = self.settings.describe() | {"temperature": self.temperature, "seed": self.seed}
        return {**facts, "frame": self.frame, **settings}

    @property
    def temperature(self) -> float:
        """0 if nobody says, which takes the likeliest token: the same answer every time."""
        return self.settings.temperature or 0.0

    @property
    def seed(self) -> int:
        return self.settings.seed or 0

    @property
    def max_parallel(self) -> int:
        return thread_count()

    def __call__(self, dialog: Sequence[Message]) -> Reply:
        settings = self.settings
        writer = ReplyWriter(
            self.model,
            self.frame,
            self.temperature,
            settings.max_tokens,
            self.seed,
            settings.alternatives,
            settings.opening,
        )
        with self.lock:  # the model is loaded once, and tokenizers are not thread-safe
            ids = writer.encode_dialog(self.settings.with_instruction(dialog))
        answer = writer.generate(ids)
        if not answer.text:
            raise NoAnswer(f"{self.name} wrote an empty answer", why="empty")
        return Reply(
            answer.text,
            answer.prompt_tokens,
            answer.reply_tokens,
            self.name,
            answer.finish,
            tuple(TokenAlternatives(*one) for one in answer.alternatives),
        )

    def close(self) -> None:
        """The model stays loaded, for others who use it."""
