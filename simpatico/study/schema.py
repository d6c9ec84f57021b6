"""The tables of a store, and the steps by which an older store becomes a current one.

SQLAlchemy's expression language, without its mapper: one set of statements for SQLite and
PostgreSQL, and every statement can be read where it is made.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem

METADATA = MetaData()
STUDY = "simpatico_study"


def study_table(name: str, *parts: SchemaItem) -> Table:
    """A table whose name says whose it is, as a database may be shared with others."""
    return Table(f"{STUDY}_{name}", METADATA, *parts)


def key(name: str) -> Column[str]:
    """A part of a primary key."""
    return Column(name, String(200), primary_key=True)


VERSION = Table(f"{STUDY}_version", METADATA, Column("version", Integer, nullable=False))

STUDIES = study_table(
    "studies",
    key("study"),
    Column("design", Text, nullable=False),
    Column("owner_hash", String(64), nullable=False),
    Column("created", Float, nullable=False),
    Column("paused", Boolean, nullable=False, default=False),
)

UNITS = study_table(
    "units",
    key("study"),
    key("unit"),
    Column("kind", String(20), nullable=False),
    Column("position", Integer, nullable=False),
    Column("raters", Integer, nullable=False),
    Column("content", Text, nullable=False),
    Column("talker", String(200)),  # whose own dialog it is: never given to this person to rate
    ForeignKeyConstraint(["study"], [STUDIES.c.study]),
)

RATERS = study_table(
    "raters",
    key("study"),
    key("rater"),
    Column("role", String(20), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created", Float, nullable=False),
    Column("consented", Float),
    Column("trained", Float),
    Column("excluded", Float),
    Column("why_excluded", Text),
    ForeignKeyConstraint(["study"], [STUDIES.c.study]),
)

LEASES = study_table(
    "leases",
    key("study"),
    key("unit"),
    key("rater"),
    Column("position", Integer, nullable=False),  # the rater's first unit is 0
    Column("swapped", Boolean, nullable=False),  # of a pair: the second side stood first
    Column("check_item", Text),  # the attention check of this unit, as JSON
    Column("taken", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("finished", Float),
    Column("skipped", Float),
    ForeignKeyConstraint(["study", "unit"], [UNITS.c.study, UNITS.c.unit]),
    ForeignKeyConstraint(["study", "rater"], [RATERS.c.study, RATERS.c.rater]),
)

ANSWERS = study_table(
    "answers",
    Column("number", Integer, primary_key=True, autoincrement=True),
    *(Column(name, String(200), nullable=False) for name in ("study", "unit", "rater")),
    Column("turn", Integer, nullable=False),  # -1: the whole unit
    Column("question", String(60), nullable=False),
    Column("revision", Integer, nullable=False),  # an edit is a new row, one higher
    Column("value", Float),  # null: cannot tell, or taken back
    Column("state", String(20), nullable=False),  # given, cannot_tell, withdrawn
    Column("key", String(64), nullable=False),
    Column("saved", Float, nullable=False),
    Column("milliseconds", Integer),
    UniqueConstraint("study", "unit", "rater", "turn", "question", "revision"),
    UniqueConstraint("study", "rater", "key"),
    ForeignKeyConstraint(
        ["study", "unit", "rater"], [LEASES.c.study, LEASES.c.unit, LEASES.c.rater]
    ),
)

TALKS = study_table(
    "talks",
    key("study"),
    key("talk"),
    Column("rater", String(200), nullable=False),
    Column("bot", String(200), nullable=False),
    Column("started", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("ended", Float),
    ForeignKeyConstraint(["study", "rater"], [RATERS.c.study, RATERS.c.rater]),
)

MESSAGES = study_table(
    "messages",
    key("study"),
    key("talk"),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("role", String(20), nullable=False),
    Column("text", Text, nullable=False),
    Column("sent", Float, nullable=False),
    ForeignKeyConstraint(["study", "talk"], [TALKS.c.study, TALKS.c.talk]),
)

PANELS = study_table(
    "panels",
    key("study"),
    Column("token_hash", String(64), nullable=False, unique=True),
    ForeignKeyConstraint(["study"], [STUDIES.c.study]),
)

PANELISTS = study_table(
    "panelists",
    key("study"),
    key("person"),  # as the platform names them
    Column("rater", String(200), nullable=False),
    UniqueConstraint("study", "rater"),
    ForeignKeyConstraint(["study", "rater"], [RATERS.c.study, RATERS.c.rater]),
)

LEASES_OF_RATER = Index(f"{STUDY}_leases_rater", LEASES.c.study, LEASES.c.rater)
ANSWERS_OF_UNIT = Index(f"{STUDY}_answers_rater", ANSWERS.c.study, ANSWERS.c.rater, ANSWERS.c.unit)


def add_ratings(connection: Connection) -> None:
    """Step 1: studies, units, raters and their answers."""
    METADATA.create_all(connection, [STUDIES, UNITS, RATERS, LEASES, ANSWERS])


def add_talks(connection: Connection) -> None:
    """Step 2: conversations with bots."""
    METADATA.create_all(connection, [TALKS, MESSAGES])


def add_panels(connection: Connection) -> None:
    """Step 3: one link for all people of a crowd platform."""
    METADATA.create_all(connection, [PANELS, PANELISTS])


STEPS = (add_ratings, add_talks, add_panels)
"""A store has done the first n of these; the number is its version. Steps are never changed."""
