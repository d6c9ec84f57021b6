"""A small study, and a store that people have answered in."""

import hashlib
from collections.abc import Callable, Sequence
from itertools import count

import pytest
import sqlalchemy as sa

from simpatico.questions.question import Question
from simpatico.questions.units import Line, Side
from simpatico.study.answers import Entry, save_answer
from simpatico.study.design import Checks, Design, Material
from simpatico.study.loans import finish_unit, take_unit
from simpatico.study.store import Rater, Store
from simpatico.study.units import units_of
from tests.study.postgres import new_database, run_postgres

WARMTH = Question("warmth", "How warm?", "turn", answers=("cold", "cool", "so", "warm", "hot"))
OVERALL = Question(
    "overall", "How good?", "dialog", ("outsider", "interlocutor"), range=(0, 100),
    anchors=("poor", "good"),
)  # fmt: skip
PREFERRED = Question("preferred", "Which?", "pair")
NO_CHECKS = Checks(every=0)


def dialog_of(
    name: str, system: str = "bot", *, replies: int = 1, prompt: str | None = None
) -> Side:
    """A dialog in which a person and a system take turns, the person first."""
    lines = []
    for n in range(replies):
        lines.append(Line(2 * n, "ann", "human", f"said {n}", False))
        lines.append(Line(2 * n + 1, system, system, f"replied {n}", True))
    return Side(name, tuple(lines), prompt)


def design_of(*questions: Question, **facts: object) -> Design:
    """A study with these questions, without attention checks unless there are some."""
    rate = facts.pop("rate", Material("chats.jsonl", raters=2))
    checks = facts.pop("checks", NO_CHECKS)
    return Design("s", "Study", questions=questions, rate=rate, checks=checks, **facts)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


KEYS = count()


def entry_of(
    unit: str, question: str, value: float | None, *, turn: int = -1, state: str = "given",
    revision: int = 0, key: str | None = None,
) -> Entry:  # fmt: skip
    """An answer with a key of its own."""
    return Entry(unit, turn, question, value, state, revision, key or f"key-{next(KEYS):012}", 900)


class Study:
    """A study in a store, and its raters by name."""

    def __init__(self, store: Store, design: Design, dialogs: Sequence[Side], raters: int) -> None:
        self.store, self.design = store, design
        store.add_study(design, units_of(design, dialogs))
        people = store.add_raters(design.name, "outsider", raters)
        self.tokens = dict(people)

    def rater(self, name: str) -> Rater:
        found = self.store.rater(self.tokens[name])
        assert found
        return found

    def take(self, name: str):
        return take_unit(self.store, self.rater(name), self.design)

    def answer(self, name: str, unit: str, question: str, value: float | None, **facts) -> int:
        entry = entry_of(unit, question, value, **facts)
        return save_answer(self.store, self.rater(name), self.design, entry)

    def finish(self, name: str, unit: str) -> None:
        finish_unit(self.store, self.rater(name), self.design, unit)

    def rate(self, name: str, answers: Callable, n: int = 100) -> None:
        """Take units until none is left, and answer each as `answers` of it says."""
        for _ in range(n):
            lease = self.take(name)
            if lease is None:
                return
            for question, turn, value in answers(lease):
                state = "cannot_tell" if value is None else "given"
                self.answer(name, lease.unit, question, value, turn=turn, state=state)
            self.finish(name, lease.unit)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sqlite(tmp_path, clock):
    """An empty store in a file; without waiting for the disk, which tests of the store do."""
    store = Store(str(tmp_path / "store.sqlite"), clock)
    sa.event.listen(store.engine, "checkout", lambda c, *_: c.execute("PRAGMA synchronous=OFF"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server; nothing is synced, as only clients are killed."""
    with run_postgres(fsync="off") as base:
        yield base


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def new_url(request, tmp_path):
    """Gives addresses of new, empty stores."""
    numbers = count()
    if request.param == "sqlite":
        return lambda: str(tmp_path / f"store-{next(numbers)}.sqlite")
    base = request.getfixturevalue("postgres")
    name = hashlib.sha1(str(tmp_path).encode()).hexdigest()[:12]
    return lambda: new_database(base, f"s{name}_{next(numbers)}")


@pytest.fixture
def url(new_url):
    return new_url()


@pytest.fixture
def store(url, clock):
    """An empty store of either kind, on the clock of the test."""
    store = Store(url, clock)
    yield store
    store.close()
