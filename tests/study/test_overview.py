"""The owner's page: progress, agreement as `validate` has it, and severity by hand."""

import pytest

from simpatico.questions.units import unit_id
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements, read_preferences
from simpatico.registry import load
from simpatico.run.writer import score_run
from simpatico.study.design import Material
from simpatico.study.export import export_folder
from simpatico.study.loans import skip_unit
from simpatico.study.overview import STATISTICS, agreement, overview, rater_differences
from simpatico.study.results import collect
from simpatico.validation.evidence import judgements_at, rater_statistics
from simpatico.validation.preferences import validate_preferences
from tests.study.conftest import OVERALL, PREFERRED, WARMTH, Study, design_of, dialog_of

DIALOGS = [dialog_of(f"d{n}", replies=2) for n in range(6)]
NUMBER = {unit_id("dialog", side.dialog): n for n, side in enumerate(DIALOGS)}


def rate_all(store, raters: int = 3) -> Study:
    """Rater n is n points above the first in every other dialog."""
    study = Study(store, design_of(WARMTH, OVERALL, rate=Material("x", raters=3)), DIALOGS, raters)
    for n, name in enumerate(study.tokens):

        def answers(lease, n=n):
            d = NUMBER[lease.unit]
            above = n * (d % 2)
            return [
                ("warmth", 1, 1 + (d + above) % 5),
                ("warmth", 3, 1 + d % 5),
                ("overall", -1, 10 * d + 5 * above),
            ]

        study.rate(name, answers)
    return study


def test_agreement_is_that_of_validate_on_the_export(sqlite, tmp_path):
    rate_all(sqlite)
    results = collect(sqlite, "s")
    export_folder(results, tmp_path / "out")
    exported = read_judgements(tmp_path / "out" / "judgements.csv")
    rows = list(agreement(results))
    assert [(r["quality"], r["level"], r["ratings"]) for r in rows] == [
        ("warmth", "turn", 36), ("overall", "dialog", 18),
    ]  # fmt: skip
    for row in rows:
        reference = rater_statistics(judgements_at(exported, row["level"]), 0)
        expected = {r.score: r for r in reference if r.quality == row["quality"]}
        assert set(row["statistics"]) == {name for name in STATISTICS if name in expected}
        assert "krippendorff_alpha_ordinal" in row["statistics"]
        for name, shown in row["statistics"].items():
            r = expected[name]
            assert shown == {
                "value": r.value, "low": r.low, "high": r.high, "n": r.n, "status": r.status,
            }  # fmt: skip
            assert r.value is not None


def test_agreement_on_choices_is_that_of_validate_on_the_export(sqlite, tmp_path):
    """Four prompts, three raters, who now agree and now do not, and now cannot tell."""
    sides = [dialog_of(f"{s}{n}", s, prompt=f"p{n}") for n in range(4) for s in "ab"]
    study = Study(sqlite, design_of(PREFERRED, rate=Material("x", raters=3)), sides, 3)
    number = {unit_id("pair", f"a{n}", f"b{n}"): n for n in range(4)}
    chosen = [(0, 0, 1), (0, 0, 0), (1, None, 1), (2, 0, 2)]  # of a, b, tie; by prompt and rater
    for n, name in enumerate(study.tokens):

        def answers(lease, n=n):
            value = chosen[number[lease.unit]][n]
            swaps = lease.swapped and value in (0, 1)
            return [("preferred", -1, 1 - value if swaps else value)]

        study.rate(name, answers)
    results = collect(sqlite, "s")
    export_folder(results, tmp_path / "out")
    dialogs = Conversations((tmp_path / "out" / "dialogs.jsonl",))
    run = score_run(dialogs, [load("length")], tmp_path / "run")
    preferences = read_preferences(tmp_path / "out" / "preferences.csv")
    expected = validate_preferences(run, preferences).agreement
    (row,) = agreement(results)
    assert (row["quality"], row["level"], row["ratings"]) == ("preferred", "pair", 11)
    assert row["statistics"] == {
        r.score: {"value": r.value, "low": r.low, "high": r.high, "n": r.n, "status": r.status}
        for r in expected
    }
    # pairs of raters who agree: 1 of 3, 3 of 3, 1 of 1 and 1 of 3
    assert row["statistics"]["pairwise_agreement"]["value"] == pytest.approx(6 / 10)


