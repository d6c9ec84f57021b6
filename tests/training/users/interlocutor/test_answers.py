"""Judges as inputs: a model learns what a judge's answer means for each rater's scale."""

import numpy as np
import polars as pl
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features.users.folder import load_user_model
from simpatico.judge_answers import ANSWER_SCHEMA, JudgeAnswers
from simpatico.judgements import Judgements
from simpatico.training.card import About
from simpatico.training.users.interlocutor.train import (
    AS_GIVEN,
    InterlocutorTraining,
    train_interlocutor,
    update_interlocutor,
)
from simpatico.training.users.update import UpdateRequest
from simpatico.turns import Turns

ABOUT = About("made up", "CC0", "simpatico train interlocutor")
USERS, EACH = 6, 30


def made_up(*, unrated=0):
    """Each user's dialogs of one reply; a user's rating is a + b x quality, the judge's quality."""
    rng = np.random.default_rng(0)
    utterances, judgements, answers = [], [], []
    levels, slopes = rng.uniform(3, 5, USERS), rng.choice([-1.0, 1.0], USERS)
    for i in range(USERS * EACH):
        user, dialog = f"u{i % USERS}", f"d{i:03}"
        quality = rng.normal()
        utterances += [(dialog, user, "hello there", None), (dialog, "bot", "good day", "bot")]
        answers.append((dialog, "warm", quality))
        value = float(np.clip(levels[i % USERS] + slopes[i % USERS] * quality, 1, 7))
        if i < USERS * EACH - unrated:
            judgements.append((dialog, "liked", user, "interlocutor", value))
    turns = Turns.from_utterances(
        pl.DataFrame(utterances, schema=["dialog", "speaker", "text", "system"], orient="row")
    )
    names = ["dialog", "quality", "judge", "judge_kind", "value"]
    rated = pl.DataFrame(judgements, schema=names, orient="row")
    judged = pl.DataFrame(answers, schema=["dialog", "quality", "value"], orient="row")
    judged = judged.with_columns(judge=pl.lit("m@1"), judge_kind=pl.lit("model"))
    rated, judged = (
        frame.select(
            (pl.col(n) if n in frame.columns else pl.lit(None)).cast(kind).alias(n)
            for n, kind in ANSWER_SCHEMA.items()
        )
        for frame in (rated, judged)
    )
    people = Judgements(rated.drop("repeat", "order", "expected", "null_reason"))
    return turns, people, JudgeAnswers.of(judged)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged") / "m"
    turns, people, answers = made_up(unrated=12)
    training = InterlocutorTraining(encoder="")
    return folder, train_interlocutor(
        turns, people, folder, training=training, about=ABOUT, answers=answers
    )


def test_what_the_judge_says_is_read_on_each_users_scale(trained, tmp_path):
    """Some users like what the judge rates low: only weights of their own can know it."""
    _, report = trained
    result = {row.name: row for row in report.results}
    assert result["+ user"].r.value > 0.8
    assert result["+ user"].mse.value < 0.5 * result["mean of the person"].mse.value
    turns, people, _ = made_up(unrated=12)
    without = train_interlocutor(
        turns, people, tmp_path / "m", training=InterlocutorTraining(encoder=""), about=ABOUT
    )
    assert result["+ user"].mse.value < 0.5 * without.results[0].mse.value
    assert AS_GIVEN not in result, "the judge was asked another question than the users"


def test_a_judge_of_the_rated_quality_is_a_baseline(tmp_path):
    turns, people, answers = made_up()
    same = JudgeAnswers.of(answers.frame.with_columns(quality=pl.lit("liked")))
    report = train_interlocutor(
        turns,
        people,
        tmp_path / "m",
        training=InterlocutorTraining(encoder=""),
        about=ABOUT,
        answers=same,
    )
    assert [row.name for row in report.results][-1] == AS_GIVEN


def test_predictions_are_of_units_that_no_training_saw(trained):
    """Of 28 ratings of each of six users the last 3 are for test; 12 dialogs have no rating."""
    _, report = trained
    frame = report.calibrated.frame
    assert frame.height == report.results[0].n + 12
    assert frame["judge_kind"].unique().to_list() == ["model"]
    assert frame["quality"].unique().to_list() == ["liked"]
    assert frame["value"].is_between(*frame.select("scale_min", "scale_max").row(0)).all()


def test_the_folder_names_the_questions_and_refuses_what_lacks_answers(trained, tmp_path):
    folder, _ = trained
    model = load_user_model(f"path:{folder}", "score")
    assert model.recipe.inputs.answers == ("warm by m@1",)
    assert model.missing == (
        "this model reads answers of judges (warm by m@1), which conversations do not hold; "
        "`train interlocutor --calibrated FILE` writes its predictions"
    )
    turns, people, _ = made_up()
    base = f"path:{folder}"
    with pytest.raises(BadValue) as error:
        update_interlocutor(
            turns, people, UpdateRequest(base, tmp_path / "new", "more"), quality=None
        )
    assert str(error.value) == (
        f"{base} reads answers of judges and cannot be updated; train it again with --judges"
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"dialog": "elsewhere"},
            "no judge answered about any rated unit; dialog ids and turn numbers must be the same "
            "in the files of ratings and of answers",
        ),
        ({"turn": 1}, "no answers of judges about dialogs, which were rated"),
    ],
)
def test_answers_that_match_no_rating_are_refused(tmp_path, change, sentence):
    turns, people, answers = made_up()
    frame = answers.frame.head(1).with_columns(
        **{name: pl.lit(value).cast(ANSWER_SCHEMA[name]) for name, value in change.items()}
    )
    with pytest.raises(DataError) as error:
        train_interlocutor(
            turns,
            people,
            tmp_path / "m",
            training=InterlocutorTraining(encoder=""),
            about=ABOUT,
            answers=JudgeAnswers.of(frame),
        )
    assert str(error.value) == sentence
