"""Cards, what was read, how to run it again, what is missing, and which dialogs are quoted."""

from dataclasses import replace

import pytest

from simpatico.charts.ranges import RangeChart, range_axis
from simpatico.charts.systems import assign_styles
from simpatico.reporting.dialogs.quoting import collect_quotations, lead_score
from simpatico.reporting.dialogs.section import dialogs_heading, dialogs_section
from simpatico.reporting.sections.cards import cards_section, scored_counts
from simpatico.reporting.sections.input import input_section
from simpatico.reporting.sections.missing import missing_section
from simpatico.reporting.sections.rerun import rerun_commands
from simpatico.wording import format_number, interval_digits
from tests.reporting.cases import case, rated
from tests.reporting.pages import ExamplePage, example_page, talks
from tests.reporting.pages import scored as scored_run
from tests.reporting.tree import tree


def test_the_counts_on_every_card_are_those_of_the_run():
    """By kind of metric: each unit of its level is either scored or has a reason."""
    findings = example_page("demo").findings
    data = findings.as_json()
    for card, score in zip(tree(cards_section(findings).html).all("article"), findings.scores, strict=True):  # fmt: skip
        counts = data["run"]["units"][score.level]
        own = {k.split(".")[1]: n for k, n in counts.items() if k.startswith(f"{score.name}.")}
        line = (
            card.one("p", "n") if len(list(card.all("p", "n"))) == 1 else next(card.all("p", "n"))
        )
        done = own.pop("scored")
        units = {
            "turn": f"{done} turns scored",
            "dialog": f"{done} dialog sides scored (one per speaker)",
        }[score.level]
        start = f"{units}. Not scored: "
        assert line.text.startswith(start if own else f"{start}none.")
        assert [int(p.split(" ")[0]) for p in line.text.removeprefix(start).split(", ") if own] == (
            sorted(own.values(), reverse=True)
        )
        assert done + sum(own.values()) == {"turn": 755, "dialog": 132}[score.level]
        assert card.one("p", "sig").text == findings.facts["metrics"][score.metric]["signature"]


def test_the_ranges_on_every_card_are_those_of_the_json():
    findings = example_page("demo").findings
    data = findings.as_json()
    means = {row["system"]: row for row in data["systems"]}
    who = assign_styles(findings.systems)
    for card, score in zip(
        tree(cards_section(findings).html).all("article"), findings.scores, strict=True
    ):
        p5, p95, _ = data["spreads"][score.name]
        parts = next(card.all("svg")).attributes["aria-label"].split("; ")
        marks = tuple((who[s], means[s][score.name]) for s in findings.systems)
        axis = range_axis(RangeChart(score.low, score.high, p5, p95, marks, ""))
        digits = interval_digits(axis.low, axis.high)
        assert (
            parts[1]
            == f"90% of dialogs between {format_number(p5, digits)} and {format_number(p95, digits)}"
        )
        assert parts[2:] == [
            f"{s} {format_number(means[s][score.name], digits)}"
            for s in ("brisk", "carousel", "harbor")
        ]


def test_reasons_in_words_the_most_frequent_first():
    findings = example_page("demo").findings
    (style,) = [s for s in findings.scores if s.name == "style_matching"]
    assert scored_counts(findings, style) == (
        "688 turns scored. Not scored: 66 that reply to nothing, 1 without words."
    )
    units = {"turn": {"style_matching.scored": 1, "style_matching.my_reason": 1234}}
    odd = replace(findings, facts={**findings.facts, "units": units})
    assert scored_counts(odd, style) == "1 turn scored. Not scored: 1,234 my reason."


def test_of_many_systems_the_two_that_lead_are_marked():
    findings = example_page("thirteen").findings
    card = next(tree(cards_section(findings).html).all("article"))
    parts = next(card.all("svg")).attributes["aria-label"].split("; ")
    assert [s.rpartition(" ")[0] for s in parts[2:]] == list(findings.main)


def test_metrics_of_parts_only_are_named():
    last = list(tree(cards_section(example_page("demo").findings).html).all("p"))[-1]
    assert (
        last.text
        == "Also scored, with sub-scores only: emotion_shares. simpatico show demo-run --every"
    )
    findings = case("only_parts").findings
    assert (
        "Also scored, with sub-scores only: emotion_shares. "
        in tree(cards_section(findings).html).text
    )


