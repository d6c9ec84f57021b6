"""Pseudonyms: names and ids as keyed hashes, which only the holder of the key can make again.

A pseudonym is HMAC-SHA-256 (RFC 2104) of the name, cut to 80 bits: the same name has the same one
in every run of a key, and without the key a list of names cannot be tried out. The key lies outside
of run folders, so that a run can be passed on without it.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.errors import DataError, MissingResource

VARIABLE = "SIMPATICO_KEY"
"""Names the file of the key where it is not the usual one."""
KEY_BYTES = 32
DIGITS = 20


@dataclass(frozen=True)
class Pseudonyms:
    """Pseudonyms of dialogs and speakers, and of what these other columns of the input hold."""

    key: bytes = field(repr=False)
    columns: tuple[str, ...] = ()

    def of(self, name: str) -> str:
        """The pseudonym of a name or id."""
        # a name may hold one half of a surrogate pair, which strict UTF-8 cannot encode
        digest = hmac.digest(self.key, name.encode("utf-8", "surrogatepass"), "sha256")
        return f"p{digest.hex()[:DIGITS]}"

    def as_json(self) -> dict[str, Any]:
        """What `run.json` says: enough to tell whether a key is the one, and not the key."""
        return {"key": self.of("the key of this run"), "columns": list(self.columns)}

    def rename(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with pseudonyms in place of dialogs and, where there are any, speakers.

        A speaker who is called as the system keeps the name, since systems do.
        """
        for column in [c for c in ("dialog", "speaker") if c in frame.columns]:
            names = frame[column].unique()
            pseudonyms = pl.Series([self.of(name) for name in names], dtype=pl.String)
            new = pl.col(column).replace_strict(names, pseudonyms)
            if column == "speaker":
                kept = pl.col("speaker").eq_missing(pl.col("system"))
                new = pl.when(kept).then("speaker").otherwise(new)
            frame = frame.with_columns(new.alias(column))
        return frame


def key_path() -> Path:
    """Where the key is: the file that the user names, or one in the user's config folder."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Path(os.environ.get(VARIABLE) or config / "simpatico" / "pseudonyms.key")


def make_key() -> bool:
    """Make a key where there is none, for its owner only; false when there was one."""
    path = key_path()
    if path.exists():
        return False
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, f"{secrets.token_hex(KEY_BYTES)}\n".encode())
        os.fsync(handle)
        os.link(temporary, path)  # not a rename: of two processes, the first one's key stays
    except FileExistsError:
        return False
    finally:
        os.close(handle)
        temporary.unlink()
    return True


def read_key() -> bytes:
    """The key, refused where others could read it."""
    path = key_path()
    if not path.is_file():
        raise MissingResource(f"no key of pseudonyms at {path}; name its file with --key FILE")
    if path.stat().st_mode & 0o077:
        raise DataError(f"{path}: others can read this key; run chmod 600 {path}")
    text = path.read_bytes()[: 3 * KEY_BYTES].decode("ascii", "replace").strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text):
        raise DataError(f"{path}: no key of {KEY_BYTES} bytes in hex digits; restore it")
    return bytes.fromhex(text)
