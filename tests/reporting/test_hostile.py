"""Hostile text in every field: it is shown, and it does nothing."""

import time
from collections.abc import Sequence

import pytest

from simpatico.charts.html import show_invisible
from simpatico.charts.systems import assign_styles
from tests.reporting.browser import CallCounter, WatchedTab, open_watched_tab
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
    title: document.querySelector('.mast').textContent,
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
    "metas": 5,
    "foreign": [],
    "acting": [],
    "twice": [],
    "away": [],
    "hit": None,
}


TOGETHER = 6
"""Payloads on one page: as many as there are colours, so that each is drawn as a system."""

BATCHES = [list(PAYLOADS)[i : i + TOGETHER] for i in range(0, len(PAYLOADS), TOGETHER)]


@pytest.mark.parametrize("names", BATCHES, ids=" ".join)
def test_a_page_shows_its_payloads_and_nothing_happens(names, tab, call_counter):
    problems = problems_of(names, tab(), call_counter)
    if problems:  # whose are they?
        problems = [
            p for name in names for p in problems_of([name], tab(), call_counter)
        ] or problems
    assert problems == []


def problems_of(names: Sequence[str], watch: WatchedTab, call_counter: CallCounter) -> list[str]:
    """What is missing from, or happens on, the page that has these payloads in every field."""
    payloads = [PAYLOADS[name] for name in names]
    example = hostile(payloads)
    calls_before = len(call_counter.calls)
    page = watch.open(example.path)
    contents = page.evaluate(SHOWN)
    by_name = {*contents["texts"], *contents["titles"]}
    contents["dialogs"] = [
        d for d in example.run.at("dialog")["dialog"] if show_invisible(d) in by_name
    ]
    contents["labels"] = assign_styles(example.findings.systems)
    problems = [
        f"{n}: no {f}" for n, p in zip(names, payloads, strict=True) for f in missing(p, contents)
    ]
    every = show_invisible(" ".join(payloads))
    if f"{every} · simpatico report" not in contents["texts"] or every not in contents["title"]:
        problems.append(f"{names}: no title")
    effects = {
        "markup": None if (markup := page.evaluate(MARKUP)) == HARMLESS else markup,
        "violations": watch.violations,
        "requests": watch.strangers,
        "dialogs": watch.activity.dialogs,
        "errors": watch.activity.errors,
        "calls": call_counter.calls[calls_before:],
        "address": None if page.url == example.path.as_uri() else page.url,
    }
    return problems + [f"{names}: {what} {events}" for what, events in effects.items() if events]


def missing(payload: str, contents: dict) -> list[str]:
    """The fields whose text does not stand on the page as it was given."""
    names = {"system": payload, "person": f"{payload}?"}
    problems = [
        field
        for field, name in names.items()
        if show_invisible(name) not in contents["texts"]
        and show_invisible(name) not in contents["titles"]
    ]
    if show_invisible(contents["labels"][payload].display_name) not in contents["texts"]:
        problems.append("short name of the system")
    if not any(dialog.endswith(f"{payload}0/{payload}") for dialog in contents["dialogs"]):
        problems.append("dialog")
    quotation = show_invisible(payload[:QUOTED]) if payload.strip() else None
    if quotation and not any(text.startswith(quotation) for text in contents["said"]):
        problems.append("text")
    for field, text in {"quality": payload, "file": file_name(payload)}.items():
        if show_invisible(text) not in contents["whole"]:
            problems.append(field)
    return problems


def test_the_watch_would_notice(browser, call_counter, tmp_path):
    """Some payloads written into a page as they are: most of them run or call home."""
    context = browser.new_context()
    watch = open_watched_tab(context)
    harm = set()
    for name, payload in {**SCRIPTS, **HANDLERS, **LINKS}.items():
        path = tmp_path / f"{name}.html"
        path.write_text(f"<!doctype html><body><p>{payload}</p>", encoding="utf-8")
        calls_before = len(call_counter.calls)
        page = watch.open(path)
        hit = page.evaluate("window.__hit || 0")
        if (
            hit
            or watch.activity.dialogs
            or watch.strangers
            or len(call_counter.calls) > calls_before
        ):
            harm.add(name)
    context.close()
    assert len(harm) >= 25, sorted(harm)
    assert {"script", "img-error", "alert", "meta-refresh", "image", "css-import"} <= harm
    assert call_counter.calls


def test_the_policy_stops_what_escaping_would_let_through(browser, call_counter, tmp_path, tab):
    """The second line: under the page's own policy a payload written raw still does not run."""
    html = hostile(["plain"]).html
    head, tail = html.split("</h1>", 1)
    watch = tab()
    calls_before = len(call_counter.calls)
    for name in ("script", "img-error", "svg-load", "image", "font", "iframe-srcdoc"):
        path = tmp_path / f"{name}.html"
        path.write_text(f"{head}{PAYLOADS[name]}</h1>{tail}", encoding="utf-8")
        page = watch.open(path)
        assert page.evaluate("window.__hit || 0") == 0, name
        assert watch.violations, name
    time.sleep(0.2)
    assert call_counter.calls[calls_before:] == []
