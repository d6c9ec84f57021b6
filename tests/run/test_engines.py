"""Engines give the bytes of one process, whatever is lost on the way; the real ones run here."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from simpatico import Conversations, load, score_run
from simpatico.errors import BadValue, DataError, RunError
from simpatico.run.engines import WorkerSetup, check_address, check_worker
from tests.command_line import simpatico
from tests.conftest import ROOT

METRICS = ("length", "emotion_shares", "distinct_n")
FILES = ("turn.parquet", "dialog.parquet", "system.parquet", "text.parquet", "run.json")
SCRIPT = """
import sys
from simpatico import Conversations, load, score_run
from simpatico.run.engines import Ray
folder, out, jobs = sys.argv[1:]
score_run(Conversations((folder,)), [load(m) for m in {metrics}], out, chunk=200, jobs=Ray(None, int(jobs)))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """4,000 utterances of 500 dialogs in 4 files."""
    folder = tmp_path_factory.mktemp("engines") / "logs"
    folder.mkdir()
    rows = utterances()
    for number in range(4):
        rows[number * 1000 : (number + 1) * 1000].write_ndjson(folder / f"log-{number}.jsonl")
    return folder


def utterances():
    rng, words = random.Random(3), ["I", "you", "love", "fear", "the", "dog", "not", "happy", "!"]
    rows = [
        {
            "dialog": f"d{dialog:03d}",
            "position": position,
            "speaker": who,
            "system": who,
            "text": " ".join(rng.choices(words, k=rng.randint(1, 12))),
        }
        for dialog in range(500)
        for position, who in enumerate(("human", "ash" if dialog % 2 else "birch") * 4)
    ]
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def local(logs):
    out = logs.parent / "local"
    score_run(Conversations((str(logs),)), [load(m) for m in METRICS], out, chunk=200)
    return {name: (out / name).read_bytes() for name in FILES}


def start_ray(logs, out, jobs=2, **variables):
    code = SCRIPT.format(metrics=METRICS)
    command = [sys.executable, "-c", code, str(logs), str(out), str(jobs)]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | variables)


def contents(out):
    return {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_ray_gives_the_bytes_of_one_process(logs, local, tmp_path, jobs):
    pytest.importorskip("ray")
    assert start_ray(logs, tmp_path / "run", jobs).wait() == 0
    assert contents(tmp_path / "run") == local


@pytest.mark.slow
def test_workers_killed_again_and_again_and_the_driver_once_lose_nothing(logs, local, tmp_path):
    """Every worker dies after its second part, before it can say so: of seven, three are dead."""
    pytest.importorskip("ray")
    out = tmp_path / "run"
    driver = start_ray(logs, out, SIMPATICO_FAULT="part-scored:2:kill")
    while len(list(out.glob("parts/*.json"))) < 7:
        assert driver.poll() is None
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL
    assert "turn.parquet" not in contents(out)
    assert start_ray(logs, out).wait() == 0
    assert contents(out) == local


@pytest.mark.slow
def test_ray_on_the_command_line_finds_relative_paths_and_names_a_wrong_record(tmp_path):
    pytest.importorskip("ray")
    utterances()[:80].write_ndjson(tmp_path / "log.jsonl")
    command = [sys.executable, "-m", "simpatico", "score", "log.jsonl", "--metrics", "length"]
    command += ["--engine", "ray", "--jobs", "1", "--out", "run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "run\n"), done.stderr
    assert not re.search("ray|Traceback", done.stderr, re.IGNORECASE)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"dialog": "d999", "speaker": "ash"}\n')
    command[-1] = "other"
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith("simpatico: log.jsonl:81: ")
    assert not (tmp_path / "other").exists()


def test_engine_options_that_do_not_fit_are_refused(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"dialog": "d", "speaker": "a", "text": "Hi"}\n')
    score = ("score", "log.jsonl", "--out", "run", "--metrics", "length")
    done = simpatico(*score, "--address", "head:6379", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "simpatico: --address needs --engine ray\n")
    done = simpatico(*score, "--engine", "ray", "--address", "head:6379", cwd=tmp_path)
    sentence = "--out run is not an absolute path; with --address give one that all workers share"
    assert (done.returncode, done.stderr) == (2, f"simpatico: {sentence}\n")


@pytest.mark.parametrize("address", ["", "head", "127.0.0.1:x", "127.0.0.1:99999", "free"])
def test_an_address_without_an_answer_is_a_sentence(address):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_address(f"127.0.0.1:{port}")
    address = f"127.0.0.1:{port}" if address == "free" else address
    with pytest.raises(BadValue) as error:
        check_address(address)
    assert str(error.value) == (
        f"no Ray cluster answers at --address {address}; give HOST:PORT of its head, as "
        "`ray start --head` prints it, or leave --address out to use this machine"
    )


def test_a_worker_without_the_folder_or_with_other_packages_is_refused(tmp_path):
    setup = WorkerSetup.of(tmp_path, (load("length"),))
    host = socket.gethostname()
    with pytest.raises(RunError) as error:
        check_worker(setup)
    assert str(error.value) == (
        f"{tmp_path} is not there on worker {host}; --out must be a folder that all workers share"
    )
    (tmp_path / "parts").mkdir()
    check_worker(setup)
    facts = dict(setup.facts)
    other = WorkerSetup(setup.cwd, tmp_path, setup.metrics, (*{**facts, "numpy": "1.0"}.items(),))
    with pytest.raises(DataError) as error:
        check_worker(other)
    assert str(error.value) == (
        f"numpy is {facts['numpy']} on worker {host} and 1.0 here; install the same everywhere"
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["spark", "daft"])
def test_dialogs_torn_across_files_score_as_if_gathered(logs, tmp_path, engine):
    """The recipe as printed; rows are dealt to files one by one, so that every dialog is torn."""
    pytest.importorskip("pyspark" if engine == "spark" else "daft")
    torn, out = tmp_path / "torn", tmp_path / "out"
    torn.mkdir()
    rows = utterances().sample(fraction=1, shuffle=True, seed=1)
    for number in range(8):
        rows.gather_every(8, number).write_ndjson(torn / f"{number}.json")
    page = (ROOT / "docs" / "engines.md").read_text()
    code = re.search(rf"<!-- {engine} -->\n```python\n(.*?)```", page, re.DOTALL)[1]
    start = f"logs, out = {f'{torn}/*.json'!r}, {str(out)!r}\n"
    if engine == "spark":
        start += (
            f"logs = {str(torn)!r}\n"
            "from pyspark.sql import SparkSession\n"
            "build = SparkSession.builder.master('local[2]').config('spark.ui.enabled', False)\n"
            "build = build.config('spark.driver.host', '127.0.0.1')\n"
            # small batches cut nearly every dialog
            "build = build.config('spark.sql.execution.arrow.maxRecordsPerBatch', 7)\n"
            "spark = build.config('spark.sql.shuffle.partitions', 3).getOrCreate()\n"
        )
    command, python = [sys.executable, "-c", start + code], {"PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, env=os.environ | python, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    scores = pl.read_parquet(f"{out}/*.parquet").sort("dialog", "turn")
    metrics = [load(m) for m in ("length", "emotion_shares")]
    whole = score_run(Conversations((str(logs),)), metrics, tmp_path / "run").at("turn")
    same = whole.select(scores.columns).sort("dialog", "turn")
    assert_frame_equal(scores, same, check_dtypes=False, check_exact=True)
