"""Units on loan: whose turn it is, what runs out, and what is given back."""

import threading
import time
from collections import Counter

import msgspec
import pytest

from simpatico.study import schema as db
from simpatico.study.checks import CHECK, Check
from simpatico.study.design import Checks, Expected, Gold, Material
from simpatico.study.loans import count_units, insert_lease, skip_unit
from simpatico.study.store import Gone, Store
from tests.study.conftest import (
    OVERALL,
    PREFERRED,
    WARMTH,
    Clock,
    Study,
    design_of,
    dialog_of,
)


def study_of(store: Store, dialogs: int, raters: int, people: int, order: str = "file") -> Study:
    design = design_of(OVERALL, rate=Material("x", raters=raters, order=order))
    return Study(store, design, [dialog_of(f"d{n}") for n in range(dialogs)], people)


def test_the_open_unit_comes_again_and_then_the_next(store):
    study = study_of(store, 3, 1, 2)
    first = study.take("r001")
    assert study.take("r001").unit == first.unit
    assert study.take("r002").unit != first.unit
    assert count_units(store, study.rater("r001"), study.design) == (0, 2)  # its own, and the third
    study.finish("r001", first.unit)
    assert study.take("r001").unit not in (first.unit, study.take("r002").unit)
    assert count_units(store, study.rater("r001"), study.design) == (1, 1)


def test_when_all_are_taken_there_is_none(store):
    study = study_of(store, 1, 2, 3)
    assert study.take("r001").unit == study.take("r002").unit
    assert study.take("r003") is None


def test_a_lease_that_ran_out_returns_the_unit_and_the_late_rater_is_told(store, clock):
    study = study_of(store, 1, 1, 2)
    unit = study.take("r001").unit
    clock.now += 3599.9
    assert study.take("r002") is None
    clock.now += 0.1
    assert study.take("r002").unit == unit
    for late in (
        lambda: study.answer("r001", unit, "overall", 1),
        lambda: study.finish("r001", unit),
    ):
        with pytest.raises(Gone) as caught:
            late()
        assert str(caught.value) == (
            "this unit was given to somebody else, as it had been left for long"
        )
    assert study.take("r001") is None


def test_who_is_late_goes_on_where_there_is_room(store, clock):
    study = study_of(store, 1, 1, 2)
    unit = study.take("r001").unit
    clock.now += 4000
    assert study.answer("r001", unit, "overall", 1) == 1  # which renews the lease
    assert study.take("r002") is None
    study.finish("r001", unit)


def test_an_answer_at_the_last_moment_keeps_the_unit(url):
    """Somebody asks for a unit whose lease has run out, while the answer that renews it is being
    written: the unit is not given away."""
    clock, inside, go_on = Clock(), threading.Event(), threading.Event()
    store = Store(url, clock)
    study = study_of(store, 1, 1, 2)
    unit = study.take("r001").unit

    def clock_of_slow_answer() -> float:
        """The third time asked is after the lease was looked at."""
        calls.append(1)
        if len(calls) == 3:
            inside.set()
            go_on.wait(1)
        return 1000.0 + 3599

    slow, calls = Store(url, clock_of_slow_answer), []
    late = Study.__new__(Study)
    late.store, late.design, late.tokens = slow, study.design, study.tokens
    thread = threading.Thread(target=late.answer, args=["r001", unit, "overall", 1])
    thread.start()
    assert inside.wait(20)
    clock.now = 1000.0 + 3601
    assert study.take("r002") is None
    go_on.set()
    thread.join()
    assert [row.value for row in store.rows("s", db.ANSWERS)[0]] == [1]
    store.close()
    slow.close()


def test_a_unit_given_back_is_for_somebody_else_for_good(store):
    study = study_of(store, 1, 1, 2)
    unit = study.take("r001").unit
    skip_unit(store, study.rater("r001"), unit)
    assert study.take("r001") is None
    assert study.take("r002").unit == unit
    for late in (
        lambda: study.finish("r001", unit),
        lambda: study.answer("r001", unit, "overall", 1),
    ):
        with pytest.raises(Gone) as caught:
            late()
        assert str(caught.value) == "this unit was given back"
    study.finish("r002", unit)
    skip_unit(store, study.rater("r002"), unit)  # too late: it is done
    assert [x.rater for x in store.rows("s", db.LEASES)[0] if x.skipped is None] == ["r002"]


def test_an_excluded_rater_leaves_room_for_another(store):
    study = study_of(store, 1, 1, 2)
    study.finish("r001", study.take("r001").unit)
    assert study.take("r002") is None
    store.exclude("s", "r001", "careless")
    assert study.take("r002") is not None


def test_units_that_others_began_come_first_in_an_order_of_each_rater(store):
    study = study_of(store, 30, 2, 4, order="random")
    orders = {}
    for name in ("r001", "r002"):
        taken = []
        for _ in range(10):
            taken.append(study.take(name).unit)
            study.finish(name, taken[-1])
        orders[name] = taken
    assert set(orders["r002"]) == set(orders["r001"])  # so that agreement is known early
    assert orders["r002"] != orders["r001"]
    lease = study.take("r003")
    assert lease.unit not in orders["r001"]
    assert lease.position == 0


def test_sides_and_checks_are_tossed_alike_for_ever(store):
    design = design_of(PREFERRED, rate=Material("x", raters=200), checks=Checks(every=4))
    study = Study(store, design, [dialog_of("a", "a"), dialog_of("b", "b")], 100)
    leases = [study.take(name) for name in study.tokens]
    swapped = Counter(lease.swapped for lease in leases)
    checks = sum(lease.check_item is not None for lease in leases)
    assert 30 <= swapped[True] <= 70  # 4 SD of a fair coin are 20
    assert 8 <= checks <= 42  # a quarter of 100, 4 SD are 17
    again = [study.take(name) for name in study.tokens]
    assert [(x.swapped, x.check_item) for x in again] == [(x.swapped, x.check_item) for x in leases]


