"""The words every shipped score brings along."""

import json
import math
import re
from pathlib import Path

import pytest

import simpatico
from simpatico import available, load
from simpatico.metric import score_wording, title_with_model
from simpatico.metrics._shared.trait import OWN_MODEL_CAUTION

METRICS = [load(name) for name in available()]
SCORES = [score for metric in METRICS for score in metric.scores]
MODELS = Path(simpatico.__file__).parent / "data" / "models"
FORBIDDEN = re.compile(r"\b(better|worse|good|bad|feels?)\b")


@pytest.mark.parametrize("score", SCORES, ids=lambda s: s.name)
def test_a_score_has_its_own_words(score):
    assert score.title[0].isupper()
    for phrase in (score.more, score.less):
        assert phrase.endswith(" than")
        assert not FORBIDDEN.search(phrase)
    assert score.more != score.less
    words = score_wording(score.name, vars(score))
    own = {k: getattr(score, k) for k in ("title", "more", "less", "unit")}
    assert words == own | {"title": title_with_model(score.title, score.name)}


def test_no_two_scores_read_alike():
    assert len({s.title for s in SCORES}) == len({s.more for s in SCORES}) == len(SCORES)


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_a_card_says_in_one_sentence_what_to_be_careful_about(metric):
    assert re.fullmatch(r"[A-Z].*\.", metric.card.careful)
    assert not re.search(r"\. [A-Z]", metric.card.careful)


@pytest.mark.parametrize("trait", ["agreeableness", "empathy"])
def test_the_figures_on_a_card_are_the_models(trait):
    correlation = json.loads((MODELS / trait / "recipe.json").read_text())["heldout"][0]["r"]
    assert f"r = {correlation:.2f}".replace("0.", ".") in load(trait).card.careful


def test_another_model_is_not_described_by_the_shipped_ones_figures():
    assert load("empathy", model="elsewhere").card.careful == OWN_MODEL_CAUTION


def test_the_unit_of_entropy_follows_its_base():
    units = [
        load("emotional_entropy", **options).scores[0].unit
        for options in ({}, {"base": math.e}, {"base": 10.0}, {"normalised": True})
    ]
    assert units == ["bits", "nats", "", ""]
