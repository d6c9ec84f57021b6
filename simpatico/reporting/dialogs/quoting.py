"""The dialogs that a page quotes: which, how much of them, and the words that moved a score.

A page is mailed and opened on telephones: it stays below a megabyte whatever the run, by limits on
the dialogs, on their turns and on the characters of a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from simpatico.comparison.ranking import is_exploratory, score_rows, select_findings
from simpatico.comparison.samples import HUMAN
from simpatico.errors import SimpaticoError
from simpatico.evidence import grade_of
from simpatico.features.emotions import EMOTIONS
from simpatico.features.spans import EVIDENCE
from simpatico.judgements import Judgements
from simpatico.metric import Metric, collect_evidence
from simpatico.registry import load
from simpatico.reporting.dialogs.choice import Example, choose_examples
from simpatico.reporting.dialogs.transcript import QuotedDialog, quote_dialog
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import QUOTED
from simpatico.scoring import score
from simpatico.turns import KEYS, Level, Turns
from simpatico.validation.chart import is_significant
from simpatico.validation.evidence import judgements_at
from simpatico.validation.matching import match_units
from simpatico.wording import format_number, lower_first_letter

LENGTHS = (2_000, 1_000, 500, 250)
"""Characters of a turn that are quoted at most, the longest that fits."""
LETTERS = 120_000
"""Characters of all quoted dialogs together; with every word marked they take four times that."""
TURNS = 480
"""Turns of all quoted dialogs together."""
LOW_SHARE = 0.1
"""Share of all turns that are called low."""
MOST = 40
"""Turns at each end of a dialog that are explained."""


@dataclass(frozen=True)
class Quotations:
    """The quoted dialogs; `why` says what could not be shown, and the reason."""

    dialogs: tuple[QuotedDialog, ...]
    turns: Turns | None
    lead: str
    why: str

    def as_json(self) -> list[dict[str, Any]]:
        """Each dialog with where it stands, and the words that moved its score."""
        return [
            {
                **asdict(q.example),
                "evidence": [[list(span) for span in turn.spans] for turn in q.turns],
                "emotions": [turn.emotions and dict(turn.emotions) for turn in q.turns],
            }
            for q in self.dialogs
        ]


def collect_quotations(findings: Findings) -> Quotations:
    """The dialogs to read, with everything that is shown of them."""
    lead = lead_score(findings)
    if lead is None:
        return Quotations((), None, "", "No metric has a score to choose dialogs by.")
    examples = select_examples(findings, lead)
    if not examples:
        return Quotations((), None, lead, "No dialog has a score to choose it by.")
    turns = findings.run.turns([e.dialog for e in examples])
    if turns is None:
        reason = "The run was scored with --no-text, so no dialog can be quoted."
        return Quotations((), None, lead, reason)
    speakers = set(turns.frame.select("dialog", "speaker").iter_rows())
    if any((e.dialog, e.speaker) not in speakers for e in examples):
        return Quotations((), None, lead, "The stored dialogs do not match this run.")
    metric = findings.run.metric(next(s.metric for s in findings.scores if s.name == lead))
    spans, why = lead_evidence(metric, turns, examples, findings.titles[lead])
    emotions = turn_emotions(findings, turns)
    for longest in LENGTHS:
        dialogs = [
            quote_dialog(turns, e, spans, emotions, findings.styles, longest=longest)
            for e in examples
        ]
        if total_length(dialogs) <= LETTERS:
            break
    # Where even short turns are too many, the last dialogs go: a page stays small for any run.
    while len(dialogs) > 1 and (
        total_length(dialogs) > LETTERS or sum(len(q.turns) for q in dialogs) > TURNS
    ):
        dialogs.pop()
    return Quotations(tuple(dialogs), turns, lead, why)


def total_length(dialogs: Sequence[QuotedDialog]) -> int:
    """Characters of all turns that are quoted."""
    return sum(len(turn.text) for q in dialogs for turn in q.turns)


def lead_score(findings: Findings) -> str | None:
    """The score that dialogs are chosen by: one that follows people, if there is any.

    The highest significant correlation with these ratings, else a score that follows people
    elsewhere, else the highest positive correlation, else the clearest difference between the main
    pair. Traditional metrics only where there is no other: that a dialog is long can be seen
    without reading it.
    """
    rows = findings.correlations_with(findings.qualities[0]) if findings.qualities else []
    significant = [r for r in rows if is_significant(r.p_adjusted)]
    ours = [r for r in rows if findings.kinds.get(r.score) != "T"]
    if best := [r for r in significant if r in ours] or significant:
        return max(best, key=lambda r: abs(r.value or 0)).score
    pair = score_rows(findings.pairs[findings.main]) if findings.main else []
    ranking = [
        *select_findings(pair, "higher", "lower"),
        *select_findings(pair, "hint"),
        *select_findings(pair, "unclear"),
    ]
    grades = {s.name: grade_of(s.name, s.better) for s in findings.scores}
    names = list(dict.fromkeys([*(d.score for d in ranking), *findings.central_ranges]))
    if follows := [name for name in names if grades[name] == "follows people"]:
        return follows[0]
    if positive := [r for r in ours if (r.value or 0) > 0]:
        return max(positive, key=lambda r: r.value or 0).score
    described = [d for d in ranking if not is_exploratory(d)] or ranking
    first = [d for d in described if d.kind != "traditional"] or described
    return first[0].score if first else next(iter(names), None)


def select_examples(findings: Findings, lead: str) -> list[Example]:
    """The dialogs to quote, by the tables of the run; users only where there is nobody else."""
    names = list(findings.central_ranges)
    dialogs = findings.run.scan("dialog")
    units = dialogs.select("dialog", "speaker", "system", *names)
    if findings.systems != [HUMAN]:
        units = units.filter(pl.col("system") != HUMAN)
    ratings = lead_ratings(findings)
    examples = choose_examples(units.collect(), names, findings.titles, lead, ratings, QUOTED)
    return find_low_turns(findings, examples, lead, ratings)


def find_low_turns(
    findings: Findings, examples: Sequence[Example], lead: str, ratings: pl.DataFrame | None
) -> list[Example]:
    """The examples, those in the worse half with the first turn that is in the worst tenth of all.

    By people's ratings of turns, else by the score that dialogs are chosen by.
    """
    turns, title, sign = turn_values(findings, lead)
    if turns is None or turns.is_empty():
        return list(examples)
    worst = pl.col("value") * sign
    limit, middle = (turns.select(worst.quantile(q, "lower")).item() for q in (LOW_SHARE, 0.5))
    low = turns.filter(worst <= limit) if limit < middle else turns.clear()
    first = low.sort("turn").unique(["dialog", "speaker"], keep="first", maintain_order=True)
    found = {
        (d, s): (t, v)
        for d, s, t, v in first.select("dialog", "speaker", "turn", "value").iter_rows()
    }
    median = None if ratings is None else ratings["value"].median()
    result = []
    for example in examples:
        place = next((p.percentile for p in example.places if p.score == lead), 50.0)
        is_worse = sign * (place - 50) < 0
        if example.rating is not None and isinstance(median, float):
            is_worse = example.rating <= median
        turn, value = found.get((example.dialog, example.speaker), (None, 0.0))
        if is_worse and turn is not None:
            share = f"worst {LOW_SHARE:.0%} of turns"
            reason = f"{title} {format_number(value)}, in the {share}"
            example = replace(example, low_turn=turn, low_reason=reason)
        result.append(example)
    return result


def turn_values(findings: Findings, lead: str) -> tuple[pl.DataFrame | None, str, int]:
    """What turns of systems were rated or scored with, its name, and -1 where lower is better."""
    run, rated = findings.run, [q for q, level in findings.qualities if level == "turn"]
    is_system = pl.col("system") != HUMAN
    if rated and findings.judgements is not None:
        gold = judgements_at(findings.judgements, "turn").gold().filter(quality=rated[0])
        units = run.at("turn", KEYS["turn"]).filter(is_system)
        rows = match_units(units, gold, "turn").frame.filter(pl.col("value").is_not_null())
        return rows, f"“{rated[0]}”", 1
    table = run.scan("turn")
    if lead not in table.collect_schema():
        return None, "", 1
    scored = table.filter(is_system, pl.col(lead).is_not_null()).select(*KEYS["turn"], value=lead)
    row = findings.lead_correlation(lead)
    lower = next(s.better for s in findings.scores if s.name == lead) == "lower"
    if row is not None and row.value is not None and is_significant(row.p_adjusted):
        lower = row.value < 0
    return scored.collect(), lower_first_letter(findings.titles[lead]), -1 if lower else 1


def lead_ratings(findings: Findings) -> pl.DataFrame | None:
    """The median rating of the quality that the page leads with, of each dialog and speaker.

    Ratings of single turns are averaged over the dialog.
    """
    if findings.judgements is None or not findings.qualities:
        return None
    quality, name = findings.qualities[0]
    level: Level = "turn" if name == "turn" else "dialog"
    own = Judgements(judgements_at(findings.judgements, level).frame.filter(quality=quality))
    units = findings.run.at(level, KEYS[level])
    if findings.systems != [HUMAN]:
        units = units.filter(pl.col("system") != HUMAN)
    matched = match_units(units, own.gold(), level).frame
    values = matched.group_by("dialog", "speaker", maintain_order=True).agg(pl.col("value").mean())
    scales = own.frame.group_by("dialog").agg(
        scale_min=pl.col("scale_min").min(), scale_max=pl.col("scale_max").max()
    )
    judges = own.gold().group_by("dialog").agg(pl.col("judges").max())
    facts = scales.join(judges, on="dialog")
    rated = values.drop_nulls("value").join(facts, on="dialog", how="left", maintain_order="left")
    return rated.with_columns(quality=pl.lit(quality))


def lead_evidence(
    metric: Metric | str, turns: Turns, examples: Sequence[Example], title: str
) -> tuple[pl.DataFrame, str]:
    """The words that moved the lead score, or why they are not marked.

    A metric explains every turn of a system, which takes time: here only turns that may be shown
    keep their system.
    """
    reason = metric
    if not isinstance(metric, str):
        key = ["dialog", "speaker"]
        units = pl.DataFrame([(e.dialog, e.speaker) for e in examples], key, orient="row")
        flags = units.unique().with_columns(_quoted=True)
        frame = turns.frame.join(flags, on=key, how="left", maintain_order="left")
        left = pl.col("turn").max().over("dialog") - pl.col("turn")
        in_page = pl.col("_quoted").is_not_null() & ((pl.col("turn") < MOST) | (left < MOST))
        masked = frame.with_columns(system=pl.when(in_page).then("system")).drop("_quoted")
        try:
            return collect_evidence(metric, Turns(masked)), ""
        except SimpaticoError as error:
            reason = str(error)
    note = f"The words behind {lower_first_letter(title)} are not marked: {reason}."
    return pl.DataFrame(schema=EVIDENCE), note


def turn_emotions(findings: Findings, turns: Turns) -> pl.DataFrame | None:
    """The eight shares of every quoted turn, context as well, by the lexicon of the run.

    Null where no metric of the run looks for emotions, or its lexicon is not there any more.
    """
    metrics = findings.facts["metrics"]
    metric = findings.run.metric("emotion_shares") if "emotion_shares" in metrics else ""
    if isinstance(metric, str):
        others = [n for n in ("emotional_entropy", "emotion_matching") if n in metrics]
        other = findings.run.metric(others[0]) if others else ""
        if isinstance(other, str):
            return None
        metric = load("emotion_shares", lexicon=getattr(other, "lexicon", "emotions"))
    everybody = turns.frame.with_columns(pl.col("system").fill_null("context"))
    shares = score(Turns(everybody), [metric]).at("turn")
    names = {e: f"{e}_share" for e in EMOTIONS if f"{e}_share" in shares.columns}
    return shares.select("dialog", "turn", **names)
