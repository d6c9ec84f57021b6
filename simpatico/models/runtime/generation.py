"""A causal language model writes the next turn of a dialog, token by token.

Not transformers' `generate`, which samples from torch's one global generator: here a sample depends
on the seed and the dialog alone, also when several dialogs run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from simpatico.errors import NoAnswer
from simpatico.models.names import Model
from simpatico.models.runtime.chat_template import Frame, Turn, choose_frame
from simpatico.models.runtime.language_models import LmTokenizer, TokenIds, as_batch
from simpatico.models.runtime.threads import ONE_THREAD
from simpatico.models.runtime.tokens import smallest_limit
from simpatico.models.runtime.torch_backend import load_causal, load_hf_tokenizer

MAX_TOKENS = 4096
"""Of prompt and reply together; a dialog that is too long loses its first turns."""

Finish = Literal["stop", "length"]


class Generation(NamedTuple):
    """The reply of a model, how many tokens it read and wrote, and why it stopped.

    Of each token that it wrote, if asked, the likeliest in its place and their log-probabilities.
    """

    text: str
    prompt_tokens: int
    reply_tokens: int
    finish: Finish
    alternatives: tuple[tuple[str, dict[str, float]], ...]


@dataclass(frozen=True)
class ReplyWriter:
    """A model that writes turns: greedily at temperature 0, else by sampling.

    A sample depends on the seed and the dialog alone. Without a frame, a model with special tokens
    for chats gets them, and any other reads lines such as `user: Hi` and writes one. The frame
    `end` has an end-of-document token after each turn, as DialoGPT was trained. The reply begins
    with the opening, as if the model had written it.
    """

    model: Model
    frame: Frame | None = None
    temperature: float = 0.0
    max_new_tokens: int = 256
    seed: int = 0
    n_alternatives: int = 0
    opening: str = ""

    def __call__(self, dialog: Sequence[Turn]) -> Generation:
        return self.generate(self.encode_dialog(dialog))

    def load(self) -> tuple[Any, LmTokenizer]:
        """The model, loaded once, and its tokenizer."""
        return load_causal(self.model), LmTokenizer(load_hf_tokenizer(self.model))

    def encode_dialog(self, dialog: Sequence[Turn]) -> TokenIds:
        """The prompt, without as many of the first turns as must go; a system turn stays.

        Not for several threads at the same time, since tokenizers hold state.
        """
        net, tokenizer = self.load()
        _, encode = choose_frame(tokenizer, self.frame)
        config = net.config.get_text_config(decoder=True)
        positions = getattr(config, "max_position_embeddings", None)
        limits = (positions, tokenizer.tokenizer.model_max_length)
        room = smallest_limit(self.model.folder, MAX_TOKENS, *limits)
        system = [turn for turn in dialog[:1] if turn[0] == "system"]
        rest = list(dialog[len(system) :])
        while rest:
            ids = [*encode([*system, *rest]), *tokenizer.encode(self.opening)]
            if len(ids) + self.max_new_tokens <= room:
                return ids
            rest = rest[1:]
        raise NoAnswer(
            f"the turn to answer and {self.max_new_tokens:,} tokens of reply exceed the {room:,} "
            f"tokens that {self.model.name} holds",
            why="too long",
        )

    def generate(self, ids: TokenIds) -> Generation:
        """The reply to a prompt, up to a stop token or, in the frame `lines`, to the line's end."""
        import torch

        net, tokenizer = self.load()
        finish: Finish = "length"
        reply, cache, inputs = TokenIds(), None, ids
        alternatives = [(self.opening, dict[str, float]())] if self.n_alternatives else []
        # chat models often list the end of a turn in only one of these places
        stops = {tokenizer.end_token, tokenizer.tokenizer.eos_token_id}
        for config in (net.config, getattr(net, "generation_config", None)):
            eos = getattr(config, "eos_token_id", None)
            stops |= set(eos) if isinstance(eos, list) else {eos}
        one_line = choose_frame(tokenizer, self.frame)[0] == "lines"
        sample = token_sampler(self.temperature, f"{self.seed}\0{ids}")
        with ONE_THREAD, torch.inference_mode():
            while len(reply) < self.max_new_tokens:
                output = net(
                    input_ids=as_batch(net, inputs),
                    past_key_values=cache,
                    use_cache=True,
                    logits_to_keep=1,
                )
                logits = output.logits[0, -1]
                cache, token = output.past_key_values, sample(logits)
                if token in stops or (one_line and "\n" in decode_tokens(tokenizer, [token])):
                    finish = "stop"
                    break
                reply.append(token)
                inputs = [token]
                if self.n_alternatives:
                    likely = torch.log_softmax(logits.double().cpu(), -1).topk(self.n_alternatives)
                    texts = [decode_tokens(tokenizer, [i]) for i in likely.indices.tolist()]
                    own = decode_tokens(tokenizer, [token])
                    # two tokens of one text, such as halves of a character: the likelier one
                    pairs = zip(reversed(texts), reversed(likely.values.tolist()), strict=True)
                    alternatives.append((own, dict(pairs)))
        text = f"{self.opening}{decode_tokens(tokenizer, reply)}".strip() if reply else ""
        return Generation(text, len(ids), len(reply), finish, tuple(alternatives))


def token_sampler(temperature: float, seed: str) -> Callable[[Any], int]:
    """A function from logits to a token: the most likely one, or a sample.

    On the processor in double precision, so that the draw itself does not depend on the device.
    """
    import torch

    if not temperature:
        return lambda logits: int(logits.argmax())
    digest = sha256(seed.encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))

    def sample(logits: Any) -> int:
        probabilities = torch.softmax(logits.double().cpu() / temperature, -1)
        return int(torch.multinomial(probabilities, 1, generator=generator))

    return sample


def decode_tokens(tokenizer: LmTokenizer, ids: TokenIds) -> str:
    """Tokens as text, without special tokens."""
    return str(tokenizer.tokenizer.decode(ids, skip_special_tokens=True))
