"""What a model knows of persons, and their names that only the holder of a key can make.

A name is 16 hex digits. Without the key it cannot be told from them, nor tried out from a list of
names.
"""

from __future__ import annotations

import re
import secrets
from hashlib import blake2b
from typing import Literal

KEY_BYTES = 32
DIGITS = 16

Mode = Literal["text", "user", "profile", "both"]
"""What a model knows of the person who is talked to."""
MODES: tuple[Mode, ...] = ("text", "user", "profile", "both")


def knows_who(mode: Mode) -> bool:
    """Whether it matters who is talked to."""
    return mode in ("user", "both")


def knows_profile(mode: Mode) -> bool:
    """Whether it matters what their profile says."""
    return mode in ("profile", "both")


def new_key() -> bytes:
    """A key that nobody can guess."""
    return secrets.token_bytes(KEY_BYTES)


def key_of(written: bytes) -> bytes | None:
    """The key that a file holds; null where it holds something else."""
    text = written.decode("ascii", "replace").strip()
    return bytes.fromhex(text) if re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text) else None


def pseudonym(person: str, key: bytes) -> str:
    """The digits that stand for a person; "" where nobody knows who it is."""
    if not person:
        return ""
    # a name may hold half of a pair of surrogates, which plain UTF-8 cannot write
    written = person.encode("utf-8", "surrogatepass")
    return blake2b(written, key=key, digest_size=DIGITS // 2).hexdigest()
