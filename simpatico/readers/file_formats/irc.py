"""Internet Relay Chat with links between messages: a log, and beside it who answers what.

    [10:26] <ann> my sound is gone        the log, NAME.ascii.txt
    1000 1002 -                           NAME.annotation.txt: line 1002 answers line 1000

Kummerfeld et al. (2019), A large-scale corpus for conversation disentanglement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

LOG, LINKS = ".ascii.txt", ".annotation.txt"
DAY, HALF_DAY = 24 * 60, 12 * 60
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
MESSAGE = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^> ]+)>|\s*\* (\S+)) ?(.*)", re.DOTALL)
LINK = re.compile(rb"(\d{1,9}) (\d{1,9}) -")


class IRCMessage(NamedTuple):
    """What somebody said, and when: minutes since the first day of the log began."""

    place: Place
    nick: str
    text: str
    minute: int


class IRC(Reader):
    """A dialog is a thread: the messages that links connect, in the order of the log.

    All who speak are people. A message that answers several earlier ones has the last of them as
    its `reply_to`; its interlocutor is who said that. Lines of the server are left out, and so are
    those before the part with links that no message answers. The day is that of the file's name.
    A clock that falls back by about twelve hours has only twelve: such a log (of Ubuntu's those
    before October 2007) does not say which half of the day it is, and is taken to begin in the
    first; how long an answer took is right all the same.
    """

    name = "irc"
    about = "IRC: *.ascii.txt with *.annotation.txt beside it, or a folder of them"
    suffixes = (".txt", "")

    def matches(self, head: Head) -> bool:
        if head.folder:
            return any(head.folder.glob(f"*{LOG}"))
        return head.name.endswith(LOG) and Path(links_name(head.name)).is_file()

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        # utterances keep their line numbers as ids, so that replies can be looked up in the log
        folder = source.folder
        names = sorted(path.name for path in folder.glob(f"*{LOG}")) if folder else []
        for log in map(source.file, names) if folder else [source]:
            messages = dict(read_messages(log, ledger))
            replies = read_links(log, messages, ledger)
            if n_outside := len(messages) - len(replies):
                ledger.skip("message outside the part with links", n_outside)
            start = first_day(log.name)
            title = Path(log.name).name.removesuffix(LOG)
            for lines in split_threads(replies):
                utterances, places = list[Utterance](), list[Place]()
                whom: dict[str | None, tuple[str, str | None]] = {}
                for line in lines:
                    place, nick, text, minute = messages[line]
                    row = Utterance(f"{title}:{lines[0]}", nick, text, self.system or "human")
                    time = None if start is None else start + 60.0 * minute
                    reply_to = str(max(replies[line])) if replies[line] else None
                    # it speaks to who said what it replies to; a reply to one's own words speaks
                    # to whom those were said
                    speaker, before = whom.get(reply_to, (nick, None))
                    partner = before if speaker == nick else speaker
                    whom[str(line)] = nick, partner
                    row = row._replace(id=str(line), reply_to=reply_to, time=time)
                    utterances.append(row._replace(interlocutor=partner))
                    places.append(place)
                yield Dialog(utterances, places)


def links_name(log: str) -> str:
    """The file that holds the links of a log."""
    return log.removesuffix(LOG) + LINKS


def read_messages(log: Source, ledger: Ledger) -> Iterator[tuple[int, IRCMessage]]:
    """The messages of a log by their line, counted from 0 as the links do."""
    clock = offset = 0
    for number, (place, raw) in enumerate(log.scan(ledger)):
        try:
            line = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            ledger.reject(place, "utf8", "the text is not valid UTF-8")
            continue
        match = MESSAGE.match(line)
        if match is None:
            ledger.skip("line of the server" if line.startswith("===") else "other line")
            continue
        hours, minutes, nick, actor, text = match.groups()
        now = 60 * int(hours) + int(minutes)
        # a clock that goes back has passed midnight, or noon if it counts to twelve only
        offset += clock_correction(clock - now)
        clock = now
        yield number, IRCMessage(place, nick or actor, text.strip(), offset + now)


def clock_correction(back: int) -> int:
    """The minutes to add where a clock goes back: a day, half of one, or none."""
    return DAY if back > 0.75 * DAY else HALF_DAY if back > 0.75 * HALF_DAY else 0


def read_links(
    log: Source, messages: dict[int, IRCMessage], ledger: Ledger
) -> dict[int, list[int]]:
    """For every message in a link, the earlier messages that it answers.

    A link of a message with itself says that it begins a thread; one with a line of the server
    says no more than that.
    """
    replies: dict[int, list[int]] = {}
    for place, raw in Source.of(links_name(log.name)).lines(ledger):
        pair = LINK.fullmatch(raw)
        if pair is None:
            ledger.reject(place, "link", "a link must be two line numbers and a dash")
            continue
        earlier, later = sorted(map(int, pair.groups()))
        for line in {earlier, later} & messages.keys():
            replies.setdefault(line, [])
        if earlier != later and {earlier, later} <= messages.keys():
            replies[later].append(earlier)
    return replies


def split_threads(replies: dict[int, list[int]]) -> list[list[int]]:
    """Lines that links connect, each thread in order, threads by their first line.

    Connected components by union-find; `root` leads from a line to an earlier one of its thread.
    """
    root: dict[int, int] = {}
    for line in sorted(replies):
        roots = {line, *(find_root(root, earlier) for earlier in replies[line])}
        root |= dict.fromkeys(roots, min(roots))
    threads: dict[int, list[int]] = {}
    for line in sorted(replies):
        threads.setdefault(find_root(root, line), []).append(line)
    return list(threads.values())


def find_root(root: dict[int, int], line: int) -> int:
    """The first line of the thread that a line belongs to."""
    while root[line] != line:
        line = root[line]
    return line


def first_day(name: str) -> float | None:
    """When the day in a file's name began, in seconds since 1970; null if it names none."""
    date = DATE.match(Path(name).name)
    try:
        return datetime.fromisoformat(f"{date.group()}T00:00Z").timestamp() if date else None
    except ValueError:  # such as the 31st of June
        return None
