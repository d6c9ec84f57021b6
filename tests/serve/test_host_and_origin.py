"""A page elsewhere cannot use this server: by a name that resolves here, or by a request across sites.

Every request has a valid token, so that only Host, Origin and Sec-Fetch stand in its way.
"""

import itertools

import pytest

from simpatico.study.server import PAGES
from tests.serve.site import Client, ask, bearer, request

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "WebSocket")
HOSTS = (
    "evil.example", "evil.example:PORT", "192.168.evil.example:PORT", "localhost.evil.example:PORT",
    "127.0.0.1.evil.example:PORT", "evil-localhost:PORT", "localhost.:PORT", "127.0.0.1.:PORT",
    "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:1", "127.0.0.1:0PORT", "127.0.0.1:PORT0",
    "127.0.0.1:", "user@127.0.0.1:PORT", "user:pw@localhost:PORT", "[::1]:PORT", "::1",
    "[::ffff:127.0.0.1]:PORT", "0.0.0.0:PORT", "127.1:PORT", "2130706433:PORT", "127.0.0.2:PORT",
    "0x7f.0.0.1:PORT", "", "http://127.0.0.1:PORT", "127.0.0.1:PORT, evil.example",
    "127.0.0.1:PORT evil.example", "127.0.0.1:PORT/", "127.0.0.1:PORT#", "xn--lcalhost-9sb:PORT",
)  # fmt: skip
ORIGINS = (
    "null", "", "*", "http://evil.example", "http://evil.example:PORT", "https://127.0.0.1:PORT",
    "http://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1:PORT0", "http://localhost:PORT",
    "http://127.0.0.1.evil.example:PORT", "http://127.0.0.1:PORT.evil.example",
    "http://user@127.0.0.1:PORT", "http://127.0.0.1:PORT/", "http://127.0.0.1.:PORT",
    "http://[::1]:PORT", "ws://127.0.0.1:PORT", "file://", "chrome-extension://abcdef",
    "127.0.0.1:PORT", "//127.0.0.1:PORT", "http://127.0.0.1:PORT http://evil.example",
)  # fmt: skip
SITE, MODE = "Sec-Fetch-Site: ", "Sec-Fetch-Mode: "
REFUSED = {
    **{f"Host {host}": [f"Host: {host}"] for host in HOSTS},
    **{f"Origin {origin}": [f"Origin: {origin}"] for origin in ORIGINS},
    "no Host": ["Host-"],
    "Host twice": ["Host: 127.0.0.1:PORT", "Host: 127.0.0.1:PORT"],
    "two Hosts": ["Host: 127.0.0.1:PORT", "Host: evil.example"],
    "two Origins": ["Origin: http://127.0.0.1:PORT", "Origin: http://evil.example"],
    "cross-site": [f"{SITE}cross-site"],
    "cross-site, no-cors": [f"{SITE}cross-site", f"{MODE}no-cors"],
    "cross-site, navigate": [f"{SITE}cross-site", f"{MODE}navigate"],
    "same-site": [f"{SITE}same-site"],
    "site in capitals": [f"{SITE}CROSS-SITE"],
    "site unknown": [f"{SITE}elsewhere"],
    "site empty": [SITE],
    "two sites": [f"{SITE}same-origin", f"{SITE}cross-site"],
    "cross-site with our Origin": [f"{SITE}cross-site", "Origin: http://127.0.0.1:PORT"],
    "other Host with its Origin": ["Host: evil.example:PORT", "Origin: http://evil.example:PORT"],
}
UPGRADE = (
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip


def send(site, method, path, headers):
    headers = [h.replace("PORT", str(site.port)) for h in headers]
    if method == "WebSocket":
        return site.ask("GET", path, *headers, *UPGRADE)
    return site.ask(method, path, *headers, body=None if method in ("GET", "HEAD") else b"{}")


TABLES = ("studies", "raters", "leases", "answers", "talks", "messages", "panelists")
PAGE_ONLY = {name for name in REFUSED if name.endswith("navigate")}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_on_every_route_with_every_method(site, name):
    """But a link from elsewhere may open a page, which holds nothing."""
    assert len(REFUSED) >= 60
    assert {"/panel", "/api/enrol", "/owner", "/static/rater.js"} <= {p for _, p in site.routes()}
    before = [site.rows(table) for table in TABLES]
    for (_, path), method in itertools.product(site.routes(), METHODS):
        answer = send(site, method, path, [bearer(site.token_for(path)), *REFUSED[name]])
        if path in PAGES and name in PAGE_ONLY and method in ("GET", "WebSocket"):
            assert answer.status == 200, (method, path, answer)
        else:
            assert answer.status in (400, 403, 421), (method, path, answer)
            assert len(answer.body) < 100
    assert [site.rows(table) for table in TABLES] == before


ALLOWED = {
    "a link from another site": ("GET", "/", [f"{SITE}cross-site", f"{MODE}navigate"]),
    "a link within the site": ("GET", "/owner", [f"{SITE}same-site", f"{MODE}navigate"]),
    "typed by hand": ("GET", "/", [f"{SITE}none", f"{MODE}navigate"]),
    "a file of the page": ("GET", "/static/rater.js", [f"{SITE}same-origin", f"{MODE}no-cors"]),
    "the page asks": ("GET", "/api/me", [f"{SITE}same-origin", f"{MODE}cors"]),
    "the page sends": ("POST", "/api/next", [f"{SITE}same-origin", "Origin: http://127.0.0.1:PORT"]),
    "the page under its other name": (
        "POST", "/api/next", ["Host: localhost:PORT", "Origin: http://localhost:PORT"],
    ),
    "in capitals": ("GET", "/api/me", ["Host: LOCALHOST:PORT", "Origin: HTTP://LOCALHOST:PORT"]),
    "no browser": ("GET", "/api/me", []),
    "no browser sends": ("POST", "/api/next", []),
}  # fmt: skip


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(site, name):
    method, path, headers = ALLOWED[name]
    assert send(site, method, path, [bearer(site.outsiders[0]), *headers]).status == 200


def test_there_are_no_web_sockets(site):
    answers = [send(site, "WebSocket", path, []) for path in ("/", "/api/me", "/nothing")]
    assert [a.status for a in answers] == [200, 401, 404]


def test_a_request_that_names_another_host_in_its_target_finds_nothing(site):
    for target in ("http://evil.example/api/me", f"http://127.0.0.1:{site.port}/api/me", "*"):
        assert ask(site.port, "GET", target, bearer(site.outsiders[0])).status == 404
    client = Client(site.port)
    client.send(request(site.port, "GET", "/api/me", "Host: 127.0.0.1", " evil.example"))
    assert client.read().status == 421  # the folded line is a part of the value
    client.close()
