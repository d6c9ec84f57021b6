"""The engagement paper: combinations, differences, partial correlations, classifiers, drawings."""

import json
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from simpatico.reproduction.cells import Cell, Reproduction, markdown_page
from simpatico.reproduction.clustered_correlation import (
    correlation_difference,
)
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.predictive_engagement import classifiers, explain_engagement_deviation
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement import scores as engagement_scores
from simpatico.reproduction.predictive_engagement.classifiers import SeedSplit, cached_runs
from simpatico.reproduction.predictive_engagement.correlations import (
    AUTHORS,
    HUMAN,
    TABLE_6,
    ScoreColumn,
    combine_columns,
    correlation_cells,
    correlation_table,
    example_cells,
    score_columns,
)
from simpatico.reproduction.predictive_engagement.counts import TABLE_1
from simpatico.reproduction.predictive_engagement.figures import engagement_figures
from simpatico.reproduction.predictive_engagement.paper import ALL, CTX, GENERATED, WRITTEN
from simpatico.reproduction.predictive_engagement.scores import (
    OUT_OF_DOMAIN_TABLE,
    PairScores,
    pairs_as_turns,
)
from simpatico.reproduction.request import Request
from simpatico.stats.classification import evaluate_runs
from simpatico.training.engagement import train as engagement_train
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.fit.mlp import HeadShape
from simpatico.training.heads.train import EncodedTexts
from tests.reproduction.predictive_engagement.data_sets import write_published

