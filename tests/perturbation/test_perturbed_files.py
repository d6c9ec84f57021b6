"""Wrong answers as files: they read back turn by turn, and the command says what it did."""

import json
import stat
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import simpatico
from simpatico import Turns, read
from simpatico.perturbation.perturb import has_unmerged_turns, perturb, write_perturbed
from simpatico.turns import SCHEMA

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_file_reads_back_as_the_same_dialogs_with_other_answers(tmp_path):
    before = read(SAMPLES)
    perturbation = perturb(before, "shuffled")
    write_perturbed(perturbation, tmp_path / "wrong.jsonl")
    after = read(tmp_path / "wrong.jsonl")
    same = ["dialog", "turn", "speaker", "system", "answers", "prompt"]
    assert after.frame.select(same).equals(before.frame.select(same))
    assert after.frame["text"].equals(perturbation.turns.frame["text"])
    extras_rows = [json.loads(extras) for extras in after.frame["extras"]]
    assert [t["perturbation"] == "shuffled" for t in extras_rows] == perturbation.changed.tolist()
    assert stat.S_IMODE((tmp_path / "wrong.jsonl").stat().st_mode) == 0o600


def test_whatever_came_with_a_turn_stays_with_it(tmp_path):
    source = {
        "dialog": ["d", "d"],
        "speaker": ["ann", "bot"],
        "system": [None, "bot"],
        "text": ["Hi", "I am happy"],
        "time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06.5Z"],
        "references": [None, ["Hello", "Hey"]],
        "interlocutor": [None, "u1"],
        "profile": [None, "likes tea"],
        "topic": ["x", {"deep": [1, None]}],
    }
    path = tmp_path / "in.jsonl"
    rows = [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = read(path)
    write_perturbed(perturb(before, "flipped"), tmp_path / "out.jsonl")
    after = read(tmp_path / "out.jsonl")
    columns = [c for c in SCHEMA if c in before.frame.columns and c not in ("text", "extras")]
    assert after.frame.select(columns).equals(before.frame.select(columns))
    assert after.frame["text"].to_list() == ["Hi", "I am sad"]
    assert json.loads(after.frame["extras"][1])["topic"] == {"deep": [1, None]}


SAID = st.tuples(st.sampled_from("abc"), st.sampled_from([None, "0", "1", "9"]), st.booleans())


@settings(max_examples=25)
@given(st.lists(SAID, min_size=1, max_size=6))
def test_who_answers_whom_survives_gaps_and_threads(tmp_path_factory, turns):
    """Also where a speaker answers one turn twice, which must then be read without merging."""
    rows = [
        {"dialog": "d", "speaker": s, "text": f"t{n}", "id": str(n), "reply_to": r, "gap": g}
        for n, (s, r, g) in enumerate(turns)
    ]
    before = Turns.from_utterances(pl.DataFrame(rows, infer_schema_length=None))
    path = tmp_path_factory.mktemp("threads") / "out.jsonl"
    write_perturbed(perturb(before, "generic"), path)
    after = read(path, merge=not has_unmerged_turns(before))
    columns = ["dialog", "turn", "speaker", "answers"]
    assert after.frame.select(columns).equals(before.frame.select(columns))


def test_the_command_writes_a_file_a_kind_and_says_what_it_could_not_do(call, tmp_path):
    out = tmp_path / "wrong.jsonl"
    code, output, notes = call(
        "perturb", SAMPLES, "--kind", "flipped", "--kind", "copied", "--out", out
    )
    files = [tmp_path / "wrong.flipped.jsonl", tmp_path / "wrong.copied.jsonl"]
    assert (code, output.split()) == (0, [str(f) for f in files])
    flipped, copied = ([row for row in lines(f) if row["perturbation"]] for f in files)
    assert len(copied) == 351
    left = sum(row["unchanged"] == "no_feeling" for row in lines(files[0]))
    assert len(flipped) + left == 351
    assert notes.splitlines() == [
        f"flipped: {len(flipped)} of 351 replies changed; unchanged: {left} no feeling",
        "copied: 351 of 351 replies changed",
        f"next: simpatico score {files[0]} --out RUN",
    ]


def test_the_command_depends_on_nothing_but_its_input_and_seed(call, tmp_path):
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = tmp_path / f"{name}.jsonl"
        assert call("perturb", SAMPLES, "--kind", "off-topic", "--seed", seed, "--out", out)[0] == 0
        contents.append(out.read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_the_input_is_never_written_over(call, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(SAMPLES.read_text(encoding="utf-8"), encoding="utf-8")
    code, _, notes = call("perturb", path, "--kind", "copied", "--out", path)
    assert code == 2
    assert notes == f"simpatico: --out {path} is the input file; name another file\n"
