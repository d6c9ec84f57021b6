"""What an ONNX graph holds, read from its bytes: tensors, and the files that they lie in.

A strict reader of protocol buffers of our own rather than the package `onnx`, which brings protobuf
and ml_dtypes, takes what it does not know, and loads weights to look at them. All places in which a
tensor can be are visited: initializers, attributes, subgraphs, functions, training graphs and
sparse tensors. What the reader does not know exactly is refused, so that onnxruntime cannot
read a graph otherwise than it was checked: unknown and repeated fields, groups, numbers that are
longer than they need be.

Wire format: https://protobuf.dev/programming-guides/encoding; messages: onnx.proto of ONNX 1.23.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

MAX_DEPTH = 100
"""Messages within messages: protobuf, and so onnxruntime, reads no more."""
MAX_FIELDS = 300_000
"""Of a graph, and numbers of 16 bits that are written as varints; MiniLM has some 3,000 fields."""


class BadGraph(ValueError):
    """Bytes that are not the graph that they should be."""


class Message(NamedTuple):
    """A message: its fields that occur once, those that may repeat, and messages to look into."""

    once: set[int]
    repeated: set[int]
    inner: dict[int, str]


MESSAGES = {
    "model": Message(
        {*range(1, 8)}, {8, 14, 20, 25, 26}, {7: "graph", 20: "training", 25: "function"}
    ),
    "training": Message({1, 2}, {3, 4}, {1: "graph", 2: "graph"}),
    "function": Message({1, 8, 10, 13}, {4, 5, 6, 7, 9, 11, 12, 14}, {7: "node", 11: "attribute"}),
    "graph": Message(
        {2, 10}, {1, 5, *range(11, 17)}, {1: "node", 5: "tensor", 15: "sparse tensor"}
    ),
    "node": Message({3, 4, 6, 7, 8}, {1, 2, 5, 9, 10}, {5: "attribute"}),
    "attribute": Message(
        {*range(1, 7), 13, 14, 20, 21, 22},
        {*range(7, 12), 15, 23},
        {
            5: "tensor",
            10: "tensor",
            6: "graph",
            11: "graph",
            22: "sparse tensor",
            23: "sparse tensor",
        },
    ),
    "sparse tensor": Message({1, 2}, {3}, {1: "tensor", 2: "tensor"}),
    "tensor": Message({2, 3, 8, 9, 12, 14}, {1, 4, 5, 6, 7, 10, 11, 13, 16}, {}),
    "entry": Message({1, 2}, set(), {}),
}
DATA_TYPE, FLOATS, INTS, NAME, RAW, DOUBLES, EXTERNAL, LOCATION = 2, 4, 5, 8, 9, 10, 13, 14
"""Fields of a tensor."""
FLOAT_TYPES = {1: "F32", 10: "F16", 11: "F64", 14: "F32", 15: "F64", 16: "BF16"}
"""Data types of numbers that can be NaN; complex numbers are pairs."""
SIXTEEN_BITS = {"F16": 0x7C00, "BF16": 0x7F80}
"""The exponent's bits, which are all ones in NaN and infinity."""
OTHER_TYPES = {*range(2, 10), 12, 13, 21, 22, 25, 26}
"""Whole numbers, truth values and text; floats of eight bits and less are in neither."""


class Field(NamedTuple):
    """A field: its number, where its content begins and ends, and a number that it is."""

    number: int
    start: int
    stop: int
    value: int | None


@dataclass
class Tensor:
    """A tensor: numbers of one type in parts of the graph's own bytes, or in a file beside it.

    `dtype` is null for what is never NaN; `file` is the file's name as the graph has it.
    """

    name: str
    dtype: str | None
    parts: list[tuple[int, int]] = field(default_factory=list)
    file: str | None = None


