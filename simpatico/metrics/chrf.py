"""chrF: how many character n-grams a turn shares with its references (Popovic 2015, WMT).

With P and R the precision and recall of character n-grams, averaged over n = 1..6:
chrF = 100 (1 + b²) P R / (b² P + R), b = 2, so that recall counts more. Computed by sacrebleu as
its `sentence_chrf` does it (no word n-grams); of several references the one with the highest score
counts. sacrebleu does not give its counts, so a dialog has the mean of its turns.
Example: "the cat" beside "a cat" gets 42.28 from sacrebleu.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.references import References, sacrebleu_missing
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Chrf:
    """Statistics: the sum of the turns' chrF, and how many turns have one."""

    name: ClassVar[str] = "chrf"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How many character n-grams a turn shares with its references.",
        undefined="Null when a turn has no reference or no words.",
        citation="Popovic 2015 (WMT, doi:10.18653/v1/W15-3049); Post 2018 (WMT, "
        "doi:10.18653/v1/W18-6319): sacrebleu, sentence_chrf",
        kind="traditional",
        language=None,
        careful="A good answer in other words than the references gets little.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (References(),)
    scores: ClassVar[tuple[Score, ...]] = (
        make_score(
            "chrf",
            pl.col("sum") / pl.col("turns"),
            "chrF with the best reference, mean over turns",
            "has (more|less) character overlap with the references",
            range=(0.0, 100.0),
            better="higher",
            title="ChrF",
        ),
    )

    @property
    def missing(self) -> str | None:
        return sacrebleu_missing()

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        references = features[References()]
        from sacrebleu.metrics.chrf import CHRF

        scores = np.full(len(turns), np.nan)
        for row, chrf in references.scores(CHRF()):
            scores[row] = chrf.score
        why = reasons(
            len(turns), no_reference=references.no_reference, no_words=references.no_words
        )
        sums = pl.Series("sum", scores, nan_to_null=True)
        return pl.DataFrame({"sum": sums, "turns": sums.is_not_null(), "reason": why})
