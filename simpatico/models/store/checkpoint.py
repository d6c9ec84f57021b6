"""What a folder of a pretrained model may hold: data of known kinds, and nothing that can run."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from functools import lru_cache
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError

KINDS = {
    *(".json", ".txt", ".jinja", ".safetensors", ".onnx", ".onnx_data"),
    *(".spm", ".model", ".npy", ".npz", ".parquet"),
}
DOCUMENTS = re.compile(r"(readme|licen[cs]e|notice)(\..*)?|.*\.md|\.git(attributes|ignore)", re.I)
PICKLES = {".bin", ".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".joblib", ".msgpack", ".h5"}
CODE = {".py", ".pyc", ".so", ".dll", ".dylib", ".sh"}
MANIFEST = "manifest.json"

MOST_FILES = 200
DEEPEST = 2
TEXT_LIMIT = 64 * 1024**2
SETTINGS_LIMIT = 8 * 1024**2
VOCABULARIES = {"tokenizer.json", "vocab.json"}
HEADER_LIMIT = 16 * 1024**2
BLOCK = 4 * 1024**2

Stamp = tuple[int, int, int]


def listing(folder: Path, within: Path) -> tuple[str, ...]:
    """The files of the model in this folder, sorted; documents beside them are passed over."""
    found: list[str] = []
    try:
        walk(folder, "", within.resolve(), found)
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror or 'unknown'})") from None
    lower = [name.lower() for name in found]
    if len(set(lower)) < len(lower):
        twice = sorted(name for name in found if lower.count(name.lower()) > 1)
        raise DataError(f"{folder}: {' and '.join(map(repr, twice))} differ by case only")
    if not found:
        raise DataError(f"{folder}: no file of a model is in this folder")
    return tuple(sorted(found))


def walk(folder: Path, under: str, within: Path, found: list[str]) -> None:
    """Add the files of one folder, and of the folders in it down to the depth models have."""
    for place in sorted(os.scandir(folder), key=lambda place: place.name):
        name = under + place.name
        path = Path(place.path)
        # of a link to itself Path.resolve() gives no path
        if place.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(within):
            raise DataError(f"{path}: a link that leads out of the model; copy the file itself")
        if path.is_dir():
            if name.count("/") + 1 >= DEEPEST:
                raise DataError(f"{path}: a model has no folders inside its folders")
            walk(path, f"{name}/", within, found)
        elif not DOCUMENTS.fullmatch(place.name):
            found.append(admitted(path, name))
        if len(found) > MOST_FILES:
            raise DataError(f"{within}: more than {MOST_FILES} files; a model has fewer")


def admitted(path: Path, name: str) -> str:
    """The name, when it is of a plain file of a kind that models are made of."""
    suffix = path.suffix.lower()
    if not path.is_file():
        raise DataError(f"{path}: not a plain file; a model is made of plain files")
    if suffix in PICKLES:
        raise DataError(
            f"{path}: weights in a format that can run code when opened; "
            "save the model again with transformers' save_pretrained, which writes safetensors, "
            "and leave this file out"
        )
    if suffix in CODE:
        raise DataError(f"{path}: code, which is never run from a model; leave this file out")
    if suffix not in KINDS:
        raise DataError(f"{path}: not a kind of file that models are made of; leave it out")
    return name


def stamp(path: Path) -> Stamp:
    """What changes when a file is written: times and size."""
    try:
        told = path.stat()
    except (OSError, ValueError):
        raise DataError(f"{path}: cannot be read; get the model again") from None
    if not stat.S_ISREG(told.st_mode):
        raise DataError(f"{path}: not a plain file; a model is made of plain files")
    return told.st_mtime_ns, told.st_ctime_ns, told.st_size


@lru_cache(maxsize=4096)
def sha256(path: Path, stamp: Stamp) -> str:
    """The hash of a file; read once as long as its stamp stays."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'unknown'})") from None


@lru_cache(maxsize=4096)
def examine(path: Path, stamp: Stamp) -> None:
    """Refuse a file whose contents are hostile or damaged; looked at once as long as it stays."""
    match path.suffix.lower():
        case ".json":
            examine_json(path, stamp[-1])
        case ".safetensors":
            examine_tensors(path, stamp[-1])
        case ".onnx":
            examine_graph(path, stamp[-1])
        case ".txt" | ".jinja" | ".model" | ".spm":
            small(path, stamp[-1], TEXT_LIMIT)


