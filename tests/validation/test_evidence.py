"""A whole run against judgements, through the API and the command line."""

import json
import re
import time

import polars as pl
import pytest

from simpatico import Conversations, Run, load, read_judgements, score_run, validate
from simpatico.cli.output import p_cell
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.validation.correlations import CorrelationSettings
from simpatico.validation.evidence import Question
from tests.command_line import simpatico
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"
MADE_UP = SAMPLES / "judgements_made_up.csv"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    metrics = [load("style_matching"), load("emotional_entropy")]
    inputs = Conversations((SAMPLES / "conversations.jsonl",))
    return score_run(inputs, metrics, tmp_path_factory.mktemp("validate") / "run")


@pytest.fixture(scope="module")
def judgements() -> Judgements:
    return read_judgements(MADE_UP)


def test_a_dialog_correlation_is_that_of_the_joined_table(run, judgements):
    """Joined here by hand: median over judges per dialog and speaker, then Pearson."""
    evidence = validate(run, judgements)
    gold = (
        judgements.frame.filter(pl.col("quality") == "overall")
        .group_by("dialog", "speaker")
        .agg(pl.col("value").median())
    )
    table = run.at("dialog").join(gold, on=["dialog", "speaker"])
    assert table.height == 66
    (row,) = [
        r for r in evidence.correlations if (r.quality, r.score) == ("overall", "style_matching")
    ]
    expected = table.select(pl.corr("style_matching", "value")).item()
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert (row.n, row.nulls, row.unmatched) == (66, 0, 0)
    assert row.low < row.value < row.high


def test_the_order_of_judgements_changes_nothing(run, judgements):
    shuffled = Judgements(judgements.frame.sample(fraction=1, shuffle=True, seed=3))
    assert validate(run, judgements) == validate(run, shuffled)


def test_turn_judgements_meet_turn_scores(run):
    turns = run.at("turn").filter(pl.col("system") == "harbor")
    turn_judgements = [
        Judgement(d, t, s, "good", "made-up", "outsider", float(i % 5))
        for i, (d, t, s) in enumerate(turns.select("dialog", "turn", "speaker").iter_rows())
    ]
    evidence = validate(run, Judgements.of(turn_judgements))
    assert {row.n for row in evidence.correlations} == {
        turns["style_matching"].count(),
        turns["emotional_entropy"].count(),
    }
    assert evidence.correlations[0].method == "Pearson r, bootstrap of 22 clusters"


def test_system_level_averages_first(run, judgements):
    evidence = validate(
        run, judgements, Question(("overall",)), CorrelationSettings(level="system")
    )
    assert {row.n for row in evidence.correlations} == {3}


def test_a_quality_nobody_judged_is_named(run, judgements):
    with pytest.raises(UnknownName) as error:
        validate(run, judgements, Question(("charm",)))
    assert str(error.value) == (
        "no ratings of quality 'charm'; there are empathetic, enjoyed, interesting, overall"
    )


def test_judgements_of_other_dialogs_are_refused(run):
    other = Judgements.of([Judgement("x", None, "y", "q", "a", "outsider", 1.0)])
    with pytest.raises(DataError) as error:
        validate(run, other)
    assert str(error.value) == (
        f"none of the 1 rated units has a score in {run.folder}; dialog ids must be the same "
        "('x' was judged, 'dog-died/harbor' was scored), and ratings must name the speaker where several speak for a system"
    )


def test_the_command_line_gives_the_same_figures(run, judgements):
    done = simpatico("validate", run.folder, "--judgements", MADE_UP, "--json")
    data = json.loads(done.stdout)
    assert data == json.loads(json.dumps(validate(run, judgements).as_json()))
    rows = ["agreement", "correlations", "dependent", "incremental", "structure"]
    assert list(data) == [*rows, "left_out", "sparse", "turn_numbers", "notes"]
    fields = {
        "quality",
        "score",
        "value",
        "low",
        "high",
        "p_value",
        "p_adjusted",
        "n",
        "status",
        "method",
    }
    for part in ("agreement", "correlations", "dependent", "structure"):
        assert data[part]
        assert all(set(row) >= fields for row in data[part])
    people = shown_of(run)
    assert "Krippendorff's α (ordinal)" in people
    assert "style_matching" in people


