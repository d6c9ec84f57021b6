"""Fine-tuning for engagement: a checkpoint out of rated exchanges, and the baselines beside it."""

import pytest

from simpatico.errors import BadValue
from simpatico.features.word_vectors import GLOVE
from simpatico.models.names import why_missing
from simpatico.training.card import About
from simpatico.training.engagement.baselines import baseline_predictions
from simpatico.training.engagement.exchanges import ExchangeInput
from simpatico.training.engagement.train import (
    EngagementSettings,
    fine_tune_engagement,
    train_engagement,
)
from tests.models.tiny import tiny
from tests.training.engagement.test_train import ABOUT, ENCODER, talks

pytest.importorskip("torch", reason="torch comes with simpatico[torch]")


def test_an_encoder_is_tuned_and_judged_on_dialogs_held_out(tmp_path):
    training = EngagementSettings(encoder=f"path:{tiny('bert')}", fine_tune=1)
    report = fine_tune_engagement(
        talks(20), tmp_path / "m", settings=training, about=About("made up")
    )
    assert [row.name for row in report.rows] == ["engagement", "reply length", "question mark"]
    assert (report.recipe, report.dialogs) == (None, 4)
    card = (tmp_path / "m" / "card.md").read_text(encoding="utf-8")
    assert card.startswith("# Text classifier: not engaging, engaging\n")
    assert "## Results on the test set\nOne random split; " in card
    assert "- 100.0% of the engaging exchanges of the test set are between two people\n" in card
    assert not (tmp_path / "m.partial").exists()


def test_a_head_is_no_base_for_fine_tuning(tmp_path):
    heads = tmp_path / "heads"
    train_engagement(talks(20), heads, settings=EngagementSettings(encoder=ENCODER), about=ABOUT)
    training = EngagementSettings(base=f"path:{heads}", fine_tune=1)
    with pytest.raises(BadValue) as told:
        fine_tune_engagement(talks(20), tmp_path / "m", settings=training, about=ABOUT)
    assert str(told.value) == (
        f"path:{heads} is a head over frozen vectors; fine-tuning starts from an encoder or a "
        "fine-tuned model"
    )
    assert not (tmp_path / "m").exists()


def test_learned_baselines_stand_beside():
    pytest.importorskip("sklearn", reason="scikit-learn comes with simpatico[train]")
    if reason := why_missing(GLOVE):
        pytest.skip(reason)
    sides = ExchangeInput(talks()).usable().split(0)
    runs = baseline_predictions(sides, seed=0, trained=True)
    assert list(runs) == ["reply length", "question mark", "linear SVM", "Bi-RNN"]
    for result in runs.values():
        assert len(result.score) == len(result.predicted) == len(sides.test)
