"""Pages under axe-core: WCAG 2.2 AA and best practice, light and dark, every pane."""

import pytest
from axe_playwright_python.sync_playwright import Axe

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
STRUCTURE = {
    "runOnly": {"type": "tag", "values": TAGS},
    "rules": {"color-contrast": {"enabled": False}},
}
"""Everything but contrast, which takes most of the time and is the only rule about colours."""

KINDS = ["demo", "few", "unjudged", "thirteen"]
OPEN = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
CHOOSE = "(i) => document.querySelectorAll(`.pick [value='${i}']`).forEach((e) => e.click())"
SHOW_PANES = """
() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.pane{display:block!important}');
  document.adoptedStyleSheets = [sheet];
}
"""
PANES = """
Math.max(1, ...[...document.querySelectorAll('.switch')]
  .map((s) => s.querySelectorAll(':scope > .panes > .pane').length))
"""


def violations(page, options: dict, within: str | None = None) -> list[str]:
    """What axe finds, each with the rule and the places."""
    options = {**options, "resultTypes": ["violations"]}
    rules = Axe().run(page, context=within, options=options).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}\n  "
        + "\n  ".join(f"{node['target']} {node['html'][:200]}" for node in rule["nodes"][:4])
        for rule in rules
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(kind, show):
    page = show(kind)
    page.evaluate(OPEN)
    for place in range(min(page.evaluate(PANES), 2 if kind == "thirteen" else 6)):
        page.evaluate(CHOOSE, place)
        within = ".switch > .panes" if place else None
        assert violations(page, STRUCTURE, within) == [], f"{kind}, pane {place}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", [*KINDS[:3], pytest.param(KINDS[3], marks=pytest.mark.slow)])
def test_all_text_has_enough_contrast(kind, scheme, show):
    """On all panes at once; the 78 of thirteen systems have the same style as the first."""
    page = show(kind, color_scheme=scheme)
    page.evaluate(OPEN)
    if kind != "thirteen":
        page.evaluate(SHOW_PANES)
    assert violations(page, CONTRAST) == []


def test_axe_would_notice(browser):
    """A page with faults has violations, so that none is no accident."""
    page = browser.new_page()
    page.set_content("<html><body><img src=x><p style='color:#eee;background:#fff'>pale</p>")
    assert len(violations(page, STRUCTURE)) >= 2
    assert len(violations(page, CONTRAST)) == 1
    page.close()
