"""A PostgreSQL server of the tests' own, on loopback, gone at the end."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

MISSING = "no PostgreSQL here; apt-get install postgresql (15 or later), and run again"


def find_programs() -> Path:
    """The folder of initdb and postgres; Debian keeps it off the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if not folders:
        if os.environ.get("SIMPATICO_POSTGRES") == "required":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    return folders[-1]


@contextmanager
def run_postgres(**settings: str) -> Iterator[str]:
    """A server without any database of ours; its address, to which a name is to be added."""
    programs = find_programs()
    folder = Path(tempfile.mkdtemp(prefix="simpatico-postgres-"))
    who = {}
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        shutil.chown(folder, "nobody", "nogroup")
        who = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port = line.getsockname()[1]
    options = {
        "listen_addresses": "127.0.0.1", "port": str(port), "unix_socket_directories": "",
        "max_connections": "200", **settings,
    }  # fmt: skip
    flags = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    data = str(folder / "data")
    base = f"postgresql://simpatico@127.0.0.1:{port}"
    with (folder / "log").open("w+") as log:
        common = {"stdout": log, "stderr": log, "cwd": folder, **who}
        init = [programs / "initdb", "-D", data, "-U", "simpatico", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*init, "--locale=C", "--no-sync"], check=True, timeout=120, **common)
        server = subprocess.Popen([programs / "postgres", "-D", data, *flags], **common)
        try:
            wait_until_ready(base, server)
            yield base
        finally:
            server.send_signal(signal.SIGINT)  # "fast": open sessions are ended
            server.wait(timeout=60)
            shutil.rmtree(folder)


def wait_until_ready(base: str, server: subprocess.Popen) -> None:
    for _ in range(600):
        assert server.poll() is None, "PostgreSQL ended at once"
        try:
            psycopg.connect(f"{base}/postgres", connect_timeout=5).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("PostgreSQL did not start within a minute")


def new_database(base: str, name: str) -> str:
    """An empty database; its address."""
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{base}/{name}"
