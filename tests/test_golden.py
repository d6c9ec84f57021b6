"""The scores of the bundled conversations, as stored in `golden_scores.json`: no release moves them.

Of each score and level the file has the number of values, their mean, and their mean weighted by
position (1, 2, …), so that a single changed, lost or moved value of the 755 turns shows.
`python -m tests.test_golden` writes it anew, which a change of numbers on purpose needs.
"""

import json
import os
import subprocess
import sys
from math import fsum
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from simpatico import load, read, score
from simpatico.scoring import run_models
from tests.conftest import ROOT

FILE = Path(__file__).with_name("golden_scores.json")
SAMPLES = ROOT / "simpatico" / "data" / "samples" / "conversations.jsonl"
CORE = [
    *("agreeableness", "distinct_n", "dyad_style_matching", "emotion_matching", "emotion_shares"),
    *("emotional_entropy", "empathy", "length", "question_rate", "repetition", "style_matching"),
]
"""Everything that runs without a model on conversations alone."""
NEURAL = [
    *("coherence", "emotional_consistency", "engagement", "engaging_and_relevant"),
    *("perceived_empathy", "predicted_rating", "relevance"),
]
"""On the encoder of the extra `neural`."""


def golden(name):
    """The three numbers of each score of a metric, by level."""
    metric = load(name)
    table = score(read(SAMPLES), [metric])
    numbers = {}
    for level in ("turn", "dialog", "system"):
        frame = table.at(level)
        for column in (s.name for s in metric.scores if s.name in frame.columns):
            values = frame[column].to_list()
            present = [(i, v) for i, v in enumerate(values, 1) if v is not None]
            mean = fsum(v for _, v in present) / len(present)
            weighted = fsum(i * v for i, v in present) / fsum(i for i, _ in present)
            numbers[f"{level} {column}"] = [len(present), mean, weighted]
    return numbers


@pytest.mark.parametrize(
    "name", [*CORE, *(pytest.param(n, marks=pytest.mark.slow) for n in NEURAL)]
)
def test_the_scores_of_the_bundled_conversations_stay_as_they_are(name):
    stored = json.loads(FILE.read_text())[name]
    # sums of words differ in their last bits between versions of libraries, models by more
    tolerance = 1e-5 if run_models([load(name)]) else 1e-12
    numbers = golden(name)
    assert numbers.keys() == stored.keys()
    for place, expected in stored.items():
        assert numbers[place] == pytest.approx(expected, rel=tolerance, abs=tolerance), place


@pytest.mark.slow
def test_a_processor_of_fewer_instructions_computes_the_same():
    environment = os.environ | {
        "NPY_DISABLE_CPU_FEATURES": " ".join(_multiarray_umath.__cpu_dispatch__),
        "OPENBLAS_CORETYPE": "Nehalem",
        "ATEN_CPU_CAPABILITY": "default",
    }
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "stay", __file__]
    done = subprocess.run(line, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_metric_of_words_is_in_the_file():
    from simpatico.registry import preset

    names = {n for n in preset("default") if not run_models([load(n)])}
    assert names <= set(CORE)


if __name__ == "__main__":
    table = {name: golden(name) for name in [*CORE, *NEURAL]}
    lines = [f" {json.dumps(name)}: {json.dumps(rows)}" for name, rows in table.items()]
    text = ",\n".join(lines).replace("], ", "],\n  ")  # a score a line, for the eye of a reviewer
    FILE.write_text(f"{{\n{text}\n}}\n")
