"""A dialog with a person, kept turn by turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from simpatico.bots.bot import Bot, Reply, Said
from simpatico.bots.journal import decoded, foreign, locked
from simpatico.errors import NoAnswer
from simpatico.models.runtime.tokens import as_utf8

ENCODER = msgspec.json.Encoder()
QUIT = "/quit"
Heard = Reply | NoAnswer


class Talk:
    """A dialog between a person and a bot, added to the end of a file."""

    def __init__(self, bot: Bot, out: Path) -> None:
        self.bot, self.dialog = bot, list[Said]()
        self.out, self.file = out, locked(out, out)
        try:
            whole = kept(self.file.read(), out)
        except BaseException:
            self.file.close()
            raise
        names = {decoded(line)["dialog"] for line in whole}
        self.name = next(name for n in count(1) if (name := f"chat-{n}") not in names)
        self.file.seek(sum(map(len, whole)))
        self.file.truncate()

    def close(self) -> None:
        """Let go of the file; nothing is left of one in which nothing was said."""
        if not self.file.seek(0, os.SEEK_END):
            self.out.unlink()
        self.file.close()

    def say(self, text: str) -> Reply:
        """The bot's reply; both turns are on disk when it is given. A failure leaves no trace."""
        dialog = [*self.dialog, Said("user", as_utf8(text))]
        reply = self.bot(dialog)
        self.dialog = [*dialog, Said("assistant", reply.text)]
        more = {"bot": dict(self.bot.told), "model": reply.model and as_utf8(reply.model)}
        answer = self.row("assistant", self.bot.name, reply.text) | more
        self.file.write(ENCODER.encode_lines([self.row("user", "human", text), answer]))
        self.file.flush()
        os.fsync(self.file.fileno())
        return reply

    def row(self, speaker: str, system: str, text: str) -> dict[str, Any]:
        told = {"dialog": self.name, "speaker": speaker}
        return {**told, "text": as_utf8(text), "system": system}


def heard(talk: Talk, lines: Iterable[str]) -> Iterator[Heard]:
    """What the bot says to each line, up to /quit, or why it says nothing."""
    for line in lines:
        text = line.strip()
        if text == QUIT:
            return
        if text:
            try:
                yield talk.say(text)
            except NoAnswer as error:
                yield error


def kept(data: bytes, out: Path) -> list[bytes]:
    """The lines of a file of dialogs, without a last one that was cut off."""
    lines = [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
    rows = [decoded(line) for line in lines]
    if not all(isinstance(row, dict) and isinstance(row.get("dialog"), str) for row in rows):
        raise foreign(out)
    if data and not lines:
        raise foreign(out)
    return lines
