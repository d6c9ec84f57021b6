"""A card for every metric: what its score measures, and its limits."""

from __future__ import annotations

from collections.abc import Mapping

from simpatico.charts.forest import kind_tag
from simpatico.charts.html import Html, el
from simpatico.charts.ranges import RangeChart, range_chart
from simpatico.charts.systems import SystemStyle
from simpatico.reporting.findings import Findings
from simpatico.reporting.scores import CentralRange, ScoreInfo
from simpatico.reporting.sections.components import Section, intro, make_section
from simpatico.wording import capitalize, format_count

REASONS = {
    "answers_nothing": "that reply to nothing",
    "no_words": "without words",
    "no_emotion_words": "without a lexicon word",
    "answered_no_emotion_words": "that reply to a turn without a lexicon word",
    "no_interlocutor": "addressed to nobody else",
    "no_variation": "with all emotions equal",
    "other_script": "in another script",
    "too_few_words": "with too few words",
}
"""Why units have no score, as a sentence goes on."""
EACH = " (one per speaker)"
MARKED = 6
"""Systems marked on a card at most."""


def cards_section(found: Findings, parties: Mapping[str, SystemStyle]) -> Section:
    """Meaning, range, warnings, counts and signature of every metric."""
    return make_section(
        "cards",
        "Metric cards",
        "What each score measures, and its limits",
        intro(
            "Line: the possible range. Thick part: the middle 90% of these dialogs. Marks: "
            "system means."
        ),
        el("div", {"class": "cards"}, [metric_card(found, s, parties) for s in found.scores]),
        parts_only_note(found),
    )


def metric_card(found: Findings, score: ScoreInfo, parties: Mapping[str, SystemStyle]) -> Html:
    spread = found.central_ranges.get(score.name, CentralRange(score.name, None, None, 0))
    means = {row["system"]: row[score.name] for row in found.table.to_dicts()}
    shown = list(found.main or ()) if len(found.systems) > MARKED else found.systems
    marks = tuple((parties[s], means[s]) for s in shown if means.get(s) is not None)
    line = RangeChart(score.low, score.high, spread.p5, spread.p95, marks, score.direction)
    levels = "turn, dialog" if score.level == "turn" else score.level
    careful = score.card.get("careful")
    return el(
        "article",
        {"class": "card"},
        el("h3", None, kind_tag(score.kind), score.title, el("small", None, levels)),
        el("p", None, capitalize(score.meaning) + "."),
        range_chart(line),
        el("p", {"class": "w"}, f"Careful: {careful}") if careful else None,
        el("p", {"class": "n"}, scored_counts(found, score)),
        el("p", {"class": "n"}, score.card["citation"]) if score.card.get("citation") else None,
        el("p", {"class": "sig"}, score.signature),
    )


def scored_counts(found: Findings, score: ScoreInfo) -> str:
    """How many units have the score, and why the others have none."""
    level = score.level
    counts = found.facts["units"].get(level, {})
    start = f"{score.metric}."
    own = {k.removeprefix(start): n for k, n in counts.items() if k.startswith(start)}
    done = own.pop("scored", 0)
    reasons = sorted(own.items(), key=lambda kv: (-kv[1], kv[0]))
    why = ", ".join(f"{n:,} {REASONS.get(r, r.replace('_', ' '))}" for r, n in reasons)
    units = format_count(done, "dialog side") if level == "dialog" else format_count(done, level)
    return f"{units} scored{EACH if level == 'dialog' else ''}. Not scored: {why or 'none'}."


def parts_only_note(found: Findings) -> Html | None:
    """Metrics of the run that have only parts, which the page does not draw."""
    shown = {s.metric for s in found.scores}
    rest = [name for name in found.facts["metrics"] if name not in shown]
    if not rest:
        return None
    names = ", ".join(rest)
    return el(
        "p",
        {"class": "note"},
        f"Also scored, with sub-scores only: {names}. ",
        el("code", None, f"simpatico show {found.shell_name} --every"),
    )
