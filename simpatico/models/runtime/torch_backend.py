"""The one place where models are loaded into torch and texts are run on it in parallel.

Weights come from safetensors alone, in 32-bit precision; nothing in a model's folder is executed
and no hub is contacted. `SIMPATICO_DEVICE` names another device than the processor.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, TypeVar

from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime import threads
from simpatico.models.runtime.tokens import unknown_tokens

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
Output = TypeVar("Output")


def load_pretrained(kind: str, model: Model) -> Any:
    """The model as transformers' class of this name; loaded once."""
    return load_on_device(kind, model, device())


# one name for each kind of model that features ask for
load_causal = partial(load_pretrained, "AutoModelForCausalLM")
load_seq2seq = partial(load_pretrained, "AutoModelForSeq2SeqLM")
load_masked = partial(load_pretrained, "AutoModelForMaskedLM")
load_classifier = partial(load_pretrained, "AutoModelForSequenceClassification")


def device() -> str:
    """The device that torch runs on."""
    return os.environ.get(DEVICE, "") or "cpu"


def device_suffix() -> str:
    """The device, unless it is the processor, for cache keys and signatures: bits may differ."""
    return "" if device() == "cpu" else f"@{device()}"


@lru_cache(maxsize=3)
def load_on_device(kind: str, model: Model, device: str) -> Any:
    """The model in 32-bit precision, ready to run; only three stay in memory, which is scarce."""
    transformers = import_transformers(model)
    import torch

    with quiet_loading(transformers):
        try:
            module, info = getattr(transformers, kind).from_pretrained(
                model.folder,
                local_files_only=True,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except Exception as error:  # a faulty folder makes it raise nearly anything
            raise unloadable(model, KINDS[kind], error) from None
    # transformers fills a missing layer with random numbers; only the pooler, which no encoder here
    # uses, may be missing
    missing = [k for k in sorted(info["missing_keys"]) if kind != "AutoModel" or "pooler" not in k]
    if missing:
        raise DataError(
            f"{model.folder} is not {KINDS[kind]}: it has no weights for {missing[0]!r}; "
            "name a model that was saved as one"
        )
    try:
        return module.eval().to(device)
    except (RuntimeError, AssertionError):
        raise MissingResource(
            f"{DEVICE} is {device!r}, which torch cannot use here; unset it to use the processor"
        ) from None


@lru_cache(maxsize=8)
def load_hf_tokenizer(model: Model) -> Any:
    """The model's own tokenizer, which treats whatever it is given as text; loaded once."""
    transformers = import_transformers(model)
    with quiet_loading(transformers):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                model.folder, local_files_only=True
            )
        except Exception as error:  # as above
            raise unloadable(model, "the folder of a tokenizer", error) from None
    # what somebody wrote is text, even where it looks like a special token
    tokenizer.split_special_tokens = True
    return tokenizer


def unloadable(model: Model, what: str, error: Exception) -> DataError:
    """The error for a folder that transformers cannot load."""
    return DataError(
        f"{model.folder} is not {what} that transformers can load ({type(error).__name__}); "
        "get the model again or name another"
    )


def import_transformers(model: Model) -> Any:
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
def quiet_loading(transformers: Any) -> Iterator[None]:
    """Load without progress bars and advice; errors are raised."""
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def map_on_torch(work: Callable[[Item], Output], items: Iterable[Item]) -> Iterator[Output]:
    """The output of `work` for each item, in order, each on one thread of torch.

    Torch may add up in another order on two threads than on one. So that no number depends on how
    many there are, a text has one to itself, and several texts run at the same time.
    """
    import torch

    def run_one(item: Item) -> Output:
        try:
            with torch.inference_mode():
                return work(item)
        except IndexError as error:
            if "out of range in self" not in str(error):  # as torch says of an embedding's row
                raise
            raise unknown_tokens("a model on torch") from None

    before = torch.get_num_threads()
    try:
        yield from threads.map_threads(run_one, items, start=lambda: torch.set_num_threads(1))
    finally:
        torch.set_num_threads(before)
