"""Several requests on one line: one after the other, at once, and after a refusal."""

from tests.serve.site import Client, bearer, request


def test_a_line_serves_request_after_request(site):
    client = Client(site.port)
    paths = ["/", "/api/me", "/nothing", "/static/rater.js", "/api/owner/overview", "/owner"] * 5
    statuses = [client.ask("GET", path, bearer(site.outsiders[0])).status for path in paths]
    assert statuses == [200, 200, 404, 200, 401, 200] * 5
    client.close()


def test_requests_sent_at_once_are_answered_in_order(site):
    client = Client(site.port)
    token = bearer(site.outsiders[0])
    requests = [
        request(site.port, "GET", "/api/me", token),
        request(site.port, "POST", "/api/answer", token, body=b"[]"),
        request(site.port, "GET", "/nothing"),
        request(site.port, "POST", "/api/next", token, body=b"{}"),
    ]
    client.send(b"".join(requests * 10))
    assert [client.read().status for _ in range(40)] == [200, 400, 404, 200] * 10
    client.close()


def test_what_follows_a_refusal_on_its_line_is_not_read(site):
    """Else a body could be taken for a request of somebody else on a proxy's line."""
    client = Client(site.port)
    smuggled = request(site.port, "GET", "/owner")
    client.send(request(site.port, "POST", "/", "Host: evil.example", body=smuggled))
    answer = client.read()
    assert (answer.status, answer.values("connection")) == (421, ["close"])
    assert client.read().status == 0
    client.close()


def test_head_is_get_without_its_body(site):
    for path in [path for _, path in site.routes()] + ["/nothing"]:
        whole, head = (site.ask(method, path) for method in ("GET", "HEAD"))
        assert (head.status, head.body) == (whole.status, b"")
        assert dict(head.headers) | {"date": ""} == dict(whole.headers) | {"date": ""}


def test_a_body_is_awaited_only_where_it_may_be_sent(site):
    """A client that asks first (`Expect: 100-continue`) is not asked for what is too large."""
    expect = "Expect: 100-continue"
    client = Client(site.port)
    client.send(request(site.port, "POST", "/api/next", expect, "Content-Length: 99999999"))
    assert client.read().status == 413
    client.close()
    client = Client(site.port)
    client.send(request(site.port, "POST", "/api/next", expect, "Content-Length: 2"))
    assert client.until(b"\r\n\r\n").startswith(b"HTTP/1.1 100")
    client.send(b"{}")
    assert client.read().status == 401
    client.close()
