"""Tiny models of real architectures with random weights, made once per session.

`tiny("bart")` is a folder with config.json, model.safetensors and a tokenizer, as a hub has them:
hidden width 32, two layers, a few hundred word pieces, at most 128 positions. The weights come from
a fixed seed and are large enough that words matter.
"""

import atexit
import json
import shutil
import string
import tempfile
from functools import cache
from pathlib import Path

LINES = """
the a I you it is are was not and or but to of in on at with for my your we they that this
what who how why do did does have has had can will would very really so good bad happy sad tea
coffee dog cat rain sun hike sister boss weekend like love hate think know went go make yes no
hello thanks sorry wow interesting boring music day time work new old big small ing ed
"""
WORDS = LINES.split()
SENTENCES = tuple(" ".join(WORDS[i : i + 7]) + "." for i in range(0, len(WORDS) - 7, 3))
MARKS = string.ascii_letters + string.digits + string.punctuation
LENGTH = 128
"""Positions of every tiny model."""
ENCODER = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "initializer_range": 0.3,
}
TRANSLATOR = {
    **{f"{side}_layers": 2 for side in ("encoder", "decoder")},
    **{f"{side}_attention_heads": 4 for side in ("encoder", "decoder")},
    **{f"{side}_ffn_dim": 48 for side in ("encoder", "decoder")},
    "d_model": 32,
    "max_position_embeddings": LENGTH,
    "init_std": 0.3,
    "forced_eos_token_id": None,
}


@cache
def root() -> Path:
    """The folder of all tiny models, gone when the session ends."""
    folder = Path(tempfile.mkdtemp(prefix="tiny-models-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def tiny(kind: str) -> Path:
    """The folder of a tiny model: an architecture, or one with a head, such as "bert-classes-3".

    Architectures: gpt2, llama, bart, marian, bert, roberta; heads: mlm, nsp, classes-N.
    """
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    architecture, _, head = kind.partition("-")
    folder = root() / kind
    folder.mkdir()
    with torch.random.fork_rng():
        torch.manual_seed(sum(kind.encode()))
        model = MAKERS[architecture](folder, head)
    model.save_pretrained(folder)
    return folder


def with_head(prefix: str, head: str, bare: str, config):
    """The model of this architecture with this head; `bare` is what it is without one."""
    import transformers

    if head.startswith("classes-"):
        config.num_labels = int(head.removeprefix("classes-"))
    kinds = {"": bare, "mlm": "ForMaskedLM", "nsp": "ForNextSentencePrediction"}
    return getattr(transformers, prefix + kinds.get(head, "ForSequenceClassification"))(config)


def gpt2(folder: Path, head: str):
    from transformers import GPT2Config

    size = byte_pieces(folder, ["<|endoftext|>"], "GPT2Tokenizer", bos=0, eos=0, unk=0)
    config = GPT2Config(
        vocab_size=size,
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=LENGTH,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
    )
    return with_head("GPT2", head, "LMHeadModel", config)


def llama(folder: Path, head: str):
    from transformers import LlamaConfig

    size = byte_pieces(folder, ["<|s|>", "<|e|>"], "PreTrainedTokenizerFast", bos=0, eos=1, unk=1)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=LENGTH,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=1,
    )
    return with_head("Llama", head, "ForCausalLM", config)


def bart(folder: Path, head: str):
    from transformers import BartConfig

    size = byte_pieces(folder, ROBERTA, "BartTokenizer", bos=0, pad=1, eos=2, unk=3, mask=4)
    config = BartConfig(
        vocab_size=size,
        **TRANSLATOR,
    )
    return with_head("Bart", head, "ForConditionalGeneration", config)


def roberta(folder: Path, head: str):
    from transformers import RobertaConfig

    size = byte_pieces(folder, ROBERTA, "RobertaTokenizer", bos=0, pad=1, eos=2, unk=3, mask=4)
    config = RobertaConfig(
        vocab_size=size,
        **ENCODER,
        max_position_embeddings=LENGTH + 2,
        type_vocab_size=1,
    )
    return with_head("Roberta", head, "Model", config)


def bert(folder: Path, head: str):
    from transformers import BertConfig

    config = BertConfig(
        vocab_size=word_pieces(folder),
        **ENCODER,
        max_position_embeddings=LENGTH,
    )
    return with_head("Bert", head, "Model", config)


def marian(folder: Path, head: str):
    from transformers import MarianConfig

    size = sentence_pieces(folder)
    config = MarianConfig(
        vocab_size=size,
        **TRANSLATOR,
        eos_token_id=0,
        pad_token_id=size - 1,
        decoder_start_token_id=size - 1,
    )
    return with_head("Marian", head, "MTModel", config)


MAKERS = {f.__name__: f for f in (gpt2, llama, bart, marian, bert, roberta)}
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def byte_pieces(folder: Path, special: list[str], kind: str, **roles: int) -> int:
    """A byte-level BPE tokenizer whose merges spell out `WORDS`; gives the size of its vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    merges = list[tuple[str, str]]()
    for word in ("Ġ" + w for w in WORDS):
        merges += [(word[:i], word[i]) for i in range(1, len(word))]
    merges = list(dict.fromkeys(merges))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = [*special, *alphabet, *(left + right for left, right in merges)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    if special is ROBERTA:
        tokenizer.post_processor = processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    write_roles(folder, kind, {role: special[number] for role, number in roles.items()})
    return len(vocabulary)


def word_pieces(folder: Path) -> int:
    """A WordPiece tokenizer of `WORDS` and single characters."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [word.lower() for word in WORDS]
    low = [mark for mark in MARKS if mark == mark.lower()]
    pieces = [*special, *low, *words, *(f"##{mark}" for mark in [*low, "ing", "ed"])]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(special)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = ("pad", "unk", "cls", "sep", "mask")
    write_roles(folder, "BertTokenizer", dict(zip(names, special, strict=True)))
    return len(vocabulary)


def sentence_pieces(folder: Path) -> int:
    """A SentencePiece tokenizer for both sides, with Marian's vocabulary file."""
    import sentencepiece

    lines = [*SENTENCES, *(" ".join(MARKS[i : i + 10]) for i in range(0, len(MARKS), 10))]
    corpus = folder / "lines"
    corpus.write_text("\n".join(lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(folder / "source"),
        vocab_size=200,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    pieces = (folder / "source.vocab").read_text(encoding="utf-8").splitlines()
    (folder / "source.vocab").unlink()
    corpus.unlink()
    (folder / "source.spm").write_bytes((folder / "source.model").read_bytes())
    (folder / "source.model").rename(folder / "target.spm")
    known = [line.split("\t")[0] for line in pieces]
    names = ["</s>", "<unk>", *(p for p in known if p not in ("<s>", "</s>", "<unk>")), "<pad>"]
    vocabulary = {piece: number for number, piece in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    write_roles(
        folder,
        "MarianTokenizer",
        {"eos": "</s>", "unk": "<unk>", "pad": "<pad>"},
        source_lang="en",
        target_lang="fr",
        separate_vocabs=False,
    )
    return len(vocabulary)


def write_roles(folder: Path, kind: str, roles: dict[str, str], **more: object) -> None:
    """The tokenizer's configuration: its class, and which special token has which role."""
    told = {f"{role}_token": token for role, token in roles.items()}
    told |= {"tokenizer_class": kind, "model_max_length": LENGTH, **more}
    (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
