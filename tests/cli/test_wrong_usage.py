"""What people get wrong with inputs of `score` and `validate`: one sentence with the way out.

Each line was tried by hand; none leaves a file or folder behind.
"""

import json

import pytest

from tests.command_line import simpatico

RATINGS = "dialog,thumb\nd0,1\nd1,0\n"
FORMATS = (
    "arena, chatgpt, convai2017, convokit, deepeval, dstc10-dev, dstc10-test, dstc7, duo, fed, "
)
FORMATS += (
    "hazumi, humod, inspect, irc, ji2022, langfuse, langsmith, mlflow, openai, otlp, parlai, "
)
FORMATS += "phoenix, prism, promptfoo, real-persona-chat, sdialog, sharegpt, table"
SPEAKER = "speaker_id, role, sender, from, user, user_id, speaker_idx, author"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with chats, ratings, notes and a run."""
    folder = tmp_path_factory.mktemp("wrong")
    rows = [
        {"dialog": f"d{i}", "speaker": s, "text": "well then " * (i + 1), "segment": "new"}
        for i in range(4)
        for s in ("user", "bot")
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "empty").mkdir()
    (folder / "ratings.csv").write_text(RATINGS)
    (folder / "words.csv").write_text("dialog,comment\nd0,nice\n")
    (folder / "others.csv").write_text("dialog,thumb\nx,1\n")
    (folder / "notes.md").write_text("# notes\n")
    done = simpatico("score", "a.jsonl", "--metrics", "length", "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


USAGES = {
    "score no.jsonl --out w": "no.jsonl: no such file; check the path",
    "score notes.md --out w": (
        f"notes.md:1: unrecognised input format; choose one with --format: {FORMATS}"
    ),
    "score empty --out w": (
        "empty: no file in this folder holds conversations; name the files, or their format with "
        "--format"
    ),
    "score ratings.csv --out w": (
        f"ratings.csv:1: there is no column 'speaker'; it may also be called {SPEAKER}, or say "
        "which it is with --columns speaker=NAME"
    ),
    "score a.jsonl --out w --format tabel": "no format 'tabel'; did you mean 'table'?",
    "score a.jsonl a.jsonl --out w": "a.jsonl: the same input is given twice; give it once",
    "score a.jsonl --metrics length": "Missing --out (or --plan for a dry run).",
    "score a.jsonl --metrics length --out notes.md": ("notes.md is a file; name a folder"),
    "score a.jsonl --metrics length --out .": (
        ". holds files that do not belong to a run; choose an empty folder"
    ),
    "score a.jsonl --metrics length --out run --no-merge": (
        "run holds a run of other input, metrics, options or version; choose another folder or "
        "delete this one"
    ),
    "score a.jsonl --out w --metrics ,": (
        "Invalid value for '--metrics': it is empty; give names, or leave the option out."
    ),
    "score a.jsonl --out w --metrics lenght": "no metric 'lenght'; did you mean 'length'?",
    "score a.jsonl --out w --metrics mine.py:Mine": (
        "no file 'mine.py'; --metrics takes FILE.py:CLASS or a metric's name"
    ),
    "score a.jsonl --out w --metrics length --set length.x=1": (
        "length has no parameter 'x'; it has none"
    ),
    "score a.jsonl --out w --metrics length --columns dialog": (
        "Invalid value for '--columns': 'dialog' is not of the form FIELD=NAME,FIELD=NAME"
    ),
    "score a.jsonl --out w --metrics length --columns dialog=session": (
        "--columns dialog=session: a.jsonl has no column 'session'; there are dialog, speaker, "
        "text, segment"
    ),
    "score a.jsonl --out w --metrics length --scores no.csv": (
        "no scores at 'no.csv'; check the path"
    ),
    "score a.jsonl --out w --metrics length --scores others.csv": (
        "none of the 1 rows of others.csv is about a dialog of the input; dialog ids must be the "
        "same ('x' has scores, 'd0' was read)"
    ),
    "score a.jsonl --out w --metrics emotional_entropy --lexicon no.dicx": (
        "no lexicon 'no.dicx': give a file's path or one of ['emotions', 'function_words']"
    ),
    "validate run": "Missing --judgements FILE, or --controls.",
    "validate run --judgements no.csv": "no.csv: no such file; check the path",
    "validate run --judgements words.csv": (
        "words.csv:1: no column of ratings; give columns dialog, quality and value, or dialog and "
        "one column of numbers for each quality"
    ),
    "validate run --judgements others.csv": (
        "none of the 1 rated units has a score in run; dialog ids must be the same ('x' was "
        "judged, 'd0' was scored), and ratings must name the speaker where several speak for a "
        "system"
    ),
    "validate run --judgements ratings.csv --quality warmth": (
        "no ratings of quality 'warmth'; there are thumb"
    ),
    "validate run --judgements ratings.csv --columns dialog=chat": (
        "--columns dialog=chat: ratings.csv has no column 'chat'; there are dialog, thumb"
    ),
    "show run --by segmnt": "--by segmnt: no such column in run; did you mean 'segment'?",
    "show run --by week": "--by week: no such column in run; the input has no times",
}


@pytest.mark.parametrize("line", USAGES)
def test_a_wrong_usage_gets_one_sentence_and_leaves_nothing(line, place):
    before = {p: p.stat().st_mtime_ns for p in place.rglob("*")}
    done = simpatico(*line.split(), cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simpatico: {USAGES[line]}\n"
    assert {p: p.stat().st_mtime_ns for p in place.rglob("*")} == before
