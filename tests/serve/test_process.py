"""Where the server listens, and under which addresses browsers may use it."""

import socket

import pytest

from simpatico.errors import BadValue, RunError
from simpatico.serve.process import browser_origins, listen
from tests.serve.site import write_study

OPEN = (
    "--host {} can be reached by others, who would talk to it without encryption; "
    "put a proxy with HTTPS before it and name its address with --public https://…"
)
OTHERS = (
    "0.0.0.0", "::", "192.168.1.5", "10.0.0.1", "example.org", "127.0.0.1.evil.example",
    "localhost.", "127.1", "", "2001:db8::1", "169.254.1.1", "LOCALHOST.evil.example",
)  # fmt: skip


@pytest.mark.parametrize("host", OTHERS)
def test_an_address_that_others_reach_needs_a_proxy(host):
    with pytest.raises(BadValue) as error:
        browser_origins(host, 8000, None)
    assert str(error.value) == OPEN.format(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_it_is_refused_before_the_port_is_opened_and_before_the_store_is_made(
    call, tmp_path, monkeypatch, host
):
    monkeypatch.setattr(socket.socket, "bind", lambda *_: pytest.fail("the port was opened"))
    code, out, err = call("study", "serve", write_study(tmp_path), "--host", host)
    assert (code, out, err) == (2, "", f"simpatico: {OPEN.format(host)}\n")
    assert not (tmp_path / "probe.sqlite").exists()


ORIGINS = {
    ("127.0.0.1", 8000, None): {"http://127.0.0.1:8000", "http://localhost:8000"},
    ("localhost", 8000, None): {"http://127.0.0.1:8000", "http://localhost:8000"},
    ("127.0.0.1", 80, None): {"http://127.0.0.1", "http://localhost"},
    ("127.0.0.2", 8000, None): {"http://127.0.0.2:8000"},
    ("::1", 8000, None): {"http://[::1]:8000"},
    ("0:0:0:0:0:0:0:1", 8000, None): {"http://[::1]:8000"},
    ("127.0.0.1", 8000, "https://Study.Example.org"): {"https://study.example.org"},
    ("127.0.0.1", 8000, "https://study.example.org/"): {"https://study.example.org"},
    ("0.0.0.0", 8000, "https://study.example.org:443"): {"https://study.example.org"},
    ("0.0.0.0", 8000, "https://study.example.org:8443"): {"https://study.example.org:8443"},
    ("127.0.0.1", 8000, "http://localhost:9000"): {"http://localhost:9000"},
    ("127.0.0.1", 8000, "http://[::1]:9000"): {"http://[::1]:9000"},
}


@pytest.mark.parametrize("place", ORIGINS)
def test_addresses_as_browsers_write_them(place):
    """A port that goes without saying is in neither Host nor Origin."""
    assert browser_origins(*place) == ORIGINS[place]


NO_ADDRESSES = (
    "study.example.org", "ftp://study.example.org", "https://", "https:///", "https://a/b",
    "https://user@study.example.org", "https://user:pw@a", "https://a b", "https://müller.example",
    "https://a?b", "https://a#b", "https://a\\b", "https://a:b", "https://a:123456", "https://a\n",
    "javascript:alert(1)", "//study.example.org", "",
)  # fmt: skip


@pytest.mark.parametrize("public", NO_ADDRESSES)
def test_no_public_address(public):
    with pytest.raises(BadValue) as error:
        browser_origins("127.0.0.1", 8000, public)
    expected = f"--public {public} is not an address such as https://study.example.org"
    assert str(error.value) == expected


@pytest.mark.parametrize("public", ["http://study.example.org", "http://192.168.1.5:8000"])
def test_tokens_are_not_sent_in_the_open(public):
    with pytest.raises(BadValue) as error:
        browser_origins("127.0.0.1", 8000, public)
    assert str(error.value) == (
        f"--public {public} would send the secrets of the links in the open; name an address that "
        "begins with https://"
    )


def test_a_port_that_is_taken():
    with listen("127.0.0.1", 0) as line:
        port = line.getsockname()[1]
        # where the protocol is not named, asyncio leaves Nagle's algorithm on: 40 ms for each answer
        assert line.proto == socket.IPPROTO_TCP
        with pytest.raises(RunError) as error:
            listen("127.0.0.1", port)
    expected = f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
    assert str(error.value) == expected
