"""Metrics of a turn and what it answers, or its reference: derivations and direct model calls."""

import json

import numpy as np
import polars as pl
import pytest

from simpatico import load, score, signature
from simpatico.errors import BadValue, DataError
from simpatico.features.embeddings import Embeddings
from simpatico.features.word_vectors import WordExtremes
from simpatico.metric import missing_resource
from simpatico.metrics import deep_am_fm
from simpatico.metrics.nli_contradiction import contradiction_class
from simpatico.metrics.usl_h import compose_usl
from simpatico.models.names import why_missing
from tests.conftest import talk
from tests.metrics.heads import answers, heads_folder, nulls, ready_model, scores, vectors_folder
from tests.models.tiny import tiny

BERT = f"path:{tiny('bert')}"
REFERENCED = ["bleurt", "deep_am", "ruber", "ctx_ruber"]
ANSWERING = ["coherence", "nsp", "usl_h"]


def logistic(x):
    return 1 / (1 + np.exp(-x))


def vector(*texts, model=BERT):
    return Embeddings(model).compute(None, None).of(texts).astype(np.float64)


def direct(kind, firsts, seconds):
    """What transformers itself says of pairs, one at a time."""
    import torch
    from transformers import AutoTokenizer, BertForNextSentencePrediction
    from transformers import BertForSequenceClassification as Classes

    tokenizer = AutoTokenizer.from_pretrained(str(tiny(kind)))
    maker = BertForNextSentencePrediction if kind == "bert-nsp" else Classes
    model = maker.from_pretrained(str(tiny(kind))).eval()
    with torch.inference_mode():
        pairs = zip(firsts, seconds, strict=True)
        return torch.cat(
            [model(**tokenizer(a, b, return_tensors="pt")).logits for a, b in pairs]
        ).numpy()


def ready(name, **parameters):
    return load(name, model=ready_model(name), **parameters)


@pytest.mark.parametrize("name", REFERENCED)
def test_without_a_reference_there_is_no_score_but_a_reason(name):
    turns = answers(("tea", None), ("tea", ["..."]), ("...", ["tea"]), ("чай", ["tea"]))
    expected = ["no_reference", "no_reference", "no_words", "other_script"]
    assert nulls(ready(name), turns) == expected
    assert scores(ready(name), turns) == [None] * 4


@pytest.mark.parametrize("name", ANSWERING)
def test_without_something_to_answer_there_is_no_score_but_a_reason(name):
    metric = ready(name)
    turns = talk("x: tea", "y: ...", "x: rain", "y: чай")
    reasons = score(turns, [metric]).at("turn")[f"{metric.name}_null"].to_list()
    assert reasons == ["answers_nothing", "no_words", "no_words", "other_script"]


@pytest.mark.parametrize("name", [*REFERENCED, *ANSWERING, "nli_contradiction"])
def test_the_signature_and_the_name_change_with_the_model(name):
    metric = ready(name)
    assert metric.name.startswith(f"{name}[")
    assert "_sha256:" in signature(metric)
    assert signature(metric).startswith(f"{metric.name}|")


@pytest.mark.parametrize("name", ["bleurt", "deep_am"])
def test_of_several_references_the_best_counts(name):
    text, references = "I like tea.", ["you like rain", "no"]
    metric = ready(name)
    one, other, best = scores(
        metric, answers(*((text, r) for r in ([references[0]], [references[1]], references)))
    )
    assert best == max(one, other)
    assert one != other


def test_coherence_is_the_cosine_with_what_is_answered():
    metric = load("coherence", model=BERT)
    first, second = vector("good tea", "I like rain.")
    values = scores(metric, talk("x: good tea", "y: I like rain."))
    assert values == [None, pytest.approx(first @ second, abs=1e-6)]


def test_coherence_with_more_history_joins_the_turns_before():
    metric = load("coherence", model=BERT, history=2)
    first, second = vector("good tea I like rain.", "why")
    values = scores(metric, talk("x: good tea", "y: I like rain.", "x: why"))
    assert values[2] == pytest.approx(first @ second, abs=1e-6)
    with pytest.raises(BadValue) as error:
        load("coherence", history=0)
    assert str(error.value) == "coherence.history is 0; it is from 1 to 1,000"


