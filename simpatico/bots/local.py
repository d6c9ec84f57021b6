"""A causal language model on this machine; nothing is fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from simpatico.bots.bot import Reply, Said, Settings
from simpatico.errors import NoAnswer
from simpatico.models.names import Model, find, short
from simpatico.models.runtime.chat_template import Frame
from simpatico.models.runtime.generation import Writer
from simpatico.models.runtime.threads import threads


@dataclass(frozen=True)
class Local:
    """A model that writes the likeliest answer or, with a temperature, one drawn by the seed."""

    model: Model
    settings: Settings = field(default_factory=Settings)
    frame: Frame | None = None
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @classmethod
    def of(cls, model: str, settings: Settings, frame: Frame | None = None) -> Local:
        """The bot on a model by its name, such as package:smollm2 or path:DIR."""
        return cls(find(model), settings, frame)

    @property
    def name(self) -> str:
        return short(self.model.name)

    @property
    def told(self) -> Mapping[str, Any]:
        facts = {"kind": "local", "model": self.name, "sha256": self.model.sha256}
        settings = self.settings.told() | {"temperature": self.temperature, "seed": self.seed}
        return {**facts, "frame": self.frame, **settings}

    @property
    def temperature(self) -> float:
        return self.settings.temperature or 0.0

    @property
    def seed(self) -> int:
        return self.settings.seed or 0

    @property
    def most(self) -> int:
        return threads()

    def __call__(self, dialog: Sequence[Said]) -> Reply:
        writer = Writer(
            self.model, self.frame, self.temperature, self.settings.max_tokens, self.seed
        )
        with self.lock:  # the model is loaded once, and tokenizers do not like company
            ids = writer.read(self.settings.before(dialog))
        written = writer.write(ids)
        if not written.text:
            raise NoAnswer(f"{self.name} wrote an empty answer", why="empty")
        return Reply(written.text, written.read, written.written, self.name, written.ended)

    def close(self) -> None:
        """The model stays loaded, for others who use it."""
