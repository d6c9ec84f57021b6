"""A causal language model writes the next turn of a dialog, one word piece after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from simpatico.errors import NoAnswer
from simpatico.models.names import Model
from simpatico.models.runtime.chat_template import Frame, Framed, Turn, framing
from simpatico.models.runtime.language_models import Ids, Reader, tensor
from simpatico.models.runtime.threads__one_thread import ONE_THREAD
from simpatico.models.runtime.torch_backend import causal, tokenizer

LONGEST = 4096
"""Word pieces that are read and written at most; a dialog that is too long loses its start."""

Ended = Literal["stop", "length"]


class Written(NamedTuple):
    """What a model wrote, and how many word pieces it read and wrote."""

    text: str
    read: int
    written: int
    ended: Ended


@dataclass(frozen=True)
class Writer:
    """A model that writes turns: the likeliest piece each time at temperature 0, else a drawn one.

    What is drawn depends on the seed and the dialog alone. Without a frame, a model with marks for
    chats gets them, and any other reads lines such as `user: Hi` and writes one. The frame `end`
    has the mark at the end of a document after each turn, as DialoGPT was trained.
    """

    model: Model
    frame: Frame | None = None
    temperature: float = 0.0
    most: int = 256
    seed: int = 0

    def __call__(self, dialog: Sequence[Turn]) -> Written:
        return self.write(self.read(dialog))

    def read(self, dialog: Sequence[Turn]) -> Ids:
        """The dialog as the model reads it; not for several threads at the same time."""
        net, reader = self.parts()
        _, framed = framing(reader, self.frame)
        return self.fitting(dialog, framed, longest(net, reader))

    def parts(self) -> tuple[Any, Reader]:
        """The model, loaded once, and its words."""
        return causal(self.model), Reader(tokenizer(self.model))

    def fitting(self, dialog: Sequence[Turn], framed: Framed, room: int) -> Ids:
        """The dialog as word pieces, without as many of its first turns as must go."""
        opening = [turn for turn in dialog[:1] if turn[0] == "system"]
        rest = list(dialog[len(opening) :])
        while rest:
            ids = framed([*opening, *rest])
            if len(ids) + self.most <= room:
                return ids
            rest = rest[1:]
        raise NoAnswer(
            f"the turn to answer and {self.most:,} word pieces of answer are more than the "
            f"{room:,} that {self.model.name} holds",
            why="too long",
        )

    def write(self, ids: Ids) -> Written:
        """Piece after piece, up to a mark of the end or, of a line, to its end."""
        import torch

        net, reader = self.parts()
        with ONE_THREAD, torch.inference_mode():
            found, ended = self.pieces(net, reader, ids)
        return Written(spelt(reader, found).strip(), len(ids), len(found), ended)

    def pieces(self, net: Any, reader: Reader, ids: Ids) -> tuple[Ids, Ended]:
        """The pieces that are written, and why there are no more."""
        ends, found, cache, given = stops(net, reader), Ids(), None, ids
        line = framing(reader, self.frame)[0] == "lines"
        draw = chooser(self.temperature, f"{self.seed}\0{ids}")
        while len(found) < self.most:
            said = net(
                input_ids=tensor(net, given),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache, piece = said.past_key_values, draw(said.logits[0, -1])
            if piece in ends or (line and "\n" in spelt(reader, [piece])):
                return found, "stop"
            found.append(piece)
            given = [piece]
        return found, "length"


def longest(net: Any, reader: Reader) -> int:
    """How many word pieces a model holds, as far as we let it."""
    config = net.config.get_text_config(decoder=True)
    told = (getattr(config, "max_position_embeddings", None), reader.tokenizer.model_max_length)
    return int(min(LONGEST, *(number for number in told if number)))


def stops(net: Any, reader: Reader) -> set[int]:
    """The marks after which nothing of the turn follows."""
    found = {reader.end, reader.tokenizer.eos_token_id}
    for config in (net.config, getattr(net, "generation_config", None)):
        told = getattr(config, "eos_token_id", None)
        found |= set(told) if isinstance(told, list) else {told}
    return {number for number in found if number is not None}


def chooser(temperature: float, seed: str) -> Callable[[Any], int]:
    """A function from logits to a piece: the likeliest, or one drawn from the seed."""
    import torch

    if not temperature:
        return lambda logits: int(logits.argmax())
    digest = sha256(seed.encode()).digest()
    chance = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))

    def drawn(logits: Any) -> int:
        shares = torch.softmax(logits.double().cpu() / temperature, -1)
        return int(torch.multinomial(shares, 1, generator=chance))

    return drawn


def spelt(reader: Reader, ids: Ids) -> str:
    """Word pieces as text, without marks."""
    return str(reader.tokenizer.decode(ids, skip_special_tokens=True))
