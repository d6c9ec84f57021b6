"""The interlocutor's eye: Hazumi's tables, and ratings by people who talked."""

import json

import numpy as np
import polars as pl
import pytest

from simpatico.features.char_ngrams import GramForm
from simpatico.features.users.inputs import SeenForm
from simpatico.reproduction.interlocutors_eye import data as files
from simpatico.reproduction.interlocutors_eye import hazumi
from simpatico.reproduction.interlocutors_eye import ratings as own
from simpatico.reproduction.interlocutors_eye.controls import dealt, nothing_seen, shuffled
from simpatico.stats.by_person__scores import above, measured
from tests.reproduction.interlocutors_eye import data_sets as seeing

FORM = SeenForm(grams=GramForm(1, 2, 2**5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("eye")
    for name in files.HAZUMI.values():
        seeing.hazumi(made, name)
    seeing.persona(made)
    seeing.crowd(made)
    return made


@pytest.fixture(scope="module")
def both(folder):
    return files.merged([files.hazumi(folder, name) for name in files.HAZUMI.values()])


@pytest.fixture(scope="module")
def learned(both):
    found = hazumi.setting(both, FORM)
    return found, *hazumi.learned(found)


def test_statistics_are_of_exchanges_with_all_scores(folder):
    """12 participants of 20 exchanges, one of them without a number: 239. The Wizard says "good "
    or "bad " and a number; the participant says "hm", and nothing in exchanges 0, 7 and 14."""
    sets = {"Hazumi1902": files.hazumi(folder, "hazumi1902")}
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


def test_a_dialog_is_cut_in_its_order(learned):
    found, _, _ = learned
    rated, sides = found.given.ratings, found.given.sides
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


def test_who_is_asked_matters_and_so_does_what_was_said(learned):
    """Participants differ by up to 4 points and words by 1.6, so that the mean is far ahead of
    text, and text adds to the mean."""
    found, guesses, _ = learned
    heldout = found.given.sides.heldout
    truth, person = found.given.ratings.own[heldout], found.given.person(heldout)
    r = {row.name: row.r.value for row in measured(guesses, truth, person)}
    assert r[hazumi.MEAN] > r[hazumi.INTERLOCUTOR] + 0.2
    gaps = {row.name: row for row in above(guesses, hazumi.OURS, truth, person)}
    assert gaps[hazumi.MEAN].r.low > 0
    assert gaps[hazumi.NO_TEXT].r.low > 0


def test_with_names_shuffled_the_gain_is_gone(learned):
    found, guesses, _ = learned
    heldout = found.given.sides.heldout
    truth = hazumi.Truth(found.given.ratings.own[heldout], found.given.person(heldout), 0)
    blind = {row.name: row for row in measured(guesses, *truth[:2])}[hazumi.INTERLOCUTOR]
    mixed = hazumi.mixed(found, seeds=2)
    cell, _ = hazumi.shuffle_cells(mixed, truth)
    assert cell.ours < blind.r.value + 0.1
    gained, _ = hazumi.shuffle_gain_cells(guesses[hazumi.OURS], mixed, truth)
    assert gained.low > 0


def test_means_know_nothing_of_what_is_held_out(learned):
    found, guesses, later = learned
    rated, sides = found.given.ratings, found.given.sides
    at = sides.heldout[0]
    mine = [p for p in sides.learn if rated.person[p] == rated.person[at]]
    assert guesses[hazumi.MEAN][0] == pytest.approx(rated.own[mine].mean())
    mine += [p for p in sides.check if rated.person[p] == rated.person[at]]
    assert later[hazumi.MEAN][0] == pytest.approx(rated.own[mine].mean())


def test_what_is_held_out_teaches_nothing(learned):
    """With all scores held out turned around, the model says the same of them."""
    found, guesses, _ = learned
    y = found.cases.y.copy()
    y[found.given.sides.heldout] = 8 - y[found.given.sides.heldout]
    _, model = hazumi.fit(found.cases._replace(y=y), found.given.sides)
    told = hazumi.told(model, found.cases.some(found.given.sides.heldout))
    assert told.tolist() == guesses[hazumi.OURS].tolist()


def test_names_are_dealt_out_and_nothing_else(learned):
    cases = learned[0].cases
    mixed = shuffled(cases, 3)
    assert sorted(mixed.person) == sorted(cases.person)
    assert mixed.person != cases.person
    assert mixed.person == shuffled(cases, 3).person != shuffled(cases, 4).person
    assert mixed.y is cases.y
    assert dealt(["a"], 0) == ["a"]
    bare = nothing_seen(cases)
    assert (bare.rows.shape, bare.circumstances.shape) == ((478, 0), (478, 0))


def test_people_about_people_and_about_systems(folder):
    """Raters differ by up to 2 points and words by 1."""
    cells = list(own.people_cells(files.people(folder), files.systems(folder), seed=0))
    by_place = {(cell.table, cell.row, cell.column): cell for cell in cells}
    row = "what people say: RealPersonaChat, satisfaction"
    aware, unaware = (by_place[own.TABLE, row, name].ours for name in ("+ user", "text"))
    assert aware > unaware + 0.1
    profile, both = (by_place[own.TABLE, row, name] for name in ("+ profile", "+ both"))
    assert None not in (profile.ours, both.ours)
    assert (profile.paper, both.paper) == (0.754, 0.727)
    said = "0 of 6 not scored; 6 persons; 36 of 36 dialogs"
    assert profile.note.startswith(f"{said}; {own.ON_X}")
    mean = by_place[own.TABLE, row, "mean of the person"]
    assert (mean.paper, own.ON_X in mean.note) == (None, False)
    system = "what systems say: RealPersonaChat, satisfaction"
    assert by_place[own.TABLE, system, "text"].n == 12
    for name, theirs in (("+ user", 0.364), ("+ profile", 0.369), ("+ both", 0.367)):
        nobody = by_place[own.TABLE, system, name]
        assert (nobody.ours, nobody.paper) == (None, theirs)
        assert nobody.note == f"0 of 0 not scored; {own.NAMELESS}"


def test_some_dialogs_are_drawn_by_name(folder):
    given = files.people(folder)
    some = own.drawn(given, 5, seed=0)
    assert some.turns.frame["dialog"].n_unique() == 5
    assert some.judgements.frame.height == 10
    assert set(some.turns.frame["dialog"]) == set(some.judgements.frame["dialog"])
    assert set(own.drawn(given, 5, seed=1).turns.frame["dialog"]) != set(some.turns.frame["dialog"])


def test_bots_made_worse_on_purpose_are_left_out(folder):
    """8 workers of 7 other dialogs: of each worker's, one is held out."""
    cells = list(own.crowd_cells(files.crowd(folder), None, [], seed=0))
    assert {cell.n for cell in cells if cell.ours is not None} == {8}
    gone = {(cell.column, cell.paper) for cell in cells if cell.ours is None}
    assert gone == {("+ profile", 0.369), ("+ both", 0.367)}
    gained = {cell.column for cell in cells if cell.table == own.GAINED}
    assert gained == {"+ user − text", "+ user − mean of the person"}


def test_files_of_several_names_keep_their_dialogs_apart(folder, tmp_path):
    seeing.crowd(tmp_path)
    one = tmp_path / "ji2022" / "pass_free_run1.json"
    one.with_name("pass_icebreaker.json").write_text(one.read_text())
    given = files.crowd(tmp_path)
    alone = files.crowd(folder)
    assert given.turns.frame["dialog"].n_unique() == 2 * alone.turns.frame["dialog"].n_unique()
    assert given.judgements.frame.select("dialog").unique().height == 128


def test_the_command_writes_cells(tmp_path, call):
    seeing.crowd(tmp_path)
    given = ("reproduce", "interlocutors-eye", "--data", tmp_path, "--metrics", "none")
    code, out, err = call(*given, "--json")
    assert code == 0
    cells = pl.DataFrame(json.loads(out))
    assert set(cells["row"]) == {
        "what systems say: Ji et al., interesting",
        "what systems say: Ji et al., fun",
    }
    assert "- left out: Table 4: no logs of IRC\n" in err
