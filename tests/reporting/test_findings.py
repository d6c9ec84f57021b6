"""What a page knows of a run: the same figures as compare and validate give, and nothing else."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simpatico.comparison.difference import compare
from simpatico.comparison.samples import Selection
from simpatico.comparison.verdict import difference_as_json
from simpatico.errors import DataError, UnknownName
from simpatico.reporting.findings import choose_pair, gather_findings, select_pairs
from simpatico.reporting.scores import title_from_name
from simpatico.reporting.sections.verdict import pair_switch
from simpatico.validation.evidence import Question, validate
from simpatico.validation.overlap import run_structure
from simpatico.validation.people import compare_with_ratings, rank_qualities
from tests.reporting.cases import case, with_judgements
from tests.reporting.pages import example_page

TURNED = {"difference": -1, "low": -1, "high": -1, "wide_low": -1, "wide_high": -1}
SIDES = {"a": "b", "n_a": "n_b", "mean_a": "mean_b", "low": "high", "wide_low": "wide_high", "times_low": "times_high"}  # fmt: skip
FLIPPED = {"higher": "lower", "lower": "higher"}


def reverse_difference(row: dict) -> dict:
    """A difference as it reads from the other system; its sentence is another one."""
    other = {**SIDES, **{b: a for a, b in SIDES.items()}}
    changes = {name: row[other.get(name, name)] for name in row}
    for name in TURNED:
        changes[name] = None if changes[name] is None else 0.0 - changes[name]
    for name in ("times_in_100", "times_low", "times_high"):
        changes[name] = None if changes[name] is None else 100.0 - changes[name]
    return {**changes, "finding": FLIPPED.get(row["finding"], row["finding"])}


@pytest.mark.parametrize("kind", ["demo", "unjudged", "nulls_only"])
def test_the_differences_are_those_of_compare_but_for_their_facing(kind):
    findings = example_page(kind).findings
    with_ratings = compare_with_ratings(findings.run, findings.judgements, findings.correlations)
    rows = {frozenset((d.a, d.b, d.score)): d for d in with_ratings}
    plain = {key: difference_as_json(d) for key, d in rows.items()}
    for d in compare([findings.run]):  # ratings change what scores are worth, and nothing else
        rated = rows[frozenset((d.a, d.b, d.score))]
        assert replace(rated, evidence=d.evidence) == d
    differences = findings.as_json()["differences"]
    assert len(differences) == len(plain)
    for row in differences:
        same = plain[frozenset((row["a"], row["b"], row["score"]))]
        if same["a"] == row["a"]:
            assert row == same
        else:
            assert {**row, "verdict": ""} == {**reverse_difference(same), "verdict": ""}


def test_evidence_and_structure_are_those_of_validate():
    demo = example_page("demo")
    data = demo.findings.as_json()
    assert data["evidence"] == validate(demo.run, demo.judgements).as_json()
    assert data["structure"] == run_structure(demo.run).as_json()
    pairs = {(r["score"], r["against"]): r for r in data["evidence"]["structure"]}
    names = data["structure"]["names"]
    assert len(pairs) == len(names) * (len(names) - 1) / 2
    for (a, b), row in pairs.items():
        i, j = names.index(a), names.index(b)
        cell = [data["structure"][part][i][j] for part in ("r", "low", "high", "n")]
        assert cell == [row["value"], row["low"], row["high"], row["n"]]


def test_the_table_and_the_facts_are_those_of_the_run():
    demo = example_page("demo")
    data = demo.findings.as_json()
    assert data["systems"] == demo.run.at("system").to_dicts()
    assert data["run"] == {k: demo.run.facts[k] for k in data["run"]}
    assert data["main"] == ["harbor", "brisk"]
    assert data["pairs_left_out"] == 0
    assert data["unjudged"] == ""


def test_the_spread_is_the_middle_nine_tenths_of_the_systems_dialogs():
    """People are no system; numpy takes the same linear quantiles."""
    demo = example_page("demo")
    dialogs = demo.run.at("dialog").filter(pl.col("system") != "human")
    for name, (low, high, n) in demo.findings.as_json()["spreads"].items():
        values = dialogs[name].drop_nulls().to_numpy()
        assert n == len(values)
        assert [low, high] == pytest.approx(np.quantile(values, [0.05, 0.95]), rel=1e-12)


@pytest.mark.parametrize("kind", ["demo", "few", "nulls_only", "one_system"])
def test_all_of_it_is_json(kind):
    assert json.dumps(example_page(kind).findings.as_json(), allow_nan=False)


def test_a_metric_of_parts_only_is_not_among_the_scores():
    findings = example_page("demo").findings
    assert "emotion_shares" in findings.facts["metrics"]
    assert [s.name for s in findings.scores] == [
        "agreeableness",
        "emotion_matching",
        "emotional_entropy",
        "empathy",
        "style_matching",
        "length",
        "question_rate",
    ]
    assert [s.kind for s in findings.scores] == ["P"] * 5 + ["T"] * 2
    assert title_from_name("my_own_score") == "My own score"


def test_the_quality_about_the_whole_leads():
    assert [q for q, _ in example_page("demo").findings.qualities] == [
        "overall",
        "empathetic",
        "enjoyed",
        "interesting",
    ]
    names = {(name, "dialog"): 9 for name in ("warm", "Quality of it", "Overall")}
    assert [name for name, _ in rank_qualities(names)] == ["Overall", "Quality of it", "warm"]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("joins_nothing", "None of the 48 rated units has a score in run; dialog ids must be the same ('xd0/heron' was judged, 'd0/heron' was scored), and ratings must name the speaker where several speak for a system."),
        ("only_parts", "No score of a metric's own name exists at the level that was rated."),
        ("alone", "No human ratings were given."),
    ],
)  # fmt: skip
def test_why_there_is_no_evidence(kind, sentence):
    findings = case(kind).findings
    assert findings.evidence is None
    assert findings.no_evidence_reason == sentence
    with pytest.raises(DataError) as error:
        findings.required_evidence  # noqa: B018
    way_out = "; add --judgements FILE" if findings.judgements is None else ""
    assert str(error.value) == f"{sentence[0].lower()}{sentence[1:].rstrip('.')}{way_out}"


def test_one_quality_on_two_scales_is_no_evidence():
    assert example_page("two_scales").findings.no_evidence_reason == (
        "Quality 'overall' of dialogs was judged on 2 scales, 1 to 5 and 1 to 100; keep judgements "
        "of one scale, or standardise each judge's (--standardise)."
    )


def test_the_scores_to_add_to_can_be_named():
    made_up = case("two_metrics")
    findings = gather_findings(made_up.run, made_up.judgements, traditional=("emotional_entropy",))
    question = Question(traditional=("emotional_entropy",))
    assert findings.evidence == validate(made_up.run, made_up.judgements, question)
    assert {r.score for r in findings.evidence.incremental} == {"emotional_entropy"}


def test_the_pair_that_leads_is_the_one_asked_for():
    demo = example_page("demo").findings
    assert choose_pair(demo.pairs, None) == ("harbor", "brisk")
    assert choose_pair(demo.pairs, ("brisk", "harbor")) == ("harbor", "brisk")
    assert choose_pair(demo.pairs, ("brisk", "carousel")) == ("brisk", "carousel")
    assert next(iter(gather_findings(demo.run, pair=("brisk", "carousel")).pairs)) == (
        "carousel",
        "brisk",
    )
    with pytest.raises(UnknownName) as error:
        choose_pair(demo.pairs, ("brisk", "harbour"))
    assert str(error.value) == "no system 'harbour'; did you mean 'harbor'?"
    with pytest.raises(DataError) as error:
        choose_pair(demo.pairs, ("brisk", "brisk"))
    assert str(error.value) == "'brisk' and 'brisk' are not two systems to compare"


def test_too_many_pairs_are_those_with_one_of_the_two_that_lead():
    """26 systems are 325 pairs; at 2 rows each 300 may stand there, so 1 + 2 · 24 do."""
    findings = case("many_pairs").findings
    assert len(findings.pairs) == 49
    assert findings.pairs_left_out == 325 - 49
    assert all(set(p) & set(findings.main) for p in findings.pairs)
    assert next(iter(findings.pairs)) == findings.main


def test_of_very_many_systems_those_with_most_dialogs_are_compared():
    """42 systems are 861 pairs; 40 are compared, and the page says how to see the others."""
    findings = case("many_systems").findings
    assert findings.compared_systems == tuple(f"system-{i:02d}" for i in range(40))
    assert len(findings.pairs) + findings.pairs_left_out == 861
    own = gather_findings(findings.run, pair=("system-41", "system-40"))
    assert set(own.main) == {"system-41", "system-40"}
    page = str(pair_switch(own))
    assert "<code>simpatico compare " in page
    assert " --pair A B</code>" in page
    with pytest.raises(DataError) as error:
        compare([findings.run])
    assert str(error.value) == (
        "42 systems are too many to compare pair by pair, 40 at most; name two with --pair, or, if "
        "they are users, score again and say who is a person and who a bot in a column 'role' (or "
        "--columns role=NAME)"
    )
    pair = compare([findings.run], Selection(systems=("system-41", "system-02")))
    assert {(d.a, d.b) for d in pair} == {("system-02", "system-41")}
    with pytest.raises(UnknownName) as error:
        compare([findings.run], Selection(systems=("system-41", "system-4")))
    assert str(error.value).startswith("no system 'system-4'; did you mean ")


def test_as_many_rows_as_fit_and_no_more():
    """600 rows of 200 scores are three pairs; 601 of one score are one more than fit."""
    three = {("a", "b"): [], ("a", "c"): [], ("b", "c"): []}
    assert select_pairs(three, ("b", "c"), 200) == [("b", "c"), ("a", "b"), ("a", "c")]
    assert select_pairs(three, ("b", "c"), 201) == [("b", "c"), ("a", "b")]
    assert select_pairs(three, ("b", "c"), 10_000) == [("b", "c")]
    assert select_pairs({}, None, 4) == []


def test_people_are_compared_with_nobody():
    findings = example_page("one_system").findings
    assert "human" in findings.table["system"].to_list()
    assert findings.systems == ["heron"]
    assert (findings.main, findings.pairs) == (None, {})
    assert case("only_people").findings.systems == ["human"]


def test_a_folder_that_a_shell_would_read_otherwise_is_quoted():
    findings = example_page("demo").findings
    odd = replace(
        findings, run=replace(findings.run, folder=findings.run.folder.parent / "x; rm -rf ~")
    )
    assert odd.shell_name == "'x; rm -rf ~'"
    assert findings.shell_name == "demo-run"


def test_what_blank_judgements_leave():
    findings = case("all_blank").findings
    assert {r.n for r in findings.evidence.correlations} == {0}
    assert with_judgements(4, ["length"], value=None).findings.qualities == [("overall", "dialog")]
