"""Ratings whose turns are counted from 1: noticed, never shifted, and no alarm on right files."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Conversations, Run, load, read_judgements, score_run, validate
from simpatico.errors import DataError
from simpatico.judgements import Judgement, Judgements
from simpatico.validation.evidence import Question
from simpatico.validation.turn_numbers import check_turn_numbers, sign_test
from tests.command_line import simpatico
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"


def scored(dialogs: int, turns: int, *, both_sides: bool, seed: int = 0) -> pl.DataFrame:
    """Dialogs in which the bot has the odd turns; with `both_sides` everybody is a system."""
    rng = np.random.default_rng(seed)
    keys = [(f"d{d}", t) for d in range(dialogs) for t in range(turns) if both_sides or t % 2]
    speakers = ["bot" if t % 2 else "user" for _, t in keys]
    noise = rng.normal(size=(2, len(keys)))
    columns = {"dialog": [d for d, _ in keys], "turn": [t for _, t in keys], "speaker": speakers}
    return pl.DataFrame({**columns, "system": speakers, "x": noise[0], "y": noise[1]})


def gold_of(scores: pl.DataFrame, shift: int, *, named: bool, effect: float = 0.0) -> pl.DataFrame:
    """Ratings of every bot turn, with numbers moved by `shift`; the value follows x."""
    bots = scores.filter(pl.col("speaker") == "bot")
    noise = pl.Series(np.random.default_rng(1).normal(size=bots.height))
    return bots.select(
        "dialog",
        turn=(pl.col("turn") + shift).cast(pl.Int32),
        speaker=pl.col("speaker") if named else pl.lit(None, pl.String),
        quality=pl.lit("good"),
        value=effect * pl.col("x") + noise,
    )


@pytest.mark.parametrize("named", [True, False])
def test_numbers_from_1_match_no_turn_of_the_bot(named):
    """Bot turns 1, 3, 5 come as 2, 4, 6: none is scored, all would be with one less."""
    scores = scored(8, 6, both_sides=False)
    check = check_turn_numbers(scores, gold_of(scores, 1, named=named))
    assert (check.rated, check.matched, check.matched_one_lower) == (24, 0, 24)
    assert (check.likely_first, check.sign) == (1, "matches")
    assert check.warning == (
        "the ratings seem to count turns from 1, not from 0 (0 of 24 rated turns match a scored "
        "turn as numbered, 24 with numbers one lower); if so, add --turns-from 1"
    )


def test_the_last_turn_of_a_dialog_gives_it_away():
    """Both sides are scored and rated as 1 to 6: only turn 6 does not exist, in each of 8 dialogs.

    All 8 dialogs match better with one less: p = 1/2^8.
    """
    scores = scored(8, 6, both_sides=True)
    gold = gold_of(scores.with_columns(speaker=pl.lit("bot")), 1, named=False)
    check = check_turn_numbers(scores, gold)
    assert (check.rated, check.matched, check.matched_one_lower) == (48, 40, 48)
    assert (check.likely_first, check.p_value) == (1, pytest.approx(1 / 2**8))


def test_numbers_one_too_low_are_noticed_if_the_speaker_is_named():
    scores = scored(8, 6, both_sides=False)
    named = check_turn_numbers(scores, gold_of(scores, -1, named=True))
    assert (named.likely_first, named.matched_one_higher) == (-1, 24)
    assert named.warning.endswith("; if so, add --turns-from -1")
    unnamed = check_turn_numbers(scores, gold_of(scores, -1, named=False))
    assert unnamed.likely_first is None  # they may be ratings of the user's turns


def test_where_both_counts_match_the_neighbours_correlation_decides():
    """Bot turns 1 to 9 of 11 as 2 to 10: turns of the user, which are scored too."""
    scores = scored(40, 11, both_sides=True)
    check = check_turn_numbers(scores, gold_of(scores, 1, named=False, effect=1.0))
    assert (check.rated, check.matched, check.matched_one_lower) == (200, 200, 200)
    assert (check.likely_first, check.sign, check.p_value) == (1, "correlation", 0.0002)
    assert "ratings correlate more with the scores of the turn before" in check.warning
    right = check_turn_numbers(scores, gold_of(scores, 0, named=False, effect=1.0))
    assert right.likely_first is None


@settings(max_examples=40, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    both_sides=st.booleans(),
    named=st.booleans(),
    share=st.floats(0.1, 1),
    effect=st.sampled_from([0.0, 0.5, 2.0]),
    elsewhere=st.integers(0, 5),
)
def test_right_numbers_raise_no_alarm(seed, both_sides, named, share, effect, elsewhere):
    """Any part of the bot's turns, and ratings of dialogs that the run does not have."""
    scores = scored(15, 7, both_sides=both_sides, seed=seed)
    gold = gold_of(scores, 0, named=named, effect=effect).sample(fraction=share, seed=seed)
    other = gold.head(elsewhere).with_columns(dialog=pl.lit("other") + pl.col("dialog"))
    check = check_turn_numbers(scores, pl.concat([gold, other]), seed=seed)
    assert check.warning is None
    assert check.matched == gold.height


def test_the_sign_test_counts_dialogs():
    """4 dialogs better, 1 worse: P(X >= 4 of 5) = 6/32; a dialog with no change is no coin."""
    now, moved = pl.Series("dialog", ["e", "f"]), pl.Series("dialog", [*"abcd", "f"])
    assert sign_test(now, moved) == pytest.approx(6 / 32)
    assert sign_test(moved, moved) == 1.0


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    metrics = [load("style_matching"), load("length"), load("empathy")]
    inputs = Conversations((SAMPLES / "conversations.jsonl",))
    return score_run(inputs, metrics, tmp_path_factory.mktemp("numbers") / "run")


