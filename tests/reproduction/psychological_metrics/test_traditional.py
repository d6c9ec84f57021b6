"""The paper's other metrics, run here: alone and with the psychological ones."""

import pytest

from simpatico.reproduction.psychological_metrics import reproduce, traditional
from simpatico.reproduction.psychological_metrics.paper import ALL
from simpatico.reproduction.psychological_metrics.traditional import (
    NO_MAUVE,
    TraditionalMetrics,
    pool_columns,
)
from simpatico.reproduction.request import Request


@pytest.fixture
def length_for_bert_score(monkeypatch):
    """A metric without a model stands where BERTScore would."""
    monkeypatch.setattr(traditional, "PAPER_METRICS", {"BERTScore": ("length", {})})
    monkeypatch.setattr(traditional, "METRIC_NAMES", ("length",))


def test_a_metric_stands_alone_and_with_ours_beside_the_papers_figures(
    small, length_for_bert_score
):
    """Table 17 has BERTScore .171, with emotional entropy .196** and with all .208***."""
    done = reproduce(small)
    by = {c.column: c for c in done.other_metrics if c.row == "ZD"}
    assert set(by) == {"length"} | {
        f"length + {one}"
        for one in (
            *("agreeableness", "empathy", "emotional_entropy", "emotion_matching"),
            *("style_matching", ALL),
        )
    }
    assert (by["length"].paper, by["length"].table) == (0.171, "17")
    assert by["length + emotional_entropy"].paper == 0.196
    assert by["length + emotional_entropy"].note.endswith("; the paper has **")
    assert by[f"length + {ALL}"].paper == 0.208
    assert by["length"].note.startswith("0 of 30 not scored")
    assert by["length"].low < by["length"].ours < by["length"].high
    assert NO_MAUVE in done.omissions
    # figures with other weights are no part of the count of figures that came out again
    assert all("length" not in cell.column for cell in done.cells)


def test_columns_of_pooled_sets_stand_one_below_the_other(small, length_for_bert_score):
    from simpatico.reproduction.psychological_metrics.data import SETS, score_rated_units

    sets = [s for s in SETS if s.name in ("ZD", "TP")]
    metrics = TraditionalMetrics(Request(), lambda _: None)
    rows = {s: score_rated_units(s, s.locate(small), None) for s in sets}
    columns = [metrics.columns(rows[s], s, small) for s in sets]
    (both,) = pool_columns(columns)
    assert both.paper == "BERTScore"
    assert both.scores.to_list() == [v for own in columns for v in own[0].scores]
    assert len(both.scores) == 66


def test_the_command_shows_the_papers_figure_after_a_slash(small, length_for_bert_score, call):
    code, out, err = call("reproduce", "psychological-metrics", "--data", small)
    assert code == 0
    assert "after the slash the paper's" in out
    assert "/ 0.171" in out
    assert f"- left out: {NO_MAUVE}\n" in err


def test_other_metrics_can_be_left_alone(small):
    done = reproduce(small, Request(metrics=()))
    assert done.other_metrics == []
    assert NO_MAUVE not in done.omissions
