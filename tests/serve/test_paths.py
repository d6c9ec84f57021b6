"""No path leads to anything but the files that the pages are made of."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simpatico.serve.app import read_files
from simpatico.study import server
from tests.serve.site import Client

PIECES = (
    *("..", ".", "/", "//", "\\", "%2e", "%2E%2e", "%252e", "%2f", "%5C", "%00", "\\\\host\\share"),
    *("C:", "c%3a", "c$", "%c0%ae", "%c0%af", "%ff", "%u2215", "%", "%zz", "~", ";", "?", "#", ":"),
    *("static", "rater.js", "rater.html", "study.css", "texts", "en.json", "pages", "server.py"),
    *("store.sqlite", "store.sqlite-wal", "etc/passwd", "proc/self/environ", ".git/config", "CON"),
    *("api", "me", "owner", "%6fwner", "link", "x" * 300, "*", "@", "file:///etc/passwd"),
)
START = st.sampled_from(["", "/", "/static/", "/static", "/owner/", "/api/", "//"])
PATHS = st.builds(
    lambda start, parts: start + "".join(parts) or "/",
    START,
    st.lists(
        st.sampled_from(PIECES) | st.text(st.characters(min_codepoint=33, max_codepoint=126)),
        max_size=9,
    ),
)


@pytest.fixture(scope="module")
def look(site):
    """Ask for a path as it is; what is found must be one of the files, under its own name."""
    files = read_files(Path(server.__file__).parent / "pages")
    content = {f"/static/{name}": data for name, data in files.items() if name[-5:] != ".html"}
    content |= {path: files[name] for path, name in server.PAGES.items()}
    clients = []

    def check(path):
        while True:
            client = clients.pop() if clients else Client(site.port)
            answer = client.ask("GET", path)
            if answer.status:
                break
            client.close()  # the server had closed it after a refusal
        if answer.values("connection") == ["close"]:
            client.close()
        else:
            clients.append(client)
        if answer.status == 200:
            assert answer.body in content.values(), path
        else:
            assert answer.status in (400, 401, 404, 405), (path, answer)
            assert len(answer.body) < 100

    yield check
    for client in clients:
        client.close()


VARIANTS = (
    "{}/", "/{}", "{}//", "{}/.", "{}/..", "{}/x", "{}.", "{};x", "{}%20", "{}%00", "{}%2f", "{}\\", "/.{}",
    "/x/..{}", "/static{}", "/static/..{}", "/api{}", "/owner{}", "/panel{}", "{}?x=1", "{}#x",
)  # fmt: skip


def test_variants_of_every_path(site, look):
    """Longer, shorter, in capitals, in percents: nothing, or what the plain path has."""
    paths = [path for _, path in site.routes()]
    assert len({*paths, "/panel", "/api/enrol"}) == len(paths)
    for path in paths:
        encoded = "/" + "".join(f"%{byte:02x}" for byte in path[1:].encode())
        for variant in (*VARIANTS, path[:-1] or "/", path.upper(), encoded):
            look(variant.format(path))


@given(path=PATHS)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_path(look, path):
    look(path)


@pytest.mark.slow
@given(path=PATHS)
@settings(max_examples=20_000, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_twenty_thousand_paths(look, path):
    look(path)


def test_somebody_with_half_a_link_is_told_so(site):
    answer = site.ask("GET", "/ra", "Accept: text/html,application/xhtml+xml,*/*;q=0.8")
    assert (answer.status, answer.values("content-type")) == (404, ["text/plain; charset=utf-8"])
    assert answer.body == (
        b"There is no page at this address. Please open the whole link that you were given."
    )


def test_only_files_of_pages_are_read(tmp_path):
    for name in (
        "a.js",
        "b.css",
        "c.html",
        "d.svg",
        "secret.py",
        "notes.txt",
        ".env",
        "store.sqlite",
    ):
        (tmp_path / name).write_text(name)
    (tmp_path / "texts").mkdir()
    assert list(read_files(tmp_path)) == ["a.js", "b.css", "c.html", "d.svg"]
