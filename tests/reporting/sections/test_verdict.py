"""The verdict: every row of every pair says what the JSON says, and the words around it."""

from dataclasses import replace

import pytest

from simpatico.comparison.difference import Difference
from simpatico.comparison.verdict import units_text
from simpatico.reporting.page import render_page
from simpatico.reporting.sections.verdict import (
    raters_sentence,
    rating_correlation_text,
    verdict_section,
)
from simpatico.wording import (
    format_correlation,
    format_difference,
    format_interval,
    format_number,
    interval_digits,
)
from tests.reporting.cases import case
from tests.reporting.pages import example_page
from tests.reporting.tree import tree

GROUPS = {"higher": "Higher for {a}", "lower": "Lower for {a}", "hint": "Suggestive, not significant after correction", "unclear": "No significant difference", "same": "Not compared", "too_few": "Not compared"}  # fmt: skip
EXPLORATORY = "Exploratory: scores not shown to follow people"
DESCRIBED = ["Descriptive: higher for {a}", "Descriptive: lower for {a}"]
ORDER = ["People's ratings", "Higher for {a}", "Lower for {a}", *DESCRIBED, GROUPS["hint"], EXPLORATORY, GROUPS["unclear"], "Not compared"]  # fmt: skip


def group_of(difference) -> str:
    """The heading that a row stands under: people first, then by evidence and finding."""
    title, found = GROUPS[difference.finding], difference.finding in ("higher", "lower")
    if difference.evidence == "people":
        return ORDER[0]
    if difference.evidence in ("weak", "unproven"):
        return EXPLORATORY if found or difference.finding == "hint" else title
    described = difference.evidence == "descriptive" and found
    return f"Descriptive: {title[0].lower()}{title[1:]}" if described else title


def row_of(difference: dict) -> str:
    """The words of a row from the JSON of its difference."""
    verdict, title = difference["verdict"], difference["title"]
    if difference["evidence"] == "people":
        n = units_text(
            Difference(**{k: v for k, v in difference.items() if k not in ("verdict", "finding")})
        )
        plain = verdict.removesuffix(" Suggestive, not significant after correction.")
        if difference["finding"] == "unclear":
            plain = plain.replace("]. ", "] ", 1)
        return f"{plain} People's ratings · {n} rated"
    match difference["finding"]:
        case "higher" | "lower":
            better = difference["better"]
            exploratory = difference["evidence"] in ("weak", "unproven")
            kind = "model output" if exploratory else "descriptive"
            points = f"{better} is better" if better else f"{kind} (no better direction)"
            if difference["evidence"] == "follows these raters" and not better:
                points = "follows these raters"
            return f"{verdict} {title} · {points}{', exploratory' * exploratory}"
        case "hint":
            plain = verdict.removesuffix(" Suggestive, not significant after correction.")
            return f"{plain} {title} · not significant after correction for {difference['family']} comparisons"
        case "unclear":
            return verdict.replace(". ", " ", 1)
        case _:
            return verdict


def numbers_of(difference: dict) -> str:
    digits = interval_digits(difference["low"], difference["high"])
    unit = f" {difference['score_unit']}" if difference["score_unit"] else ""
    return f"{format_difference(difference['difference'], digits)}{unit} {format_interval(difference['low'], difference['high'], digits)}"


def panes_of(html: str):
    top = tree(html).one("div", "mast")
    return list(top.all("div", "pane"))


def tracked_of(correlations: list[dict], quality: tuple[str, str], score: str) -> str:
    """The last cell of a row from the JSON of the correlations."""
    key = (*quality, score)
    (row,) = [r for r in correlations if (r["quality"], r["level"], r["score"]) == key]
    if row["value"] is None:
        return "–"
    r = format_correlation(row["value"])
    if row["p_adjusted"] is None or row["p_adjusted"] >= 0.05:
        return f"{r} (n.s.)"
    if row["value"] < 0:
        return f"{r} (wrong sign)"
    return r if row["value"] >= 0.3 else f"{r} (weak)"


