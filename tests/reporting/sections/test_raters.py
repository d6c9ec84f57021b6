"""Correlation with human ratings: the forest's numbers, its heading, and what is said without ratings."""

from dataclasses import replace

import pytest

from simpatico.reporting.sections.raters import closest_metric, raters_section, share_in_words
from simpatico.wording import format_correlation
from tests.reporting.cases import case, rated
from tests.reporting.pages import example_page
from tests.reporting.tree import tree


def section(findings):
    return tree(raters_section(findings).html)


def test_the_numbers_of_every_forest_are_those_of_the_json():
    findings = example_page("demo").findings
    evidence = findings.as_json()["evidence"]
    panes = list(section(findings).all("div", "pane"))
    assert len(panes) == len(findings.qualities) == 4
    for (quality, level), pane in zip(findings.qualities, panes, strict=True):
        agreement = {
            r["score"]: r
            for r in evidence["agreement"]
            if (r["quality"], r["level"]) == (quality, level)
        }
        one = agreement["one_more_judge"]["value"]
        own = [
            r for r in evidence["correlations"] if (r["quality"], r["level"]) == (quality, level)
        ]
        own.sort(key=lambda r: -r["value"])
        n = max(r["n"] for r in own)
        about = f"“{quality}”, {n} rated dialogs, on a scale from 1 to 5"
        assert next(pane.all("p", "note")).text == about
        cells = [
            [tr.one("bdi").text, *(td.prose for td in tr.all("td", "r"))]
            for tr in pane.one("tbody").all("tr")
        ]
        assert cells == [
            [
                findings.titles[r["score"]],
                format_correlation(r["value"]),
                f"[{format_correlation(r['low'])}, {format_correlation(r['high'])}]",
                f"{100 * r['value'] / one:.0f}%"
                if one and r["value"] > 0 and r["p_adjusted"] < 0.05
                else "–",
                format_correlation((r["length_held_constant"] or {}).get("value")),
            ]
            for r in own
        ]
        lines = [x.text for x in pane.one("thead").all("span", "vh")][1]
        ceiling = agreement["ceiling"]["value"]
        expected = ["plot"] + [f"one more rater {format_correlation(one)}"] * (one is not None)
        assert lines == ", ".join(
            expected + [f"noise ceiling {format_correlation(ceiling)}"] * (ceiling is not None)
        )


def test_how_far_raters_agree_is_that_of_the_json():
    findings = example_page("demo").findings
    rows = {
        (r["quality"], r["level"]): r
        for r in findings.as_json()["evidence"]["agreement"]
        if r["score"] == "krippendorff_alpha_ordinal"
    }
    side = section(findings).one("div", "side")
    cells = {
        tr.one("bdi").text: [td.text for td in tr.all("td", "r")]
        for tr in side.one("tbody").all("tr")
    }
    for (quality, _), row in rows.items():
        ends = f"[{format_correlation(row['low'])}, {format_correlation(row['high'])}]"
        expected = [format_correlation(row["value"]), ends]
        assert cells[quality] == (
            expected if row["value"] is not None else ["one rater per unit", ""]
        )
    assert cells["enjoyed"] == ["one rater per unit", ""]
    frame = example_page("demo").judgements.frame
    assert (frame["judge"].n_unique(), frame["value"].count(), frame["value"].null_count()) == (
        25,
        649,
        11,
    )
    assert side.one("p", "note").text == (
        "Ordinal Krippendorff’s α: 1 = perfect agreement, 0 = chance level. 25 raters, 649 ratings; "
        "11 blank (not rated)."
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("one_rater", "one rater per unit"),
        ("all_alike", "no variation"),
        ("all_blank", "one rater per unit"),
    ],
)
def test_why_there_is_no_agreement(kind, value):
    side = section(case(kind).findings).one("div", "side")
    assert [td.text for td in side.one("tbody").all("td", "r")] == [value, ""]


def test_raters_without_names_are_not_counted():
    side = section(case("nobody_named").findings).one("div", "side")
    assert side.one("p", "note").text.endswith(" 0 = chance level. 120 ratings.")


