"""A server that speaks OpenAI's chat completions, on this machine or elsewhere.

The key comes from an environment variable at the moment of the call. It is no field of anything,
and all that a server sends, answers and errors, is decoded and then rid of the key in one place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from simpatico.bots.bot import Message, Reply, Settings, TokenAlternatives, TokenCount
from simpatico.bots.http import (
    Address,
    Backoff,
    RequestFailed,
    ServerResponse,
    open_response,
    post,
    read_lines,
    read_response,
)
from simpatico.bots.redaction import decode_redacted, redact
from simpatico.errors import BadValue, NoAnswer
from simpatico.models.runtime.tokens import as_utf8
from simpatico.readers.input.head import json_or_none

KEY = "OPENAI_API_KEY"
RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed: timeouts, rate limits and overload."""
WORD = re.compile(r"[a-z_]{1,40}")
"""What a server says in one plain word, such as `length`, holds no text of a dialog."""
MAX_MODEL_NAME = 200
"""Characters that are kept of what a server calls its model, as every row repeats it."""


class AnswerPart(msgspec.Struct):
    """A piece of an answer."""

    type: str = ""
    text: str = ""


class Answer(msgspec.Struct):
    """What was answered, as text or in parts."""

    content: str | list[AnswerPart] | None = None


class TokenLogprob(msgspec.Struct):
    """A token and its log-probability; at its own place also the likeliest others."""

    token: str
    logprob: float
    top_logprobs: list[TokenLogprob] = []


class Logprobs(msgspec.Struct):
    """The tokens of an answer."""

    content: list[TokenLogprob] | None = None


class CompletionChoice(msgspec.Struct):
    """One of the answers; there is only one."""

    message: Answer
    finish_reason: str | None = None
    logprobs: Any = None

    @property
    def alternatives(self) -> tuple[TokenAlternatives, ...]:
        """The tokens with those that were likely in their place; none in a form of its own."""
        try:
            tokens = msgspec.convert(self.logprobs or {}, Logprobs).content or []
        except msgspec.ValidationError:  # the answer itself is good all the same
            return ()
        return tuple(
            TokenAlternatives(one.token, {t.token: t.logprob for t in one.top_logprobs})
            for one in tokens
        )


class Usage(msgspec.Struct):
    """Tokens as the server counted them."""

    prompt_tokens: TokenCount | None = None
    completion_tokens: TokenCount | None = None


class Completion(msgspec.Struct):
    """The body of a good answer, as far as we read it."""

    choices: list[CompletionChoice]
    model: str | None = None
    usage: Usage | None = None


class Delta(msgspec.Struct):
    """A piece of a streamed answer."""

    content: str | None = None


class EventChoice(msgspec.Struct):
    """One of the answers; there is only one."""

    delta: Delta = msgspec.field(default_factory=Delta)


class Event(msgspec.Struct):
    """A line of a streamed answer, as far as we read it."""

    choices: list[EventChoice] = []


