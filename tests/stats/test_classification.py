"""Figures of emotion models: by hand, and against scikit-learn."""

import numpy as np
import pytest

from simpatico.stats.classification import best_f1_limit, row, weighted_precision
from simpatico.stats.classification__measures import Run


def run(guess, label, told=None, dialog=None):
    guess, label = np.array(guess, float), np.array(label, bool)
    told = guess > 0 if told is None else np.array(told, bool)
    return Run(guess, told, label, dialog or [str(n) for n in range(len(guess))])


def test_figures_by_hand():
    """Told are A, B, C, of which A and C are so; D is so and missed; E and F are not told and are
    not so. Accuracy 4/6; precision and recall of the kind 2/3, of the others 2/3: macro-F1 2/3.
    Of 9 pairs of one that is and one that is not, A wins 3, C 2, D 2: AUC 7/9. In falling order
    A B C D E F is so at ranks 1, 3, 4: average precision (1 + 2/3 + 3/4) / 3 = 29/36."""
    found = row("x", run([3, 2, 1, -1, -2, -3], [1, 0, 1, 1, 0, 0]))
    for estimate, value in (
        (found.accuracy, 2 / 3),
        (found.macro_f1, 2 / 3),
        (found.f1, 2 / 3),
        (found.auc, 7 / 9),
        (found.precision, 29 / 36),
    ):
        assert estimate.value == pytest.approx(value, abs=1e-6)
        assert estimate.low <= estimate.value <= estimate.high
    assert (found.n, found.groups) == (6, 6)
    assert [one.n for one in found.classes] == [3, 3]
    assert found.classes[1].precision == pytest.approx(2 / 3, abs=1e-6)


def test_one_class_for_all():
    """All are told to be so, which 3 of 4 are: accuracy .75, F1 6/7 and 0, so macro-F1 3/7."""
    found = row("majority", run([0.75] * 4, [1, 1, 1, 0], [1] * 4))
    assert found.accuracy.value == 0.75
    assert found.macro_f1.value == pytest.approx(3 / 7, abs=1e-6)
    assert (found.auc.value, found.precision.value) == (0.5, 0.75)
    assert found.classes[0].precision is None
    assert found.classes[0].recall == 0


def test_one_dialog_has_no_interval_to_speak_of():
    """Every resample of one dialog is that dialog."""
    found = row("x", run([1, -1, 1], [1, 0, 0], dialog=["d"] * 3))
    assert found.accuracy == pytest.approx((2 / 3,) * 3, abs=1e-6)
    assert found.groups == 1


def test_average_precision_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="comes with simpatico[train]")
    rng = np.random.default_rng(0)
    guess, weight = rng.integers(0, 8, 60), rng.integers(0, 3, 60).astype(float)
    label = rng.random(60) < 0.3
    _, code = np.unique(guess, return_inverse=True)
    wanted = metrics.average_precision_score(label, guess, sample_weight=weight)
    assert weighted_precision(code, label, weight) == pytest.approx(wanted)
    assert np.isnan(weighted_precision(code, np.zeros(60, bool), weight))
    found = row("x", run(guess - 3.5, label))
    assert found.macro_f1.value == pytest.approx(
        metrics.f1_score(label, guess > 3.5, average="macro"), abs=1e-6
    )
    assert found.auc.value == pytest.approx(metrics.roc_auc_score(label, guess), abs=1e-6)


def test_the_limit_of_the_best_f1_by_hand():
    """Above 2.5 lie 3 and 4, both so: F1 2*2/(2+3) = .8. Above 0.5 lie all but 0: 2*3/(4+3) = .86,
    which is more."""
    assert best_f1_limit(np.array([0.0, 1, 2, 3, 4]), np.array([0, 1, 0, 1, 1], bool)) == 0.5
    assert best_f1_limit(np.array([5.0, 6]), np.array([1, 1], bool)) == 4.0
