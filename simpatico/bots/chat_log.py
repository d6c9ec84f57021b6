"""A dialog with a person, written to a file turn by turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from simpatico.bots.bot import Bot, Message, Reply
from simpatico.bots.journal import foreign_file_error, open_locked
from simpatico.errors import NoAnswer
from simpatico.models.runtime.tokens import as_utf8
from simpatico.readers.input.head import json_or_none

ENCODER = msgspec.json.Encoder()
QUIT = "/quit"


class ChatLog:
    """A dialog between a person and a bot, added to the end of a file."""

    def __init__(self, bot: Bot, out: Path) -> None:
        self.bot, self.dialog = bot, list[Message]()
        self.out, self.file = out, open_locked(out, out)
        try:
            lines = complete_lines(self.file.read(), out)
        except BaseException:
            self.file.close()
            raise
        names = {json_or_none(line)["dialog"] for line in lines}
        self.name = next(name for n in count(1) if (name := f"chat-{n}") not in names)
        self.file.seek(sum(map(len, lines)))
        self.file.truncate()

    def close(self) -> None:
        """Let go of the file; nothing is left of one in which nothing was said."""
        if not self.file.seek(0, os.SEEK_END):
            self.out.unlink()
        self.file.close()

    def say(self, text: str) -> Reply:
        """The bot's reply; both turns are on disk when it is given. A failure leaves no trace."""
        dialog = [*self.dialog, Message("user", as_utf8(text))]
        reply = self.bot(dialog)
        self.dialog = [*dialog, Message("assistant", reply.text)]
        answer = self.row("assistant", self.bot.name, reply.text)
        answer["bot"] = dict(self.bot.description)
        answer["model"] = reply.model and as_utf8(reply.model)
        self.file.write(ENCODER.encode_lines([self.row("user", "human", text), answer]))
        self.file.flush()
        os.fsync(self.file.fileno())
        return reply

    def row(self, speaker: str, system: str, text: str) -> dict[str, Any]:
        names = {"dialog": self.name, "speaker": speaker}
        return {**names, "text": as_utf8(text), "system": system}


def chat_replies(log: ChatLog, lines: Iterable[str]) -> Iterator[Reply | NoAnswer]:
    """The bot's reply to each line, up to /quit, or why there is none."""
    for line in lines:
        text = line.strip()
        if text == QUIT:
            return
        if text:
            try:
                yield log.say(text)
            except NoAnswer as error:
                yield error


def complete_lines(data: bytes, out: Path) -> list[bytes]:
    """The lines of a file of dialogs, without a last one that a kill cut off."""
    lines = [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
    rows = [json_or_none(line) for line in lines]
    if not all(isinstance(row, dict) and isinstance(row.get("dialog"), str) for row in rows):
        raise foreign_file_error(out)
    if data and not lines:
        raise foreign_file_error(out)
    return lines
