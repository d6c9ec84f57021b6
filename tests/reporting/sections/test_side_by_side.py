"""The systems side by side: the numbers of dots and table, and when a radar is refused."""

from dataclasses import replace

import pytest

from simpatico.comparison.headline import plain_text
from simpatico.reporting.page import render_page
from simpatico.reporting.sections.side_by_side import systems_finding, systems_section
from simpatico.wording import format_interval, format_number, interval_digits
from tests.reporting.cases import TWO, case
from tests.reporting.pages import ExamplePage, example_page, scored, talks
from tests.reporting.tree import tree


def section(findings):
    return tree(systems_section(findings).html)


def digits_of(rows: list[dict], score: str) -> int:
    """One digit fewer than the narrowest interval supports, for all systems."""
    ends = [(r[f"{score}_low"], r[f"{score}_high"]) for r in rows]
    intervals = [(low, high) for low, high in ends if low is not None and high - low > 1e-9]
    return max(max(interval_digits(*e) - 1, 0) for e in intervals)


def test_the_numbers_of_dots_and_table_are_those_of_the_json():
    findings = example_page("demo").findings
    rows = findings.as_json()["systems"]
    order = ["brisk", "carousel", "harbor", "human"]
    by = {row["system"]: row for row in rows}
    root = section(findings)
    table = {
        cells[0].text: [c.text for c in cells[1:]]
        for tr in root.one("table", "means").one("thead").all("tr")
        for cells in [list(tr.all("th"))]
    }
    assert table == {"metric": ["brisk", "carousel", "harbor", "users (human)"]}
    table_cells = {
        tr.one("th").text: [c.text for c in tr.all("td")]
        for tr in root.one("table", "means").all("tr")
        if list(tr.all("td"))
    }
    panels = {p.one("h4").text: p for p in root.all("table", "pnl")}
    assert list(panels) == list(table_cells) == [s.title for s in findings.scores]
    for score in findings.scores:
        digits = digits_of(rows, score.name)
        values = [
            f"{format_number(by[s][score.name], digits)} "
            f"{format_interval(by[s][f'{score.name}_low'], by[s][f'{score.name}_high'], digits)}"
            for s in order
        ]
        counts = [by[s][f"{score.name}_n"] for s in order]
        assert table_cells[score.title] == [
            f"{v}n {n}" for v, n in zip(values, counts, strict=True)
        ]
        cells = [list(tr.all("td")) for tr in panels[score.title].all("tr")]
        assert [c[1].text for c in cells] == [v.split(" ")[0] for v in values[:3]]
        assert [c[0].attributes["title"] for c in cells] == [
            f"{v}, n = {n}" for v, n in zip(values[:3], counts[:3], strict=True)
        ]


def test_a_metric_that_no_dialog_has_says_so():
    root = section(example_page("nulls_only").findings)
    cells = [td.text for td in root.one("table", "means").all("td")]
    assert "–not scored in any dialog" in cells


def test_one_dialog_has_a_value_and_no_interval():
    root = section(case("one_turn").findings)
    cells = {
        tr.one("th").text: [c.text for c in tr.all("td")]
        for tr in root.one("table", "means").all("tr")
        if list(tr.all("td"))
    }
    assert cells["Length"] == ["2.000n 1"]
    assert cells["Language style matching"] == ["–not scored in any dialog"]


def differing(findings, *clear: tuple[str, str, str]):
    """The findings with differences only between these pairs on these scores."""
    sure = {(frozenset((a, b)), score) for a, b, score in clear}
    pairs = {
        pair: [
            replace(
                d,
                difference=1.0,
                p_value=0.001,
                p_adjusted=0.001 if (frozenset(pair), d.score) in sure else 1.0,
                low=-1.0,
                high=3.0,
            )
            for d in differences
        ]
        for pair, differences in findings.pairs.items()
    }
    return replace(findings, pairs=pairs)


