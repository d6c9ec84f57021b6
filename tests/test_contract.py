"""Rules every metric obeys. A new metric file is picked up here by itself."""

import math
import sys
import time
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from subprocess import run
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from simpatico import Turns, available, load, score, signature
from simpatico.errors import BadValue, MissingResource
from simpatico.evidence import evidence_of
from simpatico.metric import EVIDENCE, collect_evidence, plain_name
from simpatico.registry import (
    PRESETS,
    builtin_names,
    kind_in_source,
    load_all,
    metric_class,
    preset,
    runnable_variant,
)
from simpatico.turns import KEYS
from tests.conftest import ROOT
from tests.models.ready import MADE, TINY, ready

HEAVY = {"torch", "transformers", "sklearn", "spacy", "scipy.stats", "pandas", "pyarrow", "ray"}
HEAVY |= {"onnxruntime", "tokenizers", "sacrebleu", "huggingface_hub"}

texts = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            ["I", "you", "don't", "happy", "sad", "no", "yes", "the", "of", "日本", "...", "😀"]
        ),
        max_size=40,
    ).map(" ".join),
)
utterance = st.fixed_dictionaries(
    {
        "dialog": st.sampled_from("abc"),
        "speaker": st.sampled_from("xy"),
        "text": texts,
        "references": st.one_of(st.none(), st.lists(texts, max_size=2)),
    }
)
conversations = st.lists(utterance, min_size=1, max_size=30).map(
    lambda rows: Turns.from_utterances(
        pl.DataFrame(rows, schema_overrides={"references": pl.List(pl.String)})
    )
)
SLOW = [name for name in available() if name in {*TINY, *MADE}]
every_metric = pytest.mark.parametrize("name", available())
every_slow_metric = pytest.mark.parametrize("name", SLOW)
every_plain_metric = pytest.mark.parametrize("name", [n for n in available() if n not in SLOW])
with_evidence = pytest.mark.parametrize(
    "name", [name for name in available() if hasattr(load(name), "evidence")]
)
PLAIN = {"length", "question_rate"}
"""What a turn without words has as well: 0 of them, and no question unless it has the mark."""


def check_rules(metric, turns, chunk):
    """Ranges, one row per unit in their order, and no influence of chunk size or dialog order."""
    table, parts = score(turns, [metric]), score(turns, [metric], chunk=chunk)
    reverse = Turns(turns.frame.sort("dialog", descending=True, maintain_order=True))
    backward = score(reverse, [metric])
    for level in ("turn", "dialog", "system"):
        frame = table.at(level)
        if level != "system":
            assert_frame_equal(frame.select(KEYS[level]), turns.units(level))
        for spec in metric.scores:
            if spec.name in frame.columns:
                values = frame[spec.name].drop_nulls()
                low, high = spec.range
                assert values.is_finite().all()
                assert values.is_between(low - 1e-12, high + 1e-12).all()
        assert_frame_equal(frame, parts.at(level), check_exact=True)
        assert_frame_equal(frame, backward.at(level), check_row_order=False, check_exact=True)


