"""A card for every metric: what its score measures, and its limits.

A number without its limits invites wrong decisions: each card says what the metric cannot see, how
many units have no score and why, and whether it follows people's ratings. Its signature names
version and parameters, as scores by other ones are other measurements (Post 2018 showed that for
BLEU).
"""

from __future__ import annotations

from simpatico.charts.forest import kind_tag
from simpatico.charts.html import Html, el
from simpatico.charts.ranges import RangeChart, range_chart
from simpatico.evidence import evidence_of
from simpatico.reporting.findings import Findings
from simpatico.reporting.scores import CentralRange, ScoreInfo
from simpatico.reporting.sections import components as page
from simpatico.wording import capitalize, format_count

REASONS = {
    "answers_nothing": "that reply to nothing",
    "no_words": "without words",
    "degenerate": "that repeat themselves or have hardly a known word",
    "no_emotion_words": "without a lexicon word",
    "answered_no_emotion_words": "that reply to a turn without a lexicon word",
    "no_interlocutor": "addressed to nobody else",
    "no_variation": "with all emotions equal",
    "other_script": "in another script",
    "too_few_words": "with too few words",
}
"""Why units have no score, as a sentence goes on after their number."""
MARKED = 6
"""Systems marked on a card at most; of more only the two that are compared."""


def cards_section(findings: Findings) -> page.Section:
    """Meaning, range, warnings, counts and signature of every metric."""
    scored = {s.metric for s in findings.scores}
    parts_only = ", ".join(name for name in findings.facts["metrics"] if name not in scored)
    note = page.small_print(
        f"Also scored, with sub-scores only: {parts_only}. ",
        el("code", None, f"simpatico show {findings.shell_name} --every"),
    )
    return page.make_section(
        "cards",
        "Metric cards",
        "What each score measures, and its limits",
        page.intro(
            "Line: the possible range. Thick part: the middle 90% of these dialogs. Marks: "
            "system means."
        ),
        el("div", {"class": "cards"}, [metric_card(findings, s) for s in findings.scores]),
        note if parts_only else None,
    )


def metric_card(findings: Findings, score: ScoreInfo) -> Html:
    """One metric, on its whole possible range.

    The dot plots cut their scales to the data, where any difference looks large; here it is seen
    how small a part of the range the systems take up.
    """
    central = findings.central_ranges.get(score.name, CentralRange(None, None, 0))
    means = dict(findings.table.select("system", score.name).iter_rows())
    systems = list(findings.main or ()) if len(findings.systems) > MARKED else findings.systems
    marks = tuple((findings.styles[s], means[s]) for s in systems if means[s] is not None)
    chart = RangeChart(score.low, score.high, central.p5, central.p95, marks, score.direction)
    levels = "turn, dialog" if score.level == "turn" else score.level
    careful, citation = score.card.get("careful"), score.card.get("citation")
    controls = findings.controls.get(score.name)
    return el(
        "article",
        {"class": "card"},
        el("h3", None, kind_tag(score.kind), score.title, el("small", None, levels)),
        el("p", None, capitalize(score.meaning) + "."),
        range_chart(chart),
        el("p", {"class": "w"}, evidence_of(score.name).sentence(score.better)),
        el("p", {"class": "w"}, f"Careful: {careful}") if careful else None,
        el("p", {"class": "w"}, f"{controls}.") if controls else None,
        el("p", {"class": "n"}, scored_counts(findings, score)),
        el("p", {"class": "n"}, citation) if citation else None,
        el("p", {"class": "sig"}, score.signature),
    )


def scored_counts(findings: Findings, score: ScoreInfo) -> str:
    """How many units have the score, and why the others have none, the most frequent first.

    `run.json` counts them as `metric.scored` and `metric.reason`, for each level.
    """
    level, prefix = score.level, f"{score.metric}."
    counts = findings.facts["units"].get(level, {})
    own = {k.removeprefix(prefix): n for k, n in counts.items() if k.startswith(prefix)}
    n = own.pop("scored", 0)
    reasons = sorted(own.items(), key=lambda item: (-item[1], item[0]))
    why = ", ".join(f"{n:,} {REASONS.get(r, r.replace('_', ' '))}" for r, n in reasons) or "none"
    units = f"{format_count(n, level)} scored"
    if level == "dialog":
        units = f"{format_count(n, 'dialog side')} scored (one per speaker)"
    return f"{units}. Not scored: {why}."
