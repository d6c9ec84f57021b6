"""Trait metrics: a model of three weights by hand, and the shipped ones on people never seen."""

from __future__ import annotations

import atexit
import csv
from collections import defaultdict
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np
import polars as pl
import pytest

from simpatico.errors import MissingResource
from simpatico.features.ngram_model import CorrelationFigure, load_trait_model
from simpatico.metric import Metric, missing_resource, signature
from simpatico.metrics.agreeableness import Agreeableness
from simpatico.metrics.empathy import Empathy
from simpatico.metrics.openness import Openness
from simpatico.registry import available, load, preset
from simpatico.scoring import score
from simpatico.training.traits.features import FeatureConfig
from simpatico.training.traits.folder import AboutTrait, NgramWeights, TraitReport, save_trait_model
from simpatico.training.traits.train import correlation_figure
from simpatico.turns import Turns
from tests.conftest import DATA

FIGURE = CorrelationFigure(0.5, 40, 0.2, 0.7, 0.2, 0.7, 0)
TRAITS = [
    "agreeableness",
    "conscientiousness",
    "empathy",
    "extraversion",
    "neuroticism",
    "openness",
]


PLAIN = [
    "I",
    "am",
    "sorry",
    "to",
    "hear",
    "that",
    "your",
    "dog",
    "is",
    "ill",
    "and",
    "I",
    "hope",
    "that",
    "he",
    "will",
    "be",
    "well",
    "again",
]
PLAIN += ["what", "did", "they", "say", "when", "you", "went", "there", "with", "him"]
"""29 words without a weight, in the order of speech."""
SENTENCES = (
    "I am sorry to hear that your dog is ill, and I hope that he will be well again very soon.",
    "What did they say when you went there, and is there anything that we could do for you now?",
    "My sister has had the same with her cat, and it took some weeks until she was on her feet.",
    "Do you want me to come over in the evening so that you are not alone with it?",
)


