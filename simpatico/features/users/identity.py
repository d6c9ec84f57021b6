"""What a model knows about users, and pseudonyms that only the holder of a key can make.

A pseudonym is a keyed BLAKE2b hash of the name, 16 hex digits: without the key it can neither be
reversed nor tried out from a list of names.
"""

from __future__ import annotations

import re
import secrets
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from simpatico.errors import DataError

KEY_BYTES = 32
DIGITS = 16

Mode = Literal["text", "user", "profile", "both"]
"""What a model knows about the user addressed."""
MODES: tuple[Mode, ...] = ("text", "user", "profile", "both")


def uses_identity(mode: Mode) -> bool:
    """Whether the mode uses the identity of the user."""
    return mode in ("user", "both")


def uses_profile(mode: Mode) -> bool:
    """Whether it matters what their profile says."""
    return mode in ("profile", "both")


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def parse_key(content: bytes, path: Path) -> bytes:
    """The key that the file at this path holds as hex digits."""
    text = content.decode("ascii", "replace").strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text):
        raise DataError(f"{path}: no key of {KEY_BYTES} bytes; restore it or train again")
    return bytes.fromhex(text)


def pseudonym(user: str, key: bytes) -> str:
    """The digits that stand for a user; "" where nobody knows who it is."""
    if not user:
        return ""
    # a name may hold one half of a surrogate pair, which strict UTF-8 cannot encode
    name = user.encode("utf-8", "surrogatepass")
    return blake2b(name, key=key, digest_size=DIGITS // 2).hexdigest()
