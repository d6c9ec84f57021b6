"""What a page elsewhere can do in a real browser, even if it has come by a token: nothing."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.reporting.browser import FLAGS, chromium_path
from tests.serve.site import bearer

RULES = "--host-resolver-rules=MAP rebind.example 127.0.0.1, MAP evil.example 127.0.0.1"

READ = """async ([base, tokens]) => {
  const seen = [];
  for (const [path, token] of Object.entries(tokens))
    for (const mode of ["cors", "no-cors"])
      for (const headers of [{}, {Authorization: `Bearer ${token}`}])
        for (const method of ["GET", "POST"])
          try {
            const answer = await fetch(base + path, {method, mode, headers});
            seen.push([answer.status, (await answer.text()).length]);
          } catch { seen.push([0, 0]); }
  return seen;
}"""
PULL_IN = """async (base) => {
  const loads = (name, field, path) => new Promise((done) => {
    const element = document.createElement(name);
    element.onload = () => done(true);
    element.onerror = () => done(false);
    element.rel = "stylesheet";
    element[field] = base + path;
    document.body.append(element);
  });
  const socket = new Promise((done) => {
    const line = new WebSocket(base.replace("http", "ws") + "/");
    line.onopen = () => done(true);
    line.onerror = () => done(false);
  });
  return [await loads("script", "src", "/static/rater.js"), await loads("img", "src", "/static/icon.svg"),
          await loads("link", "href", "/static/study.css"), await socket];
}"""
POST_FORM = """(base) => new Promise((done) => {
  document.body.innerHTML = `<iframe name="f"></iframe>
    <form method="post" enctype="text/plain" target="f" action="${base}/api/owner/pause">
    <input name='{"paused":true,"x":"' value='"}'></form>`;
  document.querySelector("iframe").onload = () => done(null);
  document.querySelector("form").submit();
})"""


@pytest.fixture(scope="module")
def browser(driver):
    browser = driver.chromium.launch(executable_path=chromium_path(), args=[*FLAGS, RULES])
    yield browser
    browser.close()


class BlankPage(BaseHTTPRequestHandler):
    """What stands at evil.example."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<body>")

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def elsewhere():
    """A page of another origin; it is on this machine, else Chromium would refuse by itself."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BlankPage) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://evil.example:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.set_default_timeout(20_000)
    yield page
    page.close()


def tokens(site):
    return {path: site.token_for(path) for _, path in site.routes()}


def test_a_name_that_resolves_here_reads_nothing(site, page):
    origin = f"http://rebind.example:{site.port}"
    assert page.goto(f"{origin}/").status == 421
    seen = page.evaluate(READ, [origin, tokens(site)])
    assert len(seen) == 8 * len(site.routes())
    assert {tuple(pair) for pair in seen} == {(421, len('{"problem":"unknown host"}'))}


def test_another_origin_reads_and_writes_nothing(site, page, elsewhere):
    base = f"http://127.0.0.1:{site.port}"
    page.goto(elsewhere)
    statuses = []
    page.on("response", lambda answer: statuses.append(answer.status))
    seen = page.evaluate(READ, [base, tokens(site)])
    assert {tuple(pair) for pair in seen} == {(0, 0)}
    assert page.evaluate(PULL_IN, base) == [False] * 4
    page.evaluate(POST_FORM, base)
    assert set(statuses) == {403}
    assert not site.store.is_paused("probe")
    leases = site.rows("leases")
    assert leases == []


def test_a_link_from_elsewhere_opens_the_page_and_the_page_works(site, page, elsewhere):
    page.goto(elsewhere)
    statuses = []
    page.on("response", lambda answer: statuses.append((answer.request.url, answer.status)))
    page.evaluate(f"location.href = 'http://127.0.0.1:{site.port}/#{site.outsiders[0]}'")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("fetch('/api/next', {method: 'POST'}).then((a) => a.status)") == 401
    asked = "(h) => fetch('/api/next', {method: 'POST', headers: {Authorization: h}}).then((a) => a.status)"
    assert page.evaluate(asked, bearer(site.outsiders[0]).partition(": ")[2]) == 200
    assert (f"http://127.0.0.1:{site.port}/", 200) in statuses
    assert {status for url, status in statuses if "/static/" in url} == {200}
