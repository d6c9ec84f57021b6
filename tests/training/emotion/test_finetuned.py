"""Fine-tuning for emotions: a classifier of single texts with the paper's recipe."""

import json

import pytest

from simpatico.features.plutchik import EMOTIONS
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import polarity_model
from simpatico.training.emotion.train import EmotionSettings, train_emotion
from tests.training.emotion.test_train import ABOUT, ENCODER, said

pytest.importorskip("torch", reason="torch comes with simpatico[torch]")


def test_an_encoder_is_tuned_with_the_papers_recipe(tmp_path):
    signs = {"joy": "positive", "anger": "negative"}
    training = EmotionSettings(encoder=ENCODER, fine_tune=1, svm=False, mapped=signs)
    out = tmp_path / "m"
    report = train_emotion(said(90), out, kind="polarity", settings=training, about=ABOUT)
    assert [row.name for row in report.rows["positive"]][:2] == ["this model", "majority"]
    assert report.recipe is None
    told = json.loads((out / "training.json").read_text())
    recipe = [told[name] for name in ("rate", "batch", "longest", "epochs", "class_weights")]
    assert recipe == [1e-5, 32, 128, 1, False]
    assert told["labels"] == ["negative", "positive"]
    card = (out / "card.md").read_text(encoding="utf-8")
    assert card.startswith("# Text classifier: negative, positive\n")
    assert "## Results on the test set\n" in card
    assert "- excluded: 30 with irrelevant or contradictory labels; " in card
    assert ((polarity_model(f"path:{out}")(["a good day", "rain"]) - 0.5) ** 2 <= 0.25).all()


def test_eight_emotions_are_tuned_together(tmp_path):
    inputs = said(120)
    label = [
        ("joy", *EMOTIONS[at // 3 % 2 :: 2]) if names == ("joy",) else ("neutral",)
        for at, names in enumerate(inputs.label)
    ]
    inputs = Utterances("made up", inputs.text, label)
    training = EmotionSettings(encoder=ENCODER, fine_tune=1, svm=False)
    report = train_emotion(inputs, tmp_path / "m", kind="plutchik", settings=training, about=ABOUT)
    assert tuple(report.rows) == EMOTIONS
    told = json.loads((tmp_path / "m" / "training.json").read_text())
    assert (told["problem"], told["labels"]) == ("multi", list(EMOTIONS))
