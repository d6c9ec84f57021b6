"""`simpatico explain`: one dialog, its scores and the words behind each.

The words are those that the report marks: what a metric calls evidence. A score that is null has
its reason in their place.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import (
    format_cell,
    heading,
    note,
    result,
    show_json,
    show_prose,
    show_table,
)
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import SimpaticoError, UnknownName, suggest_names

if TYPE_CHECKING:
    import polars as pl

    from simpatico.reporting.dialogs.evidence import Span
    from simpatico.run import Run
    from simpatico.turns import Turns

Evidence = dict[str, "dict[int, list[Span]]"]
"""The spans behind each metric, by the number of the turn."""


@click.command(name="explain")
@click.argument("run", type=opt.PATH)
@click.argument("dialog")
@click.argument("turn", type=click.IntRange(min=0), required=False)
@opt.names("--scores", "Explain only these scores.")
@opt.flag("--every", "Include the component scores of each metric.")
@opt.flag("--with-human", "Include the users' own turns.")
@opt.as_json
def command(run: Path, dialog: str, turn: int | None, as_json: bool, **options: Any) -> None:
    """Print one dialog of RUN with the words behind every score.

    For every turn of a system, or for TURN alone (the first is 0): each score, the words that
    raised and lowered it most, and the reason where there is no score. Scores of the whole dialog
    follow.

    \b
    Examples:
      simpatico show run --sort predicted_rating --rows 5
      simpatico explain run d17
      simpatico explain run d17 4 --scores style_matching
    """
    from simpatico.api import as_run, dialog_turns

    folder = as_run(run)
    turns = dialog_turns(folder, dialog)
    last = len(turns) - 1
    if turn is not None and turn > last:
        raise UnknownName(f"no turn {turn} in dialog {dialog!r}; there are 0 to {last}")
    with ProgressDisplay("metrics explained") as progress:
        evidence, problems = collect_words(folder, turns, progress)
    rows = explain_turns(folder, turns, evidence, options)
    whole = explain_dialog(folder, turns, evidence, options)
    if turn is not None:
        (own,) = (row for row in rows if row["turn"] == turn)
        # what it replies to comes before it, as context
        context = [{**row, "scores": []} for row in rows if row["turn"] == own["answers"]]
        rows, whole = [*context, own], []
    if as_json:
        show_json({"dialog": dialog, "turns": rows, "scores": whole, "notes": problems})
        return
    show_dialog(dialog, rows, whole, with_human=options["with_human"] or turn is not None)
    for problem in problems:
        note(problem)
    note(
        "raised, lowered: words that changed the score most, with the change in the unit of the "
        "metric's evidence; --json has all."
    )


def collect_words(run: Run, turns: Turns, progress: ProgressDisplay) -> tuple[Evidence, list[str]]:
    """The evidence of every metric of the run that can give some, and why others cannot."""
    from simpatico.metric import collect_evidence

    words: Evidence = {}
    problems = []
    progress.expect(len(run.facts["metrics"]))
    for name in run.facts["metrics"]:
        progress.add(1)
        metric = run.metric(name)
        try:
            if isinstance(metric, str):
                raise UnknownName(metric)
            frame = collect_evidence(metric, turns)
        except SimpaticoError as error:
            problems.append(f"{name}: the words are not shown: {error}")
            continue
        spans = words.setdefault(name, {})
        for row, start, end, weight in frame.select("row", "start", "end", "weight").iter_rows():
            spans.setdefault(row, []).append((start, end, weight))
    return words, problems


def score_rows(
    run: Run, frame: pl.DataFrame, unit: dict[str, Any], options: dict[str, Any]
) -> list[dict[str, Any]]:
    """The scores of one unit by name, with the reason of a null; those that the options choose."""
    rows, scores = [], run.metric_by_score
    for name in options["scores"]:
        if name not in scores:
            raise UnknownName(f"no score {name!r}; {suggest_names(name, scores)}")
    for score, metric in scores.items():
        chosen = (
            score in options["scores"]
            if options["scores"]
            else (options["every"] or score == metric)
        )
        if chosen and score in frame.columns:
            value = unit[score]
            reason = (unit.get(f"{metric}_null") or "undefined") if value is None else None
            rows.append({"score": score, "metric": metric, "value": value, "reason": reason})
    return rows


def explain_turns(
    run: Run, turns: Turns, evidence: Evidence, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """Every turn with its text, scores and words; turns that are context have no scores."""
    from simpatico.reporting.dialogs.evidence import rank_words

    dialog = turns.frame["dialog"][0]
    frame = run.at("turn").filter(dialog=dialog)
    units = {row["turn"]: row for row in frame.iter_rows(named=True)}
    rows = []
    for place, turn in enumerate(turns):
        scores = score_rows(run, frame, units[turn.turn], options) if turn.turn in units else []
        for score in scores:
            spans = evidence.get(score["metric"], {}).get(place, [])
            # component scores share their metric's words, which say nothing about each alone
            own = spans if score["score"] == score["metric"] else []
            score["words"] = rank_words([(turn.text, own)], 3)
            score["evidence"] = own
        fields = {"turn": turn.turn, "speaker": turn.speaker, "system": turn.system}
        rows.append({**fields, "text": turn.text, "answers": turn.answers, "scores": scores})
    return rows


def explain_dialog(
    run: Run, turns: Turns, evidence: Evidence, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """The scores of the whole dialog, of each speaker, with the strongest words of any turn."""
    from simpatico.reporting.dialogs.evidence import rank_words

    texts = turns.frame.select("speaker", "text").rows()
    frame = run.at("dialog").filter(dialog=turns.frame["dialog"][0])
    rows = []
    for unit in frame.iter_rows(named=True):
        for score in score_rows(run, frame, unit, options):
            spans = evidence.get(score["metric"], {}) if score["score"] == score["metric"] else {}
            own = [(texts[i][1], s) for i, s in spans.items() if texts[i][0] == unit["speaker"]]
            who = {"speaker": unit["speaker"], "system": unit["system"]}
            rows.append({**who, **score, "words": rank_words(own, 3)})
    return rows


def show_dialog(
    dialog: str, rows: list[dict[str, Any]], whole: list[dict[str, Any]], *, with_human: bool
) -> None:
    """The transcript, a table of scores below every turn that has some."""
    from simpatico.comparison.samples import HUMAN

    heading(f"Dialog {dialog}")
    for row in rows:
        reply = "" if row["answers"] is None else f", replies to {row['answers']}"
        result(f"{row['turn']}  {row['speaker']} ({row['system'] or 'context'}{reply})")
        for line in row["text"].splitlines() or ["(no words)"]:
            show_prose(f"   {line}")
        shown = row["scores"] if with_human or row["system"] != HUMAN else []
        if shown:
            show_table("", ["score", "value", "words"], [score_cells(s) for s in shown])
        else:
            result("")
    body = [[s["speaker"], *score_cells(s)] for s in whole if with_human or s["system"] != HUMAN]
    if body:
        show_table("Whole dialog", ["speaker", "score", "value", "words"], body, keys=2)


def score_cells(score: dict[str, Any]) -> list[str]:
    """Name, value, and the words behind it or the reason why there is no value."""
    if score["value"] is None:
        return [score["score"], format_cell(None), f"null: {score['reason'].replace('_', ' ')}"]
    parts = [
        f"{verb} by {', '.join(f'“{words}” ({effect})' for words, effect in pairs)}"
        for verb, pairs in score["words"].items()
        if pairs
    ]
    return [score["score"], format_cell(score["value"]), "; ".join(parts)]
