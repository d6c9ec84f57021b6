"""Files that appear complete or not at all, and folders with one writer at a time."""

import json
import os
import re
import stat

import pytest
from polars.exceptions import ComputeError

from simpatico.errors import RunError
from simpatico.files import (
    lock_folder,
    make_folder,
    replace_folder,
    write_atomically,
    write_json_atomically,
)


def test_bytes_and_writers_give_the_same_file_and_leave_nothing_else(tmp_path):
    write_atomically(tmp_path / "a", b"text")
    write_atomically(tmp_path / "b", lambda path: path.write_bytes(b"text"))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"text", "b": b"text"}


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("no_umask")
def test_a_file_is_for_its_owner_from_its_first_byte_on_unless_it_is_public(tmp_path):
    modes = []

    def write(path):
        modes.append(mode(path))
        path.write_bytes(b"secret")

    (tmp_path / f".a.{os.getpid()}.tmp").touch(0o666)  # of a killed process of our number
    write_atomically(tmp_path / "a", write)
    write_atomically(tmp_path / "b", b"for all", public=True)
    assert [*modes, mode(tmp_path / "a"), mode(tmp_path / "b")] == [0o600, 0o600, 0o644]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.usefixtures("no_umask")
def test_new_folders_are_for_their_owner_and_what_is_none_is_named(tmp_path):
    make_folder(tmp_path / "new" / "run")
    assert [mode(tmp_path / "new"), mode(tmp_path / "new" / "run")] == [0o700, 0o700]
    (tmp_path / "file").touch()
    for link, target in (("dangling", "nowhere"), ("loop", "loop")):
        (tmp_path / link).symlink_to(tmp_path / target)
    for name in ("file", "dangling", "loop"):
        for place in (tmp_path / name, tmp_path / name / "run"):
            with pytest.raises(RunError) as caught:
                make_folder(place)
            what = "file" if name == "file" else "link that leads nowhere"
            assert str(caught.value) == f"{tmp_path / name} is a {what}; name a folder"
            assert not caught.value.resumable


def fail(error):
    def write(path):
        path.write_bytes(b"half")
        raise error

    return write


def test_a_failure_keeps_the_old_file_and_can_be_tried_again(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    for error in (OSError(28, "No space left on device"), ComputeError("x (os error 28)")):
        with pytest.raises(RunError) as caught:
            write_atomically(path, fail(error))
        start, free, end = re.split(r"([0-9,]+)(?= are free)", str(caught.value))
        assert start == f"{path} could not be written: No space left on device after 4 bytes ("
        assert int(free.replace(",", "")) > 0
        assert end == " are free); make room and run the same command again"
        assert caught.value.resumable
    with pytest.raises(RunError) as caught:
        write_atomically(path, fail(OSError(13, "Permission denied")))
    assert str(caught.value) == f"{path} could not be written: Permission denied"
    with pytest.raises(ComputeError):
        write_atomically(path, fail(ComputeError("no error of the disk")))
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


def test_equal_values_are_equal_bytes(tmp_path):
    write_json_atomically(tmp_path / "a", {"b": 1, "a": "é"})
    write_json_atomically(tmp_path / "b", {"a": "é", "b": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads((tmp_path / "a").read_bytes()) == {"a": "é", "b": 1}


def test_a_locked_folder_says_who_has_it(tmp_path):
    holder = tmp_path / "holder"
    with lock_folder(tmp_path):
        for owner in ("another process", "process 7 on host"):
            with pytest.raises(RunError) as caught, lock_folder(tmp_path, holder):
                pass
            message = f"{tmp_path} is being written by {owner}; wait or use another"
            assert str(caught.value) == message
            holder.write_text("process 7 on host")
    with lock_folder(tmp_path):
        pass


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path):
    new, target, old = tmp_path / "new", tmp_path / "target", tmp_path / "old"
    for content in ("1", "2"):
        new.mkdir()
        (new / "file").write_text(content)
        replace_folder(new, target, old=old)
    assert [(target / "file").read_text(), (old / "file").read_text()] == ["2", "1"]
    assert not new.exists()
