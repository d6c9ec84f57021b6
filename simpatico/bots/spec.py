"""A bot's SPEC: `http://HOST:PORT/v1?model=NAME`, `local:MODEL`, `command:PROGRAM`, `script:NAME`.

No sentence here repeats what may hold a key: neither credentials nor the values of a query.
"""

from __future__ import annotations

import re
import shlex
from urllib.parse import parse_qsl, urlsplit

from simpatico.bots.bot import Bot, Settings
from simpatico.errors import BadValue

FORMS = (
    "a bot is http://HOST:PORT/v1?model=NAME, https://…, local:MODEL, command:PROGRAM ARGS "
    "or script:NAME"
)
KIND = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}")
"""The scheme of a URL (RFC 3986); short, so that a key before a colon is not shown as one."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
LIMITS = ("max_tokens", "max_completion_tokens")
"""What servers call the limit of an answer: OpenAI's newer models know the second name only."""


def load_bot(spec: str, settings: Settings | None = None) -> Bot:
    """The bot that a SPEC names."""
    settings = settings or Settings()
    kind, colon, what = spec.partition(":")
    if not colon or not KIND.fullmatch(kind):
        raise BadValue(f"the bot has no kind before a colon; {FORMS}")
    match kind.lower():
        case "http" | "https":
            return load_endpoint(spec, settings)
        case "local":
            return load_local(what, settings)
        case "command":
            return load_command(what, settings)
        case "script":
            from simpatico.bots.script import load_script

            return load_script(what)
    raise BadValue(f"no bot of the kind {kind!r}; {FORMS}")


def load_endpoint(spec: str, settings: Settings) -> Bot:
    """The bot at an address."""
    from simpatico.bots.endpoint import Endpoint
    from simpatico.bots.http import Address

    try:
        # urlsplit drops line breaks and tabs without a word: the address would be another one
        if not spec.isprintable() or " " in spec or not spec.isascii():
            raise ValueError
        parts = urlsplit(spec)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise BadValue("the bot's address is not valid; write http://HOST:PORT/v1") from None
    if "@" in parts.netloc:
        raise BadValue(
            "the bot's address has a user name or password in it; leave it out and put the key "
            "into the environment variable OPENAI_API_KEY"
        )
    if not host or parts.fragment:
        raise BadValue("the bot's address has no host, or a # in it; write http://HOST:PORT/v1")
    options = parse_query(parts.query, ("model", "key_env", "limit_as"))
    if not options.get("model"):
        raise BadValue(
            f"the bot's address names no model; write {spec.partition('?')[0]}?model=NAME"
        )
    variable, limit = options.get("key_env"), options.get("limit_as", LIMITS[0])
    if variable is not None and not VARIABLE.fullmatch(variable):
        raise BadValue("key_env is not the name of an environment variable, such as MY_KEY")
    if limit not in LIMITS:
        raise BadValue(f"limit_as is neither {' nor '.join(LIMITS)}")
    address = Address(parts.scheme.lower(), host, port, parts.path.rstrip("/"))
    return Endpoint(address, options["model"], settings, variable, limit)


def parse_query(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """The parameters after a question mark, each one of these names and there once."""
    values: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name not in names:
            label = repr(name) if VARIABLE.fullmatch(name) else "another name"
            hint = "; put a key into an environment variable" if "key" in name.lower() else ""
            raise BadValue(f"a bot takes {', '.join(names)} after the ?, not {label}{hint}")
        if name in values:
            raise BadValue(f"{name!r} is twice after the ? of a bot; give it once")
        values[name] = value
    return values


def load_local(what: str, settings: Settings) -> Bot:
    """The bot on a model of this machine."""
    from simpatico.bots.local import Local
    from simpatico.models.names import find_model

    model, _, rest = what.partition("?")
    frame = parse_query(rest, ("frame",)).get("frame")
    if not model:
        raise BadValue("local: names no model; write local:package:smollm2 or local:path:DIR")
    match frame:
        case None | "chat" | "lines" | "end":
            return Local(find_model(model), settings, frame)
    raise BadValue(f"no frame {frame!r}; a local bot has the frame chat, lines or end")


def load_command(what: str, settings: Settings) -> Bot:
    """The bot that a program is, after `env=NAME,…`; quotes are understood, and no shell is."""
    from simpatico.bots.command import Command

    try:
        words = tuple(shlex.split(what))
    except ValueError:
        raise BadValue("command: has a quote that is not closed; close it") from None
    names: tuple[str, ...] = ()
    if words and words[0].startswith("env="):
        names, words = tuple(words[0][4:].split(",")), words[1:]
    if not all(map(VARIABLE.fullmatch, names)):
        raise BadValue(
            "env= of command: takes names of environment variables, such as env=LANG_MODEL,MY_KEY"
        )
    if not words or "\0" in what:
        raise BadValue("command: names no program; write command:PROGRAM ARGS")
    return Command(words, settings, names)
