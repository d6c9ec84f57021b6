"""Where a study is kept: SQLite in one file, or PostgreSQL by its URL.

Every change is one transaction that is on disk before the rater hears "saved". A unit is lent: the
row of a lease says who has it and until when, and no more than `raters` people have or had one that
counts. Answers are only ever added; an edit is a new revision.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from simpatico.errors import DataError, SimpaticoError
from simpatico.questions.question import Role
from simpatico.questions.units import Unit
from simpatico.study import schema as db
from simpatico.study.commits import GroupCommit
from simpatico.study.database import lock_store, migrate, open_engine
from simpatico.study.design import Design

MAX_TOKENS = 10_000
Row = Any


class Conflict(SimpaticoError):
    """Another tab or device has answered in the meantime; `latest` is what it saved."""

    def __init__(self, latest: dict[str, Any]) -> None:
        super().__init__("this question was answered elsewhere in the meantime")
        self.latest = latest


class Gone(SimpaticoError):
    """The unit is not with this rater any more."""


class Rater(NamedTuple):
    """A person who takes part."""

    study: str
    rater: str
    role: Role
    consented: float | None
    trained: float | None
    excluded: float | None


# statements of every request are made once: to make one takes longer than to run it
RATER_OF_TOKEN = sa.select(*(db.RATERS.c[name] for name in Rater._fields)).where(
    db.RATERS.c.token_hash == sa.bindparam("token")
)
PAUSED = sa.select(db.STUDIES.c.paused).where(db.STUDIES.c.study == sa.bindparam("name"))


def hash_token(token: str) -> str:
    """How a token is stored: it has 192 random bits, so that no salt or slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Store:
    """Studies, units, raters, leases and answers; safe to use from threads and processes."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self.engine, self.clock = open_engine(url), clock
        try:
            migrate(self.engine)
        except BaseException:
            self.close()
            raise
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        self._group = GroupCommit(self.engine)
        isolation = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reading = self.engine.execution_options(reads_only=True, **isolation)

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: in SQLite it takes the lock at once, so that it never has to
        be given up halfway (a transaction that reads first and writes later would)."""
        with self._group.write() if self._is_sqlite else self.engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of everything and keeps nobody from writing."""
        with self._reading.begin() as connection:
            yield connection

    # -- studies -------------------------------------------------------------------------------

    def add_study(self, design: Design, units: Iterable[Unit]) -> str | None:
        """Store a study; its owner's token if it is new, null if it was there as it is now."""
        text, token = msgspec.json.encode(design).decode(), new_token()
        with self.write() as c:
            lock_store(c)
            found = c.execute(select_where(db.STUDIES, study=design.name)).first()
            if found:
                if found.design != text:
                    raise DataError(
                        f"the store has a study {design.name!r} of another design; give the "
                        "changed one another name, so that answers to both stay apart"
                    )
                return None
            c.execute(
                db.STUDIES.insert().values(
                    study=design.name, design=text, owner_hash=hash_token(token),
                    created=self.clock(), paused=False,
                )
            )  # fmt: skip
            self.insert_units(c, design, units)
        return token

    def insert_units(
        self, c: Connection, design: Design, units: Iterable[Unit], talker: str | None = None
    ) -> None:
        first = c.scalar(count_of(db.UNITS, study=design.name)) or 0
        rows = [
            {
                "study": design.name, "unit": unit.id, "kind": unit.kind, "position": first + n,
                "raters": design.rate.raters if unit.kind in design.rated_kinds else 0,
                "talker": talker,
                "content": msgspec.json.encode(unit).decode(),
            }
            for n, unit in enumerate(units)
        ]  # fmt: skip
        if rows:
            c.execute(db.UNITS.insert(), rows)

    def design(self, study: str) -> Design:
        """The design of a study."""
        with self.read() as c:
            found = c.execute(select_where(db.STUDIES, study=study)).first()
        if not found:
            raise DataError(f"the store has no study {study!r}; `simpatico study serve` adds it")
        return msgspec.json.decode(found.design, type=Design)

    def new_owner_token(self, study: str) -> str:
        """Another token for the owner; the one before is void."""
        token = new_token()
        with self.write() as c:
            c.execute(update_where(db.STUDIES, study=study).values(owner_hash=hash_token(token)))
        return token

    def study_of_owner(self, token: str) -> str | None:
        """The study whose owner has this token."""
        with self.read() as c:
            return c.scalar(
                sa.select(db.STUDIES.c.study).where(db.STUDIES.c.owner_hash == hash_token(token))
            )

    def pause(self, study: str, *, paused: bool) -> None:
        with self.write() as c:
            c.execute(update_where(db.STUDIES, study=study).values(paused=paused))

    def is_paused(self, study: str) -> bool:
        with self.read() as c:
            return bool(c.scalar(PAUSED, {"name": study}))

    # -- raters --------------------------------------------------------------------------------

    def add_raters(self, study: str, role: Role, number: int) -> list[tuple[str, str]]:
        """New raters, as names and tokens; a token is shown once and stored as a hash."""
        if not 1 <= number <= MAX_TOKENS:
            raise DataError(f"{number} raters; add 1 to {MAX_TOKENS:,} at a time")
        tokens = [new_token() for _ in range(number)]
        with self.write() as c:
            lock_study(c, study)
            return list(zip(self.insert_raters(c, study, role, tokens), tokens, strict=True))

    def insert_raters(
        self, c: Connection, study: str, role: Role, tokens: Sequence[str]
    ) -> list[str]:
        """Add raters to a study that is locked; their names."""
        rows = c.scalars(sa.select(db.RATERS.c.rater).where(db.RATERS.c.study == study))
        last = max((int(name[1:]) for name in rows), default=0)  # some may have been removed
        names = [f"r{last + n + 1:03}" for n in range(len(tokens))]
        c.execute(
            db.RATERS.insert(),
            [
                {"study": study, "rater": name, "role": role, "token_hash": hash_token(token),
                 "created": self.clock()}
                for name, token in zip(names, tokens, strict=True)
            ],
        )  # fmt: skip
        return names

    def rater(self, token: str) -> Rater | None:
        """Who has this token."""
        with self.read() as c:
            row = c.execute(RATER_OF_TOKEN, {"token": hash_token(token)}).first()
        return Rater(*row) if row else None

    def stamp(self, rater: Rater, field: Literal["consented", "trained"]) -> None:
        """Note that a rater has agreed, or finished the training round."""
        with self.write() as c:
            where = update_where(db.RATERS, study=rater.study, rater=rater.rater)
            c.execute(where.where(db.RATERS.c[field].is_(None)).values({field: self.clock()}))

    def exclude(self, study: str, rater: str, why: str | None) -> bool:
        """Exclude a rater, whose answers stay, marked; without a reason, take that back.

        The reason then stays: by it `exclude_if_careless` knows whom the owner has decided about.
        """
        with self.write() as c:
            where = update_where(db.RATERS, study=study, rater=rater)
            values = {"excluded": self.clock(), "why_excluded": why} if why else {"excluded": None}
            return bool(c.execute(where.values(values)).rowcount)

    # -- the whole -----------------------------------------------------------------------------

    def rows(self, study: str, *tables: sa.Table) -> list[list[Row]]:
        """All rows of a study in these tables, at one moment."""
        with self.read() as c:
            return [list(c.execute(select_where(table, study=study))) for table in tables]

    def newest(self, study: str) -> tuple[int, int]:
        """A number that grows with every answer, and one that grows with every finished unit."""
        with self.read() as c:
            answers = sa.select(sa.func.max(db.ANSWERS.c.number))
            done = count_of(db.LEASES, study=study).where(db.LEASES.c.finished.is_not(None))
            return (
                c.scalar(answers.where(db.ANSWERS.c.study == study)) or 0,
                c.scalar(done) or 0,
            )

    def purge(self, study: str, rater: str) -> int:
        """Remove a person: answers, leases, talks and what was said; the number of answers."""
        with self.write() as c:
            lock_study(c, study)
            own = {"study": study, "rater": rater}
            # locked first, so that nobody adds to what is about to go
            talks = c.execute(select_where(db.TALKS, **own).with_for_update()).all()
            made = c.execute(select_where(db.UNITS, study=study, talker=rater)).all()
            for where in (own, *({"study": study, "unit": unit.unit} for unit in made)):
                c.execute(select_where(db.LEASES, **where).with_for_update())
            if not c.execute(select_where(db.RATERS, **own)).first():
                raise DataError(
                    f"study {study!r} has no rater {rater!r}; `simpatico study status` lists them"
                )
            n = c.execute(delete_where(db.ANSWERS, **own)).rowcount
            for unit in made:  # other people's answers about a dialog that is gone
                for table in (db.ANSWERS, db.LEASES):
                    c.execute(delete_where(table, study=study, unit=unit.unit))
            c.execute(delete_where(db.LEASES, **own))
            for talk in talks:
                c.execute(delete_where(db.MESSAGES, study=study, talk=talk.talk))
            c.execute(delete_where(db.TALKS, **own))
            c.execute(delete_where(db.UNITS, study=study, talker=rater))
            c.execute(delete_where(db.PANELISTS, **own))
            c.execute(delete_where(db.RATERS, **own))
        if self._is_sqlite:  # nothing may stay in free pages or the log
            with closing(self.engine.raw_connection()) as connection:
                cursor = connection.cursor()
                for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    cursor.execute(statement)
        return n


def lock_study(connection: Connection, study: str) -> None:
    """One at a time from here on: who is lent what is decided in turn."""
    query = select_where(db.STUDIES, study=study).with_only_columns(db.STUDIES.c.study)
    connection.execute(query.with_for_update())


def select_where(table: sa.Table, **values: object) -> sa.Select[Any]:
    """Rows whose columns have these values."""
    return sa.select(table).where(*(table.c[name] == value for name, value in values.items()))


def count_of(table: sa.Table, **values: object) -> sa.Select[Any]:
    """How many rows have these values."""
    where = (table.c[name] == value for name, value in values.items())
    return sa.select(sa.func.count()).select_from(table).where(*where)


def update_where(table: sa.Table, **values: object) -> sa.Update:
    return sa.update(table).where(*(table.c[name] == value for name, value in values.items()))


def delete_where(table: sa.Table, **values: object) -> sa.Delete:
    return sa.delete(table).where(*(table.c[name] == value for name, value in values.items()))
