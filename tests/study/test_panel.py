"""One link for a panel: the same person is the same rater, and no more come than are wanted."""

import base64
import threading

from simpatico.study import schema as db
from simpatico.study.design import BotChoice, Checks, Panel, Talk
from simpatico.study.panel import enrol, is_panel_token, new_panel_token, personal_token
from simpatico.study.results import collect
from simpatico.study.store import Store
from simpatico.study.talks import end_talk, open_talk
from simpatico.study.units import units_of
from tests.study.conftest import OVERALL, WARMTH, design_of, dialog_of


def panel_study(store: Store, max_raters: int = 3):
    """A study with a panel, and the token of its link."""
    design = design_of(WARMTH, panel=Panel(max_raters))
    store.add_study(design, units_of(design, [dialog_of("d")]))
    return design, new_panel_token(store, "s")


def names(store: Store) -> dict[str, str]:
    return {row.person: row.rater for row in store.rows("s", db.PANELISTS)[0]}


def test_the_same_person_is_the_same_rater_and_the_panel_has_an_end(store):
    design, token = panel_study(store, 2)
    assert len(base64.urlsafe_b64decode(token)) * 8 == 192
    first = enrol(store, design, panel_token=token, person="p1")
    assert enrol(store, design, panel_token=token, person="p1") == first
    assert enrol(store, design, panel_token=token, person="p2") not in (None, first)
    assert enrol(store, design, panel_token=token, person="p3") is None
    assert enrol(store, design, panel_token=token, person="p1") == first  # who is in stays in
    assert names(store) == {"p1": "r001", "p2": "r002"}
    assert (store.rater(first).rater, store.rater(first).role) == ("r001", "outsider")
    assert len(base64.urlsafe_b64decode(first)) * 8 == 192


def test_people_who_come_together_are_enrolled_once_and_never_too_many(url):
    store = Store(url)
    design, token = panel_study(store, 5)
    found, errors = [], []

    def come(n: int) -> None:
        try:
            found.append(enrol(store, design, panel_token=token, person=f"p{n % 8}"))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=come, args=[n]) for n in range(32)]  # each four times
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(names(store)) == len(set(names(store).values())) == 5
    assert len(set(found) - {None}) == 5
    assert found.count(None) == 12  # three people, four times each
    store.close()


def test_a_new_link_voids_the_one_before_and_people_stay_who_they_are(store):
    design, token = panel_study(store)
    first = enrol(store, design, panel_token=token, person="p1")
    assert new_panel_token(store, "s") is None
    second = new_panel_token(store, "s", replace=True)
    assert [is_panel_token(store, "s", t) for t in (token, second, first)] == [False, True, False]
    own = enrol(store, design, panel_token=second, person="p1")
    assert (store.rater(first), store.rater(own).rater) == (None, "r001")


def test_the_id_is_in_no_export_and_goes_with_a_purge(store):
    design, token = panel_study(store)
    enrol(store, design, panel_token=token, person="p1")
    results = collect(store, "s")
    assert results.people == {"r001": "p1"}
    assert not [row for row in results.answer_rows() if "p1" in row.values()]
    store.purge("s", "r001")
    assert names(store) == {}
    assert store.rows("s", db.RATERS) == [[]]


def test_personal_tokens_differ_by_panel_and_by_person():
    tokens = {personal_token(a, b) for a in ("x", "y") for b in ("p", "q")}
    assert len(tokens) == 4


def test_an_excluded_interlocutor_leaves_the_talk_to_another(store):
    talk = Talk((BotChoice("alpha", "script:echo"),), dialogs_per_bot=1, min_turns=2)
    design = design_of(OVERALL, talk=talk, checks=Checks(every=0))
    store.add_study(design, [])
    first, second = (store.rater(t) for _, t in store.add_raters("s", "interlocutor", 2))
    end_talk(store, first, design, open_talk(store, first, design), [])
    assert open_talk(store, second, design) is None
    store.exclude("s", "r001", "careless")
    assert open_talk(store, second, design) is not None