def test_turn_and_dialog_judgements_of_one_quality_are_told_apart(run):
    turns = run.at("turn").filter(pl.col("system") == "harbor")
    both_levels = [
        Judgement(d, t, s, "good", judge, "outsider", float((i + shift) % 5))
        for i, (d, t, s) in enumerate(turns.select("dialog", "turn", "speaker").iter_rows())
        for shift, judge in enumerate(("a", "b"))
    ]
    both_levels += [
        Judgement(d, None, "harbor", "good", judge, "outsider", float((i + shift) % 5))
        for i, d in enumerate(turns["dialog"].unique(maintain_order=True))
        for shift, judge in enumerate(("a", "b"))
    ]
    evidence = validate(run, Judgements.of(both_levels))
    counts = {(r.level, r.score): r.n for r in evidence.correlations}
    assert counts["dialog", "style_matching"] == 22
    assert counts["turn", "style_matching"] == turns["style_matching"].count()
    alpha = {r.level: r.n for r in evidence.agreement if r.score == "pairwise_pearson"}
    assert alpha == {"turn": turns.height, "dialog": 22}


@pytest.mark.parametrize("field", ["scores", "traditional"])
def test_a_score_that_does_not_exist_is_named(run, judgements, field):
    with pytest.raises(UnknownName) as error:
        validate(run, judgements, Question(**{field: ("style_match",)}))
    assert str(error.value).startswith("no score 'style_match'; did you mean 'style_matching'")


def test_the_structure_is_of_all_dialogs_judged_or_not(run, judgements):
    """Pearson over every scored dialog of the systems, without the people they talked with."""
    one = Judgements(judgements.frame.filter(pl.col("quality") == "overall").head(60))
    (row,) = validate(run, one).structure
    table = run.at("dialog").filter(pl.col("system") != "human")
    table = table.drop_nulls(["style_matching", "emotional_entropy"])
    expected = table.select(pl.corr("emotional_entropy", "style_matching")).item()
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert (row.score, row.against, row.n) == ("emotional_entropy", "style_matching", table.height)


def test_two_scales_are_told_and_left_out(run, judgements):
    other = pl.when(pl.col("judge") == "made-up-1", pl.col("quality") == "overall").then(7.0)
    frame = judgements.frame.with_columns(scale_max=other.otherwise("scale_max"))
    evidence = validate(run, Judgements(frame))
    assert [n.split(";")[0] for n in evidence.notes] == [
        "quality 'overall' of dialogs was judged on 2 scales, 1 to 5 and 1 to 7, and left out"
    ]
    assert evidence.as_json()["notes"] == evidence.notes
    rest = validate(run, Judgements(frame.filter(pl.col("quality") != "overall")))
    assert (evidence.correlations, evidence.agreement) == (rest.correlations, rest.agreement)
    with pytest.raises(DataError, match="'overall' of dialogs was judged on 2 scales"):
        validate(run, Judgements(frame), Question(("overall",)))


