"""Opening a store, and bringing an older one to the current version."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from simpatico.errors import DataError, RunError
from simpatico.files import create_private
from simpatico.study import schema as db

BUSY_SECONDS = 60.0
"""How long a SQLite transaction waits for those of other processes.

SQLite has no queue: it looks again every 100 ms, and finds the file free perhaps one time in twenty
while eight processes write all the time. Then 10 s, a hundred looks, fail for 0.95^100 = 0.6% of
them, and 60 s for 0.95^600, less than 1e-13."""


def open_engine(url: str) -> Engine:
    """A connection pool to the store; a name without :// is a SQLite file."""
    if "://" not in url:
        path = Path(url)
        if path.is_dir():
            raise DataError(f"{path} is a folder; --store names a file or postgresql://…")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            create_private(path)
        except OSError as error:
            why = "its folder is a file" if isinstance(error, FileExistsError) else error.strerror
            raise DataError(
                f"the store {path} cannot be opened: {why}; name a file that you can "
                "write with --store"
            ) from None
        address = sa.URL.create("sqlite", database=str(path))  # whatever signs its name has
        engine = sa.create_engine(address, connect_args={"timeout": BUSY_SECONDS})
        sa.event.listen(engine, "connect", prepare_sqlite)
        sa.event.listen(engine, "begin", begin_sqlite)
        return engine
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgresql", "postgres"):
        raise DataError(f"no store of the kind {scheme!r}; give a file or postgresql://…")
    try:
        # none beyond the pool: a connection that is made for one answer costs more than the answer
        pool = {"pool_size": 8, "max_overflow": 0, "pool_pre_ping": True}
        return sa.create_engine(f"postgresql+psycopg://{rest}", **pool)
    except (ModuleNotFoundError, sa.exc.ArgumentError, ValueError):
        raise DataError(
            "the store needs psycopg and an address such as postgresql://USER@HOST/NAME; "
            "pip install 'simpatico[postgres]'"
        ) from None


def prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    """Settings of a connection: every commit is synced, and deleted rows are overwritten."""
    connection.isolation_level = None  # transactions are begun by `begin_sqlite`
    for pragma in (
        "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON",
    ):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")


def begin_sqlite(connection: Connection) -> None:
    """A transaction that writes takes the lock at its beginning."""
    reads_only = connection.get_execution_options().get("reads_only")
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def lock_store(connection: Connection) -> None:
    """One server at a time from here on; in SQLite every transaction that writes is alone."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(7340)"))


def migrate(engine: Engine) -> None:
    """Bring a store to the current version, each step in one transaction with its number."""
    try:
        with engine.begin() as c:
            lock_store(c)
            db.VERSION.create(c, checkfirst=True)
            version = c.scalar(sa.select(db.VERSION.c.version))
            if version is None:
                version = 0
                c.execute(db.VERSION.insert().values(version=0))
        if version > len(db.STEPS):
            raise DataError(
                f"the store is of version {version}, newer than this simpatico knows "
                f"({len(db.STEPS)}); update simpatico"
            )
        if 0 < version < len(db.STEPS):
            back_up(engine, version)
        for number in range(version, len(db.STEPS)):
            with engine.begin() as c:
                lock_store(c)
                if c.scalar(sa.select(db.VERSION.c.version)) == number:
                    db.STEPS[number](c)
                    c.execute(db.VERSION.update().values(version=number + 1))
    except sa.exc.OperationalError as error:
        reason = str(error.orig).partition("\n")[0]
        raise RunError(
            f"the store cannot be opened: {reason}; try again, or name another with --store",
            resumable=True,
        ) from None
    except sa.exc.DatabaseError:
        raise DataError("the store is not a database of simpatico; name another file") from None


def back_up(engine: Engine, version: int) -> None:
    """A copy of an older SQLite store beside it, before it is changed."""
    path = engine.url.database
    if engine.dialect.name != "sqlite" or not path:
        return
    copy = Path(f"{path}.version-{version}")
    if not copy.exists():
        temporary = copy.with_name(f".{copy.name}.{os.getpid()}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600))
        with (
            closing(sqlite3.connect(path)) as source,
            closing(sqlite3.connect(temporary)) as target,
        ):
            source.backup(target)
        temporary.replace(copy)