@every_plain_metric
@given(turns=conversations, chunk=st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_scores_are_in_range_and_depend_on_neither_chunks_nor_order(name, turns, chunk):
    check_rules(ready(name), turns, chunk)


@every_slow_metric
@given(turns=conversations, chunk=st.integers(1, 8))
@settings(max_examples=4, deadline=None)
def test_metrics_that_run_a_model_keep_the_same_rules(name, turns, chunk):
    check_rules(ready(name), turns, chunk)


@every_metric
@pytest.mark.parametrize("nothing", ["", "   ", "...", "?!", "😀", "\u200b"])
def test_a_turn_without_words_has_no_score_but_a_reason(name, nothing):
    if name in PLAIN:
        pytest.skip(f"{name} counts, and none is a count")
    metric = ready(name)
    rows = {"dialog": ["d"] * 4, "speaker": list("xyxy"), "text": [nothing] * 4}
    table = score(Turns.from_utterances(pl.DataFrame(rows)), [metric])
    for level in ("turn", "dialog"):
        frame = table.at(level)
        if metric.scores[0].name in frame.columns:
            assert frame[metric.scores[0].name].null_count() == frame.height
            assert frame[f"{metric.name}_null"].null_count() == 0


@every_metric
def test_text_in_another_script_is_null_and_says_so(name):
    metric = ready(name)
    if metric.card.language != "en":
        pytest.skip(f"{name} reads {metric.card.language or 'any language'}")
    texts = ["今日はとてもいい天気ですね" * 20, "Сегодня очень хорошая погода " * 20]
    rows = {"dialog": ["d"] * 2, "speaker": list("xy"), "text": texts}
    frame = score(Turns.from_utterances(pl.DataFrame(rows)), [metric]).at("dialog")
    assert frame[metric.scores[0].name].null_count() == 2
    assert frame[f"{metric.name}_null"].to_list()[1] == "other_script"


@every_metric
def test_a_run_of_two_equal_metrics_has_one_signature_and_it_names_every_parameter(name):
    metric = ready(name)
    text = signature(metric)
    assert text == signature(type(metric)(**vars(metric)))
    assert text.startswith(f"{metric.name}|")
    assert plain_name(metric.name) == name
    assert all(f"{f}:" in text for f in vars(metric))
    assert "/" not in text


@every_metric
def test_a_metric_has_a_card_and_its_scores_have_facts(name):
    metric = load(name)
    assert metric.card.about.endswith(".")
    assert metric.card.undefined.endswith(".")
    assert metric.card.citation
    for spec in metric.scores:
        low, high = spec.range
        assert low < high
        assert not math.isnan(low)
        assert not math.isnan(high)
        assert spec.meaning
        assert spec.better in ("higher", "lower", None)
        assert plain_name(spec.name).isidentifier()


@with_evidence
@given(turns=conversations)
@settings(max_examples=15, deadline=None)
def test_evidence_is_parts_of_scored_turns_that_weigh_something_and_do_not_overlap(name, turns):
    metric = ready(name)
    evidence, texts = collect_evidence(metric, turns), turns.frame["text"]
    assert evidence.schema == pl.Schema(EVIDENCE)
    assert evidence["weight"].is_finite().all()
    assert (evidence["weight"] != 0).all()
    for row, start, end, _ in evidence.rows():
        assert 0 <= start < end <= len(texts[row])
        assert texts[row][start:end].strip()
    for (row, _, end, _), (following, start, _, _) in pairwise(evidence.rows()):
        assert (row, end) <= (following, start) if row == following else row < following
    if metric.level == "turn":
        values = score(turns, [metric]).at("turn")[metric.scores[0].name]
        assert values.gather(evidence["row"]).null_count() == 0


@with_evidence
@given(turns=conversations)
@settings(max_examples=10, deadline=None)
def test_evidence_does_not_depend_on_other_dialogs(name, turns):
    metric, before = ready(name), 0
    parts = []
    for part in turns.chunks(1):
        parts.append(collect_evidence(metric, part).with_columns(pl.col("row") + before))
        before += len(part)
    assert_frame_equal(collect_evidence(metric, turns), pl.concat(parts), check_exact=True)


@pytest.mark.timing
@with_evidence
def test_evidence_of_two_thousand_words_takes_less_than_a_second(name):
    text = "I’m so happy that you are not sad about the good day, aren’t you? " * 143
    turns = Turns.from_utterances(
        pl.DataFrame({"dialog": "d", "speaker": ["x", "y"], "text": ["I fear the worst", text]})
    )
    metric = ready(name)
    start = time.process_time()
    collect_evidence(metric, turns)
    assert time.process_time() - start < 1


def test_importing_metrics_imports_nothing_heavy():
    """All in one process: what any of them imported would be there at the end."""
    names = ", ".join(f"simpatico.metrics.{name}" for name in available())
    code = f"import sys, {names}; print(*sys.modules)"
    modules = run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(modules.split())


@pytest.mark.parametrize("name", sorted(builtin_names()))
def test_the_kind_stands_on_the_card_as_text(name):
    """Presets read it off the file: write `kind="..."` in `Card(...)`, in the metric's own file."""
    assert kind_in_source(name) == load(name).card.kind


FOLLOWS = {"predicted_rating", "engaging_and_relevant", "coherence", "relevance", "engagement"}
FOLLOWS |= {"perceived_empathy", "emotional_consistency"}
DEFAULT = FOLLOWS | {"length", "question_rate", "repetition"}


@pytest.mark.parametrize(("name", "others"), [("psych", set()), ("default", DEFAULT)])
def test_a_preset_imports_its_own_metrics_alone(name, others):
    code = (
        f"import sys; from simpatico.registry import preset; preset({name!r}); print(*sys.modules)"
    )
    modules = run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    imported = {n for n in builtin_names() if f"simpatico.metrics.{n}" in modules.split()}
    psychological = {n for n in builtin_names() if load(n).card.kind == "psychological"}
    assert imported == psychological | others


def test_the_default_preset_has_what_follows_people_and_needs_no_references():
    names = preset("default")
    rest = [*preset("psych"), "length", "question_rate", "repetition"]
    assert names[0] in ("predicted_rating", "predicted_rating[core]")
    assert names[-len(rest) :] == rest
    assert {n.partition("[")[0] for n in names} - set(rest) <= FOLLOWS
    graded = set()
    for metric in map(load, builtin_names()):
        main = [s for s in metric.scores if s.name == metric.name]
        if main and evidence_of(metric.name).grade(main[0].better) == "follows people":
            graded.add(plain_name(metric.name))
    assert graded - {"bert_score", "bleu", "chrf", "deep_am"} == FOLLOWS


def test_merging_turns_equals_scoring_them_as_one(tmp_path):
    """Statistics are sums: two turns merged are what one turn with both texts is."""
    unmerged = Turns.from_utterances(
        pl.DataFrame(
            {"dialog": ["d"] * 4, "speaker": list("xyxy"), "text": ["a no", "I b", "c", "d"]}
        )
    )
    joint = Turns.from_utterances(
        pl.DataFrame({"dialog": ["d"] * 2, "speaker": list("xy"), "text": ["a no c", "I b d"]})
    )
    metrics = [load("emotional_entropy"), load("style_matching")]
    one = score(unmerged, metrics).at("dialog").filter(pl.col("speaker") == "y")
    other = score(joint, metrics).at("dialog").filter(pl.col("speaker") == "y")
    assert_frame_equal(one, other)


METRIC = (
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```")[1].removeprefix("python")
)
"""The example of "Write a metric", as it stands there."""

TEST = """
from simpatico import load, read, score
from simpatico.metric import collect_evidence

def test_one_of_four_words_is_a_hedge(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"dialog": "d", "speaker": "x", "text": "tea sounds nice, maybe"}\\n')
    assert score(read(path), [load("hedging")]).at("turn")["hedging"].to_list() == [0.25]

def test_the_hedge_is_shown(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"dialog": "d", "speaker": "x", "text": "tea sounds nice, maybe"}\\n')
    assert collect_evidence(load("hedging"), read(path)).rows() == [(0, 17, 22, 0.25)]
"""


def test_a_new_metric_is_two_files(tmp_path):
    """A copy of the package plus one metric file and one test file: listed, scored, tested."""
    import shutil

    import simpatico

    package = tmp_path / "simpatico"
    shutil.copytree(Path(simpatico.__file__).parent, package)
    (package / "metrics" / "hedging.py").write_text(METRIC)
    (tmp_path / "test_hedging.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_hedging.py"]
    done = run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    listing = run(
        [sys.executable, "-m", "simpatico", "list", "hedging"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Share of words that soften a claim." in listing.stdout


def test_metrics_of_other_packages_are_found_by_entry_point(tmp_path, monkeypatch):
    (tmp_path / "outsider.py").write_text(METRIC)
    info = tmp_path / "outsider-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outsider\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[simpatico.metrics]\nhedging = outsider:Hedging\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "hedging" in available()
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "x", "text": "maybe"}))
    assert score(turns, [load("hedging")]).at("turn")["hedging"].to_list() == [1.0]
    assert "code_sha256:" in signature(load("hedging"))
    # it is scored where it is named: a package never changes a run that names no metric
    assert all("hedging" not in preset(name) for name in PRESETS)


def test_a_metric_of_a_file_is_scored_under_its_own_name(tmp_path, monkeypatch, call):
    (tmp_path / "my_hedging.py").write_text(METRIC)
    (tmp_path / "a.jsonl").write_text('{"dialog": "d", "speaker": "x", "text": "maybe so"}\n')
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    for spec in ("my_hedging.py:Hedging", "my_hedging.py"):
        metric = load(spec, words=("so",))
        assert metric.name == "hedging"
        assert "code_sha256:" in signature(metric)
    line = ["score", "a.jsonl", "--metrics", "my_hedging.py:Hedging,length", "--out", "run"]
    code, out, err = call(*line)
    assert code == 0, err
    assert "hedging: 1 turns scored" in err
    code, out, err = call("show", "run", "--level", "turn", "--format", "csv")
    assert "hedging" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("spec", "content", "sentence"),
    [
        ("no.py:X", None, "no file 'no.py'; --metrics takes FILE.py:CLASS or a metric's name"),
        ("bad_a.py:Y", METRIC, "no metric class 'Y' in bad_a.py; it has Hedging"),
        ("bad_b.py", "x = 1", "no metric class '' in bad_b.py; it has no metric class"),
        (
            "bad_c.py:X",
            "import no_such_package",
            "bad_c.py cannot be imported: ModuleNotFoundError: No module named 'no_such_package'; "
            "fix the file",
        ),
        ("json.py:X", METRIC, "another module is called 'json'; rename json.py"),
        (
            "bad_d.py:X",
            "class X:\n    name = 'x'",
            "bad_d.py:X is no metric: it has no 'level'; see CONTRIBUTING.md",
        ),
        (
            "bad_e.py:Hedging",
            METRIC.replace('"hedging"', '"length"'),
            "bad_e.py:Hedging has the name of a shipped metric, 'length'",
        ),
    ],
)
def test_a_file_without_such_a_metric_is_refused(tmp_path, monkeypatch, spec, content, sentence):
    from simpatico.errors import SimpaticoError

    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(spec.partition(":")[0]).write_text(content)
    with pytest.raises(SimpaticoError) as error:
        load(spec)
    assert str(error.value) == sentence


def test_a_metric_without_its_model_is_listed_with_one_that_is_here(monkeypatch):
    import simpatico.models.names as names

    real = names.locate_model
    here = {"package:smollm2", "package:minilm"}
    monkeypatch.setattr(names, "locate_model", lambda n: ROOT if n in here else real(n))
    assert runnable_variant("fed") == "fed[smollm2]"
    assert runnable_variant("deep_am_fm") == "deep_am_fm[minilm+smollm2]"
    assert runnable_variant("length") is None
    assert runnable_variant("dialog_rpt") is None


def test_a_broken_metric_of_another_package_stops_nothing(tmp_path, monkeypatch):
    from simpatico.errors import MissingResource

    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[simpatico.metrics]\nbroken = nowhere_at_all:Broken\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "broken" not in preset("all")
    assert isinstance(load_all()["broken"], MissingResource)
    with pytest.raises(MissingResource) as error:
        load("broken")
    assert str(error.value) == (
        "metric 'broken' of nowhere_at_all:Broken cannot be loaded (ModuleNotFoundError); "
        "fix or remove the package that offers it"
    )


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        (
            "style_matching",
            {"empty": "dorp"},
            "style_matching.empty is 'dorp'; it is 'match' or 'drop'",
        ),
        (
            "style_matching",
            {"epsilon": -1.0},
            "style_matching.epsilon is -1.0; it lies between 0 and 1",
        ),
        (
            "style_matching",
            {"epsilon": float("nan")},
            "style_matching.epsilon is nan; it lies between 0 and 1",
        ),
        (
            "emotional_entropy",
            {"base": 1.0},
            "emotional_entropy.base is 1.0; it lies between 1 and 1,000,000",
        ),
        (
            "emotional_entropy",
            {"base": 0.5},
            "emotional_entropy.base is 0.5; it lies between 1 and 1,000,000",
        ),
        (
            "empathy",
            {"minimum_words": -1},
            "empathy.minimum_words is -1; it is from 0 to 1,000,000",
        ),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(name, parameters, sentence):
    with pytest.raises(BadValue) as error:
        load(name, **parameters)
    assert str(error.value) == sentence


NUMBERS = [
    (name, parameter)
    for name in sorted(builtin_names())
    for parameter in fields(metric_class(name))
    if type(parameter.default) in (int, float)
]


@pytest.mark.parametrize(("name", "parameter"), NUMBERS, ids=lambda v: getattr(v, "name", v))
def test_every_number_has_bounds_beyond_which_one_sentence_refuses_it(name, parameter):
    low, high, is_open = parameter.metadata["bounds"]
    default = parameter.default
    assert low <= default <= high
    assert load(name, **{parameter.name: default}) == load(name)
    for value in (10**12, -(10**12), low - 1, math.nan, math.inf, "7", None, True):
        with pytest.raises(BadValue) as error:
            load(name, **{parameter.name: value})
        span = f"{low:,.10g} and {high:,.10g}" if is_open else f"{low:,.10g} to {high:,.10g}"
        words = "it lies between" if is_open else "it is from"
        assert str(error.value) == f"{name}.{parameter.name} is {value}; {words} {span}"


def values_of(parameter, kind):
    """Values that a parameter may have; of files and models, the default alone."""
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if "bounds" in parameter.metadata:
        low, high, is_open = parameter.metadata["bounds"]
        if kind is int:
            return st.integers(low, high)
        return st.floats(low, high, exclude_min=is_open, exclude_max=is_open)
    if kind is bool:
        return st.booleans()
    if parameter.name == "people":  # the one free text: the name of a system
        return st.text("a/|:%,", max_size=6)
    return st.just(parameter.default)


@st.composite
def configurations(draw):
    """A metric with parameters anywhere within their bounds."""
    metric = metric_class(draw(st.sampled_from(sorted(builtin_names()))))
    types = get_type_hints(metric)
    return metric, {f.name: draw(values_of(f, types[f.name])) for f in fields(metric)}


@given(configurations(), st.data())
@settings(max_examples=500, deadline=None)
def test_equal_signatures_are_equal_parameters(configuration, data):
    """Of a configuration and one in which any number of its parameters is another."""
    metric, parameters = configuration
    types, other = get_type_hints(metric), dict(parameters)
    for parameter in data.draw(st.sets(st.sampled_from(fields(metric)))) if parameters else ():
        other[parameter.name] = data.draw(values_of(parameter, types[parameter.name]))
    try:
        one, two = metric(**parameters), metric(**other)
        assert signature(one) != signature(two) or one == two
    except (BadValue, MissingResource):
        reject()


def test_values_with_signs_of_a_signature_do_not_look_like_other_parameters():
    @dataclass(frozen=True)
    class Pair(type(load("length"))):
        first: str = "a"
        second: str = "b"

    pairs = (("a|second:b", "c"), ("a", "b|second:c"), ("x/a", "b"), ("y/a", "b"))
    assert len({signature(Pair(*pair)) for pair in pairs}) == 4


def test_the_same_metric_twice_is_refused():
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "x", "text": "hi"}))
    with pytest.raises(BadValue) as error:
        score(turns, [load("style_matching"), load("style_matching", empty="drop")])
    assert str(error.value) == "'style_matching' is asked for twice; score it twice in two runs"


def test_a_dialog_of_a_system_that_speaks_twice_in_it_has_one_vote():
    """Entropy of a: 1 bit for x, 0 for y, so d votes .5; b votes 1: the mean of two is .75."""
    rows = [("d", "x", "bot", "AB"), ("d", "y", "bot", "A"), ("e", "z", "bot", "AB")]
    texts = {"AB": "wow grateful", "A": "wow wow"}
    frame = pl.DataFrame(
        {
            "dialog": [r[0] for r in rows],
            "speaker": [r[1] for r in rows],
            "system": [r[2] for r in rows],
            "text": [texts[r[3]] for r in rows],
        }
    )
    table = score(Turns.from_utterances(frame), [load("emotional_entropy")])
    x, y, z = table.at("dialog")["emotional_entropy"]
    row = table.at("system").row(0, named=True)
    assert (row["dialogs"], row["emotional_entropy_n"]) == (2, 2)
    assert row["emotional_entropy"] == pytest.approx(((x + y) / 2 + z) / 2, abs=1e-15)


def test_equal_values_are_computed_once(monkeypatch):
    from simpatico.features.words import Words

    calls = []
    real = Words.compute
    monkeypatch.setattr(Words, "compute", lambda *a: calls.append(1) or real(*a))
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "x", "text": "hi"}))
    score(turns, [load("emotional_entropy"), load("emotion_matching"), load("style_matching")])
    assert len(calls) == 1


def test_a_metric_that_gives_too_few_rows_is_named():
    from simpatico.errors import ContractError
    from simpatico.scoring import check_statistics

    turns = Turns.from_utterances(
        pl.DataFrame({"dialog": ["d", "d"], "speaker": ["x", "y"], "text": ["", ""]})
    )
    with pytest.raises(ContractError) as error:
        check_statistics(load("emotional_entropy"), turns, pl.DataFrame({"a": [1.0]}))
    assert str(error.value) == "emotional_entropy gave 1 rows of statistics for 2 turns"


def test_numbers_do_not_depend_on_what_else_is_scored():
    turns = Turns.from_utterances(
        pl.DataFrame({"dialog": ["d"] * 2, "speaker": list("xy"), "text": ["I love it", "no fear"]})
    )
    alone = score(turns, [load("emotional_entropy")]).at("turn")["emotional_entropy"]
    among = score(turns, [load("style_matching"), load("emotional_entropy")]).at("turn")
    assert np.array_equal(alone, among["emotional_entropy"])


def test_null_in_every_turn_stays_null_when_turns_are_merged():
    from simpatico.table import reduce_units

    values, starts = np.array([np.nan, np.nan, np.nan, 2.0]), np.array([0, 2])
    for how in ("sum", "min", "max"):
        assert np.array_equal(reduce_units(values, starts, how), [np.nan, 2.0], equal_nan=True)
