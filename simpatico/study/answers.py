"""Answers: saved once however often they are sent, never overwritten, each edit a new revision."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from simpatico.errors import DataError
from simpatico.study import schema as db
from simpatico.study.design import Design
from simpatico.study.loans import hold_lease, renew_lease
from simpatico.study.store import Conflict, Rater, Row, Store, select_where

State = Literal["given", "cannot_tell", "withdrawn"]


class Entry(NamedTuple):
    """An answer on its way in; `revision` is the latest one that the page knows, 0 for none."""

    unit: str
    turn: int
    question: str
    value: float | None
    state: State
    revision: int
    key: str
    milliseconds: int | None = None


def answers_with(*names: str) -> sa.Select[Any]:
    """Answers whose columns have values that are given later."""
    return sa.select(db.ANSWERS).where(*(db.ANSWERS.c[n] == sa.bindparam(n) for n in names))


# statements of every answer are made once: to make one takes longer than to run it
ANSWER_OF_KEY = answers_with("study", "rater", "key")
LATEST_ANSWER = (
    answers_with("study", "rater", "unit", "turn", "question")
    .order_by(db.ANSWERS.c.revision.desc())
    .limit(1)
)
INSERTION = db.ANSWERS.insert()


def save_answer(store: Store, rater: Rater, design: Design, entry: Entry) -> int:
    """Add an answer and give its revision; the same key again adds nothing.

    Who answers on the basis of an older revision than the latest is told what that is.
    """
    own = {"study": rater.study, "rater": rater.rater}
    same = {"unit": entry.unit, "turn": entry.turn, "question": entry.question}
    content = {**same, "value": entry.value, "state": entry.state}
    with store.write() as c:
        if earlier := c.execute(ANSWER_OF_KEY, {**own, "key": entry.key}).first():
            if any(getattr(earlier, name) != value for name, value in content.items()):
                raise DataError("the key of this answer belongs to another one; make a new key")
            return int(earlier.revision)
        lease = hold_lease(store, c, rater, entry.unit)
        latest = c.execute(LATEST_ANSWER, {**own, **same}).first()
        if latest and latest.key == entry.key:  # sent twice at the same moment
            return int(latest.revision)
        if (latest.revision if latest else 0) != entry.revision:
            raise Conflict(answer_json(latest) if latest else {"revision": 0})
        new = entry._replace(revision=entry.revision + 1)
        c.execute(INSERTION, {**own, **new._asdict(), "saved": store.clock()})
        until = store.clock() + 60 * design.lease_minutes
        renew_lease(c, rater, lease.unit, until=until)
        return new.revision


def latest_answers(store: Store, rater: Rater, unit: str) -> list[Row]:
    """The latest revision of each of a rater's answers about a unit, the last one at the end."""
    query = select_where(db.ANSWERS, study=rater.study, rater=rater.rater, unit=unit)
    with store.read() as c:
        rows = c.execute(query.order_by(db.ANSWERS.c.number)).all()
    latest = {(row.turn, row.question): row for row in rows}
    return sorted(latest.values(), key=lambda row: row.number)


def answer_json(row: Row) -> dict[str, Any]:
    """An answer as a page gets it."""
    names = ("turn", "question", "value", "state", "revision")
    return {name: getattr(row, name) for name in names}