FAST = HeadShape(("first", "second"), (), rate=0.1, epochs=40)
NONE = PairScores({}, [], [], {}, [])


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_published(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def pairs(small):
    return files.read_rated_pairs(locate_file(small, files.FOLDER, files.PAIRS))


def test_two_columns_as_one():
    """At one spread: (0, 2) and (5, 1) are both -1, 1 and 1, -1 in deviations, so their mean is 0."""
    one, other = np.array([0.2, 0.9, np.nan]), np.array([0.4, 0.1, 0.5])
    assert combine_columns(one, other, "mean")[:2] == pytest.approx([0.3, 0.5])
    assert combine_columns(one, other, "min")[:2] == pytest.approx([0.2, 0.1])
    assert combine_columns(one, other, "max")[:2] == pytest.approx([0.4, 0.9])
    assert combine_columns(np.array([0.0, 2]), np.array([5.0, 1]), "even") == pytest.approx([0, 0])
    assert np.isnan(combine_columns(one, other, "mean")[2])


def test_correlations_by_hand(pairs):
    """Ctx-RUBER says i / 100 of pair i, rated 2 for i = 0 and else 1 + i mod 5, in both halves."""
    i = np.arange(12)
    rated = np.where(i == 0, 2, 1 + i % 5)
    by_hand = np.corrcoef(i, rated)[0, 1]
    cells = {
        (c.table, c.row, c.column): c
        for c in correlation_cells(pairs, list(score_columns(pairs, NONE)), seed=0)
    }
    cell = cells[correlation_table("pearson"), GENERATED, AUTHORS + CTX]
    assert (cell.ours, cell.n) == (pytest.approx(by_hand), 12)
    assert cells[correlation_table("pearson"), ALL, AUTHORS + CTX].ours == pytest.approx(by_hand)
    assert cell.paper == 0.55
    assert cells[correlation_table("spearman"), WRITTEN, AUTHORS + CTX].paper == 0.12
    assert cell.note == (
        "0 of 12 not scored; computed from the authors' published scores; Pearson r, "
        "bootstrap of 12 clusters"
    )


def test_a_difference_of_two_correlations():
    """Squared differences of ranks add up to 2 and to 156, and rho = 1 - 6 x sum / 1716."""
    y = np.arange(12.0)
    near, far = y.copy(), np.array([6.0, 1, 9, 0, 5, 3, 8, 2, 7, 4, 11, 10])
    near[[3, 4]] = near[[4, 3]]
    two = np.stack([near, far], axis=1)
    difference, note = correlation_difference(two, y, np.arange(12), kind="spearman", seed=0)
    assert difference.value == pytest.approx(6 * (156 - 2) / 1716)
    assert note == "0.993 against 0.455, p = .004 by resamples, p < .001 by Williams' t"
    assert difference.low < difference.value < difference.high
    same, note = correlation_difference(np.ones((12, 2)), y, np.arange(12), kind="pearson", seed=0)
    assert (same.value, same.status, note) == (None, "degenerate", "no test")


def test_a_pair_is_a_dialog_whose_reply_is_scored():
    turns = pairs_as_turns(["How are you?", "Tea?"], ["Fine.", ""])
    assert [(t.speaker, t.text, t.answers) for t in turns] == [
        ("user", "How are you?", None),
        ("system", "Fine.", 0),
        ("user", "Tea?", None),
        ("system", "", 0),
    ]
    assert turns.scored.tolist() == [False, True, False, True]


@pytest.fixture
def no_encoder(monkeypatch):
    """Without the cosine, for which an encoder has to be loaded."""
    monkeypatch.setattr(engagement_scores, "BASELINES", ("length", "question_rate"))


def test_scores_of_pairs_are_in_their_order(no_encoder):
    scores = engagement_scores.score_pairs(
        ["How?", "Tea?"], ["So it is.", "No?"], Request(metrics=["bleu"])
    )
    assert scores.columns["length"].tolist() == [3.0, 1.0]
    assert scores.columns["question_rate"].tolist() == [0.0, 1.0]
    assert scores.columns[engagement_scores.LOG_LENGTH] == pytest.approx(np.log([4, 2]))
    assert np.isnan(scores.columns["bleu"]).all()


def test_a_metric_runs_as_shipped_and_as_asked_for():
    absent = []
    request = Request(settings={"empathy": {"model": "nowhere"}})
    ready = list(engagement_scores.runnable_variants("empathy", request, absent))
    assert [one.label for one in ready] == ["empathy"]
    assert len(absent) == 1
    assert absent[0].startswith(
        "empathy: empathy needs a trait model and there is none at 'nowhere'"
    )
    assert list(engagement_scores.runnable_variants("nothing", Request(), absent)) == []
    assert absent[1].startswith("nothing: no metric 'nothing'; ")


def test_combinations_of_ours_stand_beside_theirs(pairs):
    one, other = np.linspace(0, 1, 24), np.linspace(1, 0, 24) ** 2
    notes = {"relevance": [], "engagement": ["why"], "length": []}
    values = {"relevance": one, "engagement": other, "length": one * 3}
    scores = PairScores(values, ["relevance"], ["engagement"], notes, [])
    columns = {c.name: c for c in score_columns(pairs, scores)}
    assert columns["mean of engagement and relevance"].values == pytest.approx((one + other) / 2)
    assert columns["minimum of engagement and relevance"].values == pytest.approx(
        np.minimum(one, other)
    )
    assert columns["engagement"].notes == ["why"]
    assert list(columns)[-1] == "length"


def test_the_papers_example_is_found_again(pairs):
    """Rated 1, 2 and 3: (2 - 1) / 4 of the way from 1 to 5."""
    cells = list(example_cells(pairs, list(score_columns(pairs, NONE)), NONE))
    third = {c.column: c for c in cells if c.row.startswith("3: ")}
    assert (third[HUMAN].paper, third[HUMAN].ours) == (0.33, 0.25)
    assert (third[AUTHORS + CTX].paper, third[AUTHORS + CTX].ours) == (0.82, 0.0)
    first = [c for c in cells if c.row.startswith("1: ")]
    assert [(c.table, c.paper, c.ours) for c in first] == [(TABLE_6, 0.92, None)]
    assert first[0].note == "0 of 0 not scored; not among the pairs"


def test_reasons_for_what_is_not_as_in_the_paper():
    cell = Cell(
        correlation_table("pearson"), GENERATED, AUTHORS + "x", 0.09, -0.093, None, None, 300, ""
    )
    assert (
        explain_engagement_deviation(cell)
        == "the sign: the authors' own scores give a negative correlation"
    )
    assert explain_engagement_deviation(cell._replace(ours=0.3)) == "unexplained"


def exchanges(n: int, seed: int = 0) -> Exchanges:
    """Replies whose vector says how engaging they are; dialogs of four exchanges."""
    label = np.random.default_rng(seed).integers(0, 2, n)
    return Exchanges(
        "made up",
        [f"d{i // 4}" for i in range(n)],
        ["Hello there"] * n,
        [f"{'good' if y else 'dull'} {i % 9}" for i, y in enumerate(label)],
        label * 4.0,
        label.astype(np.int64),
        ["human-human" if y else "human-bot" for y in label],
    )


def fake_encoding(texts, form):
    """Two numbers for a text: whether it is a good one, and its last digit."""
    place = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    rows = [[1.0 if "good" in t else -1.0, float(len(t) % 3)] for t in place]
    return EncodedTexts(place, np.array(rows, np.float32))


def test_classifiers_learn_what_can_be_learned(monkeypatch):
    monkeypatch.setattr(engagement_train, "encode_texts", fake_encoding)
    monkeypatch.setattr(classifiers, "birnn_runs", classifiers.svm_runs)
    crowd_labels = pl.DataFrame(
        {
            "dialog": ["a"] * 4,
            "query": ["x", "x", "x", ""],
            "reply": ["good", "dull", "good 1", "dull"],
        }
    ).with_columns(label=pl.Series([1, 0, 1, 0]))
    readings = {"rated": exchanges(160)}
    messages = []
    monkeypatch.setattr(classifiers, "SHAPES", dict.fromkeys(classifiers.SHAPES, FAST))
    cells, heads = classifiers.classifier_cells(readings, crowd_labels, 2, tell=messages.append)
    by = {(c.table, c.row, c.column): c for c in cells}
    table = f"{classifiers.FIGURE_4}{classifiers.BALANCED}"
    assert by[table, "ConvAI test, real ratings", "our head"].ours == 1.0
    assert by[table, "ConvAI test, real ratings", "SVM"].ours == 1.0
    assert by[table, "crowd's labels, real ratings", "our head"].n == 3
    ahead = by[f"{classifiers.FIGURE_4}{classifiers.ABOVE}", "ConvAI test, real ratings", "SVM"]
    assert ahead.ours == 0.0
    assert by[table, "ConvAI test, real ratings", "question mark"].ours == 0.5
    share = by["Figure 4: exchanges between people", "real ratings", "share of the engaging ones"]
    assert share.ours == 1.0
    assert messages == [
        "real ratings: classifiers, seed 1 of 2",
        "real ratings: classifiers, seed 2 of 2",
    ]
    assert list(heads) == ["rated"]


def test_what_a_baseline_guessed_is_kept_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path))
    calls = []

    def predict():
        calls.append(1)
        return np.array([0.25, 0.75, 0.5, 1.0])

    data = exchanges(2)
    bench = SeedSplit(data, data, {"one": data, "two": data}, 0)
    for _ in range(2):
        runs = cached_runs("a way", bench, predict, threshold=0.6)
    assert (calls, runs["one"].predicted.tolist()) == ([1], [False, True])
    assert runs["two"].score.tolist() == [0.5, 1.0]
    cached_runs("a way", bench._replace(seed=1), predict, threshold=0.6)
    assert calls == [1, 1]


