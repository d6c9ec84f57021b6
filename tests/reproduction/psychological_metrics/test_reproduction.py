"""The regression behind reproductions, and the first paper's figures on the real data."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.reproduction.cells import (
    Cell,
    Reproduction,
    agreement_summary,
    comparable_cells,
    far_from_paper,
    printed_tables,
)
from simpatico.reproduction.psychological_metrics import explain_deviation, remarks, reproduce
from simpatico.reproduction.psychological_metrics.data import DROPPED, SETS, score_rated_units
from simpatico.reproduction.psychological_metrics.paper import ALL, paper_r2, table_number
from simpatico.reproduction.psychological_metrics.traditional import published_columns
from simpatico.reproduction.request import Request
from simpatico.stats.regression import adjusted_r2
from tests.command_line import simpatico
from tests.reproduction.conftest import ANSWERS, MORE


def test_adjusted_r2_by_hand():
    """x = 1, 2, 3, 4, 5 and y = 2, 1, 4, 3, 5: r = 8 / 10 = .8, R² = .64.

    Adjusted: 1 - (1 - .64) (5 - 1) / (5 - 2) = 1 - .36 x 4/3 = .52.
    """
    x, y = np.arange(1.0, 6)[:, None], np.array([2.0, 1, 4, 3, 5])
    fit = adjusted_r2(x, y, np.arange(5))
    assert fit.value == pytest.approx(0.52, abs=1e-12)
    assert fit.n == 5


def test_rows_with_a_null_are_left_out_and_counted():
    x, y = np.array([1.0, 2, 3, 4, 5, np.nan, 9]), np.array([2.0, 1, 4, 3, 5, 7, np.nan])
    fit = adjusted_r2(x[:, None], y, np.arange(7))
    assert (fit.value, fit.n) == (pytest.approx(0.52), 5)


@pytest.mark.parametrize(
    ("x", "y", "status"),
    [
        ([], [], "too_few"),
        ([1.0, 2], [1.0, 2], "too_few"),
        ([1.0] * 9, list(range(9)), "degenerate"),
        (list(range(9)), [1.0] * 9, "degenerate"),
        ([np.nan] * 9, list(range(9)), "too_few"),
    ],
)
def test_what_cannot_be_fitted_says_so(x, y, status):
    fit = adjusted_r2(np.array(x, float).reshape(-1, 1), np.array(y, float), np.arange(len(x)))
    assert (fit.value, fit.low, fit.high, fit.status) == (None, None, None, status)


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_it_equals_plain_least_squares(seed, predictors):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, predictors))
    y = x @ rng.normal(size=predictors) + rng.normal(size=60)
    design = np.column_stack([np.ones(60), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    r2 = 1 - (rest**2).sum() / ((y - y.mean()) ** 2).sum()
    by_hand = 1 - (1 - r2) * 59 / (59 - predictors)
    fit = adjusted_r2(x, y, np.arange(60), seed=seed)
    assert fit.value == pytest.approx(by_hand, abs=1e-10)
    assert fit.low < fit.high
    rescaled_fit = adjusted_r2(100 * x - 7, 3 * y + 1, np.arange(60), seed=seed)
    assert rescaled_fit.value_and_interval == pytest.approx(fit.value_and_interval, abs=1e-8)
    assert rescaled_fit.n == fit.n


def test_clusters_widen_the_interval():
    """Each row ten times over is no more evidence, if one says which rows belong together."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    many_x, many_y = np.repeat(x, 10)[:, None], np.repeat(y, 10)
    by_row = adjusted_r2(many_x, many_y, np.arange(800))
    by_cluster = adjusted_r2(many_x, many_y, np.repeat(np.arange(80), 10))
    assert by_cluster.high - by_cluster.low > 2 * (by_row.high - by_row.low)


def cell(paper, ours, **other):
    default = Cell("1", "set", "metric", paper, ours, None, None, 9, "0 of 9 not scored")
    return default._replace(**other)


@pytest.mark.parametrize(
    ("paper", "ours", "agree"),
    [
        (0.0, -0.002, True),
        (0.009, -0.009, True),
        (0.02, 0.007, True),
        (0.02, 0.06, True),
        (0.02, 0.061, False),
        (0.02, 0.0066, False),
        (0.02, -0.02, False),
        (0.0, 0.01, False),
    ],
)
def test_agreement_is_near_zero_or_one_sign_and_a_factor_of_three(paper, ours, agree):
    assert cell(paper, ours).agrees_with_paper is agree


def test_only_figures_far_from_the_paper_are_listed_the_farthest_first():
    near, far, farther = cell(0.02, 0.03), cell(0.02, 0.031), cell(0.1, 0.0)
    cells = [near, far, cell(None, 0.5), farther, cell(0.5, None)]
    assert far_from_paper(cells) == [farther, far]
    assert comparable_cells(cells) == [near, far, farther]