def test_coherence_carries_no_mark_with_its_own_encoder():
    assert (load("coherence").name, load("deep_am").name) == ("coherence", "deep_am[minilm]")


@pytest.mark.parametrize(
    ("name", "rho"), [("persona-usr", 0.263), ("topical-usr", 0.291), ("dailydialog-gupta", 0.364)]
)
@pytest.mark.slow
def test_coherence_agrees_with_people_as_it_did_before(data, name, rho):
    """Spearman of plain MiniLM cosine with the last turn, found by another program."""
    if why := why_missing("package:minilm"):
        pytest.skip(why)
    from scipy.stats import spearmanr

    rows = json.loads((data / "dstc10-dev" / f"{name}_eval.json").read_text(encoding="utf-8"))
    lines, people = [], []
    for number, row in enumerate(rows):
        query = [line for line in row["context"].split("\n") if line.strip()][-1]
        lines += [(str(number), "a", query, None), (str(number), "b", row["response"], "s")]
        overall = next(v for k, v in row["annotations"].items() if k.lower() == "overall")
        people.append(np.mean(overall))
    frame = pl.DataFrame(lines, ["dialog", "speaker", "text", "system"], orient="row")
    from simpatico import Turns

    values = scores(load("coherence"), Turns.from_utterances(frame))
    assert spearmanr(values, people)[0] == pytest.approx(rho, abs=1e-3)


def test_bleurt_is_what_the_model_says_of_reference_and_turn():
    texts, references = ["I like tea.", "no"], ["you like rain", "good dog and cat"]
    turns = answers(*((t, [r]) for t, r in zip(texts, references, strict=True)))
    expected = direct("bert-classes-1", references, texts)[:, 0]
    assert scores(ready("bleurt"), turns) == pytest.approx(expected, abs=1e-5)


def test_bleurt_refuses_a_model_that_does_not_rate():
    model = f"path:{tiny('bert-classes-3')}"
    with pytest.raises(DataError) as error:
        scores(load("bleurt", model=model), answers(("tea", ["rain"])))
    assert str(error.value) == (
        f"{model} has 3 outputs, where bleurt needs one; name a regression model"
    )


def test_nsp_is_the_share_of_the_first_class():
    query, reply = "good tea", "I like rain."
    logits = direct("bert-nsp", [query], [reply])[0].astype(np.float64)
    expected = np.exp(logits[0]) / np.exp(logits).sum()
    metric = load("nsp", model=f"path:{tiny('bert-nsp')}")
    assert scores(metric, talk(f"x: {query}", f"y: {reply}")) == [
        None,
        pytest.approx(expected, abs=1e-5),
    ]


def test_nsp_by_a_trained_head():
    """The head's number is 2 times the inner product, less 1."""
    first, second = vector("good tea", "I like rain.")
    values = scores(ready("nsp"), talk("x: good tea", "y: I like rain."))
    assert values[1] == pytest.approx(logistic(2 * (first @ second) - 1), abs=1e-6)


