"""DUO: talks of people with GPT models, rated by the person and by three outsiders.

{"dialogue_id": "1", "model": "m", "subjective_evaluation": {"preference": 4.0},
 "objective_evaluation": {"preference_scores": [3.0, 5.0, 4.0]},
 "dialogue": [{"speaker": "Bot", "system_id": "6", "message": "Hi"}, {"speaker": "Human", …}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import as_json_object, rate
from simpatico.readers.file_formats._traces import trace_files
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

KEYS = {"dialogue", "subjective_evaluation"}
SCORES = "_scores"


class DUOMessage(msgspec.Struct):
    """One utterance."""

    speaker: Literal["Bot", "Human"]
    message: str
    user_id: str | int | None = None


class DUODialog(msgspec.Struct):
    """The file; a mean of outsiders stands beside the list of their scores."""

    dialogue_id: str | int
    dialogue: list[DUOMessage]
    model: str | None = None
    setting: str | None = None
    prompt: str | None = None
    topic: str | None = None
    subjective_evaluation: dict[str, Any] = {}
    objective_evaluation: dict[str, Any] = {}

    @property
    def user(self) -> str | None:
        """The id of the person."""
        return next((str(m.user_id) for m in self.dialogue if m.user_id is not None), None)


class DUO(Reader):
    """The bot is judged, as --system or the model that the file names; a file, or a folder."""

    name = "duo"
    about = "DUO: a dialog with ratings by the interlocutor and by outsiders, one a file"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        heads = [file.head for file in trace_files(head)] if head.folder else [head]
        return bool(heads) and all(one.keys >= KEYS for one in heads)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, talk in duo_dialogs(source, ledger):
            systems = {"Bot": self.system or talk.model or "bot", "Human": "human"}
            facts = {"setting": talk.setting, "style": talk.prompt, "topic": talk.topic}
            extras = as_json_object({name: fact for name, fact in facts.items() if fact})
            yield Dialog(
                [
                    Utterance(
                        *(str(talk.dialogue_id), m.speaker, m.message, systems[m.speaker]),
                        interlocutor=talk.user if m.speaker == "Bot" else None,
                        extras=extras,
                    )
                    for m in talk.dialogue
                ],
                [place],
            )

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for place, talk in duo_dialogs(source, ledger):
            unit = Judgement(
                str(talk.dialogue_id), None, "Bot", "", talk.user, "interlocutor", None
            )
            unit = unit._replace(scale_min=1.0, scale_max=5.0)
            ratings = [(unit._replace(quality=q), v) for q, v in talk.subjective_evaluation.items()]
            for name, scores in talk.objective_evaluation.items():
                if name.endswith(SCORES) and isinstance(scores, list):
                    seen = unit._replace(quality=name.removesuffix(SCORES), judge_kind="outsider")
                    for number, score in enumerate(scores, start=1):
                        ratings.append((seen._replace(judge=f"judge-{number}"), score))
            for rated, value in ratings:
                if judgement := rate(rated, value, place, ledger):
                    yield judgement


def duo_dialogs(source: Source, ledger: Ledger) -> Iterator[tuple[Place, DUODialog]]:
    """The dialogs of a file or a folder."""
    for file in trace_files(source.head) if source.folder else [source]:
        for place, talk in file.values(DUODialog, ledger):
            if talk.dialogue:
                yield place, talk
            else:
                ledger.skip("dialog without text")
