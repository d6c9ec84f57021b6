"""Forgetting a person leaves nothing behind, however a folder is called and whatever went before."""

import os
from contextlib import suppress

import pytest

from simpatico import files
from simpatico.errors import BadValue
from simpatico.features.users.folder import load_user_model
from simpatico.features.users.identity import pseudonym
from simpatico.training import model_folder
from simpatico.training.users.forget import forget_user
from tests.metrics.user_models import by_hand, folder


class Killed(BaseException):
    """Stands for the end of the process."""


def left(root, digits):
    """The files in which somebody's digits still stand."""
    return [
        path.name
        for path in root.rglob("*")
        if path.is_file() and digits in path.read_text("latin-1")
    ]


@pytest.fixture
def model(tmp_path):
    name = folder(by_hand(), out=tmp_path / "m")
    return name, pseudonym("ann", load_user_model(name).key)


def test_through_a_link(model, tmp_path):
    _, digits = model
    (tmp_path / "link").symlink_to(tmp_path / "m")
    assert forget_user("ann", f"path:{tmp_path / 'link'}") == 3
    assert left(tmp_path, digits) == []
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "m"]


def test_from_within(model, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path / "m")
    assert call("models", "forget", "ann", "--model", ".") == (
        0,
        "Removed this user's weights and 3 examples (shared weights keep what they learned).\n",
        "",
    )
    assert left(tmp_path, model[1]) == []


def test_killed_before_the_old_folder_is_gone(model, tmp_path, monkeypatch):
    """The same call again finds nobody, but takes away what was left."""
    name, digits = model

    def kill(path, names):
        if path.exists():
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(model_folder, "remove_leftover", kill)
        with pytest.raises(Killed):
            forget_user("ann", name)
    assert left(tmp_path, digits) == ["persons.json"]
    with pytest.raises(BadValue, match="has no weights for this user among its 1 users"):
        forget_user("ann", name)
    assert left(tmp_path, digits) == []
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_killed_at_any_point_the_model_is_the_old_or_the_new_one(tmp_path, monkeypatch):
    """Every file and both names of the folder, until the call comes to its end."""
    points, states = [], []
    while True:
        place = tmp_path / str(len(states))
        name = folder(by_hand(), out=place / "m")
        digits = pseudonym("ann", load_user_model(name).key)
        killed = kill_at(
            len(states), points, monkeypatch, lambda name=name: forget_user("ann", name)
        )
        states.append(digits in load_user_model(name).model.users.row_of)
        if not killed:
            break
        with suppress(BadValue):  # she is gone already, but not what was left beside the folder
            forget_user("ann", name)
        assert left(place, digits) == []
        assert [path.name for path in place.iterdir()] == ["m"]
    known = points.index("exchanged")
    assert states == [True] * known + [False] * (len(states) - known)
    assert set(points) == {
        *("write", "written", "synced", "renamed", "folder-synced"),
        *("folder-ready", "exchanged", "new-moved"),
    }


def kill_at(number, points, monkeypatch, work):
    """Whether the work was killed at its fault point of this number; their names in `points`."""
    points.clear()

    def fault(name):
        points.append(name)
        if len(points) > number:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(files, "fault", fault)
        try:
            work()
        except Killed:
            return True
    return False


def test_killed_between_two_names(model, tmp_path, monkeypatch, call):
    """On a system that cannot exchange folders, the same call again puts it back and forgets."""
    name, digits = model
    rename = os.rename

    def kill(one, other):
        if str(one).endswith(".new"):
            raise Killed
        rename(one, other)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", kill)
        patch.setattr(files, "exchange", lambda one, other: False)
        with pytest.raises(Killed):
            forget_user("ann", name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".m.new", ".m.old"]
    assert call("models", "forget", "ann", "--model", tmp_path / "m")[0] == 0
    assert left(tmp_path, digits) == []
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_somebody_elses_folder_is_not_taken_away(model, tmp_path, call):
    other = tmp_path / ".m.old"
    other.mkdir()
    (other / "thesis.txt").write_text("ten years of work")
    assert call("models", "forget", "ann", "--model", tmp_path / "m") == (
        2,
        "",
        f"simpatico: {other} is in the way and is not a model; move it\n",
    )
    assert (other / "thesis.txt").exists()
