"""Scores against judgements as a drawing: the rows of a forest and what a notebook shows."""

from dataclasses import replace

import pytest

from simpatico.validation.chart import correlation_forest, is_significant
from simpatico.validation.evidence import Evidence
from simpatico.validation.raters.agreement import find_statistic
from simpatico.wording import format_correlation
from tests.reporting.cases import case
from tests.reporting.pages import example_page
from tests.reporting.tree import tree

OVERALL = ("overall", "dialog")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return example_page("demo").findings.required_evidence


@pytest.mark.parametrize(("p", "finding"), [(None, False), (0.05, False), (0.0499, True)])
def test_only_a_corrected_p_below_five_in_a_hundred_is_clear(p, finding):
    assert is_significant(p) is finding


def test_a_forest_has_every_score_the_highest_first(evidence):
    rows = {r.score: r for r in evidence.correlations if (r.quality, r.level) == OVERALL}
    forest = correlation_forest(evidence, OVERALL, {"length": "Words"}, {"length": "T"})
    assert [r.value for r in forest.rows] == sorted((r.value for r in rows.values()), reverse=True)
    (length,) = [r for r in forest.rows if r.kind == "T"]
    row = rows["length"]
    assert (length.title, length.value, length.low, length.high, length.n) == (
        "Words",
        row.value,
        row.low,
        row.high,
        66,
    )
    one = find_statistic(evidence.agreement, *OVERALL, "one_more_judge")
    assert forest.one_more == (one.value, one.low, one.high)
    assert forest.ceiling == find_statistic(evidence.agreement, *OVERALL, "ceiling").value
    assert forest.caption == "Correlation of each metric with “overall”"


def test_a_score_without_a_value_comes_last_and_says_why(evidence):
    rows = [
        replace(r, value=None, low=None, high=None, status="too_few") if r.score == "length" else r
        for r in evidence.correlations
    ]
    forest = correlation_forest(replace(evidence, correlations=rows), OVERALL)
    assert (forest.rows[-1].title, forest.rows[-1].why) == ("Length", "too few rated dialogs")
    assert {r.kind for r in forest.rows} == {"O"}


def test_with_one_judge_each_there_is_nothing_to_reach():
    forest = correlation_forest(case("one_rater").findings.required_evidence, OVERALL)
    assert (forest.one_more, forest.ceiling) == (None, None)


def test_a_notebook_shows_a_forest_of_every_quality(evidence):
    root = tree(evidence._repr_html_())
    leads = [p.text for p in root.all("p", "lead")]
    assert sorted(leads) == [
        "“empathetic”: correlation with human ratings, 66 rated dialogs",
        "“enjoyed”: correlation with human ratings, 55 rated dialogs",
        "“interesting”: correlation with human ratings, 66 rated dialogs",
        "“overall”: correlation with human ratings, 66 rated dialogs",
    ]
    for lead, table in zip(leads, root.all("table", "forest"), strict=True):
        quality = lead.split("”")[0].strip("“")
        own = [r for r in evidence.correlations if r.quality == quality]
        cells = [td.prose for td in table.all("td", "c1")]
        assert cells == [format_correlation(r.value) for r in sorted(own, key=lambda r: -r.value)]


def test_a_notebook_shows_evidence_of_nothing():
    assert (
        tree(Evidence([], [], [], [])._repr_html_()).one("div", "simpatico").prose.startswith("/*")
    )
