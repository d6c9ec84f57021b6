"""What features that run a pretrained model have in common: fingerprint, memory and cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, Generic

from simpatico.features import Feature, Features
from simpatico.models.cache import Array, SomeKey, compute_once
from simpatico.models.names import Model, find_model, short_model_name
from simpatico.models.runtime.encoders import backend
from simpatico.models.runtime.torch_backend import device_suffix
from simpatico.turns import Turns

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
    runner: ClassVar[type[ModelRunner[Any]]]
    """What runs the model, where it takes no other parameter."""

    def compute(self, turns: Turns, features: Features) -> Any:
        return self.runner(find_model(self.model))

    @property
    def fingerprint(self) -> str:
        """The model's part of a signature: the hash of its files, and what it runs on."""
        model = find_model(self.model)
        runtime = backend(model)
        if runtime == "torch":
            runtime += device_suffix()
        return f"{short_model_name(model.name)}_sha256:{model.sha256[:12]}.{runtime}"


@dataclass(frozen=True)
class ModelRunner(Generic[SomeKey]):
    """What such a feature computes: something that runs the model over any texts.

    Each distinct text, or tuple of texts, is run once: outputs are kept in `memo`, and on disk.
    """

    model: Model
    memo: dict[SomeKey, Array] = field(
        default_factory=dict, compare=False, repr=False, kw_only=True
    )

    def outputs(
        self, keys: Iterable[SomeKey], what: str, version: int, *parameters: object
    ) -> list[Array]:
        """The model's output for each key; the rest names the kind of work, see `cache_key`."""
        kind = cache_key(what, version, self.model, *parameters)
        return compute_once(kind, list(keys), self._compute, memo=self.memo)

    def _compute(self, keys: list[SomeKey]) -> Iterable[tuple[int, Array]]:
        """Outputs, each with the index of its key, in any order."""
        raise NotImplementedError


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
