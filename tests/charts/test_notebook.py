"""What a notebook shows: sound markup with its own style, no script, and the same numbers."""

import re

import pytest

from simpatico import Turns, load, score
from simpatico.comparison.difference import Differences, compare
from simpatico.validation.evidence import Evidence
from simpatico.wording import format_number
from tests.conftest import talk
from tests.reporting.pages import example_page
from tests.reporting.sections.test_side_by_side import digits_of
from tests.reporting.tree import tree

LINES = ("ann: I am sad, my dog died", "bob: I am so sorry for you", "ann: we had fun", "bob: oh?")


@pytest.fixture(scope="module")
def table():
    first, second = talk(*LINES, dialog="d"), talk(*LINES[::-1], "bob: Really?", dialog="e")
    turns = Turns.from_utterances(first.frame.select("dialog", "speaker", "text").vstack(second.frame.select("dialog", "speaker", "text")))  # fmt: skip
    return score(turns, [load("emotional_entropy"), load("length"), load("question_rate")])


def every(table) -> dict[str, str]:
    demo = example_page("demo")
    two = compare([example_page("unjudged").run])
    return {
        "table": table._repr_html_(),
        "three systems": compare([demo.run])._repr_html_(),
        "two systems": two._repr_html_(),
        "no systems": Differences()._repr_html_(),
        "evidence": demo.findings.required_evidence._repr_html_(),
        "no evidence": Evidence([], [], [], [])._repr_html_(),
    }


def test_all_of_it_is_sound_and_touches_nothing_else(table):
    for kind, html in every(table).items():
        root = tree(html)
        (frame,) = root.children
        assert frame.attributes == {"class": "simpatico framed"}, kind
        assert not list(root.all("script")), kind
        names = {name for n in root.all() for name in n.attributes}
        assert not [n for n in names if n == "style" or n.startswith("on")], kind
        ids = {n.attributes["id"] for n in root.all() if "id" in n.attributes}
        uses = {n.attributes["href"].removeprefix("#") for n in root.all("use")}
        assert uses <= ids, kind
        assert "http" not in html
        rest = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
        assert not re.search(r"\b(nan|None|inf)\b", tree(rest).text), kind


def test_every_rule_of_the_style_stays_within_the_frame(table):
    style = tree(table._repr_html_()).one("style").text
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    selectors = [
        s.strip()
        for rule in re.findall(r"([^{}]+)\{", style)
        for s in re.sub(r"\([^()]*\)", "", rule).split(",")
        if not rule.strip().startswith("@")
    ]
    assert selectors
    assert [s for s in selectors if ".simpatico" not in s] == []


def test_a_table_of_scores_shows_the_means_of_the_systems(table):
    root = tree(table._repr_html_())
    rows = table.at("system").to_dicts()
    panels = {p.one("h4").text: p for p in root.all("table", "pnl")}
    assert list(panels) == ["Emotional entropy", "Length", "Question rate"]
    for title, panel in panels.items():
        name = title.lower().replace(" ", "_")
        digits = digits_of(rows, name)
        means = {tr.one("bdi").text: list(tr.all("td"))[1].text for tr in panel.all("tr")}
        assert means == {r["system"]: format_number(r[name], digits) for r in rows}


def test_a_table_without_turns_shows_nothing_and_fails_at_nothing():
    nobody = talk("ann: hello").frame.with_columns(system=None)
    empty = score(Turns(nobody), [load("length")])
    assert not list(tree(empty._repr_html_()).all("tr"))
