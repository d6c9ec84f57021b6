"""A dialog with a user, written to a file turn by turn."""

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

QUIT = "/quit"


class ChatLog:
    """A dialog between a user and a bot, added to the end of a file."""

    def __init__(self, bot: Bot, out: Path) -> None:
        self.bot, self.dialog = bot, list[Message]()
        self.out, self.file = out, open_locked(out, out)
        data = self.file.read()
        # a kill may have cut off the last line: it is dropped
        lines = [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
        rows = [row if isinstance(row := json_or_none(line), dict) else {} for line in lines]
        names = [row.get("dialog") for row in rows]
        # every answer of ours says by which bot: nothing is added to a log of other origin
        is_ours = b'"bot":' in data and all(isinstance(name, str) for name in names)
        if data and not is_ours:
            self.file.close()
            raise foreign_file_error(out)
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
        # before anything is written: a turn without its answer would be no dialog to score
        reply = self.bot(dialog)
        self.dialog = [*dialog, Message("assistant", reply.text)]
        answer = self.row("assistant", self.bot.name, reply.text)
        answer["bot"] = dict(self.bot.description)
        answer["model"] = reply.model and as_utf8(reply.model)
        rows = [self.row("user", "human", text), answer]
        self.file.write(msgspec.json.Encoder().encode_lines(rows))
        self.file.flush()
        os.fsync(self.file.fileno())
        return reply

    def row(self, speaker: str, system: str, text: str) -> dict[str, Any]:
        return {"dialog": self.name, "speaker": speaker, "text": as_utf8(text), "system": system}


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
