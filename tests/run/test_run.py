"""Run folders: resumed runs give the same bytes, other runs are never mixed in."""

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from simpatico import Conversations, Run, load, read, score, score_run
from simpatico.errors import DataError, RunError

METRICS = ["emotional_entropy", "style_matching"]
WORDS = [
    "I",
    "you",
    "we",
    "love",
    "hate",
    "happy",
    "sad",
    "no",
    "not",
    "the",
    "a",
    "dog",
    "cat",
    "never",
    "always",
    "of",
    "and",
    "but",
    "fear",
    "joy",
]


def corpus(path: Path, dialogs: int, seed: int = 0) -> Path:
    rng = random.Random(seed)
    with path.open("w") as file:
        for d in range(dialogs):
            for t in range(10):
                text = " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))
                who = ("human", "bot-a" if d % 2 else "bot-b")[t % 2]
                row = {"dialog": f"d{d}", "speaker": who, "system": who, "text": text}
                file.write(json.dumps(row) + "\n")
    return path


def prints(folder: Path) -> dict[str, str]:
    """Every file of a folder with the hash of its bytes."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def start(path: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "simpatico", "score", str(path), "--out", str(out)]
    return subprocess.Popen(
        [*command, "--metrics", ",".join(METRICS), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ends_well(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return corpus(tmp_path_factory.mktemp("run") / "small.jsonl", 60)


def scored(path, out, **options):
    return score_run(Conversations((path,)), [load(m) for m in METRICS], out, **options)


def test_a_run_folder_holds_what_the_api_gives(small, tmp_path):
    run = scored(small, tmp_path / "run", chunk=100)
    table = score(read(small), [load(m) for m in METRICS])
    for level in ("turn", "dialog", "system"):
        assert run.at(level).equals(table.at(level)), level
    assert sorted(prints(tmp_path / "run")) == [
        "dialog.parquet",
        "run.json",
        "system.parquet",
        "text.parquet",
        "turn.parquet",
    ]


def test_run_json_says_what_was_read_and_scored(small, tmp_path):
    facts = scored(small, tmp_path / "run").facts
    assert facts["alignment"]["dialogs"] == 60
    assert facts["alignment"]["answers"]["bot-a answers human"] == 150
    assert facts["alignment"]["answers"]["human opens the dialog"] == 60
    assert facts["units"]["turn"]["style_matching.answers_nothing"] == 60
    assert facts["inputs"] == [
        {"name": "small.jsonl", "sha256": hashlib.sha256(small.read_bytes()).hexdigest()}
    ]
    assert facts["metrics"]["style_matching"]["signature"].startswith("style_matching|lexicon:")
    assert facts["text"] is True
    assert str(tmp_path) not in json.dumps(facts)


def test_the_same_call_on_a_finished_run_changes_nothing(small, tmp_path):
    scored(small, tmp_path / "run")
    before = prints(tmp_path / "run")
    scored(small, tmp_path / "run")
    assert prints(tmp_path / "run") == before


def test_jobs_and_place_do_not_change_a_byte(small, tmp_path):
    scored(small, tmp_path / "one", chunk=100)
    scored(small, tmp_path / "two", chunk=100, jobs=2)
    assert prints(tmp_path / "one") == prints(tmp_path / "two")


def flips(tmp_path, small):
    """Each changes one thing that the files depend on."""
    other = corpus(tmp_path / "small.jsonl", 60, seed=1)
    lexicon = tmp_path / "lexicon.csv"
    lexicon.write_text("term,category\nno,negate\n" + "".join(f"x{c},{c}\n" for c in CATEGORIES))
    base = (small,), METRICS, {}, {}
    yield "input byte", ((other,), *base[1:])
    yield "metric", (base[0], ["emotional_entropy"], {}, {})
    yield "option", (*base[:2], {"style_matching": {"empty": "drop"}}, {})
    yield "lexicon", (*base[:2], {"style_matching": {"lexicon": str(lexicon)}}, {})
    yield "merge", (*base[:3], {"merge": False})
    yield "system", (*base[:3], {"system": "other"})
    yield "format", (*base[:3], {"format": "table"})
    yield "on_error", (*base[:3], {"on_error": "skip"})
    yield "max_errors", (*base[:3], {"max_errors": 3})
    yield "gather", (*base[:3], {"gather": True})
    yield "one more input", ((small, other), *base[1:])
    yield "epsilon", (*base[:2], {"style_matching": {"epsilon": 0.001}}, {})
    yield "base", (*base[:2], {"emotional_entropy": {"base": 4.0}}, {})
    yield "text", (*base[:3], {"keep_text": False})


CATEGORIES = ["ppron", "ipron", "article", "conj", "prep", "auxverb", "adverb", "negate", "quant"]


def test_a_folder_of_another_run_is_refused(small, tmp_path):
    out = tmp_path / "run"
    scored(small, out)
    before = prints(out)
    for what, (paths, metrics, parameters, options) in flips(tmp_path, small):
        metric_list = [load(m, **parameters.get(m, {})) for m in metrics]
        keep_text = options.pop("keep_text", True)
        with pytest.raises(RunError) as error:
            score_run(Conversations(paths, **options), metric_list, out, keep_text=keep_text)
        assert str(error.value) == (
            f"{out} holds a run of other input, metrics, options or version; "
            "choose another folder or delete this one"
        ), what
    assert prints(out) == before


def test_another_version_is_another_run(small, tmp_path, monkeypatch):
    scored(small, tmp_path / "run")
    monkeypatch.setattr("simpatico.run.writer.package_version", lambda: "99")
    with pytest.raises(RunError, match="holds a run of other input"):
        scored(small, tmp_path / "run")


def test_place_name_language_and_hash_seed_do_not_change_a_byte(small, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    copy = tmp_path / "elsewhere" / small.name
    copy.write_bytes(small.read_bytes())
    settings = [
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "POLARS_MAX_THREADS": "1"},
    ]
    for number, (path, more) in enumerate(zip((small, copy), settings, strict=True)):
        command = [sys.executable, "-m", "simpatico", "score", str(path), "--preset", "psych"]
        done = subprocess.run(
            [*command, "--out", str(tmp_path / f"run{number}")],
            env={**os.environ, **more},
            cwd=tmp_path if number else tmp_path / "elsewhere",
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
    assert prints(tmp_path / "run0") == prints(tmp_path / "run1")


LOCALES = Path("/usr/share/i18n/locales")


@pytest.mark.skipif(not LOCALES.is_dir(), reason="the package locales is not installed")
@pytest.mark.parametrize("name", ["de_DE", "tr_TR"])
def test_a_locale_of_other_numbers_and_letters_on_one_core_changes_no_byte(small, tmp_path, name):
    """Numbers with a comma, and an i whose capital has a dot."""
    subprocess.run(["localedef", "-i", name, "-f", "UTF-8", tmp_path / f"{name}.UTF-8"], check=True)
    here = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": str(tmp_path), "PYTHONHASHSEED": "3"}
    code = (
        "import locale, os; os.sched_setaffinity(0, {0}); locale.setlocale(locale.LC_ALL, ''); "
        "from simpatico.cli import main; main()"
    )
    runs = {"run": (["-c", code], here), "usual": (["-m", "simpatico"], {"LC_ALL": "C"})}
    for out, (start, more) in runs.items():
        line = [*start, "score", str(small), "--preset", "psych", "--out", str(tmp_path / out)]
        done = subprocess.run([sys.executable, *line], env={**os.environ, **more})
        assert done.returncode == 0
    assert prints(tmp_path / "run") == prints(tmp_path / "usual")


@pytest.mark.parametrize(
    ("races", "processes"), [(1, 6), pytest.param(100, 2, marks=pytest.mark.slow)]
)
def test_when_many_start_at_once_one_writes_and_the_others_leave(small, tmp_path, races, processes):
    scored(small, tmp_path / "alone")
    for race in range(races):
        out = tmp_path / f"run{race}"
        runners = [start(small, out) for _ in range(processes)]
        errors = [process.communicate(timeout=120)[1] for process in runners]
        codes = [process.returncode for process in runners]
        assert set(codes) <= {0, 2}
        assert 0 in codes
        others = [text for text, code in zip(errors, codes, strict=True) if code]
        writing = f"{out} is being written by "  # who, is not known at once
        assert [text for text in others if writing not in text] == []
        assert prints(out) == prints(tmp_path / "alone")


def test_a_changed_lexicon_file_of_the_same_name_is_another_run(small, tmp_path):
    lexicon, out = tmp_path / "words.csv", tmp_path / "run"
    for weight in (1, 22):
        lexicon.write_text(
            "term,category,weight\n" + "".join(f"dog,{c},{weight}\n" for c in CATEGORIES)
        )
        metric = load("style_matching", lexicon=str(lexicon))
        if weight == 1:
            score_run(Conversations((small,)), [metric], out)
        else:
            with pytest.raises(RunError, match="holds a run of other input"):
                score_run(Conversations((small,)), [metric], out)


def test_a_folder_with_other_files_is_refused(small, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(RunError) as error:
        scored(small, tmp_path)
    assert str(error.value) == (
        f"{tmp_path} holds files that do not belong to a run; choose an empty folder"
    )


def test_an_unfinished_or_foreign_folder_cannot_be_shown(tmp_path):
    with pytest.raises(DataError) as error:
        Run(tmp_path).at("turn")
    assert (
        str(error.value)
        == f"{tmp_path} is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one"
    )
    (tmp_path / "run.json").write_text('{"status": "running"}')
    with pytest.raises(DataError) as error:
        Run(tmp_path).at("turn")
    assert str(error.value) == f"{tmp_path}: the run is not finished; run its command again"


def test_no_dialog_at_all_is_an_error(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text('{"bad": 1}\n')
    with pytest.raises(DataError, match=r"empty\.jsonl"):
        scored(path, tmp_path / "run")


def test_two_processes_cannot_write_one_folder(small, tmp_path):
    from simpatico.run.folder import lock_run, sign_folder

    out = tmp_path / "run"
    with lock_run(out):
        sign_folder(out)
        process = start(tmp_path / "hashed only once the folder is ours", out)
        _, errors = process.communicate(timeout=60)
    who = f"process {os.getpid()} on {socket.gethostname()}"
    sentence = f"simpatico: {out} is being written by {who}; wait or use another\n"
    assert (process.returncode, errors) == (2, sentence)


def killed_run(path: Path, out: Path, kills: int, seed: int, span: float) -> int:
    """Kill a run at random points until it was killed often enough, then let it finish."""
    rng = random.Random(seed)
    done = 0
    while done < kills:
        process = start(path, out)
        time.sleep(rng.uniform(0.2, span))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            done += 1
        elif process.returncode == 0:
            process.communicate()
            break
        process.communicate()
    return done


@pytest.mark.slow  # test_faults.py kills at each point that matters; here at any moment
def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path):
    path = corpus(tmp_path / "talk.jsonl", 8_000)
    uninterrupted = start(path, tmp_path / "whole")
    started_at = time.monotonic()
    ends_well(uninterrupted)
    span = 1.2 * (time.monotonic() - started_at)
    killed_run(path, tmp_path / "killed", 4, seed=1, span=span)
    last = start(path, tmp_path / "killed")
    ends_well(last)
    assert prints(tmp_path / "killed") == prints(tmp_path / "whole")


@pytest.mark.slow
def test_twenty_kills_of_a_run_of_200_000_turns(tmp_path):
    path = corpus(tmp_path / "talk.jsonl", 20_000)
    uninterrupted = start(path, tmp_path / "whole")
    started_at = time.monotonic()
    ends_well(uninterrupted)
    span = 1.2 * (time.monotonic() - started_at)
    kills, seed = 0, 0
    while kills < 20:
        out = tmp_path / f"killed-{seed}"
        kills += killed_run(path, out, 5, seed, span)
        last = start(path, out)
        ends_well(last)
        assert prints(out) == prints(tmp_path / "whole")
        seed += 1


def test_a_full_disk_is_one_line_and_the_run_can_go_on(small, tmp_path, monkeypatch):
    import resource

    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)); "
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "sys.argv = ['simpatico', *sys.argv[1:]]; from simpatico.cli import main; main()"
    )
    assert resource.RLIMIT_FSIZE
    command = [sys.executable, "-c", code, "score", str(small), "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [*command, "--metrics", ",".join(METRICS)], capture_output=True, text=True
    )
    assert done.returncode == 3, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "could not be written" in done.stderr
    scored(small, tmp_path / "run")
    scored(small, tmp_path / "fresh")
    assert prints(tmp_path / "run") == prints(tmp_path / "fresh")


def test_context_turns_are_read_but_not_scored(tmp_path):
    rows = pl.DataFrame(
        {
            "dialog": ["d", "d"],
            "speaker": ["x", "bot"],
            "system": [None, "bot"],
            "text": ["I am sad", "Oh no"],
        }
    )
    path = tmp_path / "context.parquet"
    rows.write_parquet(path)
    run = scored(path, tmp_path / "run")
    assert run.at("turn")["speaker"].to_list() == ["bot"]
    assert run.at("system")["system"].to_list() == ["bot"]
    assert run.at("turn")["style_matching"].null_count() == 0


def test_a_run_killed_before_its_first_part_goes_on(small, tmp_path):
    """Every state a kill can leave while the folder is made ready."""
    scored(small, tmp_path / "whole")
    key = json.loads((tmp_path / "whole" / "run.json").read_text())["key"]
    running = json.dumps({"status": "running", "key": key})
    states = [
        {".run.json.77.tmp": ""},
        {"run.json": running},
        {"run.json": running, ".holder.tmp": "process 77 on host"},
        {"run.json": running, "parts/.000000.json.77.tmp": "{", "parts/000000.turn.parquet": "cut"},
        {
            "run.json": running,
            "parts/000000.text.parquet": "",
            "parts/.000000.text.parquet.77.tmp": "I",
        },
        {"run.json": running, "text.parquet": "cut", ".text.parquet.77.tmp": "I"},
    ]
    for number, files in enumerate(states):
        folder = tmp_path / f"state{number}"
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        scored(small, folder)
        assert prints(folder) == prints(tmp_path / "whole"), number


def test_names_with_brackets_and_stars_are_names_not_patterns(tmp_path):
    talk = {"speaker": ["a", "b"], "text": ["I see", "you do"]}
    for name, dialog in (("data1", "wrong"), ("data[12]", "right"), ("d*", "star")):
        pl.DataFrame({"dialog": [dialog] * 2, **talk}).write_parquet(tmp_path / f"{name}.parquet")
    assert read(tmp_path / "data[12].parquet").frame["dialog"].unique().to_list() == ["right"]
    for name, out in (("data1", "run1"), ("data[12]", "run[12]"), ("d*", "run*")):
        scored(tmp_path / f"{name}.parquet", tmp_path / out)
    dialogs = Run(tmp_path / "run[12]").at("dialog")["dialog"].unique().to_list()
    assert dialogs == ["right"]


def test_an_input_that_grows_meanwhile_is_refused(small, tmp_path):
    """A live log: the scores would not be those of the hash in run.json."""
    path = tmp_path / "live.jsonl"
    path.write_bytes(small.read_bytes())

    def grow(turns):
        with path.open("a") as file:
            file.write('{"dialog": "late", "speaker": "a", "text": "hi"}\n')

    with pytest.raises(DataError, match="changed meanwhile; score again"):
        scored(path, tmp_path / "run", chunk=100, progress=grow)
    assert not (tmp_path / "run").exists()


def test_parts_survive_a_cause_that_may_pass(small, tmp_path, monkeypatch):
    complete, real = scored(small, tmp_path / "whole", chunk=100), Conversations.pieces

    def fails(self, size):
        for number, piece in enumerate(real(self, size)):
            if number == 2:
                raise DataError("the disk was gone for a moment")
            yield piece

    monkeypatch.setattr(Conversations, "pieces", fails)
    with pytest.raises(DataError, match="gone for a moment"):
        scored(small, tmp_path / "run", chunk=100)
    assert (tmp_path / "run" / "parts" / "000001.json").exists()
    monkeypatch.setattr(Conversations, "pieces", real)
    scored(small, tmp_path / "run", chunk=100)
    assert prints(tmp_path / "run") == prints(complete.folder)


def test_workers_leave_when_their_parent_was_killed(tmp_path):
    path = corpus(tmp_path / "talk.jsonl", 20_000)
    process = start(path, tmp_path / "run", "--jobs", "2")
    deadline = time.monotonic() + 60
    while len(children(process.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    while (
        left := [w for w in workers if Path(f"/proc/{w}/cmdline").exists()]
    ) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert workers
    assert not left


def children(parent: int) -> list[int]:
    listing = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(pid) for pid in listing.read_text().split()] if listing.exists() else []


@pytest.mark.parametrize("exists", [False, True])
def test_a_run_that_fails_leaves_its_folder_as_it_was(small, tmp_path, exists):
    """Before and after the first part: 80 dialogs are scored in chunks of about 10 turns."""
    path, out = tmp_path / "talk.jsonl", tmp_path / "new" / "run"
    bad = small.read_bytes() + b"no json\n"
    if exists:
        out.mkdir(parents=True)
    for content in (b"no json\n", bad):
        path.write_bytes(content)
        with pytest.raises(DataError):
            scored(path, out, chunk=10)
        assert list(out.iterdir()) == [] if exists else not (tmp_path / "new").exists()


def test_run_json_appears_with_the_first_scored_part(small, tmp_path, monkeypatch):
    """A kill before the first part: the next command may be another one."""
    from simpatico.run import parts

    out, seen = tmp_path / "run", []
    real = parts.score_chunk

    def looks(turns, metrics):
        seen.append((out / "run.json").exists())
        return real(turns, metrics)

    monkeypatch.setattr(parts, "score_chunk", looks)
    scored(small, out, chunk=100)
    assert not seen[0]
    assert all(seen[1:])
    half = tmp_path / "half"
    (half / "parts").mkdir(parents=True)
    (half / ".holder.tmp").write_text("process 1 on here")
    scored(small, half, chunk=100)
    assert prints(half) == prints(out)
