"""Conversations of people with the bots of a study, in its store."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from simpatico.study import schema as db
from simpatico.study.design import Design, Talk
from simpatico.study.loans import insert_lease, toss
from simpatico.study.store import (
    Conflict,
    Gone,
    Rater,
    Row,
    Store,
    count_of,
    lock_study,
    select_where,
    update_where,
)
from simpatico.study.units import Unit


def open_talk(store: Store, rater: Rater, design: Design) -> Row | None:
    """The rater's open talk, else a new one; null if every bot has its dialogs."""
    with store.write() as c:
        lock_study(c, rater.study)
        now = store.clock()
        own = select_where(db.TALKS, study=rater.study, rater=rater.rater)
        if mine := c.execute(own.where(db.TALKS.c.ended.is_(None))).first():
            where = update_where(db.TALKS, study=rater.study, talk=mine.talk)
            c.execute(where.values(expires=now + 60 * design.lease_minutes))
            return mine
        if not design.talk or (bot := choose_bot(c, rater, design, design.talk, now)) is None:
            return None
        name = f"talk-{secrets.token_hex(9)}"
        position = c.scalar(count_of(db.UNITS, study=rater.study)) or 0
        unit = {"unit": name, "kind": "talk", "position": position, "raters": 1, "content": ""}
        c.execute(db.UNITS.insert().values(study=rater.study, talker=rater.rater, **unit))
        insert_lease(c, rater, name, design, now)
        talk = {
            "talk": name,
            "bot": bot,
            "started": now,
            "expires": now + 60 * design.lease_minutes,
        }
        c.execute(db.TALKS.insert().values(study=rater.study, rater=rater.rater, **talk))
        return c.execute(select_where(db.TALKS, study=rater.study, talk=name)).first()


def choose_bot(c: Connection, rater: Rater, design: Design, talk: Talk, now: float) -> str | None:
    """A bot that lacks dialogs: one that the rater knows least, then the one with the fewest.

    A talk that was left for longer than a lease does not count, so that its place is free.
    """
    talks = db.TALKS
    query = sa.select(talks.c.bot, sa.func.count()).where(talks.c.study == rater.study)
    live = query.where(sa.or_(talks.c.ended.is_not(None), talks.c.expires > now))
    counts: dict[str, int] = dict(c.execute(live.group_by(talks.c.bot)).all())
    mine = query.where(talks.c.rater == rater.rater).group_by(talks.c.bot)
    own: dict[str, int] = dict(c.execute(mine).all())

    def key(bot: str) -> tuple[int, int, bytes]:
        return (
            own.get(bot, 0),
            counts.get(bot, 0),
            toss(design, rater.rater, sum(own.values()), bot),
        )

    free = [
        bot.name
        for bot in talk.bots
        if counts.get(bot.name, 0) < talk.dialogs_per_bot and own.get(bot.name, 0) < talk.per_person
    ]
    return min(free, key=key) if free else None


def find_talk(store: Store, rater: Rater, talk: str) -> Row:
    """A talk of this rater."""
    with store.read() as c:
        same = {"study": rater.study, "talk": talk, "rater": rater.rater}
        row = c.execute(select_where(db.TALKS, **same)).first()
    if row is None:
        raise Gone("this talk is not yours")
    return row


def count_talks(store: Store, rater: Rater) -> int:
    """How many talks this rater has ended."""
    with store.read() as c:
        own = count_of(db.TALKS, study=rater.study, rater=rater.rater)
        return c.scalar(own.where(db.TALKS.c.ended.is_not(None))) or 0


def read_messages(store: Store, study: str, talk: str) -> list[Row]:
    """What was said so far."""
    with store.read() as c:
        query = select_where(db.MESSAGES, study=study, talk=talk)
        return list(c.execute(query.order_by(db.MESSAGES.c.position)).all())


def add_exchange(
    store: Store, rater: Rater, talk: Row, messages: Sequence[tuple[str, str]]
) -> None:
    """What the person said and what the bot replied, as roles and texts: both, or none."""
    with store.write() as c:
        first = c.scalar(count_of(db.MESSAGES, study=talk.study, talk=talk.talk)) or 0
        rows = [
            {"study": talk.study, "talk": talk.talk, "position": first + n, "role": role,
             "text": text, "sent": store.clock()}
            for n, (role, text) in enumerate(messages)
        ]  # fmt: skip
        try:
            c.execute(db.MESSAGES.insert(), rows)
        except sa.exc.IntegrityError:  # said in another tab at the same moment
            raise Conflict({"length": first}) from None


def end_talk(store: Store, rater: Rater, design: Design, talk: Row, units: Sequence[Unit]) -> None:
    """Close a talk; its dialog goes to the outsiders. Again changes nothing."""
    with store.write() as c:
        lock_study(c, rater.study)
        where = update_where(db.TALKS, study=rater.study, talk=talk.talk)
        ended = where.where(db.TALKS.c.ended.is_(None)).values(ended=store.clock())
        if c.execute(ended).rowcount:
            lease = update_where(db.LEASES, study=rater.study, unit=talk.talk)
            c.execute(lease.values(finished=store.clock()))
            store.insert_units(c, design, units, talker=rater.rater)
