"""Wrong usages of what reads a run: one sentence with the way out, nothing left behind."""

from pathlib import Path

import pytest

import simpatico
from tests.command_line import simpatico as call

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples"
RATINGS = SAMPLES / "judgements_made_up.csv"
DIALOG = "dog-died/harbor"
VALIDATE = f"validate RUN --judgements {RATINGS}"
FIGURE = "figure forest --run RUN --out f.svg"
QUALITIES = "empathetic, enjoyed, interesting, overall"

WRONG = {
    "scor x": "no command 'scor'; did you mean 'score'?",
    "train empath": "no command 'empath'; did you mean 'empathy'?",
    "models lst": "no command 'lst'; there are cache, forget, get",
    "show RUN --sort lenght": "no score 'lenght' at dialog level; did you mean 'length'?",
    "show RUN --sort speaker": "--sort speaker: this column is not a score; name a score",
    "show RUN --ascending": "--ascending needs --sort SCORE.",
    "show RUN --system brsk": "no system 'brsk'; did you mean 'brisk'?",
    "show RUN --dialog nothing": "no dialog 'nothing'; there are 66, such as 'dog-died/harbor', 'dog-died/brisk', 'dog-died/carousel'",
    "show RUN --dialog x --level system": "--dialog has no effect at level system; use --level dialog or turn",
    "show RUN --format long --scores lenght": "no score 'lenght' at dialog level; did you mean 'length'?",
    "show RUN --format log": "Invalid value for '--format': 'log' is not one of 'table', 'csv', 'json', 'long'.",
    "show nowhere": "nowhere is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one",
    "explain RUN": "Missing argument 'DIALOG'.",
    "explain RUN nothing": "no dialog 'nothing'; there are 66, such as 'dog-died/harbor', 'dog-died/brisk', 'dog-died/carousel'",
    f"explain RUN {DIALOG} 11": f"no turn 11 in dialog '{DIALOG}'; there are 0 to 10",
    f"explain RUN {DIALOG} -- -1": "Invalid value for '[TURN]': -1 is not in the range x>=0.",
    f"explain RUN {DIALOG} --scores lenght": "no score 'lenght'; did you mean 'length'?",
    "explain nowhere d": "nowhere is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one",
    "cite nowhere": "nowhere is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one",
    "cite RUN --format bib": "Invalid value for '--format': 'bib' is not one of 'text', 'bibtex'.",
    "validate RUN": "Missing --judgements FILE, or --controls.",
    "validate RUN --judgements none.csv": "none.csv: no such file; check the path",
    f"{VALIDATE} --json --format latex": "--format prints correlations with ratings; leave it out with --json or --controls.",
    f"{VALIDATE} --against lenght": "no score 'lenght'; did you mean 'length'?",
    f"{VALIDATE} --quality overal": f"no ratings of quality 'overal'; there are {QUALITIES}",
    f"{VALIDATE} --correlation rho": "Invalid value for '--correlation': 'rho' is not one of 'pearson', 'spearman', 'kendall'.",
    f"{FIGURE} --judgements {RATINGS} --quality overal": "no ratings of quality 'overal'; did you mean 'overall'?",
    "figure forst --run RUN --out f.svg": "Invalid value for '{radar|heatmap|forest|dots|tpt}': 'forst' is not one of 'radar', 'heatmap', 'forest', 'dots', 'tpt'.",
    "reproduce psychological-metrics --data . --plan": ". has no dstc10-topical_clean_eval-addrank.json nor any other of the data sets; ",
    "list lenght": "no metric 'lenght'; did you mean 'length'?",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("wrong") / "run"
    source = SAMPLES / "conversations.jsonl"
    done = call("score", source, "--out", out, "--metrics", "length,question_rate")
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_usage_is_one_sentence_and_leaves_nothing(line, run, tmp_path):
    before = sorted(path.name for path in run.iterdir())
    arguments = [run if word == "RUN" else word for word in line.split()]
    done = call(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"simpatico: {WRONG[line]}")
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
    assert sorted(path.name for path in run.iterdir()) == before
