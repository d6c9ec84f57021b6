"""Which calls there are: units, orders, repetitions and samples."""

import json

import polars as pl
import pytest

from simpatico.errors import BadValue
from simpatico.judging.calls import CallOptions, build_calls, call_id
from simpatico.turns import Turns
from tests.judging.conftest import dialogs, rubric


def turns(rows):
    return Turns.from_utterances(pl.DataFrame(rows, infer_schema_length=None))


def talk(n_exchanges, **more):
    rows = dialogs(["Hi"])
    return turns(
        [
            {**row, "dialog": "d", "text": f"{row['text']} {n}", **more}
            for n in range(n_exchanges)
            for row in rows
        ]
    )


def test_replies_are_judged_without_what_came_later():
    calls = build_calls(talk(3), [rubric("grammar")], CallOptions())
    assert [(c.row["turn"], c.row["speaker"]) for c in calls] == [
        (1, "bot"),
        (3, "bot"),
        (5, "bot"),
    ]
    assert ["Hi 2" in c.prompt.dialog[0].text for c in calls] == [False, False, True]
    assert calls[1].text == "Hi 0\nWell, 0. 0\nHi 1\nWell, 0. 1"
    second = build_calls(talk(3), [rubric("exploration")], CallOptions())[1]
    assert second.text == "Hi 1\nWell, 0. 1"


def test_the_profile_is_that_of_whom_the_system_talks_with():
    found = build_calls(talk(1, profile="I have a cat."), [rubric("will_answer")], CallOptions())
    assert "I have a cat." in found[0].prompt.dialog[0].text
    assert "cat" not in found[0].text


def test_repetitions_and_several_rubrics_of_a_dialog_stand_together():
    rubrics = [rubric("overall"), rubric("coherence")]
    calls = build_calls(turns(dialogs(["a", "b"])), rubrics, CallOptions(repeat=2))
    assert [(c.row["dialog"], c.row["quality"], c.row["repeat"]) for c in calls] == [
        (d, q, k) for d in ("d0", "d1") for q in ("overall", "coherence") for k in (1, 2)
    ]
    assert len({call.prompt.id for call in calls}) == 8
    assert {call_id(call.row) for call in calls} == {call.prompt.id for call in calls}


def two_systems(n=3):
    rows = dialogs(["Hi"] * n, system="x") + dialogs(["Hi"] * n, system="y")
    return turns(
        [{**row, "dialog": f"{row['dialog']}-{n // (2 * 3)}"} for n, row in enumerate(rows)]
    )


def test_pairs_are_shown_in_both_orders():
    calls = build_calls(two_systems(), [rubric("preferred")], CallOptions())
    assert [(c.row["dialog_a"], c.row["dialog_b"], c.row["order"]) for c in calls] == [
        (f"d{n}-0", f"d{n}-1", order) for n in range(3) for order in ("ab", "ba")
    ]
    assert "dialog" not in calls[0].row
    assert "value" not in calls[0].row
    once = build_calls(two_systems(), [rubric("preferred")], CallOptions(both_orders=False))
    assert [c.row["order"] for c in once] == ["ab"] * 3
    assert calls[0].row["prompt_hash"] == once[0].row["prompt_hash"]


def test_a_smaller_sample_is_part_of_a_larger_one():
    table = turns(dialogs([f"say {n}" for n in range(40)]))

    def sample(n, seed=0):
        calls = build_calls(table, [rubric("overall")], CallOptions(sample=n, seed=seed))
        return [call.row["dialog"] for call in calls]

    assert len(sample(10)) == 10
    assert set(sample(10)) < set(sample(20))
    assert sample(40) == [f"d{n}" for n in range(40)] == sample(99)
    assert sample(20) == sorted(sample(20), key=lambda name: int(name[1:]))
    assert sample(10, seed=1) != sample(10)


def test_a_sample_takes_every_dialog_equally_often():
    """Of 10 dialogs 3 are drawn 100 times: each 30 times, with a standard deviation of 4.6; the
    chi-squared of ten counts, 8.4 to be expected as draws exclude each other, stays below 25."""
    table = turns(dialogs(["a"] * 10))
    counts = dict.fromkeys((f"d{n}" for n in range(10)), 0)
    for seed in range(100):
        for call in build_calls(table, [rubric("overall")], CallOptions(sample=3, seed=seed)):
            counts[call.row["dialog"]] += 1
    assert sum((n - 30) ** 2 / 30 for n in counts.values()) < 25
    assert sum(counts.values()) == 300


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"repeat": 0}, "repeat is 0; judge each unit 1 to 100 times"),
        ({"sample": 0}, "sample is 0; judge at least one dialog"),
    ],
)
def test_options_must_make_sense(how, sentence):
    with pytest.raises(BadValue) as caught:
        CallOptions(**how)
    assert str(caught.value) == sentence


def test_ids_are_json_so_that_no_two_calls_share_one():
    ids = {
        call_id({"dialog": d, "quality": q}) for d, q in (("a", "b c"), ("a b", "c"), ("a,b", "c"))
    }
    assert len(ids) == 3
    assert json.loads(call_id({"dialog": 'x"y'}))[0] == 'x"y'
