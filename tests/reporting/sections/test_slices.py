"""The section "By …": the main pair within weeks, months or values of a column."""

import pytest

from tests.reporting.pages import example_page

CELLS = "all => all.map((row) => [...row.cells].filter((c) => c.checkVisibility()).map((c) => c.innerText))"


@pytest.mark.parametrize(("width", "columns"), [(1400, 6), (390, 4)])
def test_every_slice_has_its_difference_p_and_n_in_sight(show, width, columns):
    """On a phone the two means give way; nothing is left to be found by scrolling sideways."""
    page = show("by_segment", width=width)
    heads, overall, *_ = page.eval_on_selector_all("#slices tr", CELLS)
    assert len(heads) == columns
    assert heads[-3:] == ["difference [95% CI]", "p", "n"]
    assert overall == ["overall"]
    box = page.locator("#slices .scroll")
    assert box.evaluate("e => e.scrollWidth - e.clientWidth") == 0


def test_the_figures_are_those_of_the_comparison_within_each_slice(show):
    rows = show("by_segment").eval_on_selector_all("#slices tbody:first-of-type tr", CELLS)
    findings = example_page("by_segment").findings
    own = [
        r for r in findings.slices.facing(findings.pairs).rows if r.difference.title == "overall"
    ]
    assert (
        [row[0] for row in rows[1:]] == [r.slice for r in own] == ["new users", "returning users"]
    )
    # 24 prompts, half of them in each segment, to which both systems replied
    assert [row[-1] for row in rows[1:]] == ["12", "12"]
    for row, d in zip(rows[1:], (r.difference for r in own), strict=True):
        assert row[3].startswith(f"{'+' if d.difference > 0 else '−'}{abs(d.difference):.2f} [")
