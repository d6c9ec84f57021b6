"""Traces of every tool: the same conversations, in files that the tools' own packages wrote.

The files in `files` hold invented talks in a tea shop; its README says what wrote them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico.readers.detect import pick_reader
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from tests.readers.files import align_files, everything, write_file

FILES = Path(__file__).parent / "files"
OPEN, SIX = "hello, is the shop open?", "yes, until six"
TEA, BOXES = "do you have green tea?", "we do, twelve boxes"
TIRED, HARD = "i am so tired today", "that sounds hard, what happened?"
LINE_FORMATS = {
    "otlp": FILES / "otlp_spans.jsonl",
    "phoenix": FILES / "phoenix_spans.jsonl",
    "mlflow": FILES / "mlflow_traces.jsonl",
    "langsmith": FILES / "langsmith_runs.jsonl",
    "langfuse": FILES / "langfuse",
}


def tea_shop(system: str, first: str = "c1", second: str = "c2") -> list[Any]:
    """The turns of both conversations."""
    talk = [(OPEN, None), (SIX, 0), (TEA, 1), (BOXES, 2)]
    talks = {first: talk, second: [(TIRED, None), (HARD, 0)]}
    return [
        (name, "user", "human", text, answers)
        if number % 2 == 0
        else (name, "assistant", system, text, answers)
        for name, own in talks.items()
        for number, (text, answers) in enumerate(own)
    ]


def records(format: str) -> list[dict[str, Any]]:
    """The records of a format's file."""
    path = LINE_FORMATS[format]
    if path.is_dir():
        return [row for file in sorted(path.iterdir()) for row in pl.read_parquet(file).to_dicts()]
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "format", "system"),
    [
        ("openinference.jsonl", "otlp", "acme-2-0611"),
        ("phoenix_spans.jsonl", "phoenix", "acme-2-0611"),
        ("phoenix_api.json", "phoenix", "acme-2-0611"),
        ("mlflow_traces.jsonl", "mlflow", "assistant"),
        ("langsmith_runs.jsonl", "langsmith", "acme-2"),
        ("langfuse", "langfuse", "acme-2"),
    ],
)
def test_the_same_conversations_in_every_tool(name: str, format: str, system: str) -> None:
    turns, alignment = align_files(FILES / name)
    assert sorted(turns) == sorted(tea_shop(system))
    assert set(alignment.formats.values()) == {format}
    assert alignment.aside["repeated message"] == 2


@pytest.mark.parametrize("name", ["otlp_spans.jsonl", "otlp_events.jsonl"])
def test_messages_in_attributes_of_spans_and_of_records(name: str) -> None:
    """The second call of c2 has its history replaced by a summary, and c1 called a tool."""
    turns, alignment = align_files(FILES / name)
    more = [("work went on and on", "human"), ("i am sorry to hear that", "acme-2")]
    assert turns == [
        *tea_shop("acme-2"),
        *(
            ("c2", "user" if system == "human" else "assistant", system, text, number)
            for number, (text, system) in enumerate(more, start=1)
        ),
    ]
    assert alignment.aside == {
        "part that is not text": 3,  # a call of a tool, twice as history, and a thought
        "history summary": 1,
        "repeated message": 6,
    }


def test_messages_in_records_of_their_own() -> None:
    """They name no conversation, so that a trace is one; the model stands in the spans."""
    turns, _ = align_files(FILES / "otlp_messages")
    assert [turn[3:] for turn in turns] == [
        *[(OPEN, None), (SIX, 0)],
        *[(OPEN, None), (SIX, 0), (TEA, 1), (BOXES, 2)],
        *[(TIRED, None), (HARD, 0)],
    ]
    assert {turn[2] for turn in turns} == {"human", "acme-2"}
    logs, _ = align_files(FILES / "otlp_messages" / "logs.jsonl")
    assert {turn[2] for turn in logs} == {"human", "assistant"}


def test_a_folder_is_one_input_and_its_windows_overlap(tmp_path: Path) -> None:
    turns, alignment, _ = everything(FILES / "langfuse")
    assert alignment.aside["duplicate span"] == 1  # o3 ends one window and begins the next
    assert [t.answers for t in turns] == [None, 0, 1, 2, None, 0]
    (shutil.copytree(FILES / "langfuse", tmp_path / "mixed") / "notes.txt").write_text("a: b\n")
    _, alignment, _ = everything(tmp_path / "mixed", system="shop")
    assert len(alignment.formats) == 2  # with another file among them, each is an input


