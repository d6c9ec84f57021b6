"""`simpatico export`: what the tools themselves read from the files, and what is refused."""

import json
import math
import stat

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simpatico
from simpatico.integrations.exports.sav import variable_names
from tests.command_line import simpatico as call

CHATS = [
    {
        "id": f"s{n}:1",
        "messages": [
            {"role": "user", "content": "I lost my dog. 🐕"},
            {"role": "assistant", "content": "Oh no, I am sorry! " * n},
        ],
    }
    for n in range(3)
]
"""The first reply is empty, so that nothing of its dialog is scored."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    (folder / "chats.jsonl").write_text("".join(json.dumps(chat) + "\n" for chat in CHATS))
    line = ["score", "chats.jsonl", "--out", "run", "--metrics", "style_matching,emotional_entropy"]
    assert call(*line, cwd=folder).returncode == 0
    return simpatico.Run(folder / "run")


def export(run, form, path, *options):
    done = call("export", run.folder, "--to", form, "--out", path, *options)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return done


def read_otlp(path):
    """The attributes of each log record, as OpenTelemetry's own parser of protobuf reads them."""
    parser = pytest.importorskip("google.protobuf.json_format")
    logs = pytest.importorskip("opentelemetry.proto.logs.v1.logs_pb2")
    records = []
    for line in path.read_text().splitlines():
        data = parser.Parse(line, logs.LogsData())  # refuses unknown fields and wrong types
        for resource in data.resource_logs:
            for scope in resource.scope_logs:
                assert (scope.scope.name, scope.scope.version) == ("simpatico", "0.1.0")
                records += scope.log_records
    values = [
        {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in record.attributes}
        for record in records
    ]
    return records, values


@pytest.mark.parametrize("level", ["dialog", "turn"])
def test_opentelemetry_reads_every_score_and_null_has_a_reason_and_no_value(run, tmp_path, level):
    export(run, "otlp", tmp_path / "x.jsonl", "--level", level, "--with-human")
    records, values = read_otlp(tmp_path / "x.jsonl")
    frame = run.at(level)
    assert len(values) == 2 * frame.height
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    signatures = {name: facts["signature"] for name, facts in run.facts["metrics"].items()}
    for row in frame.to_dicts():
        for score, signature in signatures.items():
            unit = {"gen_ai.conversation.id": row["dialog"], "simpatico.speaker": row["speaker"]}
            unit |= {"simpatico.turn": row["turn"]} if level == "turn" else {}
            (own,) = [
                v for v in values if v["gen_ai.evaluation.name"] == score and unit.items() <= v.items()
            ]  # fmt: skip
            assert own["simpatico.signature"] == signature
            assert own["simpatico.level"] == level
            assert own.get("gen_ai.evaluation.score.value") == row[score]
            assert own.get("simpatico.null_reason") == row[f"{score}_null"]
            assert own.get("error.type") == ("undefined" if row[score] is None else None)
    assert any("error.type" in v for v in values)


def test_times_are_nanoseconds_since_1970(tmp_path):
    """2026-01-02 03:04:05.25 UTC is 1767323045.25 seconds after 1970."""
    rows = (
        "dialog,speaker,text,time\na,u,Hi,2026-01-02T03:04:05.25Z\na,bot,Yes,2026-01-02T03:05:00Z\n"
    )
    (tmp_path / "x.csv").write_text(rows)
    assert (
        call("score", "x.csv", "--out", "run", "--metrics", "length", cwd=tmp_path).returncode == 0
    )
    assert call("export", "run", "--to", "otlp", "--out", "x.jsonl", cwd=tmp_path).returncode == 0
    records, _ = read_otlp(tmp_path / "x.jsonl")
    assert [record.time_unix_nano for record in records] == [1767323045250000000] * 2


