"""A panel: one link for all people of a crowd platform, which adds an id of each to the address.

Whoever comes with the same id is the same rater, on whatever device. The id is stored as it is,
since the owner has to find the person on the platform again, to pay or to ask; it is a pseudonym
of the platform, shown to the owner alone and never exported.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from simpatico.serve.app import Problem, Route
from simpatico.study import schema as db
from simpatico.study.design import Design
from simpatico.study.store import (
    Store,
    count_of,
    hash_token,
    lock_study,
    new_token,
    select_where,
    update_where,
)
from simpatico.study.texts import page_texts

PERSON = re.compile(r"[\w.@:-]{1,200}", re.ASCII)
"""An id of a platform; the placeholder that it should have filled in is none."""


def new_panel_token(store: Store, study: str, *, replace: bool = False) -> str | None:
    """The token of a study's panel, which is shown this once; null if there is one already."""
    token = new_token()
    with store.write() as c:
        lock_study(c, study)
        found = c.execute(select_where(db.PANELS, study=study)).first()
        if found and not replace:
            return None
        change = update_where(db.PANELS, study=study) if found else db.PANELS.insert()
        c.execute(change.values(study=study, token_hash=hash_token(token)))
    return token


def is_panel_token(store: Store, study: str, token: str) -> bool:
    with store.read() as c:
        found = select_where(db.PANELS, study=study, token_hash=hash_token(token))
        return c.execute(found).first() is not None


def personal_token(panel_token: str, person: str) -> str:
    """The token of a person of a panel: always the same, though only its hash is stored."""
    digest = hmac.digest(panel_token.encode(), person.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:24]).decode()


def enrol(store: Store, design: Design, *, panel_token: str, person: str) -> str | None:
    """The personal token of somebody of the panel; null if all of its places are taken."""
    token, study, panel = personal_token(panel_token, person), design.name, design.panel
    with store.write() as c:
        lock_study(c, study)
        if known := c.execute(select_where(db.PANELISTS, study=study, person=person)).first():
            own = update_where(db.RATERS, study=study, rater=known.rater)
            c.execute(own.values(token_hash=hash_token(token)))  # another one after a new link
            return token
        n = c.scalar(count_of(db.PANELISTS, study=study)) or 0
        if panel is None or n >= panel.max_raters:
            return None
        (name,) = store.insert_raters(c, study, panel.role, [token])
        c.execute(db.PANELISTS.insert().values(study=study, person=person, rater=name))
    return token


class EnrolBody(msgspec.Struct, forbid_unknown_fields=True):
    """Everything in the address that could be the id, by name."""

    parameters: Annotated[dict[str, str], msgspec.Meta(max_length=50)]


@dataclass(frozen=True)
class PanelRoutes:
    """What the link of a panel opens: a personal one."""

    store: Store
    design: Design

    def routes(self) -> list[Route]:
        return [Route("POST", "/api/enrol", self.enrol, EnrolBody)]

    def enrol(self, token: str, body: EnrolBody) -> dict[str, Any]:
        """The token of a person's own link; texts of refusals are in the language of the study."""
        design, texts = self.design, page_texts(self.design.language)
        if not (design.panel and token and is_panel_token(self.store, design.name, token)):
            raise Problem(401, "this link is not valid")
        person = body.parameters.get(design.panel.parameter, "")
        if not PERSON.fullmatch(person):
            raise Problem(400, "there is no id of a person", text=texts["panel_no_id"])
        own = enrol(self.store, design, panel_token=token, person=person)
        if own is None:
            raise Problem(403, "the panel is full", text=texts["panel_full"])
        return {"token": own}
