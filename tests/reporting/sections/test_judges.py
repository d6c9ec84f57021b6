"""The section on model judges: its heading answers, its numbers are those of the JSON."""

from functools import cache

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.judge_answers import ANSWER_SCHEMA, JudgeAnswers
from simpatico.reporting.findings import gather_findings
from simpatico.reporting.sections.judges import FIRST, judges_section
from simpatico.validation.judges.tables import audit_tables
from tests.reporting.pages import example_page
from tests.reporting.tree import tree


@cache
def findings():
    """The sample's run and ratings, and a judge that says what the first outsider says."""
    page = example_page("demo")
    rows = page.judgements.frame.filter(judge_kind="outsider").unique(
        ["dialog", "speaker", "quality"], keep="first", maintain_order=True
    )
    missing = [pl.lit(None, kind).alias(n) for n, kind in ANSWER_SCHEMA.items() if n not in rows]
    judge = rows.with_columns(missing).with_columns(
        judge=pl.lit("copy@1f2e3d4c"), judge_kind=pl.lit("model")
    )
    return gather_findings(page.run, page.judgements, answers=JudgeAnswers.of(judge))


def test_heading_and_lead_are_the_three_sentences():
    section = tree(judges_section(findings()).html)
    first, *others = findings().judges.answer
    assert section.one("h2").text == first.rstrip(".")
    assert next(section.all("p", "lede")).text == " ".join(others)


def test_every_table_is_on_the_page_and_two_are_open():
    section = tree(judges_section(findings()).html)
    titles = [h3.text for h3 in section.all("h3")]
    assert titles == [table.title for table in audit_tables(findings().judges)]
    hidden = [h3.text for h3 in section.one("details").all("h3")]
    assert hidden == titles[FIRST:]


def test_the_verdicts_are_those_of_the_json():
    facts = findings().as_json()["judges"]
    rows = next(tree(judges_section(findings()).html).all("tbody")).all("tr")
    shown = [[td.text for td in row.all("td")] for row in rows]
    assert [(row[0], row[-1]) for row in shown] == [
        (v["use"], f"{v['n']:,}") for v in facts["verdicts"]
    ]


def test_without_judges_there_is_no_section():
    assert judges_section(example_page("demo").findings) is None
    assert example_page("demo").findings.as_json()["judges"] is None


def test_judges_need_ratings():
    page = example_page("unjudged")
    empty = JudgeAnswers(pl.DataFrame(schema=ANSWER_SCHEMA))
    with pytest.raises(DataError) as error:
        gather_findings(page.run, None, answers=empty)
    assert str(error.value) == "judges are audited against people; add --judgements FILE"
