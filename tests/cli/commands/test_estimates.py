"""`simpatico compare --correct` and `simpatico sample` as they are called."""

import json

import numpy as np
import polars as pl
import pytest

from tests.command_line import simpatico
from tests.comparison.runs import make_run

RNG = np.random.default_rng(21)
N = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two systems; `warmth` follows quality, `wit` does not; the first 40 dialogs are rated."""
    place = tmp_path_factory.mktemp("estimates")
    quality = {"ash": RNG.normal(3, 1, N), "birch": RNG.normal(4, 1, N)}
    scores = {
        "warmth": {s: (q + RNG.normal(0, 0.4, N)).tolist() for s, q in quality.items()},
        "wit": {s: RNG.random(N).tolist() for s in quality},
    }
    make_run(place / "run", scores, prompts=False)
    rows = [(f"{s}/{i:04d}", "overall", float(q[i])) for s, q in quality.items() for i in range(40)]
    columns = ["dialog", "quality", "value"]
    pl.DataFrame(rows, columns, orient="row").write_csv(place / "ratings.csv")
    thumbs = [(d, q, float(v > 3.5)) for d, q, v in rows]
    pl.DataFrame(thumbs, columns, orient="row").write_csv(place / "thumbs.csv")
    two = [(d, q, k, v + 0.3 * k) for d, q, v in rows for k in (0, 1)]
    pl.DataFrame(two, ["dialog", "quality", "judge", "value"], orient="row").write_csv(
        place / "two.csv"
    )
    judged = [
        {"dialog": f"{s}/{i:04d}", "quality": "overall", "judge": "llm@12345678", "judge_kind": "model", "value": float(q[i] > 3.5) if i % 6 else float(q[i] <= 3.5)}
        for s, q in quality.items() for i in range(N)
    ]  # fmt: skip
    (place / "judged.jsonl").write_text("\n".join(map(json.dumps, judged)))
    return place


def call(folder, line):
    return simpatico(*line.split(), cwd=folder)


COMPARE = "compare run --judgements ratings.csv --correct ppi"


def test_words_for_people(folder):
    done = call(folder, f"{COMPARE} --proxy warmth")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].startswith("Overall: with warmth your 80 rated dialogs are worth ")
    assert lines[1] == "Mean rating"
    assert lines[2].split("  ")[0] == "system"
    assert [line.split()[0] for line in lines[4:6]] == ["ash", "birch"]
    assert lines[4].split()[-2:] == ["40", "80"]
    assert lines[7] == "Differences"
    assert lines[10].startswith("ash − birch  ")
    assert done.stderr == (
        "Estimates are in the raters' unit and generalise to further dialogs of these systems; "
        "“ratings alone” uses no proxy.\n"
    )


def test_json_has_every_field_and_is_the_same_twice(folder):
    done = call(folder, f"{COMPARE} --json")
    (own,) = json.loads(done.stdout)
    assert " ".join(own) == "quality unit proxy rated worth means differences notes"
    assert own["proxy"] == "the blend of 2 scores"
    assert own["worth"]["low"] > 80
    (difference,) = own["differences"]
    assert (difference["a"], difference["b"]) == ("ash", "birch")
    assert difference["high"] - difference["low"] < (
        difference["people_high"] - difference["people_low"]
    )
    assert difference["p_adjusted"] == difference["p_value"] < 0.05
    assert call(folder, f"{COMPARE} --json").stdout == done.stdout


def test_a_judge_is_a_proxy_and_its_yes_is_corrected(folder):
    judge = "--judges judged.jsonl --proxy llm@12345678 --json"
    (own,) = json.loads(call(folder, f"{COMPARE} {judge}").stdout)
    assert own["proxy"] == "llm@12345678"
    line = "compare run --judgements thumbs.csv --correct rogan-gladen"
    (shares,) = json.loads(call(folder, f"{line} {judge}").stdout)
    assert (shares["unit"], shares["worth"]) == ("percentage points", None)
    ash, birch = shares["means"]
    assert 0 <= ash["low"] < ash["value"] < ash["high"] < 100
    assert ash["value"] < ash["people_value"] < birch["people_value"] < birch["value"]


def test_a_sample_is_drawn_rated_and_weighed(folder, tmp_path):
    out = tmp_path / "next.csv"
    done = call(folder, f"sample run --n 30 --k 2 --judgements ratings.csv --out {out}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "30 dialogs to rate by the blend of 2 scores"
    assert done.stdout.splitlines()[-1] == f"60 ratings to collect; written to {out}."
    assert done.stderr == (
        f"Then: simpatico compare RUN --judgements FILE --correct ppi --sample {out}\n"
    )
    drawn = pl.read_csv(out)
    assert drawn.columns == ["dialog", "system", "proxy", "stratum", "weight", "ratings"]
    assert drawn.filter(ratings=2).group_by("system").len()["len"].to_list() == [15, 15]
    again = call(folder, f"sample run --n 30 --k 2 --judgements ratings.csv --out {out} --json")
    assert json.loads(again.stdout) == drawn.to_dicts()
    own = json.loads(call(folder, f"{COMPARE} --sample {out} --json").stdout)[0]
    assert own["notes"] == ["30 dialogs of the sample without a rating so far."]
    assert own["rated"] == 80


def test_no_file_of_somebody_else_is_replaced(folder, tmp_path):
    (tmp_path / "mine.csv").write_text("a,b\n")
    line = f"sample run --n 3 --proxy warmth --out {tmp_path / 'mine.csv'}"
    done = call(folder, line)
    assert done.returncode == 2
    assert (
        "was not written by `simpatico sample`; name another file, or overwrite it" in done.stderr
    )
    assert call(folder, f"{line} --force").returncode == 0


def test_plan(folder):
    line = "sample run --plan --width 0.4 --judgements"
    rows = json.loads(call(folder, f"{line} ratings.csv --json").stdout)
    assert [row["estimate"] for row in rows] == ["mean", "difference"]
    mean = rows[0]
    assert mean["with_proxy_low"] < mean["with_proxy"] < mean["with_proxy_high"] < mean["alone"]
    words = call(folder, f"{line} two.csv --k 2").stdout
    assert words.startswith("Dialogs of each system to rate for a 95% CI 0.4 wide\n")
    (known, _) = json.loads(
        call(folder, "sample run --plan --width 0.5 --sd 1 --r 0.8 --json").stdout
    )
    assert known["with_proxy"] < known["alone"] == known["alone_low"] == 64


FILES = "--judgements ratings.csv"
WRONG = {
    "compare run --correct ppi": "--correct needs people's ratings of some dialogs: --judgements FILE.",
    "compare run --correct pppi": "Invalid value for '--correct': 'pppi' is not one of 'ppi', 'rogan-gladen'.",
    f"compare run {FILES} --proxy warmth": "--proxy belongs to --correct ppi or --correct rogan-gladen.",
    f"{COMPARE} --plan": "How many ratings are needed says simpatico sample --plan.",
    f"{COMPARE} --by month": "--correct estimates whole systems; leave out --by.",
    f"{COMPARE} --proxy warmt": "no score or judge 'warmt'; did you mean 'warmth'?",
    f"{COMPARE} --sample none.csv": "none.csv cannot be read as a sample (No such file or directory (os error 2): none.csv); name the file that `simpatico sample` wrote",
    f"{COMPARE} --sample ratings.csv": "ratings.csv has no column 'system'; name the file that `simpatico sample` wrote",
    f"{COMPARE} --judges none.jsonl": "none.jsonl: no such file; check the path",
    f"compare run {FILES} --correct rogan-gladen": "--correct rogan-gladen corrects one judge's yes and no: name it with --proxy",
    f"compare run {FILES} --correct rogan-gladen --proxy warmth": "--correct rogan-gladen needs answers of yes or no (1 or 0); people on 'overall' gave others, so use --correct ppi",
    "compare run --judgements thumbs.csv --correct rogan-gladen --proxy warmth": "--correct rogan-gladen needs answers of yes or no (1 or 0); warmth gave others, so use --correct ppi",
    "sample run --n 3": "Missing --n NUMBER and --out FILE, or --plan with --width NUMBER.",
    "sample run --n 0 --out s.csv": "Invalid value for '--n': 0 is not in the range x>=1.",
    "sample run --n 3 --out s.csv": "no score of this run is known to follow people; name one with --proxy",
    "sample run --n 3 --proxy blend --out s.csv": "--proxy blend learns from ratings; give some (--judgements), or name a score",
    "sample run --n 300 --proxy wit --out s.csv": "--n 300 is more than there are dialogs without a rating: 240",
    "sample run --n 3 --width 1 --out s.csv": "--width, --sd and --r belong to --plan.",
    "sample run --plan": "--plan needs --width NUMBER, the width of the interval you want.",
    "sample run --plan --width 1 --n 3": "--plan draws nothing; leave out --n and --out.",
    "sample run --plan --width 1": "--plan needs ratings of some dialogs (--judgements) or --sd NUMBER, and not both.",
    f"sample run --plan --width 1 --r .5 {FILES}": "--r goes with --sd; with --judgements it is measured.",
    "sample run --plan --width 1 --sd 1 --quality overall": "--quality names what --judgements rates; give both.",
    f"sample run --plan --width 1 --k 3 {FILES}": "--k 3 needs ratings in which some dialogs have two raters or more: without, nobody knows how much raters differ",
    f"sample run --plan --width 1 --quality overal {FILES}": "no ratings of quality 'overal'; there are overall",
    "sample nowhere --n 3 --out s.csv": "nowhere is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one",
}  # fmt: skip


@pytest.mark.parametrize("line", WRONG)
def test_wrong_usage_is_one_sentence(folder, line):
    before = sorted(folder.iterdir())
    done = call(folder, line)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simpatico: {WRONG[line]}\n"
    assert sorted(folder.iterdir()) == before
