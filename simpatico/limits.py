"""How much is read at most: every limit that keeps an input from filling memory or time.

All bounds of what may come in stand here, in bytes unless a name says otherwise; docs/limits.md
lists them for users. A scored text takes 35 times its bytes in memory, or 150 bytes for each word.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from simpatico.errors import DataError

HEAD = 64 * 1024
"""Bytes from which a format is detected: enough for a long first record."""
RECORD = 32 * 1024**2
"""A line, an item of a JSON list, a row of Parquet; also all rows of one dialog in a table."""
CELLS = 1_000_000
"""Of a line of CSV, each of which is an object in memory."""
DIALOG = 12 * 1024**2
"""Text of one dialog, which is scored as a whole."""
DIALOG_WORDS = 3_000_000
"""Words of one dialog, of which prose of 12 MiB has some 2.4 million."""
CHUNK = 6 * 1024**2
"""Text of the dialogs that are scored together, unless it is one dialog."""
DOCUMENT = 2 * 1024**3
"""A file that has to be held in memory as a whole."""
STREAM = 4 * 1024**3
"""Standard input or a pipe, which is copied to a file first."""
UNPACKED_FLOOR = 16 * 1024**2
UNPACKED_RATIO = 200
"""A gzip or Parquet file may unpack to 16 MiB, or to 200 times its size; text compresses about 3 to
20 times."""
RESOURCE = 64 * 1024**2
"""A file that a parameter names: a lexicon, document frequencies, baselines."""
LEXICON_CELLS = 24 * 1024**2
"""Terms times categories of a lexicon, each of which is a number in memory."""
LEXICON_ROWS = 1_000_000
"""Rows of a lexicon's table."""
LEXICON_TERM = 100_000
"""Bytes of a row of a lexicon in SQLite."""
SYSTEMS = 40
"""Systems that are compared pair by pair, which are 780 pairs, unless two are named."""


def unpacked_limit(packed: int) -> int:
    """How many bytes so many packed ones may unpack to."""
    return max(UNPACKED_FLOOR, UNPACKED_RATIO * packed)


def bomb_problem(kind: str, way_out: str) -> str:
    """The sentence for a file that unpacks to too much."""
    return (
        f"the {kind} file unpacks to more than {UNPACKED_RATIO} times its size; {way_out} if you "
        "trust it"
    )


def check_resource(path: Path) -> None:
    """Refuse what is no regular file, such as /dev/zero, or larger than `RESOURCE`."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise DataError(f"{path}: this is no regular file; give a file")
    if status.st_size > RESOURCE:
        raise DataError(f"{path}: the file is larger than {RESOURCE >> 20} MiB; give a smaller one")
