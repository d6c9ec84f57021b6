"""What each metric adds, and how metrics overlap: numbers, headings and floors."""

from dataclasses import replace

import pytest

from simpatico.reporting.sections.incremental import incremental_finding, incremental_section
from simpatico.reporting.sections.overlap import overlap_finding as overlapping
from simpatico.reporting.sections.overlap import overlap_section
from simpatico.validation.incremental.rows import ALL
from simpatico.wording import format_correlation
from tests.reporting.cases import TWO, case, rated
from tests.reporting.pages import FEW_METRICS, ExamplePage, example_page, scored, talks
from tests.reporting.tree import tree


def r2(value):
    return format_correlation(value, 3)


def test_every_cell_of_t_p_and_both_is_that_of_the_json():
    findings = example_page("demo").findings
    rows = {
        (r["quality"], r["score"], r["added_name"]): r
        for r in findings.as_json()["evidence"]["incremental"]
        if r["n"] >= 60
    }
    titles = {**findings.titles, ALL: "All combined"}
    lines = {**findings.titles, ALL: "All combined"}
    count = 0
    for body in tree(incremental_section(findings).html).one("table", "tp").all("tbody"):
        head, *rest = body.all("tr")
        name, _, *columns = (th for th in head.all("th"))
        quality = name.one("b").text.strip("“”")
        own = {k: r for k, r in rows.items() if k[0] == quality}
        added = list(dict.fromkeys(k[2] for k in own))
        assert name.text == f"“{quality}”66 rated dialogs"
        old = list(dict.fromkeys(k[1] for k in own))
        assert [c.text for c in columns] == [
            f"{titles[a]}P alone {r2(own[quality, old[0], a]['adj_r2_p'])}, P+T:" for a in added
        ]
        for line, score in zip(rest, old, strict=True):
            models = [own[quality, score, a] for a in added]
            assert line.one("th").text == lines[score]
            assert line.one("td", "t1").text == r2(max(models, key=lambda r: r["n"])["adj_r2_t"])
            cells = list(line.all("td", "p"))
            assert [c.prose for c in cells] == [r2(r["adj_r2_pt"]) for r in models]
            assert [c.attributes["title"] for c in cells] == [gain(r) for r in models]
            count += len(cells)
    assert count == len(rows) == 3 * 3 * 6


def gain(row: dict) -> str:
    sure = row["low"] > 0 and row["p_adjusted"] < 0.05
    ends = f"[{r2(row['low'])}, {r2(row['high'])}]"
    return f"gain {r2(row['value'])} {ends}, {'significant' if sure else 'not significant'}"


def test_qualities_with_too_few_ratings_are_named():
    root = tree(incremental_section(example_page("demo").findings).html)
    assert next(root.all("p", "note")).text == (
        "Fewer than the 60 rated units needed: “enjoyed” (55)."
    )


def gaining(findings, *clear: tuple[str, str, str]):
    """The findings with gains in these models alone: quality, traditional score, added score."""
    rows = [
        replace(r, low=0.01, p_adjusted=0.01)
        if (r.quality, r.score, r.added_name) in clear
        else replace(r, low=-0.01, p_adjusted=1.0)
        for r in findings.evidence.incremental
    ]
    return replace(findings, evidence=replace(findings.evidence, incremental=rows))


def test_how_many_models_gain():
    """Three qualities of 60 ratings or more, three rows, five metrics one by one: 45 models."""
    findings = example_page("demo").findings
    none = "No metric adds significantly to the traditional ones"
    assert incremental_finding(gaining(findings)) == none
    one = ("overall", "length", "empathy")
    assert incremental_finding(gaining(findings, one)) == (
        "Empathic concern (trait of the writer) adds to the traditional metrics in 1 of 45 models, "
        "for “overall”; confirmed by cross-validation in none of these"
    )
    two = ("interesting", ALL, "style_matching")
    assert incremental_finding(gaining(findings, one, two)) == (
        "Empathic concern (trait of the writer) and language style matching add to the "
        "traditional metrics in 2 of 45 models; "
        "confirmed by cross-validation in none of these"
    )
    few = ("enjoyed", "length", "empathy")
    joint = ("overall", "length", ALL)
    assert incremental_finding(gaining(findings, few, joint)) == none


