"""The interlocutor's eye: Hazumi's tables, and ratings by people who talked."""

import json

import numpy as np
import polars as pl
import pytest

from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.users.inputs import InputSpec
from simpatico.reproduction.interlocutors_eye import data as files
from simpatico.reproduction.interlocutors_eye import hazumi
from simpatico.reproduction.interlocutors_eye import ratings as own
from simpatico.reproduction.interlocutors_eye.hazumi import drop_inputs
from simpatico.reproduction.interlocutors_eye.shuffles import shuffle_users
from simpatico.stats.by_user import compare_ratings, evaluate_ratings
from simpatico.training.users.fit import predict_examples
from tests.reproduction.interlocutors_eye import data_sets as seeing

SPEC = InputSpec(char_ngrams=CharNgramSettings(1, 2, 2**5))


def read_hazumi(data, name):
    return files.read_rated_folder(data / name, [files.LISTED])


def read_persona(data, pattern):
    return files.read_rated_folder(data / files.PERSONA, [pattern])


def read_crowd(data):
    return files.read_rated_folder(data / files.CROWD, [files.PASSED])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = tmp_path_factory.mktemp("eye")
    for name in files.HAZUMI.values():
        seeing.hazumi(data, name)
    seeing.persona(data)
    seeing.crowd(data)
    return data


@pytest.fixture(scope="module")
def both(folder):
    return files.concat_rated([read_hazumi(folder, name) for name in files.HAZUMI.values()])


@pytest.fixture(scope="module")
def fits(both):
    fit = hazumi.load_hazumi(both, SPEC)
    return fit, *hazumi.predict_models(fit)


def test_statistics_are_of_exchanges_with_all_scores(folder):
    """12 participants of 20 exchanges, one of them without a number: 239. The Wizard says "good "
    or "bad " and a number; the participant says "hm", and nothing in exchanges 0, 7 and 14."""
    sets = {"Hazumi1902": read_hazumi(folder, "hazumi1902")}
    cells = {cell.column: cell for cell in hazumi.statistics_cells(sets)}
    assert {name: cell.ours for name, cell in cells.items()} == {
        "dialogs": 12,
        "exchanges": 239,
        "characters of the Wizard": pytest.approx(
            np.mean(
                [
                    len(f"{seeing.WORDS[1 - seeing.kind(p, n)]} {n}")
                    for p in range(12)
                    for n in range(20)
                    if (p, n) != (0, 3)
                ]
            )
        ),
        "characters of the participant": pytest.approx((12 * 17 - 1) * 2 / 239),
    }
    assert cells["exchanges"].paper == 2477


def test_a_dialog_is_cut_in_its_order(fits):
    fit, _, _ = fits
    rated, sides = fit.data.ratings, fit.data.split
    last = {}
    for side in sides[:3]:
        for at in side:
            dialog, row = int(rated.dialog[at]), int(rated.rows[at][0])
            assert row > last.get(dialog, -1)
        for at in side:
            last[int(rated.dialog[at])] = max(
                last.get(int(rated.dialog[at]), -1), int(rated.rows[at][0])
            )
    assert [len(side) for side in sides[:3]] == [382, 48, 48]


def test_who_is_asked_matters_and_so_does_what_was_said(fits):
    """Participants differ by up to 4 points and words by 1.6, so that the mean is far ahead of
    text, and text adds to the mean."""
    fit, guesses, _ = fits
    heldout = fit.data.split.test
    truth, person = fit.data.ratings.own[heldout], fit.data.users(heldout)
    r = {row.name: row.r.value for row in evaluate_ratings(guesses, truth, person)}
    assert r[hazumi.USER_MEAN] > r[hazumi.INTERLOCUTOR] + 0.2
    gaps = {row.name: row for row in compare_ratings(guesses, hazumi.OURS, truth, person)}
    assert gaps[hazumi.USER_MEAN].r.low > 0
    assert gaps[hazumi.NO_TEXT].r.low > 0


def test_with_names_shuffled_the_gain_is_gone(fits):
    fit, guesses, _ = fits
    heldout = fit.data.split.test
    truth = hazumi.GroundTruth(fit.data.ratings.own[heldout], fit.data.users(heldout), 0)
    blind = {row.name: row for row in evaluate_ratings(guesses, *truth[:2])}[hazumi.INTERLOCUTOR]
    shuffles = hazumi.predict_shuffled(fit, seeds=2)
    cell, _ = hazumi.shuffle_cells(shuffles, truth)
    assert cell.ours < blind.r.value + 0.1
    gain, _ = hazumi.shuffle_gain_cells(guesses[hazumi.OURS], shuffles, truth)
    assert gain.low > 0


def test_means_know_nothing_of_what_is_held_out(fits):
    fit, guesses, later = fits
    rated, sides = fit.data.ratings, fit.data.split
    at = sides.test[0]
    mine = [p for p in sides.train if rated.user[p] == rated.user[at]]
    assert guesses[hazumi.USER_MEAN][0] == pytest.approx(rated.own[mine].mean())
    mine += [p for p in sides.validation if rated.user[p] == rated.user[at]]
    assert later[hazumi.USER_MEAN][0] == pytest.approx(rated.own[mine].mean())


