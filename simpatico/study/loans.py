"""Units on loan: who has which unit until when; never more people than a unit is meant for.

Transactions that decide about units lock the study's row first and the lease's row second, always
in this order, so that no two of them wait for each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from simpatico.study import schema as db
from simpatico.study.checks import CheckCounts, choose_check, count_checks
from simpatico.study.design import Design
from simpatico.study.store import (
    Gone,
    Rater,
    Row,
    Store,
    count_of,
    lock_study,
    select_where,
    update_where,
)

LAST_SECONDS = 60.0
"""How long before the end of a lease its holder's answers are taken in turn with everybody else's:
somebody could see it run out while the answer that renews it is not on disk yet."""


# statements of every answer are made once: to make one takes longer than to run it
OF_RATER = tuple(
    db.LEASES.c[name] == sa.bindparam(f"of_{name}") for name in ("study", "rater", "unit")
)
LEASE = (
    sa.select(db.LEASES, db.UNITS.c.kind, db.UNITS.c.content)
    .join_from(db.LEASES, db.UNITS)
    .where(*OF_RATER)
)
LOCKED_LEASE = LEASE.with_for_update(of=db.LEASES)
RENEWAL = sa.update(db.LEASES).where(*OF_RATER).values(expires=sa.bindparam("until"))


def lease_key(rater: Rater, unit: str) -> dict[str, str]:
    """The values by which these find a lease."""
    return {"of_study": rater.study, "of_rater": rater.rater, "of_unit": unit}


def take_unit(store: Store, rater: Rater, design: Design) -> Row | None:
    """A unit for this rater: the one that is open already, else a new one; null if none is left."""
    with store.write() as c:
        lock_study(c, rater.study)
        leases = c.execute(select_where(db.LEASES, study=rater.study, rater=rater.rater)).all()
        open_units = [x.unit for x in leases if x.finished is None and x.skipped is None]
        done = sum(x.finished is not None for x in leases)
        candidates = free_units(c, rater, store.clock())
        while candidates:
            mine = next((row.unit for row in candidates if row.unit in open_units), None)
            if mine is None and not units_left(design, done, len(candidates)):
                return None
            unit = mine or choose_unit(candidates, rater, design)
            if is_free(store, c, rater, unit):
                until = store.clock() + 60 * design.lease_minutes
                if mine:
                    renew_lease(c, rater, unit, until=until)
                else:
                    insert_lease(c, rater, unit, design, store.clock())
                return find_lease(c, rater, unit)
            candidates = [row for row in candidates if row.unit != unit]
    return None


def units_left(design: Design, done: int, free: int) -> int:
    """How many of the free units somebody who has finished some may still have."""
    most = design.rate.per_person
    return free if most is None else max(0, min(free, most - done))


class FreeUnit(NamedTuple):
    """A unit that a rater may have, and how many others have it or have finished it."""

    unit: str
    position: int
    n: int


def choose_unit(candidates: Sequence[FreeUnit], rater: Rater, design: Design) -> str:
    """The unit to rate next.

    Units that others have begun come first, so that agreement is known early; among these the
    order is random, and different for every rater.
    """

    def key(row: FreeUnit) -> tuple[int, object]:
        if design.rate.order == "file":
            return 0, row.position
        return -row.n, toss(design, rater.rater, row.unit, "position")

    return min(candidates, key=key).unit


def toss(design: Design, *parts: object) -> bytes:
    """A random number that is always the same for the same parts of a study."""
    text = "/".join(map(str, (design.name, design.seed, *parts)))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def holders(study: str, now: float, rater: str | None = None) -> sa.Select[Any]:
    """How many people have each unit, or have finished it, beside this rater.

    Who was excluded does not count, so that somebody else gets the unit.
    """
    leases, raters = db.LEASES, db.RATERS
    has_it = sa.and_(leases.c.skipped.is_(None), leases.c.expires > now)
    excluded = sa.select(raters.c.rater).where(
        raters.c.study == study, raters.c.excluded.is_not(None)
    )
    query = (
        sa.select(leases.c.unit, sa.func.count().label("n"))
        .where(leases.c.study == study, leases.c.rater.not_in(excluded))
        .where(sa.or_(leases.c.finished.is_not(None), has_it))
        .group_by(leases.c.unit)
    )
    return query if rater is None else query.where(leases.c.rater != rater)


def free_units(c: Connection, rater: Rater, now: float, unit: str | None = None) -> list[FreeUnit]:
    """Units that this rater may have: not done, not given back, and with room for one more; `unit`
    asks about one of them.

    Two queries, as PostgreSQL counts the holders once for every unit when both are one: of tables
    that were empty a minute ago it thinks that they have one row.
    """
    units, leases = db.UNITS, db.LEASES
    closed = sa.select(leases.c.unit).where(
        leases.c.study == rater.study,
        leases.c.rater == rater.rater,
        sa.or_(leases.c.finished.is_not(None), leases.c.skipped.is_not(None)),
    )
    query = (
        sa.select(units.c.unit, units.c.position, units.c.raters)
        .where(units.c.study == rater.study, units.c.kind != "talk")
        .where(units.c.unit.not_in(closed))
        .where(sa.or_(units.c.talker.is_(None), units.c.talker != rater.rater))
    )
    others = holders(rater.study, now, rater.rater)
    if unit is not None:
        query, others = query.where(units.c.unit == unit), others.where(leases.c.unit == unit)
    held: dict[str, int] = dict(c.execute(others).all())
    return [
        FreeUnit(row.unit, row.position, n)
        for row in c.execute(query)
        if (n := held.get(row.unit, 0)) < row.raters
    ]


def insert_lease(c: Connection, rater: Rater, unit: str, design: Design, now: float) -> None:
    """Lend a unit; its place among the rater's units, the order of a pair and the check stay."""
    check = choose_check(design, toss(design, rater.rater, unit, "check"))
    values = {
        "position": c.scalar(count_of(db.LEASES, study=rater.study, rater=rater.rater)) or 0,
        "swapped": bool(toss(design, rater.rater, unit, "sides")[0] & 1),
        "check_item": check and msgspec.json.encode(check).decode(),
        "taken": now,
        "expires": now + 60 * design.lease_minutes,
    }
    c.execute(db.LEASES.insert().values(study=rater.study, unit=unit, rater=rater.rater, **values))


