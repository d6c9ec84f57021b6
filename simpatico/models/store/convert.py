"""Weights in other formats converted to safetensors, once, when a model is installed.

The results are the same bytes every time: their hashes are pinned in the catalogue. transformers
can read GGUF too, but its output is not promised to stay the same from release to release.
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
"""From llama.cpp's names of weights to those of transformers."""


GgufMetadata = dict[str, Any]
"""The fields of a GGUF file's header, by name."""


def from_gguf(source: Path, folder: Path) -> None:
    """Convert a GGUF file of a Llama model; weights become 32-bit floats."""
    try:
        from gguf import GGUFReader
        from gguf.quants import dequantize
    except ImportError:
        raise missing_converter("GGUF file", "gguf") from None
    import numpy as np
    from safetensors.numpy import save_file

    reader = GGUFReader(source)
    metadata = {name: field.contents() for name, field in reader.fields.items()}
    if (kind := metadata["general.architecture"]) != "llama":
        raise DataError(f"{source}: a GGUF file of the kind {kind!r}; only llama is supported")
    heads = {
        "attn_q": metadata["llama.attention.head_count"],
        "attn_k": metadata["llama.attention.head_count_kv"],
    }
    weights = {}
    for tensor in reader.tensors:
        weight = np.asarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
        part = tensor.name.split(".")[-2]
        if part in heads:
            weight = split_rotary_halves(weight, heads[part])
        weights[transformers_name(tensor.name)] = np.ascontiguousarray(weight)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {
        "config.json": llama_config(metadata, ties="lm_head.weight" not in weights),
        "tokenizer.json": bpe_tokenizer(metadata),
        "tokenizer_config.json": tokenizer_config(metadata),
    }
    for name, value in settings.items():
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def split_rotary_halves(weights: Any, heads: int) -> Any:
    """Rows of a query or key projection in the order of transformers.

    Rotary embeddings turn pairs of dimensions. llama.cpp stores the two of a pair next to each
    other, transformers stores all first ones of a head, then all second ones.
    """
    pairs = weights.reshape(heads, weights.shape[0] // heads // 2, 2, *weights.shape[1:])
    return pairs.swapaxes(1, 2).reshape(weights.shape)


def transformers_name(name: str) -> str:
    """A weight's name in transformers; blk.3.attn_q.weight is the query projection of layer 3."""
    *block, part, suffix = name.split(".")
    layer = f"model.layers.{block[1]}." if block else ""
    return f"{layer}{LLAMA[part]}.{suffix}"


def llama_config(metadata: GgufMetadata, *, ties: bool) -> dict[str, Any]:
    """config.json of the model, as transformers wants it."""
    width, heads = metadata["llama.embedding_length"], metadata["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": metadata["tokenizer.ggml.bos_token_id"],
        "eos_token_id": metadata["tokenizer.ggml.eos_token_id"],
        "pad_token_id": metadata["tokenizer.ggml.padding_token_id"],
        "head_dim": width // heads,
        "hidden_act": "silu",
        "hidden_size": width,
        "intermediate_size": metadata["llama.feed_forward_length"],
        "max_position_embeddings": metadata["llama.context_length"],
        "num_attention_heads": heads,
        "num_hidden_layers": metadata["llama.block_count"],
        "num_key_value_heads": metadata["llama.attention.head_count_kv"],
        # a 32-bit float in the file; six digits give back the decimal that was meant (1e-05)
        "rms_norm_eps": float(f"{metadata['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "rope_theta": metadata["llama.rope.freq_base"],
        "tie_word_embeddings": ties,
        "vocab_size": metadata["llama.vocab_size"],
    }


def bpe_tokenizer(metadata: GgufMetadata) -> dict[str, Any]:
    """tokenizer.json of SmolLM: each digit by itself, then byte-pair encoding."""
    if (kind := metadata["tokenizer.ggml.pre"]) != "smollm":
        raise DataError(f"a tokenizer of the kind {kind!r}; only that of smollm is supported")
    tokens = metadata["tokenizer.ggml.tokens"]
    control = 3  # GGUF's type of special tokens
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    special = [
        {"id": i, "content": tokens[i], **flags, "special": True}
        for i, kind in enumerate(metadata["tokenizer.ggml.token_type"])
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
            "vocab": {token: i for i, token in enumerate(tokens)},
            "merges": metadata["tokenizer.ggml.merges"],
        },
    }


def tokenizer_config(metadata: GgufMetadata) -> dict[str, Any]:
    """tokenizer_config.json, as transformers wants it."""
    tokens = metadata["tokenizer.ggml.tokens"]
    keys = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
    special = {
        f"{role}_token": tokens[metadata[f"tokenizer.ggml.{key}_token_id"]]
        for role, key in keys.items()
    }
    length = metadata["llama.context_length"]
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": length, **special}


def from_torch(source: Path, target: Path) -> None:
    """Convert weights that torch pickled; only tensors are read, no object is unpickled.

    This is the one place that opens such a file, and only when a model is installed.
    """
    try:
        import torch
        from safetensors.torch import save_file
    except ImportError:
        raise missing_converter("file of torch", "torch") from None
    try:
        state = torch.load(source, map_location="cpu", weights_only=True)
        tensors = {str(name): value.contiguous() for name, value in state.items()}
    except Exception as error:  # torch lets any error of its unpickler through
        why = type(error).__name__
        raise DataError(f"{source}: holds more than weights ({why}); it is not used") from None
    # safetensors refuses shared memory: a tied weight is stored once, transformers ties it again
    # under the name of the input embeddings, as transformers expects
    inputs = ("shared", "wte", "embed", "")
    names: dict[Any, str] = {}
    for name in sorted(tensors, key=lambda n: (next(i for i, w in enumerate(inputs) if w in n), n)):
        names.setdefault((tensors[name].data_ptr(), tensors[name].shape), name)
    unique = {name: tensors[name] for name in sorted(names.values())}
    save_file(unique, target, metadata={"format": "pt"})


def missing_converter(what: str, package: str) -> MissingResource:
    return MissingResource(
        f"a {what} is converted with the package {package!r}; `pip install 'simpatico[torch]'`"
    )
