"""How well metrics follow people: views of what people said, rho, printed figures, tables."""

import json

import polars as pl
import pytest

from simpatico.errors import UnknownName
from simpatico.models.names import absent
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.markdown import page, shown
from simpatico.reproduction.metrics_and_people import plays, reproduce, rho
from simpatico.reproduction.metrics_and_people.data import people
from simpatico.reproduction.metrics_and_people.modes import ways_of
from simpatico.reproduction.metrics_and_people.published import (
    MEAN,
    MEDIAN,
    aside,
    figure,
    only_theirs,
)
from simpatico.reproduction.psychological_metrics.data import SETS
from simpatico.reproduction.request import Asked
from simpatico.reproduction.sample import Sample, measured

BY_NAME = {s.name: s for s in SETS}


def test_judges_are_taken_by_their_median_and_by_their_mean(small):
    """Judges give response i of the first set 1 + i mod 5, 1 + i mod 3 and 5."""
    zd = BY_NAME["ZD"]
    median, mean = people(zd, zd.found(small)).views
    assert (median.table, mean.table) == (MEDIAN, MEAN)
    assert median.rows["judged"][3] == 4.0
    assert mean.rows["judged"][3] == pytest.approx((4 + 1 + 5) / 3)
    assert median.note == mean.note == ["judged: appropriateness"]


def test_the_mean_leaves_out_answers_that_are_the_references(small):
    tp = BY_NAME["TP"]
    median, mean = people(tp, tp.found(small)).views
    assert (median.rows.height, mean.rows.height) == (36, 24)
    assert mean.note == [
        "judged: overall",
        "without the original answers, which are the references",
    ]


def test_rho_by_hand():
    """Ranks 1 2 3 4 5 and 2 1 4 3 5: rho = 1 - 6 (1 + 1 + 1 + 1) / (5 x 24) = .8."""
    rows = pl.DataFrame(
        {"x": [1.0, 2, 3, 4, 5, None], "judged": [2.0, 1, 4, 3, 5, 9], "prompt": list("abcdef")}
    )
    found = rho(rows, 0)
    assert (found.value, found.n) == (pytest.approx(0.8), 5)
    assert found.method == "Spearman rho, Bonett-Wright interval"


