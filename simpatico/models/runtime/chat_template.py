"""A dialog as the prompt that a language model expects before it writes the next turn.

The special tokens around turns come from the model's own chat template where it has one, which
jinja renders in its sandbox. Texts of a dialog must never become special tokens, whatever they look
like (prompt injection). So the template is rendered with placeholders, special tokens are found in
the result, and only then the texts are put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

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
    encoders: Mapping[Frame, Callable[[LmTokenizer, Sequence[Turn]], TokenIds]] = {
        "chat": encode_chat,
        "lines": encode_lines,
        "end": encode_with_ends,
    }
    return frame, partial(encoders[frame], tokenizer)


def encode_lines(tokenizer: LmTokenizer, dialog: Sequence[Turn]) -> TokenIds:
    """A line a turn, and the beginning of the next."""
    lines = []
    for role, text in dialog:
        one_line = " ".join(text.split())
        lines.append(f"{one_line}\n\n" if role == "system" else f"{role}: {one_line}\n")
    return [tokenizer.start_token, *tokenizer.encode("".join(lines) + "assistant:")]


def encode_with_ends(tokenizer: LmTokenizer, dialog: Sequence[Turn]) -> TokenIds:
    """An end-of-document token after each turn, as DialoGPT was trained."""
    end = tokenizer.end_token
    return [token for _, text in dialog for token in (*tokenizer.encode(text), end)]


def encode_chat(tokenizer: LmTokenizer, dialog: Sequence[Turn]) -> TokenIds:
    """The dialog in the model's own chat template, or in ChatML if it has none.

    ChatML is what most models with its special tokens were trained on. What stands between two
    special tokens is encoded as one text.
    """
    hf, ids = tokenizer.tokenizer, TokenIds()
    turns = [(role, PLACEHOLDER.format(i)) for i, (role, _) in enumerate(dialog)]
    prompt = "".join(f"{OPEN}{role}\n{text}{CLOSE}\n" for role, text in turns)
    prompt += f"{OPEN}assistant\n"
    if hf.chat_template:
        messages = [{"role": role, "content": text} for role, text in turns]
        try:
            prompt = hf.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # a template may refuse a role, or an order of roles, in any way
            raise NoAnswer(
                f"the model's chat template does not take this dialog ({type(error).__name__})",
                why="chat template",
            ) from None
        if PLACEHOLDER.format(len(dialog) - 1) not in prompt:
            why = "chat template"
            raise NoAnswer("the model's chat template leaves out the last turn", why=why)
    special = {str(token): i for i, token in hf.added_tokens_decoder.items()}
    # longest first, since one special token may begin another
    names = sorted(special, key=len, reverse=True)
    pattern = f"({'|'.join(map(re.escape, names))})" if names else r"(?!)"
    for part in re.split(pattern, prompt):
        if part in special:
            ids.append(special[part])
        elif text := PLACEHOLDERS.sub(lambda match: dialog[int(match[1])][1], part):
            ids += tokenizer.encode(text)
    return ids
