"""Dialogs to read: quoted with the words that moved a score and the feelings of each turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from simpatico.charts.emotion_strip import emotion_legend
from simpatico.charts.html import Child, Html, el
from simpatico.charts.systems import SystemStyle, shorten_name, styled_name
from simpatico.comparison.headline import select_findings
from simpatico.comparison.samples import HUMAN
from simpatico.reporting.dialogs.choice import Example, choose_examples
from simpatico.reporting.dialogs.quoting import (
    lead_evidence,
    limit_to_examples,
    quote_dialogs,
    turn_emotions,
)
from simpatico.reporting.dialogs.transcript import QuotedDialog, dialog_article
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import QUOTED
from simpatico.reporting.sections.components import (
    Section,
    intro,
    make_section,
    sentence_list,
    small_print,
)
from simpatico.turns import Turns
from simpatico.validation.chart import is_significant
from simpatico.validation.evidence import judgements_at
from simpatico.wording import capitalize, format_count, lower_first_letter

ONLY = {"The only dialog": "The one dialog", "One of 2 dialogs": "Both dialogs"}
"""Titles in a run of one or two dialogs, and the heading they get."""
KINDS = {
    "Worked": "one that worked",
    "Failed": "one that failed",
    "Top of both": "one at the top of both rankings",
    "Bottom of both": "one at the bottom of both",
    "Highest": "the highest",
    "Lowest": "the lowest",
    "Disagree": "where metric and raters disagree",
    "Metrics disagree": "one where metrics disagree",
}
"""How titles of dialogs begin, and what a heading says of them."""
OPEN = 4
"""Dialogs that stand open on the page; the others are behind a line to click."""
SAMPLE = 4
"""Turns of the dialog that shows what is scored against what."""


@dataclass(frozen=True)
class Quotations:
    """The quoted dialogs; `why` says what could not be shown, and the reason."""

    quoted: tuple[QuotedDialog, ...]
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
            for q in self.quoted
        ]


def lead_score(found: Findings) -> str | None:
    """The score that dialogs are chosen by: it follows the raters, or else tells systems apart."""
    rows = [
        r
        for q in found.qualities[:1]
        for r in found.correlations_with(q)
        if is_significant(r.p_adjusted)
    ]
    ours = [r for r in rows if score_kind(found, r.score) != "T"] or rows
    if ours:
        return max(ours, key=lambda r: abs(r.value or 0)).score
    unsure = [
        r for q in found.qualities[:1] for r in found.correlations_with(q) if (r.value or 0) > 0
    ]
    if unsure := [r for r in unsure if score_kind(found, r.score) != "T"]:
        return max(unsure, key=lambda r: r.value or 0).score
    told = found.pairs[found.main] if found.main else []
    ranked = [
        *select_findings(told, "higher", "lower"),
        *select_findings(told, "hint"),
        *select_findings(told, "unclear"),
    ]
    first = [d for d in ranked if d.kind != "traditional"] or ranked
    return first[0].score if first else next(iter(found.central_ranges), None)


def score_kind(found: Findings, score: str) -> str:
    return next((s.kind for s in found.scores if s.name == score), "O")


def collect_quotations(found: Findings, parties: Mapping[str, SystemStyle]) -> Quotations:
    """The dialogs to read, with everything that is shown of them."""
    lead = lead_score(found)
    if lead is None:
        return Quotations((), None, "", "No metric has a score to choose dialogs by.")
    chosen = select_examples(found, lead)
    if not chosen:
        return Quotations((), None, lead, "No dialog has a score to choose it by.")
    turns = found.run.turns([e.dialog for e in chosen])
    if turns is None:
        return Quotations(
            (), None, lead, "The run was scored with --no-text, so no dialog can be quoted."
        )
    speakers = set(turns.frame.select("dialog", "speaker").iter_rows())
    if any((e.dialog, e.speaker) not in speakers for e in chosen):
        return Quotations((), None, lead, "The stored dialogs do not match this run.")
    metric = found.run.metric(next(s.metric for s in found.scores if s.name == lead))
    spans, why = lead_evidence(metric, limit_to_examples(turns, chosen), found.titles[lead])
    emotions = turn_emotions(found, turns)
    quoted = quote_dialogs(chosen, turns, spans, emotions, parties)
    return Quotations(quoted, turns, lead, why)


def select_examples(found: Findings, lead: str) -> list[Example]:
    names = list(found.central_ranges)
    dialogs = pl.scan_parquet(found.run.folder / "dialog.parquet", glob=False)
    wanted = dialogs.select("dialog", "speaker", "system", *names)
    if HUMAN not in found.systems:
        wanted = wanted.filter(pl.col("system") != HUMAN)
    order = [lead, *(n for n in names if n != lead)]
    return choose_examples(wanted.collect(), order, found.titles, lead, lead_ratings(found), QUOTED)


def lead_ratings(found: Findings) -> pl.DataFrame | None:
    """The median rating of the quality that the page leads with, of each dialog and speaker.

    Ratings of single turns are averaged over the dialog.
    """
    if found.judgements is None or not found.qualities:
        return None
    quality, level = found.qualities[0]
    own = judgements_at(found.judgements, "turn" if level == "turn" else "dialog").frame
    own = own.filter(pl.col("quality") == quality)
    units = own.group_by("dialog", "turn", "speaker", maintain_order=True).agg(
        pl.col("value").median(),
        judges=pl.col("value").count(),
        scale_min=pl.col("scale_min").min(),
        scale_max=pl.col("scale_max").max(),
    )
    dialogs = units.group_by("dialog", "speaker", maintain_order=True).agg(
        pl.col("value").mean(), pl.col("judges", "scale_max").max(), pl.col("scale_min").min()
    )
    return dialogs.drop_nulls("value").with_columns(quality=pl.lit(quality))


def dialogs_section(found: Findings, told: Quotations) -> Section:
    """The section of quoted dialogs."""
    if not told.quoted:
        return make_section("read", "Dialogs to read", "No dialog is quoted", intro(told.why))
    articles = [dialog_article(q, found.titles) for q in told.quoted]
    return make_section(
        "read",
        "Dialogs to read",
        dialogs_heading(told),
        dialogs_legend(found, told),
        articles[:OPEN],
        collapse_articles(articles[OPEN:]),
        small_print(told.why) if told.why else None,
        small_print(
            f"{len(told.quoted)} of "
            f"{format_count(found.facts['alignment']['dialogs'], 'dialog')} are quoted in this "
            "file. Scores of all dialogs: ",
            el("code", None, f"simpatico show {found.shell_name} --level dialog"),
        ),
    )


def dialogs_heading(told: Quotations) -> str:
    """What kinds of dialogs stand there, in words."""
    titles = [q.example.title for q in told.quoted]
    if titles[0] in ONLY:
        return ONLY[titles[0]]
    kinds = [words for start, words in KINDS.items() if any(t.startswith(start) for t in titles)]
    if not kinds:
        return f"{format_count(len(titles), 'dialog')} to read"
    text = sentence_list(kinds, len(kinds))
    return capitalize(text)


def dialogs_legend(found: Findings, told: Quotations) -> Html:
    """How to read the marks, those that are there."""
    said = [turn for q in told.quoted for turn in q.turns]
    marks = el(
        "span",
        None,
        el("mark", {"class": "p"}, "raised"),
        " and ",
        el("mark", {"class": "m"}, "lowered"),
        f" {lower_first_letter(found.titles[told.lead])}",
    )
    feelings_there = any(turn.emotions for turn in said)
    return el(
        "div",
        {"class": "legend"},
        marks if any(turn.spans for turn in said) else None,
        [
            emotion_legend(),
            el("span", None, "stronger colour = larger share of that emotion (word counts)"),
        ]
        if feelings_there
        else None,
    )


def collapse_articles(articles: list[Html]) -> Html | None:
    if not articles:
        return None
    return el(
        "details",
        {"class": "more"},
        el("summary", None, f"{format_count(len(articles), 'more dialog')} by system"),
        articles,
    )


def scoring_sample(told: Quotations, parties: Mapping[str, SystemStyle]) -> Html | None:
    """The first turns of a quoted dialog, each with what it is scored against."""
    if told.turns is None or not told.quoted:
        return None
    dialog = told.quoted[0].example.dialog
    rows = [t for t in told.turns if t.dialog == dialog][:SAMPLE]
    items = []
    for turn in rows:
        party = parties.get(turn.system or "")
        who: Child = styled_name(party) if party else "user"
        scored = turn.system is not None
        against = "opens the dialog" if turn.answers is None else f"replies to {turn.answers + 1}"
        items.append(
            el(
                "li",
                None,
                el("span", {"class": "note"}, turn.turn + 1),
                el("span", {"class": "who"}, who),
                el("span", {"class": "said", "dir": "auto"}, shorten_name(turn.text, 160)),
                el("small", None, against if scored else f"{against}, not scored"),
            )
        )
    about = small_print("Example: dialog ", el("bdi", None, shorten_name(dialog, 60)), ":")
    return el("div", None, about, el("ol", {"class": "pairs"}, items))
