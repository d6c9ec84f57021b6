"""The command line as a person or a script meets it: output, errors, exit codes, no network."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import simpatico
from simpatico import available
from tests.command_line import simpatico as call
from tests.reporting.tree import tree

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "run"
    done = call("demo", "--out", out)
    assert done.returncode == 0, done.stderr
    return out, done


def test_the_demo_prints_system_scores_and_writes_a_run(demo):
    out, done = demo
    for word in ("harbor", "brisk", "carousel", "style_matching", "emotional_entropy", "empathy"):
        assert word in done.stdout
    assert "made up" in done.stderr
    for name in ("turn.parquet", "dialog.parquet", "system.parquet", "run.json"):
        assert (out / name).is_file()


def test_the_demo_writes_its_page_beside_the_scores(demo):
    out, done = demo
    assert f"report to open in a browser: {out}/report.html" in done.stdout.splitlines()
    root = tree((out / "report.html").read_text(encoding="utf-8"))
    assert root.one("title").text == "Three made-up systems (demo) · simpatico report"
    assert "judgements_made_up.csv" in root.one("pre", id="commands").text


def test_every_demo_dialog_and_system_is_there(demo):
    out, _ = demo
    dialogs = json.loads(call("show", out, "--level", "dialog", "--format", "json").stdout)
    assert len({d["dialog"] for d in dialogs}) >= 60
    assert {d["system"] for d in dialogs} == {"human", "harbor", "brisk", "carousel"}


def test_show_json_is_null_where_there_is_no_score(demo):
    rows = json.loads(call("show", demo[0], "--level", "turn", "--format", "json").stdout)
    first = rows[0]
    assert first["style_matching"] is None
    assert first["style_matching_null"] == "answers_nothing"


def test_show_gives_the_same_numbers_in_every_format_and_through_the_api(demo):
    rows = json.loads(call("show", demo[0], "--format", "json").stdout)
    csv = pl.read_csv(call("show", demo[0], "--format", "csv").stdout.encode())
    api = simpatico.Run(demo[0]).at("system")
    assert rows == api.to_dicts()
    assert csv["style_matching"].to_list() == api["style_matching"].to_list()


def test_scoring_a_file_equals_the_api(tmp_path):
    done = call("score", SAMPLES, "--out", tmp_path / "run", "--metrics", "style_matching")
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path / 'run'}\n"
    api = simpatico.score(simpatico.read(SAMPLES), [simpatico.load("style_matching")])
    assert simpatico.Run(tmp_path / "run").at("turn").equals(api.at("turn"))


def test_standard_input_is_read_like_a_file(tmp_path):
    text = SAMPLES.read_text(encoding="utf-8")
    done = call("score", "-", "--out", tmp_path / "run", "--metrics", "style_matching", stdin=text)
    assert done.returncode == 0, done.stderr
    assert simpatico.Run(tmp_path / "run").at("turn").height == 755


def test_the_plan_says_who_answers_whom_and_writes_nothing(tmp_path):
    done = call("score", SAMPLES, "--plan", cwd=tmp_path)
    assert "66 dialogs, 66 users, 66 assistants, 787 utterances in 755 turns" in done.stdout
    assert "124 harbor turns reply to the user." in done.stdout
    assert "was read as table" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_list_names_every_metric_and_how_to_get_what_is_missing():
    metrics = json.loads(call("list", "--json").stdout)
    assert [m["name"] for m in metrics] == available()
    for metric in metrics:
        assert set(metric) >= {"name", "kind", "level", "scores", "needs", "installed", "how_to_get", "citation"}  # fmt: skip
        assert metric["installed"] == (metric["how_to_get"] is None)
        for score in metric["scores"]:
            assert set(score) == {"name", "range", "better", "meaning", "evidence"}


def test_a_card_tells_range_meaning_undefined_cases_and_citation():
    card = call("list", "style_matching").stdout
    for part in (
        "0 to 1",
        "Null when a turn answers nothing",
        "Ireland et al. (2011)",
        "signature:",
    ):
        assert part in card


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["score", "nowhere.jsonl", "--out", "r"], "nowhere.jsonl"),
        (["score", SAMPLES], "Missing --out (or --plan for a dry run)."),
        (["score", SAMPLES, "--out", "r", "--metrics", "style_match"], "did you mean 'style_matching'"),
        (["score", SAMPLES, "--out", "r", "--format", "opnai"], "did you mean 'openai'?"),
        (["score", SAMPLES, "--out", "r", "--set", "style_matching"], "is not of the form"),
        (["score", SAMPLES, "--out", "r", "--set", "style_matching.epsilon=x"], "takes a value of type float, not 'x'"),
        (["score", SAMPLES, "--out", "r", "--set", "style_matching.eps=1"], "style_matching has no parameter 'eps'"),
        (["score", SAMPLES, "--out", "r", "--set", "echo.a=1"], "--set names 'echo'"),
        (["score", SAMPLES, "--out", "r", "--lexicon", "nrc.txt"], "no lexicon 'nrc.txt'"),
        (["score", SAMPLES, "--plan", "--lexicon", "nrc.txt"], "no lexicon 'nrc.txt'"),
        (["score", SAMPLES, "--out", "r", "--metrics", "style_matching", "--lexicon", "x"], "--lexicon needs an emotion metric"),
        (["score", SAMPLES, "--out", "r", "--metrics", "style_matching,style_matching"], "'style_matching' is asked for twice"),
        (["score", SAMPLES, "--out", "r", "--set", "style_matching.empty=dorp"], "it is 'match' or 'drop'"),
        (["score", SAMPLES, "--out", "r", "--set", "emotional_entropy.base=0"], "it lies between 1 and 1,000,000"),
        (["score", SAMPLES, "--out", "r", "--max-errors", "3"], "--max-errors needs --on-error skip"),
        (["score", SAMPLES, "--out", "r", "--jobs", "0"], "--jobs"),
        (["show", "nothing"], "nothing is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one"),
        (["list", "nothing"], "no metric 'nothing'"),
        (["reproduce", "psychological-metrics", "--data", "."], "has no dstc10-topical"),
        (["nothing"], "no command 'nothing'; there are "),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_2(arguments, sentence, tmp_path):
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["probe", "--help"]])
def test_help_is_there_at_once(arguments):
    code = (
        "import sys\n"
        "from simpatico.cli import cli\n"
        f"cli.main({arguments!r}, standalone_mode=False)\n"
        "assert not {'numpy', 'polars', 'scipy', 'torch'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_evaluator_is_loaded_without_the_others():
    code = (
        "import sys\n"
        "from simpatico.cli import cli\n"
        "cli.main(['train', 'engagement', '--help'], standalone_mode=False)\n"
        "print(*(m for m in sys.modules if m.startswith('simpatico.cli.commands.train.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.rpartition(".")[2] for name in done.stdout.splitlines()[-1].split()}
    assert modules == {"engagement", "_command_line"}


def test_the_help_lists_every_command_with_its_own_words():
    from simpatico.cli import cli

    listing = call("--help").stdout
    for name in cli.list_commands(None):
        own = cli.get_command(None, name).get_short_help_str(limit=25).removesuffix("...")
        assert f"  {name} " in listing
        assert own in listing


def test_the_help_names_every_format():
    from simpatico.cli.options import FORMATS
    from simpatico.readers import all_readers

    assert ", ".join(sorted(f.name for f in all_readers())) == FORMATS


def test_a_system_name_that_named_nobody_is_mentioned(tmp_path):
    path = tmp_path / "talk.csv"
    path.write_text("dialog,speaker,text\nd,agent,hello\nd,customer,hi\n")
    assert (
        "--system mybot was not used" in call("score", path, "--plan", "--system", "mybot").stdout
    )


def test_a_folder_that_is_called_like_a_trait_changes_nothing(tmp_path):
    (tmp_path / "openness").mkdir()
    done = call("score", SAMPLES, "--preset", "psych", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_closed_output_is_no_traceback():
    line = f"{sys.executable} -m simpatico list >&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_hostile_names_reach_neither_the_terminal_nor_a_spreadsheet(tmp_path):
    evil = "=cmd|' /C calc'!A0\x1b]52;c;aGk=\x07\u202e"
    rows = [
        {"dialog": evil, "speaker": who, "system": evil, "text": text}
        for who, text in (("a", "I love it"), ("b", "so do I"))
    ]
    path = tmp_path / "evil.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    out = tmp_path / "run"
    outputs = [call("score", path, "--plan"), call("score", path, "--out", out)]
    outputs += [
        call("show", out),
        call("show", out, "--level", "turn"),
        call("show", out, "--format", "csv"),
    ]
    for done in outputs:
        assert done.returncode == 0, done.stderr
        output = done.stdout + done.stderr
        assert not set(output) & {"\x1b", "\x07", "\u202e"}
    assert "'=cmd" in outputs[-1].stdout
    listing = call("show", out, "--level", "turn", "--format", "json")
    assert json.loads(listing.stdout)[0]["dialog"] == evil


def test_bad_rows_can_be_skipped_and_are_listed(tmp_path):
    path = tmp_path / "talk.jsonl"
    good = '{"dialog": "d", "speaker": "%s", "text": "I see"}\n'
    path.write_text(good % "a" + '{"dialog": "d", "speaker": \n' + good % "b")
    failed = call("score", path, "--out", tmp_path / "no")
    assert failed.returncode == 2
    assert f"{path}:2: " in failed.stderr
    done = call("score", path, "--out", tmp_path / "run", "--on-error", "skip")
    assert done.returncode == 0
    assert simpatico.Run(tmp_path / "run").at("turn").height == 2
    (reject,) = (tmp_path / "run" / "rejects.jsonl").read_text().splitlines()
    assert json.loads(reject)["line"] == 2
    assert json.loads(reject)["byte"] == len(good % "a")


def test_everything_works_without_a_network_and_no_socket_is_ever_opened(tmp_path):
    """Python tells an audit hook about every socket; there must be none.

    Where we may make one, in a network namespace in which not even a loopback device is up. What
    models do is watched in tests/models/test_offline.py.
    """
    run = str(tmp_path / "run")
    lines = [
        ["score", str(SAMPLES), "--preset", "psych", "--out", run],
        ["compare", run],
        ["report", run, "--out", str(tmp_path / "page.html")],
    ]
    code = (
        "import sys; seen = []; codes = []\n"
        "sys.addaudithook(lambda e, a: seen.append(e) if e.startswith('socket.__new__') else None)\n"
        "from simpatico.cli import main\n"
        f"for line in {lines!r}:\n"
        "    sys.argv = ['simpatico', *line]\n"
        "    try: main()\n"
        "    except SystemExit as end: codes.append(end.code)\n"
        "sys.stderr.write(f'exit {codes}, sockets: {len(seen)}')"
    )
    apart = ["unshare", "-n"] if shutil.which("unshare") and os.geteuid() == 0 else []
    command = [*apart, sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.endswith("exit [0, 0, 0], sockets: 0")
