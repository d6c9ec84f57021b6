"""`simpatico trial` on heads over four words: tea and dog are emotional and negative, do is emotional
and positive, rain is neutral (the numbers are those of `test_emotional_consistency`)."""

import json
import os

import pytest

from simpatico import load, read_prompts
from simpatico.bots.script import load_script
from simpatico.errors import DataError
from simpatico.metric import missing_resource
from simpatico.models.names import why_missing
from simpatico.trial import (
    answer_files,
    judge_prompts,
    keep_emotional,
    with_unique_names,
    write_prompts,
)
from tests.conftest import ROOT
from tests.metrics.test_emotional_consistency import METRIC, MODELS

SET = [f"--set=emotional_consistency.{field}={model}" for field, model in MODELS.items()]
TEXTS = ["tea", "rain", "dog", "do", "tea tea", "чай", "dog dog", "...", "do do", "tea dog"]
EMOTIONAL = ["tea", "dog", "do", "tea tea", "dog dog", "do do", "tea dog"]


@pytest.fixture
def prompts(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


def answers(path, **replies):
    """A script of answers; to a prompt that it lacks it has none."""
    pairs = [{"prompt": prompt, "answer": answer} for prompt, answer in replies.items()]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    return f"script:{path}"


@pytest.fixture
def cheer(tmp_path):
    """A bot that answers everything with do, which is cheerful."""
    return answers(tmp_path / "cheer.jsonl", **dict.fromkeys(EMOTIONAL, "do"))


def test_only_emotional_prompts_are_kept_with_their_chance(prompts, tmp_path):
    candidates = judge_prompts(read_prompts(prompts), METRIC)
    assert [one.probability is None for one in candidates] == [
        text in ("чай", "...") for text in TEXTS
    ]
    emotional = keep_emotional(candidates, METRIC)
    assert [one.prompt.dialog[-1].text for one in emotional] == EMOTIONAL
    write_prompts(tmp_path / "kept.jsonl", emotional)
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "dialog": "p:1",
        "speaker": "user",
        "text": "tea",
        "emotional": pytest.approx(0.982014, abs=1e-6),
    }
    assert read_prompts(tmp_path / "kept.jsonl") == [one.prompt for one in emotional]


def test_longer_prompts_can_be_read_again(tmp_path):
    talk = [("assistant", "do"), ("user", "tea"), ("assistant", "rain"), ("user", "dog")]
    rows = [{"dialog": "a", "speaker": who, "text": text} for who, text in talk]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    candidates = judge_prompts(read_prompts(path), METRIC)
    assert [turn.role for turn in candidates[0].prompt.dialog] == [who for who, _ in talk]
    write_prompts(tmp_path / "kept.jsonl", candidates)
    assert read_prompts(tmp_path / "kept.jsonl") == [one.prompt for one in candidates]


def test_where_none_is_emotional_it_says_how_near_they_came(tmp_path):
    path = tmp_path / "p.txt"
    for text, so in [
        ("rain\n...", "probability at most 0.27"),
        ("...", "no text to classify"),
    ]:
        path.write_text(text + "\n")
        candidates = judge_prompts(read_prompts(path), METRIC)
        with pytest.raises(DataError) as error:
            keep_emotional(candidates, METRIC)
        assert str(error.value) == (
            f"none of {len(candidates)} prompts is emotional ({so}, where 0.5 is needed); --all-prompts "
            "includes them"
        )


def test_bots_of_one_name_are_told_apart(tmp_path):
    bots = with_unique_names(
        [load_script("echo"), load_script("generic"), load_script("echo"), load_script("echo")]
    )
    assert [bot.name for bot in bots] == ["echo", "generic", "echo-2", "echo-3"]


def test_files_have_names_that_a_folder_can_hold(tmp_path):
    from simpatico.bots.bot import RenamedBot

    names = ["../a b", "a/b", "..", "x" * 300, "ö"]
    bots = [RenamedBot(load_script("echo"), name) for name in names]
    paths = [path.relative_to(tmp_path).as_posix() for path in answer_files(tmp_path, bots)]
    expected = ["a-b", "a-b-2", "bot", "x" * 60, "bot-2"]
    assert paths == [f"answers/{name}.jsonl" for name in expected]


