"""Whatever a body is, the answer is no failure of the server, and repeats nothing of it."""

import gzip
import itertools
import json

import msgspec
import pytest

from tests.serve.site import Client, bearer
from tests.serve.test_tokens import BODIES

CANARY = "Zebra-4711"
DEEP = 30_000  # brackets and colons of that many levels are below the limit of a body
NO_JSON = [
    *(
        CANARY,
        f'"{CANARY}',
        f'{{"{CANARY}"',
        f"{{{CANARY}: 1}}",
        f"['{CANARY}']",
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        '{"unit"',
        '{"unit":',
        '{"unit":"',
        '{"unit":"d1"',
        '{"unit":"d1",',
        '{"unit":"d1",}',
        "{,}",
        "tru",
    ),
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        '{"value":NaN}',
        '{"value":-Infinity}',
        '{"unit":"d1"}x',
        "{}{}",
    ),
    *('{"unit":"\\ud800"}', '{"unit":"\\udfff\\ud800"}', '{"\\udc00":1}', '{"unit":"\\u12"}'),
    *('{"unit":"\\x41"}', '{"unit":"a\nb"}', '{"unit":"\x00"}', '{"number":01}', '{"number":+1}'),
    *(
        '{"number":.5}',
        '{"number":1.}',
        '{"number":0x1}',
        '{"a":1 "b":2}',
        "// x\n{}",
        "{} /* x */",
    ),
    *(
        "\ufeff{}",
        "<xml/>",
        "paused=true",
        "a=1&b=2",
        "\x00",
        " ",
        "\n",
        "'{}'",
        "{]",
        "[}",
        "--x--",
    ),
    *("[" * DEEP, "[" * DEEP + "]" * DEEP, '{"a":' * (DEEP // 3), '{"unit":' + "[" * DEEP),
]
NO_OBJECT = [
    *(
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "1e999",
        "-1e999",
        "9" * 5_000,
        '""',
        f'"{CANARY}"',
        "[]",
    ),
    *(
        "[{}]",
        "[[]]",
        f'["{CANARY}"]',
        f'{{"{CANARY}": 1}}',
        '{"": 1}',
        f'{{"unit": {{"{CANARY}": 1}}}}',
    ),
    *('{"__class__": "x"}', '{"constructor": {"prototype": {}}}', '{"$ref": "x"}', '{"type": "x"}'),
]
BYTES = [
    *(b"\xff", b"\xfe\xff{}", b'{"unit":"\xff"}', b'{"unit":"\xc3"}', b'{"unit":"\xed\xa0\x80"}'),
    *(b'{"\xc0\xaf":1}', "{}".encode("utf-16"), "{}".encode("utf-32"), gzip.compress(b"{}")),
    *(
        gzip.compress(b" " * 10_000_000),
        b"\x80\x81\x82",
        b"\x1f\x8b",
        bytes(range(256)),
        b"PK\x03\x04",
    ),
]
CORPUS = [*(text.encode() for text in (*NO_JSON, *NO_OBJECT)), *BYTES]
VALUES = (
    *(
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e308",
        "1e999",
        "-0.0",
        "9" * 400,
        str(2**63),
        str(2**64),
    ),
    *(
        '""',
        f'"{CANARY}"',
        '"\\u0000"',
        f'"{CANARY * 600}"',
        '"\\ud83d\\ude00"',
        "[]",
        "{}",
        f'["{CANARY}"]',
    ),
    *(
        f'{{"{CANARY}": null}}',
        '{"-1/warmth": 1e999}',
        '"2026-01-01"',
        '"__proto__"',
        '"d1"',
        "99999",
    ),
)
"""Put in the place of every field of a body that is right but for it."""


@pytest.fixture(scope="module")
def posts(site):
    """Every path that takes a body, with the token that opens it."""
    return {path: site.token_for(path) for method, path in site.routes() if method == "POST"}


def test_every_path_that_wants_something_in_its_body_is_tried_with_that(site, posts):
    wanting = {p for p, t in posts.items() if site.ask("POST", p, bearer(t)).status == 400}
    assert wanting == set(BODIES)


def variants(path):
    """A right body with one field changed, left out, doubled, or one field more."""
    right = BODIES.get(path, {})
    for name in right:
        rest = {n: value for n, value in right.items() if n != name}
        yield json.dumps(rest).encode()
        for value in VALUES:
            start = json.dumps(rest)[:-1] + (", " if rest else "")
            yield f'{start}"{name}": {value}}}'.encode()
            yield f'{start}"{name}": {json.dumps(right[name])}, "{name}": {value}}}'.encode()
    yield json.dumps({**right, CANARY: CANARY}).encode()


def send_all(site, path, token, bodies, *headers):
    """The statuses; a request on the same line follows each, so that none left anything behind."""
    statuses = set()
    client = Client(site.port)
    for body in bodies:
        answer = client.ask("POST", path, bearer(token), *headers, body=body)
        assert 200 <= answer.status < 500, (path, body[:200], answer)
        assert CANARY.encode() not in answer.body, (path, body[:200])
        statuses.add(answer.status)
        if answer.values("connection") == ["close"]:
            client.close()
            client = Client(site.port)
    client.close()
    return statuses


def test_bodies_that_are_none(site, posts):
    assert len(CORPUS) >= 80
    for path, token in posts.items():
        assert send_all(site, path, token, CORPUS) == {400}, path


def test_bodies_of_other_types(site, posts):
    """The type that a client names changes nothing, and nothing is ever unpacked."""
    types = (
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "a/b;c",
    )
    headers = [[f"Content-Type: {t}"] for t in types] + [["Content-Encoding: gzip"]]
    for (path, token), extra in itertools.product(posts.items(), headers):
        assert send_all(site, path, token, [*BYTES[-6:], b"paused=true"], *extra) == {400}


def test_bodies_that_are_nearly_right(site, posts):
    """Never a failure; what is not as expected is 400, 403, 404, 409 or 410."""
    n = 0
    for path, token in posts.items():
        bodies = list(variants(path))
        n += len(bodies)
        assert send_all(site, path, token, bodies) <= {200, 400, 404, 410}, path
    assert n > 900
    assert msgspec.json.decode(site.ask("GET", "/api/me", bearer(site.outsiders[0])).body)


def test_a_reply_that_is_sent_back_as_if_it_had_been_said(site):
    """Only what was said is answered again, not what was replied."""
    site.store.pause("probe", paused=False)  # another test may have paused it
    token = site.talkers[1]
    unit = msgspec.json.decode(site.ask("POST", "/api/next", bearer(token)).body)["unit"]

    def say(position, text):
        body = msgspec.json.encode({"unit": unit, "position": position, "text": text})
        answer = site.ask("POST", "/api/say", bearer(token), body=body)
        return answer.status, [msgspec.json.decode(line) for line in answer.body.splitlines()]

    reply = 200, [{"piece": "You said: Hello"}, {"done": True}]
    assert [say(0, "Hello"), say(0, "Hello")] == [reply, reply]
    elsewhere = 409, [{"problem": "this talk went on elsewhere", "length": 2}]
    assert [say(1, "You said: Hello"), say(0, "Other"), say(3, "Hello")] == [elsewhere] * 3


def test_a_truncated_body_is_not_taken_for_a_whole_one(site):
    client = Client(site.port)
    head = f"POST /api/consent HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n{bearer(site.outsiders[5])}\r\n"
    client.send(head.encode() + b"Content-Length: 2\r\n\r\n")
    client.close()
    for _ in range(10):  # by now it would have been taken
        assert site.ask("POST", "/api/consent", bearer(site.outsiders[6]), body=b"").status == 200
    assert site.store.rater(site.outsiders[6]).consented is not None
    assert site.store.rater(site.outsiders[5]).consented is None
