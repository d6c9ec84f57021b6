"""The owner's page while people answer: it is not computed for every answer and every window."""

from simpatico.serve.app import Empty
from simpatico.study import owner_routes
from simpatico.study.owner_routes import REST, OwnerRoutes, PauseBody
from tests.study.conftest import OVERALL, Study, design_of, dialog_of


def test_the_page_rests_after_it_was_computed(store, clock, monkeypatch):
    """Computing takes a second here: for nine more the page is the same, but for the owner's own."""
    study = Study(store, design_of(OVERALL), [dialog_of("d")], 2)
    seconds = iter([0, 1, REST, REST + 2, REST + 3, REST + 4, REST + 5])
    monkeypatch.setattr(owner_routes, "monotonic", lambda: next(seconds))
    routes = OwnerRoutes(store, study.design)
    first = routes.overview(Empty())
    assert (first["now"], first["holding"]) == (1000.0, [])
    study.take("r001")
    clock.now += 20
    assert routes.overview(Empty()) == first
    later = routes.overview(Empty())
    assert (later["now"], [h["rater"] for h in later["holding"]]) == (1020.0, ["r001"])
    routes.pause(PauseBody(True))
    study.take("r002")
    paused = routes.overview(Empty())
    assert (paused["paused"], len(paused["holding"])) == (True, 2)
