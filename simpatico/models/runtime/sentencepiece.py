"""A unigram vocabulary of SentencePiece as a tokenizer of the library `tokenizers`.

The file is read here because `neural`, the extra that runs the multilingual encoder, has tokenizers
but not sentencepiece, and because its ids differ where a combining mark stands apart (half-width
kana, two accents) or two cuts have equal scores, which would change scores. The file is a protocol
buffer: numbered fields one after another, each with its wire type and length. Field 1 is a piece (1
its text, 2 its score, 3 its type), field 3 how texts are normalised (2 the table of characters).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simpatico.errors import DataError

SPACE = "\u2581"
"""What SentencePiece writes for a space (lower one eighth block)."""
NORMAL, UNKNOWN, CONTROL = 1, 2, 3
"""Types of pieces, as SentencePiece numbers them."""
FIXED_BYTES = {1: 8, 5: 4}
"""Of the wire types that have a fixed length."""


def unigram_tokenizer(path: Path) -> Any:
    """The tokenizer of a SentencePiece file; adds its special tokens for beginning and end."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces, characters = read_vocabulary(path)
    unknown = next((i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN), None)
    special = {text: i for i, (text, _, kind) in enumerate(pieces) if kind == CONTROL}
    if unknown is None or not {"<s>", "</s>"} <= special.keys():
        raise vocabulary_error(path)
    # "<s>" that somebody wrote is text: a NUL, which the normaliser lets nobody write, goes before
    # special tokens so that no text matches them
    prefix = {UNKNOWN: "\0", CONTROL: "\0"}
    scores = [(prefix.get(kind, "") + text, score) for text, score, kind in pieces]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=unknown))
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
        special_tokens=[(token, special[token]) for token in ("<s>", "</s>")],
    )
    return tokenizer


def read_vocabulary(path: Path) -> tuple[list[tuple[str, float, int]], bytes]:
    """Text, score and type of every piece, and the compiled table of characters."""
    pieces: list[tuple[str, float, int]] = []
    characters = b""
    try:
        for number, value in protobuf_fields(path.read_bytes()):
            inner = dict(protobuf_fields(value)) if isinstance(value, bytes) else {}
            if number == 1:
                score = struct.unpack("<f", inner.get(2, bytes(4)))[0]
                pieces.append((inner[1].decode(), score, inner.get(3, NORMAL)))
            elif number == 3:
                characters = inner.get(2, b"")
    except (IndexError, KeyError, struct.error, UnicodeDecodeError, AttributeError, TypeError):
        raise vocabulary_error(path) from None
    return pieces, characters


def protobuf_fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of every field of a message: an integer, or bytes."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        if key & 7 == 0:
            value, at = read_varint(message, at)
            yield key >> 3, value
            continue
        wire_type = key & 7
        length, at = read_varint(message, at) if wire_type == 2 else (FIXED_BYTES[wire_type], at)
        if at + length > len(message):
            raise IndexError
        yield key >> 3, message[at : at + length]
        at += length


def read_varint(message: bytes, at: int) -> tuple[int, int]:
    """An integer of seven bits a byte, the lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def vocabulary_error(path: Path) -> DataError:
    return DataError(f"{path} is no unigram vocabulary of SentencePiece; get the model again")