def with_correlation(findings, value, p, score="length", others=1.0):
    """The findings in which one score alone may follow the raters."""
    rows = [
        replace(r, value=value, p_adjusted=p) if r.score == score else replace(r, p_adjusted=others)
        for r in findings.evidence.correlations
    ]
    return replace(findings, evidence=replace(findings.evidence, correlations=rows))


def test_which_metric_comes_closest():
    """One more rater of the demo's “overall” reaches `one`."""
    findings = example_page("demo").findings
    assert closest_metric(findings) == "No metric correlates significantly with “overall”"
    (one,) = [r.value for r in findings.evidence.agreement if (r.quality, r.score) == ("overall", "one_more_judge")]  # fmt: skip
    start = "Length correlates most with human ratings"
    end = "the correlation that one more rater has"
    for share, words in [(0.5, "about half"), (0.42, "42% of"), (1.2, "at least"), (0.749, "about three quarters of")]:  # fmt: skip
        assert (
            closest_metric(with_correlation(findings, share * one, 0.01))
            == f"{start}: {words} {end}"
        )
    assert (
        closest_metric(with_correlation(findings, -one / 3, 0.01))
        == f"{start} (negatively): about a third of {end}"
    )
    assert (
        closest_metric(with_correlation(findings, 0.4, 0.05))
        == "No metric correlates significantly with “overall”"
    )


def test_which_metric_comes_closest_to_a_single_rater():
    """With one rater per unit nobody knows what one more would tell."""
    findings = with_correlation(case("one_rater").findings, 0.37, 0.01)
    assert closest_metric(findings) == "Length correlates most with human ratings: r = .37"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0% of"),
        (0.214, "21% of"),
        (0.2151, "about a quarter of"),
        (0.3, "about a third of"),
        (0.55, "55% of"),
        (2 / 3, "about two thirds of"),
        (0.99, "99% of"),
        (1.0, "at least"),
        (3.0, "at least"),
    ],
)
def test_shares_in_words(share, words):
    assert share_in_words(share) == words


@pytest.mark.parametrize(("units", "has_chart"), [(29, False), (30, True)])
def test_a_correlation_needs_thirty_rated_dialogs(units, has_chart):
    findings = rated(units).findings
    root = section(findings)
    assert len(list(root.all("table", "forest"))) == has_chart
    refusals = [p.prose for p in root.all("p", "refuse")]
    few = "Too few rated dialogs to correlate metrics with human ratings"
    assert (closest_metric(findings) == few) is not has_chart
    assert refusals == (
        []
        if has_chart
        else [
            "No correlation is drawn.It needs at least 30 rated dialogs; there are 29. With fewer, "
            "unrelated numbers often correlate beyond ±.36 by chance."
        ]
    )


def test_judgements_of_turns_are_called_so():
    root = section(case("of_turns").findings)
    assert next(root.all("p", "note")).text == "“overall”, 48 rated turns, on a scale from 1 to 5"
    assert root.one("div", "side").one("bdi").text == "overall (turn)"


def test_what_was_left_out_is_told():
    root = section(case("two_qualities_one_on_two_scales").findings)
    notes = [p.text for p in root.all("p", "note")]
    assert (
        "quality 'warm' of dialogs was judged on 2 scales, 1 to 5 and 1 to 7, and left out; keep "
        "judgements of one scale, or standardise each judge's (--standardise)" in notes
    )


def test_without_judgements_it_is_not_known():
    root = section(example_page("unjudged").findings)
    assert root.one("h2").text == "The correlation with human ratings is unknown for this run"
    assert root.one("p", "lede").text == (
        "No human ratings were given. With a file of human ratings, this section shows each "
        "metric’s correlation with them beside inter-rater agreement: simpatico report run "
        "--judgements FILE"
    )
    lede = section(example_page("two_scales").findings).one("p", "lede").text
    assert lede.startswith(
        "Quality 'overall' of dialogs was judged on 2 scales, 1 to 5 and 1 to 100;"
    )
