"""Internet Relay Chat with links between messages: a log, and beside it who answers what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, NamedTuple

from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source

LOG, LINKS = ".ascii.txt", ".annotation.txt"
DAY, HALF_DAY = 24 * 60, 12 * 60
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SPOKEN = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^> ]+)>|\s*\* (\S+)) ?(.*)", re.DOTALL)
LINK = re.compile(rb"(\d{1,9}) (\d{1,9}) -")


class Message(NamedTuple):
    """What somebody said, and when: minutes since the first day of the log began."""

    place: Place
    nick: str
    text: str
    minute: int


@dataclass(frozen=True)
class IRC:
    """A dialog is a thread: the messages that links connect, in the order of the log.

    All who speak are people. A message that answers several earlier ones has the last of them as
    its `reply_to`; its interlocutor is who said that. Lines of the server are left out, and so are
    those before the part with links that no message answers. The day is that of the file's name.
    A clock that falls back by about twelve hours has only twelve: such a log (of Ubuntu's those
    before October 2007) does not say which half of the day it is, and is taken to begin in the
    first; how long an answer took is right all the same.
    """

    name: ClassVar[str] = "irc"
    about: ClassVar[str] = "IRC: *.ascii.txt with *.annotation.txt beside it, or a folder of them"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", "")

    system: str | None = None

    def matches(self, head: Head) -> bool:
        if head.folder:
            return any(head.folder.glob(f"*{LOG}"))
        return head.name.endswith(LOG) and Path(links_name(head.name)).is_file()

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for log in logs(source):
            messages = dict(spoken(log, ledger))
            answered = links(log, messages, ledger)
            if quiet := len(messages) - len(answered):
                ledger.set_aside("message outside the part with links", quiet)
            start = first_day(log.name)
            title = Path(log.name).name.removesuffix(LOG)
            for lines in threads(answered):
                dialog = f"{title}:{lines[0]}"
                said = [
                    Utterance(
                        dialog,
                        messages[line].nick,
                        messages[line].text,
                        self.system or "human",
                        id=str(line),
                        reply_to=str(max(answered[line])) if answered[line] else None,
                        time=None if start is None else start + 60.0 * messages[line].minute,
                    )
                    for line in lines
                ]
                yield Dialog(addressed(said), [messages[line].place for line in lines])


def logs(source: Source) -> Iterator[Source]:
    """The log itself, or every log of a folder by name."""
    if source.folder is None:
        yield source
        return
    for path in sorted(source.folder.glob(f"*{LOG}")):
        yield source.file(path.name)


def links_name(log: str) -> str:
    """The file that holds the links of a log."""
    return log.removesuffix(LOG) + LINKS


def spoken(log: Source, ledger: Ledger) -> Iterator[tuple[int, Message]]:
    """The messages of a log by their line, counted from 0 as the links do."""
    clock = late = 0
    for number, (place, raw) in enumerate(log.scan(ledger)):
        try:
            line = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            ledger.reject(place, "utf8", "the text is not valid UTF-8")
            continue
        found = SPOKEN.match(line)
        if found is None:
            ledger.set_aside("line of the server" if line.startswith("===") else "other line")
            continue
        hours, minutes, nick, actor, text = found.groups()
        now = 60 * int(hours) + int(minutes)
        late += passed(clock - now)
        clock = now
        yield number, Message(place, nick or actor, text.strip(), late + now)


def passed(back: int) -> int:
    """The minutes to add where a clock goes back: a day, half of one, or none."""
    return DAY if back > 0.75 * DAY else HALF_DAY if back > 0.75 * HALF_DAY else 0


def links(log: Source, messages: dict[int, Message], ledger: Ledger) -> dict[int, list[int]]:
    """For every message in a link, the earlier messages that it answers.

    A link of a message with itself says that it begins a thread; one with a line of the server
    says no more than that.
    """
    found: dict[int, list[int]] = {}
    for place, raw in Source.of(links_name(log.name)).lines(ledger):
        pair = LINK.fullmatch(raw)
        if pair is None:
            ledger.reject(place, "link", "a link must be two line numbers and a dash")
            continue
        earlier, later = sorted(map(int, pair.groups()))
        for line in {earlier, later} & messages.keys():
            found.setdefault(line, [])
        if earlier != later and {earlier, later} <= messages.keys():
            found[later].append(earlier)
    return found


def threads(answered: dict[int, list[int]]) -> list[list[int]]:
    """Lines that links connect, each thread in order, threads by their first line."""
    root: dict[int, int] = {}
    for line in sorted(answered):
        roots = {line, *(top(root, earlier) for earlier in answered[line])}
        root |= dict.fromkeys(roots, min(roots))
    found: dict[int, list[int]] = {}
    for line in sorted(answered):
        found.setdefault(top(root, line), []).append(line)
    return list(found.values())


def top(root: dict[int, int], line: int) -> int:
    """The first line of the thread that a line belongs to."""
    while root[line] != line:
        line = root[line]
    return line


def addressed(dialog: list[Utterance]) -> list[Utterance]:
    """The utterances with whom each speaks to; one's own words go on to whom they were said."""
    whom: dict[str | None, tuple[str, str | None]] = {}
    found: list[Utterance] = []
    for said in dialog:
        speaker, before = whom.get(said.reply_to, (said.speaker, None))
        person = before if speaker == said.speaker else speaker
        whom[said.id] = said.speaker, person
        found.append(said._replace(interlocutor=person))
    return found


def first_day(name: str) -> float | None:
    """When the day in a file's name began, in seconds since 1970; null if it names none."""
    date = DATE.match(Path(name).name)
    try:
        return (
            datetime.fromisoformat(date.group()).replace(tzinfo=UTC).timestamp() if date else None
        )
    except ValueError:
        return None
