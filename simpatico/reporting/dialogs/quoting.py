"""Dialogs as a page quotes them: the words that moved a score, the feelings, and not too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from simpatico.charts.systems import SystemStyle
from simpatico.errors import SimpaticoError
from simpatico.features.spans import EVIDENCE
from simpatico.metric import Metric, collect_evidence
from simpatico.registry import load
from simpatico.reporting.dialogs.choice import Example
from simpatico.reporting.dialogs.transcript import QuotedDialog, quoted_turns, score_explanation
from simpatico.reporting.findings import Findings
from simpatico.scoring import score
from simpatico.turns import Turns
from simpatico.wording import lower_first_letter

LENGTHS = (2_000, 1_000, 500, 250)
"""Characters of a turn that are quoted at most, the longest that fits."""
LETTERS = 120_000
"""Characters of all quoted dialogs together; with every word marked they take four times that."""
TURNS = 480
"""Turns of all quoted dialogs together."""
MOST = 40
"""Turns at each end of a dialog that are explained."""
SHARE = "_share"


def limit_to_examples(turns: Turns, chosen: Sequence[Example]) -> Turns:
    """The same turns with only those as scored that are shown, so that no others are explained."""
    whose = pl.DataFrame(
        {"dialog": [e.dialog for e in chosen], "speaker": [e.speaker for e in chosen]}
    ).with_columns(_quoted=True)
    left = pl.col("turn").max().over("dialog") - pl.col("turn")
    shown = pl.col("_quoted").is_not_null() & ((pl.col("turn") < MOST) | (left < MOST))
    frame = turns.frame.join(
        whose.unique(), on=["dialog", "speaker"], how="left", maintain_order="left"
    )
    masked = frame.with_columns(system=pl.when(shown).then("system"))
    return Turns(masked.drop("_quoted"))


def lead_evidence(metric: Metric | str, turns: Turns, title: str) -> tuple[pl.DataFrame, str]:
    """The words that moved the lead score, or why they are not marked."""
    nothing = pl.DataFrame(schema=EVIDENCE)
    if isinstance(metric, str):
        return nothing, f"The words behind {lower_first_letter(title)} are not marked: {metric}."
    try:
        return collect_evidence(metric, turns), ""
    except SimpaticoError as error:
        return nothing, f"The words behind {lower_first_letter(title)} are not marked: {error}."


def turn_emotions(found: Findings, turns: Turns) -> pl.DataFrame | None:
    """The eight shares of every quoted turn, context as well, by the lexicon of the run."""
    metric = (
        found.run.metric("emotion_shares") if "emotion_shares" in found.facts["metrics"] else ""
    )
    if isinstance(metric, str):
        if {"emotional_entropy", "emotion_matching"}.isdisjoint(found.facts["metrics"]):
            return None
        told = found.run.metric(
            "emotional_entropy"
            if "emotional_entropy" in found.facts["metrics"]
            else "emotion_matching"
        )
        if isinstance(told, str):
            return None
        metric = load("emotion_shares", lexicon=getattr(told, "lexicon", "emotions"))
    everybody = turns.frame.with_columns(pl.col("system").fill_null("context"))
    shares = score(Turns(everybody), [metric]).at("turn")
    names = [c for c in shares.columns if c.endswith(SHARE)]
    return shares.select("dialog", "turn", **{n.removesuffix(SHARE): n for n in names})


def quote_dialogs(
    chosen: Sequence[Example],
    turns: Turns,
    spans: pl.DataFrame,
    emotions: pl.DataFrame | None,
    parties: Mapping[str, SystemStyle],
) -> tuple[QuotedDialog, ...]:
    """The dialogs as they are quoted: long turns cut shorter where together they are too long.

    Where even that does not do, the last ones are left out; a page stays small whatever the run.
    """
    for longest in LENGTHS:
        made = [quote(e, turns, spans, emotions, parties, longest) for e in chosen]
        if sum(quote_length(q) for q in made) <= LETTERS:
            break
    while len(made) > 1 and (
        sum(quote_length(q) for q in made) > LETTERS or sum(len(q.turns) for q in made) > TURNS
    ):
        made.pop()
    return tuple(made)


def quote_length(quoted: QuotedDialog) -> int:
    return sum(len(turn.text) for turn in quoted.turns)


def quote(
    example: Example,
    turns: Turns,
    spans: pl.DataFrame,
    emotions: pl.DataFrame | None,
    parties: Mapping[str, SystemStyle],
    longest: int,
) -> QuotedDialog:
    said, total, omitted = quoted_turns(turns, example, spans, emotions, parties, longest=longest)
    moved = score_explanation(turns, example, spans)
    return QuotedDialog(example, parties[example.system], said, total, omitted, moved)
