"""Conversations of people with the bots of a study, in its store."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from simpatico.questions.units import Unit
from simpatico.study import schema as db
from simpatico.study.design import Design, Talk
from simpatico.study.loans import exclude_if_careless, insert_lease, toss
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

    A talk that was left for longer than a lease does not count, nor one of somebody who was
    excluded, so that its place is free.
    """
    talks, raters = db.TALKS, db.RATERS
    query = sa.select(talks.c.bot, sa.func.count()).where(talks.c.study == rater.study)
    excluded = sa.select(raters.c.rater).where(
        raters.c.study == rater.study, raters.c.excluded.is_not(None)
    )
    live = query.where(
        sa.or_(talks.c.ended.is_not(None), talks.c.expires > now), talks.c.rater.not_in(excluded)
    )
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
    store: Store,
    design: Design,
    talk: Row,
    messages: Sequence[tuple[str, str]],
    *,
    position: int | None = None,
) -> None:
    """What the person said and what the bot replied, as roles and texts: both, or none.

    `position` is where the first of them stands; refused if another tab spoke, or ended the talk,
    while the bot was thinking. Whoever goes on keeps the talk's place for another lease.
    """
    with store.write() as c:
        own = {"study": talk.study, "talk": talk.talk}
        now = c.execute(select_where(db.TALKS, **own).with_for_update()).first()
        if now is None or now.ended is not None:
            raise Gone("this talk is over")
        first = c.scalar(count_of(db.MESSAGES, **own)) or 0
        if position not in (None, first):
            raise Conflict({"length": first})
        rows = [
            {**own, "position": first + n, "role": role, "sent": store.clock(),
             "text": text.replace("\0", "\ufffd")}  # PostgreSQL has no NUL
            for n, (role, text) in enumerate(messages)
        ]  # fmt: skip
        c.execute(db.MESSAGES.insert(), rows)
        until = store.clock() + 60 * design.lease_minutes
        c.execute(update_where(db.TALKS, **own).values(expires=until))


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
            exclude_if_careless(store, c, rater, design)