def test_dialogs_that_only_come_along_are_not_lent(store):
    from simpatico.questions.question import Question

    fit = Question("fit", "?", "exchange", answers=("no", "yes"))
    study = Study(store, design_of(fit), [dialog_of("d", replies=2)], 1)
    kinds = Counter()
    for _ in range(2):
        lease = study.take("r001")
        kinds[lease.kind] += 1
        study.finish("r001", lease.unit)
    assert kinds == {"exchange": 2}
    assert study.take("r001") is None


def test_every_question_of_turns_makes_one_unit_a_dialog(store):
    study = Study(store, design_of(WARMTH, OVERALL), [dialog_of("d", replies=5)], 1)
    study.finish("r001", study.take("r001").unit)
    assert study.take("r001") is None


def test_nobody_rates_more_than_per_person(store):
    design = design_of(OVERALL, rate=Material("x", raters=1, per_person=2))
    study = Study(store, design, [dialog_of(f"d{n}") for n in range(5)], 2)
    skip_unit(store, study.rater("r001"), study.take("r001").unit)  # which does not count
    assert count_units(store, study.rater("r001"), design) == (0, 2)
    study.rate("r001", lambda lease: [("overall", -1, 50)])
    assert count_units(store, study.rater("r001"), design) == (2, 0)
    study.rate("r002", lambda lease: [("overall", -1, 50)])
    finished = [x.rater for x in store.rows("s", db.LEASES)[0] if x.finished is not None]
    assert Counter(finished) == {"r001": 2, "r002": 2}


# -- who fails checks ------------------------------------------------------------------------------


def answers_of(wrong: int):
    """Answers to a unit; the check's is wrong by so many options."""

    def answers(lease):
        item = msgspec.json.decode(lease.check_item, type=Check)
        return [("warmth", 1, 3), (CHECK, -1, (item.right + wrong) % len(item.options))]

    return answers


def careless_study(store: Store, limit: int | None = 2) -> Study:
    """Three dialogs for one rater each; every one has a check."""
    checks = Checks(every=1, exclude_after=limit)
    design = design_of(WARMTH, rate=Material("x", raters=1), checks=checks)
    return Study(store, design, [dialog_of(f"d{n}") for n in range(3)], 2)


def test_who_fails_enough_checks_is_excluded_and_others_get_the_units(store, clock):
    study = careless_study(store)
    study.rate("r001", answers_of(1), n=1)
    assert study.rater("r001").excluded is None
    study.rate("r001", answers_of(1), n=1)
    assert study.rater("r001").excluded == clock.now
    rows = {row.rater: row.why_excluded for row in store.rows("s", db.RATERS)[0]}
    assert rows == {"r001": "failed 2 checks", "r002": None}
    study.rate("r002", answers_of(0))  # all three: the careless rater's two and the one left
    assert count_units(store, study.rater("r002"), study.design) == (3, 0)
    assert study.rater("r002").excluded is None
    assert len(store.rows("s", db.ANSWERS)[0]) == 4 + 6  # nothing was deleted


def test_a_wrong_check_that_was_corrected_or_a_design_without_the_rule_excludes_nobody(new_url):
    for limit, corrected in ((1, True), (None, False)):
        store = Store(new_url())
        study = careless_study(store, limit)
        lease = study.take("r001")
        for question, turn, value in answers_of(1)(lease):
            study.answer("r001", lease.unit, question, value, turn=turn)
        if corrected:
            right = answers_of(0)(lease)[1][2]
            study.answer("r001", lease.unit, CHECK, right, revision=1)
        study.finish("r001", lease.unit)
        assert study.rater("r001").excluded is None
        store.close()


def test_whom_the_owner_takes_back_the_rule_leaves_alone(store):
    study = careless_study(store, 1)
    study.rate("r001", answers_of(1), n=1)
    assert store.exclude("s", "r001", None)
    assert study.rater("r001").excluded is None
    study.rate("r001", answers_of(1), n=1)
    assert study.rater("r001").excluded is None
    store.exclude("s", "r001", "asked to be left out")  # but the owner can
    assert study.rater("r001").excluded is not None


def test_wrong_gold_answers_exclude_like_checks(store):
    gold = Gold("d0", (Expected("warmth", 5, turn=1), Expected("overall", 90, tolerance=5)))
    design = design_of(WARMTH, OVERALL, gold=(gold,), checks=Checks(every=0, exclude_after=2))
    study = Study(store, design, [dialog_of("d0")], 2)
    study.rate("r001", lambda lease: [("warmth", 1, 1), ("overall", -1, 84)])
    study.rate("r002", lambda lease: [("warmth", 1, 1), ("overall", -1, 85)])
    assert [study.rater(name).excluded is None for name in ("r001", "r002")] == [False, True]


def test_two_units_finished_at_once_are_counted_together(url):
    """Each of the two transactions sees one failed check; whichever is the second sees both."""
    store = Store(url)
    study = careless_study(store)
    rater, units = study.rater("r001"), [row.unit for row in store.rows("s", db.UNITS)[0]][:2]
    with store.write() as c:  # a rater has one open unit; a race of two tabs could have made two
        for unit in units:
            insert_lease(c, rater, unit, study.design, time.time())
    for lease in store.rows("s", db.LEASES)[0]:
        for question, turn, value in answers_of(1)(lease):
            study.answer("r001", lease.unit, question, value, turn=turn)
    threads = [threading.Thread(target=study.finish, args=("r001", unit)) for unit in units]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.rater("r001").excluded is not None
    store.close()
