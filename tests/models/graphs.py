"""ONNX graphs written byte by byte, good and hostile: an encoder that looks a token's row up."""

import struct

FLOAT, INT64, FLOAT16, DOUBLE, BFLOAT16 = 1, 7, 10, 11, 16
WORDS, WIDTH = 4, 3
"""Rows of the table of weights, and numbers in a row."""


def varint(value, longer=0):
    """A number in groups of seven bits; `longer` adds groups of zeros, which protobuf reads."""
    groups = [value & 127]
    while value := value >> 7:
        groups.append(value & 127)
    groups += [0] * longer
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def field(number, value, longer=0):
    """A field of a message: a number, or text, bytes or a message with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data), longer) + data


def entry(key, value, longer=0):
    """A key and its value, as external data and metadata have them."""
    return field(1, key) + field(2, value, longer)


def tensor(name="table", dims=(WORDS, WIDTH), kind=FLOAT, more=b"", **raw):
    """A tensor of zeros, or what `raw` says: `data` in the place `where`."""
    data = raw.get("data", bytes(48))
    shape = b"".join(field(1, size) for size in dims)
    body = b"" if data is None else field(raw.get("where", 9), data)
    return shape + field(2, kind) + field(8, name) + body + more


def external(*entries, location=1):
    """What makes a tensor read its numbers from a file."""
    return b"".join(field(13, one) for one in entries) + field(14, location)


def outside(path="../secret.bin", **more):
    """A tensor of weights that lie elsewhere."""
    parts = entry("location", path), entry("offset", "0"), entry("length", "48")
    return tensor(data=None, more=external(*parts), **more)


def value_info(name, kind, *dims):
    shape = b"".join(field(1, field(2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(inputs, output, op="Gather", more=b""):
    names = b"".join(field(1, name) for name in inputs)
    return names + field(2, output) + field(3, output) + field(4, op) + more


def graph(*initializers, more=b"", nodes=None):
    """The encoder: rows of `table` for the token ids."""
    nodes = [node(["table", "input_ids"], "out")] if nodes is None else nodes
    return (
        b"".join(field(1, one) for one in nodes)
        + field(2, "g")
        + b"".join(field(5, one) for one in initializers)
        + field(11, value_info("input_ids", INT64, "b", "s"))
        + field(12, value_info("out", FLOAT, "b", "s", "w"))
        + more
    )


def model(inner, more=b""):
    return field(1, 8) + field(8, field(1, "") + field(2, 17)) + field(7, inner) + more


def floats(*numbers, code="f"):
    return struct.pack(f"<{len(numbers)}{code}", *numbers)