def renew_lease(c: Connection, rater: Rater, unit: str, *, until: float) -> None:
    """Let the rater have the unit for longer."""
    c.execute(RENEWAL, {**lease_key(rater, unit), "until": until})


def find_lease(c: Connection, rater: Rater, unit: str, *, lock: bool = False) -> Row:
    """The rater's lease of a unit, with what the unit is; refused where there is none."""
    row = c.execute(LOCKED_LEASE if lock else LEASE, lease_key(rater, unit)).first()
    if row is None:
        raise Gone("this unit is not yours")
    return row


def hold_lease(store: Store, c: Connection, rater: Rater, unit: str) -> Row:
    """The rater's lease, locked; one that has run out is taken up again if the unit has room."""
    lease, now = find_lease(c, rater, unit), store.clock()
    is_open = lease.finished is None and lease.skipped is None and lease.kind != "talk"
    in_turn = is_open and lease.expires <= now + LAST_SECONDS
    if in_turn:
        lock_study(c, rater.study)
        if not is_free(store, c, rater, unit):
            raise Gone("this unit was given to somebody else, as it had been left for long")
    if c.dialect.name != "sqlite":  # where whoever writes is alone
        lease = find_lease(c, rater, unit, lock=True)
        if is_open and not in_turn and lease.expires <= store.clock():
            raise Gone("this unit had been left for long; open it again")
    if lease.skipped is not None:
        raise Gone("this unit was given back")
    return lease


def is_free(store: Store, c: Connection, rater: Rater, unit: str) -> bool:
    """Whether this rater may have a unit of a locked study, once everybody whose lease has run out
    has renewed it who was about to: who has a lease locked waits for nothing else."""
    if c.dialect.name != "sqlite":  # where whoever writes is alone
        leases = db.LEASES
        late = select_where(leases, study=rater.study, unit=unit).where(
            leases.c.finished.is_(None), leases.c.skipped.is_(None),
            leases.c.expires <= store.clock(),
        )  # fmt: skip
        c.execute(late.order_by(leases.c.rater).with_for_update())
    return bool(free_units(c, rater, store.clock(), unit))


def finish_unit(store: Store, rater: Rater, design: Design, unit: str) -> None:
    """Note that a unit is rated whole; again changes nothing."""
    with store.write() as c:
        if design.checks.exclude_after:
            lock_study(c, rater.study)  # two of a rater's units at once: the second sees the first
        if hold_lease(store, c, rater, unit).finished is None:
            where = update_where(db.LEASES, study=rater.study, unit=unit, rater=rater.rater)
            c.execute(where.values(finished=store.clock()))
            exclude_if_careless(store, c, rater, design)


def exclude_if_careless(store: Store, c: Connection, rater: Rater, design: Design) -> None:
    """Exclude a rater who has failed as many checks as the design allows, unless the owner took
    such an exclusion back; in the transaction of the unit, so that its place is free at once."""
    if not (limit := design.checks.exclude_after):
        return
    own = {"study": rater.study, "rater": rater.rater}
    leases = c.execute(select_where(db.LEASES, **own)).all()
    rows = c.execute(select_where(db.ANSWERS, **own).order_by(db.ANSWERS.c.number)).all()
    latest = {(row.unit, row.turn, row.question): row for row in rows}
    failed = count_checks(design, leases, latest.values()).get(rater.rater, CheckCounts()).failed
    if failed >= limit:
        undecided = update_where(db.RATERS, **own).where(db.RATERS.c.why_excluded.is_(None))
        c.execute(undecided.values(excluded=store.clock(), why_excluded=f"failed {failed} checks"))


def skip_unit(store: Store, rater: Rater, unit: str) -> None:
    """Give a unit back; this rater is not asked about it again."""
    with store.write() as c:
        if find_lease(c, rater, unit).kind == "talk":
            raise Gone("a talk is ended, not given back")
        where = update_where(db.LEASES, study=rater.study, unit=unit, rater=rater.rater)
        c.execute(where.where(db.LEASES.c.finished.is_(None)).values(skipped=store.clock()))


def count_units(store: Store, rater: Rater, design: Design) -> tuple[int, int]:
    """How many units this rater has finished, and how many more there are at the moment."""
    done = count_of(db.LEASES, study=rater.study, rater=rater.rater)
    with store.read() as c:
        finished = c.scalar(done.where(db.LEASES.c.finished.is_not(None))) or 0
        left = len(free_units(c, rater, store.clock()))
        return finished, units_left(design, finished, left)