def test_a_turn_contradicts_at_most_what_its_speaker_said():
    kind = "bert-classes-3"
    config = json.loads((tiny(kind) / "config.json").read_text(encoding="utf-8"))
    assert set(config["id2label"].values()) == {"LABEL_0", "LABEL_1", "LABEL_2"}
    model = f"path:{tiny(kind)}"
    with pytest.raises(DataError) as error:
        scores(load("nli_contradiction", model=model), talk("x: tea", "y: no", "x: rain"))
    assert str(error.value) == (
        f"{model} has the classes LABEL_0, LABEL_1, LABEL_2, not exactly one of which is "
        "contradiction; name a model of natural language inference"
    )
    assert contradiction_class(("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), model) == 2


def test_the_most_contradicted_turn_counts(tmp_path):
    from shutil import copytree

    folder = tmp_path / "nli"
    copytree(tiny("bert-classes-3"), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    config["label2id"] = {"contradiction": 0, "neutral": 1, "entailment": 2}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    own = ["I love tea.", "the dog is old", "I hate tea."]
    logits = direct("bert-classes-3", own[:2], [own[2]] * 2).astype(np.float64)
    shares = np.exp(logits)[:, 0] / np.exp(logits).sum(axis=1)
    turns = talk(f"x: {own[0]}", "y: no", f"x: {own[1]}", "y: why", f"x: {own[2]}")
    metric = load("nli_contradiction", model=f"path:{folder}")
    values = scores(metric, turns)
    assert values[4] == pytest.approx(shares.max(), abs=1e-5)
    assert (values[0], values[1]) == (None, None)
    last = load("nli_contradiction", model=f"path:{folder}", history=1)
    assert scores(last, turns)[4] == pytest.approx(shares[1], abs=1e-5)
    assert nulls(metric, turns)[:2] == ["says_first", "says_first"]


def test_extremes_of_word_vectors_by_hand():
    """tea (1, 5), rain (3, 2): maxima (3, 5), minima (1, 2); don't is do (2, 2); sun is unknown."""
    pool = WordExtremes(f"path:{vectors_folder()}").compute(None, None)
    vectors = pool.of(["Tea, rain", "don't", "sun"])
    assert vectors[:2].tolist() == [[3, 5, 1, 2], [2, 2, 2, 2]]
    assert np.isnan(vectors[2]).all()


def test_ruber_referenced_is_the_cosine_of_extremes():
    """tea rain (3,5,1,2) with tea (1,5,1,5): (3 + 25 + 1 + 10) / sqrt(39 * 52) = .8660."""
    model = f"path:{vectors_folder()}"
    metric = load("ruber", model=model, mode="referenced")
    turns = answers(("tea rain", ["tea"]), ("sun", ["tea"]))
    assert scores(metric, turns) == [pytest.approx(39 / np.sqrt(39 * 52), abs=1e-7), None]
    assert nulls(metric, turns) == [None, "no_known_words"]
    assert missing_resource(metric) is None


@pytest.mark.parametrize(
    ("blend", "expected"),
    [
        ("min", min),
        ("max", max),
        ("arithmetic", lambda a, b: (a + b) / 2),
        ("geometric", lambda a, b: np.sqrt(a * b)),
    ],
)
def test_ruber_blends_both_parts(blend, expected):
    """Cosine sqrt(.75) = .8660 less .6, by .4: .6651; "do" (2,2,2,2) times "tea rain" (3,5,1,2)
    is 22, so the head says logistic(43), nearly 1."""
    metric = load("ruber", model=ready_model("ruber"), blend=blend)
    like = (np.sqrt(0.75) - 0.6) / 0.4
    turns = answers(("tea rain", ["tea"]), query="do")
    assert scores(metric, turns) == [pytest.approx(expected(like, logistic(43)), abs=1e-6)]


def test_ctx_ruber_parts():
    model, turns = ready_model("ctx_ruber"), answers(("I like rain.", ["good tea"]), query="why")
    reply, reference, query = vector("I like rain.", "good tea", "why")
    values = {
        m: scores(load("ctx_ruber", model=model, mode=m), turns)[0]
        for m in ("referenced", "unreferenced")
    }
    assert values["referenced"] == pytest.approx(reply @ reference, abs=1e-6)
    assert values["unreferenced"] == pytest.approx(logistic(2 * (reply @ query) - 1), abs=1e-6)


@pytest.mark.parametrize(("name", "kind"), [("ruber", "ruber"), ("ctx_ruber", "ctx-ruber")])
def test_ruber_says_how_to_get_its_trained_part(name, kind):
    assert missing_resource(load(name)) == (
        f"{name} needs a trained part: train one with `simpatico train {kind} --data DIALOGS "
        f"--out MODEL`, then add `--set {name}.model=path:MODEL`; or use "
        f"`--set {name}.mode=referenced`"
    )
    with pytest.raises(BadValue) as error:
        load(name, blend="sum")
    choices = "'min', 'max', 'arithmetic' or 'geometric'"
    assert str(error.value) == f"{name}.blend is 'sum'; it is {choices}"


def test_a_head_of_another_kind_is_refused():
    model = f"path:{heads_folder('nsp')}"
    with pytest.raises(DataError) as error:
        scores(load("ruber", model=model), answers(("tea", ["rain"])))
    recipe = heads_folder("nsp") / "recipe.json"
    assert str(error.value) == f"{recipe}: heads of kind 'nsp', where 'ruber' are needed"


def test_deep_am_against_the_context():
    reply, query = vector("I like rain.", "why")
    metric = load("deep_am", model=BERT, mode="context")
    assert scores(metric, answers(("I like rain.", None), query="why")) == [
        pytest.approx(reply @ query, abs=1e-6)
    ]


def test_deep_am_fm_is_the_weighted_mean_of_both():
    gpt, turns = (
        f"path:{tiny('gpt2')}",
        answers(("I like tea.", ["you like rain", "no"]), ("tea", None)),
    )
    each = answers(("I like tea.", ["you like rain"]), ("I like tea.", ["no"]))
    adequate = scores(load("deep_am", model=BERT), each)
    fluent = scores(load("deep_fm", model=gpt), each)
    for weight in (0.5, 0.25):
        metric = load("deep_am_fm", model=gpt, encoder_model=BERT, weight=weight)
        sums = zip(adequate, fluent, strict=True)
        expected = max(weight * a + (1 - weight) * f for a, f in sums)
        assert scores(metric, turns) == [pytest.approx(expected, abs=1e-12), None]
    assert metric.name == "deep_am_fm[bert+gpt2]"
    assert nulls(metric, turns) == [None, "no_reference"]
    with pytest.raises(BadValue) as error:
        load("deep_am_fm", weight=2.0)
    assert str(error.value) == "deep_am_fm.weight is 2.0; it is from 0 to 1"


def test_deep_am_fm_takes_both_parts_from_one_reference(monkeypatch):
    """Adequacy .8 and .5, fluency .4 and .8: .6 and .65, the best of which is .65; the best of
    either part, .8 and .8, belong to no reference."""
    monkeypatch.setattr(deep_am_fm, "text_cosines", lambda *texts: np.array([0.8, 0.5]))
    monkeypatch.setattr(deep_am_fm, "fluency_ratio", lambda *texts: np.array([0.4, 0.8]))
    metric = load("deep_am_fm", model=f"path:{tiny('gpt2')}", encoder_model=BERT)
    turns = answers(("I like tea.", ["you like rain", "no"]))
    assert scores(metric, turns) == [pytest.approx(0.65, abs=1e-12)]
    assert metric.scores[0].meaning == (
        "mean of adequacy and fluency beside a reference, the best of these means"
    )


def test_usl_is_put_together_step_by_step():
    """U .9, S .5, L .2: (.9 + .45 + .09) / 3 = .48; (.9 + .5 + .1) / 3 = .5; 1.6 / 3 = .5333."""
    parts = (np.array([0.9]), np.array([0.5]), np.array([0.2]))
    values = [compose_usl(*parts, how)[0] for how in ("h", "hs", "a")]
    assert values == pytest.approx([0.48, 0.5, 1.6 / 3], abs=1e-12)


def test_usl_h_by_hand():
    """U: a vector times itself is 1: logistic(1). S: as for nsp. L: tea 1 and unknown rain 5 cost
    6, which is the third quartile: 1; good tea costs 4, halfway between 2 and 6: .5."""
    metric = ready("usl_h")
    turns = talk("x: why", "y: tea rain", "x: good tea")
    table = score(turns, [metric]).at("turn")
    mark = metric.name.removeprefix("usl_h")
    query, reply = vector("why", "tea rain")
    valid, follows = logistic(1), logistic(2 * (query @ reply) - 1)
    row = table.row(1, named=True)
    assert row[f"usl_h_understandable{mark}"] == pytest.approx(valid, abs=1e-6)
    assert row[f"usl_h_sensible{mark}"] == pytest.approx(follows, abs=1e-6)
    assert table[f"usl_h_specific{mark}"].to_list() == [None, 1.0, 0.5]
    assert row[metric.name] == pytest.approx(valid * (1 + 2 * follows) / 3, abs=1e-6)


def test_usl_h_says_how_to_get_its_parts():
    assert missing_resource(load("usl_h")) == (
        "usl_h needs trained parts: train them with `simpatico train usl-h --data DIALOGS --out "
        "MODEL`, then add `--set usl_h.model=path:MODEL`"
    )
