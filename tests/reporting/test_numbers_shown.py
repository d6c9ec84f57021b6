"""The numbers on the page, read back out of the browser, are those of the findings."""

import re

import pytest

from simpatico import wording as numbers
from simpatico.wording import format_correlation
from tests.reporting.pages import example_page


@pytest.mark.parametrize("kind", ["demo", "few", "unjudged", "thirteen"])
def test_verdicts_have_the_numbers_of_the_findings(kind, show):
    """Every difference stands in the pane of its pair, with the digits of its sentence."""
    page = show(kind)
    differences = example_page(kind).findings.as_json()["differences"]
    pairs = list(example_page(kind).findings.pairs)
    tables = page.eval_on_selector_all(
        ".verdict",
        "all => all.map((t) => [...t.querySelectorAll('td.st')].map((e) => e.textContent))",
    )
    assert len(tables) == len(pairs)
    assert sum(map(len, tables)) == len(differences)
    for row in differences:
        own = [re.sub(r"\s+", " ", t) for t in tables[pairs.index((row["a"], row["b"]))]]
        figures = NUMBERS.findall(row["verdict"]) or [row["verdict"]]
        assert any(all(f in text for f in figures) for text in own), row["verdict"]
        if row["difference"] is not None:
            assert numbers.format_difference(row["difference"], digits(row)) in " ".join(figures)


def digits(row):
    return numbers.interval_digits(row["low"], row["high"])


NUMBERS = re.compile(r"[+−]?\d+(?:\.\d+)?(?: \S+)? \[[^\]]*\]|[+−]?\d+\.\d+")


def test_forests_have_the_correlations(show):
    page = show("demo")
    findings = example_page("demo").findings
    tables = page.eval_on_selector_all(
        ".forest",
        "all => all.map((t) => [...t.querySelectorAll('tbody tr')].map((r) =>"
        " [...r.children].filter((c) => !c.matches('.ax')).map((c) => c.textContent)))",
    )
    for quality, table in zip(findings.qualities, tables, strict=True):
        rows = {r.score: r for r in findings.correlations_with(quality)}
        assert len(table) == len(rows)
        cells_of = {cells[0][1:]: cells[1:] for cells in table}
        for row in rows.values():
            cells = cells_of[findings.titles[row.score]]
            if row.value is not None:
                assert cells[0].split(",")[0] == format_correlation(row.value)
                assert format_correlation(row.low) in cells[1]
                assert format_correlation(row.high) in cells[1]


def test_heat_cells_have_the_structure(show):
    page = show("demo")
    findings = example_page("demo").findings
    structure, order = findings.structure, findings.structure.order
    place = {name: i for i, name in enumerate(structure.names)}
    cells = page.eval_on_selector_all(
        ".heat [data-say]",
        "all => all.map((c) => [+c.dataset.row, +c.dataset.column, c.textContent, c.dataset.say])",
    )
    assert len(cells) == len(order) * (len(order) - 1) / 2
    for row, column, text, description in cells:
        i, j = place[order[row]], place[order[column]]
        assert text == format_correlation(structure.r[i][j])
        names = [findings.titles[order[k]] for k in (row, column)]
        assert description.startswith(
            f"{names[0]} and {names[1]}: r {format_correlation(structure.r[i][j])} "
        )
        assert format_correlation(structure.low[i][j]) in description
        assert f"n {structure.n[i][j]}" in description