def test_who_when_and_which_call() -> None:
    source = Source.of(FILES / "langfuse")
    first, second = pick_reader(source).dialogs(source, Ledger())
    assert [row.interlocutor for row in first] == [None, "u1", None, "u1"]
    assert [row.id for row in first] == [None, "o2", None, "o4"]
    assert first[1].time == first[0].time + 4  # a call takes four seconds
    assert second[1].interlocutor == "u2"


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv"])
def test_langfuse_exports_in_other_forms(tmp_path: Path, suffix: str) -> None:
    rows = pl.DataFrame(records("langfuse"))
    path = tmp_path / f"observations.{suffix}"
    if suffix == "csv":
        rows.write_csv(path)
    else:
        write_file(path, rows.to_dicts())
    assert sorted(align_files(path)[0]) == sorted(tea_shop("acme-2"))


def test_langfuse_traces_alone(tmp_path: Path) -> None:
    trace = {
        "id": "t1",
        "timestamp": "2026-08-20 10:00:00.000000",
        "session_id": "s",
        "user_id": "u",
    }
    path = write_file(
        tmp_path / "t.jsonl", [trace | {"input": "hi", "output": {"answer": "hello"}}]
    )
    assert [t[3] for t in align_files(path)[0]] == ["hi", "hello"]


def test_observations_of_langfuse_itself_are_no_conversation(tmp_path: Path) -> None:
    rows = [row | {"environment": "langfuse-evaluation"} for row in records("langfuse")]
    path = write_file(tmp_path / "o.jsonl", [*records("langfuse")[:2], *rows[2:3]])
    turns, alignment = align_files(path)
    assert len(turns) == 2
    assert alignment.aside == {"observation of Langfuse itself": 1}


def span(number: int, sent: Any, said: Any, **attributes: Any) -> dict[str, Any]:
    """A span of conversation c with these messages."""
    own = {"gen_ai.conversation.id": "c", "gen_ai.input.messages": json.dumps(sent), **attributes}
    own["gen_ai.output.messages"] = json.dumps(said)
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in own.items()]
    ids = {"traceId": f"{number:032x}", "spanId": f"{number:016x}"}
    times = {"startTimeUnixNano": str(10**18 + number), "endTimeUnixNano": str(10**18 + number + 1)}
    spans = [{**ids, **times, "attributes": pairs}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def said(role: str, *parts: Any) -> list[dict[str, Any]]:
    """A message of OpenTelemetry's."""
    own = [{"type": "text", "content": p} if isinstance(p, str) else p for p in parts]
    return [{"role": role, "parts": own}]


def texts(tmp_path: Path, *spans: dict[str, Any]) -> list[str]:
    """What is read of these spans."""
    return [t[3] for t in align_files(write_file(tmp_path / "t.jsonl", [*spans]))[0]]


def test_parts_with_transcripts_and_both_names_of_a_tool_response(tmp_path: Path) -> None:
    blob = {"type": "blob", "modality": "audio", "content": "AAAA", "transcript": "spoken words"}
    picture = {"type": "blob", "modality": "image", "content": "AAAA"}
    tools = [
        *said("tool", {"type": "tool_call_response", "id": "1", "response": "12"}),
        *said("user", {"type": "tool_call_response", "id": "1", "result": "12"}),
    ]
    got = texts(
        tmp_path,
        span(1, said("user", blob), said("assistant", "I hear")),
        span(2, said("user", picture) + tools, said("assistant", "nice")),
    )
    assert got == ["spoken words", "I hear", "", "nice"]


def test_equal_messages_that_are_no_history(tmp_path: Path) -> None:
    """Spans without history: the second yes was said again."""
    yes = said("user", "yes")
    got = texts(tmp_path, *(span(n, yes, said("assistant", f"ok {n}")) for n in (1, 2)))
    assert got == ["yes", "ok 1", "yes", "ok 2"]


def test_a_history_that_was_cut_or_edited(tmp_path: Path) -> None:
    """Only its end is kept, or white space was changed, or the model's answer was shortened."""
    a, b, c = (said("user", text) for text in "abc")
    got = texts(
        tmp_path,
        span(1, a, said("assistant", "first  answer")),
        span(2, said("assistant", "first answer") + b, said("assistant", "second")),
        span(
            3,
            a + said("assistant", "first") + b + said("assistant", "sec…") + c,
            said("assistant", "third"),
        ),
    )
    assert got == ["a", "first  answer", "b", "second", "c", "third"]


def test_other_spans_are_no_conversation(tmp_path: Path) -> None:
    plain = {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "b"}]}]}]}
    metrics = {"resourceMetrics": [{}]}
    path = write_file(tmp_path / "t.jsonl", [plain, metrics, *records("otlp")])
    turns, alignment = align_files(path)
    assert turns == align_files(FILES / "otlp_spans.jsonl")[0]
    assert alignment.aside["batch of metrics"] == 1


