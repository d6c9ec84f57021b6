"""Files to conversations: one module a format, picked by suffix and shape."""

from __future__ import annotations

from simpatico.readers.alignment import Alignment
from simpatico.readers.conversations import Conversations, read
from simpatico.readers.detect import all_readers, pick_reader
from simpatico.readers.input.record import Reader
from simpatico.readers.input.source import Source

__all__ = ["Alignment", "Conversations", "Reader", "Source", "all_readers", "pick_reader", "read"]
