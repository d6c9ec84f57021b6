"""Chat logs with links: threads, who answers whom, and the time of day."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.errors import DataError
from simpatico.readers import Conversations
from simpatico.readers.conversations import read
from simpatico.readers.detect import pick_reader
from simpatico.readers.file_formats.irc import clock_correction, split_threads
from simpatico.readers.input.source import Source
from tests.readers.files import everything, write_file

LOG = """\
[23:57] <ann> hello, I am not in any link
[23:58] <ann> bob: did you boot it?
=== cy [cy@host] has joined #plants
[23:59] <bob> ann: yes
[00:01] <cy> which kernel?
[00:01] <bob> ann: twice
[00:02]  * ann claps
[00:03] <cy> how do I water ferns?
[00:03] -noise:#plants- buy this
[00:04] <ann> cy: with care
"""
LINKS = """\
1 1 -
2 2 -
1 3 -
4 4 -
3 5 -
1 5 -
5 6 -
2 7 -
4 9 -
7 9 -
"""


def log(folder: Path, name: str = "2009-12-31.a", text: str = LOG, links: str = LINKS) -> Path:
    write_file(folder / f"{name}.annotation.txt", links)
    return write_file(folder / f"{name}.ascii.txt", text)


def test_links_make_threads(tmp_path: Path) -> None:
    path = log(tmp_path)
    assert pick_reader(Source.of(path)).name == "irc"
    frame = read(path, merge=False).frame
    columns = ("dialog", "turn", "speaker", "system", "text", "answers", "interlocutor")
    one, two = "2009-12-31.a:1", "2009-12-31.a:4"
    assert frame.select(columns).rows() == [
        (one, 0, "ann", "human", "bob: did you boot it?", None, None),
        (one, 1, "bob", "human", "ann: yes", 0, "ann"),
        # links to lines 3 and 1: the last counts, and one's own words answer what those answered
        (one, 2, "bob", "human", "ann: twice", 0, "ann"),
        (one, 3, "ann", "human", "claps", 2, "bob"),
        # line 9 answers 4 and 7, so both are one thread, and 7 is what it answers
        (two, 0, "cy", "human", "which kernel?", None, None),
        (two, 1, "cy", "human", "how do I water ferns?", None, None),
        (two, 2, "ann", "human", "cy: with care", 1, "cy"),
    ]


def test_a_clock_goes_over_midnight(tmp_path: Path) -> None:
    times = read(log(tmp_path), merge=False).frame["time"].dt.strftime("%m-%d %H:%M").to_list()
    assert times == [
        *("12-31 23:58", "12-31 23:59", "01-01 00:01", "01-01 00:02"),
        *("01-01 00:01", "01-01 00:03", "01-01 00:04"),
    ]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    _, alignment, rejects = everything(log(tmp_path))
    assert alignment.aside == {
        "line of the server": 1,
        "other line": 1,
        "message outside the part with links": 1,
    }
    assert rejects == []


@pytest.mark.parametrize(
    ("back", "minutes"),
    [
        (-5, 0),
        (0, 0),
        (3, 0),  # a clock that was set right
        (719, 720),  # 12:59 to 01:00, and 11:59 to 00:00: a clock of twelve hours
        (1439, 1440),  # 23:59 to 00:00
    ],
)
def test_clocks_of_twelve_and_of_twenty_four_hours(back: int, minutes: int) -> None:
    assert clock_correction(back) == minutes


def test_a_name_without_a_day_gives_no_time(tmp_path: Path) -> None:
    for name in ("plants", "2009-13-41.a"):
        assert read(log(tmp_path, name)).frame["time"].null_count() == 5


def test_a_folder_is_all_its_logs(tmp_path: Path) -> None:
    log(tmp_path, "2009-12-31.b"), log(tmp_path)
    dialogs = read(tmp_path).frame["dialog"].unique(maintain_order=True).to_list()
    assert dialogs == [f"2009-12-31.{x}:{line}" for x in "ab" for line in (1, 4)]


def test_refuses_what_is_no_link(tmp_path: Path) -> None:
    path = log(tmp_path, links="1 1 -\n1 three -\n")
    with pytest.raises(DataError) as error:
        read(path)
    links = path.with_name("2009-12-31.a.annotation.txt")
    assert str(error.value) == f"{links}:2: a link must be two line numbers and a dash"


def test_refuses_a_log_without_links(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.ascii.txt", LOG)
    with pytest.raises(DataError) as error:
        read(path, format="irc")
    assert str(error.value) == (f"{tmp_path}/a.annotation.txt: no such file; check the path")


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30))
def test_threads_are_the_connected_parts(pairs: list[tuple[int, int]]) -> None:
    """Against a second way: messages that are linked share a label, until nothing changes."""
    replies: dict[int, list[int]] = {}
    for low, high in map(sorted, pairs):
        replies.setdefault(low, [])
        replies.setdefault(high, []).extend([low] * (low < high))
    label = {line: line for line in replies}
    for _ in replies:
        for line, earlier in replies.items():
            low = min(label[x] for x in (line, *earlier))
            label |= {x: low for x in label if label[x] in {label[y] for y in (line, *earlier)}}
    expected = [sorted(x for x in label if label[x] == low) for low in sorted(set(label.values()))]
    assert split_threads(replies) == expected


def test_real_logs(data: Path) -> None:
    """2,360 messages of the development part in 330 threads; every link goes backwards."""
    folder = data / "irc" / "dev"
    if not folder.is_dir():
        pytest.skip(f"no irc in {data}; set SIMPATICO_DATA to the folder of public data sets")
    (chunk,) = Conversations((folder,)).chunks(10**9)
    frame = chunk.turns.frame
    assert (chunk.alignment.utterances, frame["dialog"].n_unique()) == (2_360, 330)
    assert (frame["speaker"].n_unique(), frame["time"].null_count()) == (347, 0)
    backwards = frame.filter(pl.col("answers") >= pl.col("turn"))
    assert backwards.height == 0
