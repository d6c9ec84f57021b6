"""The DeepEval metric in its own `measure` and `evaluate`."""

import pytest

import simpatico
from simpatico.errors import BadValue

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SAID = [("user", "I lost my dog."), ("assistant", "Oh no, I am so sorry! Where did you see it?")]


@pytest.fixture
def deepeval(monkeypatch, tmp_path):
    """DeepEval without telemetry, in a folder of its own, where it keeps its results."""
    monkeypatch.chdir(tmp_path)
    for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_DISABLE_DOTENV"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("DEEPEVAL_UPDATE_WARNING_OPT_IN", "0")
    return pytest.importorskip("deepeval")


def case(said=SAID):
    from deepeval.test_case import ConversationalTestCase, Turn

    return ConversationalTestCase(turns=[Turn(role=role, content=text) for role, text in said])


def ours(name, threshold=None):
    from simpatico.integrations.deepeval import conversational_metric

    return conversational_metric(name, threshold=threshold)


def test_measure_gives_the_score_of_simpatico(deepeval):
    messages = [{"role": role, "content": text} for role, text in SAID]
    table = simpatico.score(messages, "style_matching").at("dialog")
    value = table.filter(system="assistant")["style_matching"].item()
    metric = ours("style_matching")
    assert metric.measure(case()) == metric.score == value
    assert (metric.__name__, metric.error, metric.is_successful()) == ("style_matching", None, None)
    assert metric.reason.startswith(f"style_matching = {value:.3f} (style_matching|lexicon:")


def test_the_threshold_is_passed_on_the_better_side(deepeval):
    high, low = ours("length", threshold=10), ours("length", threshold=11)
    assert (high.measure(case()), low.measure(case())) == (11, 11)
    assert ours("length", threshold=12).measure(case()) == 11
    few = ours("repetition", threshold=0.0)
    few.measure(case())
    assert (high.success, low.success, few.success) == (True, True, True)
    again = ours("repetition", threshold=0.0)
    again.measure(case([SAID[0], ("assistant", "so so so so so so so so")]))
    assert again.score > 0
    assert not again.success


def test_null_is_an_error_and_no_number(deepeval):
    metric = ours("agreeableness", threshold=1)
    assert metric.measure(case()) is None
    assert metric.error == "agreeableness is not scored: too few words"
    assert metric.is_successful() is False


def test_a_metric_of_several_scores_is_refused(deepeval):
    with pytest.raises(BadValue) as error:
        ours("emotion_shares")
    assert str(error.value) == "emotion_shares has 8 scores and DeepEval takes one"


def test_evaluate_runs_it(deepeval):
    result = deepeval.evaluate(
        [case()], [ours("length", threshold=5), ours("agreeableness")], display_config=quiet()
    )
    (tested,) = result.test_results
    by_name = {data.name: data for data in tested.metrics_data}
    assert (by_name["length"].score, by_name["length"].success) == (11, True)
    assert by_name["agreeableness"].score is None
    assert by_name["agreeableness"].error == "agreeableness is not scored: too few words"


def quiet():
    from deepeval.evaluate import DisplayConfig

    return DisplayConfig(show_indicator=False, print_results=False)
