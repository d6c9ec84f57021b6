"""`predicted_rating` trained on all rated sets but one, and compared with the ratings of that one.

The shipped model is trained on openly licensed ratings alone; this table shows what the same
columns and signs reach on a set when the others are there to learn from, and to choose the penalty
by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from simpatico.features import Features, closure
from simpatico.features.degenerate import Degenerate
from simpatico.features.replies import column_names, find_replies
from simpatico.features.words import Words
from simpatico.models.names import why_missing
from simpatico.reproduction.cells import Cell, make_cell
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.partial_correlation import partial_correlations
from simpatico.training.rating.data import RatedSet as TrainingSet
from simpatico.training.rating.train import (
    RatingSettings,
    predict_left_out,
    standardise_columns,
)
from simpatico.turns import Turns

TABLE = "predicted_rating trained on the other sets"
NOTE = "trained on the other sets alone"
ENCODERS = {"predicted_rating": "package:minilm", "predicted_rating[core]": ""}
"""The encoder of each version; the core version has none."""


def left_out_cells(sets: Sequence[TrainingSet], seed: int) -> Iterator[Cell]:
    """Rho on each set of a model of all others, and with length held constant."""
    if len(sets) < 2:
        return
    for name, encoder in ENCODERS.items():
        if encoder and why_missing(encoder):
            continue
        names, (examples, _, _) = column_names(bool(encoder)), standardise_columns(sets, encoder)
        rhos = list[float]()
        for one in examples:
            predicted = predict_left_out(one, examples, names, RatingSettings(seed=seed))
            code = one.source.cluster
            rho = bootstrap_correlation(predicted, one.y, code, kind="spearman", seed=seed)
            held = partial_correlations(
                predicted[:, None], one.y, one.length, code, kind="spearman", seed=seed
            )[0]
            cell = make_cell((TABLE, one.group, name), rho, n=rho.n, notes=[NOTE])
            yield cell._replace(without_length=held.value)
            rhos += [rho.value] if rho.value is not None else []
        yield make_cell((TABLE, "mean of sets", name), float(np.mean(rhos)), n=len(rhos))


def training_set(name: str, turns: Turns, rows: pl.DataFrame) -> TrainingSet:
    """The rated responses of a set (dialog, prompt, rating) with what a training needs of them."""
    features = Features(turns, closure((Words(), Degenerate())))
    table = features[Words()]
    replies = find_replies(turns, table, (table.counts > 0) & ~features[Degenerate()])
    dialogs = turns.frame["dialog"].gather(replies.row).to_frame("dialog").with_row_index("reply")
    rated = dialogs.join(rows, on="dialog", how="inner", maintain_order="left")
    taken = replies.take(rated["reply"].to_numpy().astype(np.int64))
    rating = rated["rating"].to_numpy()
    return TrainingSet(
        name,
        name,
        "turn",
        taken,
        np.arange(len(rating)),
        table.counts[taken.row].astype(np.float64),
        (rating - rating.mean()) / rating.std(),
        rated["prompt"].rank("dense").to_numpy().astype(np.int64),
    )