def test_rows_of_one_prompt_are_resampled_together():
    rows = pl.DataFrame(
        {
            "x": [float(i % 7) for i in range(60)],
            "judged": [float(i % 5) for i in range(60)],
            "prompt": [str(i // 5) for i in range(60)],
        }
    )
    assert rho(rows, 0).method == "Spearman rho, bootstrap of 12 clusters"


def test_figures_read_by_hand_from_the_papers():
    assert figure("TP", "bert_score", MEAN)[:2] == (0.325, "Yeh et al. 2021")
    assert figure("UP", "usl_h", MEAN).value == 0.523
    assert figure("FED-Dial", "fed", MEAN).value == 0.320
    assert figure("ESL", "deep_am_fm", MEAN).value == 0.3229
    assert figure("TP", "bert_score", MEDIAN) is None
    assert figure("TP", "length", MEAN) is None


def test_a_mean_over_several_qualities_is_told_but_not_laid_beside():
    assert figure("TD10", "deep_am_fm", MEAN) is None
    assert aside("TD10", "deep_am_fm", MEAN) == [
        "0.1748 over all qualities of the set is printed by Zhang et al. 2021 (DSTC10), who read "
        "responses beside the context"
    ]
    assert aside("TD10", "bleu", MEAN) == []


def test_metrics_that_only_others_have_are_listed():
    theirs = only_theirs("FT", ["fed", "usl_h"])
    assert theirs["DynaEval"].value == 0.323
    assert not {"FED", "USL-H", "BLEU-4"} & set(theirs)
    assert "DialogRPT" in theirs


def test_a_printed_figure_is_not_laid_beside_another_mode():
    assert plays("ruber[glove-50d]", BY_NAME["TP"])
    assert not plays("ruber[glove-50d], referenced", BY_NAME["TP"])
    assert plays("fed_dialog[smollm2]", BY_NAME["FED-Dial"])
    assert not plays("fed[smollm2]", BY_NAME["FED-Dial"])


def test_every_metric_runs_or_is_told_why_not():
    ways, lacking = ways_of(Asked(metrics=["length", "distinct_n", "empathy"]))
    assert [one.label for one in ways["turn"]] == ["length", "empathy"]
    assert lacking == ["distinct_n: it describes a system as a whole and has no value for a turn"]
    of_turns, of_dialogs = (ways[level][1].metric.minimum_words for level in ("turn", "dialog"))
    assert (of_turns, of_dialogs) == (0, 20)


def test_a_metric_that_does_not_exist_is_refused_before_anything_is_read(small):
    with pytest.raises(UnknownName) as told:
        reproduce(small, Asked(metrics=["lenght"]))
    assert str(told.value) == "no metric 'lenght'; did you mean 'length'?"


def test_cells_of_a_small_file(small):
    done = reproduce(small, Asked(metrics=["length", "bleu"]))
    by = {(c.table, c.row, c.column): c for c in done.cells}
    assert by[MEDIAN, "ZD", "length"].n == 30
    assert by[MEDIAN, "TP", "bleu"].paper is None
    bleu = by[MEAN, "TP", "bleu"]
    assert (bleu.paper, bleu.n) == (0.296, 24)
    assert bleu.note == (
        "0 of 24 not scored; judged: overall; without the original answers, which are the "
        "references; printed by Yeh et al. 2021"
    )
    meteor = by[MEAN, "TP", "METEOR"]
    assert meteor == Cell(
        *(MEAN, "TP", "METEOR", 0.391, None, None, None, 0),
        "printed by Yeh et al. 2021; not run here",
    )
    assert len(done.absent) == len(SETS) - 2
    assert done.absent[0] == "TD10: no dstc10-test/dstc10-topical_clean_eval-addrank.json"


def test_a_figure_on_a_page_has_its_interval_and_n():
    made = Cell(MEAN, "TP", "bleu", 0.296, 0.3, 0.2, 0.4, 300, "")
    assert shown(made) == "0.300 [0.20, 0.40] n=300 / 0.296"
    assert shown(made._replace(paper=None, low=None, high=None)) == "0.300 n=300"
    assert shown(made._replace(ours=None)) == "– / 0.296"
    assert shown(None) == ""


def test_a_page_has_metrics_down_and_data_sets_across():
    made = Cell(MEAN, "TP", "bleu", None, 0.3, 0.2, 0.4, 300, "")
    cells = [made, made._replace(row="UP", ours=0.1, n=240), made._replace(column="chrf")]
    assert page(Reproduction(cells, [], [], ["mauve: no"])) == (
        "### Mean of judges\n\n"
        "| metric | TP | UP |\n"
        "|---|---|---|\n"
        "| bleu | 0.300 [0.20, 0.40] n=300 | 0.100 [0.20, 0.40] n=240 |\n"
        "| chrf | 0.300 [0.20, 0.40] n=300 |  |\n\n"
        "- left out: mauve: no"
    )


def test_the_command_writes_json_and_tables(small, call):
    given = ("reproduce", "metrics-and-people", "--data", small, "--metrics", "length,mauve")
    code, out, err = call(*given, "--json")
    assert code == 0
    assert set(json.loads(out)[0]) == set(Cell._fields)
    assert (
        "- left out: mauve: it describes a system as a whole and has no value for a turn\n" in err
    )
    code, out, err = call(*given)
    assert "Spearman's rho with people's judgements" in out
    assert "ZD: 30 judged\n" in err
    code, out, _ = call(*given, "--markdown")
    assert out.startswith("### Median of judges\n\n| metric | TP | ZD |\n|---|---|---|\n| length |")


def test_parameters_reach_the_metric(small, call):
    given = ("reproduce", "metrics-and-people", "--data", small, "--metrics", "bert_score")
    code, _, err = call(*given, "--set", "bert_score.model=path:nowhere")
    assert code == 0
    assert (
        "- left out: bert_score: model 'path:nowhere': there is no such folder; give the folder "
        "with config.json\n"
    ) in err


def test_cosine_of_minilm_on_real_data_is_what_was_found_before(data):
    """A first trial found .263 on UP and .364 on GD, with SentenceTransformer's own pooling."""
    if why := absent("package:minilm"):
        pytest.skip(why)
    small_sets = data / "dstc10-dev"
    found = {}
    for name in ("UP", "GD"):
        told = people(BY_NAME[name], BY_NAME[name].found(small_sets))
        ways, _ = ways_of(Asked(metrics=["coherence"]))
        scores = measured(told.turns, ways["turn"][0], "turn", Sample()).scores
        rows = told.views[0].rows.join(scores, on="dialog", maintain_order="left")
        found[name] = rho(rows.select("prompt", "judged", x="coherence"), 0)
    assert found["UP"].n == 300
    assert found["UP"].value == pytest.approx(0.263, abs=0.01)
    assert found["GD"].value == pytest.approx(0.364, abs=0.01)


def test_references_that_are_the_responses_themselves_are_no_references(small):
    """As in JSALT, whose 741 references are its 741 responses."""
    path = small / "dstc10-dev" / "dailydialog-zhao_eval.json"
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([row | {"reference": [row["response"]]} for row in rows]))
    assert people(BY_NAME["ZD"], path).turns.frame["references"].null_count() == 60
    done = reproduce(small, Asked(metrics=["bleu"]))
    assert {c.row for c in done.cells if c.column == "bleu"} == {"TP"}