@dataclass
class Reader:
    """The bytes of a graph, and how many more fields it may have."""

    data: mmap
    n_left: int = MAX_FIELDS

    def varint(self, at: int, stop: int) -> tuple[int, int]:
        """A number in groups of seven bits, and where it ends."""
        value = shift = 0
        while at < stop and shift < 70:
            byte = self.data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                if value >> 64 or (not byte and shift > 7):
                    raise BadGraph("a number is longer than it need be")
                return value, at
        raise BadGraph("a number has no end")

    def count(self) -> None:
        """Refuse a graph of more parts than can be read in a second or two."""
        self.n_left -= 1
        if self.n_left < 0:
            raise BadGraph(f"it has more than {MAX_FIELDS:,} fields")

    def fields(self, kind: str, start: int, stop: int) -> Iterator[Field]:
        """The fields of a message."""
        message, seen = MESSAGES[kind], set[int]()
        while start < stop:
            tag, start = self.varint(start, stop)
            number, wire = tag >> 3, tag & 7
            self.count()
            if number in seen or number not in message.once | message.repeated:
                why = "is there twice" if number in seen else "is unknown"
                raise BadGraph(f"field {number} of {kind} {why}")
            if number in message.once:
                seen.add(number)
            value, end = None, start
            match wire:
                case 0:
                    value, end = self.varint(start, stop)
                case 1 | 5:
                    end = start + (8 if wire == 1 else 4)
                case 2:
                    length, start = self.varint(start, stop)
                    end = start + length
                case _:
                    raise BadGraph(f"field {number} of {kind} is a group")
            if end > stop:
                raise BadGraph(f"field {number} of {kind} is cut off")
            if wire != 2 and number in message.inner:
                raise BadGraph(f"field {number} of {kind} is no message")
            yield Field(number, start, end, value)
            start = end

    def tensors(self) -> Iterator[Tensor]:
        """All tensors of the graph, wherever they are."""
        waiting = [("model", 0, len(self.data), 1)]
        while waiting:
            kind, start, stop, depth = waiting.pop()
            if depth > MAX_DEPTH:
                raise BadGraph(f"more than {MAX_DEPTH} messages within each other")
            if kind == "tensor":
                yield self.tensor(start, stop)
                continue
            for part in self.fields(kind, start, stop):
                if inner := MESSAGES[kind].inner.get(part.number):
                    waiting.append((inner, part.start, part.stop, depth + 1))

    def tensor(self, start: int, stop: int) -> Tensor:
        """One tensor, without its numbers themselves."""
        fields = list(self.fields("tensor", start, stop))
        one = {part.number: part for part in fields}
        name = self.head(one[NAME], 100).decode(errors="replace") if NAME in one else ""
        data_type = one[DATA_TYPE].value if DATA_TYPE in one else None
        if data_type not in FLOAT_TYPES and data_type not in OTHER_TYPES:
            raise BadGraph(f"the tensor {name!r} has numbers of the unknown type {data_type}")
        tensor = Tensor(name, FLOAT_TYPES.get(data_type or 0))
        # five are one more than there are keys
        places = islice((part for part in fields if part.number == EXTERNAL), 5)
        entries = [self.entry(part) for part in places]
        location = one[LOCATION].value if LOCATION in one else 0
        if entries or location:
            place = dict(entries)
            numbers = [place.get("offset", "0"), place.get("length", "")]
            plain = all(text.isascii() and text.isdigit() and len(text) < 16 for text in numbers)
            known = {"location"} <= {*place} <= {"location", "offset", "length", "checksum"}
            if location != 1 or len(place) < len(entries) or not known or not plain:
                raise BadGraph(f"where the tensor {name!r} lies cannot be read")
            tensor.file, (offset, length) = place["location"], map(int, numbers)
            tensor.parts.append((offset, offset + length))
        for part in fields:
            if part.number in (FLOATS, RAW, DOUBLES):
                if tensor.file is not None:
                    raise BadGraph(f"the tensor {name!r} has numbers in two places")
                tensor.parts.append((part.start, part.stop))
            elif part.number == INTS and tensor.dtype in SIXTEEN_BITS:
                self.check_varints(part, tensor)
        return tensor

    def check_varints(self, part: Field, tensor: Tensor) -> None:
        """Refuse 16-bit floats that are NaN or infinite; here they are written as whole numbers."""
        at, ones = part.start, SIXTEEN_BITS[tensor.dtype or ""]
        while at < part.stop:
            value, at = self.varint(at, part.stop)
            self.count()
            if value & ones == ones:
                raise BadGraph(f"the tensor {tensor.name!r} has NaN or infinite numbers")

    def entry(self, part: Field) -> tuple[str, str]:
        """A key and its value."""
        fields = self.fields("entry", part.start, part.stop)
        try:
            texts = {one.number: self.head(one, 1000).decode() for one in fields}
        except UnicodeDecodeError:
            raise BadGraph("a name is not UTF-8") from None
        return texts.get(1, ""), texts.get(2, "")

    def head(self, part: Field, longest: int) -> bytes:
        """The first bytes of a field: names of tensors and files are short."""
        return self.data[part.start : min(part.stop, part.start + longest)]


def read_tensors(path: Path) -> list[Tensor]:
    """The tensors of a graph; raises BadGraph where it is not one or cannot be read exactly."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return list(Reader(data).tensors())
