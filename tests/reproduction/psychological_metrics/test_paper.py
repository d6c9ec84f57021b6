"""What the paper prints of other metrics, and that it was typed as it stands there."""

import re

import pytest

from simpatico.reproduction.cells import printed_tables
from simpatico.reproduction.psychological_metrics.paper import (
    ALL,
    incremental_figures,
    metrics_of,
    paper_incremental_r2,
)
from tests.conftest import ROOT

PRINTED = printed_tables("psychological_metrics")["p"]
LINES = {"D7": 6, "pooled": 7, "FED-Dial": 3}
METRICS = {name for _, name, _ in incremental_figures()} | {"Mauve"}


def test_figures_read_by_hand_from_the_tables():
    assert paper_incremental_r2("D7", "BARTScore") == (0.087, "")
    assert paper_incremental_r2("D7", "BARTScore", "emotional_entropy") == (0.095, "***")
    assert paper_incremental_r2("pooled", "DialogRPT", ALL) == (0.315, "***")
    assert paper_incremental_r2("FED-Dial", "USL-H", "agreeableness") == (0.140, "")
    assert paper_incremental_r2("ZP", "Prism Context", "style_matching") == (0.058, "***")
    assert paper_incremental_r2("GD", "BLEURT", "emotional_entropy") == (0.135, "*")


def test_what_the_paper_does_not_have_is_null():
    assert paper_incremental_r2("pooled", "BERTScore", "empathy") is None
    assert paper_incremental_r2("FT", "BERTScore") is None
    assert paper_incremental_r2("D7", "USL-H") is None
    assert paper_incremental_r2("ZD", "") is None


def test_every_set_of_the_appendix_has_six_metrics_alone_and_with_six_others():
    for row in set(PRINTED) - {"within sets"}:
        names = {metric for name, metric, _ in incremental_figures() if name == row}
        assert len(names) == LINES.get(row, 6)
        for metric in names:
            assert all(
                paper_incremental_r2(row, metric, one) for one in ("", *metrics_of(row), ALL)
            )


@pytest.fixture(scope="module")
def paper():
    path = ROOT.parent / "shared" / "papers" / "psychological-metrics.md"
    if not path.is_file():
        pytest.skip(f"no text of the paper in {path.parent}")
    return path.read_text(encoding="utf-8")


def printed_lines(paper, table):
    """Name and figures of each line above the caption of a table; cells stand between tabs."""
    before = re.split(r"\nTable \d+:", paper.partition(f"\nTable {table}:")[0])[-1]
    for line in before.splitlines():
        cells = line.split("\t")
        name = next((cell for cell in cells[:2] if cell in METRICS), None)
        if name:
            yield name, " ".join(cells[cells.index(name) + 1 :]).split()


def test_every_figure_is_as_the_paper_has_it(paper):
    """In a line T comes first, then P and P+T by turns; Tables 1 and 2 begin with another set."""
    n = 0
    for row, cells in PRINTED.items():
        if row == "within sets":
            continue
        lines = list(printed_lines(paper, cells["table"]))
        for name, figures in lines[-LINES.get(row, 6) :]:
            ours = [paper_incremental_r2(row, name, one) for one in ("", *metrics_of(row), ALL)]
            theirs = [figures[0], *figures[2::2]]
            assert [f"{o.value:.3f}".lstrip("0") + o.stars for o in ours] == theirs, (row, name)
            n += len(ours)
    assert n == len(incremental_figures()) == 11 * 6 * 7 + 7 * 5 + 3 * 4
