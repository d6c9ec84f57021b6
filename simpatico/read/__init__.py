"""Files to conversations: one module a format, picked by suffix and shape."""

from __future__ import annotations

from simpatico.read.alignment import Alignment
from simpatico.read.conversations import Chunk, Conversations, read
from simpatico.read.picking import Reader, formats, pick
from simpatico.read.source import Source

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
