"""What all annotation tools share: damaged exports, tables that only look like one, names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simpatico.errors import SimpaticoError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.readers.input.record import Ledger
from simpatico.readers.judgement_files import read_judgements
from simpatico.readers.judgement_formats._answers import as_object
from tests.conftest import ROOT
from tests.readers.judgement_formats.exports import (
    FILES,
    as_export,
    read_export,
    refusal,
    write_lines,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
RECORDS = {
    "label-studio": json.loads((FILES / "label_studio.json").read_text()),
    "argilla": json.loads((FILES / "argilla.json").read_text()),
    "phoenix": json.loads((FILES / "phoenix_api.json").read_text()),
    **{
        tool: [json.loads(line) for line in (FILES / name).read_text().splitlines()]
        for tool, name in {
            "potato": "potato.jsonl",
            "langsmith": "langsmith.jsonl",
            "langfuse": "langfuse_scores/2026-09-01T11-00-00.jsonl",
        }.items()
    },
}


def paths_into(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within a value."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (*path, key)
            yield from paths_into(value[key], (*path, key))


PLACES = [(tool, path) for tool, records in RECORDS.items() for path in paths_into(records)]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=JSON)
def test_a_damaged_export_is_read_or_refused(
    tmp_path: Path, place: tuple[str, tuple[Any, ...]], value: Any
) -> None:
    """One value is replaced by any other: what is raised, if anything, is an error of ours."""
    tool, (*way, last) = place
    records = deepcopy(RECORDS[tool])
    inner = records
    for key in way:
        inner = inner[key]
    inner[last] = value
    path = tmp_path / "export.json"
    path.write_text(json.dumps(records))
    for ledger in (Ledger(), Ledger("skip")):
        with suppress(SimpaticoError):
            read_judgements(path, format=tool, ledger=ledger)


@pytest.mark.parametrize("tool", RECORDS)
def test_every_tool_gives_the_table_that_was_written(tmp_path: Path, tool: str) -> None:
    """Judge j gives turn t of dialog d the value d + 10 t + j."""
    units = [(d, t, j) for d in range(3) for t in (1, 3) for j in range(2)]
    table = Judgements.of(
        Judgement(f"d{d}", t, "bot", "q", f"j{j}", "outsider", d + 10 * t + j) for d, t, j in units
    )
    path = tmp_path / "export.json"
    path.write_text(json.dumps(as_export(tool, table.frame.to_dicts())))
    ratings = read_judgements(path)
    assert ratings.frame.equals(table.frame)
    assert ratings.notes[0].endswith(
        ": dialog from 'dialog', turn from 'turn', speaker from 'speaker'"
    )


def test_a_name_that_is_a_list_is_rejected(tmp_path: Path) -> None:
    row = {"run_id": ["r"], "key": "q", "score": 1, "feedback_source": {"type": "app"}}
    assert refusal(write_lines(tmp_path / "f.jsonl", row)) == (
        "1: the names of the question, the item and the judge must be text or numbers"
    )


@pytest.mark.parametrize(
    "text", ["{" * 9000, "{" + "-" * 9000 + "1}", "{[]}", "{1: f()}", "{'a': 1"]
)
def test_a_text_that_is_no_object_is_none(text: str) -> None:
    assert as_object(text) == {}


def test_a_table_stays_a_table(tmp_path: Path) -> None:
    """One in long form may have a tool's columns; --columns makes one of feedback."""
    path = tmp_path / "t.csv"
    path.write_text("dialog,quality,value,instance_id,user_id,x.y\nd1,q,3,i,u,\n")
    assert read_export(path) == ([("d1", None, "q", None, None, 3.0)], [])
    path.write_text("run_id,key,score\nr1,q,3\n")
    columns = {"dialog": "run_id", "quality": "key", "value": "score"}
    assert read_export(path, columns=columns) == ([("r1", None, "q", None, None, 3.0)], [])
    path.write_text("dialog,instance_id,user_id,warmth\nd1,i,u,3\n")
    assert read_export(path)[0] == [("d1", None, "warmth", None, None, 3.0)]


def test_the_later_answer_counts_wherever_it_stands(tmp_path: Path) -> None:
    by = {"feedback_source": {"type": "app", "user_id": "u"}}
    rows = [
        {"run_id": "r", "key": "q", "score": score, "modified_at": time, **by}
        for score, time in ((5, "2026-09-02T00:00:00Z"), (1, "2026-09-01T00:00:00Z"))
    ]
    path = write_lines(tmp_path / "f.jsonl", *rows)
    assert read_export(path)[0] == [("r", None, "q", "u", "outsider", 5.0)]


def test_judges_without_names_are_several(tmp_path: Path) -> None:
    row = {"run_id": "r", "key": "q", "score": 1, "feedback_source": {"type": "app"}}
    path = write_lines(tmp_path / "f.jsonl", row, row)
    assert [judge for _, _, _, judge, _, _ in read_export(path)[0]] == ["1", "2"]


EXAMPLES = re.findall(
    r"^```(json|csv)\n(.*?)^```$",
    (ROOT / "docs/judgements.md").read_text(),
    re.DOTALL | re.MULTILINE,
)


@pytest.mark.parametrize(("suffix", "text"), EXAMPLES)
def test_the_examples_of_the_document(tmp_path: Path, suffix: str, text: str) -> None:
    """Each holds one rating, 4, of dialog d1; that of Langfuse is about the whole dialog."""
    path = tmp_path / f"example.{suffix}"
    path.write_text(text)
    ((dialog, turn, quality, _, kind, value),) = read_export(path)[0]
    assert (dialog, quality, kind, value) == ("d1", "warmth", "outsider", 4.0)
    assert turn == (None if "session_id" in text else 3)


def test_a_tool_can_be_named() -> None:
    assert read_export(FILES / "argilla.json", format="argilla")[0]
    with pytest.raises(UnknownName) as error:
        read_judgements(FILES / "argilla.json", format="argila")
    assert str(error.value) == "no format 'argila'; did you mean 'argilla'?"
