"""Many dialogs through bots: several at a time, each kept at once, all in order at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from simpatico.bots.bot import Bot, Reply
from simpatico.bots.journal import Journal, Row, Rows
from simpatico.bots.prompts import Prompt
from simpatico.errors import BadValue, NoAnswer, RunError, SimpaticoError
from simpatico.models.runtime.tokens import as_utf8

JOBS = 4


@dataclass
class Summary:
    """What a call has done: answered and failed dialogs, and tokens where they were counted.

    `before` counts the dialogs that an earlier call had done, `counted` the replies with tokens.
    """

    before: int = 0
    answered: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    replies: int = 0
    counted: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def add(self, rows: Rows) -> None:
        """Count one dialog."""
        why = rows[-1].get("why")
        if why is None:
            self.answered += 1
        else:
            self.failed[why] += 1
        replies = [row for row in rows if "tokens_in" in row]
        told = [(r["tokens_in"], r["tokens_out"]) for r in replies]
        whole = [pair for pair in told if None not in pair]
        self.replies += len(replies)
        self.counted += len(whole)
        self.tokens_in += sum(pair[0] for pair in whole)
        self.tokens_out += sum(pair[1] for pair in whole)


Work = Callable[[Prompt], Rows]


@dataclass(frozen=True)
class How:
    """How many are asked at a time and in all, and whether failures are asked again.

    `foretell` hears what is about to be asked, and `progress` of every dialog that is done.
    """

    jobs: int = JOBS
    limit: int | None = None
    retry_errors: bool = False
    foretell: Callable[[Sequence[Prompt]], object] = field(default=len, repr=False, compare=False)
    progress: Callable[[int], object] = field(default=int, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise BadValue(f"jobs is {self.jobs}; at least one prompt must be asked at a time")
        if self.limit is not None and self.limit < 1:
            raise BadValue(f"limit is {self.limit}; ask at least one prompt")


def ask_all(
    work: Work, prompts: Sequence[Prompt], out: Path, *, bots: Sequence[Bot], how: How, **more: Any
) -> Summary:
    """Put the rows that `work` gives for each prompt into a file, going on where a call stopped.

    Whatever else the rows depend on is in `more`.
    """
    begun, done = monotonic(), Summary()
    jobs = min([how.jobs, *(bot.most for bot in bots if bot.most)])
    told = {"bots": [dict(bot.told) for bot in bots], "systems": [bot.name for bot in bots]}
    with Journal(out, told | more) as journal:
        left = unanswered(journal, prompts, how)
        done.before = len(journal.known) - sum(prompt.id in journal.known for prompt in left)
        how.foretell(left)
        for rows in side_by_side(work, left, jobs):
            journal.add(rows)
            done.add(rows)
            how.progress(1)
        if journal.fresh:
            journal.publish(prompt.id for prompt in prompts)
        else:
            journal.nothing_new()
    done.seconds = monotonic() - begun
    return done


def unanswered(journal: Journal, prompts: Sequence[Prompt], how: How) -> list[Prompt]:
    """The prompts to ask; what the journal holds must be answers to these prompts."""
    named = {prompt.id: prompt for prompt in prompts}
    for name, rows in journal.known.items():
        if name not in named or not answers(rows, named[name]):
            raise RunError(
                f"{journal.out} holds an answer to {name!r}, which is not or not so among the "
                "prompts; name another file or delete this one"
            )
    again = {name for name, rows in journal.known.items() if how.retry_errors and "why" in rows[-1]}
    chosen = prompts[: how.limit]
    return [prompt for prompt in chosen if prompt.id in again or prompt.id not in journal.known]


def answers(rows: Rows, prompt: Prompt) -> bool:
    """Whether the rows of a dialog begin as the prompt does."""
    asked = [as_utf8(turn.text) for turn in prompt.dialog]
    return [row.get("text") for row in rows[: len(asked)]] == asked


def side_by_side(work: Work, prompts: Iterable[Prompt], jobs: int) -> Iterator[Rows]:
    """The rows of each prompt as they come; an error stops all, once what was asked has come."""
    pool = ThreadPoolExecutor(jobs)
    waiting: set[Future[Rows]] = set()
    left, stop = iter(prompts), list[SimpaticoError]()
    try:
        while True:
            while not stop and len(waiting) < jobs and (prompt := next(left, None)):
                waiting.add(pool.submit(work, prompt))
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                if isinstance(error := future.exception(), SimpaticoError):
                    stop.append(error)
                else:
                    yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if stop:
        raise stop[0]


def context(prompt: Prompt, speakers: dict[str, str]) -> Rows:
    """The turns before the first answer, which belong to no system."""
    return [
        {
            "dialog": prompt.id,
            "speaker": speakers[turn.role],
            "text": as_utf8(turn.text),
            "system": None,
            "prompt": prompt.id,
        }
        for turn in prompt.dialog
    ]


def spoken(prompt: Prompt, reply: Reply, bot: Bot, *, speaker: str) -> Row:
    """A reply as a row, with what it was got by."""
    return {
        "dialog": prompt.id,
        "speaker": speaker,
        "text": as_utf8(reply.text),
        "system": bot.name,
        "prompt": prompt.id,
        "bot": dict(bot.told),
        "model": reply.model and as_utf8(reply.model),
        "ended": reply.ended,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }


def failed(rows: Rows, error: NoAnswer, bot: Bot) -> Rows:
    """The rows with the reason, on the last of them, why no other follows."""
    told = {"error": str(error), "why": error.why, "bot": dict(bot.told)}
    return [*rows[:-1], {**rows[-1], **told}]
