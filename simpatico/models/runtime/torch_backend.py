"""The one place where models are loaded into torch and texts are run side by side on it.

Weights come from safetensors alone, in 32-bit precision; nothing in a model's folder is executed
and no hub is asked. `SIMPATICO_DEVICE` names another device than the processor.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime import threads

DEVICE = "SIMPATICO_DEVICE"
KINDS = {
    "AutoModel": "an encoder",
    "AutoModelForCausalLM": "a causal language model",
    "AutoModelForMaskedLM": "a masked language model",
    "AutoModelForNextSentencePrediction": "a model of next sentences",
    "AutoModelForSeq2SeqLM": "a sequence-to-sequence model",
    "AutoModelForSequenceClassification": "a classifier",
}

Item = TypeVar("Item")
Said = TypeVar("Said")


def causal(model: Model) -> Any:
    """The model as one that continues texts."""
    return loaded("AutoModelForCausalLM", model)


def seq2seq(model: Model) -> Any:
    """The model as one that turns a text into another."""
    return loaded("AutoModelForSeq2SeqLM", model)


def masked(model: Model) -> Any:
    """The model as one that fills gaps."""
    return loaded("AutoModelForMaskedLM", model)


def classifier(model: Model) -> Any:
    """The model as one that sorts texts into classes."""
    return loaded("AutoModelForSequenceClassification", model)


def next_sentence(model: Model) -> Any:
    """The model as one that tells whether a text follows another."""
    return loaded("AutoModelForNextSentencePrediction", model)


def encoder(model: Model) -> Any:
    """The model as one that gives every word piece a vector."""
    return loaded("AutoModel", model)


def tokenizer(model: Model) -> Any:
    """The model's own tokenizer, which treats all it is given as text."""
    return _tokenizer(model.sha256, model)


def loaded(kind: str, model: Model) -> Any:
    """The model as transformers' class of this name; loaded once, whatever its folder is called."""
    return _loaded(model.sha256, kind, model, device())


def device() -> str:
    """What torch runs on."""
    return os.environ.get(DEVICE, "") or "cpu"


def elsewhere() -> str:
    """What tells numbers of another device from those of the processor, in keys and signatures."""
    return "" if device() == "cpu" else f"@{device()}"


@lru_cache(maxsize=3)
def _loaded(sha256: str, kind: str, model: Model, device: str) -> Any:
    transformers = library(model)
    import torch

    with quiet(transformers):
        try:
            found, told = getattr(transformers, kind).from_pretrained(
                model.folder,
                local_files_only=True,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except Exception as error:  # a faulty folder makes it raise nearly anything
            raise refusal(model, KINDS[kind], error) from None
    # transformers would fill a missing layer with random numbers; only an unused one may be missing
    unfilled = [k for k in sorted(told["missing_keys"]) if kind != "AutoModel" or "pooler" not in k]
    if unfilled:
        raise DataError(
            f"{model.folder} is not {KINDS[kind]}: it has no weights for {unfilled[0]!r}; "
            "name a model that was saved as one"
        )
    try:
        return found.eval().to(device)
    except (RuntimeError, AssertionError):
        raise MissingResource(
            f"{DEVICE} is {device!r}, which torch cannot use here; unset it to use the processor"
        ) from None


@lru_cache(maxsize=8)
def _tokenizer(sha256: str, model: Model) -> Any:
    transformers = library(model)
    with quiet(transformers):
        try:
            found = transformers.AutoTokenizer.from_pretrained(model.folder, local_files_only=True)
        except Exception as error:  # as above
            raise refusal(model, "the folder of a tokenizer", error) from None
    # what somebody wrote is text, even where it looks like a mark of the model's own
    found.split_special_tokens = True
    return found


def refusal(model: Model, what: str, error: Exception) -> DataError:
    """The sentence for a folder that transformers cannot load."""
    return DataError(
        f"{model.folder} is not {what} that transformers can load ({type(error).__name__}); "
        "get the model again or name another"
    )


def library(model: Model) -> Any:
    """The package transformers, or the way to get it."""
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError:
        raise MissingResource(
            f"{model.name} needs the packages torch and transformers; "
            "pip install 'simpatico[torch]'"
        ) from None
    return transformers


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Load without bars and advice; what is wrong is raised."""
    told = transformers.utils.logging
    before, bars = told.get_verbosity(), told.is_progress_bar_enabled()
    told.set_verbosity_error()
    told.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        told.set_verbosity(before)
        if bars:
            told.enable_progress_bar()


def side_by_side(work: Callable[[Item], Said], items: Iterable[Item]) -> Iterator[Said]:
    """What `work` gives for each item, in order, each on one thread of torch.

    Torch may add up in another order on two threads than on one. So that no number depends on how
    many there are, a text has one to itself, and several texts run at the same time.
    """
    import torch

    def one(item: Item) -> Said:
        with torch.inference_mode():
            return work(item)

    before = torch.get_num_threads()
    try:
        yield from threads.side_by_side(one, items, start=lambda: torch.set_num_threads(1))
    finally:
        torch.set_num_threads(before)
