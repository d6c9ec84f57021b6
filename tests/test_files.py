"""Files that appear complete or not at all, and folders with one writer at a time."""

import json
import stat

import pytest
from polars.exceptions import ComputeError

from simpatico.errors import RunError
from simpatico.files import lock_folder, replace_folder, write_atomically, write_json_atomically


def test_bytes_and_writers_give_the_same_file_and_leave_nothing_else(tmp_path):
    write_atomically(tmp_path / "a", b"text")
    write_atomically(tmp_path / "b", lambda path: path.write_bytes(b"text"))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"text", "b": b"text"}


def test_a_private_file_is_private_from_its_first_byte_on(tmp_path):
    modes = []

    def write(path):
        modes.append(stat.S_IMODE(path.stat().st_mode))
        path.write_bytes(b"secret")

    write_atomically(tmp_path / "a", write, private=True)
    assert [*modes, stat.S_IMODE((tmp_path / "a").stat().st_mode)] == [0o600, 0o600]


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
        assert str(caught.value) == f"{path} could not be written: No space left on device"
        assert caught.value.resumable
    with pytest.raises(ComputeError):
        write_atomically(path, fail(ComputeError("no error of the disk")))
    assert [p.read_bytes() for p in tmp_path.iterdir() if p.name == "a"] == [b"old"]


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
