"""A study behind its pages: the application that `simpatico study serve` runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simpatico.bots.bot import Bot, Settings
from simpatico.bots.spec import load_bot
from simpatico.errors import BadValue, DataError, MissingResource, UnknownName
from simpatico.serve.app import build_app, read_files
from simpatico.serve.security import App
from simpatico.study.design import BotChoice, Design
from simpatico.study.owner_routes import OwnerRoutes
from simpatico.study.panel import PanelRoutes
from simpatico.study.rater_routes import RaterRoutes
from simpatico.study.store import Store

PAGES = {"/": "rater.html", "/panel": "rater.html", "/owner": "owner.html"}


def study_app(
    store: Store, design: Design, bots: Mapping[str, Bot], *, origins: frozenset[str]
) -> App:
    """The application of one study; `origins`: where browsers find it."""
    raters, owner = RaterRoutes(store, design, bots), OwnerRoutes(store, design)
    routes = [*raters.routes(), *owner.routes(), *PanelRoutes(store, design).routes()]
    files = read_files(Path(__file__).parent / "pages")
    return build_app(routes, files, PAGES, origins=origins)


def load_bots(design: Design) -> dict[str, Bot]:
    """The bots of a study, by the names that the study gives them."""
    return {bot.name: load_choice(bot) for bot in (design.talk.bots if design.talk else ())}


def load_choice(bot: BotChoice) -> Bot:
    """One bot of a study; what is wrong with it is said with its name."""
    settings = Settings(
        temperature=bot.temperature, max_tokens=bot.max_tokens, instruction=bot.instruction
    )
    try:
        return load_bot(bot.spec, settings)
    except (BadValue, DataError, MissingResource, UnknownName) as error:
        raise type(error)(f"[talk]: bot {bot.name!r}: {error}") from None