def run(call, prompts, out, *more):
    return call("trial", "--prompts", prompts, "--out", out, *SET, *more)


def test_two_bots_from_prompts_to_a_page(call, prompts, cheer, tmp_path):
    """echo answers in kind: 7 times 1 point. cheer is right for do and "do do": 2 of 7."""
    out = tmp_path / "trial"
    line = ["--bot", "script:echo", "--bot", cheer, "--metrics", "length"]
    code, output, err = run(call, prompts, out, *line)
    assert code == 0, err
    assert f"7 of 10 prompts are emotional; saved in {out}/prompts.jsonl\n" in err
    assert "7 prompts answered by echo, 0 failed; " in err
    assert "7 prompts answered by cheer, 0 failed; " in err
    assert "emotional_consistency[" in output
    assert "cheer vs. echo" in output or "echo vs. cheer" in output
    assert output.splitlines()[-1] == f"report to open in a browser: {out}/report.html"
    assert "matches the user's sentiment" in (out / "report.html").read_text()
    code, output, _ = call("show", out / "run", "--format", "json")
    rows = {row["system"]: row for row in json.loads(output)}
    means = {system: row[METRIC.name] for system, row in rows.items()}
    assert means == {"echo": 1.0, "cheer": pytest.approx(2 / 7)}
    assert {row[f"{METRIC.name}_n"] for row in rows.values()} == {7}
    assert rows["cheer"]["length"] == 1.0


