"""On real conversations: emotional consistency notices feelings that were turned round."""

import csv
import json

import pytest

from simpatico import Conversations, load, score_run
from simpatico.validation.controls import ControlSettings, run_controls

EACH = 20


def exchanges(folder, out):
    """The first exchange of 20 dialogs of each of the 32 emotions."""
    with out.open("w", encoding="utf-8") as file:
        for path in sorted(folder.glob("*/*.csv")):
            dialogs: dict[str, list[dict[str, str]]] = {}
            with path.open(encoding="utf-8", newline="") as table:
                for row in csv.DictReader(table):
                    if row["Type"] == "utterance":
                        dialogs.setdefault(row["Dialog_ID"], []).append(row)
            complete = {d: r for d, r in dialogs.items() if [x["Actor"] for x in r[:2]] == WHO}
            for name in sorted(complete)[:EACH]:
                for row in complete[name][:2]:
                    system = "person" if row["Actor"] == "listener" else None
                    fields = {"dialog": name, "speaker": row["Actor"], "system": system}
                    file.write(json.dumps({**fields, "text": row["Text"]}) + "\n")


WHO = ["speaker", "listener"]


@pytest.mark.slow
def test_emotional_consistency_drops_for_the_opposite_feeling(data, tmp_path):
    """Fails if it does not on 200 exchanges or more, or if it takes any other answer for as good.

    A copied prompt has the feeling of the prompt and so is consistent: that it cannot notice.
    """
    exchanges(data / "empathetic-dialogues", tmp_path / "logs.jsonl")
    inputs = Conversations((tmp_path / "logs.jsonl",))
    run = score_run(inputs, [load("emotional_consistency")], tmp_path / "run")
    report = run_controls(run, ControlSettings(("flipped", "shuffled", "generic", "copied")))
    by_kind = {row.kind: row for row in report.rows if row.score == "emotional_consistency"}
    assert by_kind["flipped"].n >= 200
    assert by_kind["flipped"].verdict == "notices"
    assert by_kind["flipped"].p_adjusted < 0.001
    assert by_kind["flipped"].high < -0.2
    verdicts = {kind: row.verdict for kind, row in by_kind.items()}
    assert verdicts == {
        "flipped": "notices",
        "shuffled": "notices",
        "generic": "notices",
        "copied": "rises",
    }
