"""BLEU: how many word n-grams a turn shares with its references (Papineni et al. 2002).

Counted by sacrebleu as `sentence_bleu` does it (13a tokens, exponential smoothing, no order longer
than the text). The counts of turns are added up, so a dialog has the BLEU of all its turns at once.
Example: "the cat sat on" beside "the cat sat down" and "a cat sat on the mat" shares 4 of 4 words,
3 of 3 pairs, 2 of 2 triples and 0 of 1 quadruple, smoothed to 1/2: 100 (1/2)^(1/4) = 84.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.references import References, absent
from simpatico.metric import Card, Score, reasons
from simpatico.turns import Level, Turns

ORDERS = 4
COLUMNS = [f"{what}_{n}" for what in ("shared", "made") for n in range(1, ORDERS + 1)]
LENGTHS = ["length", "reference_length"]


def of_counts(counts: pl.DataFrame) -> pl.Series:
    """The BLEU of each row of counts; null where nothing was counted."""
    from sacrebleu.metrics.bleu import BLEU

    found: list[float | None] = []
    for row in counts.select(COLUMNS + LENGTHS).fill_nan(None).fill_null(0).iter_rows():
        if not row[-2]:
            found.append(None)
            continue
        whole = [round(value) for value in row]
        shared, made = whole[:ORDERS], whole[ORDERS:-2]
        told = BLEU.compute_bleu(
            shared, made, whole[-2], whole[-1], smooth_method="exp", effective_order=True
        )
        found.append(told.score)
    return pl.Series(found, dtype=pl.Float64)


JOINED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"


@dataclass(frozen=True)
class Bleu:
    name: ClassVar[str] = "bleu"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How many word n-grams a turn shares with its references.",
        undefined="Null when a turn has no reference, no words, or is in a script that writes "
        "without spaces.",
        citation="Papineni et al. 2002 (ACL, doi:10.3115/1073083.1073135); Post 2018 (WMT, "
        "doi:10.18653/v1/W18-6319): sacrebleu, sentence_bleu",
        kind="traditional",
        language=None,
        careful="An answer in other words than the references gets nothing; of several references "
        "each n-gram counts as often as in the one that has it most, and the length is that of the "
        "nearest.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (References(),)
    scores: ClassVar[tuple[Score, ...]] = (
        Score(
            "bleu",
            of=of_counts,
            range=(0.0, 100.0),
            meaning="BLEU with the references, of all turns of a unit at once",
            better="higher",
            title="BLEU",
            more="is nearer to the references in its words than",
            less="is farther from the references in its words than",
        ),
    )

    @property
    def missing(self) -> str | None:
        return absent()

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        compared = features[References()]
        from sacrebleu.metrics.bleu import BLEU

        counts = np.full((len(turns), len(COLUMNS + LENGTHS)), np.nan)
        for row, told in compared.scores(BLEU(effective_order=True)):
            counts[row] = [*told.counts, *told.totals, told.sys_len, told.ref_len]
        joined = unspaced(turns.frame["text"])
        counts[joined] = np.nan
        why = reasons(
            len(turns),
            no_reference=compared.no_reference,
            no_spaces=joined,
            no_words=compared.no_words,
        )
        table = pl.DataFrame(counts, COLUMNS + LENGTHS, nan_to_null=True)
        return table.with_columns(why)


def unspaced(texts: pl.Series) -> npt.NDArray[np.bool_]:
    """Which texts are mostly in a script that does not put spaces between words."""
    letters = texts.str.count_matches(r"\p{L}").to_numpy()
    joined = texts.str.count_matches(JOINED).to_numpy()
    return (joined > 0) & (2 * joined >= letters)
