"""What several tests need: a small conversation, and where the real data stand if they are here."""

import atexit
import os
import signal
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import settings

from simpatico import Turns
from simpatico.cli import main

settings.register_profile("calm", deadline=None)  # the machines are shared and noisy
settings.load_profile("calm")

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("SIMPATICO_DATA", ROOT.parent / "shared" / "data"))
"""Where the real data sets stand, if they are here."""
os.environ["SIMPATICO_CACHE"] = "off"  # tests of the cache choose a folder of their own
STATE = tempfile.TemporaryDirectory()
atexit.register(STATE.cleanup)
os.environ["XDG_STATE_HOME"] = STATE.name  # the cache's secret is not the user's own
# tests run in as many processes as there are cores: torch's threads would wait for each other,
# which takes several times the work; tests of threads choose a number of their own
os.environ.setdefault("SIMPATICO_THREADS", "1")


def talk(*lines: str, dialog: str = "d") -> Turns:
    """A dialog of "speaker: text" lines."""
    rows = [line.partition(": ") for line in lines]
    return Turns.from_utterances(
        pl.DataFrame(
            {
                "dialog": [dialog] * len(rows),
                "speaker": [r[0] for r in rows],
                "text": [r[2] for r in rows],
            }
        )
    )


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is not."""
    if not DATA.is_dir():
        pytest.skip(f"no data sets in {DATA}; set SIMPATICO_DATA to their folder")
    return DATA


@pytest.fixture
def call(capsys, monkeypatch):
    """The command line within this process: exit code, stdout, stderr."""
    before = signal.getsignal(signal.SIGTERM)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["simpatico", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return left.value.code or 0, out, err

    yield run
    signal.signal(signal.SIGTERM, before)
