"""Models on this machine: what their names mean, where they are, and that they are unchanged.

A name is `package:NAME` (the catalogue), `path:DIR` or `hub:ORG/NAME`. Nothing here fetches
anything: `simpatico models get NAME` does, and only it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.errors import DataError, MissingResource
from simpatico.models.catalogue import Entry, catalogue
from simpatico.models.store.checkpoint import MANIFEST, examine, listing, sha256, stamp

WEIGHTS = (".safetensors", ".onnx", ".npy")
HUB_NAME = re.compile(r"[\w][\w.-]*/[\w][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class Model:
    """A model that is on this machine; `sha256` stands for the names and bytes of all its files."""

    name: str
    folder: Path
    sha256: str
    files: tuple[str, ...]

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json says; empty where there is none."""
        if "config.json" not in self.files:
            return {}
        try:
            return msgspec.json.decode((self.folder / "config.json").read_bytes(), type=dict)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            where = self.folder / "config.json"
            raise DataError(f"{where}: not valid JSON; get the model again") from None


class Named(NamedTuple):
    """A name taken apart: where to look, and what for."""

    where: Literal["package", "path", "hub"]
    what: str

    def __str__(self) -> str:
        return f"{self.where}:{self.what}"


def named(name: str) -> Named:
    """The parts of a model's name; without a prefix it is a name of the catalogue."""
    where, colon, what = name.partition(":")
    if not colon:
        return Named("package", name)
    match where:
        case "package" | "path" | "hub":
            return Named(where, what)
    raise MissingResource(
        f"no model {name!r}; a model is named package:NAME, path:DIR or hub:ORG/NAME"
    )


def short(name: str) -> str:
    """What a metric's name carries: the catalogue's name, the folder's or the hub's."""
    where, what = named(name)
    return what if where == "package" else Path(what).name


def bare(model: str) -> str:
    """A model's name; of a folder the last part, as the rest says where somebody keeps files."""
    return f"path:{Path(model).name}" if model.startswith("path:") else model


def several(name: str) -> list[str]:
    """The models that one setting names: `path:A+path:B` are two, whose mean is taken."""
    return re.split(r"\+(?=path:)", name)


def any_script(name: str) -> bool:
    """Whether a model reads more than the Latin script, as far as the catalogue says."""
    where, what = named(name)
    known = catalogue().get(what) if where == "package" else None
    return known is not None and "ja" in known.languages.split(", ")


def home() -> Path:
    """The folder of models that were got; one folder a name."""
    told = os.environ.get("SIMPATICO_MODELS")
    return Path(told) if told else Path.home() / ".local/share/simpatico/models"


def absent(name: str) -> str | None:
    """Why a model is not on this machine, with the way out; null when it is. Reads no weights."""
    try:
        where, what = named(name)
    except MissingResource as error:
        return str(error)
    match where:
        case "package" if what not in catalogue():
            near = get_close_matches(what, catalogue(), n=2) or list(catalogue())
            choice = " or ".join(f"'package:{one}'" for one in near)
            return f"no model 'package:{what}'; did you mean {choice}?"
        case "package" if package_folder(catalogue()[what]) is None:
            return f"model 'package:{what}' is not installed; `{how_to_get(catalogue()[what])}`"
        case "path" if "\0" in what or not Path(what).is_dir():
            return f"model {name!r}: there is no such folder; give the folder with config.json"
        case "hub" if not HUB_NAME.fullmatch(what):
            return f"no model {name!r}; a model of the hub is named hub:ORG/NAME"
        case "hub" if hub_folder(what) is None:
            return (
                f"model {name!r} is not on this machine; `simpatico models get {name}` downloads it"
            )
    return lacking_package(name, folder_of(where, what))


def folder_of(where: str, what: str) -> Path:
    """Where the files of a model are that is here."""
    if where == "package":
        return package_folder(catalogue()[what]) or home() / what
    return Path(what).resolve() if where == "path" else hub_folder(what) or home()


