"""`simpatico train interlocutor`: persons' means and what pleases are found; who teaches counts."""

import json

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features.users.folder import load_user_model
from simpatico.judgements import Judgements
from simpatico.training.card import About
from simpatico.training.users.examples import (
    UserExamples,
    group_examples,
    input_spec,
    user_means,
)
from simpatico.training.users.interlocutor.train import (
    InterlocutorTraining,
    RatingData,
    outsider_examples,
    rating_examples,
    train_interlocutor,
    update_interlocutor,
)
from simpatico.training.users.update import UpdateRequest
from tests.training.users.logs import rated

ABOUT = About("made up", "CC0", "simpatico train interlocutor")
SPEC = input_spec("", profile=False)


def rows(report):
    return {row.name: row for row in report.results}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interlocutor") / "m"
    training = InterlocutorTraining(encoder="")
    return folder, train_interlocutor(*rated(), folder, training=training, about=ABOUT)


def test_persons_and_what_pleases_are_found(trained):
    """6 persons, the last 3 of 30 turns each held out. Means tell persons apart, text the rest."""
    folder, report = trained
    result = rows(report)
    assert list(result) == ["+ user", "text", "mean of the person", "mean of all"]
    assert (result["+ user"].n, result["+ user"].users) == (18, 6)
    assert result["+ user"].r.value > 0.95
    assert result["+ user"].mse.value < 0.5 * result["mean of the person"].mse.value
    assert result["text"].r.value < result["+ user"].r.value
    assert result["mean of all"].r is None
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert f"- Pearson's r: {result['+ user'].r.value:.3f}\n" in card, "no interval of 6 persons"
    assert "ratings and 6 users; no 95% CI with fewer than 10 users." in card
    assert "- baseline on the same ratings: mean of all, no r, squared error" in card
    assert load_user_model(f"path:{folder}", "score").model.bounds == (1, 7)


def test_outsiders_teach_what_pleases_but_no_means(tmp_path):
    """They agree on what pleases and give all persons the same mean."""
    outside = InterlocutorTraining(encoder="", learn="outsiders")
    report = train_interlocutor(*rated(), tmp_path / "o", training=outside, about=ABOUT)
    assert rows(report)["+ user"].r.value < 0.85
    everybody = InterlocutorTraining(encoder="", learn="all")
    both = train_interlocutor(*rated(), tmp_path / "a", training=everybody, about=ABOUT)
    assert rows(both)["+ user"].r.value > 0.95
    users = load_user_model(f"path:{tmp_path / 'a'}").model.users
    assert len(users.row_of) == 6, "outsiders teach, but are not known afterwards"


def test_outsiders_as_cases():
    """Of 24 turns of 6 persons to learn from two outsiders each, a fifth of a rating."""
    inputs = RatingData.load(*rated(), InterlocutorTraining(encoder=""))
    result = outsider_examples(inputs, rating_examples(inputs.turns, inputs.ratings, SPEC))
    assert len(result.y) == 2 * 24 * 6
    assert set(result.user) == {f"d{n}/o{k}" for n in range(6) for k in (1, 2)}
    assert set(result.weight) == {0.2}
    assert abs(result.y.mean() - 4) < 0.3
    alone = Judgements(inputs.judgements.frame.filter(judge_kind="interlocutor"))
    lonely = RatingData.load(inputs.turns, alone, InterlocutorTraining(encoder=""))
    with pytest.raises(DataError) as error:
        outsider_examples(lonely, rating_examples(inputs.turns, inputs.ratings, SPEC))
    assert str(error.value) == (
        "no outsider's rating in the training set; use raters 'interlocutor'"
    )


def test_a_dialog_is_the_mean_of_its_turns():
    from simpatico.features.users.contexts import turn_contexts

    turns, _ = rated(2, 3)
    result = turn_contexts(turns)
    groups = [np.array([0, 1, 2]), np.array([4])]
    single = group_examples(result, [np.array([n]) for n in range(6)], SPEC, ["x"] * 6, np.zeros(6))
    both = group_examples(result, groups, SPEC, ["x", "y"], np.array([1.0, 2.0]))
    assert np.allclose(both.rows[0].toarray(), single.rows[:3].toarray().mean(axis=0))
    assert np.allclose(both.covariates[1], single.covariates[4])


def test_stacked_cases_and_own_means():
    """ann's mean of 1 and 3 is 2; eve is not among those before, whose mean is 7 / 3."""
    from scipy import sparse

    one = UserExamples(
        sparse.csr_matrix(np.eye(3)),
        np.ones((3, 1)),
        list("aab"),
        np.array([1, 3, 3.0]),
        np.ones(3),
    )
    both = one.stack(one.take(np.array([2])))
    assert (both.rows.shape, both.user) == ((4, 3), list("aabb"))
    assert user_means(list("aabe"), both.y, np.arange(3), np.array([0, 3])).tolist() == [
        2,
        pytest.approx(7 / 3),
    ]


def test_going_on(trained, tmp_path):
    folder, _ = trained
    turns, judgements = rated(2, 10, seed=5)
    request = UpdateRequest(f"path:{folder}", tmp_path / "later", "more")
    result = update_interlocutor(turns, judgements, request, quality=None)
    assert (result.n, result.users) == (20, 2)
    later = load_user_model(f"path:{tmp_path / 'later'}")
    assert (
        "- updated with 20 examples of more; results on them before the update: r "
        in later.recipe.lines[-1]
    )
    assert sorted(later.model.users.n_examples) == [27, 27, 27, 27, 37, 37], (
        "27 = 24 and 3 that decide"
    )


def test_whole_sentences(tmp_path):
    with pytest.raises(BadValue) as error:
        InterlocutorTraining(learn="dogs")
    assert str(error.value) == "unknown raters 'dogs'; choose one of interlocutor, outsiders, all"
    with pytest.raises(DataError) as error:
        train_interlocutor(
            *rated(1, 4), tmp_path, training=InterlocutorTraining(encoder=""), about=ABOUT
        )
    assert str(error.value) == (
        "2 training, 1 validation and 1 test ratings; 2 or more of each are needed"
    )


def test_the_command_line(call, tmp_path):
    turns, judgements = rated(4, 10)
    data, inputs = tmp_path / "talk.csv", tmp_path / "ratings.csv"
    turns.frame.select("dialog", "speaker", "system", "text", "interlocutor").write_csv(data)
    judgements.frame.write_csv(inputs)
    told = ["--data", data, "--judgements", inputs, "--out"]
    code, shown, err = call("train", "interlocutor", *told, tmp_path / "m")
    assert code == 0, err
    assert "mean of the person" in shown + err
    recipe = json.loads((tmp_path / "m" / "recipe.json").read_text(encoding="utf-8"))
    assert "--judgements ratings.csv" in recipe["command"]
    request = ["--continue", f"path:{tmp_path / 'm'}"]
    code, shown, err = call("train", "interlocutor", *told, tmp_path / "later", *request)
    assert code == 0, err
    assert "before the update" in shown + err
