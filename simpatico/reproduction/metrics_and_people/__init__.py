"""How well every metric that runs here correlates with human ratings, on every data set.

Spearman's rho of each metric with the rating of a response (or a whole dialog, on FED-Dial), its
interval over resamples of prompts, and figures that others printed for the same set (printed.toml):

- Yeh, Eskenazi and Mehri (2021), A Comprehensive Assessment of Dialog Evaluation Metrics, Tables 4
  and 7 ("S", of turns and of dialogs): overall quality, mean over judges; of the USR sets without
  the original answers, which are the references.
- Zhang et al. (2021), Automatic Evaluation and Moderation of Open-domain Dialogue Systems, Tables 2
  and 3: the baseline, Deep AM-FM with RoBERTa base and GPT-2 medium beside the context. Its figures
  are means over all qualities of a set: those of sets with one quality are compared with ours, the
  others stand in a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.metric import plain_name
from simpatico.registry import available, load, metric_class
from simpatico.reproduction.cells import Cell, Reproduction, make_cell, printed_tables
from simpatico.reproduction.clustered_correlation import dense_codes
from simpatico.reproduction.metrics_and_people.left_out import left_out_cells, training_set
from simpatico.reproduction.psychological_metrics import data as data_sets
from simpatico.reproduction.psychological_metrics.traditional import (
    SETS_WITH_PUBLISHED_SCORES,
    published_columns,
)
from simpatico.reproduction.request import Request, Sample, Tell
from simpatico.reproduction.runnable import RunnableMetric, runnable_metric, score_sample
from simpatico.scoring import score
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.partial_correlation import partial_correlations
from simpatico.stats.result import Result
from simpatico.training.rating.data import RatedSet as TrainingSet
from simpatico.turns import Level, Turns

MODES = {
    "prism": ("unreferenced", "source"),
    "deep_am": ("context",),
    "deep_fm": ("context",),
    "ruber": ("referenced",),
    "ctx_ruber": ("referenced",),
}
"""Modes of a metric that are run beside its usual one."""
SECONDARY_SCORES = {
    "bart_score": ("bart_score_faithfulness",),
    "emotional_consistency": ("emotional_consistency_soft",),
    "fed": ("fed_dialog",),
}
"""Scores that are shown beside a metric's main one, without the model."""
PUBLISHED = "scores as their authors published them, not run here"
ORIGINAL = "Original Ground Truth"
"""What the USR sets call the answers that are their references."""

YEH = "Yeh et al. 2021"
ZHANG = "Zhang et al. 2021 (DSTC10), who read responses beside the context"
MEAN, MEDIAN = "mean of judges", "median of judges"

OURS = {
    "BLEU-4": "bleu",
    "BERTScore": "bert_score",
    "BLEURT": "bleurt",
    "RUBER": "ruber",
    "BERT-RUBER": "ctx_ruber",
    "USL-H": "usl_h",
    "DialogRPT": "dialog_rpt",
    "Deep AM-FM": "deep_am_fm",
    "FED": "fed",
}
"""What we call the metrics that we have too; without the model."""

THEIR_NAMES = {ours: theirs for theirs, ours in OURS.items()}
BASELINE = "deep_am_fm"


class RatingView(NamedTuple):
    """One row per rated response or dialog (dialog, prompt, system, rating), and its notes."""

    table: str
    rows: pl.DataFrame
    notes: list[str]


@dataclass(frozen=True)
class RatedSet:
    """A data set: its conversations, and people's ratings aggregated in one or two ways."""

    data_set: data_sets.DataSet
    turns: Turns
    views: list[RatingView]

    @cached_property
    def lengths(self) -> pl.DataFrame:
        """dialog, and the length of its response, or its mean length on whole dialogs."""
        level = self.data_set.level
        return score(self.turns, [load("length")]).at(level).select("dialog", "length")


