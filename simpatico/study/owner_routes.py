"""What the page of a study's owner may ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Annotated, Any, Literal

import msgspec

from simpatico.serve.app import Download, Empty, Problem, Route
from simpatico.study.design import Design, role_problem
from simpatico.study.export import export_archive
from simpatico.study.overview import overview
from simpatico.study.results import collect
from simpatico.study.store import Store

FRESH_SECONDS = 15
"""After which the page is computed anew even without a new answer, as leases run out."""
REST = 9
"""How many times as long as it took to compute the page it stays as it is: with people who answer
all the time and an owner with several windows, raters keep nine tenths of the server."""


class PauseBody(msgspec.Struct, forbid_unknown_fields=True):
    paused: bool


class RatersBody(msgspec.Struct, forbid_unknown_fields=True):
    role: Literal["interlocutor", "outsider"]
    number: Annotated[int, msgspec.Meta(ge=1, le=1000)]


class ExcludeBody(msgspec.Struct, forbid_unknown_fields=True):
    """A reason excludes a rater; null takes it back."""

    rater: Annotated[str, msgspec.Meta(max_length=80)]
    why: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None


@dataclass
class OwnerRoutes:
    """One study as its owner sees it."""

    store: Store
    design: Design
    _overview: tuple[object, dict[str, Any]] | None = None
    _rests_until: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def routes(self) -> list[Route]:
        """Everything that can be asked."""
        table: list[tuple[str, str, Callable[[Any], object], type]] = [
            ("GET", "overview", self.overview, Empty),
            ("POST", "pause", self.pause, PauseBody),
            ("POST", "raters", self.add_raters, RatersBody),
            ("POST", "exclude", self.exclude, ExcludeBody),
            ("GET", "export", self.export, Empty),
        ]
        return [
            Route(m, f"/api/owner/{name}", self.as_owner(f), b, slow=m == "GET")
            for m, name, f, b in table
        ]

    def as_owner(self, handler: Callable[[Any], object]) -> Callable[[str, Any], object]:
        """The handler for whoever has the owner's token; others are refused."""

        def call(token: str, body: object) -> object:
            if not token or self.store.study_of_owner(token) != self.design.name:
                raise Problem(401, "this link is not valid")
            return handler(body)

        return call

    def overview(self, body: Empty) -> dict[str, Any]:
        """The owner's page as of `now`; computed anew only when something has changed."""
        study, now = self.design.name, self.store.clock()
        version = (*self.store.newest(study), int(now) // FRESH_SECONDS)
        with self._lock:
            begun = monotonic()
            stale = self._overview and self._overview[0] != version and begun > self._rests_until
            if self._overview is None or stale:
                facts = overview(collect(self.store, study), now)
                self._overview = version, {**facts, "now": now}
                ended = monotonic()
                self._rests_until = ended + REST * (ended - begun)
            return {**self._overview[1], "paused": self.store.is_paused(study)}

    def changed(self) -> dict[str, Any]:
        with self._lock:
            self._overview = None
        return {}

    def pause(self, body: PauseBody) -> dict[str, Any]:
        self.store.pause(self.design.name, paused=body.paused)
        return self.changed()

    def add_raters(self, body: RatersBody) -> dict[str, Any]:
        """Names and tokens of new raters: the only time that the tokens are shown."""
        if problem := role_problem(self.design, body.role):
            raise Problem(409, problem)
        people = self.store.add_raters(self.design.name, body.role, body.number)
        self.changed()
        return {"raters": [{"rater": name, "token": token} for name, token in people]}

    def exclude(self, body: ExcludeBody) -> dict[str, Any]:
        if not self.store.exclude(self.design.name, body.rater, body.why):
            raise Problem(404, "there is no such rater")
        return self.changed()

    def export(self, body: Empty) -> Download:
        results = collect(self.store, self.design.name)
        return Download(f"{self.design.name}.zip", export_archive(results))