def lacking_package(name: str, folder: Path) -> str | None:
    """The sentence for a model that nothing installed can run."""
    graph = (folder / "model.onnx").is_file() or (folder / "onnx" / "model.onnx").is_file()
    needed = ["onnxruntime", "tokenizers"] if graph else ["torch", "transformers", "tokenizers"]
    if plain := (folder / "weights.npz").is_file():
        needed = ["tokenizers"]
    elif not graph and not (folder / "config.json").is_file():
        return None
    extra = "neural" if graph or plain else "torch"
    for package in needed:
        if find_spec(package) is None:
            return f"{name} needs the package {package}; pip install 'simpatico[{extra}]'"
    return None


def how_to_get(entry: Entry) -> str:
    """The command that installs a model of the catalogue."""
    if entry.shipped:
        return "pip install 'simpatico[neural]'"
    return f"simpatico models get {entry.name}"


def find(name: str) -> Model:
    """The model of this name, its files checked; hashed once as long as they stay as they are."""
    if why := absent(name):
        raise MissingResource(why)
    where, what = place = named(name)
    folder = folder_of(where, what)
    if where == "package":
        entry = catalogue()[what]
        return pinned(str(place), folder, entry.files, f"get it again: `{how_to_get(entry)}`")
    if where == "hub" and (folder / MANIFEST).is_file():
        again = f"get it again: `simpatico models get {place}`"
        return pinned(str(place), folder, told_hashes(folder, again), again)
    return opened(str(place), folder, within=folder if where == "path" else folder.parent.parent)


def package_folder(entry: Entry) -> Path | None:
    """Where a model of the catalogue lies: with its package or in our home of models."""
    places = [home() / entry.name]
    if entry.shipped:
        # found by its record, since importing the package would run its code
        try:
            found = distribution(entry.wheels[0].package).locate_file(entry.root)
            places.append(Path(str(found)))
        except PackageNotFoundError:
            pass
    for folder in places:
        if all((folder / name).is_file() for name in entry.files):
            return folder
    return None


def hub_folder(what: str) -> Path | None:
    """Where a model of the hub lies: in our home of models, else in the hub's own cache."""
    if (ours := hub_home(what)).is_dir():
        return ours
    repository = hub_cache() / f"models--{what.replace('/', '--')}"
    try:
        commit = (repository / "refs/main").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    snapshot = repository / "snapshots" / Path(commit).name
    weights = any(snapshot.glob("*.safetensors")) or any(snapshot.glob("*.onnx"))
    return snapshot if weights else None


def hub_home(what: str) -> Path:
    """Where a model of the hub is put when it is got."""
    return home() / f"hub--{what.replace('/', '--')}"


def hub_cache() -> Path:
    """The folder in which the hub's own library keeps what it downloaded."""
    told = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if told:
        return Path(told)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("HF_HOME") or cache / "huggingface") / "hub"


def pinned(name: str, folder: Path, hashes: Mapping[str, str], again: str) -> Model:
    """A model of exactly these files, each with its hash."""
    # a link is fine as long as it leads to the right bytes
    present = listing(folder, within=Path(folder.anchor))
    if extra := [file for file in present if file not in hashes and file != MANIFEST]:
        raise DataError(f"{folder / extra[0]}: does not belong to {name!r}; {again}")
    for file, expected in hashes.items():
        path = folder / file
        if sha256(path, stamp(path)) != expected:
            raise DataError(f"{path}: not the file that belongs to {name!r}; {again}")
    return Model(name, folder, together(hashes), tuple(sorted(hashes)))


def told_hashes(folder: Path, again: str) -> dict[str, str]:
    """The hashes that were written down when the model was got."""
    path = folder / MANIFEST
    try:
        told = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not valid; {again}") from None
    if not {MANIFEST, *told} <= {*listing(folder, folder)}:
        raise DataError(f"{path}: names a file that is not here; {again}")
    return told


def opened(name: str, folder: Path, within: Path) -> Model:
    """A model of anybody's: every file is of a known kind and none of them can run."""
    files = tuple(file for file in listing(folder, within) if file != MANIFEST)
    if not any(file.endswith(WEIGHTS) for file in files):
        raise DataError(f"{folder}: no weights here; a model has model.safetensors or model.onnx")
    hashes = {}
    for file in files:
        path = folder / file
        at = stamp(path)
        examine(path, at)
        hashes[file] = sha256(path, at)
    return Model(name, folder, together(hashes), files)


def together(hashes: Mapping[str, str]) -> str:
    """One hash over the names and hashes of all files."""
    lines = "".join(f"{name}\0{value}\n" for name, value in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
