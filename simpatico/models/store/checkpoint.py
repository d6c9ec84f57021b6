"""What a folder of a pretrained model may hold: data of known kinds, and nothing that can run.

The checks are ours because no library has this policy: pickles, code, adapters, settings that fetch
code, links out of the folder and weights that are not finite are all refused before anything loads.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from simpatico.errors import DataError
from simpatico.models.store.graph import BadGraph, read_tensors

KINDS = {
    *(".json", ".txt", ".jinja", ".safetensors", ".onnx", ".onnx_data"),
    *(".spm", ".model", ".npy", ".npz", ".parquet"),
}
DOCUMENTS = re.compile(r"(readme|licen[cs]e|notice)(\..*)?|.*\.md|\.git(attributes|ignore)", re.I)
REFUSALS = {
    **dict.fromkeys(
        (".bin", ".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".joblib", ".msgpack", ".h5"),
        "weights in a format that can run code when opened; save the model again with "
        "transformers' save_pretrained, which writes safetensors, and leave this file out",
    ),
    **dict.fromkeys(
        (".py", ".pyc", ".so", ".dll", ".dylib", ".sh"),
        "code, which is never run from a model; leave this file out",
    ),
}
"""Why files with these suffixes are refused; all other unknown ones are, too."""
MANIFEST = "manifest.json"
"""Written by us when a model is downloaded, and no file of the model itself."""

# limits well above what published checkpoints have, so that a hostile folder costs neither
# memory nor time before it is refused
MAX_FILES = 200
MAX_DEPTH = 2
MAX_TEXT_BYTES = 64 * 1024**2
MAX_SETTINGS_BYTES = 8 * 1024**2
MAX_HEADER_BYTES = 16 * 1024**2
VOCABULARIES = {"tokenizer.json", "vocab.json"}
BLOCK = 4 * 1024**2

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a file raises that is not the JSON it should be."""

Stamp = tuple[int, int, int]


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    """A file or folder that the system does not let us read is an error of the model's."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'unknown'})") from None


def list_model_files(folder: Path, within: Path) -> tuple[str, ...]:
    """The files of the model in this folder, sorted; documents beside them are passed over."""
    names: list[str] = []
    with refuse_unreadable(folder):
        walk_folder(folder, "", within=within.resolve(), names=names)
    lower = [name.lower() for name in names]
    if len(set(lower)) < len(lower):
        # one would overwrite the other on a file system that ignores case
        twice = sorted(name for name in names if lower.count(name.lower()) > 1)
        raise DataError(f"{folder}: {' and '.join(map(repr, twice))} differ by case only")
    if not names:
        raise DataError(f"{folder}: no file of a model is in this folder")
    return tuple(sorted(names))


def walk_folder(folder: Path, prefix: str, *, within: Path, names: list[str]) -> None:
    """Add the files of one folder, and of the folders in it down to the depth models have."""
    for item in sorted(os.scandir(folder), key=lambda item: item.name):
        name = prefix + item.name
        path = Path(item.path)
        # Path.resolve() raises on a link to itself, os.path.realpath does not
        if item.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(within):
            raise DataError(f"{path}: a link that leads out of the model; copy the file itself")
        if path.is_dir():
            if name.count("/") + 1 >= MAX_DEPTH:
                raise DataError(f"{path}: a model has no folders inside its folders")
            walk_folder(path, f"{name}/", within=within, names=names)
        elif not DOCUMENTS.fullmatch(item.name):
            if not path.is_file():
                raise DataError(f"{path}: not a plain file; a model is made of plain files")
            if (kind := path.suffix.lower()) not in KINDS:
                unknown = "not a kind of file that models are made of; leave it out"
                raise DataError(f"{path}: {REFUSALS.get(kind, unknown)}")
            names.append(name)
        if len(names) > MAX_FILES:
            raise DataError(f"{within}: more than {MAX_FILES} files; a model has fewer")


def file_stamp(path: Path) -> Stamp:
    """What changes when a file is written: its times and size."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise DataError(f"{path}: cannot be read; get the model again") from None
    if not stat.S_ISREG(status.st_mode):
        raise DataError(f"{path}: not a plain file; a model is made of plain files")
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


@lru_cache(maxsize=4096)
def file_sha256(path: Path, stamp: Stamp) -> str:
    """The hash of a file; read again only when its stamp changes."""
    with refuse_unreadable(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=4096)
def examine_file(path: Path, stamp: Stamp) -> None:
    """Refuse a file whose contents are hostile or damaged; examined again only when it changes."""
    size = stamp[-1]
    match path.suffix.lower():
        case ".json":
            examine_json(path, size)
        case ".safetensors":
            examine_tensors(path, size)
        case ".onnx":
            examine_graph(path, size)
        case ".txt" | ".jinja" | ".model" | ".spm":
            check_size(path, size, MAX_TEXT_BYTES)


def check_size(path: Path, size: int, limit: int) -> None:
    """Refuse a file that is larger than any of its kind."""
    if size > limit:
        raise DataError(f"{path}: {size:,} bytes; such a file has at most {limit:,}")


def examine_json(path: Path, size: int) -> None:
    """Refuse settings that ask for code, for another model or for quantised arithmetic."""
    vocabulary = path.name in VOCABULARIES
    check_size(path, size, MAX_TEXT_BYTES if vocabulary else MAX_SETTINGS_BYTES)
    if path.name == "adapter_config.json":
        raise DataError(f"{path}: an adapter to another model; merge it into the model first")
    try:
        with refuse_unreadable(path):
            # a vocabulary is parsed without making millions of objects
            kind = msgspec.Raw if vocabulary else Any
            content = msgspec.json.decode(path.read_bytes(), type=kind)
    except NOT_JSON:
        raise DataError(f"{path}: not valid JSON; get the model again") from None
    waiting = [content]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                for key, value in inner.items():
                    if problem := setting_problem(path.name, key, value):
                        raise DataError(f"{path}: {problem}")
                waiting.extend(inner.values())
            case list() as inner:
                waiting.extend(inner)
    if path.name.endswith(".index.json"):
        shards = content.get("weight_map") if isinstance(content, dict) else None
        for name in set(map(str, shards.values())) if isinstance(shards, dict) else [""]:
            check_beside(path, name, ".safetensors")