def test_a_tool_and_the_agent_within_it_say_nothing() -> None:
    """The call that asks for the tool has no text; a model that the tool asks is no party."""
    turns, alignment = align_files(FILES / "otlp_agent.jsonl")
    assert [turn[2:4] for turn in turns] == [("human", TEA), ("acme-2", BOXES)]
    assert alignment.aside["tool or retriever"] == alignment.aside["nested call"] == 1


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        ("langfuse", {"type": "TOOL"}),
        ("langsmith", {"run_type": "retriever"}),
        ("phoenix", {"span_kind": "EVALUATOR", "attributes.openinference.span.kind": "EVALUATOR"}),
        ("mlflow", {"mlflow.spanType": '"RERANKER"'}),
    ],
)
def test_steps_that_are_no_conversation(tmp_path: Path, format: str, kind: dict[str, str]) -> None:
    """The only call of c2, or what is around it, is made one of those steps."""
    rows = records(format)
    if format == "langfuse":
        rows = [{k: v for k, v in row.items() if v is not None} for row in rows[:-2] + rows[-1:]]
    before, _ = align_files(write_file(tmp_path / "t.jsonl", rows))
    row = next(r for r in rows if TIRED in json.dumps(r) and not r.get("parent_run_id"))
    if format == "mlflow":
        (row,) = (s["attributes"] for s in row["data"]["spans"] if not s["parent_span_id"])
    row |= kind
    turns, alignment = align_files(write_file(tmp_path / "t.jsonl", rows))
    assert alignment.aside["tool or retriever"] == 1
    assert [t[0] for t in turns] == ["c1"] * 4
    assert len(before) == 6


def test_runs_whose_parents_stand_in_their_dotted_order_alone(tmp_path: Path) -> None:
    """Where the run around a call has its texts too, the call counts as nested."""
    rows = [{k: v for k, v in row.items() if "parent" not in k} for row in records("langsmith")]
    for row in rows:
        if "." not in row["dotted_order"] and TIRED in json.dumps(row):
            row |= {"inputs": {"question": TIRED}, "outputs": {"answer": HARD}}
    turns, alignment = align_files(write_file(tmp_path / "t.jsonl", rows))
    assert turns == align_files(FILES / "langsmith_runs.jsonl")[0]
    assert alignment.aside["nested call"] == 1


def test_messages_in_events_of_a_span(tmp_path: Path) -> None:
    """Earlier versions have the attributes of a span in events of it."""
    row = span(1, said("user", "hi"), said("assistant", "hello"))
    one = row["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    events = [[a for a in one["attributes"] if side in a["key"]] for side in ("input", "output")]
    one["attributes"] = one["attributes"][:1]
    names = ("gen_ai.content.prompt", "gen_ai.content.completion")
    one["events"] = [
        {"name": name, "attributes": own} for name, own in zip(names, events, strict=True)
    ]
    assert texts(tmp_path, row) == ["hi", "hello"]
    one["events"] = [
        {"name": "gen_ai.client.inference.operation.details", "attributes": events[0] + events[1]}
    ]
    assert texts(tmp_path, row) == ["hi", "hello"]


def test_a_bad_span_costs_no_other_of_its_line(tmp_path: Path) -> None:
    batch = records("otlp")[0]
    spans = batch["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans.insert(0, {"traceId": 5})
    path = write_file(tmp_path / "t.jsonl", [batch])
    turns, _, rejects = everything(path, on_error="skip")
    assert [t.text for t in turns] == [OPEN, SIX]
    assert rejects[0].reason == "'traceId' must be text, not a whole number"
    assert path.read_bytes()[rejects[0].place.byte :].startswith(b'{"traceId": 5}')