def test_who_took_part_stands_beside_who_looked_on(run, judgements):
    """In the sample, those who took part judge another quality; renamed, they judge the same."""
    assert "inside_outside" not in {r.score for r in validate(run, judgements).agreement}
    name = pl.col("quality").replace("enjoyed", "overall")
    evidence = validate(run, Judgements(judgements.frame.with_columns(quality=name)))
    (row,) = [r for r in evidence.agreement if r.score == "inside_outside"]
    means = (
        judgements.frame.filter(pl.col("quality").is_in(["overall", "enjoyed"]))
        .group_by("dialog", "speaker", "quality")
        .agg(pl.col("value").mean())
        .pivot("quality", index=["dialog", "speaker"], values="value")
        .drop_nulls()
    )
    assert (row.quality, row.level, row.n) == ("overall", "dialog", means.height)
    assert row.value == pytest.approx(means.select(pl.corr("enjoyed", "overall")).item())


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Run:
    """100,000 dialogs of ten turns, with scores that nobody asks for."""
    folder, n = tmp_path_factory.mktemp("large"), 100_000
    x = pl.int_range(n, eager=True).cast(pl.Float64)
    scores = {f"m{i}": (x * (i + 2) % 997).sqrt() for i in range(8)}
    more = {f"other{i}": x for i in range(20)}
    dialog = x.cast(pl.Int64).cast(pl.String)
    keys = {"dialog": dialog, "speaker": ["bot"] * n, "system": ["one"] * n}
    table = pl.DataFrame({**keys, **scores, **more})
    table.write_parquet(folder / "dialog.parquet", row_group_size=65_536)
    turns = [table.with_columns(turn=pl.lit(i, pl.Int32)) for i in range(10)]
    pl.concat(turns).write_parquet(folder / "turn.parquet", row_group_size=65_536)
    metrics = {
        name: {"kind": "traditional" if name < "m2" else "other", "scores": [{"name": name}]}
        for name in scores
    }
    (folder / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(folder)


@pytest.mark.timing
@pytest.mark.parametrize("turn", [None, 3])
def test_a_few_judged_dialogs_of_very_many_take_seconds(large, turn):
    few_judgements = [
        Judgement(str(i * 331), turn, "bot", "good", judge, "outsider", float(i * (k + 3) % 5))
        for i in range(300)
        for k, judge in enumerate("ab")
    ]
    start = time.process_time()
    evidence = validate(large, Judgements.of(few_judgements))
    assert time.process_time() - start < 4
    assert {r.n for r in evidence.correlations} == {300}
    assert {r.n for r in evidence.structure} == {100_000}
    assert len(evidence.incremental) == 3 * 7


TRADITIONAL = Question(("overall",), traditional=("emotional_entropy",))


def test_what_one_score_adds_is_shown_as_it_was(run, judgements):
    """One traditional score and one other: one row, and no line about single scores."""
    (row,) = validate(run, judgements, TRADITIONAL).incremental
    assert (row.score, row.added, row.added_name) == (
        "emotional_entropy", ("style_matching",), "style_matching"
    )  # fmt: skip
    output = shown_of(run, "--traditional", "emotional_entropy", "--quality", "overall")
    # p of the paired t-test and of the clustered one, of the added coefficients, the CV gain
    (line,) = [x for x in output.splitlines() if "[−.12, .13]" in x]
    assert line.split() == [
        "overall",
        "emotional_entropy",
        ".207",
        ".207",
        ".053",
        ".02",
        "[−.12,",
        ".13]",
    ]
    assert "by itself" not in output


def test_the_terminal_shows_all_together_and_names_single_ones(tmp_path, judgements):
    metrics = [load(n) for n in ("style_matching", "emotional_entropy", "emotion_matching")]
    inputs = Conversations((SAMPLES / "conversations.jsonl",))
    run = score_run(inputs, metrics, tmp_path / "run")
    question = Question(traditional=("emotional_entropy",))
    rows = validate(run, judgements, question).incremental
    assert len(rows) == 3 * len({r.quality for r in rows})
    clear = {
        (r.quality, r.added_name) for r in rows if len(r.added) == 1 and (r.p_adjusted or 1) < 0.05
    }
    output = shown_of(run, "--traditional", "emotional_entropy", "--verbose")
    (line,) = [x for x in output.splitlines() if "single psychological score" in x.lower()]
    assert all(f"{name} over emotional_entropy ({quality})" in line for quality, name in clear)
    assert line.count(" over emotional_entropy (") == len(clear)
    joint = [r for r in rows if r.added_name == "all"]
    table = output.partition("Tests of the gain of P over T")[2]
    tested = re.findall(r"^(\w+) +emotional_entropy +(\S+) ", table, re.MULTILINE)
    # at 80 columns the interval of each row stands in a second block below
    assert tested[: len(joint)] == [(r.quality, p_cell(r.p_paper)) for r in joint]
    assert len(joint) == len(rows) / 3


def shown_of(run: Run, *options: str) -> str:
    return simpatico("validate", run.folder, *options, "--judgements", MADE_UP).stdout


def test_the_terminal_tells_what_was_left_out(run, judgements, tmp_path):
    other = pl.when(pl.col("judge") == "made-up-1", pl.col("quality") == "overall").then(7.0)
    path = tmp_path / "mixed.csv"
    judgements.frame.with_columns(scale_max=other.otherwise("scale_max")).write_csv(path)
    done = simpatico("validate", run.folder, "--judgements", path)
    assert "quality 'overall' of dialogs was judged on 2 scales" in done.stderr
    assert " overall " not in done.stdout
