"""Pages under axe-core: WCAG 2.2 AA and best practice, light and dark, every pane."""

import pytest
from axe_playwright_python.sync_playwright import Axe

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
CHOOSE = "(i) => document.querySelectorAll(`.pick [value='${i}']`).forEach((e) => e.click())"


def violations(page, within: str | None = None) -> list[str]:
    """What axe finds, each with the rule and the places."""
    found = Axe().run(page, context=within, options=OPTIONS).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}\n  "
        + "\n  ".join(f"{node['target']} {node['html'][:200]}" for node in rule["nodes"][:4])
        for rule in found
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["demo", "few", "unjudged", "thirteen"])
def test_axe_finds_nothing(kind, scheme, show):
    page = show(kind, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    most = page.evaluate(
        "Math.max(1, ...[...document.querySelectorAll('.switch')]"
        ".map((s) => s.querySelectorAll(':scope > .panes > .pane').length))"
    )
    for place in range(min(most, 2 if kind == "thirteen" else 6)):
        page.evaluate(CHOOSE, place)
        within = ".switch > .panes" if place else None
        assert violations(page, within) == [], f"{kind}, {scheme}, pane {place}"


def test_axe_would_notice(browser):
    """A page with faults has violations, so that none is no accident."""
    page = browser.new_page()
    page.set_content("<html><body><img src=x><p style='color:#eee;background:#fff'>pale</p>")
    assert len(violations(page)) >= 3
    page.close()
