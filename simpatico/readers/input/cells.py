"""Cells of a block of CSV, and in which of its lines each row ends.

Python's csv module in strict mode, as for single rows; a block begins where a row does.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from typing import NamedTuple

from simpatico import limits


class Cells(NamedTuple):
    """The rows up to the first that is broken or does not end in the block; blank lines are rows.

    `ends`: the lines up to the end of each row.
    """

    rows: list[list[str]]
    ends: list[int]
    whole: bool

    @classmethod
    def of(cls, data: bytes, delimiter: str) -> Cells:
        """The cells of these lines."""
        if has_many_cells(data, delimiter):
            return cls([], [], False)
        csv.field_size_limit(limits.RECORD)  # of the csv module it is 128 KiB
        rows, ends, whole = list[list[str]](), list[int](), b"\0" not in data
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text, whole = data.decode(errors="replace"), False
        reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
        try:
            for row in reader:
                rows.append(row)
                ends.append(reader.line_num)
        except csv.Error:
            whole = False
        return cls(rows, ends, whole)

    def head(self, n_lines: int) -> Cells:
        """The rows of the first lines of a whole block, where a row ends with them."""
        n = bisect_left(self.ends, n_lines) + 1
        return Cells(self.rows[:n], self.ends[:n], True)


def has_many_cells(data: bytes, delimiter: str) -> bool:
    """Whether one of these lines may have more cells than can be held."""
    mark = delimiter.encode()
    if data.count(mark) < limits.CELLS:
        return False
    return any(line.count(mark) >= limits.CELLS for line in data.split(b"\n"))