@pytest.mark.parametrize("kind", ["demo", "few", "unjudged", "thirteen", "nulls_only"])
def test_every_row_of_every_pair_is_that_of_the_json(kind):
    findings = example_page(kind).findings
    by_pair, data = {}, findings.as_json()
    for row in data["differences"]:
        by_pair.setdefault((row["a"], row["b"]), []).append(row)
    panes = panes_of(example_page(kind).html)
    assert len(panes) == len(by_pair)
    for pane, (pair, rows) in zip(panes, by_pair.items(), strict=True):
        table = pane.one("table", "verdict")
        assert table.one("caption").text == "Differences between {} and {}".format(*pair)
        cells_of = {
            cells[0].prose: [c.prose for c in cells[1:]]
            for tr in table.all("tr")
            if (cells := list(tr.all("td")))
        }
        for row in rows:
            _, wins, *ratings = cells_of.pop(row_of(row))
            assert wins == format_number(row["times_in_100"], 0)
            follows = [
                "–"
                if row["metric"] == "people"
                else tracked_of(data["evidence"]["correlations"], quality, row["score"])
                for quality in findings.qualities[:1]
            ]
            assert ratings == follows
            if row["low"] is not None:
                assert numbers_of(row) in row_of(row)
        assert cells_of == {}


@pytest.mark.parametrize("kind", ["demo", "unjudged", "nulls_only"])
def test_rows_stand_under_what_was_found(kind):
    findings = example_page(kind).findings
    for pane, (pair, rows) in zip(
        panes_of(example_page(kind).html), findings.pairs.items(), strict=True
    ):
        heads = [tr.text for tr in pane.all("tr", "grp")]
        counts: dict[str, int] = {}
        for title in [group_of(d).format(a=pair[0]) for d in rows]:
            counts[title] = counts.get(title, 0) + 1
        order = [t.format(a=pair[0]) for t in ORDER]
        assert heads == [f"{t}{counts[t]}" for t in order if t in counts]


def test_the_first_screen_of_the_demo():
    top = tree(example_page("demo").html).one("div", "mast")
    assert [s.text for s in top.one("div", "run").all("span")] == [
        "3 systems",
        "66 dialogs",
        "755 turns",
        "8 metrics",
    ]
    assert top.one("h1").prose == (
        "People’s ratings of “overall” do not differ significantly between harbor and brisk (3.74 vs. "
        "3.38). harbor is rated higher on “empathetic” and “interesting”. Descriptive: harbor asks a "
        "question in more of its turns than brisk."
    )
    lede, *_ = top.all("p", "lede")
    assert lede.prose.strip() == (
        "Based on up to 22 prompts that both replied to. Observed difference in ratings (moderate, 0.5 "
        "SD between prompts): harbor is rated higher on “overall” in 66% of prompts (ties count half). "
        "Length and question rate are not significantly correlated with “overall”."
    )
    first, second = (p.prose for p in list(top.all("div", "cols"))[-1].all("p"))
    assert first == (
        "Thick line: 95% CI. Thin ends: the CI adjusted for 21 comparisons (ratings: 12, on their own). "
        "Significance is decided by Holm’s correction over all of them, slightly less strict than the thin ends. The unit is "
        "the prompt, not the turn, since turns of one dialog are not independent."
    )
    assert second == (
        "Higher in % of pairs: probability of superiority, how often the first system is higher on "
        "the same prompt. Ties count half; 50% means no difference. SD: standard deviation between "
        "prompts."
    )


@pytest.mark.parametrize(
    ("kind", "headline", "size"),
    [
        ("alone", "heron is the only system; there is nothing to compare it with.", "22 dialogs scored."),
        ("only_people", "human is the only system; there is nothing to compare it with.", "24 dialogs scored."),
        ("only_parts", "These systems have no score in common, so there is nothing to compare.", "8 dialogs scored."),
        ("nothing_scored", "No system was scored, so there is nothing to compare.", "0 dialogs scored."),
        ("many_pairs", "Two prompts that both replied to are too few to compare anything.", "Based on 2 prompts that both replied to."),
    ],
)  # fmt: skip
def test_the_headline_where_there_is_little_to_say(kind, headline, size):
    root = tree(case(kind).html)
    assert root.one("h1").prose == headline
    assert next(root.all("p", "lede")).prose.strip() == size


