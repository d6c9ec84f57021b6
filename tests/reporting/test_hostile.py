"""Hostile text in every field: it is shown, and it does nothing."""

import time

import pytest

from simpatico.charts.html import visible
from simpatico.charts.systems import short
from tests.reporting.browser import watched
from tests.reporting.pages import file_name, hostile
from tests.reporting.payloads import HANDLERS, LINKS, PAYLOADS, SCRIPTS

QUOTED = 2000
"""Characters of a turn that are quoted at most."""

SHOWN = """
() => {
  const own = [...document.querySelectorAll('main *, nav *, title')];
  return {
    texts: [...new Set(own.map((e) => e.textContent))],
    titles: [...document.querySelectorAll('[title]')].map((e) => e.title),
    said: [...document.querySelectorAll('.dlg .said')].map((e) => e.textContent),
    whole: document.documentElement.textContent,
  };
}
"""
MARKUP = """
() => {
  const all = [...document.querySelectorAll('*')];
  const names = all.flatMap((e) => e.getAttributeNames().map((n) => n.toLowerCase()));
  const ids = all.map((e) => e.id).filter(Boolean);
  return {
    scripts: document.scripts.length,
    styles: document.querySelectorAll('style').length,
    metas: document.querySelectorAll('meta').length,
    foreign: all.map((e) => e.localName).filter((n) => FOREIGN.includes(n)),
    acting: names.filter((n) => n.startsWith('on') || ['style', 'srcdoc', 'src'].includes(n)),
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    away: [...document.querySelectorAll('[href], [*|href]')]
      .map((e) => e.getAttribute('href') || '#').filter((h) => !h.startsWith('#')),
    hit: window.__hit === undefined ? null : window.__hit,
  };
}
""".replace(
    "FOREIGN",
    "'img iframe frame object embed form base link video audio source math foreignobject "
    "foreignObject template marquee plaintext xmp noscript textarea animate image'.split(' ')",
)
HARMLESS = {
    "scripts": 1,
    "styles": 1,
    "metas": 4,
    "foreign": [],
    "acting": [],
    "twice": [],
    "away": [],
    "hit": None,
}


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_page_shows_the_payload_and_nothing_happens(name, tab, heard):
    payload = PAYLOADS[name]
    made = hostile(payload)
    calls = len(heard.calls)
    watch = tab()
    page = watch.open(made.path)
    assert page.evaluate(MARKUP) == HARMLESS
    shown = page.evaluate(SHOWN)
    assert not missing(payload, shown)
    assert watch.violations == []
    assert watch.strangers == []
    assert watch.seen.dialogs == []
    assert watch.seen.errors == []
    assert page.url == made.path.as_uri()
    assert heard.calls[calls:] == []


def missing(payload: str, shown: dict) -> list[str]:
    """The fields whose text does not stand on the page as it was given."""
    names = {"system": payload, "dialog": f"{payload}0/{payload}", "person": f"{payload}?"}
    lost = [
        field
        for field, name in names.items()
        if visible(name) not in shown["texts"] and visible(name) not in shown["titles"]
    ]
    if visible(short(payload)) not in shown["texts"]:
        lost.append("short name of the system")
    quoted = visible(payload[:QUOTED]) if payload.strip() else None
    if quoted and not any(text.startswith(quoted) for text in shown["said"]):
        lost.append("text")
    for field, text in {"quality": payload, "title": payload, "file": file_name(payload)}.items():
        if visible(text) not in shown["whole"]:
            lost.append(field)
    if f"{visible(payload)} · simpatico report" not in shown["texts"]:
        lost.append("title of the page")
    return lost


def test_the_watch_would_notice(browser, heard, tmp_path):
    """Some payloads written into a page as they are: most of them run or call home."""
    context = browser.new_context()
    watch = watched(context)
    harm = set()
    for name, payload in {**SCRIPTS, **HANDLERS, **LINKS}.items():
        path = tmp_path / f"{name}.html"
        path.write_text(f"<!doctype html><body><p>{payload}</p>", encoding="utf-8")
        calls = len(heard.calls)
        page = watch.open(path)
        hit = page.evaluate("window.__hit || 0")
        if hit or watch.seen.dialogs or watch.strangers or len(heard.calls) > calls:
            harm.add(name)
    context.close()
    assert len(harm) >= 25, sorted(harm)
    assert {"script", "img-error", "alert", "meta-refresh", "image", "css-import"} <= harm
    assert heard.calls


def test_the_policy_stops_what_escaping_would_let_through(browser, heard, tmp_path, tab):
    """The second line: under the page's own policy a payload written raw still does not run."""
    html = hostile("plain").html
    head, tail = html.split("</h1>", 1)
    watch = tab()
    calls = len(heard.calls)
    for name in ("script", "img-error", "svg-load", "image", "font", "iframe-srcdoc"):
        path = tmp_path / f"{name}.html"
        path.write_text(f"{head}{PAYLOADS[name]}</h1>{tail}", encoding="utf-8")
        page = watch.open(path)
        assert page.evaluate("window.__hit || 0") == 0, name
        assert watch.violations, name
    time.sleep(0.2)
    assert heard.calls[calls:] == []
