"""A dialog as the prompt that a language model expects before it writes the next turn.

The special tokens around turns come from the model's own chat template where it has one, which
jinja renders in its sandbox. Texts of a dialog must never become special tokens, whatever they look
like (prompt injection). So the template is rendered with placeholders, special tokens are found in
the result, and only then the texts are put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from simpatico.errors import NoAnswer
from simpatico.models.runtime.language_models import LmTokenizer, TokenIds

Frame = Literal["chat", "lines", "end"]
Turn = tuple[str, str]
"""Role and text."""
DialogEncoder = Callable[[Sequence[Turn]], TokenIds]

OPEN, CLOSE = "<|im_start|>", "<|im_end|>"
PLACEHOLDER = "\ue000{}\ue000"
"""The number of a turn between two characters of the private use area, which no template has."""
PLACEHOLDERS = re.compile("\ue000([0-9]+)\ue000")


def choose_frame(tokenizer: LmTokenizer, frame: Frame | None) -> tuple[Frame, DialogEncoder]:
    """How this model's dialogs are encoded; without a frame, as its tokenizer suggests."""
    hf = tokenizer.tokenizer
    has_chatml = {OPEN, CLOSE} <= hf.get_vocab().keys()
    frame = frame or ("chat" if hf.chat_template or has_chatml else "lines")
    match frame:
        case "chat" if hf.chat_template:
            return frame, lambda dialog: encode_in_template(tokenizer, dialog)
        case "chat":
            return frame, lambda dialog: encode_rendered(tokenizer, chatml(dialog), dialog)
        case "lines":
            return frame, lambda dialog: [
                tokenizer.start_token,
                *tokenizer.encode(dialog_lines(dialog)),
            ]
    return frame, lambda dialog: [
        token for _, text in dialog for token in (*tokenizer.encode(text), tokenizer.end_token)
    ]


def encode_in_template(tokenizer: LmTokenizer, dialog: Sequence[Turn]) -> TokenIds:
    """The dialog in the model's own chat template."""
    turns = [{"role": role, "content": PLACEHOLDER.format(i)} for i, (role, _) in enumerate(dialog)]
    try:
        rendered = tokenizer.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )
    except Exception as error:  # a template may refuse a role, or an order of roles, in any way
        raise NoAnswer(
            f"the model's chat template does not take this dialog ({type(error).__name__})",
            why="chat template",
        ) from None
    if PLACEHOLDER.format(len(dialog) - 1) not in rendered:
        raise NoAnswer("the model's chat template leaves out the last turn", why="chat template")
    return encode_rendered(tokenizer, rendered, dialog)


def chatml(dialog: Sequence[Turn]) -> str:
    """ChatML with placeholders: what most models with its special tokens were trained on."""
    turns = [
        f"{OPEN}{role}\n{PLACEHOLDER.format(i)}{CLOSE}\n" for i, (role, _) in enumerate(dialog)
    ]
    return "".join(turns) + f"{OPEN}assistant\n"


def encode_rendered(tokenizer: LmTokenizer, rendered: str, dialog: Sequence[Turn]) -> TokenIds:
    """The tokens of a rendered template; what stands between two special tokens is one text."""
    ids = TokenIds()
    for special, part in split_at_special(tokenizer.tokenizer, rendered):
        text = PLACEHOLDERS.sub(lambda match: dialog[int(match[1])][1], part)
        ids += tokenizer.encode(text) if text else []
        ids += [] if special is None else [special]
    return ids


def split_at_special(hf_tokenizer: Any, rendered: str) -> Iterator[tuple[int | None, str]]:
    """The texts of a rendered template, each with the special token after it."""
    special = {str(token): i for i, token in hf_tokenizer.added_tokens_decoder.items()}
    if not special:
        yield None, rendered
        return
    # longest first, since one special token may begin another
    pattern = "|".join(re.escape(token) for token in sorted(special, key=len, reverse=True))
    *before, rest = re.split(f"({pattern})", rendered)
    for text, token in zip(before[::2], before[1::2], strict=True):
        yield special[token], text
    yield None, rest


def dialog_lines(dialog: Sequence[Turn]) -> str:
    """A line a turn, and the beginning of the next."""
    lines = []
    for role, text in dialog:
        one_line = " ".join(text.split())
        lines.append(f"{one_line}\n\n" if role == "system" else f"{role}: {one_line}\n")
    return "".join(lines) + "assistant:"