def with_correlation(findings, score: str, value: float | None, p: float | None):
    """The findings with another correlation of one score."""
    rows = [
        replace(r, value=value, p_adjusted=p) if r.score == score else r
        for r in findings.evidence.correlations
    ]
    return replace(findings, evidence=replace(findings.evidence, correlations=rows))


@pytest.mark.parametrize(
    ("value", "p", "words"),
    [
        (0.30, 0.049, ".30"),
        (0.299, 0.01, ".30 (weak)"),
        (0.099, 0.01, ".10 (very weak)"),
        (0.5, 0.05, ".50 (n.s.)"),
        (-0.4, 0.001, "−.40 (wrong sign)"),
        (0.4, None, ".40 (n.s.)"),
        (None, None, "–"),
    ],
)
def test_whether_a_score_follows_the_raters(value, p, words):
    assert (
        rating_correlation_text(
            with_correlation(example_page("demo").findings, "length", value, p), "length"
        )
        == words
    )


def test_which_findings_also_follow_the_raters():
    """harbor and brisk differ in length and question rate."""
    findings = example_page("demo").findings
    one = with_correlation(findings, "length", 0.4, 0.01)
    assert raters_sentence(one) == (
        "Length also correlates with “overall”; question rate is not significantly correlated with it."
    )
    every = with_correlation(one, "question_rate", 0.4, 0.01)
    assert raters_sentence(every) == "Length and question rate also correlate with “overall”."
    against = with_correlation(findings, "length", -0.4, 0.01)
    assert raters_sentence(against) == (
        "Length correlates in the wrong direction with “overall”; question rate is not significantly correlated with it."
    )
    assert raters_sentence(example_page("unjudged").findings) == ""


def test_the_pairs_of_many_systems_stand_in_a_matrix():
    findings = example_page("thirteen").findings
    top = tree(example_page("thirteen").html).one("div", "mast")
    inputs = list(top.one("fieldset", "matrix").all("input"))
    assert len(inputs) == 13 * 12 / 2
    pairs = list(findings.pairs)
    for box in inputs:
        a, b = pairs[int(box.attributes["value"])]
        clear = sum(d.finding in ("higher", "lower") for d in findings.pairs[a, b])
        noun = "difference" if clear == 1 else "differences"
        assert box.attributes["aria-label"] == f"{a} vs. {b}: {clear} significant {noun}"
    assert [b.attributes["value"] for b in inputs if "checked" in b.attributes] == ["0"]


def test_the_pairs_of_few_systems_stand_in_a_row():
    top = tree(example_page("demo").html).one("div", "mast")
    labels = [label.text for label in top.one("fieldset", "seg").all("label")]
    assert labels == ["{} vs. {}".format(*pair) for pair in example_page("demo").findings.pairs]
    assert not list(top.all("fieldset", "matrix"))


def test_pairs_that_are_left_out_are_counted():
    top = tree(case("many_pairs").html).one("div", "mast")
    assert "276 more pairs of systems: simpatico compare run" in [
        p.text for p in top.all("p", "note")
    ]
    assert len(list(top.all("td", "none"))) == 276


def test_what_could_not_be_used_is_a_link():
    findings = example_page("unjudged").findings
    read = {**findings.facts["alignment"], "aside": {"empty": 2}, "rejected": {"json": 1}}
    odd = replace(findings, facts={**findings.facts, "alignment": read})
    root = tree(verdict_section(odd, "x"))
    (link,) = [a for a in root.all("a") if a.attributes["href"] == "#data"]
    assert link.text == "3 records skipped or rejected"
    assert "3 records were skipped or rejected" in tree(render_page(odd)).text
