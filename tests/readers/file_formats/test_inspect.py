"""Inspect logs."""

from pathlib import Path

from simpatico.readers.result_files import read_results
from tests.readers.files import align_files, everything, write_file

LOG = {
    "version": 2,
    "status": "success",
    "eval": {"task": "empathy", "model": "openai/gpt-x"},
    "samples": [
        {
            "id": 1,
            "epoch": epoch,
            "input": "hi",
            "messages": [
                {"id": "m0", "role": "system", "content": "be kind"},
                {"id": "m1", "role": "user", "content": "hi", "source": "input"},
                {
                    "id": "m2",
                    "role": "assistant",
                    "content": [
                        {"type": "reasoning", "reasoning": "hm"},
                        {"type": "text", "text": f"hello {epoch}"},
                    ],
                },
            ],
            "scores": {"match": {"value": "C"}},
        }
        for epoch in (1, 2)
    ],
}


def test_every_sample_and_epoch_is_a_dialog(tmp_path: Path) -> None:
    turns, alignment = align_files(write_file(tmp_path / "log.json", LOG))
    assert turns == [
        ("1:1", "user", "human", "hi", None),
        ("1:1", "assistant", "openai/gpt-x", "hello 1", 0),
        ("1:2", "user", "human", "hi", None),
        ("1:2", "assistant", "openai/gpt-x", "hello 2", 0),
    ]
    assert alignment.aside == {"system message": 2, "part that is not text": 2}
    assert set(alignment.formats.values()) == {"inspect"}


def test_a_sample_that_was_declared_invalid_is_left_out(tmp_path: Path) -> None:
    samples = [LOG["samples"][0], LOG["samples"][1] | {"invalidation": {"reason": "broken tool"}}]
    path = write_file(tmp_path / "log.json", LOG | {"samples": samples})
    turns, alignment = align_files(path)
    assert {t[0] for t in turns} == {"1:1"}
    assert alignment.aside["invalidated sample"] == 1
    assert read_results(path).frame.select("dialog", "match").rows() == [
        ("1:1", 1.0),
        ("1:2", None),
    ]


def test_a_bad_sample_has_its_place(tmp_path: Path) -> None:
    bad = {"id": 2, "messages": [{"role": "user", "content": 5}]}
    path = write_file(tmp_path / "log.json", LOG | {"samples": [*LOG["samples"], bad]})
    turns, _, rejects = everything(path, on_error="skip")
    assert len(turns) == 4
    data = path.read_bytes()
    assert data[rejects[0].place.byte :].startswith(b'{\n   "id": 2')
    assert rejects[0].place.line == data[: rejects[0].place.byte].count(b"\n") + 1
    assert (
        rejects[0].reason
        == "'messages[0].content' must be text or a list or null, not a whole number"
    )
