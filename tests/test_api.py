"""The Python interface as an engineer meets it: messages in, tables out, sentences for mistakes."""

import sys
from pathlib import Path

import polars as pl
import pytest

import simpatico as si
from simpatico.api import FORMS
from tests.command_line import simpatico as call

SAMPLES = Path(si.__file__).parent / "data" / "samples" / "conversations.jsonl"
MESSAGES = [
    {"role": "user", "content": "I lost my dog, I am so sad."},
    {"role": "assistant", "content": "I am so sorry. Do you want to talk?"},
]
ROWS = {"dialog": ["a", "a"], "speaker": ["u", "bot"], "text": ["hi", "hello there"]}
pandas = pytest.importorskip("pandas")


def test_the_engineers_story_messages_scores_pandas_words():
    """Eight words by the user, nine by the assistant, who asks."""
    table = si.score(MESSAGES, ["length", "style_matching"])
    frame = table.to_pandas()
    assert frame["length"].tolist() == [8, 9]
    assert frame["dialog"].unique().tolist() == ["messages:1"]
    assert pandas.isna(frame["style_matching"][0])
    assert table.to_dict()[0]["style_matching_null"] == "answers_nothing"
    words = si.explain(MESSAGES, "question_rate")
    assert words.select("turn", "metric", "words", "weight").rows() == [
        (1, "question_rate", "?", 1.0)
    ]


def test_every_form_of_the_same_conversation_has_the_same_scores(tmp_path):
    path = tmp_path / "talk.csv"
    pl.DataFrame(ROWS).write_csv(path)
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    forms = [path, str(path), pl.DataFrame(ROWS), pandas.DataFrame(ROWS), rows, si.read(path)]
    expected = si.score(path, "length").at("turn")
    assert expected["length"].to_list() == [1, 2]
    for form in forms:
        assert si.score(form, ["length"]).at("turn").equals(expected)


def test_lists_of_chats_are_dialogs_and_the_system_can_be_named():
    turns = si.read([MESSAGES, {"messages": MESSAGES}][:1] * 2, system="acme")
    assert turns.frame["dialog"].to_list() == ["messages:1"] * 2 + ["messages:2"] * 2
    assert turns.frame["system"].to_list() == ["human", "acme"] * 2
    assert len(si.read({"messages": MESSAGES})) == 2


def test_what_pandas_calls_missing_is_null():
    frame = pandas.DataFrame({**ROWS, "system": [None, float("nan")]})
    assert si.read(frame).frame["system"].to_list() == si.read(pl.DataFrame(ROWS | {"system": [None, None]})).frame["system"].to_list()  # fmt: skip


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (3, f"cannot read conversations from int; give {FORMS}"),
        (None, f"cannot read conversations from NoneType; give {FORMS}"),
        (["x"], f"a list of str is not a conversation, as it names no speakers; give {FORMS}"),
        ([], "there are no conversations: the list or table is empty"),
        ([{"role": "user", "text": "x"}], "messages need a role and a content, as in {'role': 'user', 'content': 'Hi'}"),
        ("nowhere.jsonl", "nowhere.jsonl: no such file; check the path"),
    ],
)  # fmt: skip
def test_a_wrong_type_gets_a_sentence(source, sentence):
    for function in (si.read, si.score, si.explain):
        with pytest.raises(si.SimpaticoError) as error:
            function(source)
        assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (3, "metrics is of type int; give names, as in ['length'], or metrics"),
        ([3], "a metric is a name or what load(name) returns, not of type int"),
        (["lenght"], "no metric 'lenght'; did you mean 'length'?"),
    ],
)
def test_wrong_metrics_get_a_sentence(metrics, sentence):
    with pytest.raises(si.SimpaticoError) as error:
        si.score(MESSAGES, metrics)
    assert str(error.value) == sentence


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("api") / "run"
    done = call("score", SAMPLES, "--out", out, "--metrics", "length,question_rate")
    assert done.returncode == 0, done.stderr
    return si.Run(out)


def test_a_run_or_its_folder_is_compared_and_every_result_is_a_table(run):
    differences = si.compare(run)
    assert si.compare(run.folder) == si.compare([run]) == differences
    assert differences.to_pandas().shape == differences.to_frame().shape
    assert differences.to_dict()[0]["finding"] == differences[0].finding
    assert run.to_frame().equals(run.at("system"))
    assert run.to_pandas("dialog").shape == run.at("dialog").shape
    ratings = si.read_judgements(SAMPLES.parent / "judgements_made_up.csv")
    evidence = si.validate(run, ratings)
    assert [row["value"] for row in evidence.to_dict()] == [r.value for r in evidence.correlations]
    assert len(evidence.to_pandas()) == len(evidence.correlations)


def test_what_is_no_run_gets_a_sentence():
    table = si.score(MESSAGES, "length")
    with pytest.raises(si.SimpaticoError) as error:
        si.compare(table)
    assert str(error.value) == (
        "compare needs a run, not ScoreTable; `simpatico score PATH --out RUN` and score_run write one"
    )
    with pytest.raises(si.SimpaticoError, match="a run is a Run or its folder, not of type int"):
        si.compare([3])


def test_words_of_a_runs_dialog_are_those_of_the_text(run):
    words = si.explain(run, dialog="dog-died/harbor")
    texts = dict(run.turns(["dog-died/harbor"]).frame.select("turn", "text").iter_rows())
    for row in words.iter_rows(named=True):
        assert texts[row["turn"]][row["start"] : row["end"]] == row["words"]
    with pytest.raises(si.SimpaticoError, match="no dialog 'dog-died/harbr'; did you mean 'dog-died/harbor'"):  # fmt: skip
        si.explain(run, dialog="dog-died/harbr")


def test_without_pandas_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(si.SimpaticoError) as error:
        si.score(MESSAGES, "length").to_pandas()
    assert str(error.value) == (
        "to_pandas needs pandas: pip install 'simpatico[pandas]'; to_frame() gives a polars "
        "DataFrame without it"
    )
