"""`simpatico train interlocutor` on several inputs: ratings find the dialogs they are of."""

import json

import numpy as np
import pytest

from simpatico.cli.commands.train._users import read_all_turns
from simpatico.cli.commands.train.interlocutor import (
    judgements_in_data,
    judgements_in_files,
    match_dialog_names,
)
from simpatico.errors import DataError
from simpatico.judgements import Judgement, Judgements
from simpatico.training.users.interlocutor.data import interlocutor_ratings
from tests.training.users.logs import rated


def sittings(path, seed):
    """Four workers with five dialogs each; the ids are the same in every file."""
    rng = np.random.default_rng(seed)
    result = []
    for worker in range(4):
        talks = [
            {
                "model": "A",
                "dialogue": [{"user": "hi", "bot": f"word {rng.integers(99)}"} for _ in range(2)],
                "raw scores": {"fun": float(20 * worker + rng.integers(20))},
            }
            for _ in range(5)
        ]
        result.append({"AssignmentId": f"s{worker}", "WorkerId": f"w{worker}", "data": talks})
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    """Of one name in two folders, so that the second is numbered."""
    return tuple(sittings(tmp_path / name / "pass_a.json", n) for n, name in enumerate("xy"))


def named(rated, turns):
    return {turns.frame["dialog"][int(rows[0])] for rows in rated.rows}


def test_ratings_in_several_files_are_of_their_own_dialogs(files):
    turns, judged = read_all_turns(files, None), judgements_in_data(files, None)
    assert set(judged.frame["dialog"]) == set(turns.frame["dialog"])
    result = interlocutor_ratings(turns, judged)
    assert result.excluded == {"not rated, or of no turn that was read": 0}
    alone = [
        interlocutor_ratings(
            read_all_turns((f,), None), judgements_in_data((f,), None), source="interlocutor"
        )
        for f in files
    ]
    assert result.own.tolist() == [*alone[0].own, *alone[1].own]
    assert {"pass_a/s0:1", "pass_a-2/s0:1"} <= named(result, turns)


def test_the_command_line_takes_several_files_that_hold_ratings(call, files, tmp_path):
    """40 dialogs, the last of the ten of each worker held out."""
    data = [word for path in files for word in ("--data", path)]
    told = ["train", "interlocutor", *data, "--out"]
    code, shown, err = call(*told, tmp_path / "m")
    assert code == 0, err
    assert "mean of the person" in shown
    recipe = json.loads((tmp_path / "m" / "recipe.json").read_text(encoding="utf-8"))
    assert (recipe["examples"], recipe["heldout"]["n"]) == (36, 4)
    code, shown, err = call(*told, tmp_path / "on", "--continue", f"path:{tmp_path / 'm'}")
    assert code == 0, err
    assert "before the update" in shown


def test_ratings_apart_find_dialogs_by_either_name(call, tmp_path):
    """d0 and d1 are only in a, d2 and d3 only in b; they may be named with the file or without."""
    turns, judged = rated(4, 10)
    columns = ["dialog", "speaker", "system", "text", "interlocutor"]
    for name, some in (("a", ["d0", "d1"]), ("b", ["d2", "d3"])):
        table = turns.frame.select(columns).filter(turns.frame["dialog"].is_in(some))
        table.write_csv(tmp_path / f"{name}.csv")
    frame = judged.frame
    prefixed = frame["dialog"].replace({"d0": "a/d0", "d3": "b/d3"})
    frame.with_columns(prefixed).write_csv(tmp_path / "ratings.csv")
    data = (tmp_path / "a.csv", tmp_path / "b.csv")
    result = match_dialog_names(
        judgements_in_files((tmp_path / "ratings.csv",), None), read_all_turns(data, None)
    )
    assert set(result.frame["dialog"]) == {"d0", "d1", "d2", "d3"}
    told = ["--data", data[0], "--data", data[1], "--judgements", tmp_path / "ratings.csv"]
    code, _, err = call(
        "train", "interlocutor", *told, "--encoder", "none", "--out", tmp_path / "m"
    )
    assert code == 0, err


def test_a_name_that_two_inputs_use_is_nobodys(files):
    turns = read_all_turns(files, None)
    inputs = [Judgement("s0:1", None, "bot", "fun", "w0", "interlocutor", 3.0)]
    with pytest.raises(DataError) as error:
        match_dialog_names(Judgements.of(inputs), turns)
    assert str(error.value) == (
        "ratings of dialog 's0:1' match 'pass_a-2/s0:1' and 'pass_a/s0:1'; use the full name of "
        "one of them"
    )
    plain = [one._replace(dialog="pass_a/s0:1") for one in inputs]
    kept = match_dialog_names(
        Judgements.of([*plain, inputs[0]._replace(dialog="unheard of")]), turns
    )
    assert kept.frame["dialog"].to_list() == ["pass_a/s0:1", "unheard of"]