def check_beside(path: Path, name: str, suffix: str) -> None:
    """Refuse weights in a file that is not a file of weights beside the one that names it."""
    # a document, such as README.onnx_data, is in no hash
    weights = name.endswith(suffix) and not DOCUMENTS.fullmatch(name)
    if name != Path(name).name or not weights or not (path.parent / name).is_file():
        raise DataError(f"{path}: its weights are in {name!r}, which is not beside it")


def setting_problem(file: str, key: str, value: Any) -> str | None:
    """Why a setting would run or fetch code, or change the arithmetic; null if it does not."""
    if key in ("auto_map", "custom_pipelines", "trust_remote_code") and value:
        return f"{key!r} asks to run code that came with the model; not supported"
    attention = key in ("attn_implementation", "_attn_implementation")
    if attention and value not in (None, "eager", "sdpa"):
        return f"{key!r} asks to fetch code ({value!r}); remove this setting"
    if key == "quantization_config" and value:
        return "quantised weights; save the model in 32-bit precision"
    module = file == "modules.json" and key == "type"
    if module and not str(value).startswith("sentence_transformers."):
        return f"module {value!r} is custom code; not supported"
    return None


def examine_graph(path: Path, size: int) -> None:
    """Refuse a graph that is not exact, or whose weights lie elsewhere or are not finite."""
    if not size:
        raise DataError(f"{path}: an empty file; get the model again")
    try:
        with refuse_unreadable(path):
            tensors = read_tensors(path)
    except BadGraph as error:
        raise DataError(f"{path}: not a valid graph ({error}); export it again") from None
    numbers: dict[Path, list[Numbers]] = {path: []}
    for tensor in tensors:
        if tensor.file is not None:
            check_beside(path, tensor.file, ".onnx_data")
        if tensor.dtype is not None:
            file = path if tensor.file is None else path.parent / tensor.file
            # one infinite number by itself is no weight: attention masks add −inf
            alone = sum(stop - start for start, stop in tensor.parts) == SIZES[tensor.dtype]
            for start, stop in tensor.parts:
                part = Numbers(tensor.name, tensor.dtype, start, stop, alone)
                numbers.setdefault(file, []).append(part)
    for file, parts in numbers.items():
        examine_numbers(file, parts)


SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "BOOL": 1, "U8": 1, "I8": 1, "I32": 4, "I64": 8}
"""Bytes of a number of each data type."""
EXPONENTS = {"F64": 0x7FF0 << 48, "F32": 0x7F80 << 16, "F16": 0x7C00, "BF16": 0x7F80}
"""NaN and infinity are the numbers whose exponent bits are all ones."""


class TensorHeader(msgspec.Struct):
    """An entry of the header of a safetensors file."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def examine_tensors(path: Path, size: int) -> None:
    """Refuse a safetensors file whose header is not exact or whose numbers are not finite."""
    broken = DataError(f"{path}: not a whole safetensors file; get the model again")
    try:
        with refuse_unreadable(path), path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(MAX_HEADER_BYTES, size - 8):
                raise broken
            header = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
        header.pop("__metadata__", None)
        tensors = {n: msgspec.json.decode(raw, type=TensorHeader) for n, raw in header.items()}
    except NOT_JSON:
        raise broken from None
    # tensors must follow each other without gap or overlap, up to the end of the file
    parts, end = list[Numbers](), 0
    for name, tensor in sorted(tensors.items(), key=lambda item: item[1].data_offsets):
        start, stop = tensor.data_offsets
        width = SIZES.get(tensor.dtype, 0)
        exact = min(tensor.shape, default=0) >= 0 and prod(tensor.shape) * width == stop - start
        if start != end or not width or not exact:
            raise broken
        parts.append(Numbers(name, tensor.dtype, 8 + length + start, 8 + length + stop))
        end = stop
    if end != size - 8 - length:
        raise broken
    examine_numbers(path, parts)


class Numbers(NamedTuple):
    """Where in a file numbers of a tensor are; `infinite` if they may be that."""

    name: str
    dtype: str
    start: int
    stop: int
    infinite: bool = False


def examine_numbers(path: Path, parts: list[Numbers]) -> None:
    """Refuse weights that are NaN or infinite, block by block.

    Bits are compared instead of numbers, as numpy has no bfloat16.
    """
    import numpy as np

    with refuse_unreadable(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        for name, dtype, start, stop, infinite in parts:
            if (ones := EXPONENTS.get(dtype)) is None:
                continue
            if stop > size or (stop - start) % SIZES[dtype]:
                raise DataError(f"{path}: the tensor {name!r} is cut off; get the model again")
            file.seek(start)
            # the bits below the exponent: none of them is set in infinity
            rest = (ones & -ones) - 1 if infinite else 0
            for at in range(start, stop, BLOCK):
                bits = np.frombuffer(file.read(min(BLOCK, stop - at)), f"<u{SIZES[dtype]}")
                bad = (bits & ones) == ones
                if bool(bad.any()) and (not infinite or bool((bits[bad] & rest).any())):
                    raise DataError(
                        f"{path}: the tensor {name!r} has weights that are NaN or infinite; "
                        "get the model again"
                    )