@pytest.mark.parametrize(("units", "has_models"), [(59, False), (60, True)])
def test_models_need_sixty_ratings(units, has_models):
    root = tree(incremental_section(rated(units).findings).html)
    assert len(list(root.all("table", "tp"))) == has_models
    heading = root.one("h2").text
    assert (heading == "Too few ratings to say what each metric adds") is not has_models
    if not has_models:
        assert root.one("p", "lede").text == "T, P and P+T need at least 60 rated dialogs or turns."


@pytest.mark.parametrize("kind", ["no_traditional", "only_traditional", "one_metric"])
def test_with_metrics_of_one_kind_there_is_nothing_to_add_to(kind):
    root = tree(incremental_section(case(kind).findings).html)
    assert root.one("h2").text == "Incremental validity needs traditional and psychological metrics"


def test_without_judgements_there_is_no_such_section():
    assert incremental_section(example_page("unjudged").findings) is None
    assert incremental_section(case("joins_nothing").findings) is None


def test_every_cell_of_the_heat_map_is_that_of_the_json():
    findings = example_page("demo").findings
    structure = findings.as_json()["structure"]
    order, names = list(structure["order"]), list(structure["names"])
    cells = list(tree(overlap_section(findings).html).all("g", "cellr"))
    assert len(cells) == 21
    for cell in cells:
        row, column = (
            names.index(order[int(cell.attributes[f"data-{k}"])]) for k in ("row", "column")
        )
        r, low, high, n = (structure[part][row][column] for part in ("r", "low", "high", "n"))
        a, b = findings.titles[names[row]], findings.titles[names[column]]
        assert cell.text == format_correlation(r)
        start = f"{a} and {b}: r {format_correlation(r)} [{format_correlation(low)}, {format_correlation(high)}], n {n}: "
        assert cell.attributes["data-say"].startswith(start)
        assert cell.attributes["aria-label"] == cell.attributes["data-say"]


def with_structure(findings, **pairs: float | None):
    """The findings with r = 0 but for these pairs, each named by two scores."""
    names = list(findings.structure.names)
    r = [[1.0 if a == b else 0.0 for a in names] for b in names]
    for pair, value in pairs.items():
        i, j = (names.index(n) for n in pair.split("__"))
        r[i][j] = r[j][i] = value
    return replace(findings, structure=replace(findings.structure, r=r))


def test_what_the_heading_says_of_the_overlap():
    """Four metrics, two of each kind: four pairs of a psychological with a traditional one."""
    findings = example_page("unjudged").findings
    start = "The psychological metrics correlate little with the traditional ones: "
    end = "psychological–traditional pairs stay below |r| = .2"
    assert overlapping(with_structure(findings)) == f"{start}4 of 4 {end}"
    one = {"emotional_entropy__length": 0.2}
    assert overlapping(with_structure(findings, **one)) == f"{start}3 of 4 {end}"
    three = {**one, "style_matching__length": -0.2, "style_matching__question_rate": -0.5}
    assert overlapping(with_structure(findings, **three)) == (
        f"Question rate and language style matching overlap most (r = −.50); 1 of 4 {end}"
    )
    none = {f"{a}__{b}": None for a in FEW_METRICS for b in FEW_METRICS if a < b}
    assert (
        overlapping(with_structure(findings, **none))
        == "No correlation between two metrics can be computed"
    )


def test_what_the_heading_says_of_metrics_of_one_kind():
    findings = case("no_traditional").findings
    changed_findings = with_structure(findings, style_matching__empathy=-0.3)
    assert overlapping(changed_findings) == (
        "Empathic concern (trait of the writer) and language style matching overlap most "
        "(r = −.30); 2 of 3 pairs of metrics stay "
        "below |r| = .2"
    )


@pytest.mark.parametrize(("dialogs", "has_chart"), [(29, False), (30, True)])
def test_a_heat_map_needs_thirty_dialogs(dialogs, has_chart):
    rows = talks([TWO[0]], dialogs, turns=2)
    metrics = ["length", "question_rate", "emotional_entropy"]
    root = tree(overlap_section(ExamplePage(scored(rows, metrics), None).findings).html)
    assert len(list(root.all("svg", "heatmap"))) == has_chart
    if not has_chart:
        assert root.one("h2").text == "Too few dialogs to say which metrics overlap"
        assert root.one("p", "lede").text == (
            "A heat map needs at least 30 dialogs with two scores; there are 29. With fewer, "
            "unrelated metrics often correlate beyond ±.36 by chance."
        )


def test_two_metrics_have_no_heat_map():
    assert overlap_section(case("two_metrics").findings) is None
    assert overlap_section(case("one_metric").findings) is None