def test_severity_is_the_mean_difference_from_the_others_in_shares_of_the_scale(sqlite):
    dialogs = [dialog_of("d0"), dialog_of("d1")]
    number = {unit_id("dialog", side.dialog): n for n, side in enumerate(dialogs)}
    design = design_of(WARMTH, OVERALL, rate=Material("x", raters=3))
    study = Study(sqlite, design, dialogs, 3)
    values = {"r001": [(1, 50), (3, 0)], "r002": [(3, 60), (3, None)], "r003": [(5, 100), (5, 40)]}
    for name, own in values.items():

        def answers(lease, own=own):
            warmth, overall = own[number[lease.unit]]
            return [("warmth", 1, warmth), ("overall", -1, overall)]

        study.rate(name, answers)
    # shares: warmth of d0 0, .5, 1 and of d1 .5, .5, 1; overall of d0 .5, .6, 1 and of d1 0, –, .4
    # r001 in d0: 0 - .75 = -.75 and .5 - .8 = -.3, mean -.525; in d1: .5 - .75 and 0 - .4, -.325
    # r002 in d0: .5 - .5 = 0 and .6 - .75 = -.15, mean -.075; in d1: .5 - .75 = -.25
    # r003 in d0: 1 - .25 = .75 and 1 - .55 = .45, mean .6; in d1: 1 - .5 = .5 and .4 - 0, .45
    differences = rater_differences(collect(sqlite, "s"))
    assert {name: sorted(own) for name, own in differences.items()} == {
        "r001": pytest.approx([-0.525, -0.325]),
        "r002": pytest.approx([-0.25, -0.075]),
        "r003": pytest.approx([0.45, 0.6]),
    }
    rows = {r["rater"]: r["severity"] for r in overview(collect(sqlite, "s"), 0.0)["raters"]}
    assert rows["r001"]["value"] == pytest.approx(-0.425)
    # t(1, 0.975) = 12.706, SD = 0.2 / sqrt 2, over sqrt 2: ± 1.27, cut at the scale's end
    assert (rows["r001"]["low"], rows["r001"]["high"], rows["r001"]["n"]) == (
        -1.0, pytest.approx(-0.425 + 12.7062 * 0.1, abs=1e-4), 2,
    )  # fmt: skip


def test_progress(sqlite, clock):
    design = design_of(OVERALL, rate=Material("x", raters=2, order="file"))
    study = Study(sqlite, design, DIALOGS[:3], 3)
    for name in ("r001", "r002"):
        unit = study.take(name).unit
        clock.now += 30 if name == "r001" else 60
        study.answer(name, unit, "overall", None, state="cannot_tell")
        study.finish(name, unit)
    study.take("r003")
    unit = study.take("r001").unit
    skip_unit(sqlite, study.rater("r001"), unit)
    facts = overview(collect(sqlite, "s"), clock.now)
    wanted = ("units", "complete", "ratings", "ratings_wanted", "raters_per_unit", "talks")
    assert {name: facts[name] for name in wanted} == {
        "units": 3, "complete": 1, "ratings": 2, "ratings_wanted": 6, "raters_per_unit": 2,
        "talks": [],
    }  # fmt: skip
    assert facts["holding"] == [
        {"rater": "r003", "dialog": "d1", "since": 1090.0, "until": 1090.0 + 3600}
    ]
    first, second, third = facts["raters"]
    assert (first["finished"], first["skipped"], first["median_seconds"]) == (1, 1, 30)
    assert (second["cannot_tell"], second["answers"], second["last_seen"]) == (1, 1, 1090.0)
    assert (third["finished"], third["median_seconds"], third["last_seen"]) == (0, None, None)
    assert third["severity"] == {"value": None, "low": None, "high": None, "n": 0}
    sqlite.exclude("s", "r001", "asked to be left out")
    facts = overview(collect(sqlite, "s"), clock.now + 3601)
    assert (facts["complete"], facts["ratings"], facts["holding"]) == (0, 1, [])
    assert facts["raters"][0]["why_excluded"] == "asked to be left out"
