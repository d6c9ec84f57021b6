"""Weights in other formats made into safetensors, once, when a model is got.

The results are the same bytes every time: they are pinned in the catalogue.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simpatico.errors import DataError, MissingResource

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
LLAMA = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_down": "mlp.down_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
}
"""What llama.cpp calls a weight, and what transformers calls it."""


def from_gguf(source: Path, folder: Path) -> None:
    """A Llama model out of a GGUF file, its weights as 32 bit numbers."""
    try:
        from gguf import GGUFReader
        from gguf.quants import dequantize
    except ImportError:
        raise lacking("GGUF file", "gguf") from None
    import numpy as np
    from safetensors.numpy import save_file

    reader = GGUFReader(source)
    told = Told(reader)
    if (kind := told["general.architecture"]) != "llama":
        raise DataError(f"{source}: a GGUF file of the kind {kind!r}; only llama is supported")
    heads = {"attn_q": told["llama.attention.head_count"]}
    heads["attn_k"] = told["llama.attention.head_count_kv"]
    weights = {}
    for tensor in reader.tensors:
        numbers = np.asarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
        part = tensor.name.split(".")[-2]
        if part in heads:
            numbers = halves(numbers, heads[part])
        weights[llama_name(tensor.name)] = np.ascontiguousarray(numbers)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", llama_config(told, tied="lm_head.weight" not in weights))
    write_json(folder / "tokenizer.json", byte_pairs(told))
    write_json(folder / "tokenizer_config.json", specials(told))


class Told:
    """What the head of a GGUF file says, by key."""

    def __init__(self, reader: Any) -> None:
        self._fields = reader.fields

    def __getitem__(self, key: str) -> Any:
        return self._fields[key].contents()


def halves(weights: Any, heads: int) -> Any:
    """Rows of a rotated projection in the order of transformers: first halves, then second ones.

    llama.cpp keeps the two numbers that rotate together next to each other.
    """
    pairs = weights.reshape(heads, weights.shape[0] // heads // 2, 2, *weights.shape[1:])
    return pairs.swapaxes(1, 2).reshape(weights.shape)


def llama_name(name: str) -> str:
    """A weight's name in transformers: blk.3.attn_q.weight is in layer 3."""
    *block, part, kind = name.split(".")
    layer = f"model.layers.{block[1]}." if block else ""
    return f"{layer}{LLAMA[part]}.{kind}"


def llama_config(told: Told, *, tied: bool) -> dict[str, Any]:
    """The settings of the model, as transformers wants them."""
    width, heads = told["llama.embedding_length"], told["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": told["tokenizer.ggml.bos_token_id"],
        "eos_token_id": told["tokenizer.ggml.eos_token_id"],
        "pad_token_id": told["tokenizer.ggml.padding_token_id"],
        "head_dim": width // heads,
        "hidden_act": "silu",
        "hidden_size": width,
        "intermediate_size": told["llama.feed_forward_length"],
        "max_position_embeddings": told["llama.context_length"],
        "num_attention_heads": heads,
        "num_hidden_layers": told["llama.block_count"],
        "num_key_value_heads": told["llama.attention.head_count_kv"],
        # the file holds 32 bit numbers, whose nearest short decimal was meant
        "rms_norm_eps": float(f"{told['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "rope_theta": told["llama.rope.freq_base"],
        "tie_word_embeddings": tied,
        "vocab_size": told["llama.vocab_size"],
    }


def byte_pairs(told: Told) -> dict[str, Any]:
    """The tokenizer of SmolLM: each digit by itself, then byte pairs."""
    if (kind := told["tokenizer.ggml.pre"]) != "smollm":
        raise DataError(f"a tokenizer of the kind {kind!r}; only that of smollm is supported")
    tokens = told["tokenizer.ggml.tokens"]
    control = 3
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    special = [
        {"id": place, "content": tokens[place], **flags, "special": True}
        for place, kind in enumerate(told["tokenizer.ggml.token_type"])
        if kind == control
    ]
    digits = {"type": "Digits", "individual_digits": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, BYTE_LEVEL]},
        "post_processor": None,
        "decoder": {**BYTE_LEVEL, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: place for place, token in enumerate(tokens)},
            "merges": told["tokenizer.ggml.merges"],
        },
    }


def specials(told: Told) -> dict[str, Any]:
    """The settings of the tokenizer, as transformers wants them."""
    tokens = told["tokenizer.ggml.tokens"]
    keys = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
    named = {f"{k}_token": tokens[told[f"tokenizer.ggml.{v}_token_id"]] for k, v in keys.items()}
    length = told["llama.context_length"]
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": length, **named}


def from_torch(source: Path, target: Path) -> None:
    """Weights that torch pickled, read as tensors only and written as safetensors.

    This is the one place that opens such a file, and only when a model is got.
    """
    try:
        import torch
        from safetensors.torch import save_file
    except ImportError:
        raise lacking("file of torch", "torch") from None
    try:
        told = torch.load(source, map_location="cpu", weights_only=True)
        tensors = {str(name): value.contiguous() for name, value in told.items()}
    except Exception as error:  # torch raises whatever its reader met
        why = type(error).__name__
        raise DataError(f"{source}: holds more than weights ({why}); it is not used") from None
    kept: dict[Any, str] = {}
    for name in sorted(tensors, key=first_use):
        # a weight that is used in two places is stored once; transformers ties it again
        kept.setdefault((tensors[name].data_ptr(), tensors[name].shape), name)
    single = {name: tensors[name] for name in sorted(kept.values())}
    save_file(single, target, metadata={"format": "pt"})


def first_use(name: str) -> tuple[int, str]:
    """Order in which the names of a shared weight are preferred: as the input, then by name."""
    inputs = ("shared", "wte", "embed", "")
    return next(place for place, word in enumerate(inputs) if word in name), name


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def lacking(what: str, package: str) -> MissingResource:
    return MissingResource(
        f"a {what} is converted with the package {package!r}; `pip install 'simpatico[torch]'`"
    )
