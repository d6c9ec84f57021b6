"""Log-probabilities of texts by a language model, one text at a time, unpadded.

A text's log-probability thus never depends on what else is scored. Contexts that several texts
share are read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.models.cache import Array
from simpatico.models.runtime.tokens import as_utf8, smallest_limit
from simpatico.models.runtime.torch_backend import map_on_torch

MAX_TOKENS = 1024
"""That are read of a text, as GPT-2, DialoGPT and BART do; a longer context loses its start."""
TARGETS_PER_JOB = 16
"""After one context, on one thread: few enough that other threads get work, too."""
DOCUMENT = "<|endoftext|>"
"""The special token between documents, and in DialoGPT between turns."""

Frame = Literal["plain", "end", "untagged"]
TokenIds = list[int]
ContextJob = tuple[TokenIds, list[TokenIds]]
"""A context and the targets that follow it."""


@dataclass(frozen=True)
class LmTokenizer:
    """Texts as the token ids of one model, with its special tokens around them."""

    tokenizer: Any
    memo: dict[str, TokenIds] = field(default_factory=dict)

    def encode(self, text: str) -> TokenIds:
        """The tokens of a text, without special tokens."""
        if text not in self.memo:
            clean = as_utf8(text)
            ids = self.tokenizer(clean, add_special_tokens=False, verbose=False).input_ids
            self.memo[text] = list(ids)
        return self.memo[text]

    def encode_source(self, text: str, longest: int) -> TokenIds:
        """What the encoder reads; a text that is too long loses its end."""
        clean = as_utf8(text)
        return list(self.tokenizer(clean, truncation=True, max_length=longest).input_ids)

    def encode_target(self, text: str, longest: int) -> TokenIds:
        """What the decoder is forced to write."""
        batch = self.tokenizer(text_target=as_utf8(text), truncation=True, max_length=longest)
        return list(batch.input_ids)

    @property
    def language_tokens(self) -> set[int]:
        """The special tokens that may open a target, such as that of a language."""
        hf = self.tokenizer
        others = (hf.unk_token_id, hf.pad_token_id, hf.eos_token_id, hf.mask_token_id)
        return set(hf.all_special_ids) - set(others)

    @property
    def end_token(self) -> int:
        """The special token at the end of a document or turn."""
        return int(self.tokenizer.get_vocab().get(DOCUMENT, self.tokenizer.eos_token_id))

    @property
    def start_token(self) -> int:
        """The special token at the beginning of a document."""
        first = self.tokenizer.bos_token_id
        default = self.end_token if first is None else first
        return int(self.tokenizer.get_vocab().get(DOCUMENT, default))

    def max_tokens(self, net: Any) -> int:
        """How many tokens the model reads."""
        config = net.config.get_text_config(decoder=True)
        limits = (
            getattr(config, "max_position_embeddings", None),
            getattr(config, "sliding_window", None) or None,  # 0 is none
            self.tokenizer.model_max_length,
        )
        return smallest_limit(self.tokenizer.name_or_path, MAX_TOKENS, *limits)

    def encode_pair(
        self, context: str, target: str, frame: Frame, longest: int
    ) -> tuple[TokenIds, TokenIds]:
        """The tokens that are read first, at least one, and the tokens that are scored."""
        before = self.encode(context) if context else []
        after = self.encode(f" {target}" if context else target)
        if frame == "end":
            ids = [*before, *after, self.end_token]
            first = max(len(before), 1)
            before, after = ids[:first], ids[first:]
        else:
            before = [self.start_token, *before]
        after = after[: longest - 1]
        return keep_end(before, longest - len(after)), after

    def encode_turns(self, turns: tuple[str, ...], room: int) -> TokenIds:
        """Turns, each after an end token, and a last end token before the turn that follows."""
        ids = [self.end_token]
        for turn in turns:
            ids += [*self.encode(f" {turn} "), self.end_token]
        return keep_end(ids, room)


def keep_end(ids: TokenIds, room: int) -> TokenIds:
    """The first token, which is special, and as many of the last ones as there is room for."""
    return ids if len(ids) <= room else [ids[0], *ids[len(ids) - room + 1 :]]


def map_contexts(
    pairs: Sequence[tuple[TokenIds, TokenIds]], work: Callable[[ContextJob], list[Array]]
) -> Iterator[tuple[int, Array]]:
    """Run `work` on each distinct context with all targets after it; outputs by index of the pair.

    Very many targets of one context are split into several jobs, so that no thread is idle.
    """
    indices: dict[tuple[int, ...], list[int]] = {}
    for index, (context, _) in enumerate(pairs):
        indices.setdefault(tuple(context), []).append(index)
    groups = [
        group[start : start + TARGETS_PER_JOB]
        for group in indices.values()
        for start in range(0, len(group), TARGETS_PER_JOB)
    ]
    jobs = ((pairs[group[0]][0], [pairs[i][1] for i in group]) for group in groups)
    for group, arrays in zip(groups, map_on_torch(work, jobs), strict=True):
        yield from zip(group, arrays, strict=True)


def continuation_logprobs(net: Any, before: TokenIds, targets: list[TokenIds]) -> list[Array]:
    """Log-probabilities of the tokens of targets after the same context, which is read once."""
    cache = None
    if len(before) > 1:
        read = net(input_ids=as_batch(net, before[:-1]), use_cache=True, logits_to_keep=1)
        cache = read.past_key_values
    logprobs = list[Array]()
    for target in targets:
        if not target:
            logprobs.append(np.zeros(0))
            continue
        # each token is predicted from the one before it: the first from the context's last
        inputs = as_batch(net, [before[-1], *target[:-1]])
        output = net(input_ids=inputs, past_key_values=cache, use_cache=cache is not None)
        if cache is not None:
            cache.crop(-len(target))  # back to the context alone
        logprobs.append(gather_logprobs(output.logits[0], target))
    return logprobs


def target_logprobs(
    net: Any, source: TokenIds, targets: list[TokenIds], untag: set[int]
) -> list[Array]:
    """Log-probabilities of the tokens of targets that the decoder is forced to write."""
    states = net.get_encoder()(input_ids=as_batch(net, source), return_dict=True)
    logprobs = list[Array]()
    for target in targets:
        inputs = net.prepare_decoder_input_ids_from_labels(labels=as_batch(net, target))
        output = net(encoder_outputs=states, decoder_input_ids=inputs, use_cache=False)
        has_tag = len(target) > 1 and target[0] in untag
        logprobs.append(gather_logprobs(output.logits[0], target)[int(has_tag) :])
    return logprobs


class PrefixTree(NamedTuple):
    """Texts that share their beginnings, with a node for each proper prefix of any of them.

    A node attends to its ancestors alone. The last token of a text has no node, since nothing is
    predicted from it. `paths` has the nodes of each text in order.
    """

    tokens: TokenIds
    depth: list[int]
    sees: Bools
    paths: list[list[int]]

    @classmethod
    def of(cls, texts: Sequence[TokenIds]) -> PrefixTree:
        node_of: dict[tuple[int, ...], int] = {(): -1}
        paths = list[list[int]]()
        for ids in texts:
            prefixes = [tuple(ids[:size]) for size in range(1, len(ids))]
            paths.append([node_of.setdefault(prefix, len(node_of) - 1) for prefix in prefixes])
        nodes = list(node_of)[1:]
        sees = np.eye(len(nodes), dtype=bool)
        for node, prefix in enumerate(nodes):
            if len(prefix) > 1:
                sees[node] |= sees[node_of[prefix[:-1]]]
        return cls([n[-1] for n in nodes], [len(n) - 1 for n in nodes], sees, paths)


def follow_up_logprobs(
    net: Any, context: TokenIds, texts: Sequence[TokenIds], tree: PrefixTree
) -> Array:
    """Summed log-probability and number of tokens: of the context, then of each text after it.

    One pass for all: the context and the nodes of the tree are one input, whose attention mask lets
    each node see the context and its ancestors, at the position it has in its text.
    """
    import torch

    size, nodes = len(context), len(tree.tokens)
    sees = np.tri(size + nodes, dtype=bool)
    sees[size:, size:] = tree.sees
    mask = np.where(sees, np.float32(0), np.finfo(np.float32).min)
    logits = net(
        input_ids=as_batch(net, [*context, *tree.tokens]),
        attention_mask=torch.from_numpy(mask)[None, None].to(net.device),
        position_ids=as_batch(net, [*range(size), *(size + depth for depth in tree.depth)]),
        use_cache=False,
    ).logits[0]
    # the context's last token predicts the first token of every text
    rows = [*range(size - 1)]
    for path in tree.paths:
        rows += [size - 1, *(size + node for node in path)]
    targets = [*context[1:], *(token for ids in texts for token in ids)]
    logprobs = gather_logprobs(logits, targets, rows)
    owner = np.repeat(range(len(texts) + 1), [size - 1, *map(len, texts)])
    counts = np.bincount(owner, minlength=len(texts) + 1).astype(np.float64)
    return np.column_stack([np.bincount(owner, logprobs, len(texts) + 1), counts])


def as_batch(net: Any, ids: TokenIds) -> Any:
    """The tokens as a batch of one text."""
    import torch

    return torch.tensor([ids], dtype=torch.int64, device=net.device)


def gather_logprobs(logits: Any, ids: TokenIds, rows: list[int] | None = None) -> Floats:
    """The log-probability of each of these tokens, from its row of logits."""
    import torch

    row = torch.tensor(rows or range(len(ids)), device=logits.device)
    column = torch.tensor(ids, device=logits.device)
    # log_softmax is exact to 1e-6; the difference to logsumexp would be off by more than 1e-5
    logprobs = torch.log_softmax(logits.float(), -1)[row, column]
    return np.asarray(logprobs.double().cpu().numpy())