def test_what_was_read_of_the_demo():
    root = tree(input_section(example_page("demo").findings, None).html)
    assert root.one("h2").text == "66 dialogs read; no record skipped or rejected"
    rows = {tr.one("th").text: tr.one("td").text for tr in root.all("tr")}
    assert rows == {
        "Files": "conversations.jsonl (read as table)",
        "Messages": "787 messages in 755 turns",
        "Merged": "32 messages into the previous one by the same speaker",
        "Scored turns of": "user (404 turns), harbor (124 turns), carousel (120 turns), brisk (107 turns)",
        "Context only": "0 turns: replied to, not scored",
    }
    (note,) = [p.text for p in root.all("p", "note") if "reply to" in p.text]
    assert note == (
        "124 harbor turns reply to user; 120 carousel turns reply to user; 119 user turns reply to "
        "harbor; 118 user turns reply to carousel; 107 brisk turns reply to user; 101 user turns "
        "reply to brisk; 66 user turns open the dialog."
    )


def with_alignment(**changes):
    findings = example_page("unjudged").findings
    read = {**findings.facts["alignment"], **changes}
    return replace(findings, facts={**findings.facts, "alignment": read})


def test_what_was_set_aside_is_counted_the_largest_first():
    odd = with_alignment(aside={"empty text": 1, "no reply": 1500}, rejected={"not JSON": 2})
    root = tree(input_section(odd, None).html)
    assert root.one("h2").text == "48 dialogs read; 1,503 records were skipped or rejected"
    cells = [[td.text for td in tr.all("td")] for tr in next(root.all("table")).all("tr")]
    assert cells == [["1,500", "no reply"], ["2", "not JSON"], ["1", "empty text"]]
    assert "Each one with its file and line: rejects.jsonl in the run folder." in root.text
    one = tree(input_section(with_alignment(aside={"empty text": 1}), None).html)
    assert one.one("h2").text == "48 dialogs read; 1 record was skipped or rejected"
    assert "rejects.jsonl" not in one.text


def test_long_lists_end_in_how_many_more():
    many = {f"reason {i:02d}": 20 - i for i in range(15)}
    files = {f"f{i}.jsonl": "table" for i in range(5)}
    systems = {f"s{i:02d}": 30 - i for i in range(14)}
    who = {f"s{i:02d} answers human": 30 - i for i in range(14)}
    odd = with_alignment(aside=many, formats=files, systems=systems, answers=who)
    text = tree(input_section(odd, None).html).text
    assert "3 more reasons. " in text
    assert "f2.jsonl (read as table) and 2 more" in text
    assert "s11 (19 turns) and 2 more" in text
    assert "19 s11 turns reply to user; and 2 more." in text
    assert "No turn was scored." in tree(input_section(with_alignment(answers={}), None).html).text


def test_the_commands_that_made_the_page():
    findings = example_page("demo").findings
    names = ",".join(findings.facts["metrics"])
    assert rerun_commands(findings, None) == [
        f"simpatico score conversations.jsonl --metrics {names} --out demo-run",
        "simpatico compare demo-run",
        "simpatico report demo-run --out report.html",
    ]
    assert rerun_commands(findings, "my ratings.csv")[2:] == [
        "simpatico validate demo-run --judgements 'my ratings.csv'",
        "simpatico report demo-run --judgements 'my ratings.csv' --out report.html",
    ]
    inputs = [{"name": f"{i} $(x).jsonl", "sha256": "0" * 64} for i in range(5)]
    odd = replace(findings, facts={**findings.facts, "inputs": inputs})
    start = "simpatico score '0 $(x).jsonl' '1 $(x).jsonl' '2 $(x).jsonl' … --metrics "
    assert rerun_commands(odd, None)[0].startswith(start)


def rows_of(findings):
    table = missing_section(findings)
    return {} if table is None else {
        tr.one("th").text: [td.text for td in tr.all("td")]
        for tr in tree(table).one("tbody").all("tr")
    }  # fmt: skip


def test_nothing_is_missing_from_the_page_of_the_demo():
    assert missing_section(example_page("demo").findings) is None


def test_what_two_dialogs_are_too_few_for():
    assert rows_of(example_page("few").findings) == {
        "Intervals and verdict": [
            "6 prompts both replied to, or 4 dialogs of each",
            "1 and 1",
            "a difference that two more dialogs could reverse",
        ],
        "Radar": ["20 dialogs of a system, 3 metrics", "1 and 1; 4 metrics", "a shape that is mostly noise"],
        "Correlation with human ratings": ["30 rated dialogs or turns", "2", "correlations near +1 or −1 by chance"],
        "T, P and P+T": ["60 rated dialogs or turns", "2", "overfitting: a near-perfect fit for any metric"],
        "Heat map of metrics": ["30 dialogs, 3 metrics", "2; 4 metrics", "cells near +1 or −1 by chance"],
    }  # fmt: skip


def test_each_floor_of_ratings():
    assert rows_of(rated(29).findings)["Correlation with human ratings"][1] == "29"
    assert "Correlation with human ratings" not in rows_of(rated(30).findings)
    assert rows_of(rated(59).findings)["T, P and P+T"][1] == "59"
    assert "T, P and P+T" not in rows_of(rated(60).findings)


