"""The page on paper: light, whole, with everything open."""

import re
from io import BytesIO

import pytest
from pypdf import PdfReader

from tests.reporting.browser import FONT_SETS
from tests.reporting.pages import example_page

A4_CONTENT = 688
"""Pixels between the margins of 14 mm: (210 − 28) mm at 96 to the inch."""


@pytest.fixture
def paper(show):
    """The demo as it is laid out for paper, from a dark screen."""

    def laid_out(kind):
        page = show(kind, width=A4_CONTENT, color_scheme="dark")
        page.emulate_media(media="print", color_scheme="dark")
        return page

    return laid_out


@pytest.fixture(scope="module")
def _sheets():
    return {}


@pytest.fixture
def print_page(show, fonts, _sheets):
    """The text of the PDF of a page, one string a sheet; each PDF is made once."""

    def text(kind, **settings):
        key = (fonts, kind, *settings.items())
        if key not in _sheets:
            page = show(kind, **settings)
            page.emulate_media(media="print")
            data = page.pdf(format="A4", prefer_css_page_size=True)
            _sheets[key] = [flat(sheet.extract_text()) for sheet in PdfReader(BytesIO(data)).pages]
        return _sheets[key]

    return text


def flat(text):
    """Text without any space: a PDF breaks lines where it likes."""
    return re.sub(r"[\s\u00ad\u200b]+", "", text)


def labels(page, query):
    contents = page.eval_on_selector_all(query, "all => all.map((e) => e.textContent)")
    return [flat(text) for text in contents]


@pytest.mark.parametrize("fonts", FONT_SETS)
def test_all_rows_and_the_last_section_are_on_paper(print_page, show, fonts):
    sheets = print_page("demo")
    printout = "".join(sheets)
    page = show("demo")
    for query in (".verdict td.st", ".forest th.nm", "h2", "#again dt", ".dlg h3"):
        expected = labels(page, query)
        assert expected
        assert [text for text in expected if text not in printout] == [], query
    assert 5 <= len(sheets) <= 40
    assert all(sheets), "no empty sheet"


@pytest.mark.parametrize("fonts", FONT_SETS)
def test_no_row_of_the_verdict_is_on_two_sheets(print_page, show, fonts):
    """A row's sentence is whole on one sheet."""
    sheets = print_page("demo")
    rows = labels(show("demo"), ".verdict td.st")
    assert [row for row in rows if not any(row in sheet for sheet in sheets)] == []


@pytest.mark.parametrize("kind", ["demo", "few", "long_names", "thirteen"])
@pytest.mark.parametrize("fonts", FONT_SETS)
def test_nothing_is_wider_than_the_sheet(kind, paper, fonts):
    wide = paper(kind).evaluate(
        """(room) => [...document.querySelectorAll('main *:not(svg *)')].filter((e) => {
          const box = e.getBoundingClientRect();
          if (!box.width || e.closest('.vh')) { return false; }
          for (let p = e.parentElement; p; p = p.parentElement) {
            if (['hidden', 'clip'].includes(getComputedStyle(p).overflowX)) { return false; }
          }
          return box.right > room + 1 || box.left < -1;
        }).map((e) => e.localName + '.' + (e.className.baseVal ?? e.className) + ' '
          + Math.round(e.getBoundingClientRect().right) + ' ' + e.textContent.slice(0, 30)).slice(0, 8)""",
        A4_CONTENT,
    )
    assert wide == []


def test_rows_do_not_break_and_all_is_open(paper):
    page = paper("demo")
    broken = page.eval_on_selector_all(
        "tr, .pnl, .card, .turns li",
        "all => all.filter((e) => getComputedStyle(e).breakInside !== 'avoid').length",
    )
    assert broken == 0
    unseen = page.eval_on_selector_all(
        ".pane", "all => all.filter((e) => !e.checkVisibility()).length"
    )
    assert unseen == 0
    assert not page.locator("nav").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")


@pytest.mark.parametrize("fonts", FONT_SETS)
def test_every_quoted_dialog_is_on_paper_with_and_without_script(print_page, show, fonts):
    expected = labels(show("demo"), ".dlg .said")
    assert len(example_page("demo").findings.systems) == 3
    for settings in ({}, {"java_script_enabled": False}):
        printout = "".join(print_page("demo", **settings))
        absent = [text for text in expected if text[:24] not in printout]
        assert absent == [], settings


def test_paper_is_light_even_from_a_dark_screen(paper):
    page = paper("demo")
    dark = page.evaluate(
        """() => {
          const bright = (c) => { const n = c.match(/[\\d.]+/g).map(Number);
            return n[3] === 0 ? 255 : (n[0] + n[1] + n[2]) / 3; };
          const body = getComputedStyle(document.body);
          return [bright(body.backgroundColor), bright(body.color)];
        }"""
    )
    assert dark[0] > 240
    assert dark[1] < 80
