"""BERTScore: hand derivations, and equality with the package of its authors."""

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import pytest

from simpatico import load, signature
from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.embeddings import TokenEmbeddings, TokenVectors
from simpatico.features.idf import Baseline, Idf, IdfWeights
from simpatico.metrics.bert_score import BertScore, match_pieces
from simpatico.models.names import find_model, why_missing
from simpatico.scoring import score
from tests.metrics.heads import answers, nulls, scores
from tests.models.tiny import SENTENCES, tiny


def tokens(*vectors, special=()):
    numbers = np.array(vectors, np.float32)
    marks = np.array([place in special for place in range(len(vectors))])
    return TokenVectors(np.arange(len(vectors)), numbers, marks)


def test_each_piece_counts_with_its_best_match():
    """Cosines: (1,0) with (1,0) and (.6,.8): 1, .6; (0,2) with them: 0, .8.
    Precision (1 + .8) / 2 = .9, recall (1 + .8) / 2 = .9."""
    match = match_pieces(tokens((1, 0), (0, 2)), tokens((1, 0), (0.6, 0.8)), None)
    assert match == pytest.approx((0.9, 0.9, 0.9), abs=1e-7)


MATCHED = """
import numpy as np
from simpatico.features.embeddings import TokenVectors
from simpatico.metrics.bert_score import match_pieces
rng = np.random.default_rng(0)
sides = [rng.normal(size=(n, 384)).astype(np.float32) for n in (90, 100)]
made = [TokenVectors(np.arange(len(v)), v, np.zeros(len(v), bool)) for v in sides]
print(np.array(match_pieces(*made, None)).tobytes().hex())
"""


