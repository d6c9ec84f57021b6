"""Units on loan: whose turn it is, what runs out, and what is given back."""

import threading
from collections import Counter

import pytest

from simpatico.study import schema as db
from simpatico.study.design import Checks, Material
from simpatico.study.loans import count_units, skip_unit
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
    assert count_units(store, study.rater("r001")) == (0, 2)  # its own, and the third
    study.finish("r001", first.unit)
    assert study.take("r001").unit not in (first.unit, study.take("r002").unit)
    assert count_units(store, study.rater("r001")) == (1, 1)


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
    from simpatico.study.design import Question

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