def test_a_trained_head_goes_on_learning(monkeypatch):
    """What can be told well before can be told well after, and from scratch."""
    monkeypatch.setattr(engagement_train, "encode_texts", fake_encoding)
    monkeypatch.setattr(classifiers, "is_heads_folder", lambda model: False)
    monkeypatch.setattr(classifiers, "SHAPES", dict.fromkeys(classifiers.SHAPES, FAST))
    data = exchanges(120, seed=1)
    texts = fake_encoding([*data.query, *data.reply], None)
    head = classifiers.train_head(SeedSplit(data, data, {}, 0), texts, "best", "mean")
    frame = pl.DataFrame({"query": data.query, "reply": data.reply, "label": data.label})
    target = classifiers.TransferData(
        files.pairs_as_exchanges(frame[:80], "learn"),
        files.pairs_as_exchanges(frame[80:], "test"),
        3,
    )
    cells = list(classifiers.transfer_cells(target, {"rated": head}, 2))
    by = {(c.table, c.row, c.column): c for c in cells}
    table = f"{classifiers.TRANSFER_TABLE}{classifiers.AUC}"
    assert by[table, "before", "ConvAI, real ratings"].ours == 1.0
    assert by[table, "after", "ConvAI, real ratings"].ours == 1.0
    assert by[table, "after", "no evaluator, from scratch"].ours == 1.0
    assert by[table, "after", "reply length"].note == (
        "0 of 40 not scored; trained on 80 pairs; 3 of the published 300 left out, as their "
        "query or reply is among the rated pairs; mean of 1 seed"
    )
    run = classifiers.fine_tuned_run(target, texts, head, 0)
    assert evaluate_runs("", [run]).auc.value == 1.0


