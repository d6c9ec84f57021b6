"""What a language model is run on, one text at a time: its word pieces, and their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.models.cache import Numbers
from simpatico.models.runtime.tokens import as_utf8
from simpatico.models.runtime.torch_backend import side_by_side

LONGEST = 1024
"""Word pieces that are read at most, as GPT-2, DialoGPT and BART do; a context loses its start."""
TOGETHER = 16
"""Texts after one context that run one after the other on one thread."""
DOCUMENT = "<|endoftext|>"
"""What stands between documents, and in DialoGPT between turns."""

Frame = Literal["plain", "end", "untagged"]
Ids = list[int]
Shared = tuple[Ids, list[Ids]]


@dataclass(frozen=True)
class Reader:
    """Texts as the word pieces of one model, with its marks around them."""

    tokenizer: Any
    known: dict[str, Ids] = field(default_factory=dict)

    def text(self, text: str) -> Ids:
        """The word pieces of a text, without any mark."""
        if text not in self.known:
            clean = as_utf8(text)
            found = self.tokenizer(clean, add_special_tokens=False, verbose=False).input_ids
            self.known[text] = list(found)
        return self.known[text]

    def read(self, text: str, longest: int) -> Ids:
        """What the encoder reads; a text that is too long loses its end."""
        clean = as_utf8(text)
        return list(self.tokenizer(clean, truncation=True, max_length=longest).input_ids)

    def write(self, text: str, longest: int) -> Ids:
        """What the decoder has to write."""
        told = self.tokenizer(text_target=as_utf8(text), truncation=True, max_length=longest)
        return list(told.input_ids)

    @property
    def tags(self) -> set[int]:
        """The marks that may open what is written, such as that of a language."""
        words = self.tokenizer
        others = (words.unk_token_id, words.pad_token_id, words.eos_token_id, words.mask_token_id)
        return set(words.all_special_ids) - set(others)

    @property
    def end(self) -> int:
        """The mark at the end of a document or turn."""
        known = self.tokenizer.get_vocab()
        return int(known.get(DOCUMENT, self.tokenizer.eos_token_id))

    @property
    def start(self) -> int:
        """The mark before everything."""
        first = self.tokenizer.bos_token_id
        known = self.tokenizer.get_vocab()
        return int(known.get(DOCUMENT, self.end if first is None else first))

    def longest(self, net: Any) -> int:
        """How many pieces the model reads."""
        config = net.config.get_text_config(decoder=True)
        told = (
            getattr(config, "max_position_embeddings", None),
            getattr(config, "sliding_window", None),
            self.tokenizer.model_max_length,
        )
        return int(min(LONGEST, *(number for number in told if number)))

    def joined(self, context: str, target: str, frame: Frame, longest: int) -> tuple[Ids, Ids]:
        """What is read first, at least one piece, and the pieces that are scored."""
        before = self.text(context) if context else []
        after = self.text(f" {target}" if context else target)
        if frame == "end":
            every = [*before, *after, self.end]
            first = max(len(before), 1)
            before, after = every[:first], every[first:]
        else:
            before = [self.start, *before]
        after = after[: longest - 1]
        return shortened(before, longest - len(after)), after

    def turns(self, turns: tuple[str, ...], room: int) -> Ids:
        """Turns, each with a mark before it, and a last mark for the one that would follow."""
        ids = [self.end]
        for turn in turns:
            ids += [*self.text(f" {turn} "), self.end]
        return shortened(ids, room)


def shortened(ids: Ids, room: int) -> Ids:
    """The first piece and as many of the last ones as there is room for."""
    return ids if len(ids) <= room else [ids[0], *ids[len(ids) - room + 1 :]]


def shared(
    cut: Sequence[tuple[Ids, Ids]], work: Callable[[Shared], list[Numbers]]
) -> Iterator[tuple[int, Numbers]]:
    """Do `work` for each distinct first half, with all second halves it goes with.

    Very many second halves are dealt with some at a time, so that others can run beside them.
    """
    places: dict[tuple[int, ...], list[int]] = {}
    for place, (first, _) in enumerate(cut):
        places.setdefault(tuple(first), []).append(place)
    groups = [
        group[start : start + TOGETHER]
        for group in places.values()
        for start in range(0, len(group), TOGETHER)
    ]
    items = ((cut[group[0]][0], [cut[p][1] for p in group]) for group in groups)
    for group, found in zip(groups, side_by_side(work, items), strict=True):
        yield from zip(group, found, strict=True)


def continued(net: Any, before: Ids, targets: list[Ids]) -> list[Numbers]:
    """Log-probabilities of targets after the same pieces, which are read once."""
    cache = None
    if len(before) > 1:
        read = net(input_ids=tensor(net, before[:-1]), use_cache=True, logits_to_keep=1)
        cache = read.past_key_values
    found = list[Numbers]()
    for target in targets:
        if not target:
            found.append(np.zeros(0))
            continue
        given = tensor(net, [before[-1], *target[:-1]])
        said = net(input_ids=given, past_key_values=cache, use_cache=cache is not None)
        if cache is not None:
            cache.crop(-len(target))
        found.append(chosen(said.logits[0], target))
    return found


def written(net: Any, source: Ids, targets: list[Ids], untag: set[int]) -> list[Numbers]:
    """Log-probabilities of targets that the decoder is forced to write."""
    encoded = net.get_encoder()(input_ids=tensor(net, source), return_dict=True)
    found = list[Numbers]()
    for target in targets:
        given = net.prepare_decoder_input_ids_from_labels(labels=tensor(net, target))
        said = net(encoder_outputs=encoded, decoder_input_ids=given, use_cache=False)
        tagged = len(target) > 1 and target[0] in untag
        found.append(chosen(said.logits[0], target)[int(tagged) :])
    return found


class Tree(NamedTuple):
    """Texts that share their beginnings: a node for each beginning but the whole text.

    Nothing is predicted from the last piece of a text, so that it need not be read.
    """

    pieces: Ids
    depth: Ids
    sees: npt.NDArray[np.bool_]
    paths: list[Ids]

    @classmethod
    def of(cls, texts: Sequence[Ids]) -> Tree:
        known: dict[tuple[int, ...], int] = {(): -1}
        paths = list[Ids]()
        for ids in texts:
            starts = [tuple(ids[:size]) for size in range(1, len(ids))]
            paths.append([known.setdefault(start, len(known) - 1) for start in starts])
        nodes = list(known)[1:]
        sees = np.eye(len(nodes), dtype=bool)
        for node, start in enumerate(nodes):
            if len(start) > 1:
                sees[node] |= sees[known[start[:-1]]]
        return cls([n[-1] for n in nodes], [len(n) - 1 for n in nodes], sees, paths)


def branched(net: Any, context: Ids, after: Sequence[Ids], tree: Tree) -> Numbers:
    """Sums and numbers of pieces: first of the context, then of each text that may follow it."""
    import torch

    size, nodes = len(context), len(tree.pieces)
    sees = np.tri(size + nodes, dtype=bool)
    sees[size:, size:] = tree.sees
    mask = np.where(sees, np.float32(0), np.finfo(np.float32).min)
    said = net(
        input_ids=tensor(net, [*context, *tree.pieces]),
        attention_mask=torch.from_numpy(mask)[None, None].to(net.device),
        position_ids=tensor(net, [*range(size), *(size + depth for depth in tree.depth)]),
        use_cache=False,
    ).logits[0]
    # a context's last mark predicts the first piece of every text
    rows = [*range(size - 1)]
    for path in tree.paths:
        rows += [size - 1, *(size + node for node in path)]
    logs = chosen(said, [*context[1:], *(piece for ids in after for piece in ids)], rows)
    whose = np.repeat(range(len(after) + 1), [size - 1, *map(len, after)])
    counts = np.bincount(whose, minlength=len(after) + 1).astype(np.float64)
    return np.column_stack([np.bincount(whose, logs, len(after) + 1), counts])


def tensor(net: Any, ids: Ids) -> Any:
    """The pieces as a batch of one text."""
    import torch

    return torch.tensor([ids], dtype=torch.int64, device=net.device)


def chosen(logits: Any, ids: Ids, rows: Ids | None = None) -> Floats:
    """The log-probability of each of these pieces, from its row of logits."""
    import torch

    place = torch.tensor(rows or range(len(ids)), device=logits.device)
    wanted = torch.tensor(ids, device=logits.device)
    # log_softmax is exact to 1e-6; the difference to logsumexp would be off by more than 1e-5
    logs = torch.log_softmax(logits.float(), -1)[place, wanted]
    found: Floats = logs.double().cpu().numpy()
    return found
