"""The folder of a personal model: read as it was written, gone on from, and made to forget."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features import alone
from simpatico.features.users.contexts import moments
from simpatico.features.users.folder import FILES, Bin, Heldout, PersonalFolder, load_personal
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.model import People
from simpatico.features.users.inputs import SeenForm
from simpatico.models.folder import MANIFEST, manifest
from simpatico.training.users.card import calibration_error, card, reliability
from simpatico.training.users.fit import How, fit_personal
from simpatico.training.users.folder import forget, gone_on, save_again
from simpatico.training.users.user_weights import met
from tests.conftest import talk
from tests.metrics.user_models import by_hand, folder
from tests.training.users.people import habits, parts

TALK = talk("ann: hello", "bob: why?", "ann: yes", "bob: well")


def at(model: str) -> Path:
    return Path(model.removeprefix("path:"))


def bytes_of(where: Path) -> bytes:
    """Every name and byte of a folder."""
    return b"\0".join(path.name.encode() + path.read_bytes() for path in sorted(where.iterdir()))


def told(model: PersonalFolder) -> list[float]:
    return model.of(moments(TALK), alone(())).value.tolist()


def test_a_folder_says_what_the_model_said(tmp_path):
    """Of "why?" to ann: 1 / (1 + exp(-(-1 + 2 + 1.5))) = .924142."""
    found = load_personal(folder(by_hand(), out=tmp_path / "m"), "chance")
    assert told(found)[1] == pytest.approx(0.924142, abs=1e-6)
    plain, again = by_hand(), found.model
    assert again.people.place.keys() == {pseudonym(name, found.key) for name in ("ann", "bob")}
    for name in ("ann", "bob"):
        ours, theirs = plain.people.place[name], again.people.place[pseudonym(name, found.key)]
        assert plain.people.mean[ours].tolist() == again.people.mean[theirs].tolist()
        assert plain.people.seen[ours] == again.people.seen[theirs]
    assert np.array_equal(plain.shared, again.shared)


def test_only_the_owner_can_read_the_key_and_nobody_is_named(tmp_path):
    people = by_hand().people._replace(place={"Annabel-77": 0, "Bob-78": 1})
    where = at(folder(by_hand(people=people), out=tmp_path / "m"))
    assert sorted(path.name for path in where.iterdir()) == sorted([*FILES, MANIFEST])
    assert stat.S_IMODE((where / "person.key").stat().st_mode) == 0o600
    assert not [name for name in people.place if name.encode() in bytes_of(where)]
    assert "- it knows 2 persons, by 1 to 3 examples (median 2)" in (where / "card.md").read_text()


def test_two_folders_have_two_keys(tmp_path):
    one, other = (load_personal(folder(by_hand(), out=tmp_path / name)) for name in "ab")
    assert one.key != other.key
    assert one.model.people.place != other.model.people.place


def test_a_person_who_is_forgotten_leaves_no_trace(tmp_path, call):
    model = folder(by_hand(), out=tmp_path / "m")
    before = load_personal(model)
    digits = pseudonym("ann", before.key)
    assert digits.encode() in bytes_of(at(model))
    code, out, err = call("models", "forget", "ann", "--model", at(model))
    assert (code, out, err) == (0, "forgotten, with 3 examples\n", "")
    left = bytes_of(at(model))
    assert digits.encode() not in left
    assert np.float64(1.5).tobytes() not in (at(model) / "model.safetensors").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]
    after = load_personal(model)
    assert after.model.people.place == {pseudonym("bob", before.key): 0}
    unknown = before.model.of(np.zeros((1, 0)), moments(TALK).circumstances[1:2], [""]).value[0]
    assert told(after)[1] == pytest.approx(unknown)
    assert stat.S_IMODE((at(model) / "person.key").stat().st_mode) == 0o600
    assert "- it knows 1 persons" in (at(model) / "card.md").read_text()


def test_somebody_who_is_not_known_cannot_be_forgotten(tmp_path, call):
    model = folder(by_hand(), out=tmp_path / "m")
    before = bytes_of(at(model))
    sentence = f"{model} knows nobody of this name among its 2 persons; nothing was changed"
    with pytest.raises(BadValue) as error:
        forget("zoe", model)
    assert str(error.value) == sentence
    assert call("models", "forget", "zoe", "--model", at(model)) == (
        2,
        "",
        f"simpatico: {sentence}\n",
    )
    assert bytes_of(at(model)) == before


def test_going_on_from_a_folder_is_going_on_from_the_model(tmp_path):
    learn, check, last = parts(habits("score"))
    model = fit_personal(learn, check, how=How("score"))
    form = SeenForm(grams=None, circumstances=("length", "question"))
    name = folder(model, form, tmp_path / "m")
    further = gone_on(name, last)
    save_again(tmp_path / "n", further, examples=1_200)
    found, expected = load_personal(f"path:{tmp_path / 'n'}"), met(model, last).people
    assert found.recipe.examples == 1_200
    assert found.key == load_personal(name).key
    for person, place in expected.place.items():
        ours = found.model.people.place[pseudonym(person, found.key)]
        assert found.model.people.mean[ours] == pytest.approx(expected.mean[place])
        assert found.model.people.seen[ours] == expected.seen[place] == 40


def test_a_place_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataError) as error:
        folder(by_hand(), out=tmp_path)
    assert str(error.value) == (
        f"{tmp_path} holds 'notes.txt', which is no part of a model; name another"
    )
    with pytest.raises(DataError) as error:
        folder(by_hand(), out=tmp_path / "notes.txt")
    assert str(error.value) == f"{tmp_path / 'notes.txt'} is a file; name a folder for the model"


def test_a_model_of_the_other_kind_or_of_none_is_a_sentence(tmp_path):
    model = folder(by_hand(), out=tmp_path / "m")
    with pytest.raises(DataError) as error:
        load_personal(model, "score")
    assert str(error.value) == (
        f"{tmp_path / 'm' / 'recipe.json'}: a model of a chance, where one of a score is needed"
    )
    with pytest.raises(MissingResource) as error:
        load_personal("path:/no/where", "score")
    assert str(error.value) == (
        "no personal model 'path:/no/where': give path:DIR with the folder that "
        "`simpatico train interlocutor` wrote"
    )


def damaged(where: Path, name: str, data: bytes) -> None:
    """Change a file and say so in the manifest, as whoever means harm would."""
    (where / name).write_bytes(data)
    files = {file: (where / file).read_bytes() for file in FILES}
    (where / MANIFEST).write_bytes(manifest(files))


def changed(recipe: bytes, **told: object) -> bytes:
    return json.dumps({**json.loads(recipe), **told}).encode()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("person.key", lambda old: b"abc", "no key of 32 bytes; get the model again"),
        (
            "persons.json",
            lambda old: b'["ann", "bob"]',
            "its tensors do not fit to recipe.json and persons.json; train it again",
        ),
        (
            "persons.json",
            lambda old: b"[]",
            "its tensors do not fit to recipe.json and persons.json; train it again",
        ),
        (
            "recipe.json",
            lambda old: changed(old, schema=9),
            "written in form 9 where this version reads 1; train it again or update simpatico",
        ),
        (
            "recipe.json",
            lambda old: changed(old, form={"circumstances": ["moon"]}),
            "no circumstance 'moon' is known; train it again",
        ),
    ],
)
def test_a_folder_that_makes_no_sense_is_refused(tmp_path, name, data, sentence):
    where = at(folder(by_hand(), out=tmp_path / "m"))
    damaged(where, name, data((where / name).read_bytes()))
    with pytest.raises(DataError) as error:
        load_personal(f"path:{where}")
    assert str(error.value).endswith(f": {sentence}")


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    people = by_hand().people
    model = by_hand(people=people._replace(mean=np.array([[np.nan], [0.0]])))
    with pytest.raises(DataError) as error:
        load_personal(folder(model, out=tmp_path / "m"))
    assert str(error.value) == (
        f"{tmp_path / 'm' / 'model.safetensors'}: 'mean' holds something that is not a finite "
        "number"
    )


def test_reliability_and_its_error_by_hand():
    """Two told .2 of which one happened, one told .95 that did: (2 * .3 + .05) / 3 = .216667."""
    bins = reliability(np.array([0.2, 0.2, 0.95]), np.array([1.0, 0.0, 1.0]))
    assert bins == (Bin(2, 0.2, 0.5), Bin(1, 0.95, 1.0))
    assert calibration_error(bins) == 0.216667
    assert reliability(np.ones(1), np.ones(1)) == (Bin(1, 1.0, 1.0),)


def test_a_card_shows_how_far_chances_hold_and_what_is_seen(tmp_path):
    form = SeenForm("package:minilm", "0123456789abcdef", profile=True)
    recipe = load_personal(folder(by_hand(), form, out=tmp_path / "m")).recipe
    bins = (Bin(2, 0.2, 0.5), Bin(1, 0.95, 1.0))
    told = replace(recipe, heldout=Heldout(3, 1, {}, bins), discount=0.9)
    lines = card(told, People.nobody(0)).splitlines()
    for line in (
        "### How far its chances hold (expected calibration error 0.217)",
        "| 0.200 | 0.500 | 2 |",
        "- chats: 4 examples",
        "- it knows no persons: everybody is an average one",
        "- sees of what was heard and said and of the person's profile, but for the person's name: "
        "vectors of package:minilm (0123456789ab), pooled by mean; runs of 2 to 4 characters in "
        "16,384 buckets",
        "- persons have weights for: offset; an example counts 0.9 after each later one",
        "- made again by: `simpatico train`",
    ):
        assert line in lines
