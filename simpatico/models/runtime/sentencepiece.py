"""A vocabulary of SentencePiece, of the kind unigram, as the tokenizer that it describes.

The file is a protocol buffer: numbered fields one after another, each with its kind and length.
Field 1 is a piece (1 its text, 2 its score, 3 its type), field 3 how texts are normalised (2 the
table of characters). Pieces are those of SentencePiece itself, but for half-width kana whose voice
mark stands apart, which the library `tokenizers` leaves apart.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simpatico.errors import DataError

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL = 1, 2, 3
WIDTHS = {1: 8, 5: 4}
"""Bytes of the kinds of field that have a fixed length."""


def unigram(path: Path) -> Any:
    """The tokenizer of a SentencePiece file; texts get its marks for beginning and end."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces, characters = vocabulary(path)
    unknown = next((i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN), None)
    marks = {text: i for i, (text, _, kind) in enumerate(pieces) if kind == CONTROL}
    if unknown is None or not {"<s>", "</s>"} <= marks.keys():
        raise unusable(path)
    # a mark that somebody wrote is text; the normaliser lets no NUL through
    hidden = {UNKNOWN: "\0", CONTROL: "\0"}
    words = [(hidden.get(kind, "") + text, score) for text, score, kind in pieces]
    tokenizer = Tokenizer(models.Unigram(words, unk_id=unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            *([normalizers.Precompiled(characters)] if characters else []),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[(mark, marks[mark]) for mark in ("<s>", "</s>")],
    )
    return tokenizer


def vocabulary(path: Path) -> tuple[list[tuple[str, float, int]], bytes]:
    """Text, score and type of every piece, and the table of characters."""
    pieces: list[tuple[str, float, int]] = []
    characters = b""
    try:
        for number, value in fields(path.read_bytes()):
            inner = dict(fields(value)) if isinstance(value, bytes) else {}
            if number == 1:
                score = struct.unpack("<f", inner.get(2, bytes(4)))[0]
                pieces.append((inner[1].decode(), score, inner.get(3, NORMAL)))
            elif number == 3:
                characters = inner.get(2, b"")
    except (IndexError, KeyError, struct.error, UnicodeDecodeError, AttributeError, TypeError):
        raise unusable(path) from None
    return pieces, characters


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of every field of a message: a whole number, or bytes."""
    at = 0
    while at < len(message):
        key, at = whole(message, at)
        if key & 7 == 0:
            value, at = whole(message, at)
            yield key >> 3, value
            continue
        length, at = whole(message, at) if key & 7 == 2 else (WIDTHS[key & 7], at)
        if at + length > len(message):
            raise IndexError
        yield key >> 3, message[at : at + length]
        at += length


def whole(message: bytes, at: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, the lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def unusable(path: Path) -> DataError:
    return DataError(f"{path} is no unigram vocabulary of SentencePiece; get the model again")
