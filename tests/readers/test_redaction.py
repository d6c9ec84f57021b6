"""Placeholders in all that people wrote, before anything is scored."""

import json

import polars as pl

from simpatico import Conversations, Run, load, score_run
from tests.command_line import simpatico

ROWS = [
    {
        "dialog": "d1",
        "speaker": "ann@example.org",
        "system": "human",
        "text": "I am ann@example.org, call 030 1234 5678",
        "references": ["ask ann@example.org", "none"],
        "prompt": "10.0.0.1 asks",
        "profile": "lives at ann@example.org",
        "account": "DE89370400440532013000",
        "visits": 3,
        "line": 5551234567,
        "metadata": {"from": "fe80::1"},
    },
    {"dialog": "d1", "speaker": "acme", "system": "acme", "text": "4111 1111 1111 1111? Fine."},
    {"dialog": "d2", "speaker": "acme", "system": "acme", "text": "Nothing to hide in 2026."},
]


def write(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_texts_references_prompts_profiles_and_other_columns_are_redacted(tmp_path):
    (chunk,) = Conversations((write(tmp_path),), redact=True).chunks()
    first, second, third = chunk.turns.frame.to_dicts()
    assert first["text"] == "I am [email], call [phone]"
    assert first["references"] == ["ask [email]", "none"]
    assert first["prompt"] == "[ip] asks"
    assert first["profile"] == "lives at [email]"
    extras = json.loads(first["extras"])
    assert extras == {
        "account": "[iban]",
        "visits": 3,
        "line": "[phone]",
        "metadata": {"from": "[ip]"},
    }
    assert second["text"] == "[card]? Fine."
    assert third["text"] == ROWS[2]["text"]
    assert first["speaker"] == "ann@example.org"  # two names must not become one
    assert chunk.alignment.redacted == {"email": 3, "phone": 2, "iban": 1, "ip": 2, "card": 1}


def test_without_the_option_nothing_changes(tmp_path):
    (chunk,) = Conversations((write(tmp_path),)).chunks()
    assert chunk.turns.frame["text"].to_list() == [row["text"] for row in ROWS]
    assert chunk.alignment.redacted == {}


def test_the_run_says_what_was_redacted_and_refuses_to_mix(tmp_path):
    path, out = write(tmp_path), tmp_path / "run"
    call = ["score", path, "--metrics", "length", "--out", out]
    done = simpatico(*call, "--redact")
    assert done.returncode == 0
    sentence = (
        "Redacted: email (3), ip (2), phone (2), card (1), iban (1); by pattern, which is not "
        "anonymisation."
    )
    assert sentence in done.stderr.splitlines()
    assert sentence in simpatico("score", path, "--redact", "--plan").stdout.splitlines()
    facts = Run(out).facts
    assert facts["options"]["redact"] is True
    assert facts["alignment"]["redacted"] == {"card": 1, "email": 3, "iban": 1, "ip": 2, "phone": 2}
    other = simpatico(*call)
    assert (other.returncode, other.stderr) == (
        2,
        f"simpatico: {out} holds a run of other input, metrics, options or version; choose another "
        "folder or delete this one\n",
    )
    page = tmp_path / "page.html"
    assert simpatico("report", out, "--out", page).returncode == 0
    html = page.read_text(encoding="utf-8")
    assert "3 email, 2 ip, 2 phone, 1 card, 1 iban; by pattern, not anonymisation" in html
    assert "--redact" in html


def test_placeholders_do_not_depend_on_the_size_of_chunks(tmp_path):
    path = write(tmp_path)
    runs = [
        score_run(
            Conversations((path,), redact=True), [load("length")], tmp_path / f"r{n}", chunk=n
        )
        for n in (1, 100)
    ]
    one, other = (pl.read_parquet(run.folder / "text.parquet") for run in runs)
    assert one.equals(other)
    assert runs[0].facts["alignment"] == runs[1].facts["alignment"]


def test_that_nothing_was_found_is_said(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_text(json.dumps(ROWS[2]) + "\n", encoding="utf-8")
    done = simpatico("score", path, "--redact", "--plan")
    assert "Redacted: nothing, as no pattern of --redact was found." in done.stdout.splitlines()