def small(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise DataError(f"{path}: {size:,} bytes; such a file has at most {limit:,}")


def examine_json(path: Path, size: int) -> None:
    """Refuse settings that ask for code, for another model or for quantised arithmetic."""
    words = path.name in VOCABULARIES
    small(path, size, TEXT_LIMIT if words else SETTINGS_LIMIT)
    if path.name == "adapter_config.json":
        raise DataError(f"{path}: an adapter to another model; merge it into the model first")
    try:
        # words are looked over without making millions of objects
        told = msgspec.json.decode(path.read_bytes(), type=msgspec.Raw if words else Any)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not valid JSON; get the model again") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'unknown'})") from None
    for key, value in settings(told):
        examine_setting(path, key, value)
    if path.name.endswith(".index.json"):
        examine_parts(path, told)


def examine_parts(path: Path, told: Any) -> None:
    """Refuse a list of parts that names a file anywhere but beside it."""
    named = told.get("weight_map") if isinstance(told, dict) else None
    for name in set(map(str, named.values())) if isinstance(named, dict) else [""]:
        beside(path, name)


def beside(path: Path, name: str) -> None:
    """Refuse a file that is not in the folder of the one that names it."""
    if name != Path(name).name or not (path.parent / name).is_file():
        raise DataError(f"{path}: its weights are in {name!r}, which is not beside it")


def settings(told: Any) -> list[tuple[str, Any]]:
    """Every key with its value, however deep."""
    found: list[tuple[str, Any]] = []
    waiting = [told]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                found.extend(inner.items())
                waiting.extend(inner.values())
            case list() as inner:
                waiting.extend(inner)
    return found


def examine_setting(path: Path, key: str, value: Any) -> None:
    if key in ("auto_map", "custom_pipelines", "trust_remote_code") and value:
        raise DataError(f"{path}: {key!r} asks to run code that came with the model; not supported")
    plain = value in (None, "eager", "sdpa")
    if key in ("attn_implementation", "_attn_implementation") and not plain:
        raise DataError(f"{path}: {key!r} asks to fetch code ({value!r}); remove this setting")
    if key == "quantization_config" and value:
        raise DataError(f"{path}: quantised weights; scores are computed in 32 bit, save it so")
    module = path.name == "modules.json" and key == "type"
    if module and not str(value).startswith("sentence_transformers."):
        raise DataError(f"{path}: module {value!r} is code of its own; not supported")


def examine_graph(path: Path, size: int) -> None:
    """Refuse a graph whose weights lie anywhere but in a file beside it."""
    if not size:
        raise DataError(f"{path}: an empty file; get the model again")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        usual = list(re.finditer(rb"\x0a\x08location\x12(.)", data, re.S))
        if len(usual) < len(re.findall(rb"\x0a\x08location", data)):
            raise DataError(f"{path}: says in an unusual way where its weights are; save it anew")
        for place in usual:
            start = place.end()
            beside(path, data[start : start + place[1][0]].decode("utf-8", "replace"))


SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "BOOL": 1, "U8": 1, "I8": 1, "I32": 4, "I64": 8}
"""Bytes of a number of each kind."""


class Tensor(msgspec.Struct):
    """A line of the header of a safetensors file."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def examine_tensors(path: Path, size: int) -> None:
    """Refuse a safetensors file whose header is not exact or whose numbers are not finite."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(HEADER_LIMIT, size - 8):
                raise broken(path)
            told = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
        told.pop("__metadata__", None)
        lines = [msgspec.json.decode(line, type=Tensor) for line in told.values()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise broken(path) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'unknown'})") from None
    lines.sort(key=lambda line: line.data_offsets)
    end = 0
    for line in lines:
        first, last = line.data_offsets
        width = SIZES.get(line.dtype, 0)
        whole = min(line.shape, default=0) >= 0 and prod(line.shape) * width == last - first
        if first != end or not width or not whole:
            raise broken(path)
        end = last
    if end != size - 8 - length:
        raise broken(path)
    examine_numbers(path, 8 + length, lines)


def broken(path: Path) -> DataError:
    return DataError(f"{path}: not a whole safetensors file; get the model again")


def examine_numbers(path: Path, start: int, lines: list[Tensor]) -> None:
    """Refuse weights that are NaN or infinite, block by block."""
    import numpy as np

    # all ones in the exponent is what NaN and infinity have in common
    exponents = {
        "F64": ("<u8", 0x7FF0000000000000),
        "F32": ("<u4", 0x7F800000),
        "F16": ("<u2", 0x7C00),
        "BF16": ("<u2", 0x7F80),
    }
    with path.open("rb") as file:
        for line in lines:
            if line.dtype not in exponents:
                continue
            kind, ones = exponents[line.dtype]
            first, last = line.data_offsets
            file.seek(start + first)
            for place in range(first, last, BLOCK):
                bits = np.frombuffer(file.read(min(BLOCK, last - place)), kind)
                if bool(((bits & ones) == ones).any()):
                    raise DataError(f"{path}: weights that are no numbers; get the model again")
