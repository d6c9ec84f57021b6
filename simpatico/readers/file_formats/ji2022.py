"""Ji et al. 2022: crowd workers talking with bots, each rated at once by who talked with it.

    [{"AssignmentId": "a", "WorkerId": "w", "data": [{"model": "biencoder_p",
      "dialogue": [{"user": "Hi", "bot": "Hello"}], "raw scores": {"interesting": 73}}]}]

Ji et al. (2022), Achieving reliable human assessment of open-domain dialogue systems.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import Rating, as_json_object, rate
from simpatico.readers.input.decode import unique_records
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

WORKER, BOT = "user", "bot"
LOW, HIGH = 0.0, 100.0


class Round(msgspec.Struct):
    """What the worker says, and what the bot answers."""

    user: str
    bot: str


class Conversation(msgspec.Struct):
    """One of the dialogs of a worker; `topic` is what it was, or became, about."""

    model: str
    dialogue: list[Round]
    raw_scores: dict[str, Rating] = msgspec.field(name="raw scores")
    topic: list[dict[str, Any]] = []


class Assignment(msgspec.Struct, rename="pascal"):
    """One record of the file: all that a worker did in one sitting."""

    assignment_id: str
    worker_id: str
    data: list[Conversation] = msgspec.field(name="data")


class Ji2022(Reader):
    """The bot is under evaluation; its system is the file's `model`, _p meaning with a persona.

    One dialog of every sitting is with `QualityControl`, a bot that was made worse on purpose;
    files are named after whether its workers noticed, and so the first turn's extras say "passed"
    or "failed". Ratings are the worker's own, 0 to 100, not standardised. `robotic` and
    `repetitive` are written with high for good: robotic goes up with interesting (r = .40), and
    repetitive down with the share of lines that a bot says again (r = -.36). Worker ids last
    across dialogs and files.
    """

    name = "ji2022"
    about = "Ji et al. 2022: conversations with bots, rated by who talked with them"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        return {"AssignmentId", "WorkerId", "data"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        control = {"pass": "passed", "fail": "failed"}.get(source.stem.partition("_")[0])
        for place, dialog, worker, talk in worker_dialogs(source, ledger):
            if not talk.dialogue:
                ledger.skip("dialog without utterances")
                continue
            bot = Utterance(dialog, BOT, "", talk.model, interlocutor=worker)
            utterances = [
                utterance
                for turn in talk.dialogue
                for utterance in (Utterance(dialog, WORKER, turn.user), bot._replace(text=turn.bot))
            ]
            facts = {"quality_control": control, "topics": talk.topic}
            extras = as_json_object({name: fact for name, fact in facts.items() if fact})
            utterances[0] = utterances[0]._replace(extras=extras)
            yield Dialog(utterances, [place])

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for place, dialog, worker, talk in worker_dialogs(source, ledger):
            for quality, rating in talk.raw_scores.items():
                unit = Judgement(
                    dialog, None, BOT, quality, worker, "interlocutor", None, LOW, HIGH
                )
                if judgement := rate(unit, rating, place, ledger):
                    yield judgement


def worker_dialogs(
    source: Source, ledger: Ledger
) -> Iterator[tuple[Place, str, str, Conversation]]:
    """Every dialog with its id, which is the sitting's and a number in it, and its worker."""
    sittings = source.values(Assignment, ledger)
    for place, sitting in unique_records(sittings, "assignment_id", "AssignmentId", ledger):
        for number, talk in enumerate(sitting.data, start=1):
            yield place, f"{sitting.assignment_id}:{number}", sitting.worker_id, talk
