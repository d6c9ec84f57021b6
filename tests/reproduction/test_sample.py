"""Which responses slow metrics read, and with which weights a metric can run."""

import polars as pl
import pytest

from simpatico.errors import UnknownName
from simpatico.reproduction.psychological_metrics.traditional import TraditionalMetrics
from simpatico.reproduction.request import Request, Sample
from simpatico.reproduction.runnable import choose_dialogs, runnable_metric, score_sample
from simpatico.turns import Turns

NAMES = pl.Series([f"d{i}" for i in range(500)])


class Slow:
    """A runnable metric, as far as a sample looks at it."""

    slow = True

    class metric:  # noqa: N801
        name = "bart_score[smollm2]"


def test_a_smaller_sample_is_part_of_a_larger_whatever_the_order():
    small, large = (
        choose_dialogs(NAMES, Slow, Sample(50)),
        choose_dialogs(NAMES.reverse(), Slow, Sample(200)),
    )
    assert (len(small), len(large)) == (50, 200)
    assert set(small) < set(large)
    assert choose_dialogs(NAMES, Slow, Sample(50)).to_list() == small.to_list()
    assert set(choose_dialogs(NAMES, Slow, Sample(50, seed=1))) != set(small)


def test_a_sample_of_0_or_of_more_than_there_are_is_everything():
    assert choose_dialogs(NAMES, Slow, Sample(0)).to_list() == NAMES.to_list()
    assert choose_dialogs(NAMES, Slow, Sample(500)).to_list() == NAMES.to_list()


def test_metrics_that_are_not_slow_read_everything():
    assert not runnable_metric("length").slow
    assert len(choose_dialogs(NAMES, runnable_metric("length"), Sample(5))) == 500


def test_fed_reads_half_as_many():
    class HalfSample(Slow):
        class metric:  # noqa: N801
            name = "fed[smollm2]"

    assert len(choose_dialogs(NAMES, HalfSample, Sample(200))) == 100


def conversations(n):
    return Turns.from_utterances(
        pl.DataFrame(
            {
                "dialog": [f"d{i // 2}" for i in range(2 * n)],
                "speaker": ["a", "b"] * n,
                "system": [None, "s"] * n,
                "text": ["How are you?", "Fine, thanks, and you?"] * n,
                "references": [None, ["Fine."] * 9] * n,
            }
        )
    )


def test_scores_stand_under_their_dialog_and_fast_metrics_see_all_references():
    scores, notes = score_sample(
        conversations(3), runnable_metric("length"), level="turn", sample=Sample(2)
    )
    assert scores.to_dict(as_series=False) == {
        "dialog": ["d0", "d1", "d2"],
        "length": [4.0, 4.0, 4.0],
    }
    assert notes == []


def test_a_slow_metric_reads_a_sample_and_five_references(monkeypatch):
    one = runnable_metric("length")
    monkeypatch.setattr(type(one), "slow", True)
    scores, notes = score_sample(conversations(3), one, level="turn", sample=Sample(2))
    assert scores.height == 2
    assert notes == ["2 of 3 sampled", "beside the first 5 references only"]


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any model that is got."""
    monkeypatch.setenv("SIMPATICO_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def test_without_weights_there_is_a_sentence_with_the_way_out(bare):
    assert runnable_metric("bart_score") == (
        "model 'hub:facebook/bart-large-cnn' is not on this machine; "
        "`simpatico models get hub:facebook/bart-large-cnn` downloads it"
    )


def test_a_name_that_does_not_exist_is_a_sentence_too():
    assert runnable_metric("bart_scor").startswith("no metric 'bart_scor'; did you mean ")


def test_published_weights_come_before_others(bare):
    """A folder where the hub's weights would be is enough for the choice; nothing is loaded."""
    (bare / "hub--FacebookAI--roberta-large").mkdir()
    runnable = runnable_metric("bert_score")
    assert (runnable.label, runnable.published_weights) == ("bert_score", True)
    assert runnable.note == "bert_score runs on hub:FacebookAI/roberta-large, its own weights"


def test_other_weights_are_named_and_said_not_to_be_the_published_ones(bare):
    (bare / "hub--microsoft--DialoGPT-medium").mkdir()
    runnable = runnable_metric("fed", model="hub:microsoft/DialoGPT-medium")
    assert not runnable.published_weights
    assert runnable.slow
    assert runnable.note == (
        "fed[DialoGPT-medium] runs on hub:microsoft/DialoGPT-medium, "
        "not the weights it was published with"
    )


def test_the_papers_metrics_that_cannot_run_are_left_out_with_the_reason(bare):
    traditional = TraditionalMetrics(Request(metrics=["bleurt", "bart_score"]), print)
    assert traditional.runnable == {}
    assert traditional.omissions == [
        "Mauve: it compares all texts of a system with all texts of people, and has no value for "
        "one",
        f"BARTScore: {runnable_metric('bart_score')}",
        f"BLEURT: {runnable_metric('bleurt')}",
    ]


def test_a_metric_that_the_paper_does_not_have_is_refused():
    with pytest.raises(UnknownName) as error:
        TraditionalMetrics(Request(metrics=["bert_scor"]), print)
    assert (
        str(error.value)
        == "the paper has no metric 'bert_scor'; did you mean 'bert_score' or 'bart_score'?"
    )
