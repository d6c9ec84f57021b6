"""What all features that run a pretrained model have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from simpatico.features import Feature
from simpatico.models.names import Model, find, short
from simpatico.models.runtime.encoders import back_end
from simpatico.models.runtime.torch_backend import elsewhere

RUN_BY = {
    "onnx": ("onnxruntime", "tokenizers"),
    "torch": ("torch", "transformers", "tokenizers"),
    "numpy": ("numpy", "tokenizers"),
}


@dataclass(frozen=True)
class OnModel:
    """A feature that runs one pretrained model."""

    model: str

    needs: ClassVar[tuple[Feature, ...]] = ()
    slow: ClassVar[bool] = True

    @property
    def fingerprint(self) -> str:
        return fingerprint(find(self.model))


def fingerprint(model: Model) -> str:
    """The model's part of a signature: every file of it, and what it runs on."""
    place = back_end(model)
    if place == "torch":
        place += elsewhere()
    return f"{short(model.name)}_sha256:{model.sha256[:12]}.{place}"


def work(what: str, edition: int, model: Model, *parameters: object) -> str:
    """All that numbers depend on besides the text: the cache knows them by this.

    Releases of the libraries are part of it, since another may differ in the last digits.
    """
    place = back_end(model)
    releases = ",".join(release(package) for package in RUN_BY[place])
    told = (edition, model.sha256, place + elsewhere(), releases, *parameters)
    return "|".join([what, *map(str, told)])


@lru_cache
def release(package: str) -> str:
    """Name and version of an installed package."""
    try:
        return f"{package}-{version(package)}"
    except PackageNotFoundError:
        return package