def test_long_texts_score_the_same_on_one_thread_and_on_two():
    """90 by 100 pieces of 384 numbers are a product that BLAS shares out among its threads."""
    outputs = [
        subprocess.check_output(
            [sys.executable, "-c", MATCHED], env={**os.environ, "OPENBLAS_NUM_THREADS": threads}
        )
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


def test_a_mark_can_be_matched_but_has_no_weight():
    """The turn's pieces are the mark (0,1) and (1,0); the reference is (0,1): its best match is the
    mark, 1; the piece (1,0) itself has no match, 0. Precision 0, recall 1, F1 0."""
    match = match_pieces(tokens((0, 1), (1, 0), special={0}), tokens((0, 1)), None)
    assert match == (0.0, 0.0, 1.0)


def test_rare_pieces_weigh_more():
    """Best matches .5 (id 0, weight log 4) and 1 (id 1, in 1 of 3 texts, weight log 2):
    precision (.5 * log 4 + 1 * log 2) / (log 4 + log 2) = (1 + 1) / 3."""
    rarity = IdfWeights(np.log(4), {1: np.log(2)})
    turn = tokens((0.5, np.sqrt(0.75)), (1, 0))
    assert match_pieces(turn, tokens((1, 0)), rarity)[1] == pytest.approx(2 / 3, abs=1e-7)
    nothing = IdfWeights(0.0, {})
    assert np.isnan(match_pieces(turn, turn, nothing)).all()


def test_idf_of_a_list(tmp_path):
    """Of 3 texts "tea" is in 2: log(4 / 3); "rain" in none: log 4; [CLS] in all: 0."""
    (tmp_path / "list").write_text("tea\n\ngood tea tea\ndog\n")
    model = f"path:{tiny('bert')}"
    weights = Idf(model, str(tmp_path / "list")).compute(None, None)
    ids = TokenEmbeddings(model).compute(None, None).of(["tea rain"])[0].ids
    assert weights.of(ids).tolist() == pytest.approx([0, np.log(4 / 3), np.log(4), 0])


def test_the_same_text_is_one_and_the_best_reference_counts():
    metric = load("bert_score", model=f"path:{tiny('bert')}")
    text, near, far = "I like tea.", "you like coffee.", "no"
    turns = answers((text, [text]), (text, [near]), (text, [far]), (text, [near, far]))
    same, one, other, best = scores(metric, turns)
    assert same == pytest.approx(1, abs=1e-6)
    assert best == max(one, other) < 1


def test_a_baseline_moves_the_numbers_linearly(tmp_path):
    """(b - base) / (1 - base) with P .5, R .25, F .2, as numbers or as the row of a layer."""
    model, turns = f"path:{tiny('bert')}", answers(("I like tea.", ["you like rain"]))
    plain = score(turns, [BertScore(model)]).at("turn").row(0, named=True)
    row = score(turns, [BertScore(model, baseline=".5,.25,.2")]).at("turn").row(0, named=True)
    for name, base in (("", 0.2), ("_precision", 0.5), ("_recall", 0.25)):
        name = f"bert_score{name}[bert]"
        assert row[name] == pytest.approx((plain[name] - base) / (1 - base), abs=1e-12)
    table = tmp_path / "base.tsv"
    table.write_text("LAYER,P,R,F\n0,.1,.1,.1\n1,.5,.25,.2\n2,.3,.3,.3\n")
    assert Baseline(str(table), 1).compute(None, None).tolist() == [0.5, 0.25, 0.2]
    assert Baseline(str(table), None).compute(None, None).tolist() == [0.3, 0.3, 0.3]
    with pytest.raises(DataError) as error:
        Baseline(str(table), 7).compute(None, None)
    assert str(error.value) == f"{table}: no row LAYER,P,R,F with numbers for layer 7"


def test_the_layer_is_the_usual_one_of_a_known_model_and_else_the_last():
    assert BertScore("hub:FacebookAI/roberta-large").depth == 17
    assert BertScore("hub:google-bert/bert-base-uncased").depth == 9
    assert BertScore("hub:google-bert/bert-base-uncased", layer=3).depth == 3
    assert BertScore().depth is None


def test_the_name_carries_the_model_unless_it_is_the_published_one():
    assert BertScore().name == "bert_score[minilm]"
    assert BertScore("hub:FacebookAI/roberta-large").name == "bert_score"


def test_what_cannot_be_scored_says_why():
    metric = load("bert_score", model=f"path:{tiny('bert')}")
    turns = answers(
        ("tea", None), ("tea", []), ("tea", ["..."]), ("...", ["tea"]), ("чай", ["tea"])
    )
    assert nulls(metric, turns) == [*["no_reference"] * 3, "no_words", "other_script"]


def test_a_signature_names_the_model_the_list_and_the_baseline(tmp_path):
    (tmp_path / "list").write_text("tea\n")
    bert = f"path:{tiny('bert')}"
    signatures = {
        signature(BertScore(model, idf=idf, baseline=base))
        for model in (bert, f"path:{tiny('roberta')}")
        for idf in ("", str(tmp_path / "list"))
        for base in ("", ".1,.1,.1")
    }
    assert len(signatures) == 8
    before = signature(BertScore(bert, idf=str(tmp_path / "list")))
    (tmp_path / "list").write_text("rain\n")
    assert signature(BertScore(bert, idf=str(tmp_path / "list"))) != before


def test_complaints_are_whole_sentences(tmp_path):
    with pytest.raises(BadValue) as error:
        load("bert_score", layer=-2)
    assert str(error.value) == "bert_score.layer is -2; it is from -1 to 1,000"
    with pytest.raises(MissingResource) as error:
        Idf("package:minilm", "nowhere").compute(None, None)
    assert str(error.value) == "no file 'nowhere'; give the path of an existing file"
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(DataError) as error:
        Idf(f"path:{tiny('bert')}", str(tmp_path / "empty")).compute(None, None)
    assert str(error.value) == f"{tmp_path / 'empty'}: it has no text; idf needs one text per line"
    with pytest.raises(BadValue) as error:
        Baseline("1,0,0", None).compute(None, None)
    assert str(error.value) == "baseline '1,0,0'; its numbers must be below 1"


def oracle(texts, references, folder, layers, idf=False):
    """Their F1, a pair at a time.

    In a batch they fill up texts and let a piece match the filling with 0, so that a piece none of
    whose matches is above 0 counts differently by what else is in the batch.
    """
    bert_score = pytest.importorskip("bert_score")
    with redirect_stderr(StringIO()):
        return bert_score.score(
            texts,
            references,
            model_type=str(folder),
            num_layers=layers,
            batch_size=1,
            idf=idf,
            nthreads=0,
            device="cpu",
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_tiny_models_equal_the_package(kind, tmp_path, monkeypatch):
    """The package asks for a space before RoBERTa's texts; transformers 5 no longer listens."""
    utils = pytest.importorskip("bert_score.utils")
    if kind == "roberta":
        monkeypatch.setattr(
            utils, "sent_encode", lambda tokenizer, text: tokenizer.encode(f" {text.strip()}")
        )
    texts, references = list(SENTENCES[:12]), list(SENTENCES[6:18])
    turns = answers(*((t, [r]) for t, r in zip(texts, references, strict=True)))
    (tmp_path / "list").write_text("\n".join(references))
    for layer, idf in ((1, ""), (2, ""), (2, str(tmp_path / "list"))):
        metric = load("bert_score", model=f"path:{tiny(kind)}", layer=layer, idf=idf)
        theirs = oracle(texts, references, tiny(kind), layer, bool(idf))[2]
        assert scores(metric, turns) == pytest.approx(theirs.tolist(), abs=1e-5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("idf", [False, True])
def test_two_hundred_real_pairs_equal_the_package(data, tmp_path, idf):
    for model in ("package:minilm", "package:minilm-torch"):
        if why := why_missing(model):
            pytest.skip(why)
    path = data / "dstc10-dev" / "persona-zhao_eval.json"
    rows = json.loads(path.read_text(encoding="utf-8"))[:200]
    texts = [row["response"] for row in rows]
    references = [row["reference"][0] for row in rows]
    (tmp_path / "list").write_text("\n".join(references), encoding="utf-8")
    turns = answers(*((t, [r]) for t, r in zip(texts, references, strict=True)))
    theirs = oracle(texts, references, find_model("package:minilm-torch").folder, 6, idf)
    for model in ("package:minilm", "package:minilm-torch"):
        metric = load("bert_score", model=model, idf=str(tmp_path / "list") if idf else "")
        table = score(turns, [metric]).at("turn")
        precision, recall, f1 = theirs
        for name, expected in (("", f1), ("_precision", precision), ("_recall", recall)):
            values = table[f"bert_score{name}[{model.removeprefix('package:')}]"].to_numpy()
            assert np.abs(values - expected.numpy()).max() < 1e-5
