"""BLEU: how many word n-grams a turn shares with its references (Papineni et al. 2002, ACL).

BLEU = 100 BP exp(mean over n = 1..4 of log p_n), p_n the share of the turn's n-grams that a
reference has, BP = min(1, exp(1 - reference length / turn length)). Counted by sacrebleu as its
`sentence_bleu` does it (13a tokens, exponential smoothing, no order longer than the text). The
counts of turns are added up, so a dialog has the BLEU of all its turns at once.
Example: "the cat sat on" beside "the cat sat down" and "a cat sat on the mat" shares 4 of 4 words,
3 of 3 pairs, 2 of 2 triples and 0 of 1 quadruple, smoothed to 1/2: 100 (1/2)^(1/4) = 84.1.
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

ORDERS = 4
COLUMNS = [f"{what}_{n}" for what in ("shared", "made") for n in range(1, ORDERS + 1)]
LENGTHS = ["length", "reference_length"]


def bleu_of_counts(counts: pl.DataFrame) -> pl.Series:
    """The BLEU of each row of counts; null where nothing was counted."""
    from sacrebleu.metrics.bleu import BLEU

    scores: list[float | None] = []
    for row in counts.select(COLUMNS + LENGTHS).fill_nan(None).fill_null(0).iter_rows():
        if not row[-2]:
            scores.append(None)
            continue
        # sums of whole numbers, which as statistics are floats
        counts_of_row = [round(value) for value in row]
        correct, total = counts_of_row[:ORDERS], counts_of_row[ORDERS:-2]
        length, reference_length = counts_of_row[-2:]
        bleu = BLEU.compute_bleu(
            correct, total, length, reference_length, smooth_method="exp", effective_order=True
        )
        scores.append(bleu.score)
    return pl.Series(scores, dtype=pl.Float64)


UNSPACED_SCRIPTS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
"""Tokens end at spaces and punctuation, so that here a sentence would be a token or two."""


@dataclass(frozen=True)
class Bleu:
    """Statistics: matching and all n-grams of each order, and both lengths; BLEU is read off their
    sums, so that a dialog or a system has the corpus BLEU of its turns.
    """

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
        make_score(
            "bleu",
            bleu_of_counts,
            "BLEU with the references, of all turns of a unit at once",
            "has (more|less) word overlap with the references",
            range=(0.0, 100.0),
            better="higher",
            title="BLEU",
        ),
    )

    @property
    def missing(self) -> str | None:
        return sacrebleu_missing()

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        references = features[References()]
        from sacrebleu.metrics.bleu import BLEU

        counts = np.full((len(turns), len(COLUMNS + LENGTHS)), np.nan)
        for row, bleu in references.scores(BLEU(effective_order=True)):
            counts[row] = [*bleu.counts, *bleu.totals, bleu.sys_len, bleu.ref_len]
        # mostly in a script that does not put spaces between words
        texts = turns.frame["text"]
        other = texts.str.count_matches(UNSPACED_SCRIPTS).to_numpy()
        no_spaces = (other > 0) & (2 * other >= texts.str.count_matches(r"\p{L}").to_numpy())
        counts[no_spaces] = np.nan
        why = reasons(
            len(turns),
            no_reference=references.no_reference,
            no_spaces=no_spaces,
            no_words=references.no_words,
        )
        return pl.DataFrame(counts, COLUMNS + LENGTHS, orient="row", nan_to_null=True).with_columns(
            why
        )
