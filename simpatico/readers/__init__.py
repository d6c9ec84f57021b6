"""Files to conversations: one module a format, picked by suffix and shape."""

from __future__ import annotations

from simpatico.readers.alignment import Alignment
from simpatico.readers.conversations import Chunk, Conversations, read
from simpatico.readers.detect import Reader, formats, pick
from simpatico.readers.input.source import Source

__all__ = [
    "Alignment",
    "Chunk",
    "Conversations",
    "Reader",
    "Source",
    "formats",
    "pick",
    "read",
]
