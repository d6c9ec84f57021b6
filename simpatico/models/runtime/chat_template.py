"""A dialog as the word pieces that a language model expects before it writes the next turn.

The marks around turns come from the model's own chat template where it has one, which jinja fills
in its sandbox. The texts of a dialog never are marks: whatever they look like, they are text. So
the template is filled with place holders, and the texts are put in after its marks are found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from simpatico.errors import NoAnswer
from simpatico.models.runtime.language_models import Ids, Reader

Frame = Literal["chat", "lines", "end"]
Turn = tuple[str, str]
"""Role and text."""
Framed = Callable[[Sequence[Turn]], Ids]

OPEN, CLOSE = "<|im_start|>", "<|im_end|>"
HOLDER = "\ue000{}\ue000"
HELD = re.compile("\ue000([0-9]+)\ue000")


def framing(reader: Reader, frame: Frame | None) -> tuple[Frame, Framed]:
    """How this model's dialogs are written down; without a frame, as its tokenizer tells."""
    words = reader.tokenizer
    marks = {OPEN, CLOSE} <= words.get_vocab().keys()
    frame = frame or ("chat" if words.chat_template or marks else "lines")
    match frame:
        case "chat" if words.chat_template:
            return frame, lambda dialog: templated(reader, dialog)
        case "chat":
            return frame, lambda dialog: marked(reader, chatml(dialog), dialog)
        case "lines":
            return frame, lambda dialog: [reader.start, *reader.text(lines(dialog))]
    return frame, lambda dialog: ended(reader, dialog)


def templated(reader: Reader, dialog: Sequence[Turn]) -> Ids:
    """The dialog in the model's own chat template."""
    held = [
        {"role": role, "content": HOLDER.format(place)} for place, (role, _) in enumerate(dialog)
    ]
    try:
        filled = reader.tokenizer.apply_chat_template(
            held, tokenize=False, add_generation_prompt=True
        )
    except Exception as error:  # a template may refuse a role, or an order of roles, in any way
        raise NoAnswer(
            f"the model's chat template does not take this dialog ({type(error).__name__})",
            why="chat template",
        ) from None
    if HOLDER.format(len(dialog) - 1) not in filled:
        raise NoAnswer("the model's chat template leaves out the last turn", why="chat template")
    return marked(reader, filled, dialog)


def chatml(dialog: Sequence[Turn]) -> str:
    """The frame that most models with its marks were trained on, with place holders."""
    turns = [f"{OPEN}{role}\n{HOLDER.format(i)}{CLOSE}\n" for i, (role, _) in enumerate(dialog)]
    return "".join(turns) + f"{OPEN}assistant\n"


def marked(reader: Reader, filled: str, dialog: Sequence[Turn]) -> Ids:
    """Word pieces of a filled template: its marks as marks, all between two marks as one text."""
    ids = Ids()
    for mark, text in split(reader.tokenizer, filled):
        spelt = HELD.sub(lambda held: dialog[int(held[1])][1], text)
        ids += reader.text(spelt) if spelt else []
        ids += [] if mark is None else [mark]
    return ids


def split(words: Any, filled: str) -> Iterator[tuple[int | None, str]]:
    """The texts of a filled template, each with the mark after it."""
    marks = {str(token): number for number, token in words.added_tokens_decoder.items()}
    if not marks:
        yield None, filled
        return
    either = "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))
    *before, rest = re.split(f"({either})", filled)
    for text, mark in zip(before[::2], before[1::2], strict=True):
        yield marks[mark], text
    yield None, rest


def lines(dialog: Sequence[Turn]) -> str:
    """A line a turn, and the beginning of the next."""
    told = [" ".join(text.split()) for _, text in dialog]
    roles = [role for role, _ in dialog]
    turns = (
        f"{text}\n\n" if role == "system" else f"{role}: {text}\n"
        for role, text in zip(roles, told, strict=True)
    )
    return "".join(turns) + "assistant:"


def ended(reader: Reader, dialog: Sequence[Turn]) -> Ids:
    """Every turn with the mark at the end of a document after it."""
    ids = Ids()
    for _, text in dialog:
        ids += [*reader.text(text), reader.end]
    return ids
