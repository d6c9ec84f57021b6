"""Balanced accuracy, AUC, F1, average precision: by hand, and against scikit-learn."""

import numpy as np
import pytest

from simpatico.stats.classification import (
    LabelledPredictions,
    best_f1_threshold,
    compare_runs,
    evaluate_classifier,
    evaluate_runs,
    weighted_average_precision,
)


def run(guess, label, predictions=None, dialog=None):
    guess, label = np.array(guess, float), np.array(label, bool)
    predictions = guess > 0 if predictions is None else np.array(predictions, bool)
    return LabelledPredictions(
        guess, predictions, label, dialog or [str(n) for n in range(len(guess))]
    )


def test_figures_by_hand():
    """Told are A, B, C, of which A and C are so; D is so and missed; E and F are not told and are
    not so. Accuracy 4/6; precision and recall of the kind 2/3, of the others 2/3: macro-F1 2/3.
    Of 9 pairs of one that is and one that is not, A wins 3, C 2, D 2: AUC 7/9. In falling order
    A B C D E F is so at ranks 1, 3, 4: average precision (1 + 2/3 + 3/4) / 3 = 29/36."""
    result = evaluate_classifier("x", run([3, 2, 1, -1, -2, -3], [1, 0, 1, 1, 0, 0]))
    for estimate, value in (
        (result.accuracy, 2 / 3),
        (result.macro_f1, 2 / 3),
        (result.f1, 2 / 3),
        (result.auc, 7 / 9),
        (result.average_precision, 29 / 36),
    ):
        assert estimate.value == pytest.approx(value, abs=1e-6)
        assert estimate.low <= estimate.value <= estimate.high
    assert (result.n, result.clusters) == (6, 6)
    assert [one.n for one in result.classes] == [3, 3]
    assert result.classes[1].precision == pytest.approx(2 / 3, abs=1e-6)


def test_one_class_for_all():
    """All are told to be so, which 3 of 4 are: accuracy .75, F1 6/7 and 0, so macro-F1 3/7."""
    result = evaluate_classifier("majority", run([0.75] * 4, [1, 1, 1, 0], [1] * 4))
    assert result.accuracy.value == 0.75
    assert result.macro_f1.value == pytest.approx(3 / 7, abs=1e-6)
    assert (result.auc.value, result.average_precision.value) == (0.5, 0.75)
    assert result.classes[0].precision is None
    assert result.classes[0].recall == 0


def test_one_dialog_has_no_interval_to_speak_of():
    """Every resample of one dialog is that dialog."""
    result = evaluate_classifier("x", run([1, -1, 1], [1, 0, 0], dialog=["d"] * 3))
    assert result.accuracy.value_and_interval == pytest.approx((2 / 3,) * 3, abs=1e-6)
    assert result.clusters == 1


def test_average_precision_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="comes with simpatico[train]")
    rng = np.random.default_rng(0)
    guess, weight = rng.integers(0, 8, 60), rng.integers(0, 3, 60).astype(float)
    label = rng.random(60) < 0.3
    _, code = np.unique(guess, return_inverse=True)
    expected = metrics.average_precision_score(label, guess, sample_weight=weight)
    assert weighted_average_precision(code, label, weight) == pytest.approx(expected)
    assert np.isnan(weighted_average_precision(code, np.zeros(60, bool), weight))
    result = evaluate_classifier("x", run(guess - 3.5, label))
    assert result.macro_f1.value == pytest.approx(
        metrics.f1_score(label, guess > 3.5, average="macro"), abs=1e-6
    )
    assert result.auc.value == pytest.approx(metrics.roc_auc_score(label, guess), abs=1e-6)


def test_the_limit_of_the_best_f1_by_hand():
    """Above 2.5 lie 3 and 4, both so: F1 2*2/(2+3) = .8. Above 0.5 lie all but 0: 2*3/(4+3) = .86,
    which is more."""
    assert best_f1_threshold(np.array([0.0, 1, 2, 3, 4]), np.array([0, 1, 0, 1, 1], bool)) == 0.5
    assert best_f1_threshold(np.array([5.0, 6]), np.array([1, 1], bool)) == 4.0


def test_measures_by_hand():
    """Engaging 3 and 1, others 2 and 1: 3 beats both, 1 loses one and draws one: 2.5 of 4. Above 1
    are one of the two engaging ones and one of the two others: .5. One dialog has no spread."""
    result = evaluate_runs("x", [run([3, 1, 2, 1], [1, 1, 0, 0], [1, 0, 1, 0], ["d"] * 4)])
    assert (result.name, result.n) == ("x", 4)
    assert result.balanced_accuracy.value_and_interval == (0.5, 0.5, 0.5)
    assert result.auc.value_and_interval == (0.625, 0.625, 0.625)


def test_figures_are_means_over_seeds():
    """One seed tells all right, one all wrong: (1 + 0) / 2; the first is above the second by 1."""
    right = run([2, 1], [1, 0], [1, 0], ["d", "d"])
    wrong = run([1, 2], [1, 0], [0, 1], ["d", "d"])
    result = evaluate_runs("x", [right, wrong])
    assert (result.balanced_accuracy.value, result.auc.value, result.n) == (0.5, 0.5, 4)
    _, gains = compare_runs({"right": [right], "wrong": [wrong]}, "right")
    assert gains["wrong"].value_and_interval == (1.0, 1.0, 1.0)


def test_intervals_are_over_dialogs():
    """Of three dialogs one is told wrong: resamples without it give 1, those of it alone 0."""
    label, dialog = [1, 0] * 3, ["a", "a", "b", "b", "c", "c"]
    result = evaluate_runs("x", [run([3, 0, 3, 0, 1, 2], label, [1, 0, 1, 0, 0, 1], dialog)])
    assert result.balanced_accuracy.value == pytest.approx(2 / 3, abs=1e-6)
    assert (result.balanced_accuracy.low, result.balanced_accuracy.high) == (0, 1)