def test_a_trial_is_for_its_owner_alone(call, prompts, cheer, tmp_path):
    before = os.umask(0)
    try:
        assert run(call, prompts, tmp_path / "t", "--bot", cheer)[0] == 0
    finally:
        os.umask(before)
    for path in [tmp_path / "t", *(tmp_path / "t").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_the_same_call_asks_nothing_again_and_gives_the_same(call, prompts, cheer, tmp_path):
    out = tmp_path / "trial"
    line = ["--bot", "script:echo", "--bot", cheer]
    _, before, _ = run(call, prompts, out, *line)
    files = ["prompts.jsonl", "answers/echo.jsonl", "run/turn.parquet", "report.html"]
    bytes_before = [(out / file).read_bytes() for file in files]
    code, again, err = run(call, prompts, out, *line)
    assert (code, again) == (0, before)
    assert err.count("Nothing to do: everything was finished before.") == 2
    assert [(out / file).read_bytes() for file in files] == bytes_before


def test_another_bot_joins_later(call, prompts, cheer, tmp_path):
    out = tmp_path / "trial"
    code, output, err = run(call, prompts, out, "--bot", "script:echo")
    assert code == 0, err
    assert " vs. " not in output
    code, output, err = run(call, prompts, out, "--bot", "script:echo", "--bot", cheer, "--json")
    assert code == 0, err
    data = json.loads(output)
    assert (data["prompts"], data["kept"]) == (10, 7)
    assert [(bot["system"], bot["answers"], bot["before"]) for bot in data["bots"]] == [
        ("echo", 7, 7),
        ("cheer", 7, 0),
    ]
    assert {row["system"] for row in data["systems"]} == {"echo", "cheer"}
    (one,) = data["differences"]
    assert (one["score"], one["n_a"]) == (METRIC.name, 7)


def test_failures_are_kept_and_a_bot_without_an_answer_is_left_out(call, prompts, tmp_path):
    partial = answers(tmp_path / "some.jsonl", tea="tea", dog="do")
    none = answers(tmp_path / "none.jsonl", x="y")
    line = ["--bot", partial, "--bot", none, "--bot", "script:echo", "--json"]
    code, output, err = run(call, prompts, tmp_path / "trial", *line)
    assert code == 0, err
    data = json.loads(output)
    assert [(bot["answers"], bot["failed"]) for bot in data["bots"]] == [(2, 5), (0, 7), (7, 0)]
    rows = {row["system"]: row for row in data["systems"]}
    assert {system: row[METRIC.name] for system, row in rows.items()} == {"some": 0.5, "echo": 1.0}
    code, _, err = run(call, prompts, tmp_path / "other", "--bot", none)
    assert code == 2
    assert err.splitlines()[-1] == (
        "simpatico: no prompt was answered (not in the script); "
        f"{tmp_path / 'other'}/answers has the reason for each"
    )


def test_all_prompts_are_asked_if_told_so(call, prompts, tmp_path):
    line = ["--bot", "script:echo", "--system", "mine", "--all-prompts", "--json"]
    code, output, err = run(call, prompts, tmp_path / "trial", *line)
    assert code == 0, err
    assert "10 of 10 prompts are used; " in err
    (row,) = json.loads(output)["systems"]
    assert (row["system"], row["dialogs"], row[f"{METRIC.name}_n"]) == ("mine", 10, 7)


def test_what_is_wrong_is_one_line(call, prompts, tmp_path):
    code, _, err = run(
        call, prompts, tmp_path / "t", "--bot", "script:echo", "--system=a", "--system=b"
    )
    assert (code, err) == (2, "simpatico: give --system once for each --bot, or not at all\n")
    code, _, err = run(call, prompts, prompts, "--bot", "script:echo")
    assert (code, err) == (2, f"simpatico: --out {prompts} is a file; name a folder\n")
    line = ["--bot", "script:echo", "--set", "emotional_consistency.polarity_model=path:/no"]
    code, _, err = run(call, prompts, tmp_path / "t", *line)
    assert code == 2
    assert (
        err
        == f"simpatico: {load('emotional_consistency', **MODELS | {'polarity_model': 'path:/no'}).missing}\n"
    )
    assert not (tmp_path / "t").exists()


def test_the_run_folder_of_something_else_is_left_alone(call, prompts, tmp_path):
    out = tmp_path / "trial"
    (out / "run").mkdir(parents=True)
    (out / "run" / "mine.txt").write_text("keep")
    code, _, err = run(call, prompts, out, "--bot", "script:echo")
    assert (code, err) == (
        2,
        f"simpatico: --out {out} holds 'run', which no trial wrote there; name another folder, or "
        "add --force to write into this one\n",
    )
    assert [path.name for path in out.iterdir()] == ["run"]
    code, _, err = run(call, prompts, out, "--bot", "script:echo", "--force")
    assert (code, err) == (
        2,
        f"simpatico: {out}/run is not the run of a trial; move it away or delete it\n",
    )
    assert (out / "run" / "mine.txt").read_text() == "keep"
    (out / "run").rename(out / "mine")
    assert run(call, prompts, out, "--bot", "script:echo", "--force")[0] == 0
    assert run(call, prompts, out, "--bot", "script:echo")[0] == 0, "it is a trial's now"
    assert (out / "mine" / "mine.txt").read_text() == "keep"


@pytest.mark.slow
def test_a_real_bot_on_fifty_emotional_prompts(call, tmp_path):
    """SmolLM2, greedy, beside answers that fit everything; our own prompts and shipped evaluators.

    The shipped evaluator finds 49 of the 50 emotional, and only those are answered.
    """
    if why := why_missing("package:smollm2") or missing_resource(load("emotional_consistency")):
        pytest.skip(why)
    source, out = ROOT / "tests" / "data" / "emotional_prompts.txt", tmp_path / "trial"
    line = ["trial", "--prompts", source, "--out", out, "--max-tokens", 24]
    line += ["--bot", "local:package:smollm2", "--bot", "script:generic"]
    code, output, err = call(*line, "--json")
    assert code == 0, err
    assert f"49 of 50 prompts are emotional; saved in {out}/prompts.jsonl\n" in err
    data = json.loads(output)
    assert [(bot["system"], bot["answers"]) for bot in data["bots"]] == [
        ("smollm2", 49),
        ("generic", 49),
    ]
    rows = {row["system"]: row for row in data["systems"]}
    assert {row["emotional_consistency_n"] for row in rows.values()} == {49}
    assert rows["smollm2"]["emotional_consistency"] > rows["generic"]["emotional_consistency"]
    texts = [json.loads(line) for line in (out / "answers/smollm2.jsonl").read_text().splitlines()]
    questions = [row["text"] for row in texts if row["speaker"] == "user"]
    prompts = source.read_text().splitlines()
    assert [prompt for prompt in prompts if prompt in questions] == questions
    assert (out / "report.html").stat().st_size > 10_000
    code, output, err = call(*line)
    assert code == 0, err
    assert err.count("Nothing to do: everything was finished before.") == 2
    assert output.splitlines()[-1] == f"report to open in a browser: {out}/report.html"
