"""The numbers on the page, read back out of the browser, are those of the findings."""

import re

import pytest

from simpatico import wording as numbers
from simpatico.wording import format_correlation
from tests.reporting.pages import made


@pytest.mark.parametrize("kind", ["demo", "few", "unjudged", "thirteen"])
def test_verdicts_have_the_numbers_of_the_findings(kind, show):
    """Every difference stands in the pane of its pair, with the digits of its sentence."""
    page = show(kind)
    output = made(kind).found.as_json()["differences"]
    pairs = list(made(kind).found.pairs)
    tables = page.eval_on_selector_all(
        ".verdict",
        "all => all.map((t) => [...t.querySelectorAll('td.st')].map((e) => e.textContent))",
    )
    assert len(tables) == len(pairs)
    assert sum(map(len, tables)) == len(output)
    for row in output:
        own = [re.sub(r"\s+", " ", t) for t in tables[pairs.index((row["a"], row["b"]))]]
        figures = NUMBERS.findall(row["verdict"]) or [row["verdict"]]
        assert any(all(f in text for f in figures) for text in own), row["verdict"]
        if row["difference"] is not None:
            assert numbers.format_difference(row["difference"], digits(row)) in figures[0]


def digits(row):
    return numbers.interval_digits(row["low"], row["high"])


NUMBERS = re.compile(r"[+−]?\d+(?:\.\d+)?(?: \S+)? \[[^\]]*\]|[+−]?\d+\.\d+")


def test_forests_have_the_correlations(show):
    page = show("demo")
    result = made("demo").found
    tables = page.eval_on_selector_all(
        ".forest",
        "all => all.map((t) => [...t.querySelectorAll('tbody tr')].map((r) =>"
        " [...r.children].filter((c) => !c.matches('.ax')).map((c) => c.textContent)))",
    )
    for quality, table in zip(result.qualities, tables, strict=True):
        rows = {r.score: r for r in result.correlations_with(quality)}
        assert len(table) == len(rows)
        display = {cells[0][1:]: cells[1:] for cells in table}
        for row in rows.values():
            cells = display[result.titles[row.score]]
            if row.value is not None:
                assert cells[0].split(",")[0] == format_correlation(row.value)
                assert format_correlation(row.low) in cells[1]
                assert format_correlation(row.high) in cells[1]


def test_heat_cells_have_the_structure(show):
    page = show("demo")
    result = made("demo").found
    output, order = result.structure, result.structure.order
    place = {name: i for i, name in enumerate(output.names)}
    cells = page.eval_on_selector_all(
        ".heat [data-say]",
        "all => all.map((c) => [+c.dataset.row, +c.dataset.column, c.textContent, c.dataset.say])",
    )
    assert len(cells) == len(order) * (len(order) - 1) / 2
    for row, column, text, message in cells:
        i, j = place[order[row]], place[order[column]]
        assert text == format_correlation(output.r[i][j])
        names = [result.titles[order[k]] for k in (row, column)]
        assert message.startswith(
            f"{names[0]} and {names[1]}: r {format_correlation(output.r[i][j])} "
        )
        assert format_correlation(output.low[i][j]) in message
        assert f"n {output.n[i][j]}" in message