def test_the_command_shows_writes_and_draws(small, call, tmp_path, no_encoder):
    arguments = ("reproduce", "predictive-engagement", "--data", small, "--seeds", 0)
    code, out, err = call(*arguments, "--json", "--figures", tmp_path / "drawn")
    assert code == 0
    cells = [Cell(**cell) for cell in json.loads(out)]
    assert {c.table for c in cells} >= {correlation_table("pearson"), TABLE_6}
    assert not any(c.table == OUT_OF_DOMAIN_TABLE for c in cells)
    assert "- left out: TP, engaging: no dstc10-dev/topical-usr_eval.json\n" in err
    assert "- left out: Figure 4: no seeds, or no ConvAI to train on\n" in err
    assert sorted(p.stem for p in (tmp_path / "drawn").glob("*.svg")) == ["figure-2", "figure-5"]
    assert not any(c.table.startswith(classifiers.FIGURE_4) for c in cells)
    counts = [c for c in cells if c.table == TABLE_1]
    assert "| score 0 | 24 n=48 / 1,690 | 72 n=182 / 10,122 | 0 n=" in markdown_page(
        reproduction_of(counts)
    )


def reproduction_of(cells):
    return Reproduction(cells, [], [], [])


def test_figures_are_for_one_paper_only(small, call, tmp_path):
    code, _, err = call(
        *("reproduce", "metrics-and-people", "--data", small, "--figures", tmp_path / "x")
    )
    assert (code, err) == (
        2,
        "simpatico: --figures: metrics-and-people has none to draw; predictive-engagement and "
        "interlocutors-eye have\n",
    )
    (tmp_path / "file").write_text("")
    code, _, err = call(
        *("reproduce", "predictive-engagement", "--data", small, "--figures", tmp_path / "file")
    )
    assert (code, err) == (
        2,
        f"simpatico: --figures {tmp_path / 'file'} is a file; name a folder\n",
    )


def test_drawings_hold_every_figure(small):
    spots = [
        (f"{classifiers.FIGURE_4}{what}", "ConvAI test", name)
        for what in (classifiers.BALANCED, classifiers.AUC)
        for name in ("SVM", "our head")
    ]
    cells = [Cell(*spot, None, 0.61, 0.55, 0.67, 100, "") for spot in spots]
    cells.append(
        Cell(correlation_table("pearson"), ALL, "engagement", 0.39, -0.12, None, None, 600, "")
    )
    figures = engagement_figures(small, cells)
    assert list(figures) == ["figure-2", "figure-4", "figure-5"]
    texts = {name: "".join(ElementTree.fromstring(svg).itertext()) for name, svg in figures.items()}
    assert texts["figure-4"].count(".61") == 4
    assert "−.12" in texts["figure-5"]
    assert "12 conversations, r = " in texts["figure-2"]


def test_the_authors_own_scores_give_their_table_again(data):
    """Table 5 prints .54 and .55 for Ctx-RUBER, .61 and .64 for the mean with engagement, n = 600."""
    pairs = files.read_rated_pairs(locate_file(data, files.FOLDER, files.PAIRS))
    columns = [c for c in score_columns(pairs, NONE) if c.paper]
    frame = pl.DataFrame({c.name: c.values for c in columns}).with_columns(pairs["mean_rating"])
    for column, r, rho in (
        (columns[0], 0.24, 0.30),
        (columns[1], 0.54, 0.55),
        (columns[2], 0.39, 0.45),
        (columns[3], 0.35, 0.36),
        (columns[4], 0.61, 0.64),
        (columns[5], 0.60, 0.62),
    ):
        both = frame.select(
            pl.corr(column.name, "mean_rating"),
            pl.corr(column.name, "mean_rating", method="spearman").alias("rho"),
        ).row(0)
        assert both == pytest.approx((r, rho), abs=0.0051)
    assert [isinstance(c, ScoreColumn) for c in columns] == [True] * 6