def test_what_is_held_out_teaches_nothing(fits):
    """With all scores held out turned around, the model says the same of them."""
    fit, guesses, _ = fits
    split, y = fit.data.split, fit.examples.y.copy()
    y[split.test] = 8 - y[split.test]
    model, _ = hazumi.fit_split(fit.examples._replace(y=y), split)
    predictions = predict_examples(model, fit.examples.take(split.test))
    assert predictions.tolist() == guesses[hazumi.OURS].tolist()


def test_names_are_dealt_out_and_nothing_else(fits):
    examples = fits[0].examples
    shuffle = shuffle_users(examples, 3)
    assert sorted(shuffle.user) == sorted(examples.user)
    assert shuffle.user != examples.user
    assert shuffle.user == shuffle_users(examples, 3).user != shuffle_users(examples, 4).user
    assert shuffle.y is examples.y
    one = examples.take(np.array([0]))
    assert shuffle_users(one, 0).user == one.user
    bare = drop_inputs(examples)
    assert (bare.rows.shape, bare.covariates.shape) == ((478, 0), (478, 0))


def test_people_about_people_and_about_systems(folder):
    """Raters differ by up to 2 points and words by 1."""
    cells = list(
        own.persona_cells(
            read_persona(folder, files.TALKS), read_persona(folder, files.SYSTEMS), seed=0
        )
    )
    by_place = {(cell.table, cell.row, cell.column): cell for cell in cells}
    row = "what people say: RealPersonaChat, satisfaction"
    aware, unaware = (by_place[own.TABLE, row, name].ours for name in ("+ user", "text"))
    assert aware > unaware + 0.1
    profile, both = (by_place[own.TABLE, row, name] for name in ("+ profile", "+ both"))
    assert None not in (profile.ours, both.ours)
    assert (profile.paper, both.paper) == (0.754, 0.727)
    note = "0 of 6 not scored; 6 users; 36 of 36 dialogs"
    assert profile.note.startswith(f"{note}; {own.ON_X}")
    mean = by_place[own.TABLE, row, "mean of the person"]
    assert (mean.paper, own.ON_X in mean.note) == (None, False)
    system = "what systems say: RealPersonaChat, satisfaction"
    assert by_place[own.TABLE, system, "text"].n == 12
    for name, theirs in (("+ user", 0.364), ("+ profile", 0.369), ("+ both", 0.367)):
        nobody = by_place[own.TABLE, system, name]
        assert (nobody.ours, nobody.paper) == (None, theirs)
        assert nobody.note == f"0 of 0 not scored; {own.NO_IDS}"


def test_some_dialogs_are_drawn_by_name(folder):
    people = read_persona(folder, files.TALKS)
    sample = own.sample_dialogs(people, 5, seed=0)
    assert sample.turns.frame["dialog"].n_unique() == 5
    assert sample.judgements.frame.height == 10
    assert set(sample.turns.frame["dialog"]) == set(sample.judgements.frame["dialog"])
    assert set(own.sample_dialogs(people, 5, seed=1).turns.frame["dialog"]) != set(
        sample.turns.frame["dialog"]
    )


def test_bots_made_worse_on_purpose_are_left_out(folder):
    """8 workers of 7 other dialogs: of each worker's, one is held out."""
    cells = list(own.crowd_cells(read_crowd(folder), None, [], seed=0))
    assert {cell.n for cell in cells if cell.ours is not None} == {8}
    paper_only = {(cell.column, cell.paper) for cell in cells if cell.ours is None}
    assert paper_only == {("+ profile", 0.369), ("+ both", 0.367)}
    gains = {cell.column for cell in cells if cell.table == own.GAINS}
    assert gains == {"+ user − text", "+ user − mean of the person"}


def test_files_of_several_names_keep_their_dialogs_apart(folder, tmp_path):
    seeing.crowd(tmp_path)
    one = tmp_path / "ji2022" / "pass_free_run1.json"
    one.with_name("pass_icebreaker.json").write_text(one.read_text())
    both = read_crowd(tmp_path)
    alone = read_crowd(folder)
    assert both.turns.frame["dialog"].n_unique() == 2 * alone.turns.frame["dialog"].n_unique()
    assert both.judgements.frame.select("dialog").unique().height == 128


def test_the_command_writes_cells(tmp_path, call):
    seeing.crowd(tmp_path)
    arguments = ("reproduce", "interlocutors-eye", "--data", tmp_path, "--metrics", "none")
    code, out, err = call(*arguments, "--json")
    assert code == 0
    cells = pl.DataFrame(json.loads(out))
    assert set(cells["row"]) == {
        "what systems say: Ji et al., interesting",
        "what systems say: Ji et al., fun",
    }
    assert "- left out: Table 4: no logs of IRC\n" in err
