"""The interlocutor's eye where data sets are small, broken or not there; and means of shuffles."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.errors import DataError, UnknownName
from simpatico.reproduction import interlocutors_eye as paper
from simpatico.reproduction.interlocutors_eye import data as files
from simpatico.reproduction.interlocutors_eye import hazumi
from simpatico.reproduction.interlocutors_eye import ratings as own
from simpatico.reproduction.interlocutors_eye.continuity import TABLE as TABLE_4
from simpatico.reproduction.interlocutors_eye.shuffles import mean_and_range, shuffles_note
from simpatico.reproduction.request import Request
from simpatico.stats.result import Result
from tests.reproduction.interlocutors_eye import data_sets as seeing

TRUTH = hazumi.GroundTruth(np.array([1.0, 2.0, 3.0, 4.0] * 3), [f"p{n}" for n in range(12)], 0)
QUIET = Request(metrics=[], seeds=0)


def rewritten(folder, name, change):
    path = folder / name / files.LISTED
    path.write_text(
        json.dumps([change(at, row) for at, row in enumerate(json.loads(path.read_text()))])
    )


def test_figures_of_shuffles_are_averaged_and_not_their_guesses():
    """One guess is the truth, one 5 minus it: r 1 and -1, squared errors 0 and (9 + 1 + 1 + 9) / 4
    = 5. The mean of both guesses is 2.5 everywhere and has no r."""
    shuffles = [TRUTH.own, 5 - TRUTH.own]
    r, error = hazumi.shuffle_cells(shuffles, TRUTH)
    assert (r.row, r.column, r.paper, r.n) == (hazumi.R, hazumi.SHUFFLED, None, 12)
    assert (r.ours, r.low, r.high) == (0, -1, 1)
    assert (error.ours, error.low, error.high) == (2.5, 0, 5)
    assert r.note == "0 of 12 not scored; mean, lowest and highest of 2 shuffles"


def test_so_is_what_is_gained_over_them():
    """The truth itself is ahead of both by 0 and 2 in r, and by 0 and 5 in the error."""
    r, error = hazumi.shuffle_gain_cells(TRUTH.own, [TRUTH.own, 5 - TRUTH.own], TRUTH)
    assert r.column == f"{hazumi.OURS} − {hazumi.SHUFFLED}"
    assert (r.ours, r.low, r.high) == (1, 0, 2)
    assert (error.ours, error.low, error.high) == (2.5, 0, 5)
    assert r.note.endswith("2 shuffles; the highest p = 1, resamples of participants")


def test_without_shuffles_there_is_nothing_to_average():
    assert list(hazumi.shuffle_cells([], TRUTH)) == []
    assert list(hazumi.shuffle_gain_cells(TRUTH.own, [], TRUTH)) == []
    assert mean_and_range([]) is None
    assert shuffles_note(1) == "mean, lowest and highest of 1 shuffle"


@given(st.lists(st.floats(-1, 1), min_size=1))
def test_a_mean_is_between_the_lowest_and_the_highest(values):
    mean = mean_and_range([Result(value) for value in values])
    assert (mean.low, mean.high) == (min(values), max(values))
    assert mean.low - 1e-12 <= mean.value <= mean.high + 1e-12
    assert mean_and_range([*(Result(value) for value in values), None]) is None


def test_where_no_exchange_has_all_scores_there_are_no_means(tmp_path):
    for name in files.HAZUMI.values():
        seeing.hazumi(tmp_path, name, people=2, exchanges=3)
        rewritten(tmp_path, name, lambda at, row: {**row, "self": "E"})
    done = paper.reproduce(tmp_path, QUIET)
    assert json.loads(json.dumps(done.cells, allow_nan=False))
    first = [cell for cell in done.cells if cell.row == "Hazumi1902"]
    assert [cell.ours for cell in first] == [0, 0, None, None]
    assert first[2].note == (
        f"0 of 0 not scored; silence counts as no character; {hazumi.NONE_COMPLETE}"
    )
    why = "Table 2, Hazumi: no exchange has all six scores; training needs some"
    assert why in done.omissions


def test_what_no_outsider_rated_is_not_complete(tmp_path):
    """2 participants of 6 exchanges, one of them without a number, and one without outsiders."""
    seeing.hazumi(tmp_path, "hazumi1902", people=2, exchanges=6)
    rewritten(tmp_path, "hazumi1902", lambda at, row: {**row, "outsiders": {}} if at == 5 else row)
    complete = hazumi.complete_judgements(
        files.read_rated_folder(tmp_path / "hazumi1902", [files.LISTED]).judgements
    )
    assert complete.frame.select("dialog", "turn").n_unique() == 10


def test_one_log_too_few_leaves_the_other_tables_whole(tmp_path):
    """A single day of IRC cannot be split in time; Ji et al. do not need it."""
    seeing.irc(tmp_path, days=1)
    seeing.crowd(tmp_path)
    done = paper.reproduce(tmp_path, QUIET)
    assert {cell.row for cell in done.cells} == {
        "what systems say: Ji et al., interesting",
        "what systems say: Ji et al., fun",
    }
    assert own.CONTINUITY_MODEL not in {cell.column for cell in done.cells}
    few = (
        "validation set: 0 turns, 0 with a reply; turns with and without are needed; not used: 12 "
        "not known yet at a cut, 2 said where the log ends"
    )
    assert f"{TABLE_4} over all: {few}" in done.omissions
    assert f"Table 5, {own.CONTINUITY_MODEL}: {few}" in done.omissions


def test_ratings_that_are_too_few_leave_the_other_tables_whole(tmp_path):
    seeing.crowd(tmp_path, workers=1, each=2)
    seeing.hazumi(tmp_path, "hazumi1902")
    done = paper.reproduce(tmp_path, QUIET)
    assert {cell.table for cell in done.cells} == {hazumi.TABLE_1}
    assert done.omissions[-1] == (
        "Table 5, Ji et al.: 1 training, 0 validation and 1 test ratings; 2 or more of each are "
        "needed"
    )


def test_a_file_that_cannot_be_read_is_told_with_its_set(tmp_path):
    seeing.hazumi(tmp_path, "hazumi1902")
    (tmp_path / "ji2022").mkdir()
    (tmp_path / "ji2022" / "pass_x.json").write_text("{")
    done = paper.reproduce(tmp_path, QUIET)
    assert {cell.table for cell in done.cells} == {hazumi.TABLE_1}
    assert done.omissions[-2].startswith(f"ji2022: {tmp_path}/ji2022/pass_x.json:1: ")


def test_folders_without_their_files_are_listed(tmp_path):
    for name in files.NEEDED:
        (tmp_path / name).mkdir()
    done = paper.reproduce(tmp_path, QUIET)
    assert done.cells == []
    assert [line for line in done.omissions if "the folder has" in line] == [
        "irc: the folder has no *.ascii.txt, nor have train, dev and test in it",
        "hazumi1902: the folder has no exchanges_parsed.json and no elan",
        "hazumi1911: the folder has no exchanges_parsed.json and no elan",
        "real-persona-chat: the folder has no dialogues.jsonl.gz",
        "ji2022: the folder has no pass_*.json",
    ]


def test_dialogs_with_systems_that_are_not_there_are_told(tmp_path):
    seeing.persona(tmp_path)
    (tmp_path / "real-persona-chat" / "llm" / "GPT-4.json").unlink()
    done = paper.reproduce(tmp_path, QUIET)
    assert {cell.row for cell in done.cells} == {"what people say: RealPersonaChat, satisfaction"}
    assert "real-persona-chat: the folder has no llm/GPT*.json" in done.omissions


def test_a_metric_that_the_paper_has_not_is_refused_first(tmp_path, call):
    """Before anything is read, and whether or not IRC is there."""
    seeing.hazumi(tmp_path, "hazumi1902")
    messages = []
    with pytest.raises(UnknownName) as error:
        paper.reproduce(tmp_path, Request(metrics=["nsp", "nosuch"]), tell=messages.append)
    assert str(error.value) == (
        "the paper has no metric 'nosuch'; there are nsp, ctx_ruber, fed, deep_am, deep_fm, "
        "deep_am_fm"
    )
    arguments = ("reproduce", "interlocutors-eye", "--data", tmp_path, "--json", "--metrics")
    code, out, err = call(*arguments, "deep-am")
    assert (code, out, messages) == (2, "", [])
    assert "the paper has no metric 'deep-am'; did you mean 'deep_am'" in err
    assert call(*arguments, "none")[0] == 0


def test_a_folder_without_any_of_the_sets_is_refused(tmp_path):
    with pytest.raises(DataError) as error:
        paper.reproduce(tmp_path)
    assert str(error.value) == (
        f"{tmp_path} has none of hazumi1902, hazumi1911, irc, real-persona-chat, ji2022; give the "
        "folder that holds them"
    )


def test_what_is_not_there_is_said(tmp_path):
    seeing.hazumi(tmp_path, "hazumi1902")
    done = paper.reproduce(tmp_path)
    assert {cell.table for cell in done.cells} == {hazumi.TABLE_1}
    assert done.omissions == [
        "hazumi1911: no folder of that name",
        "irc: no folder of that name",
        "real-persona-chat: no folder of that name",
        "ji2022: no folder of that name",
        "Table 2: it needs both subsets of Hazumi",
        "Table 4: no logs of IRC",
        "Table 5: no RealPersonaChat",
        "Table 5: no dialogs of Ji et al.",
    ]
    assert {why for cell, why in done.deviations} == {paper.REASONS[hazumi.TABLE_1]}