def test_inspect_gets_a_line_for_each_sample_and_epoch(run, tmp_path):
    export(run, "inspect", tmp_path / "x.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    frame = run.at("dialog").filter(system="assistant")
    assert [(line["id"], line["epoch"]) for line in lines] == [("s0", 1), ("s1", 1), ("s2", 1)]
    assert math.isnan(lines[0]["value"])
    assert (
        lines[0]["explanation"]
        == "emotional_entropy is not scored: no words; style_matching is not scored: no words"
    )
    for line, row in zip(lines[1:], frame.to_dicts()[1:], strict=True):
        assert line["value"] == {
            name: row[name] for name in ("emotional_entropy", "style_matching")
        }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_inspect_takes_the_scores_as_its_own(run, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import mean, precomputed_scores, scorer

    export(run, "inspect", tmp_path / "x.jsonl")
    outputs = [ModelOutput.from_content("mockllm/model", "Hi") for _ in range(3)]
    for output in outputs:
        output.usage = ModelUsage()

    @scorer(metrics={"*": [mean()]})
    def ours():
        return precomputed_scores(str(tmp_path / "x.jsonl"), metrics={"*": [mean()]})

    task = inspect_ai.Task(dataset=[Sample(id=f"s{n}", input="x") for n in range(3)], scorer=ours())
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    own = run.at("dialog").filter(system="assistant")
    for result in log.results.scores:
        assert result.metrics["mean"].value == pytest.approx(own[result.name].mean())
        assert (result.scored_samples, result.unscored_samples) == (2, 1)


@pytest.mark.parametrize("level", ["dialog", "turn"])
def test_spss_gets_values_labels_and_reasons(run, tmp_path, level):
    pyreadstat = pytest.importorskip("pyreadstat")
    export(run, "sav", tmp_path / "x.sav", "--level", level, "--with-human")
    frame, meta = pyreadstat.read_sav(tmp_path / "x.sav", output_format="polars")
    own = run.at(level)
    for name in ("style_matching", "emotional_entropy"):
        assert frame[name].to_list() == own[name].to_list()
        reasons = own[f"{name}_null"].fill_null("")
        assert frame[f"{name}_null"].fill_null("").to_list() == reasons.to_list()
    assert frame["dialog"].to_list() == own["dialog"].to_list()
    assert meta.column_names_to_labels["style_matching"] == "Language style matching (0 to 1)"
    assert meta.file_label == "Scores of simpatico"
    export(run, "sav", tmp_path / "x.sav")  # our own file may be written again


def test_columns_of_the_input_get_names_that_spss_takes(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    row = '{"dialog": "a", "speaker": "%s", "text": "Hi", "condition (1)": "β", "größe": "3"}\n'
    (tmp_path / "x.jsonl").write_text(row % "u" + row % "bot")
    assert (
        call("score", "x.jsonl", "--out", "run", "--metrics", "length", cwd=tmp_path).returncode
        == 0
    )
    assert call("export", "run", "--to", "sav", "--out", "x.sav", cwd=tmp_path).returncode == 0
    frame, _ = pyreadstat.read_sav(tmp_path / "x.sav", output_format="polars")
    assert frame["condition_1"].to_list() == ["β", "β"]
    assert frame["gr_e"].to_list() == ["3", "3"]


@given(st.lists(st.text(max_size=90), unique=True, max_size=9))
def test_any_columns_have_names_of_their_own_in_spss(columns):
    names = list(variable_names(columns).values())
    assert len({name.lower() for name in names}) == len(columns)
    assert all(
        len(n) <= 64 and n.isascii() and n[0].isalpha() and n.replace("_", "").isalnum()
        for n in names
    )


def test_scores_can_be_chosen_and_a_metric_of_components_alone_is_exported(tmp_path):
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(chat) + "\n" for chat in CHATS))
    line = ["score", "x.jsonl", "--out", "run", "--metrics", "emotion_shares"]
    assert call(*line, cwd=tmp_path).returncode == 0
    assert call("export", "run", "--to", "otlp", "--out", "y.jsonl", cwd=tmp_path).returncode == 0
    names = {v["gen_ai.evaluation.name"] for v in read_otlp(tmp_path / "y.jsonl")[1]}
    assert len(names) == 8
    chosen = ["--to", "otlp", "--out", "y.jsonl", "--scores", "joy_share"]
    assert call("export", "run", *chosen, cwd=tmp_path).returncode == 0
    assert {v["gen_ai.evaluation.name"] for v in read_otlp(tmp_path / "y.jsonl")[1]} == {
        "joy_share"
    }
    assert pl.read_csv(call("show", "run", "--format", "long", cwd=tmp_path).stdout.encode()).height


def test_csv_is_one_tidy_table_with_signatures_and_reasons(run, tmp_path):
    export(run, "csv", tmp_path / "x.csv", "--level", "turn", "--with-human")
    table = pl.read_csv(tmp_path / "x.csv")
    frame = run.at("turn")
    assert table.height == 2 * frame.height
    for row in frame.to_dicts():
        for name, facts in run.facts["metrics"].items():
            unit = {key: row[key] for key in ("dialog", "turn", "speaker", "system")}
            (own,) = table.filter(**unit, score=name).to_dicts()
            assert (own["value"], own["reason"]) == (row[name], row[f"{name}_null"])
            assert own["signature"] == facts["signature"]
    export(run, "csv", tmp_path / "x.csv")  # our own file may be written again


def mtme_scores(path):
    """The scores of each system, as mt-metrics-eval reads them: two fields at white space a line."""
    scores = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        scores.setdefault(system, []).append(float(score))
    return scores


@pytest.fixture(scope="module")
def prompts(tmp_path_factory):
    """Two systems on three prompts, the first two dialogs each of one; the last reply is empty."""
    folder = tmp_path_factory.mktemp("mtme")
    rows = [
        {"dialog": f"{system}-{n}", "speaker": who, "system": own, "prompt": f"p{n % 3}", "text": text}
        for system, words in (("acme one", 3), ("acme-2", 5))
        for n in range(4)
        for who, own, text in (
            ("u", "human", "I lost my dog."),
            ("bot", system, "" if (system, n) == ("acme-2", 2) else "word " * (words + n)),
        )
    ]  # fmt: skip
    (folder / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = [
        "score",
        "x.jsonl",
        "--out",
        "run",
        "--metrics",
        "length,style_matching,distinct_n",
        "--set",
        "distinct_n.size=5",
    ]
    done = call(*line, cwd=folder)
    assert done.returncode == 0, done.stderr
    return simpatico.Run(folder / "run")


def test_mt_metrics_eval_gets_blocks_of_the_same_segments_for_each_system(prompts, tmp_path):
    """Prompt p0 has the dialogs 0 and 3: 3 and 6 words, 5 and 8; p1 has 4, and 6.

    Nothing can be matched in the empty reply to p2, so that this segment is in no file.
    """
    done = call("export", prompts.folder, "--to", "mtme", "--out", tmp_path / "wmt")
    assert (done.returncode, done.stderr) == (
        0,
        f"{tmp_path / 'wmt'} has the scores of acme_one, acme-2: 2 segments, each a prompt; left out "
        "without all scores: 1.\n",
    )
    folder = tmp_path / "wmt"
    names = {"length-src.seg.score", "length-src.sys.score", "segments.tsv"}
    assert {path.name for path in folder.iterdir()} >= names
    for path in folder.glob("*.score"):
        name, level, ending = path.name.rsplit(".", maxsplit=2)
        metric, reference = name.rsplit("-", maxsplit=1)
        assert (reference, ending) == ("src", "score")
        assert level in ("sys", "seg")
        assert metric in ("length", "style_matching") or (metric, level) == ("distinct_n", "sys")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert {len(scores) for scores in mtme_scores(path).values()} == {
            2 if level == "seg" else 1
        }
    assert mtme_scores(folder / "length-src.seg.score") == {
        "acme_one": [4.5, 4],
        "acme-2": [6.5, 6],
    }
    whole = {
        row["system"].replace(" ", "_"): [row["length"]] for row in prompts.at("system").to_dicts()
    }
    whole.pop("human")
    assert mtme_scores(folder / "length-src.sys.score") == whole
    assert mtme_scores(folder / "distinct_n-src.sys.score").keys() == whole.keys()
    assert (folder / "segments.tsv").read_text() == "segment\tprompt\n1\tp0\n2\tp1\n"


def test_an_earlier_folder_is_replaced_and_another_is_refused(prompts, tmp_path):
    line = ["export", prompts.folder, "--to", "mtme", "--out", tmp_path / "wmt"]
    assert call(*line).returncode == 0
    assert call(*line, "--scores", "length").returncode == 0
    assert not list((tmp_path / "wmt").glob("style*"))
    (tmp_path / "wmt" / "notes.txt").write_text("mine")
    done = call(*line)
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: --out {tmp_path / 'wmt'} holds 'notes.txt', which `simpatico export` did not "
        "write; name another folder, or add --force to write into this one\n",
    )
    assert call(*line, "--force").returncode == 0
    assert (tmp_path / "wmt" / "notes.txt").read_text() == "mine"


def test_segments_need_something_shared_and_scored(run, tmp_path):
    line = ["export", run.folder, "--to", "mtme", "--out", tmp_path / "wmt", "--with-human"]
    done = call(*line, "--scores", "style_matching")
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: no dialog has all of style_matching for every system; choose scores with "
        "--scores\n",
    )
    chats = [{"id": "a", "model": "x", "messages": CHATS[1]["messages"]},
             {"id": "b", "model": "y", "messages": CHATS[1]["messages"]}]  # fmt: skip
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(chat) + "\n" for chat in chats))
    assert (
        call("score", "x.jsonl", "--out", "r", "--metrics", "length", cwd=tmp_path).returncode == 0
    )
    done = call("export", "r", "--to", "mtme", "--out", "wmt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: the systems share no prompts or dialogs, and segments are what all have "
        "replied to; name one system with --system\n",
    )
    assert not (tmp_path / "wmt").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--to", "inspect", "--level", "turn"], "--to inspect takes the scores of dialogs; leave out --level"),
        (
            ["--to", "inspect", "--with-human"],
            "'s0:1' has scores of 'assistant' and of others, and Inspect keeps one for a sample; name a system with --system",
        ),
        (["--to", "csv", "--dry-run"], "--to csv sends nothing; leave out --dry-run."),
        (["--to", "otlp", "--system", "acme"], "{run} has no system 'acme'; there are assistant, human"),
        (["--to", "otlp", "--scores", "wit"], "no score 'wit' at dialog level; there are emotional_entropy, style_matching, {parts}"),
    ],
)  # fmt: skip
def test_what_is_refused(run, tmp_path, options, sentence):
    done = call("export", run.folder, "--out", "x", *options, cwd=tmp_path)
    parts = ", ".join(
        s for s in run.metric_by_score if s not in ("emotional_entropy", "style_matching")
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: {sentence.format(run=run.folder, parts=parts)}\n",
    )
    assert list(tmp_path.iterdir()) == []
