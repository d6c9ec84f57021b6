"""What a judge's errors depend on: length, position, system, a model family shared with it.

The error is the judge's answer less the mean of people; each coefficient is in points of the scale,
of length and position per SD. Least squares with standard errors clustered by dialog.
"""

from __future__ import annotations

import re
from dataclasses import asdict

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.comparison.samples import as_floats
from simpatico.stats.clustered import Estimate, clustered_regression
from simpatico.stats.correction import correct_p_values
from simpatico.validation.judges.units import JudgedUnits, JudgeRow

FAMILY = re.compile(r"[a-z]{3,}")
ALIASES = {"chatgpt": "gpt", "davinci": "gpt", "mixtral": "mistral", "ministral": "mistral"}
MIN_SYSTEM_UNITS = 10
"""Units of a system below which its own error says little."""
Terms = dict[str, Floats]


def bias_rows(units: JudgedUnits, covariates: pl.DataFrame | None) -> list[JudgeRow]:
    """The coefficients of each judge; p is corrected over all of one judge and quality.

    `covariates`: dialog, turn (of turns), speaker, words and system of the run's units.
    """
    frame = units.people.units
    if covariates is not None:
        named = ["speaker"] if frame["speaker"].null_count() == 0 else []
        key = ["dialog", *(["turn"] if "turn" in covariates.columns else []), *named]
        distinct = covariates.unique(key, keep="none", maintain_order=True)
        distinct = distinct.drop([name for name in ("speaker",) if name not in key])
        frame = frame.join(distinct, on=key, how="left", maintain_order="left")
    numeric = numeric_terms(frame)
    rows = []
    for judge, values in zip(units.names, units.judges.T, strict=True):
        estimates = judge_estimates(units, values - units.gold, numeric, frame, judge)
        results = {name: e.result("clustered regression") for name, e in estimates.items()}
        corrected, _ = correct_p_values([r.p_value for r in results.values()])
        rows += [
            units.row(judge, f"error_by_{name}", **{**asdict(r), "p_adjusted": p})
            for (name, r), p in zip(results.items(), corrected, strict=True)
            if r.status == "ok"
        ]
    return rows


def numeric_terms(frame: pl.DataFrame) -> Terms:
    """Length and position of the units, with mean 0 and SD 1; those that are known and vary."""
    terms = {}
    if "words" in frame.columns:
        terms["length"] = np.log1p(as_floats(frame["words"]))
    if not frame["turn"].null_count():
        terms["position"] = as_floats(frame["turn"].cast(pl.Float64))
    known = {name: x for name, x in terms.items() if np.isfinite(x).any()}
    scaled = {name: (x - np.nanmean(x), np.nanstd(x)) for name, x in known.items()}
    return {name: x / sd for name, (x, sd) in scaled.items() if sd > 0}


def judge_estimates(
    units: JudgedUnits, errors: Floats, numeric: Terms, frame: pl.DataFrame, judge: str
) -> dict[str, Estimate]:
    """The coefficients of the terms; each system, and the judge's own family, beside the others."""
    systems = system_terms(frame, judge)
    tested: dict[str, Terms] = {"": numeric} if numeric else {}
    tested |= {name: {name: values, **numeric} for name, values in systems.items()}
    estimates: dict[str, Estimate] = {}
    for name, terms in tested.items():
        x = np.column_stack(list(terms.values()))
        complete = np.isfinite(errors) & np.isfinite(x).all(axis=1)
        found = clustered_regression(x[complete], errors[complete], units.clusters[complete])
        kept = found[:1] if name else found
        estimates |= dict(zip(terms, kept, strict=False))
    return estimates


def system_terms(frame: pl.DataFrame, judge: str) -> Terms:
    """1 for units of one system and 0 for those of others; likewise for the judge's own family."""
    if "system" not in frame.columns:
        return {}
    system = frame["system"]
    known = system.is_not_null().to_numpy()
    sizes = system.drop_nulls().value_counts().filter(pl.col("count") >= MIN_SYSTEM_UNITS)
    names = sizes["system"].sort().to_list()
    terms = {}
    if len(names) > 1:
        terms = {f"system {name}": (system == name).fill_null(False).to_numpy() for name in names}
        if (family := family_of(judge)) is not None:
            own = system.is_in([name for name in names if family_of(name) == family])
            terms["same_family"] = own.fill_null(False).to_numpy()
    return {
        name: np.where(known, values.astype(np.float64), np.nan)
        for name, values in terms.items()
        if 0 < values.sum() < known.sum()
    }


def family_of(model: str) -> str | None:
    """The family that a model's name begins with: `openai/gpt-4o@1f2e3d4c` is of gpt."""
    found = FAMILY.search(model.rpartition("/")[2].lower())
    return ALIASES.get(found[0], found[0]) if found else None
