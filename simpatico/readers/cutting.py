"""Large files in parts that can be read by themselves: a dialog is never cut in two.

    file → block of lines or rows → the dialogs that end in it, and what is left for the next block

A part holds its bytes or rows, so that a stream that cannot be read from anywhere, such as gzip, is
read once. Where no end of a dialog is found, the rest of the file is one part, which holds nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import polars as pl

from simpatico import limits
from simpatico.readers.input.parquet import DAMAGE
from simpatico.readers.input.raw_bytes import UNPACKING
from simpatico.readers.input.record import Ledger, Reader, Span
from simpatico.readers.input.source import Source

BYTES_PER_UTTERANCE = 128
"""Of a file of JSON lines, so that a part of it has about as many utterances as a chunk."""


def cut_bytes(size: int) -> int:
    """Bytes of a file that hold about so many utterances, and never too much for a chunk."""
    return min(size * BYTES_PER_UTTERANCE, limits.CHUNK)


def cut_source(source: Source, reader: Reader, n_bytes: int) -> Iterator[Source]:
    """The source in parts of about so many bytes, if it can be cut between dialogs."""
    kinds = ("lines", "text", "parquet") if reader.rows_are_utterances else ("lines",)
    if source.folder or not reader.divisible or source.head.kind not in kinds:
        return iter([source])
    cut = cut_rows if source.head.kind == "parquet" else cut_lines
    return cut(source, reader, n_bytes)


def cut_lines(source: Source, reader: Reader, n_bytes: int) -> Iterator[Source]:
    """The parts of a file of lines."""
    start, line, block, is_last = 0, 0, b"", False
    with source.open() as file:
        while not is_last:
            try:
                more = file.read(n_bytes)
                is_last = len(more) < n_bytes
                more += b"" if is_last else file.readline(limits.RECORD)
            except UNPACKING:
                break  # said by who reads the rest
            block += more
            if not (is_last or block.endswith(b"\n")):
                break  # a line that is too long
            whole = source.part(Span(start, start + len(block), line), block)
            part = whole if is_last else first_dialogs(whole, reader)
            if part and part.span and block:
                yield part
                line += block.count(b"\n", 0, part.size)
                start, block = part.span.stop, block[part.size :]
            elif len(block) > limits.RECORD:
                break
        else:
            return
    yield source.part(Span(start, sys.maxsize, line))


def cut_rows(source: Source, reader: Reader, n_bytes: int) -> Iterator[Source]:
    """The parts of a Parquet file."""
    start, block, ledger = 0, pl.DataFrame(), Ledger("skip")
    try:
        for rows in source.slices(ledger):
            block = pl.concat([block, rows]) if block.height else rows
            if max(block.height * BYTES_PER_UTTERANCE, block.estimated_size()) < n_bytes:
                continue
            whole = source.part(Span(start, start + block.height, start), block)
            part = first_dialogs(whole, reader)
            if part and part.span:
                yield part
                start, block = part.span.stop, block.slice(part.span.stop - start)
            elif block.estimated_size() > limits.RECORD:
                break
        else:
            if not ledger.errors:
                yield source.part(Span(start, start + block.height, start), block)
                return
    except DAMAGE:
        pass  # said by who reads the rest
    yield source.part(Span(start, sys.maxsize, start))


def first_dialogs(block: Source, reader: Reader) -> Source | None:
    """The part of a block up to the start of one of its last dialogs, if it has one."""
    if not block.span or (block.head.kind == "text" and not has_whole_rows(block)):
        return None
    for share in (16, 4, 2, 1):
        cut = reader.next_dialog(last_rows(block, block.span, share))
        if cut and cut > block.span.start:
            return first_rows(block, block.span, cut)
    return None


def has_whole_rows(block: Source) -> bool:
    """Whether a block of CSV has rows to be told apart, and a header in one line."""
    first = block.cells.rows[:1]
    is_start = block.span is not None and not block.span.start
    is_header = [[name.strip() for name in row] for row in first] == [block.head.header]
    is_header = is_header and {"\0", "\ufffd"}.isdisjoint("".join(first[0]))  # those are rejected
    return bool(first) and block.size <= limits.RECORD and (is_header or not is_start)


def last_rows(block: Source, span: Span, share: int) -> Source:
    """The last rows of a block, about so small a share of it."""
    if isinstance(block.held, pl.DataFrame):
        at = block.held.height - block.held.height // share
        return block.part(Span(span.start + at, span.stop, span.start + at), block.held.slice(at))
    data = block.held or b""
    at = len(data) - len(data) // share
    if block.head.kind == "text":
        n_rows = len(block.cells.ends)
        n_lines = [0, *block.cells.ends][n_rows - n_rows // share]
        at = len(data) - len(data.split(b"\n", n_lines)[n_lines])
    elif at:
        at = data.find(b"\n", at - 1) + 1
    return block.part(Span(span.start + at, span.stop, span.line + at), data[at:])


def first_rows(block: Source, span: Span, cut: int) -> Source:
    """The rows of a block before the one at `cut`."""
    n, held = cut - span.start, block.held
    part = block.part(Span(span.start, cut, span.line), held[:n] if held is not None else None)
    if block.head.kind == "text" and isinstance(held, bytes) and block.cells.whole:
        part.__dict__["cells"] = block.cells.head(held.count(b"\n", 0, n))
    return part