def test_the_summary_counts_cheap_agreement_apart():
    cells = [cell(0.0, 0.001), cell(0.02, 0.03), cell(0.1, 0.0), cell(0.2, 0.1)]
    reasons = [(cells[2], "unexplained"), (cells[3], "perhaps the model")]
    assert agreement_summary(Reproduction(cells, [], reasons, [])) == (
        "3 of 4 figures agree with the paper in sign and size: 1 are below 0.01 in both, "
        "2 are larger and within a factor of 3. 2 differ by more than 0.01: "
        "1 unexplained, 1 with a guess, 0 with a reason."
    )


def test_reasons_are_only_given_where_the_figures_show_them():
    style = cell(0.056, 0.003, column="style_matching", low=0.001, high=0.006)
    no_empty = cell(None, 0.046, column=DROPPED, low=0.035, high=0.057)
    assert explain_deviation(style, [style]) == "unexplained"
    assert "it is 0.046" in explain_deviation(style, [style, no_empty])
    assert explain_deviation(style, [style, no_empty._replace(ours=0.002)]) == "unexplained"
    assert "within our interval" in explain_deviation(style._replace(high=0.056), [])
    assert "Tables 7-18" in explain_deviation(cell(0.009, 0.08, column=ALL), [])
    assert "perhaps the model" in explain_deviation(cell(0.044, 0.0, column="empathy"), [])
    entropy = cell(0.1, 0.0, column="emotional_entropy")
    assert explain_deviation(entropy, []) == "unexplained"
    note = "; ".join(["0 of 9 not scored", *remarks("TP", "emotional_entropy", None)])
    assert "perhaps the lexicon" in explain_deviation(entropy._replace(note=note), [])


def test_the_papers_figures():
    """A few by hand from the paper, and that every set of a table is one we look for."""
    assert paper_r2("TP", "emotional_entropy") == 0.110
    assert paper_r2("ZP", "style_matching") == 0.040
    assert paper_r2("FED-Dial", "agreeableness") == 0.044
    assert paper_r2("pooled", ALL) == 0.148
    assert (paper_r2("pooled", "empathy"), paper_r2("FT", "empathy")) == (None, None)
    assert [table_number(name) for name in ("D7", "ZP", "JSALT", "within sets")] == [
        "8", "18", "–", "1",
    ]  # fmt: skip
    rows = printed_tables("psychological_metrics")["p"]
    assert set(rows) - {"pooled", "within sets"} <= {s.name for s in SETS}
    assert sorted(int(row["table"]) for row in rows.values()) == [1, 1, 2, *range(8, 19)]


ZHAO = [
    {
        "dialogue_id": f"dailydialog-zhao_{i}",
        "model": "m",
        "context": f"What do you like, number {i // 2}?",
        "response": " ".join([ANSWERS[i % 3], *MORE[:i]]),
        "annotations": {"appropriateness": [1 + i % 5, 1 + i % 3, 5]},
    }
    for i in range(30)
]


@pytest.fixture
def small(tmp_path):
    """One data set, with published scores of which two do not fit the text."""
    (tmp_path / "dstc10-dev").mkdir()
    (tmp_path / "dstc10-dev" / "dailydialog-zhao_eval.json").write_text(json.dumps(ZHAO))
    (tmp_path / "amfm-scores").mkdir()
    lines = ["dialogue_id,response,annotations.content,am_scores,fm_scores,am_fm_scores"]
    for i, row in enumerate(ZHAO):
        text = "another" if i < 2 else row["response"]
        lines.append(f'{row["dialogue_id"]},"{text}",9,{(i * 7) % 11},{(i * 5) % 13},9')
    lines[1:] = lines[:0:-1]
    (tmp_path / "amfm-scores" / "dailydialog-zhao_results.csv").write_text("\n".join(lines))
    return tmp_path


def test_absent_data_sets_are_left_out_and_told(small):
    done = reproduce(small, Request(metrics=[]))
    assert {c.row for c in (*done.cells, *done.other_metrics)} == {"ZD"}
    assert {c.table for c in done.cells} == {"17"}
    assert len(done.omissions) == len(SETS)
    assert any(line.startswith("pooled, within sets: needs all of") for line in done.omissions)
    assert reproduce(small / "dstc10-dev", Request(metrics=[])).other_metrics == []


def test_published_scores_are_joined_by_text_not_by_position(small):
    (zd,) = [s for s in SETS if s.name == "ZD"]
    rows = score_rated_units(zd, zd.locate(small), None)
    scores = published_columns(rows, "ZD", small)
    assert scores["AM"].to_list() == [None, None, *((i * 7) % 11 for i in range(2, 30))]
    assert scores["AM-FM"][4] == (28 % 11 + 20 % 13) / 2
    columns = {c.column: c for c in reproduce(small, Request(metrics=[])).other_metrics}
    assert columns["AM"].n == columns["AM + all together"].n == 28
    assert {c.paper for c in columns.values()} == {None}


