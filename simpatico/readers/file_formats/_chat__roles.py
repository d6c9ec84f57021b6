"""What the role names of chat formats mean: a person, the system under evaluation, or neither."""

from __future__ import annotations

PERSON = frozenset({"user", "human", "prompter", "customer", "customer_user"})
MACHINE = frozenset(
    {"assistant", "gpt", "ai", "bot", "model", "chatbot", "chatgpt", "bing", "bard", "claude"}
)
ASIDE = frozenset({"system", "developer", "tool", "function", "observation", "function_call"})
SPEAKER = dict.fromkeys(PERSON, "user") | dict.fromkeys(MACHINE, "assistant")


def known(role: str) -> bool:
    """Whether chat formats give this role a meaning."""
    return (role := role.lower()) in SPEAKER or role in ASIDE


def system_of(speaker: str, named: str | None) -> str:
    """The system a speaker stands for in a file that does not say: people are `human`."""
    role = speaker.lower()
    if role in PERSON:
        return "human"
    return named or speaker if role in MACHINE else speaker
