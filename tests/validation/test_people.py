"""People's ratings as the first row of a comparison, and which scores follow these raters."""

import numpy as np
import polars as pl
import pytest

from simpatico.comparison.headline import headline, orient_pair, plain_text
from simpatico.comparison.samples import Selection
from simpatico.judgements import Judgement, Judgements
from simpatico.validation.evidence import correlate_with_ratings
from simpatico.validation.people import compare_with_ratings, rank_qualities
from tests.comparison.runs import make_run

RNG = np.random.default_rng(11)
N = 20


def judgements(values, *, quality="thumb", judge="j", scale=(None, None), turn=None):
    """`values`: system -> ratings; the k-th is of the dialog system/k, as `make_run` names it."""
    return [
        Judgement(f"{system}/{k:04d}", turn, None, quality, judge, None, v, *scale)
        for system, own in values.items()
        for k, v in enumerate(own)
    ]


@pytest.fixture
def run(tmp_path):
    """Warmth follows the thumbs below, wit is noise; prompts are not shared, so nothing is paired."""
    thumbs = np.array([1.0] * 14 + [0.0] * 6 + [1.0] * 5 + [0.0] * 15)
    warmth = 0.4 + 0.2 * thumbs + RNG.normal(0, 0.03, 2 * N)
    scores = {
        "warmth": {"ash": warmth[:N].tolist(), "birch": warmth[N:].tolist()},
        "wit": {s: RNG.normal(size=N).tolist() for s in ("ash", "birch")},
    }
    return make_run(tmp_path / "run", scores, prompts=False, better="higher")


THUMBS = {"ash": [1.0] * 14 + [0.0] * 6, "birch": [1.0] * 5 + [0.0] * 15}


def test_thumbs_are_shares_and_the_first_row(run):
    """14 and 5 of 20 are 70% and 25%; p(1-p)n/(n-1) = 2210.5 and 1973.7, so the standard error is
    sqrt((2210.5 + 1973.7) / 20) = 14.46 and Welch's t(37.9) = 2.0245 gives 45 ± 29.3."""
    ratings = Judgements.of(judgements(THUMBS))
    rows = compare_with_ratings(run, ratings, correlate_with_ratings(run, ratings))
    first = rows[0]
    assert [d.score for d in rows] == ["people: thumb", "warmth", "wit"]
    assert (first.metric, first.kind, first.evidence, first.family) == ("people",) * 3 + (1,)
    assert (first.mean_a, first.mean_b, first.n_a, first.n_b) == (70.0, 25.0, N, N)
    assert first.score_unit == "percentage points"
    assert (first.difference, first.low, first.high) == pytest.approx(
        (45.0, 15.72, 74.28), abs=0.01
    )
    assert [d.evidence for d in rows[1:]] == ["follows these raters", "unproven"]
    assert plain_text(headline(orient_pair(rows))) == (
        "People rate ash higher than birch on “thumb” (70% vs. 25% positive). ash has a higher "
        "warmth than birch."
    )


def test_ratings_have_a_family_of_their_own(run):
    """Whoever computes more metrics does not make the ratings less certain."""
    ratings = Judgements.of(judgements(THUMBS))
    both = compare_with_ratings(run, ratings)
    one = compare_with_ratings(run, ratings, choice=Selection(scores=("wit",)))
    assert both[0] == one[0]
    assert [d.family for d in both] == [1, 2, 2]


def test_several_judges_and_minus_one_for_down(run):
    """The mean over judges: 1 and -1 of two judges is half of them up."""
    up, down = ({s: [v] * N for s in ("ash", "birch")} for v in (1.0, -1.0))
    frame = Judgements.of([*judgements(up, judge="x"), *judgements(down, judge="y")])
    assert compare_with_ratings(run, frame)[0].mean_a == 50.0


def test_other_scales_stay_as_they_are_and_overall_leads(run):
    """0 and 1 on a scale of 0 to 5 are no thumbs; of qualities "overall" comes first."""
    scale = (0.0, 5.0)
    stars = judgements(THUMBS, quality="fun", scale=scale)
    overall = judgements({"ash": [4.0, 5.0] * 10, "birch": [3.0, 2.0] * 10}, quality="overall")
    rows = compare_with_ratings(run, Judgements.of([*stars, *overall]))
    assert [(d.title, d.mean_a, d.mean_b, d.score_unit) for d in rows[:2]] == [
        ("overall", 4.5, 2.5, ""),
        ("fun", 0.7, 0.25, ""),
    ]


def test_ratings_of_turns_are_averaged_within_the_dialog(run):
    first, second = ({s: [v] * N for s in ("ash", "birch")} for v in (2.0, 5.0))
    rows = [*judgements(first, turn=1), *judgements(second, turn=2)]
    assert compare_with_ratings(run, Judgements.of(rows))[0].mean_b == 3.5


def test_a_rating_without_speaker_is_about_the_system_not_the_user(tmp_path):
    values = {"warmth": {"ash": [0.1] * 9, "birch": [0.2] * 9}}
    run = make_run(tmp_path / "run", values, prompts=False)
    frame = run.at("dialog")
    users = frame.with_columns(speaker=pl.lit("user"), system=pl.lit("human"))
    pl.concat([frame, users]).write_parquet(run.folder / "dialog.parquet")
    ratings = Judgements.of(judgements({"ash": [4.0] * 9, "birch": [2.0] * 9}))
    first = compare_with_ratings(run, ratings, choice=Selection(with_human=True))[0]
    assert (first.a, first.b, first.mean_a, first.n_a) == ("ash", "birch", 4.0, 9)


def test_what_leads_of_several_qualities():
    units = {("b", "dialog"): 5, ("a", "turn"): 9, ("c", "dialog"): 7, ("Overall", "turn"): 1}
    names = [quality for quality, _ in rank_qualities(units)]
    assert names == ["Overall", "c", "b", "a"]
