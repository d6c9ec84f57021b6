"""A chat given where another file is expected: sentences say where and what, never what it says."""

import json
from itertools import product

import polars as pl
import pytest

from simpatico.readers.detect import format_names
from tests.command_line import simpatico

SECRET = "zQ9canary"
TURNS = [
    (f"{SECRET}-{i // 3}", ("ann", "bot")[i % 2], f"my password is {SECRET}{i}") for i in range(9)
]
FIELDS = ("dialog", "speaker", "text")


def delimited(mark, *header):
    return "".join(f"{mark.join(row)}\n" for row in [*header, *TURNS])


CHATS = {
    "table.csv": delimited(",", FIELDS),
    "ragged.csv": delimited(",", FIELDS) + f"{SECRET},ann,{SECRET},{SECRET}\n{SECRET}\n",
    "bare.csv": delimited(","),
    "table.tsv": delimited("\t", FIELDS),
    "bare.tsv": delimited("\t"),
    "bare.dic": delimited("\t", ("%",)),
    "lines.jsonl": "".join(json.dumps(dict(zip(FIELDS, row, strict=True))) + "\n" for row in TURNS),
    "chat.json": json.dumps(
        [{"messages": [{"role": "user", "content": text} for *_, text in TURNS]}]
    ),
    "words.txt": "\n".join(text for *_, text in TURNS),
    "half.dicx": f"DicTerm,{SECRET}\nhello,{SECRET}\n",
    "three.csv": f"{SECRET},a,1\n{SECRET} b,c,{SECRET}\n",
    "labels.csv": "".join(f"{text},{name},{i}\n" for i, (name, _, text) in enumerate(TURNS)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The chats, a conversation that is fine, and its run."""
    folder = tmp_path_factory.mktemp("chats")
    for name, content in CHATS.items():
        (folder / name).write_text(content)
    pl.DataFrame(TURNS, FIELDS, orient="row").write_parquet(folder / "table.parquet")
    rows = [
        {"dialog": f"d{i // 4}", "speaker": "xy"[i % 2], "text": "we like tea"} for i in range(8)
    ]
    (folder / "good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = simpatico("score", folder / "good.jsonl", "--metrics", "length", "--out", folder / "run")
    assert done.returncode == 0
    return folder


OUT = ("--out", "{}/never")
LENGTH = ("--metrics", "length")
CALLS = [
    ("score", "{}/good.jsonl", "--metrics", "emotional_entropy", "--lexicon", "{chat}", *OUT),
    ("score", "{}/good.jsonl", "--metrics", "style_matching", "--set", "style_matching.lexicon={chat}", *OUT),
    ("score", "{}/good.jsonl", *LENGTH, "--scores", "{chat}", *OUT),
    ("score", "{chat}", *LENGTH, *OUT),
    ("score", "{chat}", *LENGTH, "--columns", "dialog=nowhere", *OUT),
    ("score", "{chat}", *LENGTH, "--columns", "text=nowhere", *OUT),
    *(("score", "{chat}", *LENGTH, "--format", name, *OUT) for name in format_names() if name != "table"),
    *((command, "{}/run", "--judgements", "{chat}", *more)
      for command in ("validate", "compare", "report")
      for more in ((), ("--columns", "value=nowhere"))),
    ("validate", "{chat}", "--judgements", "{}/good.jsonl"),
    ("gate", "{}/run", "--baseline", "{chat}"),
    ("show", "{chat}"),
]  # fmt: skip


QUICK = 6
"""Files of `make test`; the others are forms of the same readers."""


@pytest.mark.parametrize(
    "chat",
    [
        *[*CHATS][:QUICK],
        *(pytest.param(name, marks=pytest.mark.slow) for name in [*CHATS][QUICK:]),
        "table.parquet",
    ],
)
def test_no_call_repeats_what_a_file_says(folder, chat):
    path = folder / chat
    for call, on_error in product(CALLS, ("fail", "skip")):
        arguments = [part.replace("{chat}", str(path)).replace("{}", str(folder)) for part in call]
        if call[0] == "score":
            arguments += ["--on-error", on_error]
        elif on_error == "skip":
            continue
        done = simpatico(*arguments, cwd=folder)
        assert SECRET not in done.stdout + done.stderr, arguments
        assert "Traceback" not in done.stderr
        for run in folder.glob("never*"):
            for file in sorted(run.rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
            run.rmdir()
