"""How consistent judges are with themselves: repeats, order of a pair, answers that are none."""

from __future__ import annotations

import numpy as np
import polars as pl

from simpatico.judgements import UNIT
from simpatico.stats.bootstrap import SumStatistic, bootstrap_sums, cluster_codes
from simpatico.stats.clustered import mean_of_groups
from simpatico.stats.result import Result
from simpatico.validation.judges.units import JudgedUnits, JudgeRow
from simpatico.validation.raters.icc import icc_statistic
from simpatico.validation.raters.ratings import RatingViews, index_keys

UNDEFINED = ("repeat_agreement", "order_flips")


def consistency_rows(units: JudgedUnits, *, seed: int = 0) -> list[JudgeRow]:
    """The rates of each judge, over all units it was asked about, with intervals over dialogs."""
    answers, rows = units.answers, list[JudgeRow]()
    value = pl.col("value")
    by_unit = [*UNIT, "judge"]
    counts = answers.drop_nulls("value").group_by([*by_unit, "order", "value"]).len("count")
    count = pl.col("count")
    same = (count * (count - 1)).sum() / (count.sum() * (count.sum() - 1))
    tables = {
        "no_answer": answers.select("dialog", "judge", rate=value.is_null().cast(pl.Float64)),
        "repeat_agreement": counts.group_by([*by_unit, "order"], maintain_order=True)
        .agg(rate=pl.when(count.sum() > 1).then(same))
        .drop_nulls("rate"),
        "order_flips": order_flips(answers, by_unit),
    }
    for judge in units.names:
        for name, table in tables.items():
            own = table.filter(judge=judge).sort(pl.all())
            if own.height or name not in UNDEFINED:
                rows.append(units.row(judge, name, **rate_of(own, name).as_json()))
    return rows + repeat_reliability(units, seed=seed)


def order_flips(answers: pl.DataFrame, by_unit: list[str]) -> pl.DataFrame:
    """1 for each pair whose winner depends on which side was shown first, else 0."""
    shown = answers.drop_nulls(["order", "value"])
    winner = shown.group_by([*by_unit, "order"]).agg(pl.col("value").mean().sign())
    both = winner.group_by(by_unit, maintain_order=True).agg(
        n=pl.len(), rate=(pl.col("value").n_unique() > 1).cast(pl.Float64)
    )
    return both.filter(pl.col("n") == 2)


def rate_of(table: pl.DataFrame, name: str) -> Result:
    """The mean of a column of rates, whole dialogs being resampled."""
    rate, dialogs = table["rate"].to_numpy(), table["dialog"].to_numpy()
    groups = np.zeros(len(rate), np.int64)
    return mean_of_groups(rate, groups, dialogs).share(name.replace("_", " "))


def repeat_reliability(units: JudgedUnits, *, seed: int = 0) -> list[JudgeRow]:
    """ICC(1) of each judge's repeats: the share of its variance that is not noise of the call."""
    answers = units.answers.drop_nulls("value")
    answers = answers.filter(pl.len().over([*UNIT, "judge"]) > 1)
    if answers.is_empty():
        return []
    keys, unit = index_keys(answers, UNIT)
    column = answers.select(pl.int_range(pl.len()).over([*UNIT, "judge"])).to_series().to_numpy()
    statistics: list[tuple[str, SumStatistic]] = []
    for judge in units.names:
        rows = (answers["judge"] == judge).to_numpy()
        if rows.any():
            matrix = np.full((keys.height, int(column[rows].max()) + 1), np.nan)
            matrix[unit[rows], column[rows]] = answers["value"].to_numpy()[rows]
            statistics.append((judge, icc_statistic(RatingViews(matrix), "1", mean=False)))
    clusters = cluster_codes(keys["dialog"].to_numpy())[0]
    results = bootstrap_sums([s for _, s in statistics], clusters, seed=seed)
    return [
        units.row(judge, "repeat_reliability", **result.as_json())
        for (judge, _), result in zip(statistics, results, strict=True)
    ]
