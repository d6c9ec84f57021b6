"""Many dialogs through bots: several at a time, each on disk at once, all in order at the end.

Also what that costs: tokens estimated before a run, and as counted after it.

    prompts → what the journal lacks → threads, each one call at a time → journal → FILE

Threads rather than asyncio: bots are plain callables, and the time goes into waiting for a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from simpatico.bots.bot import Bot, Reply, Settings
from simpatico.bots.journal import Journal, Row, Rows
from simpatico.bots.prompts import Prompt
from simpatico.errors import BadValue, NoAnswer, RunError, SimpaticoError
from simpatico.models.runtime.tokens import as_utf8

CHARACTERS_PER_TOKEN = 4
"""Of English, about."""
TOKENS_PER_TURN = 4
"""That a chat template puts around each turn, about."""

Work = Callable[[Prompt], Rows]


class TokenCounts(NamedTuple):
    """Tokens that a bot reads and writes."""

    read: int
    written: int


class Prices(NamedTuple):
    """What a million tokens cost, in whatever money the two numbers are; null if nobody says."""

    read: float | None = None
    written: float | None = None

    def cost(self, tokens: TokenCounts) -> float | None:
        """The price of so many tokens; null without prices."""
        if self.read is None and self.written is None:
            return None
        return (tokens.read * (self.read or 0) + tokens.written * (self.written or 0)) / 1_000_000


@dataclass
class Summary:
    """What a call has done: answered and failed dialogs, and tokens where they were counted.

    `n_before` counts the dialogs that an earlier call had done, `n_counted` replies with tokens.
    """

    n_before: int = 0
    n_answered: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    n_replies: int = 0
    n_counted: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def add(self, rows: Rows, why: str | None) -> None:
        """Count one dialog, and why it has no answer if it has none."""
        if why is None:
            self.n_answered += 1
        else:
            self.failures[why] += 1
        replies = [(r["tokens_in"], r["tokens_out"]) for r in rows if "tokens_in" in r]
        counts = [pair for pair in replies if None not in pair]
        self.n_replies += len(replies)
        self.n_counted += len(counts)
        self.tokens_in += sum(pair[0] for pair in counts)
        self.tokens_out += sum(pair[1] for pair in counts)

    @property
    def tokens(self) -> TokenCounts | None:
        """The tokens that bots counted; null if none did."""
        return TokenCounts(self.tokens_in, self.tokens_out) if self.n_counted else None


@dataclass(frozen=True)
class AskOptions:
    """How many are asked at a time and in all, and whether failures are asked again.

    `on_start` is called with what is about to be asked, `progress` with 1 for every dialog done.
    """

    jobs: int = 4
    limit: int | None = None
    retry_errors: bool = False
    on_start: Callable[[Sequence[Prompt]], object] = field(default=len, repr=False, compare=False)
    progress: Callable[[int], object] = field(default=int, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise BadValue(f"jobs is {self.jobs}; at least one prompt must be asked at a time")
        if self.limit is not None and self.limit < 1:
            raise BadValue(f"limit is {self.limit}; ask at least one prompt")


def ask_all(
    work: Work,
    prompts: Sequence[Prompt],
    out: Path,
    *,
    bots: Sequence[Bot],
    how: AskOptions,
    kind: type[Journal] = Journal,
    **more: Any,
) -> Summary:
    """Put the rows that `work` gives for each prompt into a file, going on where a call stopped.

    Whatever else the rows depend on is in `more`; `kind` says what rows they are.
    """
    start, summary = monotonic(), Summary()
    # a model on this machine gets slower, not faster, with more threads than cores
    jobs = min([how.jobs, *(bot.max_parallel for bot in bots if bot.max_parallel)])
    about = {
        "bots": [dict(bot.description) for bot in bots],
        "systems": [bot.name for bot in bots],
        **more,
    }
    with kind(out, about) as journal:
        todo = prompts_to_ask(journal, prompts, how)
        summary.n_before = len(journal.dialogs) - sum(p.id in journal.dialogs for p in todo)
        how.on_start(todo)
        for rows in ask_parallel(work, todo, jobs):
            journal.add(rows)
            summary.add(rows, journal.why_failed(rows))
            how.progress(1)
        journal.publish(prompt.id for prompt in prompts)
    summary.seconds = monotonic() - start
    return summary


def prompts_to_ask(journal: Journal, prompts: Sequence[Prompt], how: AskOptions) -> list[Prompt]:
    """The prompts to ask; what the journal holds must be answers to these prompts."""
    # an answer to other words under the same name would be scored as one to this prompt
    by_id = {prompt.id: prompt for prompt in prompts}
    for name, rows in journal.dialogs.items():
        if name not in by_id or not journal.is_answer(rows, by_id[name]):
            raise RunError(
                f"{journal.out} holds an answer to {name!r}, which is not among the "
                "prompts or has changed; name another file or delete this one"
            )
    failures = {name for name, rows in journal.dialogs.items() if journal.can_retry(rows)}
    again = failures if how.retry_errors else set[str]()
    first = prompts[: how.limit]
    return [prompt for prompt in first if prompt.id in again or prompt.id not in journal.dialogs]


def ask_parallel(work: Work, prompts: Iterable[Prompt], jobs: int) -> Iterator[Rows]:
    """The rows of each prompt as they come; an error stops all, once what was asked has come."""
    # prompts are handed out one by one, so that an error stops the run before all were asked
    pool = ThreadPoolExecutor(jobs)
    waiting: set[Future[Rows]] = set()
    todo, errors = iter(prompts), list[SimpaticoError]()
    try:
        while True:
            while not errors and len(waiting) < jobs and (prompt := next(todo, None)):
                waiting.add(pool.submit(work, prompt))
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                if isinstance(error := future.exception(), SimpaticoError):
                    errors.append(error)
                else:
                    yield future.result()
    finally:
        # calls may take minutes: who interrupts the run need not wait for them
        pool.shutdown(wait=False, cancel_futures=True)
    if errors:
        raise errors[0]


def prompt_rows(prompt: Prompt, speakers: dict[str, str]) -> Rows:
    """The turns before the first answer, which belong to no system."""
    return [utterance_row(prompt, speakers[t.role], t.text, None) for t in prompt.dialog]


def utterance_row(prompt: Prompt, speaker: str, text: str, system: str | None) -> Row:
    """What one side says, as the reader of our own table takes it."""
    names = {"dialog": prompt.id, "speaker": speaker}
    return {**names, "text": as_utf8(text), "system": system, "prompt": prompt.id}


def reply_row(prompt: Prompt, reply: Reply, bot: Bot, *, speaker: str) -> Row:
    """A reply as a row, with the bot and settings that gave it.

    Each row has them, so that files can be joined and still say how every answer came about.
    """
    return {
        **utterance_row(prompt, speaker, reply.text, bot.name),
        "bot": dict(bot.description),
        "model": reply.model and as_utf8(reply.model),
        "ended": reply.stop_reason,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }


def failure_rows(rows: Rows, error: NoAnswer, bot: Bot) -> Rows:
    """The rows with the reason, on the last of them, why no other follows."""
    reason = {"error": str(error), "why": error.why, "bot": dict(bot.description)}
    return [*rows[:-1], {**rows[-1], **reason}]


def estimate_tokens(prompts: Iterable[Prompt], settings: Settings) -> TokenCounts:
    """About how many tokens are read, and how many are written at most."""
    dialogs = [settings.with_instruction(prompt.dialog) for prompt in prompts]
    characters = [len(turn.text) for dialog in dialogs for turn in dialog]
    read = sum(TOKENS_PER_TURN + ceil(n / CHARACTERS_PER_TOKEN) for n in characters)
    return TokenCounts(read, len(dialogs) * settings.max_tokens)
