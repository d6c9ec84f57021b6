"""Attributes of spans by which OpenTelemetry, OpenInference and others say the same things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simpatico.readers.file_formats._calls import Call, is_tool
from simpatico.readers.file_formats._payloads import Message, read_messages, unflatten
from simpatico.readers.input.record import Ledger

SENT = ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "input.value")
ANSWERED = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "output.value")
CONVERSATION = (
    *("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id"),
    *("traceloop.association.properties.session_id", "mlflow.trace.session"),
)
USER = ("user.id", "enduser.id", "langfuse.user.id", "traceloop.association.properties.user_id")
MODEL = ("gen_ai.agent.name", "gen_ai.request.model", "gen_ai.response.model", "llm.model_name")
KIND = (
    *("openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"),
    *("langfuse.observation.type", "mlflow.spanType"),
)
"""Attributes that hold the same in several conventions, the most telling first."""


def fill_call(call: Call, own: Mapping[str, Any], ledger: Ledger) -> None:
    """Add to a call what its attributes say."""
    call.conversation = first_name(own, CONVERSATION)
    call.user, call.model = first_name(own, USER), first_name(own, MODEL)
    call.is_tool = any(is_tool(own.get(name)) for name in KIND)
    call.sent = first_messages(own, SENT, "user", ledger)
    call.answered = first_messages(own, ANSWERED, "assistant", ledger)
    if "openinference.span.kind" in own:
        call.if_both()


def first_name(own: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of these attributes that there is, as text."""
    return next((str(own[name]) for name in names if own.get(name) not in (None, "")), None)


def first_messages(
    own: Mapping[str, Any], names: tuple[str, ...], role: str, ledger: Ledger
) -> list[Message]:
    """The messages of the first of these attributes that has some, whole or an attribute each."""
    for name in names:
        value = own[name] if name in own else unflatten(own, name)
        if messages := read_messages(value, role, ledger):
            return messages
    return []
