"""A study behind its pages: the application that `simpatico study serve` runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simpatico.bots.bot import Bot
from simpatico.serve.app import build_app, read_files
from simpatico.serve.security import App
from simpatico.study.design import Design
from simpatico.study.owner_routes import OwnerRoutes
from simpatico.study.rater_routes import RaterRoutes
from simpatico.study.store import Store

PAGES = {"/": "rater.html", "/owner": "owner.html"}


def study_app(
    store: Store, design: Design, bots: Mapping[str, Bot], *, origins: frozenset[str]
) -> App:
    """The application of one study; `origins`: where browsers find it."""
    routes = [*RaterRoutes(store, design, bots).routes(), *OwnerRoutes(store, design).routes()]
    files = read_files(Path(__file__).parent / "pages")
    return build_app(routes, files, PAGES, origins=origins)
