"""A store under torture, and what it does with studies, raters and purges."""

import json
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from simpatico.errors import DataError
from simpatico.study import schema as db
from simpatico.study.design import BotChoice, Material, Talk
from simpatico.study.results import collect, talk_side
from simpatico.study.store import Store
from simpatico.study.talks import add_exchange, end_talk, open_talk, read_messages
from simpatico.study.units import units_of
from tests.study.conftest import OVERALL, WARMTH, Study, design_of, dialog_of

ROOT = Path(__file__).parents[2]


def torture(name: str, url: str, folder: Path, **facts: object) -> dict:
    """What the program of this name printed; nobody in it met an error."""
    program = subprocess.run(
        [sys.executable, "-m", "tests.study.torture", name, url, folder, json.dumps(facts)],
        cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert program.returncode == 0, program.stderr
    errors = folder / "errors"
    assert not errors.exists(), errors.read_text()[:2000]
    return json.loads(program.stdout)


def assert_sound(store: Store) -> None:
    """The database finds nothing wrong with itself."""
    if store.engine.dialect.name == "sqlite":
        with store.read() as c:
            assert c.scalar(sa.text("PRAGMA integrity_check")) == "ok"
            assert c.execute(sa.text("PRAGMA foreign_key_check")).all() == []


FULL = pytest.mark.slow


@pytest.fixture
def live(url):
    """An empty store on the clock of the machine, as other processes have no other."""
    store = Store(url)
    yield store
    store.close()


@pytest.mark.parametrize(("processes", "answers", "kills"), [(8, 500, 100)])
def test_no_acknowledged_answer_is_lost_or_doubled(live, url, tmp_path, processes, answers, kills):
    design = design_of(WARMTH, rate=Material("x", raters=processes))
    study = Study(live, design, [dialog_of("d")], processes)
    for name in study.tokens:
        unit = study.take(name).unit
    facts = torture(
        "torture_answers", url, tmp_path, tokens=list(study.tokens.values()), unit=unit,
        answers=answers, kills=kills,
    )  # fmt: skip
    assert facts["killed"] >= kills
    # every answer was acknowledged, each of three times as the first revision
    expected = [f"{n} [1, 1, 1]" for n in range(answers)]
    assert [log == expected for log in facts["acknowledged"]] == [True] * processes
    rows = live.rows("s", db.ANSWERS)[0]
    places = Counter((row.rater, row.turn, row.revision) for row in rows)
    assert places == {(name, n, 1): 1 for name in study.tokens for n in range(answers)}
    assert all(row.value == row.turn % 5 + 1 for row in rows)
    assert_sound(live)


@pytest.mark.parametrize(
    ("processes", "races", "people"), [(4, 240, 48), pytest.param(8, 10_000, 400, marks=FULL)]
)
def test_a_unit_is_never_with_more_people_than_it_is_meant_for(
    live, url, tmp_path, processes, races, people
):
    """Leases last 0.05 s, and people answer, finish, give back or leave their units."""
    design = design_of(WARMTH, OVERALL, rate=Material("x", raters=3), lease_minutes=10)
    study = Study(live, design, [dialog_of(f"d{n}") for n in range(people // 8)], people)
    facts = torture(
        "torture_races", url, tmp_path, tokens=list(study.tokens.values()), processes=processes,
        races=races,
    )  # fmt: skip
    words = [line.split() for line in facts["races"]]
    taken = [(int(most), int(late)) for kind, most, late in (w for w in words if len(w) == 3)]
    assert len(words) == races // processes * processes
    assert len(taken) > races / 4  # there were units to be had
    assert max(most for most, _ in taken) == 3
    assert sum(late for _, late in taken) > 0  # somebody came too late, and was told
    finished = Counter(x.unit for x in live.rows("s", db.LEASES)[0] if x.finished is not None)
    assert max(finished.values()) <= 3
    assert_sound(live)


def test_the_same_study_twice_and_a_changed_one(store):
    design = design_of(WARMTH)
    token = store.add_study(design, units_of(design, [dialog_of("d")]))
    assert store.study_of_owner(token) == "s"
    assert store.add_study(design, units_of(design, [dialog_of("d")])) is None
    assert len(store.rows("s", db.UNITS)[0]) == 1
    with pytest.raises(DataError) as caught:
        store.add_study(design_of(OVERALL), [])
    assert str(caught.value) == (
        "the store has a study 's' of another design; give the changed one another name, so that "
        "answers to both stay apart"
    )
    with pytest.raises(DataError) as caught:
        store.design("t")
    assert str(caught.value) == "the store has no study 't'; `simpatico study serve` adds it"
    second = store.new_owner_token("s")
    assert (store.study_of_owner(token), store.study_of_owner(second)) == (None, "s")


def test_servers_that_start_together_add_a_study_once(new_url):
    url, design = new_url(), design_of(WARMTH)
    tokens, errors = [], []

    def start() -> None:
        try:
            store = Store(url)
            tokens.append(store.add_study(design, units_of(design, [dialog_of("d")])))
            store.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert (len(tokens), tokens.count(None)) == (6, 5)


def test_tokens_are_stored_as_hashes(store):
    study = Study(store, design_of(WARMTH), [], 2)
    hashes = {row.token_hash for row in store.rows("s", db.RATERS)[0]}
    assert len(hashes) == 2
    assert not hashes & set(study.tokens.values())
    assert store.rater("wrong") is None
    for number in (0, 10_001):
        with pytest.raises(DataError) as caught:
            store.add_raters("s", "outsider", number)
        assert str(caught.value) == f"{number} raters; add 1 to 10,000 at a time"


def test_consent_keeps_its_first_time(store, clock):
    study = Study(store, design_of(WARMTH), [], 1)
    store.stamp(study.rater("r001"), "consented")
    clock.now += 5
    store.stamp(study.rater("r001"), "consented")
    assert study.rater("r001").consented == 1000.0


def test_names_go_on_after_a_person_was_removed(store):
    study = Study(store, design_of(WARMTH), [], 3)
    store.purge("s", "r002")
    assert [name for name, _ in store.add_raters("s", "outsider", 2)] == ["r004", "r005"]
    assert store.rater(study.tokens["r002"]) is None
    with pytest.raises(DataError) as caught:
        store.purge("s", "r002")
    assert str(caught.value) == (
        "study 's' has no rater 'r002'; `simpatico study status` lists them"
    )


CANARY = "canary-7340-what-somebody-said"


def talk_with_canary(store: Store) -> tuple[Study, object]:
    """A person talks, and an outsider rates what was said."""
    talk = Talk((BotChoice("alpha", "script:echo"),), min_turns=2)
    design = design_of(WARMTH, OVERALL, rate=Material(raters=2), talk=talk)
    study = Study(store, design, [], 2)
    ((name, token),) = store.add_raters("s", "interlocutor", 1)
    study.tokens[name] = token
    talker = study.rater(name)
    row = open_talk(store, talker, design)
    for n in range(20):
        said = [("user", f"{CANARY} {n} {'x' * 300}"), ("assistant", f"{CANARY} back")]
        add_exchange(store, design, row, said, position=2 * n)
    side = talk_side(row, read_messages(store, "s", row.talk))
    end_talk(store, talker, design, row, list(units_of(design, [side])))
    lease = study.take("r001")
    study.answer("r001", lease.unit, "overall", 50)
    return study, lease


def test_a_purge_removes_a_person_and_what_others_said_about_it(store):
    study, _ = talk_with_canary(store)
    study.answer("r003", collect(store, "s").talks.popitem()[0], "overall", 9)
    assert store.purge("s", "r003") == 1
    units, leases, answers, talks, messages, raters = store.rows(
        "s", db.UNITS, db.LEASES, db.ANSWERS, db.TALKS, db.MESSAGES, db.RATERS
    )
    assert (units, leases, answers, talks, messages) == ([], [], [], [], [])
    assert [row.rater for row in raters] == ["r001", "r002"]
    assert_sound(store)


def test_a_purge_leaves_no_byte_in_the_file_or_its_log(tmp_path, clock):
    path = tmp_path / "store.sqlite"
    store = Store(str(path), clock)
    talk_with_canary(store)
    files = [path, Path(f"{path}-wal")]
    assert any(CANARY.encode() in file.read_bytes() for file in files)
    store.purge("s", "r003")
    assert [file.read_bytes().count(CANARY.encode()) for file in files if file.exists()] == [0, 0]
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as other:
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    other.close()
    store.close()


def test_a_purge_while_others_answer(store):
    """Whoever answers about what is removed at that moment is told, and nothing breaks."""
    from simpatico.study.store import Gone

    study, lease = talk_with_canary(store)
    errors, begun, stop = [], threading.Event(), threading.Event()

    def answer() -> None:
        revision = 1
        while not stop.is_set():
            try:
                revision = study.answer("r001", lease.unit, "overall", 50, revision=revision)
            except Gone:
                return
            except Exception as error:
                errors.append(error)
                return
            begun.set()

    thread = threading.Thread(target=answer)
    thread.start()
    begun.wait(10)
    store.purge("s", "r003")
    thread.join(20)
    stop.set()
    assert (errors, thread.is_alive()) == ([], False)
    assert store.rows("s", db.ANSWERS) == [[]]


def test_what_is_read_together_is_of_one_moment(store):
    """Of many answers with their leases none lacks the other while people work."""
    study = Study(store, design_of(OVERALL, rate=Material("x", raters=1)), [dialog_of("a")], 1)
    with store.read() as c:
        before = c.scalar(sa.select(sa.func.count()).select_from(db.LEASES))
        thread = threading.Thread(target=study.take, args=["r001"])
        thread.start()
        thread.join()
        assert c.scalar(sa.select(sa.func.count()).select_from(db.LEASES)) == before == 0
    assert store.newest("s") == (0, 0)
    unit = study.take("r001").unit
    study.answer("r001", unit, "overall", 1)
    study.finish("r001", unit)
    number, finished = store.newest("s")
    assert (number > 0, finished) == (True, 1)
