"""Base, fingerprint and cache key of all features that run a pretrained model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from simpatico.features import Feature
from simpatico.models.names import Model, find_model, short_model_name
from simpatico.models.runtime.encoders import backend
from simpatico.models.runtime.torch_backend import device_suffix

PACKAGES = {
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
        return model_fingerprint(find_model(self.model))


def model_fingerprint(model: Model) -> str:
    """The model's part of a signature: the hash of its files, and what it runs on."""
    runtime = backend(model)
    if runtime == "torch":
        runtime += device_suffix()
    return f"{short_model_name(model.name)}_sha256:{model.sha256[:12]}.{runtime}"


def cache_key(what: str, edition: int, model: Model, *parameters: object) -> str:
    """The key of a cache file: all that outputs depend on besides the text.

    Releases of the libraries are part of it, since another may differ in the last digits.
    """
    runtime = backend(model)
    releases = ",".join(package_release(package) for package in PACKAGES[runtime])
    parts = (edition, model.sha256, runtime + device_suffix(), releases, *parameters)
    return "|".join([what, *map(str, parts)])


@lru_cache
def package_release(package: str) -> str:
    """Name and version of an installed package."""
    try:
        return f"{package}-{version(package)}"
    except PackageNotFoundError:
        return package
