"""Logs of Inspect in JSON: every sample and epoch is a dialog.

{"version": 2, "eval": {"model": "m"}, "samples": [
    {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "Hi"}, …]}]}
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.input.decode import decode, decode_records, locate_parts
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source


class InspectEval(msgspec.Struct):
    """What was evaluated."""

    model: str | None = None


class InspectFile(msgspec.Struct):
    """The file."""

    samples: list[msgspec.Raw] | None = None
    eval: InspectEval = msgspec.field(default_factory=InspectEval)


class InspectSample(msgspec.Struct):
    """One conversation."""

    id: str | int
    messages: list[ChatMessage]
    epoch: int = 1


class Inspect(Reader):
    """The assistant's system is --system, else the model of the message or of the evaluation."""

    name = "inspect"
    about = "Inspect log in JSON (make one with `inspect log convert --to json`)"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        return {"eval", "version"} <= head.keys and isinstance(head.json, dict)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        # samples stay raw bytes at first, so that one that is broken costs no other
        document = source.document(ledger)
        if not (log := decode(document, InspectFile, Place(source.name, 1, 0), ledger)):
            return
        start = max(document.find(b'"samples"'), 0)
        first = Place(source.name, document.count(b"\n", 0, start) + 1, start)
        samples = locate_parts(document, log.samples or [], first)
        read = msgspec.json.Decoder(InspectSample).decode
        for place, sample in decode_records(samples, read, ledger):
            name, model = f"{sample.id}:{sample.epoch}", log.eval.model
            rows = chat_utterances(sample.messages, name, ledger, system=self.system, default=model)
            yield from non_empty_dialog(rows, place, ledger)
