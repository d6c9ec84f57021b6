"""Auditing judges: its speed, and what it says of three public sets.

    python benchmarks/judges.py                          20 judges x 5,000 units, CPU seconds
    python benchmarks/judges.py --errors                 type I error of the test, 1,000 sets
    python benchmarks/judges.py --data DIR [--set NAME]  alt-test, kumar-empathy, llm-rubric, duo

alt-test: winning rate and advantage beside those of the authors' notebook. llm-rubric: the expected
score as given, and calibrated to each rater, by nested cross-validation: the tested dialogs of each
of ten folds serve neither for fitting nor for choosing penalties. Each dialog has one rater, and
every rater is in training too: these figures are about new dialogs of raters who are known.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.judge_answers import ANSWER_SCHEMA, JudgeAnswers
from simpatico.judgements import SCHEMA, Judgements
from simpatico.readers.judge_answer_files import read_judge_answers
from simpatico.stats.alternative_annotator import contests
from simpatico.stats.correlation import correlation
from simpatico.training.users import fit
from simpatico.training.users.examples import UserExamples
from simpatico.validation.judges.audit import audit_judges

PRINTED = {
    "10k_prompts": (0.15, ".31 .67  .08 .63  .69 .76  .15 .67  .92 .80  .15 .67"),
    "cebab_stars": (0.1, ".60 .82  .80 .87  .90 .90  .60 .85  .90 .89  .50 .83"),
    "lgbteen": (0.2, ".25 .71  .00 .67  .75 .77  .00 .72  .75 .76  .25 .75"),
    "mtbench": (0.2, ".00 .72  .00 .76  .00 .77  .00 .69  .00 .74  .00 .68"),
}
"""Epsilon, and winning rate and advantage of each model, in the order of the notebook."""
ID = {
    "empatheticdialogues": "conv_id",
    "epitome": "sp_id",
    "lend_an_ear": "conversation_id",
    "perceived_empathy": "id",
}
FOLDS, SEEDS = 10, 5
QUESTIONS = [f"Q{number}" for number in range(9)]
Row = tuple[object, ...]


def judgements(rows: list[Row], kind: str | None = None) -> pl.DataFrame:
    """Rows of dialog, quality, judge, value (and kind of judge) as a table of judgements."""
    names = ("dialog", "quality", "judge", "value", "judge_kind")
    frame = pl.DataFrame(
        [row if len(row) == len(names) else (*row, kind) for row in rows],
        schema=dict.fromkeys(names[:3], pl.String()) | {"value": pl.Float64(), names[4]: pl.String},
        orient="row",
    )
    missing = [pl.lit(None, t).alias(n) for n, t in ANSWER_SCHEMA.items() if n not in names]
    return frame.with_columns(missing).select(list(ANSWER_SCHEMA))


def made_up(judges: int, units: int) -> tuple[Judgements, JudgeAnswers]:
    """Three people, and judges who say everything twice, on the scale from 1 to 5."""
    rng = np.random.default_rng(0)
    truth = rng.normal(3, 1, units)

    def say(noise: float) -> Floats:
        return np.clip(np.round(truth + rng.normal(0, noise, units)), 1, 5)

    names = [f"d{number // 10}" for number in range(units)]
    turns = pl.Series("turn", [number % 10 for number in range(units)], pl.Int32)

    def table(judge: str, kind: str, noise: float, repeat: int = 1) -> pl.DataFrame:
        rows: list[Row] = [(d, "q", judge, v, kind) for d, v in zip(names, say(noise), strict=True)]
        return judgements(rows).with_columns(turns, repeat=pl.lit(repeat, pl.Int32))

    people = pl.concat([table(f"p{number}", "outsider", 0.7) for number in range(3)])
    answers = [
        table(f"m{number}", "model", 0.5 + number / 20, repeat)
        for number in range(judges)
        for repeat in (1, 2)
    ]
    return Judgements(people.select(list(SCHEMA))), JudgeAnswers.of(pl.concat(answers))


def speed(judges: int = 20, units: int = 5_000) -> Iterator[str]:
    """CPU seconds of reading the answers from a file, and of the audit."""
    people, answers = made_up(judges, units)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judged.jsonl"
        answers.frame.write_ndjson(path)
        start = time.process_time()
        read = read_judge_answers(path)
        middle = time.process_time()
    audit = audit_judges(people, read)
    end = time.process_time()
    uses = Counter(v.use for v in audit.verdicts)
    yield f"{judges} judges x {units:,} units, two repeats: {dict(uses)}"
    yield f"reading {middle - start:.1f} CPU-s, audit {end - middle:.1f} CPU-s"


def type_one_error(sets: int = 1_000, dialogs: int = 30, turns: int = 10) -> Iterator[str]:
    """How often a judge that is one more of these raters wins at ε 0, where it should in 5%."""
    dialog = np.repeat(np.arange(dialogs), turns)
    for effect in (0.0, 0.7):
        counts = np.zeros((2, 2))
        for seed in range(sets):
            rng = np.random.default_rng(seed)
            truth = 0.7 * rng.normal(0, 1, dialogs)[dialog] + rng.normal(0, 0.7, len(dialog))
            rated = [
                np.round(
                    truth
                    + effect * rng.normal(0, 1, dialogs)[dialog]
                    + rng.normal(0, 0.6, len(truth))
                )
                for _ in range(4)
            ]
            ratings, judge = np.column_stack(rated[:3]), rated[3][:, None]
            for row, clusters in enumerate((dialog, None)):
                contest = contests(ratings, judge, clusters=clusters).of_judge(0)
                counts[row] += [contest.p_values(0.0)[0] <= 0.05, contest.passes(0.0)]
        for name, (single, passed) in zip(("by dialog", "by turn"), counts / sets, strict=True):
            yield f"rater x dialog SD {effect}, t {name}: {single:.3f}, passes {passed:.3f}"


def alt_test(data: Path) -> Iterator[str]:
    """Our winning rate and advantage of each model, and those printed, to two digits."""
    for name, (epsilon, printed) in PRINTED.items():
        people, models = (
            json.loads((data / "alt-test" / name / f"{who}_annotations.json").read_text())
            for who in ("human", "llm")
        )
        units = sorted({unit for own in people.values() for unit in own})
        values = {v for table in (people, models) for own in table.values() for v in own.values()}
        is_text = any(isinstance(value, str) for value in values)
        code = {v: float(i) if is_text else float(v) for i, v in enumerate(sorted(values))}
        ratings, judges = (
            np.array([[code.get(own.get(u), np.nan) for own in table.values()] for u in units])
            for table in (people, models)
        )
        found = contests(ratings, judges, closeness="match" if is_text else "distance")
        own = [found.of_judge(number) for number in range(len(models))]
        ours = "  ".join(f"{c.winning_rate(epsilon):.2f} {c.advantage.value:.2f}" for c in own)
        ours = ours.replace("0.", ".")
        yield f"{name}, {len(people)} people, ε {epsilon}: {ours}; as printed: {ours == printed}"


def kumar(data: Path) -> Iterator[str]:
    """How many of 63 cells (3 models x 21 dimensions, 3 experts) pass."""
    rows: list[Row] = []
    for folder, key in ID.items():
        dimensions: list[str] = []
        for who in ("expert1", "expert2", "expert3", "gpt", "claude", "gemini"):
            path = data / "kumar-empathy" / "annotations" / folder / f"{who}_ratings.csv"
            with path.open(encoding="utf-8-sig", newline="") as file:
                own = list(csv.DictReader(file))
            dimensions = dimensions or [c for c in own[0] if c not in (key, "rp_id")]
            kind = "expert" if who.startswith("expert") else "model"
            rows += [
                (f"{folder}/{row[key]}", name, who, float(row[name]), kind)
                for row in own
                for name in dimensions
                if row[name]
            ]
    frame = judgements(rows)
    people = Judgements(frame.filter(judge_kind="expert").select(list(SCHEMA)))
    audit = audit_judges(people, JudgeAnswers.of(frame.filter(judge_kind="model")))
    passed = sum((v.winning_rate or 0) >= 0.5 for v in audit.verdicts)
    yield f"{passed} of {len(audit.verdicts)} cells pass at ε {audit.verdicts[0].epsilon}"
    yield from audit.answer


def llm_rubric(data: Path) -> Iterator[str]:
    """Pearson and Spearman with the overall rating: as given, calibrated, and without the judge."""
    folder = data / "llm-rubric"
    people, answers = (
        pl.read_csv(folder / name, separator="\t", schema_overrides={"annotator_id": pl.String})
        for name in (
            "human_judges_real_convs_FIXED_ANON.tsv",
            "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv",
        )
    )
    expected = sum(pl.col(f"answer{i}_prob") * i for i in range(1, 5))
    wide = answers.select("text_id", "criterion", expected=expected).pivot(
        "criterion", index="text_id", values="expected"
    )
    table = people.join(wide, on="text_id", how="left", suffix="_judge", maintain_order="left")
    x = table.select(f"{name}_judge" for name in QUESTIONS).to_numpy()
    y, users = table["Q0"].to_numpy().astype(np.float64), table["annotator_id"].to_list()
    yield f"expected score as given, n {len(y)}: {both(x[:, 0], y)}"
    results = [cross_validate(x, y, users, seed) for seed in range(SEEDS)]
    names = ("calibrated to each rater", "calibrated for all alike", "each rater's mean alone")
    for name, predictions in zip(names, zip(*results, strict=True), strict=True):
        yield f"{name}, {SEEDS} splits: {', '.join(both(p, y) for p in predictions)}"


def both(x: Floats, y: Floats) -> str:
    """Pearson and Spearman."""
    values = [correlation(x, y, kind=kind).value or 0.0 for kind in ("pearson", "spearman")]
    return f"{values[0]:.2f}/{values[1]:.2f}"


def cross_validate(x: Floats, y: Floats, users: list[str], seed: int) -> tuple[Floats, ...]:
    """Predictions of every dialog by models that saw neither it nor its fold."""
    from scipy import sparse

    n = len(y)
    order = np.random.default_rng(seed).permutation(n)
    examples = UserExamples(sparse.csr_matrix((n, 0)), x, users, y, np.ones(n))
    predictions = tuple(np.zeros(n) for _ in range(3))
    for fold in range(FOLDS):
        test = order[fold::FOLDS]
        rest = np.setdiff1d(order, test, assume_unique=True)
        cut = len(rest) // 5
        inner, validation = rest[cut:], rest[:cut]
        models = fit.fit_both_models(
            examples.take(inner),
            examples.take(validation),
            settings=fit.FitSettings("score", bounds=(1, 4)),
        )
        for own, model in zip(predictions, models, strict=False):
            own[test] = fit.predict_examples(model, examples.take(test))
        overall = y[rest].mean()
        for index in test:
            same = [y[other] for other in rest if users[other] == users[index]]
            predictions[2][index] = (sum(same) + overall) / (len(same) + 1)
    return predictions


def duo(data: Path) -> Iterator[str]:
    """Whom one outsider, put in the place of a judge, resembles: the user or other outsiders."""
    for language in ("en", "ja"):
        rows: list[Row] = []
        for path in sorted((data / "duo" / "wow" / language).glob("*.json")):
            dialog = json.loads(path.read_text(encoding="utf-8"))
            objective = dialog.get("objective_evaluation") or {}
            for quality, value in (dialog.get("subjective_evaluation") or {}).items():
                rows.append((path.stem, quality, "user", value, "interlocutor"))
                for place, score in enumerate(objective.get(f"{quality}_scores") or []):
                    kind = "outsider" if place else "model"
                    rows.append((path.stem, quality, f"o{place}", score, kind))
        frame = judgements(rows)
        people = Judgements(frame.filter(pl.col("judge_kind") != "model").select(list(SCHEMA)))
        audit = audit_judges(people, JudgeAnswers.of(frame.filter(judge_kind="model")))
        for v in audit.verdicts:
            found = [audit.find(v, s) for s in ("interlocutor", "outsider", "resemblance")]
            cells = [f"{r.value:.2f} [{r.low:.2f}, {r.high:.2f}]" for r in found if r and r.low]
            yield f"{language} {v.quality}, n {v.n}: {' | '.join(cells)}; {v.use}, {v.reason}"


SETS = {"alt-test": alt_test, "kumar-empathy": kumar, "llm-rubric": llm_rubric, "duo": duo}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--set", choices=SETS, action="append")
    options = parser.parse_args()
    if options.data is None:
        print(*(type_one_error() if options.errors else speed()), sep="\n")
        return 0
    for name in options.set or SETS:
        print(name, *SETS[name](options.data), sep="\n  ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
