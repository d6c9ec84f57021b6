"""Every answer says of itself what it may do, whoever made it: route, router, guard or protocol."""

import itertools

import pytest

from simpatico.serve import security
from simpatico.serve.app import Route, Stream, build_app
from simpatico.serve.security import HEADERS, MAX_HEAD, Limits
from tests.serve.site import Client, ask, bearer, request, serving
from tests.serve.test_tokens import body_for

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW")
CANARY = "Zebra-4711"


def faults(answer):
    """The headers that are missing, repeated or different."""
    return [name for name, value in HEADERS.items() if answer.values(name) != [value]]


def test_on_every_route_and_method(site):
    paths = {path for _, path in site.routes()} | {"/nothing", "/owner/", "/static/", "//"}
    assert paths > {"/panel", "/api/enrol", "/api/say", "/api/owner/export"}
    statuses = set()
    for path, method, token in itertools.product(sorted(paths), METHODS, (True, False)):
        headers = [bearer(site.token_for(path))] if token else []
        for body in (None, b"{}", body_for("POST", path)):
            answer = site.ask(method, path, *headers, body=body)
            assert not faults(answer), (method, path, answer)
            statuses.add(answer.status)
    assert statuses == {200, 400, 401, 403, 404, 405, 410}


def fail(token, body):
    raise KeyError(CANARY)


def fail_late(token, body):
    def pieces():
        yield {"piece": "first"}
        raise KeyError(CANARY)

    return Stream(pieces())


def small_app(origins, limits=None):
    routes = [Route("POST", "/fail", fail), Route("POST", "/late", fail_late)]
    return build_app(routes, {"a.html": b"a"}, {"/": "a.html"}, origins=origins, limits=limits)


@pytest.fixture(scope="module")
def port():
    with pytest.MonkeyPatch.context() as patch, serving(small_app) as port:
        patch.setattr(security, "BODY_SECONDS", 0.2)
        yield port


REFUSALS = {
    "no HTTP": (400, lambda p: b"\x16\x03\x01\x02\x00\r\n\r\n"),
    "no Host": (400, lambda p: request(p, "GET", "/", "Host-")),
    "two Hosts": (400, lambda p: request(p, "GET", "/", "Host: a", "Host: b")),
    "two lengths": (400, lambda p: request(p, "POST", "/", "Transfer-Encoding: chunked", body=b"")),
    "bad chunk": (400, lambda p: request(p, "POST", "/", "Transfer-Encoding: chunked") + b"x\r\n"),
    "unknown coding": (400, lambda p: request(p, "POST", "/", "Transfer-Encoding: gzip")),
    "two Origins": (400, lambda p: request(p, "GET", "/", "Origin: a", "Origin: b")),
    "other origin": (403, lambda p: request(p, "GET", "/", "Origin: http://evil.example")),
    "no such path": (404, lambda p: request(p, "GET", "/nothing")),
    "no such method": (405, lambda p: request(p, "DELETE", "/")),
    "late body": (408, lambda p: request(p, "POST", "/fail", "Content-Length: 9")),
    "large body": (413, lambda p: request(p, "POST", "/fail", "Content-Length: 99999999")),
    "other host": (421, lambda p: request(p, "GET", "/", "Host: evil.example")),
    "large head": (431, lambda p: request(p, "GET", "/", f"X: {'x' * MAX_HEAD}")),
    "endless head": (431, lambda p: b"GET / HTTP/1.1\r\nX: " + b"x" * 300_000),
    "failure": (500, lambda p: request(p, "POST", "/fail", body=b"")),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_on_every_refusal(port, name):
    status, data = REFUSALS[name]
    client = Client(port)
    client.send(data(port))
    answer = client.read()
    assert (answer.status, faults(answer)) == (status, [])
    client.close()


def test_of_405_the_methods_are_named(port):
    (methods,) = ask(port, "DELETE", "/").values("allow")
    assert set(methods.split(", ")) == {"GET", "HEAD"}


def test_when_busy():
    with serving(lambda origins: small_app(origins, Limits(waiting=0))) as port:
        answer = ask(port, "GET", "/nothing")
    assert (answer.status, answer.values("retry-after"), faults(answer)) == (503, ["1"], [])
    assert answer.body == b'{"problem":"busy"}'


def test_a_failure_shows_and_logs_its_place_but_not_its_text(port, capfd, caplog):
    """The text of an error of the database, for one, has the parameters of the statement."""
    early, late = (ask(port, "POST", path, body=b"") for path in ("/fail", "/late"))
    assert (early.status, early.body) == (500, b'{"problem":"internal error"}')
    assert (late.status, late.body) == (200, b'{"piece":"first"}\n{"problem":"internal error"}\n')
    assert [r.getMessage().partition(":")[0] for r in caplog.records] == [
        f"KeyError in {__file__}"
    ] * 2
    assert CANARY not in caplog.text + "".join(capfd.readouterr())