def ratings_from(run: Run, first: int) -> str:
    """Every harbor turn rated, in a CSV that counts turns from `first`."""
    turns = run.at("turn").filter(pl.col("system") == "harbor")
    rows = [
        f"{d},{t + first},harbor,good,{i * 7 % 5}"
        for i, (d, t) in enumerate(turns.select("dialog", "turn").iter_rows())
    ]
    return "\n".join(["dialog,turn,speaker,quality,value", *rows]) + "\n"


def test_a_file_that_counts_from_1_is_named_and_shifted_on_request_only(run, tmp_path):
    right, shifted = tmp_path / "right.csv", tmp_path / "shifted.csv"
    right.write_text(ratings_from(run, 0))
    shifted.write_text(ratings_from(run, 1))
    done = simpatico("validate", run.folder, "--judgements", shifted)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "simpatico: the ratings seem to count turns from 1, not from 0 (0 of 124 rated turns match "
        "a scored turn as numbered, 124 with numbers one lower); if so, add --turns-from 1\n"
    )
    options = ("--judgements", shifted, "--turns-from", "1", "--json")
    asked = json.loads(simpatico("validate", run.folder, *options).stdout)
    expected = json.loads(simpatico("validate", run.folder, "--judgements", right, "--json").stdout)
    assert asked == expected
    assert asked["turn_numbers"]["matched"] == 124
    assert asked["turn_numbers"]["likely_first"] is None
    assert read_judgements(shifted, turns_from=1).frame.equals(read_judgements(right).frame)
    page = simpatico("report", run.folder, *options[:-1], "--out", tmp_path / "page.html")
    assert page.returncode == 0
    assert "--judgements shifted.csv --turns-from 1" in (tmp_path / "page.html").read_text()


def test_a_number_below_the_first_is_an_error_with_its_line(run, tmp_path):
    path = tmp_path / "right.csv"
    path.write_text("dialog,turn,quality,value\nd,2,good,1\nd,0,good,1\n")
    done = simpatico("validate", run.folder, "--judgements", path, "--turns-from", "1")
    assert done.stderr == (
        f"simpatico: {path}:3: 'turn' is below 1, the first turn's number (--turns-from)\n"
    )


def test_scores_of_another_level_are_named(run):
    """Empathy is a score of dialogs; ratings of turns leave it out, and say so."""
    rating = Judgement("dog-died/harbor", 1, "harbor", "good", "a", "outsider", 1.0)
    evidence = validate(run, Judgements.of([rating]))
    assert [r.as_json() for r in evidence.left_out] == [
        {"score": "empathy", "level": "dialog", "rated": "turn"}
    ]
    note = "empathy: computed per dialog only, so not validated against ratings of turns"
    assert evidence.notes == [note]
    assert {r.score for r in evidence.correlations} == {"style_matching", "length"}
    assert validate(run, Judgements.of([rating]), Question(scores=("length",))).left_out == []
    with pytest.raises(DataError) as error:
        validate(run, Judgements.of([rating]), Question(scores=("empathy",)))
    assert str(error.value) == "no score of empathy exists at the level that was rated"


def test_every_correlation_but_that_of_length_has_one_with_length_held_constant(run):
    """By hand: r of what regressions of score and rating on words per turn leave over."""
    turns = run.at("turn").filter(pl.col("system") == "harbor").drop_nulls("style_matching")
    keys = turns.select("dialog", "turn", "speaker").iter_rows()
    ratings = [Judgement(*k, "good", "a", "outsider", float(i * 7 % 5)) for i, k in enumerate(keys)]
    rows = {r.score: r for r in validate(run, Judgements.of(ratings)).correlations}
    assert rows["length"].length_held_constant is None
    assert rows["length"].as_json()["length_held_constant"] is None
    partial = rows["style_matching"].length_held_constant
    values = [r.value for r in ratings]
    design = np.column_stack([np.ones(turns.height), turns["length"].to_numpy()])
    hat = design @ np.linalg.pinv(design)
    left = [c - hat @ c for c in (turns["style_matching"].to_numpy(), np.array(values))]
    assert partial.value == pytest.approx(np.corrcoef(left)[0, 1])
    assert partial.low < partial.value < partial.high
    assert partial.n == rows["style_matching"].n == turns.height


def test_lengths_come_from_the_text_or_are_said_to_be_unknown(tmp_path):
    """Without the score `length` words are counted; without the text nothing is known."""
    made_up = read_judgements(SAMPLES / "judgements_made_up.csv")
    inputs, question = Conversations((SAMPLES / "conversations.jsonl",)), Question(("overall",))
    results = {}
    for name, metrics, text in (
        ("scored", ["style_matching", "length"], False),
        ("text", ["style_matching"], True),
        ("neither", ["style_matching"], False),
    ):
        run = score_run(inputs, [load(m) for m in metrics], tmp_path / name, keep_text=text)
        evidence = validate(run, made_up, question)
        rows = {r.score: r.length_held_constant for r in evidence.correlations}
        results[name] = rows["style_matching"], evidence.notes
    assert results["scored"] == results["text"]
    assert results["scored"][0].n == 66
    assert results["neither"] == (
        None,
        [
            "reply lengths are unknown, as the run has no score 'length' and stores no text, so "
            "that no score is compared with length; add length to the metrics when scoring"
        ],
    )
