"""Opening a store: what is refused, who may read it, and migrations that are killed."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from simpatico.errors import DataError, RunError
from simpatico.study import schema as db
from simpatico.study.database import open_engine
from simpatico.study.store import Store
from tests.study.conftest import WARMTH, Study, design_of, dialog_of
from tests.study.test_store import torture


def refusal(url: str, kind: type[Exception] = DataError) -> str:
    with pytest.raises(kind) as caught:
        Store(url)
    return str(caught.value)


def test_what_is_no_store_is_refused(tmp_path):
    assert refusal(str(tmp_path)) == (
        f"{tmp_path} is a folder; --store names a file or postgresql://…"
    )
    path = tmp_path / "notes.txt"
    path.write_text("notes " * 1000)
    assert refusal(str(path)) == "the store is not a database of simpatico; name another file"
    assert path.read_text() == "notes " * 1000
    assert refusal("mysql://a@b/c") == "no store of the kind 'mysql'; give a file or postgresql://…"
    assert refusal("postgresql://a@b:x/c") == (
        "the store needs psycopg and an address such as postgresql://USER@HOST/NAME; "
        "pip install 'simpatico[postgres]'"
    )
    below = path / "store.sqlite"
    assert refusal(str(below)) == (
        f"the store {below} cannot be opened: its folder is a file; name a file that you can write "
        "with --store"
    )


READ = """
import sqlite3, sys
from contextlib import closing
with closing(sqlite3.connect(sys.argv[1])) as base:
    base.execute("SELECT count(*) FROM sqlite_master").fetchone()
"""


def test_opening_a_store_again_keeps_the_locks_of_other_threads(tmp_path):
    # A process that closes any handle of a file drops all its POSIX locks of it. Whoever closes
    # SQLite's last locked connection deletes the log that this process still writes to.
    url = str(tmp_path / "s.sqlite")
    store = Store(url)
    log = Path(f"{url}-wal")
    assert log.exists()
    open_engine(url)
    subprocess.run([sys.executable, "-c", READ, url], check=True)
    assert log.exists()
    store.close()


def test_a_server_that_does_not_answer():
    sentence = refusal("postgresql://a:secret@127.0.0.1:1/c", RunError)
    assert sentence.startswith("the store cannot be opened: connection failed")
    assert sentence.endswith("; try again, or name another with --store")
    assert "\n" not in sentence
    assert "secret" not in sentence


def test_a_store_of_a_newer_version_is_refused(store, url):
    with store.write() as c:
        c.execute(db.VERSION.update().values(version=99))
    assert refusal(url) == (
        "the store is of version 99, newer than this simpatico knows (3); update simpatico"
    )


@pytest.mark.parametrize("name", ["a?b=c.sqlite", "ä #%41.sqlite", "file:x.sqlite"])
def test_a_file_has_the_name_that_was_asked_for(tmp_path, name):
    Store(str(tmp_path / name)).close()
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_files_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        store = Store(str(tmp_path / "store.sqlite"))
        Study(store, design_of(WARMTH), [dialog_of("d")], 1).take("r001")
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("store.sqlite", "store.sqlite-wal", "store.sqlite-shm"), 0o600)
    store.close()


TABLES = {
    1: {"version", "studies", "units", "raters", "leases", "answers"},
}
TABLES[2] = TABLES[1] | {"talks", "messages"}
TABLES[3] = TABLES[2] | {"panels", "panelists"}


def inspect_store(url: str) -> tuple[int | None, set[str], int]:
    """Version, tables and number of studies, by a client that changes nothing."""
    address = (
        url.replace("postgresql:", "postgresql+psycopg:") if "://" in url else f"sqlite:///{url}"
    )
    engine = sa.create_engine(address)
    with engine.connect() as c:
        names = sa.inspect(c).get_table_names()
        tables = {name.removeprefix("simpatico_study_") for name in names}
        version = c.scalar(sa.select(db.VERSION.c.version)) if "version" in tables else None
        studies = (
            c.scalar(sa.select(sa.func.count()).select_from(db.STUDIES))
            if "studies" in tables
            else 0
        )
        if engine.dialect.name == "sqlite":
            assert c.scalar(sa.text("PRAGMA integrity_check")) == "ok"
            assert c.execute(sa.text("PRAGMA foreign_key_check")).all() == []
    engine.dispose()
    return version, tables, studies


@pytest.fixture
def old(new_url, monkeypatch):
    """A store as the first version of the schema left it, with a study."""
    url = new_url()
    with monkeypatch.context() as patch:
        patch.setattr(db, "STEPS", db.STEPS[:1])
        store = Store(url)
    row = {"study": "s", "design": "{}", "owner_hash": "x", "created": 0.0, "paused": False}
    with store.write() as c:
        c.execute(db.STUDIES.insert().values(row))
    store.close()
    assert inspect_store(url) == (1, TABLES[1], 1)
    return url


def copy_of(url: str, new_url: Callable[[], str]) -> str:
    """Another store with the same content."""
    copy = new_url()
    if "://" not in url:
        shutil.copy(url, copy)
        return copy
    base, _, name = copy.rpartition("/")
    with closing(psycopg.connect(f"{base}/postgres", autocommit=True)) as connection:
        template = url.rpartition("/")[2]
        connection.execute(f'DROP DATABASE "{name}"')
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return copy


def test_a_migration_killed_at_any_statement_leaves_the_old_or_the_new_schema(
    old, new_url, tmp_path
):
    urls = [copy_of(old, new_url) for _ in range(40)]
    killed = torture("torture_migrations", "", tmp_path, urls=urls)["killed"]
    versions = []
    for url in urls[:killed]:
        version, tables, studies = inspect_store(url)
        versions.append(version)
        assert (tables, studies) == (TABLES[version], 1)
        backup = Path(f"{url}.version-1")
        if "://" not in url and (version > 1 or backup.exists()):
            assert inspect_store(str(backup)) == (1, TABLES[1], 1)
            assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        Store(url).close()  # the next attempt gets there
        assert inspect_store(url) == (3, TABLES[3], 1)
    assert inspect_store(urls[killed]) == (3, TABLES[3], 1)
    assert set(versions) == {1, 2}  # each is there all at once, with its commit
    assert killed >= 8


@pytest.mark.slow
def test_a_new_store_killed_at_any_statement_can_be_opened_again(new_url, tmp_path):
    urls = [new_url() for _ in range(60)]
    killed = torture("torture_migrations", "", tmp_path, urls=urls)["killed"]
    versions = []
    for url in urls[: killed + 1]:
        version, tables, _ = inspect_store(url)
        versions.append(version)
        assert tables == {None: set(), 0: {"version"}, **TABLES}[version]
        Store(url).close()
        assert inspect_store(url)[:2] == (3, TABLES[3])
    assert set(versions) == {None, 0, 1, 2, 3}


def test_a_backup_is_not_written_twice(tmp_path, monkeypatch):
    path = tmp_path / "store.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(db, "STEPS", db.STEPS[:1])
        Store(str(path)).close()
    Store(str(path)).close()
    backup = Path(f"{path}.version-1")
    before = backup.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE simpatico_study_version SET version = 1")
        for name in ("messages", "talks", "panelists", "panels"):
            connection.execute(f"DROP TABLE simpatico_study_{name}")
        connection.execute("CREATE TABLE other (x)")
        connection.commit()
    Store(str(path)).close()
    assert backup.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".tmp")] == []