def test_what_the_heading_says_of_three_systems():
    """7 scores of 3 pairs are 21 comparisons."""
    findings = example_page("demo").findings
    variant = differing(findings)
    assert (
        plain_text(systems_finding(variant)) == "No significant difference between any two systems"
    )
    variant = differing(findings, ("brisk", "harbor", "length"))
    assert (
        plain_text(systems_finding(variant))
        == "1 of 21 comparisons show a significant difference; brisk is in it"
    )
    variant = differing(findings, ("brisk", "harbor", "length"), ("brisk", "carousel", "empathy"))
    assert (
        plain_text(systems_finding(variant))
        == "2 of 21 comparisons show a significant difference; brisk is in 2 of them"
    )
    variant = differing(findings, ("brisk", "harbor", "length"), ("brisk", "carousel", "length"))
    assert plain_text(systems_finding(variant)) == "brisk differs from every other system in length"
    names = ("length", "empathy", "question_rate", "style_matching")
    every = [("brisk", other, s) for other in ("harbor", "carousel") for s in names]
    assert plain_text(systems_finding(differing(findings, *every))) == (
        "brisk differs from every other system in empathic concern (trait of the writer), "
        "language style matching and 2 more"
    )
    left_out = replace(differing(findings, *every[:1], every[4]), pairs_left_out=1)
    assert plain_text(systems_finding(left_out)) == (
        "2 of 21 comparisons shown here show a significant difference; brisk is in 2 of them"
    )


def test_what_the_heading_says_of_fewer_systems():
    two = example_page("unjudged").findings
    assert plain_text(systems_finding(differing(two, (*TWO, "length")))) == (
        "1 of 4 comparisons show a significant difference"
    )
    assert plain_text(systems_finding(replace(two, pairs={}))) == "How the systems score"
    assert plain_text(systems_finding(case("alone").findings)) == "How heron scores"


def test_names_of_metrics_keep_their_capitals_in_a_sentence():
    findings = example_page("demo").findings
    scores = tuple(
        replace(s, title="BERTScore") if s.name == "length" else s for s in findings.scores
    )
    variant = differing(findings, ("brisk", "harbor", "length"), ("brisk", "carousel", "length"))
    assert plain_text(systems_finding(replace(variant, scores=scores))) == (
        "brisk differs from every other system in BERTScore"
    )


@pytest.mark.parametrize(("dialogs", "has_chart"), [(19, False), (20, True)])
def test_a_radar_needs_twenty_dialogs_of_a_system(dialogs, has_chart):
    rows = [*talks(["heron"], dialogs, turns=2), *talks(["juniper"], 20, turns=2)]
    root = section(ExamplePage(scored(rows), None).findings)
    (radars,) = root.all("div", "radars")
    names = [n.text for n in root.one("p", "legend").all("bdi")]
    assert names == (["heron", "juniper"] if has_chart else ["juniper"])
    assert len(list(radars.all("svg"))) >= 1
    refusals = [p.prose for p in root.all("p", "refuse")]
    assert refusals == (
        []
        if has_chart
        else [
            "heron is not drawn.It has 19 dialogs. A radar needs at least 20 per system; with "
            "fewer, its shape would be mostly noise."
        ]
    )


def test_a_radar_needs_three_metrics():
    root = section(case("two_metrics").findings)
    assert not list(root.all("div", "radars"))
    assert [p.prose for p in root.all("p", "refuse")] == [
        "No radar.It needs at least 3 metrics; the run has 2 metrics."
    ]
    assert next(section(case("one_metric").findings).all("p", "refuse")).prose == (
        "No radar.It needs at least 3 metrics; the run has 1 metric."
    )


def test_of_many_systems_the_two_that_lead_are_in_the_radar():
    rows = talks([f"system-{i:02d}" for i in range(13)], 20, turns=2)
    findings = ExamplePage(
        scored(rows, ["style_matching", "length", "question_rate"]), None
    ).findings
    root = section(findings)
    assert {n.text for n in root.one("p", "legend").all("bdi")} == set(findings.main)
    assert root.all("p", "note")
    assert "Only the two systems compared above are drawn; 11 are not." in [
        p.text for p in root.all("p", "note")
    ]
    marks = {n.attributes["class"] for n in root.one("table", "means").all("span", "sys")}
    assert {"sys sx"} < marks <= {"sys sx", "sys s0", "sys s1", "sys sp"}


def test_systems_too_small_for_a_radar_are_counted():
    root = section(example_page("thirteen").findings)
    assert len(list(root.all("p", "refuse"))) == 6
    assert "7 more systems with fewer than 20 dialogs." in [p.text for p in root.all("p", "note")]


def test_without_scores_or_systems_there_is_no_such_section():
    for kind in ("only_parts", "nothing_scored"):
        assert not list(tree(render_page(case(kind).findings)).all("section", id="systems"))
