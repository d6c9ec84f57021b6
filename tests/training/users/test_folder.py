"""The folder of a user-aware model: read as it was written, updated, and made to forget."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features import features_for_texts
from simpatico.features.users.contexts import turn_contexts
from simpatico.features.users.folder import (
    FILES,
    ModelEvaluation,
    ReliabilityBin,
    UserModelFolder,
    load_user_model,
)
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserWeights
from simpatico.models.folder import MANIFEST, build_manifest
from simpatico.training.users.card import calibration_error, reliability_bins, user_model_card
from simpatico.training.users.fit import FitSettings, fit_user_model
from simpatico.training.users.forget import forget_user
from simpatico.training.users.update import UpdateRequest, use_pseudonyms
from simpatico.training.users.user_weights import update_users
from tests.conftest import talk
from tests.metrics.user_models import by_hand, folder
from tests.training.users.made_up_users import habits, parts

TALK = talk("ann: hello", "bob: why?", "ann: yes", "bob: well")


def at(model: str) -> Path:
    return Path(model.removeprefix("path:"))


def bytes_of(where: Path) -> bytes:
    """Every name and byte of a folder."""
    return b"\0".join(path.name.encode() + path.read_bytes() for path in sorted(where.iterdir()))


def predictions(model: UserModelFolder) -> list[float]:
    return model.predict(turn_contexts(TALK), features_for_texts(())).value.tolist()


def test_a_folder_says_what_the_model_said(tmp_path):
    """Of "why?" to ann: 1 / (1 + exp(-(-1 + 2 + 1.5))) = .924142."""
    result = load_user_model(folder(by_hand(), out=tmp_path / "m"), "chance")
    assert predictions(result)[1] == pytest.approx(0.924142, abs=1e-6)
    plain, again = by_hand(), result.model
    assert again.users.row_of.keys() == {pseudonym(name, result.key) for name in ("ann", "bob")}
    for name in ("ann", "bob"):
        ours, theirs = plain.users.row_of[name], again.users.row_of[pseudonym(name, result.key)]
        assert plain.users.mean[ours].tolist() == again.users.mean[theirs].tolist()
        assert plain.users.n_examples[ours] == again.users.n_examples[theirs]
    assert np.array_equal(plain.shared, again.shared)


def test_only_the_owner_can_read_the_key_and_nobody_is_named(tmp_path):
    users = by_hand().users._replace(row_of={"Annabel-77": 0, "Bob-78": 1})
    where = at(folder(by_hand(users=users), out=tmp_path / "m"))
    assert sorted(path.name for path in where.iterdir()) == sorted([*FILES, MANIFEST])
    assert stat.S_IMODE((where / "person.key").stat().st_mode) == 0o600
    assert not [name for name in users.row_of if name.encode() in bytes_of(where)]
    assert (
        "- per-user weights: 2 users with 1 to 3 examples (median 2)"
        in (where / "card.md").read_text()
    )


def test_two_folders_have_two_keys(tmp_path):
    one, other = (load_user_model(folder(by_hand(), out=tmp_path / name)) for name in "ab")
    assert one.key != other.key
    assert one.model.users.row_of != other.model.users.row_of


def test_a_person_who_is_forgotten_leaves_no_trace(tmp_path, call):
    model = folder(by_hand(), out=tmp_path / "m")
    before = load_user_model(model)
    digits = pseudonym("ann", before.key)
    assert digits.encode() in bytes_of(at(model))
    code, out, err = call("models", "forget", "ann", "--model", at(model))
    assert (code, out, err) == (
        0,
        "Removed this user's weights and 3 examples (shared weights keep what they learned).\n",
        "",
    )
    left = bytes_of(at(model))
    assert digits.encode() not in left
    assert np.float64(1.5).tobytes() not in (at(model) / "model.safetensors").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]
    after = load_user_model(model)
    assert after.model.users.row_of == {pseudonym("bob", before.key): 0}
    unknown = before.model.predict(
        np.zeros((1, 0)), turn_contexts(TALK).covariates[1:2], [""]
    ).value[0]
    assert predictions(after)[1] == pytest.approx(unknown)
    assert stat.S_IMODE((at(model) / "person.key").stat().st_mode) == 0o600
    assert "- per-user weights: 1 users" in (at(model) / "card.md").read_text()


def test_somebody_who_is_not_known_cannot_be_forgotten(tmp_path, call):
    model = folder(by_hand(), out=tmp_path / "m")
    before = bytes_of(at(model))
    sentence = f"{model} has no weights for this user among its 2 users; nothing was changed"
    with pytest.raises(BadValue) as error:
        forget_user("zoe", model)
    assert str(error.value) == sentence
    assert call("models", "forget", "zoe", "--model", at(model)) == (
        2,
        "",
        f"simpatico: {sentence}\n",
    )
    assert bytes_of(at(model)) == before


def test_going_on_from_a_folder_is_going_on_from_the_model(tmp_path):
    train, validation, last = parts(habits("score"))
    model = fit_user_model(train, validation, settings=FitSettings("score"))
    spec = InputSpec(char_ngrams=None, covariates=("length", "question"))
    name = folder(model, spec, tmp_path / "m")
    before = load_user_model(name)
    request = UpdateRequest(name, tmp_path / "n", "more")
    request.write(before, use_pseudonyms(last, before.key), "r 0.5")
    result, expected = load_user_model(f"path:{tmp_path / 'n'}"), update_users(model, last).users
    assert result.recipe.examples == 4 + len(last.y)
    assert result.key == before.key
    for user, place in expected.row_of.items():
        ours = result.model.users.row_of[pseudonym(user, result.key)]
        assert result.model.users.mean[ours] == pytest.approx(expected.mean[place])
        assert result.model.users.n_examples[ours] == expected.n_examples[place] == 40


def test_a_place_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataError) as error:
        folder(by_hand(), out=tmp_path)
    assert str(error.value) == (
        f"{tmp_path} holds 'notes.txt', which is not part of a model; name another folder"
    )
    with pytest.raises(DataError) as error:
        folder(by_hand(), out=tmp_path / "notes.txt")
    assert str(error.value) == f"{tmp_path / 'notes.txt'} is a file; name a folder for the model"


def test_a_model_of_the_other_kind_or_of_none_is_a_sentence(tmp_path):
    model = folder(by_hand(), out=tmp_path / "m")
    with pytest.raises(DataError) as error:
        load_user_model(model, "score")
    assert str(error.value) == (
        f"{tmp_path / 'm' / 'recipe.json'}: a model from `train continuity`; one "
        "from `train interlocutor` is needed"
    )
    with pytest.raises(MissingResource) as error:
        load_user_model("path:/no/where", "score")
    assert str(error.value) == (
        "no user-aware model 'path:/no/where': give path:DIR with the folder that "
        "`simpatico train interlocutor` wrote"
    )


def damaged(where: Path, name: str, data: bytes) -> None:
    """Change a file and say so in the manifest, as whoever means harm would."""
    (where / name).write_bytes(data)
    files = {file: (where / file).read_bytes() for file in FILES}
    (where / MANIFEST).write_bytes(build_manifest(files))


def changed(recipe: bytes, **told: object) -> bytes:
    return json.dumps({**json.loads(recipe), **told}).encode()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("person.key", lambda old: b"abc", "no key of 32 bytes; restore it or train again"),
        (
            "persons.json",
            lambda old: b'["ann", "bob"]',
            "its tensors do not match recipe.json and persons.json; train it again",
        ),
        (
            "persons.json",
            lambda old: b"[]",
            "its tensors do not match recipe.json and persons.json; train it again",
        ),
        (
            "recipe.json",
            lambda old: changed(old, schema=9),
            "schema 9, and this version reads 1; train it again or update simpatico",
        ),
        (
            "recipe.json",
            lambda old: changed(old, form={"circumstances": ["moon"]}),
            "unknown covariate 'moon'; train it again",
        ),
    ],
)
def test_a_folder_that_makes_no_sense_is_refused(tmp_path, name, data, sentence):
    where = at(folder(by_hand(), out=tmp_path / "m"))
    damaged(where, name, data((where / name).read_bytes()))
    with pytest.raises(DataError) as error:
        load_user_model(f"path:{where}")
    assert str(error.value).endswith(f": {sentence}")


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    users = by_hand().users
    model = by_hand(users=users._replace(mean=np.array([[np.nan], [0.0]])))
    with pytest.raises(DataError) as error:
        load_user_model(folder(model, out=tmp_path / "m"))
    assert str(error.value) == (
        f"{tmp_path / 'm' / 'model.safetensors'}: 'mean' has values that are not "
        "finite; train it again"
    )


def test_reliability_and_its_error_by_hand():
    """Two predicted .2 of which one happened, one .95 that did: (2 * .3 + .05) / 3 = .216667."""
    bins = reliability_bins(np.array([0.2, 0.2, 0.95]), np.array([1.0, 0.0, 1.0]))
    assert bins == (ReliabilityBin(2, 0.2, 0.5), ReliabilityBin(1, 0.95, 1.0))
    assert calibration_error(bins) == 0.216667
    assert reliability_bins(np.ones(1), np.ones(1)) == (ReliabilityBin(1, 1.0, 1.0),)


def test_a_card_shows_how_far_chances_hold_and_what_is_seen(tmp_path):
    spec = InputSpec("package:minilm", "0123456789abcdef", profile=True)
    recipe = load_user_model(folder(by_hand(), spec, out=tmp_path / "m")).recipe
    bins = (ReliabilityBin(2, 0.2, 0.5), ReliabilityBin(1, 0.95, 1.0))
    changed_recipe = replace(recipe, test=ModelEvaluation(3, 1, {}, bins), discount=0.9)
    lines = user_model_card(changed_recipe, UserWeights.empty(0)).splitlines()
    for line in (
        "### Calibration (expected calibration error 0.217)",
        "| predicted | observed | turns |",
        "| 0.200 | 0.500 | 2 |",
        "- chats: 4 examples",
        "- no per-user weights: every user is treated as an average user",
        "- inputs from context and turn and the user's profile, without the user's name: vectors of "
        "package:minilm (0123456789ab), pooled by mean; character n-grams of length 2 to 4 in "
        "16,384 buckets",
        "- per-user weights for: intercept; older examples are discounted by 0.9 per later example",
        "- to reproduce: `simpatico train`",
    ):
        assert line in lines
