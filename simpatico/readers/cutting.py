"""Large files of lines in parts that can be read by themselves: a dialog is never cut in two."""

from __future__ import annotations

from collections.abc import Iterator

from simpatico import limits
from simpatico.readers.input.record import Reader, Span
from simpatico.readers.input.source import Source

BYTES_PER_UTTERANCE = 128
"""Of a file of JSON lines, so that a part of it has about as many utterances as a chunk."""


def cut_bytes(size: int) -> int:
    """Bytes of a file that hold about so many utterances, and never too much for a chunk."""
    return min(size * BYTES_PER_UTTERANCE, limits.CHUNK)


def cut_source(source: Source, reader: Reader, n_bytes: int) -> Iterator[Source]:
    """The source in parts of about so many bytes, if it can be cut between dialogs."""
    if not (reader.divisible and source.has_plain_lines):
        yield source
        return
    start, line = 0, 0
    with source.open() as file:
        while start < source.size:
            span = Span(start, find_cut(source, reader, start, n_bytes), line)
            yield source.part(span)
            file.seek(start)
            while start < span.stop and (block := file.read(min(2**20, span.stop - start))):
                line += block.count(b"\n")
                start += len(block)


def find_cut(source: Source, reader: Reader, start: int, n_bytes: int) -> int:
    """Where the part from `start` on ends: after about so many bytes, at the end of a dialog.

    A long dialog that begins within them is left to the next part, if there is much before it.
    """
    cut = size = source.size
    if start + n_bytes >= size:
        return size
    with source.open() as file:
        for share in (1, 2, 4, 8):
            file.seek(start + n_bytes // share - 1)
            file.readline(limits.RECORD)  # up to the end of a line; a longer one is rejected
            cut = reader.next_dialog(source.part(Span(file.tell(), size, 1))) or size
            if cut - start <= 1.25 * n_bytes:
                break
    return cut