def reproduce(
    data: Path, request: Request | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """The metrics on the data sets that are there; `tell` receives progress messages."""
    request = request or Request()
    paths, missing_sets = data_sets.locate_sets(data)
    by_level, omissions = runnable_metrics(request)
    cells, training_sets = list[Cell](), list[TrainingSet]()
    for data_set, path in paths.items():
        rated, runnables = read_rated_set(data_set, path), by_level[data_set.level]
        tell(f"{data_set.name}: {rated.views[0].rows.height:,} judged")
        for runnable in runnables:
            if runnable.slow:
                tell(f"{data_set.name}: {runnable.label}")
            cells += run_metric_cells(rated, runnable, request.sample)
        if data_set.name in SETS_WITH_PUBLISHED_SCORES:
            units = data_sets.score_rated_units(data_set, path, None)
            columns = published_columns(units, data_set.name, data)
            table = pl.concat([units.select("dialog"), columns], how="horizontal")
            cells += correlation_cells(rated, table, [PUBLISHED], seed=request.sample.seed)
        cells += other_metric_cells(data_set.name, runnables)
        if data_set.level == "turn":
            mean = next(view for view in rated.views if view.table == MEAN)
            training_sets.append(training_set(data_set.name, rated.turns, mean.rows))
    if request.metrics is None or "predicted_rating" in request.metrics:
        tell(f"predicted_rating: {len(training_sets)} sets, each left out of a training")
        cells += left_out_cells(training_sets, request.sample.seed)
    return Reproduction(cells, [], [], [*missing_sets, *omissions])


def read_rated_set(data_set: data_sets.DataSet, path: Path) -> RatedSet:
    """Conversations with ratings: the median over judges, as Giorgi et al. (2023) have it, and the
    mean, as Yeh et al. (2021) do. Where the file has means only, there is nothing else."""
    turns = data_sets.read_turns(path, data_set.format)
    by_judge = data_sets.ratings_by_judge(data_set, path, ["dialog", "turn", "speaker"])
    note = f"judged: {' and '.join(data_set.qualities)}"
    rows = data_sets.rated_units(data_set, turns, by_judge, pl.col("value").mean())
    if not data_set.single_judges:
        return RatedSet(data_set, turns, [RatingView(MEAN, rows, [note])])
    median = data_sets.rated_units(data_set, turns, by_judge, pl.col("value").median())
    notes, without_original = [note], rows.filter(pl.col("system").ne_missing(ORIGINAL))
    if without_original.height < rows.height:
        rows = without_original
        notes.append("without the original answers, which are the references")
    views = [RatingView(MEDIAN, median, [note]), RatingView(MEAN, rows, notes)]
    return RatedSet(data_set, turns, views)


def runnable_metrics(request: Request) -> tuple[dict[Level, list[RunnableMetric]], list[str]]:
    """The metrics that can run here, for turns and for dialogs, and why others cannot."""
    by_level: dict[Level, list[RunnableMetric]] = {"turn": [], "dialog": []}
    omissions: dict[str, None] = {}
    for name in default_names() if request.metrics is None else request.metrics:
        cls = metric_class(plain_name(name))
        if cls.level == "system":
            omissions |= {f"{name}: it describes whole systems and has no value for a turn": None}
            continue
        for mode in ("", *MODES.get(name, ())):
            for level, runnables in by_level.items():
                runnable = runnable_metric(name, **metric_parameters(cls, request, level, mode))
                if isinstance(runnable, RunnableMetric):
                    if runnable.slow and request.metrics is None:
                        omissions |= {f"{name}: it runs a language model; see --metrics": None}
                    else:
                        runnables.append(runnable)
                else:
                    omissions |= {f"{name}{', ' if mode else ''}{mode}: {runnable}": None}
    return by_level, list(omissions)


def default_names() -> list[str]:
    """All metrics, and those of them that have a second model in the package with that too."""
    names = available()
    for name in available():
        cls = metric_class(name)
        others = set(getattr(cls, "called", ())) - set(getattr(cls, "published", ()))
        names += [f"{name}[{model}]" for model in sorted(others)]
    return names


def metric_parameters(cls: type[Any], request: Request, level: Level, mode: str) -> dict[str, Any]:
    """The parameters asked for and the mode; the one response of a turn may be short."""
    fields, parameters = cls.__dataclass_fields__, request.parameters_of(cls.name)
    if "minimum_words" in fields and level == "turn":
        parameters.setdefault("minimum_words", 0)
    if "lexicon" in fields and request.lexicon:
        parameters.setdefault("lexicon", request.lexicon)
    return parameters | ({"mode": mode} if mode else {})


def run_metric_cells(rated: RatedSet, runnable: RunnableMetric, sample: Sample) -> Iterator[Cell]:
    """The figures of one metric on one data set.

    Shown are the metric's main score and few others, or all where none has its name; in a mode that
    is not the usual one, the mode stands behind the score's name.
    """
    level = rated.data_set.level
    scores, notes = score_sample(rated.turns, runnable, level=level, sample=sample)
    main, names = plain_name(runnable.metric.name), [s.name for s in runnable.metric.scores]
    others = [
        name
        for name in SECONDARY_SCORES.get(main, ())
        if level == "dialog" or not name.endswith("_dialog")
    ]
    columns = [name for name in names if plain_name(name) in (main, *others)] or names
    mode = runnable.label.removeprefix(runnable.metric.name)
    table = scores.select("dialog", *(pl.col(name).alias(name + mode) for name in columns))
    yield from correlation_cells(rated, table, notes, seed=sample.seed)


def correlation_cells(
    rated: RatedSet, scores: pl.DataFrame, notes: Sequence[str], *, seed: int
) -> Iterator[Cell]:
    """Rho of every score with people's ratings, for each way of aggregating these."""
    for view in rated.views:
        rows = view.rows.join(scores, on="dialog", how="inner", maintain_order="left")
        lengths = rated.lengths.rename({"length": "words"})
        rows = rows.join(lengths, on="dialog", how="left", maintain_order="left")
        for name in scores.columns[1:]:
            if rows[name].count():
                rho = clustered_rho(rows.select("prompt", "rating", x=name), seed)
                paper, source = published_figure(rated.data_set, name, view.table)
                place, total = (view.table, rated.data_set.name, name), rows.height
                remarks = [*notes, *view.notes, *source]
                cell = make_cell(place, rho, paper=paper, n=rho.n, total=total, notes=remarks)
                partial = rho_without_length(rows.select("rating", "words", x=name))
                yield cell._replace(without_length=partial, scored=rho.n / total)


def clustered_rho(rows: pl.DataFrame, seed: int) -> Result:
    """Spearman's rho of x with the rating; rows of one prompt are resampled together."""
    x, y = (rows[c].cast(pl.Float64).fill_null(float("nan")).to_numpy() for c in ("x", "rating"))
    if rows["prompt"].n_unique() == rows.height:
        return correlation(x, y, kind="spearman")
    return bootstrap_correlation(x, y, dense_codes(rows["prompt"]), kind="spearman", seed=seed)


def rho_without_length(rows: pl.DataFrame) -> float | None:
    """Spearman's rho of x with the rating, words held constant; null where x is the length."""
    x, y, z = (
        rows[c].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for c in ("x", "rating", "words")
    )
    (partial,) = partial_correlations(x[:, None], y, z, kind="spearman")
    return partial.value


def published_figure(
    data_set: data_sets.DataSet, score: str, table: str
) -> tuple[float | None, list[str]]:
    """What was printed for a score of ours on a data set, and who printed it.

    A printed figure is of a metric's usual mode, and on whole dialogs of FED's score of dialogs. A
    mean over several qualities is not comparable with ours and stands in the note only.
    """
    name, metric = data_set.name, plain_name(score)
    comparable = ", " not in score and (metric != "fed" or not data_set.rates_dialogs)
    metric = "fed" if metric == "fed_dialog" else metric
    if table != MEAN:
        return None, []
    tables = printed_tables("metrics_and_people")
    baseline = tables["zhang"]
    if comparable:
        value = tables["yeh"].get(THEIR_NAMES.get(metric, ""), {}).get(name)
        if value is not None:
            return value, [f"printed by {YEH}"]
        if metric == BASELINE and name in baseline["one_quality"]:
            return baseline["one_quality"][name], [f"printed by {ZHANG}"]
    if metric == BASELINE and name in baseline["several_qualities"]:
        mean = baseline["several_qualities"][name]
        return None, [f"{mean:.4f} over all qualities of the set is printed by {ZHANG}"]
    return None, []


def other_metric_cells(set_name: str, runnables: Sequence[RunnableMetric]) -> Iterator[Cell]:
    """Figures of Yeh et al. for this set, of metrics that we do not run."""
    ours = [plain_name(one.label) for one in runnables if ", " not in one.label]
    for name, by_set in printed_tables("metrics_and_people")["yeh"].items():
        if set_name in by_set and OURS.get(name) not in ours:
            note = f"printed by {YEH}; not run here"
            yield Cell(MEAN, set_name, name, by_set[set_name], None, None, None, 0, note)