def test_gold_is_the_median_over_judges(small):
    (zd,) = [s for s in SETS if s.name == "ZD"]
    ours = score_rated_units(zd, zd.locate(small), None)["rating"].to_list()
    assert ours == [float(np.median([1 + i % 5, 1 + i % 3, 5])) for i in range(30)]


def test_usr_scores_are_found_by_context_fact_and_response(tmp_path):
    """The first line of the table is one too many, as in the files of its authors."""
    (tmp_path / "usr-scores" / "both").mkdir(parents=True)
    lines = [
        f"0\t1\t2\thow , are you ? _eos a fact {i} _eos\t_go fine {i} . _eos\t0" for i in (0, 0, 1)
    ]
    (tmp_path / "usr-scores" / "both" / "dev.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "usr-scores" / "both" / "dr.scores").write_text("[0.25, 0.75]")
    rows = pl.DataFrame(
        {
            "dialog": ["a", "b", "c"],
            "text": ["Fine 1.", "Fine 0.", "Fine 1."],
            "context": ["How, are you?"] * 3,
            "extras": ['{"fact": "A fact 1"}', '{"fact": "A fact 0"}', '{"fact": "A fact 2"}'],
        }
    )
    assert published_columns(rows, "TP", tmp_path).to_dict(as_series=False) == {
        "USR DR(c)": [0.75, 0.25, None]
    }


def test_the_command_ends_with_a_summary(small):
    done = simpatico(*COMMAND, "--data", small)
    assert "of 6 figures agree with the paper in sign and size" in done.stdout
    assert "+ all together" in done.stdout
    assert "- left out: TD10: no dstc10-test/" in done.stderr


COMMAND = ["reproduce", "psychological-metrics", "--metrics", "none"]


@pytest.fixture(scope="module")
def cells(data):
    return json.loads(simpatico(*COMMAND, "--json", "--data", data).stdout)


@pytest.mark.slow
def test_every_response_of_the_data_at_hand_is_there(cells):
    length = {c["row"]: c["n"] for c in cells if c["column"] == "words in the response"}
    assert length == {
        "TD10": 4500, "PD10": 4829, "ESL": 1242, "NCM": 2461, "JSALT": 741, "D7": 10000, "GD": 500,
        "HU": 1000, "TP": 360, "UP": 300, "ZD": 900, "ZP": 900, "FT": 375, "FED-Dial": 125,
        "pooled": 13773, "within sets": 13773,
    }  # fmt: skip
    for cell in cells:
        assert set(cell) == {
            *("table", "row", "column", "paper", "ours", "low", "high", "n", "note"),
            *("without_length", "scored"),
        }
        # at its lowest, R² = 0, adjusted R² may lie a hair below all but 2.5% of its draws
        assert cell["low"] - 1e-6 <= cell["ours"] <= cell["high"]
        assert "not scored" in cell["note"]


@pytest.mark.slow
def test_every_figure_of_the_paper_has_one_beside_it(cells):
    comparable = [c for c in cells if c["paper"] is not None]
    assert len(comparable) == 11 * 6 + 4 + 3
    assert all(c["paper"] == paper_r2(c["row"], c["column"]) for c in comparable)


@pytest.mark.slow
def test_the_figures_that_hold_whatever_the_lexicon(cells):
    """Style matching of ESL and ZP is the paper's, with function words of our own."""
    ours = {(c["row"], c["column"]): c["ours"] for c in cells}
    assert ours["ESL", "style_matching"] == pytest.approx(0.011, abs=0.002)
    assert ours["ZP", "style_matching"] == pytest.approx(0.040, abs=0.010)


@pytest.mark.slow
def test_published_scores_fit_the_rows(cells):
    n = {(c["row"], c["column"]): c["n"] for c in cells}
    assert [n[name, "AM + agreeableness"] for name in ("GD", "HU", "TP", "UP", "ZD", "ZP")] == [
        497,
        997,
        360,
        300,
        898,
        899,
    ]  # fmt: skip; nine responses repeat themselves or have no order of words, and no score
    assert n["FT", "AM + agreeableness"] == 373
    assert n["TP", "USR DR(c) + agreeableness"] == 301


@pytest.mark.slow
def test_most_of_the_pooled_figure_lies_between_data_sets(cells):
    ours = {(c["row"], c["column"]): c["ours"] for c in cells}
    assert ours["pooled", "emotional_entropy"] > 5 * ours["within sets", "emotional_entropy"]
    comparable = [c["note"] for c in cells if c["row"] == "pooled"]
    assert all("mixes 1-5 ratings with 0-1 win rates" in note for note in comparable)


@pytest.mark.slow
def test_without_the_papers_lexicon_the_output_says_so(cells):
    notes = [c["note"] for c in cells if c["column"] == "emotional_entropy"]
    assert all("our own emotion lexicon, the paper used NRC Hashtag" in note for note in notes)
