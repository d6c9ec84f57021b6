"""Statistics over systems and inputs: by hand, by a second way, and through the command."""

import json
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

from simpatico.judgements import Judgement, Judgements
from simpatico.run import Run
from simpatico.stats.systems.resampling import ResamplingPlan, compare_metrics, matrix_interval
from simpatico.validation.correlations import CorrelationSettings, correlation_rows
from simpatico.validation.evidence import validate
from simpatico.validation.matching import match_units
from simpatico.validation.systems import SystemRow, system_rows

SYSTEM = CorrelationSettings(level="system")
RATINGS = np.array([[1.0, 2, 1, 3], [2, 4, 3, 3], [5, 4, 4, 5], [3, 3, 5, 4]])
SCORES = {
    # means .25 .5 .75 1 against ratings 7/4, 12/4, 18/4, 15/4: only the last pair is reversed
    "warmth": np.array([[0.0, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]),
    # means fall where ratings rise, but for the last pair, which is in order: 1 of 6
    "length": np.array([[9.0, 8, 9, 9], [7, 7, 8, 8], [5, 6, 5, 5], [4, 5, 5, 4]]),
}


def table(systems: int = 4) -> pl.DataFrame:
    """One dialog of each system on each of four prompts."""
    cells = list(product(range(systems), range(4)))
    return pl.DataFrame(
        {
            "dialog": [f"d{s}{i}" for s, i in cells],
            "speaker": ["bot"] * len(cells),
            "system": [f"s{s}" for s, _ in cells],
            **{name: [float(x[s, i]) for s, i in cells] for name, x in SCORES.items()},
        }
    )


def gold(systems: int = 4) -> pl.DataFrame:
    return judgements(systems).gold()


def judgements(systems: int = 4) -> Judgements:
    return Judgements.of(
        Judgement(f"d{s}{i}", None, "bot", "kind", "j", "outsider", float(RATINGS[s, i]))
        for s, i in product(range(systems), range(4))
    )


def prompts(frame: pl.DataFrame, *, shared: bool = True) -> pl.DataFrame:
    prompt = pl.col("dialog").str.slice(2) if shared else pl.col("dialog")
    return frame.select("dialog", "system", prompt=prompt)


def rows(systems: int = 4, *, shared: bool = True, **options) -> dict[tuple[str, str], SystemRow]:
    frame = table(systems)
    result = system_rows(
        frame,
        gold(systems),
        [("warmth", "length")],
        prompts=prompts(frame, shared=shared),
        how=replace(SYSTEM, **options),
    )
    return {(r.score, r.statistic): r for r in result}


def test_pairwise_accuracy_by_hand():
    """Of six pairs of systems, warmth orders five as the ratings do, and length one."""
    result = rows()
    warmth, length = (result[name, "pairwise_accuracy"] for name in ("warmth", "length"))
    assert (warmth.value, length.value) == pytest.approx((5 / 6, 1 / 6))
    assert (warmth.systems, warmth.inputs, warmth.n, warmth.level) == (4, None, 4, "system")
    assert warmth.method.startswith("pairwise accuracy of system means, BOOT-SYSTEMS")
    assert warmth.low <= warmth.value <= warmth.high


def exact_p(differences: np.ndarray) -> float:
    """One-sided p of the sum over every pattern of flipped signs."""
    patterns = np.array(list(product((-1, 1), repeat=len(differences))))
    return float(np.mean(patterns @ differences >= differences.sum() - 1e-9))


@pytest.mark.parametrize("score", list(SCORES))
def test_soft_pairwise_accuracy_against_every_flip(score):
    agreement = [
        1 - abs(exact_p(RATINGS[i] - RATINGS[k]) - exact_p(SCORES[score][i] - SCORES[score][k]))
        for i, k in combinations(range(4), 2)
    ]
    soft = rows()[score, "soft_pairwise_accuracy"]
    assert soft.value == pytest.approx(np.mean(agreement), abs=0.01)
    assert (soft.systems, soft.inputs) == (4, 4)


def test_correlations_are_those_of_the_matrices_and_of_the_table():
    """Means (1 2 3 4) / 4 and 7/4 12/4 18/4 15/4: r = 15 / sqrt(5 x 66) = .8257228."""
    result, plan = rows(seed=3), ResamplingPlan(over="both", seed=3)
    warmth = result["warmth", "correlation"]
    assert warmth.value == pytest.approx(15 / 330**0.5, abs=1e-9)
    assert warmth.value == pytest.approx(correlation_rows(table(), gold(), SYSTEM)[0].value)
    alone = matrix_interval(SCORES["warmth"], RATINGS, plan)
    assert (warmth.low, warmth.high, warmth.p_value) == (alone.low, alone.high, None)
    gap = result["warmth", "correlation_difference"]
    test = compare_metrics(*SCORES.values(), RATINGS, replace(plan, over="systems"))
    assert (gap.against, gap.p_value, gap.p_adjusted) == ("length", test.p_value, test.p_value)
    assert gap.value == pytest.approx(test.value, abs=1e-9)
    assert "BOOT-BOTH" in gap.method
    assert "p: PERM-SYSTEMS" in gap.method


def test_swapping_systems_by_hand():
    """Four systems can be swapped in 16 ways, of which two give the observed |difference|: 1/8."""
    row = rows()["warmth", "correlation_difference"]
    assert row.p_value == pytest.approx(2 / 16, abs=0.02)


def test_spearman_is_of_the_ranks_of_means():
    """Ranks 1 2 3 4 against 1 2 4 3: rho = 1 - 6 x 2 / (4 x 15) = .8."""
    assert rows(kind="spearman")["warmth", "correlation"].value == pytest.approx(0.8)


def test_two_systems_have_no_value_and_say_why():
    reason = "fewer than 3 systems have both scores and ratings"
    for row in rows(2).values():
        assert (row.value, row.status, row.reason) == (None, "too_few", reason)


def test_without_shared_inputs_only_the_means_are_ordered():
    result = rows(shared=False)
    assert result["warmth", "pairwise_accuracy"].value == pytest.approx(5 / 6)
    others = [row for (_, name), row in result.items() if name != "pairwise_accuracy"]
    assert {(r.value, r.reason) for r in others} == {
        (None, "the systems share no inputs (prompts)")
    }
    assert {r.inputs for r in others} == {0}


def test_scores_that_do_not_vary_say_so():
    frame = table().with_columns(warmth=pl.lit(1.0))
    result = system_rows(frame, gold(), [], prompts=prompts(frame), how=SYSTEM)
    (flat,) = [r for r in result if (r.score, r.statistic) == ("warmth", "correlation")]
    assert (flat.value, flat.reason) == (None, "the means of scores or ratings do not vary")


def test_turns_are_averaged_within_dialogs_and_dialogs_within_prompts():
    """Two turns and two dialogs per cell whose mean is the cell change no value."""
    single = rows()
    parts = []
    for copy, sign in product("ab", (-1, 1)):
        shift = sign * (0.5 if copy == "a" else 0.25)
        parts.append(
            table().with_columns(
                pl.col("dialog") + copy,
                pl.col("warmth", "length") + shift,
                turn=pl.lit(1 + sign, pl.Int32),
            )
        )
    frame = pl.concat(parts)
    ratings = Judgements.of(
        Judgement(f"d{s}{i}{copy}", turn, "bot", "kind", "j", "outsider", float(RATINGS[s, i]))
        for s, i in product(range(4), range(4))
        for copy, turn in product("ab", (0, 2))
    ).gold()
    prompt = pl.col("dialog").str.slice(2, 1)
    own = frame.select("dialog", "system", prompt=prompt).unique()
    result = system_rows(frame, ratings, [("warmth", "length")], prompts=own, how=SYSTEM)
    for row in result:
        assert row.value == pytest.approx(single[row.score, row.statistic].value, abs=1e-9)


@pytest.fixture
def run(tmp_path) -> Run:
    frame = table()
    frame.with_columns(prompt=pl.col("dialog").str.slice(2)).write_parquet(
        tmp_path / "dialog.parquet"
    )
    metrics = {name: {"scores": [{"name": name}]} for name in SCORES}
    (tmp_path / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(tmp_path)


def test_evidence_has_systems_at_that_level_only(run):
    plain = validate(run, judgements())
    assert plain.systems == []
    assert "systems" not in plain.as_json()
    evidence = validate(run, judgements(), how=SYSTEM)
    assert [r.as_json() for r in evidence.systems] == [r.as_json() for r in rows().values()]
    assert list(evidence.as_json()) == [
        "agreement",
        "correlations",
        "dependent",
        "incremental",
        "structure",
        "systems",
        "left_out",
        "sparse",
        "turn_numbers",
        "notes",
    ]


def test_the_command_prints_the_ranking_of_systems(run, tmp_path, call):
    path = tmp_path / "judgements.csv"
    judgements().frame.write_csv(path)
    command = ("validate", run.folder, "--judgements", path, "--level", "system")
    code, out, err = call(*command)
    assert code == 0
    assert "Ranking of systems" in out
    start = out.index("Ranking of systems by kind [95% CI], 4 systems, ")
    _, heads, _, *lines = out[start:].splitlines()
    assert " ".join(heads.split()) == ("score pairwise accuracy soft pairwise accuracy correlation")
    assert ["length", ".17"] in [line.split()[:2] for line in lines]
    assert "95% CI by BOOT-BOTH, tests by PERM-SYSTEMS" in err
    assert "1 pair of scores over systems: no significant difference (PERM-SYSTEMS" in err
    data = json.loads(call(*command, "--json")[1])
    first = data["systems"][0]
    assert (first["statistic"], first["score"]) == ("pairwise_accuracy", "warmth")
    assert first["value"] == pytest.approx(5 / 6)
    assert list(first)[-5:] == ["statistic", "against", "systems", "inputs", "reason"]


def test_no_last_digit_depends_on_the_order_of_rows_or_groups():
    """Groups come from polars in random order: means of their means then differed by 1e-16."""
    rng, n = np.random.default_rng(0), 600
    keys = {"dialog": [f"d{i}" for i in range(n)], "speaker": ["bot"] * n}
    scores = pl.DataFrame(
        {**keys, "system": [f"s{i % 6}" for i in range(n)], "warmth": rng.normal(size=n)}
    )
    ratings = {"turn": [None] * n, "quality": ["kind"] * n, "value": rng.gamma(2, size=n)}
    ratings = pl.DataFrame({**keys, **ratings}, schema_overrides={"turn": pl.Int32})
    means = set()
    for seed in range(10):
        tables = (t.sample(fraction=1, shuffle=True, seed=seed) for t in (scores, ratings))
        frame = match_units(*tables, "system").frame
        means.add(tuple(frame.select("warmth", "value").to_numpy().ravel().tolist()))
    assert len(means) == 1
