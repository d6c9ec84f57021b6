"""A token opens one role of one study, and is nowhere but in its link.

Tokens are compared by looking up their SHA-256: what the time of a lookup could tell is how a guess's
hash compares with a stored one, and nobody can choose guesses by their hash.
"""

import base64
import itertools
import math
from pathlib import Path

import msgspec
import pytest

from simpatico.study.store import new_token
from tests.serve.site import bearer

ANSWER = {"question": "warmth", "turn": 1, "value": 1, "state": "given", "revision": 0}
BODIES = {
    "/api/training": {"number": 0, "answers": {}},
    "/api/answer": {"unit": "UNIT", **ANSWER, "key": "k" * 16},
    "/api/finish": {"unit": "UNIT"},
    "/api/skip": {"unit": "UNIT"},
    "/api/say": {"unit": "UNIT", "position": 0, "text": "Hello"},
    "/api/end": {"unit": "UNIT"},
    "/api/enrol": {"parameters": {"PROLIFIC_PID": "5f3c"}},
    "/api/owner/pause": {"paused": True},
    "/api/owner/raters": {"role": "outsider", "number": 1},
    "/api/owner/exclude": {"rater": "r001", "why": "because"},
}
"""Bodies that are right, so that only the token can be wrong."""


def body_for(method, path, unit="d1"):
    if method == "GET":
        return None
    return msgspec.json.encode(BODIES.get(path, {})).replace(b"UNIT", unit.encode())


def api(site, owner):
    routes = [r for r in site.routes("/api/") if r[1] != "/api/enrol"]
    return [r for r in routes if ("/owner/" in r[1]) == owner]


def wrong_credentials(site, others):
    one = others[0]
    return [
        [], ["Authorization: "], ["Authorization: Bearer"], ["Authorization: Bearer "],
        [bearer(new_token())], [bearer("0" * 64)], [bearer("' OR '1'='1")], [bearer("\xff\xfe")],
        [bearer(one[:-1])], [bearer(one + "A")], [bearer(one.swapcase())], [f"Authorization: {one}"],
        [f"Authorization: Basic {one}"], [f"Cookie: token={one}"], *([bearer(t)] for t in others),
    ]  # fmt: skip


@pytest.mark.parametrize("owner", [False, True])
def test_every_route_refuses_every_other_token(site, owner):
    """No token, a wrong one, one of the other role and those of another study."""
    roles = [site.outsiders[0], site.talkers[0]] if owner else [site.owner]
    others = [*roles, site.stranger, site.landlord, site.panel, site.other_panel]
    credentials = wrong_credentials(site, others)
    routes = api(site, owner)
    assert ("GET", "/api/owner/export" if owner else "/api/me") in routes
    for (method, path), headers in itertools.product(routes, credentials):
        answer = site.ask(method, path, *headers, body=body_for(method, path))
        assert (answer.status, answer.body) == (401, b'{"problem":"this link is not valid"}'), path
    assert not site.store.is_paused("probe")
    assert site.rows("leases") == site.rows("answers") == []
    assert len(site.rows("raters")) == 80


def test_only_the_panels_own_token_enrols(site):
    others = [site.outsiders[0], site.owner, site.stranger, site.landlord, site.other_panel]
    body = body_for("POST", "/api/enrol")
    for headers in wrong_credentials(site, [*others, site.panel[:-1]]):
        answer = site.ask("POST", "/api/enrol", *headers, body=body)
        assert (answer.status, answer.body) == (401, b'{"problem":"this link is not valid"}')
    assert site.rows("panelists") == []
    assert len(site.rows("raters")) == 80


def enrol(site, **parameters):
    body = msgspec.json.encode({"parameters": parameters})
    answer = site.ask("POST", "/api/enrol", bearer(site.panel), body=body)
    return answer.status, msgspec.json.decode(answer.body)


def test_a_panel_takes_each_person_once_and_no_more_than_it_has_places(site):
    status, first = enrol(site, PROLIFIC_PID="5f3c", STUDY_ID="x", SESSION_ID="y")
    assert status == 200
    assert enrol(site, PROLIFIC_PID="5f3c") == (200, first)
    me = msgspec.json.decode(site.ask("GET", "/api/me", bearer(first["token"])).body)
    assert (me["rater"], me["role"], me["state"]) == ("r081", "outsider", "work")
    missing = {
        "problem": "there is no id of a person",
        "text": "This link lacks your participant id. Please open the study from the platform once "
        "more.",
    }
    for wrong in ({}, {"pid": "5f3c"}, *({"PROLIFIC_PID": x} for x in (
        "", "{{%PROLIFIC_PID%}}", "ID here", "a" * 201, "<b>", "\0", "ä", "5f3c\n",
    ))):  # fmt: skip
        assert enrol(site, **wrong) == (400, missing), wrong
    assert [enrol(site, PROLIFIC_PID=person)[0] for person in ("b", "c", "d", "5f3c")] == [
        200, 200, 403, 200,
    ]  # fmt: skip
    assert enrol(site, PROLIFIC_PID="d") == (403, {
        "problem": "the panel is full",
        "text": "Thank you for your interest: all places of this study are taken.",
    })  # fmt: skip
    assert {row.person: row.rater for row in site.rows("panelists")} == {
        "5f3c": "r081", "b": "r082", "c": "r083",
    }  # fmt: skip
    tokens_after = site.ask("POST", "/api/enrol", bearer(first["token"]), body=b"{}")
    assert tokens_after.status in (400, 401)


def test_a_token_in_the_address_is_none(site):
    answer = site.ask("GET", f"/api/me?token={site.outsiders[0]}")
    assert answer.status == 401


def unit_of(site, token):
    return msgspec.json.decode(site.ask("POST", "/api/next", bearer(token)).body)["unit"]


def test_the_unit_of_another_rater_is_gone(site):
    rated, talk = unit_of(site, site.outsiders[0]), unit_of(site, site.talkers[0])
    for path in (p for p, body in BODIES.items() if "unit" in body):
        for token, unit in itertools.product((site.outsiders[1], site.talkers[1]), (rated, talk)):
            answer = site.ask("POST", path, bearer(token), body=body_for("POST", path, unit))
            assert answer.status == 410, (path, answer)
    assert site.rows("answers") == site.rows("messages") == []


def test_tokens_have_at_least_128_random_bits():
    tokens = {new_token() for _ in range(2_000)}
    assert len(tokens) == 2_000
    assert {len(base64.urlsafe_b64decode(token)) * 8 for token in tokens} == {192}
    ones = sum(int.from_bytes(base64.urlsafe_b64decode(t)).bit_count() for t in tokens)
    n = 2_000 * 192
    assert abs(ones - n / 2) < 5 * math.sqrt(n) / 2  # five standard deviations


def test_no_token_is_in_the_store(site):
    files = list(Path(site.store.engine.url.database).parent.glob("store.sqlite*"))
    content = b"".join(file.read_bytes() for file in files)
    tokens = [site.owner, site.landlord, site.stranger, site.panel, *site.outsiders, *site.talkers]
    assert len(content) > 10_000
    assert not [token for token in tokens if token.encode() in content]
