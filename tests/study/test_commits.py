"""Group commit: one sync for several threads, of whom each is alone with its errors."""

import threading

import pytest
import sqlalchemy as sa

from simpatico.errors import RunError
from simpatico.study.commits import MAX_CHANGES, GroupCommit
from simpatico.study.database import open_engine


@pytest.fixture
def engine(tmp_path):
    engine = open_engine(str(tmp_path / "store.sqlite"))
    with engine.begin() as c:
        c.exec_driver_sql("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    yield engine
    engine.dispose()


def count_rows(engine: sa.Engine) -> int:
    with engine.connect() as c:
        return c.exec_driver_sql("SELECT count(*) FROM t").scalar_one()


def run_together(group: GroupCommit, changes: list) -> list[BaseException | None]:
    """The first change waits until all others are in line, so that they share its commit."""
    outcomes: list[BaseException | None] = [None] * len(changes)
    first_inside = threading.Event()

    def run(n: int) -> None:
        if n:
            first_inside.wait(20)
        try:
            with group.write() as c:
                if not n:
                    first_inside.set()
                    while group._waiting < len(changes) - 1:
                        pass
                changes[n](c)
        except Exception as error:
            outcomes[n] = error

    threads = [threading.Thread(target=run, args=[n]) for n in range(len(changes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return outcomes


def insert(x: int):
    return lambda c: c.exec_driver_sql("INSERT INTO t VALUES (?)", (x,))


def test_threads_that_wait_share_a_commit(engine):
    commits = []
    sa.event.listen(engine, "commit", lambda c: commits.append(1))
    assert run_together(GroupCommit(engine), [insert(n) for n in range(20)]) == [None] * 20
    assert (count_rows(engine), len(commits)) == (20, 1)


def test_a_batch_ends_though_others_wait(engine):
    commits, n = [], 2 * MAX_CHANGES
    sa.event.listen(engine, "commit", lambda c: commits.append(1))
    assert run_together(GroupCommit(engine), [insert(x) for x in range(n)]) == [None] * n
    assert (count_rows(engine), len(commits)) == (n, 2)


def test_a_change_that_fails_takes_only_itself_back(engine):
    def fail(c):
        insert(100)(c)
        raise ValueError("no")

    outcomes = run_together(GroupCommit(engine), [insert(1), fail, insert(2), insert(1), insert(3)])
    kinds = sorted(type(outcome).__name__ for outcome in outcomes)
    assert kinds == ["IntegrityError", "NoneType", "NoneType", "NoneType", "ValueError"]
    assert count_rows(engine) == 3


def test_nobody_hears_saved_when_the_transaction_was_given_up(engine):
    """As SQLite does by itself when the disk is full."""

    def give_up(c):
        c.connection.driver_connection.execute("ROLLBACK")

    group = GroupCommit(engine)
    saved, lost = run_together(group, [insert(1), give_up])
    assert isinstance(saved, RunError)
    assert str(saved) == "the store could not save the answers of a moment"
    assert lost is not None
    assert count_rows(engine) == 0
    with group.write() as c:  # the next one is on its own
        insert(5)(c)
    assert count_rows(engine) == 1
