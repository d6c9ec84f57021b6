"""Answers in traces: the ids of their spans, and graphs that give back their whole state."""

import simpatico
from tests.readers.files import align_files, write_file

TALK = [("Hello there", "Hi, how are you?"), ("I lost my dog", "Oh no!")]


def runs():
    """Two runs of one thread; each is sent the history and gives it back with the answer."""
    history, rows = [], []
    for number, (said, answer) in enumerate(TALK):
        history.append({"role": "user", "content": said})
        inputs = {"messages": [*history]}
        history.append({"role": "assistant", "content": answer})
        ids = {"id": f"r{number}", "trace_id": f"r{number}", "name": "graph", "run_type": "chain"}
        times = {f"{end}_time": f"2026-01-02T03:0{number}:0{n}Z" for n, end in enumerate(["start", "end"])}  # fmt: skip
        extra = {"extra": {"metadata": {"thread_id": "c1"}}}
        rows.append(
            {**ids, **times, **extra, "inputs": inputs, "outputs": {"messages": [*history]}}
        )
    return rows


def test_a_state_that_is_given_back_counts_once(tmp_path):
    turns, alignment = align_files(write_file(tmp_path / "runs.jsonl", runs()))
    assert [(speaker, text) for _, speaker, _, text, _ in turns] == [
        (speaker, text)
        for exchange in TALK
        for speaker, text in zip(("user", "assistant"), exchange, strict=True)
    ]
    assert alignment.aside["repeated message"] == 2 + 1 + 3


def test_an_answer_keeps_the_id_of_its_run(tmp_path):
    path = write_file(tmp_path / "runs.jsonl", runs())
    metrics = [simpatico.load("length")]
    run = simpatico.score_run(simpatico.Conversations((path,)), metrics, tmp_path / "run")
    assert run.at("turn")["source_id"].to_list() == [None, "r0", None, "r1"]
    assert run.facts["columns"] == ["source_id", "time"]