@cache
def tiny_model(factor: float = 1.0) -> Path:
    """Intercept 4, good 6, day -6, "good day" 2, times the factor; answers from 1 to 7."""
    folder = Path(mkdtemp(prefix="simpatico-trait-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    ngrams = {1: {("good",): 6.0 * factor, ("day",): -6.0 * factor}, 2: {("good", "day"): 2.0}}
    report = TraitReport(
        FeatureConfig((1, 2), 2, "raw"), 1.0, 40, 40, 800, {1: 2, 2: 1}, [FIGURE], FIGURE
    )
    about = AboutTrait("made up", measures="a made-up trait", scale=(1.0, 7.0))
    save_trait_model(folder, NgramWeights(4.0, ngrams), report, about=about, training={})
    return folder


@pytest.fixture
def model() -> str:
    return str(tiny_model())


def dialog(metric: Metric, *texts: str) -> tuple[float | None, str | None]:
    """Score, and reason where there is none, of one speaker's turns in a dialog."""
    rows = [("d", "bot", text) for text in texts]
    frame = pl.DataFrame(rows, schema=["dialog", "speaker", "text"], orient="row")
    table = score(Turns.from_utterances(frame, merge=False), [metric]).at("dialog")
    return table[metric.name][0], table[f"{metric.name}_null"][0]


def test_score_by_hand(model: str) -> None:
    # words: good x2, day x1, sir x3 -> (2*6 - 6) / 6 = 1
    # pairs within turns: good day, day sir | sir good, good sir -> 2 / 4 = 0.5
    value = dialog(Empathy(model, minimum_words=6), "Good day, sir.", "Sir! Good sir...")
    assert value == (pytest.approx(4 + 1 + 0.5), None)


def test_one_turn_or_many_differ_only_in_the_pairs_between(model: str) -> None:
    # joined: 5 pairs, one of them "good day" -> 2 / 5
    value = dialog(Empathy(model, minimum_words=6), "Good day, sir. Sir! Good sir...")
    assert value == (pytest.approx(4 + 1 + 0.4), None)


def test_turns_of_one_word_have_no_pairs(model: str) -> None:
    assert dialog(Empathy(model, minimum_words=2), "good", "day") == (4 + (6 - 6) / 2, None)


def test_scores_end_where_the_scale_ends() -> None:
    # one of 30 words: 4 + 600 / 30, and 4 - 600 / 30
    steep = Empathy(str(tiny_model(100.0)))
    assert dialog(steep, *PLAIN, "good") == (7.0, None)
    assert dialog(steep, *PLAIN, "day") == (1.0, None)


def test_unknown_words_leave_the_intercept(model: str) -> None:
    assert dialog(Empathy(model), *PLAIN) == (4.0, None)


def test_too_few_words(model: str) -> None:
    assert dialog(Empathy(model), *PLAIN[:19]) == (None, "too_few_words")
    assert dialog(Empathy(model), *PLAIN[:20])[1] is None


def test_turns_that_repeat_themselves_or_say_nothing_known_do_not_count(model: str) -> None:
    assert dialog(Empathy(model), "good " * 30) == (None, "degenerate")
    assert dialog(Agreeableness(model), "gleep zorp blick fnord wibble " * 6) == (
        None,
        "degenerate",
    )
    # 100 words of weight 0 remain, so that the intercept does: 30 of 130 trigrams repeat
    assert dialog(Empathy(model), "good " * 30, *PLAIN, *SENTENCES) == (4.0, None)


@pytest.mark.parametrize(
    "turns",
    [
        ["basketball , basketball"] * 15,
        ["so sad , so sad"] * 10,
        ["I love basketball"] * 10,
        ["basketball , basketball " * 12],
        ["table green run quickly sky under seven mouse blue lamp paper glass winter stone road"],
        ["the of and to in that it is was for on are as with his they at be this from I have or"],
    ],
)
@pytest.mark.parametrize("metric", [Empathy(), Agreeableness()])
def test_a_speaker_of_loops_over_turns_or_of_shuffled_words_has_no_score(
    metric: Metric, turns: list[str]
) -> None:
    assert dialog(metric, *turns) == (None, "degenerate")
    assert dialog(metric, *SENTENCES)[1] is None


@pytest.mark.parametrize("minimum", [0, 20])
def test_no_words(model: str, minimum: int) -> None:
    assert dialog(Empathy(model, minimum_words=minimum), "...", "!") == (None, "no_words")


def test_other_script_is_left_out(model: str) -> None:
    foreign = "хороший день " * 20
    assert dialog(Empathy(model), foreign) == (None, "other_script")
    assert dialog(Empathy(model), foreign, *PLAIN, *SENTENCES) == (4.0, None)


def test_chunks_cannot_change_a_score(model: str) -> None:
    rows = [(f"d{i}", "bot", f"{w} good") for i in range(9) for w in [*SENTENCES, *PLAIN[:i]]]
    frame = pl.DataFrame(rows, schema=["dialog", "speaker", "text"], orient="row")
    turns = Turns.from_utterances(frame, merge=False)
    table = score(turns, [Empathy(model)]).at("dialog")
    assert table["empathy"].is_not_null().all()
    assert table.equals(score(turns, [Empathy(model)], chunk=3).at("dialog"))


def test_signature_names_the_model_by_its_hash(model: str) -> None:
    assert f"model_sha256:{load_trait_model(model).sha256[:12]}" in signature(Empathy(model))


def test_a_missing_model_says_how_to_get_one() -> None:
    metric = Openness()
    assert missing_resource(metric) == (
        "openness needs a trait model: train one with `simpatico "
        "train trait --data FILE --text COLUMN --target COLUMN --person COLUMN --out MODEL`, "
        "then add `--set openness.model=MODEL`"
    )
    with pytest.raises(MissingResource) as error:
        dialog(metric, "good day")
    assert str(error.value) == missing_resource(metric)
    with pytest.raises(MissingResource) as error:
        signature(metric)
    assert str(error.value) == missing_resource(metric)


@pytest.mark.parametrize("name", TRAITS)
def test_every_trait_can_be_listed(name: str) -> None:
    metric = load(name)
    assert name in available()
    assert [s.name for s in metric.scores] == [name]
    assert metric.scores[0].range == (1.0, 7.0)
    assert metric.card.about
    assert metric.card.undefined
    assert metric.needs
    assert (missing_resource(metric) is None) == (name in {"empathy", "agreeableness"})
    assert (name in preset("psych")) == (missing_resource(metric) is None)


def test_the_card_says_what_was_learned_and_how_well() -> None:
    assert Empathy().card.about == (
        "Empathic concern of the writer, predicted by a model trained on self-ratings of essay "
        "writers: a state, the reaction to a news story. How empathic a reply reads is "
        "`perceived_empathy`. Trained on 372 people: state empathy of "
        "people writing about news stories, as they rated their own. In cross-validation r = 0.37 "
        "(95% CI [0.28, 0.46], n = 372); the number of words alone reaches 0.18."
    )


def test_empathic_concern_is_titled_as_a_trait_of_the_writer() -> None:
    (concern,) = Empathy().scores
    assert concern.title == "Empathic concern (trait of the writer)"
    assert concern.more == "scores higher on the essay-trained empathic-concern model than"
    assert Agreeableness().scores[0].title == "Agreeableness"


def wassa() -> tuple[dict[str, list[str]], dict[str, list[float]]]:
    """Essays and answers of the 54 people of WASSA-2022's development set."""
    folder = DATA / "wassa"
    if not folder.is_dir():
        pytest.skip(f"no WASSA-2022 in {DATA}; set SIMPATICO_DATA to the folder that holds it")
    options = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    with (folder / "messages_dev.tsv").open(encoding="utf-8", newline="\n") as file:
        messages = list(csv.DictReader(file, **options))  # type: ignore[arg-type]
    with (folder / "goldstandard_dev_2022.tsv").open(encoding="utf-8", newline="\n") as file:
        answers = list(csv.reader(file, **options))  # type: ignore[arg-type]
    essays, ratings = defaultdict(list), {}
    for message, answer in zip(messages, answers, strict=True):
        essays[message["response_id"]].append(message["essay"])
        ratings[message["response_id"]] = [float(cell) for cell in answer[3:]]
    return dict(essays), ratings


def everybody() -> tuple[dict[str, list[str]], dict[str, float]]:
    """Essays and agreeableness of all 426 people of WASSA-2022 with known answers."""
    essays, ratings = wassa()
    answers = {person: numbers[AGREEABLENESS] for person, numbers in ratings.items()}
    with (DATA / "wassa" / "messages_train.tsv").open(encoding="utf-8", newline="\n") as file:
        for message in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            essays.setdefault(message["response_id"], []).append(message["essay"])
            answers[message["response_id"]] = float(message["personality_agreeableness"])
    return essays, answers


AGREEABLENESS, CONCERN = 3, 8
"""Places of the two among the answers."""


@pytest.mark.parametrize(
    ("metric", "answer", "r", "low", "high"),
    [
        (Empathy(), CONCERN, 0.132, -0.141, 0.386),
        (Empathy(), AGREEABLENESS, 0.328, 0.066, 0.548),
    ],
)
def test_figures_on_people_never_seen(
    metric: Metric, answer: int, r: float, low: float, high: float
) -> None:
    essays, answers = wassa()
    outcome = agreement_with_answers(
        metric, essays, {person: a[answer] for person, a in answers.items()}
    )
    assert (outcome.n, round(outcome.r or 0, 3)) == (54, r)
    assert [outcome.low, outcome.high] == pytest.approx([low, high], abs=0.0005)


def test_agreeableness_does_not_carry_over_to_essays() -> None:
    outcome = agreement_with_answers(Agreeableness(), *everybody())
    assert (outcome.n, round(outcome.r or 0, 3)) == (425, 0.047)
    assert [outcome.low, outcome.high] == pytest.approx([-0.0487, 0.1411], abs=0.0005)


def agreement_with_answers(
    metric: Metric, essays: dict[str, list[str]], answers: dict[str, float]
) -> CorrelationFigure:
    """How a metric's scores of people agree with their answers."""
    rows = [(person, "writer", text) for person, texts in essays.items() for text in texts]
    frame = pl.DataFrame(rows, schema=["dialog", "speaker", "text"], orient="row")
    table = score(Turns.from_utterances(frame, merge=False), [metric]).at("dialog")
    # one of the 426 wrote the same text five times, and has no score
    table = table.drop_nulls(metric.name)
    truth = np.array([answers[person] for person in table["dialog"]])
    return correlation_figure(table[metric.name].to_numpy(), truth)


def test_the_shipped_models_are_two_not_one() -> None:
    assert load_trait_model(Empathy().model) != load_trait_model(Agreeableness().model)


def test_the_card_of_another_model_tells_its_own_data(model: str) -> None:
    card, (score_of_model,) = Empathy(model).card, Empathy(model).scores
    assert card.about == (
        "Empathic concern (trait of the writer) of a speaker. Trained on 40 people: a made-up "
        "trait. In cross-validation r = 0.50 (95% CI [0.20, 0.70], n = 40); the number of words "
        "alone reaches 0.50."
    )
    assert "essay" not in card.careful + score_of_model.meaning + score_of_model.more
    assert score_of_model.meaning == "a made-up trait, as the model predicts it"
