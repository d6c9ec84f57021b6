"""MLflow: scorers of one turn (a trace) and of a whole session, for `mlflow.genai.evaluate`.

    from simpatico.integrations.mlflow import session_scorer, turn_scorer
    mlflow.genai.evaluate(data=traces, scorers=[session_scorer(["style_matching", "empathy"])])

They give a `Feedback` of source CODE for each score, with the signature as metadata. One that is
null has its reason as the error and no value. MLflow evaluates with them; it cannot register them
for monitoring, as it loads registered scorers of its own list alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simpatico.errors import DataError
from simpatico.integrations import import_host

Names = str | Sequence[str] | None


def session_scorer(metrics: Names = None, *, name: str = "simpatico_session") -> Any:
    """A scorer of the conversation of a session, whose traces are its exchanges."""

    def score(session: Any) -> list[Any]:
        messages = []
        for trace in sorted(session, key=lambda trace: trace.info.timestamp_ms):
            root = next(span for span in trace.data.spans if span.parent_id is None)
            messages += [input_messages(root.inputs)[-1], reply_message(root.outputs)]
        return feedback(messages, metrics)

    return import_host("mlflow.genai.scorers", "mlflow").scorer(score, name=name)


def turn_scorer(metrics: Names = None, *, name: str = "simpatico_turn") -> Any:
    """A scorer of one reply, with the messages before it where the inputs have them."""

    def score(inputs: Any, outputs: Any) -> list[Any]:
        return feedback([*input_messages(inputs), reply_message(outputs)], metrics)

    return import_host("mlflow.genai.scorers", "mlflow").scorer(score, name=name)


def input_messages(inputs: Any) -> list[Mapping[str, Any]]:
    """The messages of a trace's inputs, or their one text as a user's message.

    MLflow's own functions make JSON of other inputs, whose field names would count as words.
    """
    if isinstance(inputs, Mapping) and isinstance(found := inputs.get("messages"), list) and found:
        return found
    return [{"role": "user", "content": only_text(inputs, "inputs")}]


def reply_message(outputs: Any) -> Mapping[str, Any]:
    """The reply in a trace's outputs: a text, a chat completion, or the last of its messages."""
    if isinstance(outputs, Mapping) and isinstance(choices := outputs.get("choices"), list):
        return {"role": "assistant", "content": choices[0]["message"]["content"]}
    if isinstance(outputs, Mapping) and isinstance(found := outputs.get("messages"), list):
        return {"role": "assistant", "content": found[-1]["content"]}
    return {"role": "assistant", "content": only_text(outputs, "outputs")}


def only_text(value: Any, what: str) -> str:
    """A text, or the only text among the values of an object."""
    texts = [value] if isinstance(value, str) else []
    if isinstance(value, Mapping):
        texts = [text for text in value.values() if isinstance(text, str)]
    if len(texts) != 1:
        raise DataError(
            f"the {what} of a trace have {len(texts)} texts and no messages; simpatico needs a "
            "text, an object with one text, or messages with role and content"
        )
    return texts[0]


def feedback(messages: Sequence[Mapping[str, Any]], metrics: Names) -> list[Any]:
    """The scores of the assistant as MLflow's feedback."""
    from simpatico.integrations.conversation import Conversation

    entities = import_host("mlflow.entities", "mlflow")
    source = entities.AssessmentSource(source_type="CODE", source_id="simpatico")
    rows = []
    for score in Conversation.of(messages).scores(metrics):
        error = None
        if score.value is None:
            error = entities.AssessmentError(
                error_code=(score.reason or "undefined").upper(), error_message=score.sentence
            )
        rows.append(
            entities.Feedback(
                name=score.name,
                value=score.value,
                error=error,
                source=source,
                rationale=score.sentence,
                metadata={"signature": score.signature},
            )
        )
    return rows