def event_text(line: bytes) -> str:
    """The text in a server-sent event (WHATWG); none in comments, ends and what is no chunk."""
    name, _, data = line.partition(b":")
    if name != b"data":
        return ""
    try:
        event = msgspec.json.decode(data, type=Event)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return "".join(choice.delta.content or "" for choice in event.choices[:1])


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible address; `key_env` names the variable with the key.

    Without `key_env` the key of OPENAI_API_KEY is sent, if there is one, but never where others can
    read along: over plain HTTP to another machine. `limit_as` is what the server calls max_tokens.
    """

    address: Address
    model: str
    settings: Settings = field(default_factory=Settings)
    key_env: str | None = None
    limit_as: str = "max_tokens"
    backoff: Backoff = field(default_factory=Backoff, repr=False, compare=False)
    max_parallel: None = None

    @property
    def name(self) -> str:
        return self.model

    @property
    def description(self) -> Mapping[str, Any]:
        facts = {"kind": "http", "address": str(self.address), "model": self.model}
        return facts | self.settings.describe()

    def __call__(self, dialog: Sequence[Message]) -> Reply:
        key = self.key()
        body = msgspec.json.encode(self.request(dialog))

        def call() -> Reply:
            timeout = self.settings.timeout
            return self.reply(post(self.url, body, self.headers(key), timeout=timeout), key)

        return self.backoff.retry(call, self.settings.retries)

    def stream(self, dialog: Sequence[Message]) -> Iterator[str]:
        """The reply in pieces, as the server makes them; in one, from a server that does not.

        A request is not repeated, since a person waits who can do so.
        """
        key, timeout = self.key(), self.settings.timeout
        body = msgspec.json.encode(self.request(dialog) | {"stream": True})
        with open_response(self.url, body, self.headers(key), timeout=timeout) as response:
            kind = response.headers.get_content_type()
            if response.status != 200 or kind != "text/event-stream":
                yield self.reply(read_response(self.address, response), key).text
                return
            text = shown = ""
            for line in read_lines(self.address, response):
                text += event_text(line)
                # what is not shown yet may be the beginning of the key
                clean = str(redact(text, [key]))
                ready = clean if not key else clean[: max(0, len(clean) - 4 * len(key))]
                if len(ready) > len(shown):
                    yield ready[len(shown) :]
                    shown = ready
        if not text.strip():
            raise NoAnswer(f"{self.address} sent an empty answer", why="empty")
        if rest := str(redact(text, [key]))[len(shown) :]:
            yield rest

    @property
    def url(self) -> Address:
        return replace(self.address, path=f"{self.address.path}/chat/completions")

    def headers(self, key: str) -> dict[str, str]:
        """The headers of a request."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return headers | ({"Authorization": f"Bearer {key}"} if key else {})

    def close(self) -> None:
        """Wake up whoever waits to try again."""
        self.backoff.stop.set()

    def key(self) -> str:
        """The key to send; empty for none."""
        if self.key_env is None and not self.address.private:
            return ""
        name = self.key_env or KEY
        key = os.environ.get(name, "").strip()
        if self.key_env and not key:
            raise BadValue(f"the environment variable {name} is empty; put the key into it")
        if not key.isascii() or not key.isprintable():
            raise BadValue(f"the value of {name} is not a valid key; it must be printable ASCII")
        return key

    def request(self, dialog: Sequence[Message]) -> dict[str, Any]:
        """The body of a call; what is null is left to the server."""
        turns = self.settings.with_instruction(dialog)
        body = {
            "model": self.model,
            "messages": [{"role": role, "content": as_utf8(text)} for role, text in turns],
            self.limit_as: self.settings.max_tokens,
            "stream": False,
        }
        settings = self.settings
        optional = {"temperature": settings.temperature, "seed": settings.seed}
        if settings.alternatives:
            body |= {"logprobs": True, "top_logprobs": settings.alternatives}
        return body | {name: value for name, value in optional.items() if value is not None}

    def reply(self, response: ServerResponse, key: str) -> Reply:
        """The reply in a response, without the key should it be in there."""
        if response.status != 200:
            raise self.status_error(response, key)
        try:
            completion = decode_redacted(response.body, Completion, [key])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NoAnswer(
                f"{self.address} sent no valid chat completion",
                why="not a completion",
            ) from None
        content = completion.choices[0].message.content if completion.choices else None
        if isinstance(content, list):
            content = "\n".join(part.text for part in content if part.type == "text")
        if not (text := content or "").strip():
            raise NoAnswer(f"{self.address} sent an empty answer", why="empty")
        usage = completion.usage or Usage()
        reason = completion.choices[0].finish_reason
        return Reply(
            text,
            usage.prompt_tokens,
            usage.completion_tokens,
            completion.model[:MAX_MODEL_NAME] if completion.model else None,
            reason if reason and WORD.fullmatch(reason) else None,
            completion.choices[0].alternatives,
        )

    def status_error(self, response: ServerResponse, key: str) -> Exception:
        """The error for a status other than 200: for this prompt, or for all."""
        status, where = response.status, str(self.address)
        if status == 401:
            name = self.key_env or KEY
            problem = f"refused the key in {name}" if key else f"wants a key; put it into {name}"
            if not key and not self.address.private:
                problem = f"wants a key, never sent in the open; use https or add &key_env={name}"
            return BadValue(f"{where} {problem} (status 401)")
        if status == 404:
            return BadValue(
                f"{where} has no chat/completions or no model {self.model!r} (status 404); "
                "check the address and the name"
            )
        if 300 <= status < 400:
            return BadValue(
                f"{where} redirects (status {status}), which is not followed; "
                "give the target address"
            )
        # the kind of error, if it is one plain word; messages may hold what we sent
        body = redact(json_or_none(response.body), [key])
        error = body.get("error") if isinstance(body, dict) else None
        words = [error.get(name) for name in ("code", "type")] if isinstance(error, dict) else []
        kind = next((w for w in words if isinstance(w, str) and WORD.fullmatch(w)), "")
        return RequestFailed(
            f"{where} answered with status {status}" + (f" ({kind})" if kind else ""),
            why=f"status {status}",
            retryable=status in RETRYABLE,
            retry_after=response.retry_after,
        )