@pytest.mark.parametrize(("dialogs", "parts"), [(19, {"Radar", "Heat map of metrics"}), (20, {"Heat map of metrics"}), (29, {"Heat map of metrics"}), (30, set())])  # fmt: skip
def test_each_floor_of_dialogs(dialogs, parts):
    metrics = ["length", "question_rate", "emotional_entropy"]
    run = scored_run(talks(["heron"], dialogs, turns=2), metrics)
    assert set(rows_of(ExamplePage(run, None).findings)) == parts


def test_the_dialogs_of_many_systems_are_not_listed_one_by_one():
    assert rows_of(example_page("thirteen").findings)["Radar"][1] == "8 each; 4 metrics"
    assert rows_of(case("nothing_scored").findings)["Radar"][1] == "none; 4 metrics"


@pytest.mark.parametrize(
    ("kind", "heading"),
    [
        ("demo", "The lowest rated, the highest rated and where metric and raters disagree"),
        ("unjudged", "The lowest, the highest and one where metrics disagree"),
        ("few", "Both dialogs"),
    ],
)
def test_which_dialogs_are_quoted(kind, heading):
    findings = example_page(kind).findings
    quotations = collect_quotations(findings)
    assert dialogs_heading(quotations) == heading
    root = tree(dialogs_section(findings, quotations).html)
    assert root.one("h2").text == heading
    articles = list(root.all("article"))
    assert len(articles) == len(quotations.dialogs)
    last = list(root.all("p", "note"))[-1].text
    assert last.startswith(
        f"{len(articles)} of {findings.facts['alignment']['dialogs']} dialogs are "
    )


def test_headings_over_quoted_dialogs():
    findings = example_page("demo").findings
    quotations = collect_quotations(findings)

    def with_titles(*titles):
        pairs = zip(quotations.dialogs, titles, strict=False)
        return replace(quotations, dialogs=tuple(replace(q, example=replace(q.example, title=t)) for q, t in pairs))  # fmt: skip

    assert dialogs_heading(with_titles("The only dialog")) == "The one dialog"
    assert dialogs_heading(with_titles("One of 2 dialogs", "One of 2 dialogs")) == "Both dialogs"
    assert dialogs_heading(with_titles("a: b", "a: c", "a: d")) == "3 dialogs to read"
    assert (
        dialogs_heading(
            with_titles("Highest rated: x", "Lowest rated, like 3 more: y", "Disagree: z")
        )
        == "The lowest rated, the highest rated and where metric and raters disagree"
    )


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("no_text", "The run was scored with --no-text, so no dialog can be quoted."),
        ("only_parts", "No metric has a score to choose dialogs by."),
        ("nothing_scored", "No dialog has a score to choose it by."),
    ],
)
def test_why_no_dialog_is_quoted(kind, sentence):
    root = tree(case(kind).html).one("section", id="read")
    assert root.one("h2").text == "No dialog is quoted"
    assert root.one("p", "lede").text == sentence


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("lexicon_changed", "its word list or model is not what it was when the run was scored"),
        ("lexicon_gone", "its word list or model is missing or damaged"),
    ],
)
def test_words_are_not_marked_by_another_lexicon(kind, reason):
    root = tree(case(kind).html).one("section", id="read")
    assert len(list(root.all("article"))) == 2
    assert not [m for a in root.all("article") for m in a.all("mark")]
    assert (
        f"The words behind emotional entropy are not marked: {reason} "
        "(emotional_entropy.lexicon is 'mine.csv')."
    ) in [p.text for p in root.all("p", "note")]


def test_the_score_that_dialogs_are_chosen_by():
    """It follows the raters, or people elsewhere, or tells the systems apart, or is the first."""
    findings = example_page("demo").findings
    assert lead_score(findings) == "style_matching"
    rows = [replace(r, p_adjusted=0.01) if r.score in ("empathy", "length") else r for r in findings.evidence.correlations]  # fmt: skip
    assert (
        lead_score(replace(findings, evidence=replace(findings.evidence, correlations=rows)))
        == "empathy"
    )
    # agreeableness differs more, and is not shown to follow people
    assert lead_score(replace(findings, evidence=None)) == "style_matching"
    followed = [
        *findings.scores,
        replace(findings.scores[0], name="predicted_rating", better="higher"),
    ]
    ranges = {**findings.central_ranges, "predicted_rating": None}
    proven = replace(findings, scores=tuple(followed), central_ranges=ranges)
    assert lead_score(replace(proven, evidence=None)) == "predicted_rating"
    assert lead_score(case("alone").findings) == "emotional_entropy"
    assert lead_score(case("only_parts").findings) is None
