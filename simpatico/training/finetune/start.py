"""A pretrained encoder made ready to learn: new marks in its tokenizer, and a layer of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from simpatico.errors import DataError
from simpatico.models.names import Model
from simpatico.models.runtime.encoders import segments
from simpatico.models.runtime.tokens import Cutter, cutter, longest
from simpatico.models.runtime.torch_backend import device, library, quiet, refusal

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning

NOISE = 0.1
"""How far new vectors are from the mean of the old ones, in the old ones' spread."""
PROBLEM_TYPES = {
    "single": "single_label_classification",
    "multi": "multi_label_classification",
    "regression": "regression",
}


@dataclass(frozen=True)
class Start:
    """What learns, and what cuts texts for it; `typed` where it tells first texts from second."""

    model: Any
    tokenizer: Any
    limit: int
    typed: bool

    @property
    def cut(self) -> Cutter:
        """Cuts texts just as they are cut when the finished model is used."""
        copy = type(self.tokenizer).from_str(self.tokenizer.to_str())
        copy.enable_truncation(self.limit)
        copy.encode_special_tokens = True
        return Cutter("", copy)


def start(base: Model, how: FineTuning, labels: tuple[str, ...]) -> Start:
    """The base with fresh classes; what is drawn at random comes from the seed."""
    import torch

    torch.manual_seed(how.seed)
    model = classifier(base, how, labels)
    tokenizer, new = with_tokens(base, how.tokens)
    with quiet(library(base)):
        enlarge(model, tokenizer, new, how.seed)
    # memory of our own, aligned alike whether weights come from a file or are kept
    for weight in model.parameters():
        weight.data = weight.data.clone()
    typed = "token_type_ids" in signature(model.forward).parameters and segments(base)
    limit = min(how.longest, longest(base))
    return Start(model.to(device()), tokenizer, limit, typed)


def classifier(base: Model, how: FineTuning, labels: tuple[str, ...]) -> Any:
    """The base as transformers' classifier, all of it from its file but the classes."""
    import torch

    transformers = library(base)
    with quiet(transformers):
        try:
            model, told = transformers.AutoModelForSequenceClassification.from_pretrained(
                base.folder,
                local_files_only=True,
                use_safetensors=True,
                ignore_mismatched_sizes=True,
                dtype=torch.float32,
                output_loading_info=True,
                num_labels=len(labels),
                id2label=dict(enumerate(labels)),
                label2id={label: number for number, label in enumerate(labels)},
                problem_type=PROBLEM_TYPES[how.problem],
            )
        except Exception as error:  # a faulty folder makes it raise nearly anything
            raise refusal(base, "an encoder", error) from None
    inner = f"{model.base_model_prefix}."
    unfilled = [
        k for k in sorted(told["missing_keys"]) if k.startswith(inner) and "pooler" not in k
    ]
    if unfilled:
        raise DataError(
            f"{base.folder} is not an encoder: it has no weights for {unfilled[0]!r}; "
            "name a model that was saved as one"
        )
    return model


def with_tokens(base: Model, tokens: Sequence[str]) -> tuple[Any, list[int]]:
    """The base's tokenizer that knows these marks, and the numbers of those it did not know."""
    from tokenizers import AddedToken, Tokenizer

    tokenizer = Tokenizer.from_str(cutter(base).tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    new = [token for token in tokens if tokenizer.token_to_id(token) is None]
    # not special ones, which are taken for plain text wherever somebody's text is cut
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=False) for token in new])
    return tokenizer, [int(tokenizer.token_to_id(token) or 0) for token in new]


def enlarge(model: Any, tokenizer: Any, new: Sequence[int], seed: int) -> None:
    """Give new marks a vector each: the mean of the old ones and a little of chance."""
    import torch

    if not new:
        return
    old = model.get_input_embeddings().weight.detach()
    known = old[: min(new)]
    mean, spread = known.mean(dim=0), known.std(dim=0)
    drawn = np.random.default_rng(seed).standard_normal((len(new), old.shape[1]))
    if max(new) >= len(old):
        model.resize_token_embeddings(max(new) + 1, mean_resizing=False)
    with torch.no_grad():
        noise = torch.from_numpy(drawn.astype(np.float32)) * spread * NOISE
        model.get_input_embeddings().weight[list(new)] = mean + noise
