"""A quoted dialog: what was said, by whom, with which emotions, and what moved the score.

Text comes from logs and may hold anything: every name and turn goes through `el`, which escapes it,
and is isolated (`bdi`, `dir`), as text from right to left would reorder the line around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from simpatico.charts.emotion_strip import emotion_strip
from simpatico.charts.html import Child, Html, el, value_text
from simpatico.charts.systems import SystemStyle, shorten_name, styled_name, user_style
from simpatico.comparison.samples import HUMAN
from simpatico.reporting.dialogs.choice import Example, ScorePlace, score_title
from simpatico.reporting.dialogs.evidence import (
    Span,
    character_boundary,
    mark_evidence,
    strongest_words,
    valid_spans,
)
from simpatico.turns import Turns
from simpatico.wording import format_count, format_number, format_significant

FAINT = 0.25
"""Share of the strongest weight in a dialog below which a word is not marked."""
LONGEST = 48
"""Characters of a dialog's or speaker's id that are shown."""


@dataclass(frozen=True)
class QuotedTurn:
    """A turn as it is quoted; `left_out` characters at its end are not."""

    style: SystemStyle
    text: str
    spans: tuple[Span, ...]
    emotions: Mapping[str, float] | None
    """Shares of the eight emotions; empty where no word shows one, null where none was sought."""
    speaker: str
    left_out: int
    note: str = ""
    """What is said of this turn, such as that here it went wrong."""


@dataclass(frozen=True)
class QuotedDialog:
    """A dialog as it stands on a page; after `omitted_after` turns some of `total` are left out."""

    example: Example
    style: SystemStyle
    turns: tuple[QuotedTurn, ...]
    total: int
    omitted_after: int | None
    why: Html
    """What moved the score most, anywhere in the dialog, as a sentence."""


def quote_dialog(
    turns: Turns,
    example: Example,
    spans: pl.DataFrame,
    emotions: pl.DataFrame | None,
    styles: Mapping[str, SystemStyle],
    most: int = 40,
    longest: int = 2000,
) -> QuotedDialog:
    """The dialog of an example, with at most so many turns of at most so many characters.

    Of a long dialog three quarters of `most` are its first turns and the rest its last ones.
    """
    row = pl.int_range(pl.len(), dtype=pl.Int64).alias("row")  # evidence refers to rows
    dialog = turns.frame.with_columns(row).filter(dialog=example.dialog)
    first = most * 3 // 4 if dialog.height > most else dialog.height
    ends = pl.concat([dialog.head(first), dialog.tail(min(most, dialog.height) - first)])
    voices = speaker_styles(dialog, styles)
    part = dialog.filter(speaker=example.speaker, system=example.system).select("row")
    own = spans.drop_nulls().join(part, on="row", how="semi").sort("row", "start", "end")
    evidence: dict[int, list[Span]] = {}
    for at, start, end, weight in own.select("row", "start", "end", "weight").iter_rows():
        evidence.setdefault(at, []).append((start, end, weight))
    shares: dict[int, dict[str, float]] = {}
    if emotions is not None:
        rows = emotions.filter(dialog=example.dialog).drop("dialog").drop_nulls()
        shares = {turn.pop("turn"): turn for turn in rows.iter_rows(named=True)}
    content = []
    for turn in ends.iter_rows(named=True):
        text, marks = cut_text(turn["text"], evidence.get(turn["row"], []), longest)
        style = voices[turn["speaker"], turn["system"]]
        share = None if emotions is None else shares.get(turn["turn"], {})
        left_out = len(turn["text"]) - len(text)
        note = f"first low turn: {example.low_reason}" * (turn["turn"] == example.low_turn)
        content.append(QuotedTurn(style, text, marks, share, turn["speaker"], left_out, note))
    omitted_after = first if dialog.height > most else None
    texts = dict(dialog.select("row", "text").iter_rows())
    why = strongest_words((texts[at], marks) for at, marks in evidence.items())
    style = styles[example.system]
    return QuotedDialog(example, style, tuple(content), dialog.height, omitted_after, why)


def speaker_styles(
    dialog: pl.DataFrame, styles: Mapping[str, SystemStyle]
) -> dict[tuple[str, str | None], SystemStyle]:
    """The style of each speaker: users by number if there are several, systems by name.

    Where one system speaks as two of a dialog's speakers, their names are added.
    """
    units = list(dialog.select("speaker", "system").unique(maintain_order=True).iter_rows())
    users = list(dict.fromkeys(s for s, system in units if system in (None, HUMAN)))
    systems = [system for _, system in units]
    voices = {}
    for speaker, system in units:
        if system in (None, HUMAN):
            number = f" {users.index(speaker) + 1}" if len(users) > 1 else ""
            style = user_style(f"user{number}")
        else:
            style = styles.get(system, SystemStyle(system, "sx"))
            if systems.count(system) > 1:
                style = SystemStyle(f"{system} ({speaker})", style.key)
        voices[speaker, system] = style
    return voices


def cut_text(text: str, spans: Sequence[Span], longest: int) -> tuple[str, tuple[Span, ...]]:
    """The beginning of a text, not cut inside of a character and if possible of no evidence."""
    at = character_boundary(text, longest)
    across = min((start for start, end, _ in spans if start < at < end), default=at)
    if longest - across <= longest // 10:  # a span that is longer than a tenth is cut after all
        at = across
    return text[:at], tuple(valid_spans(text[:at], spans))


def dialog_article(dialog: QuotedDialog, titles: Mapping[str, str]) -> Html:
    """The dialog with what is known about it at its side: why it is quoted, ratings, scores."""
    example = dialog.example
    meta = [[el("br") if i else None, line] for i, line in enumerate(dialog_facts(dialog))]
    scores = [score_line(place, titles) for place in example.places]
    strips = any(turn.emotions is not None for turn in dialog.turns)
    # A system's name before the reason is isolated: it may run from right to left.
    heading: list[Child] = [example.title]
    name = shorten_name(example.system)
    if example.title.startswith(f"{name}:"):
        heading = [el("bdi", None, name), example.title.removeprefix(name)]
    kind = {"class": "turns" if strips else "turns bare"}
    return el(
        "article",
        {"class": "dlg"},
        el(
            "aside",
            None,
            el("h3", None, heading),
            el("div", {"class": "meta"}, meta),
            el("div", {"class": "scores"}, scores) if scores else None,
        ),
        el(
            "div",
            None,
            el("ol", kind, turn_items(dialog, strips)),
            el("p", {"class": "why"}, dialog.why) if dialog.why else None,
        ),
    )


def dialog_facts(dialog: QuotedDialog) -> list[Child]:
    """Lines beside a dialog: system and id, length and users, and what raters gave, if any did."""
    example = dialog.example
    # The speaker is named where the system alone does not say who is meant.
    speakers = {turn.speaker for turn in dialog.turns if turn.style.key == dialog.style.key}
    part = [" (", isolate_name(example.speaker), ")"] if len(speakers) > 1 else None
    lines: list[Child] = [[styled_name(dialog.style), part, " · ", isolate_name(example.dialog)]]
    length = format_count(dialog.total, "turn")
    if dialog.omitted_after is not None:
        last = len(dialog.turns) - dialog.omitted_after
        length = f"first {dialog.omitted_after} and last {last} of {length}"
    users = {turn.speaker for turn in dialog.turns if turn.style.key == "sp"} - {""}
    if len(users) == 1 and dialog.style.key != "sp":
        lines.append([length, ", user ", isolate_name(users.pop())])
    else:
        lines.append([length, f", {len(users)} users" if len(users) > 1 else None])
    if example.rating is not None:
        scale = ""
        if example.scale is not None:
            low, high = (format_number(end, 0 if end == int(end) else 1) for end in example.scale)
            scale = f" of {high}" if low in ("0", "1") else f" on a scale of {low} to {high}"
        raters = f", {format_count(example.judges, 'rater')}" if example.judges else ""
        lines.append(f"Rating {format_number(example.rating, 1)}{scale}{raters}")
    if example.low_turn is not None:
        lines.append(f"First low turn: {example.low_turn} (turns count from 0)")
    return lines


def isolate_name(name: str) -> Html:
    """A name from outside in running text, whichever way it is written."""
    short = shorten_name(name, LONGEST)
    return el("bdi", {"title": name if short != name else None}, short)


def score_line(place: ScorePlace, titles: Mapping[str, str]) -> list[Child]:
    """A score by name, its place among all dialogs as a dot on a line, its value.

    The place is what compares scores of different units; the line has a tick at the median.
    """
    percentile = min(max(round(place.percentile), 0), 99)
    tiny = place.value != 0 and round(place.value, 2) == 0
    x = f"{value_text(place.percentile)}%"
    about = f"percentile {percentile} of all dialogs, ties counted half"
    return [
        el("span", None, score_title(place.score, titles)),
        el(
            "svg",
            {"role": "img", "aria-label": about},
            el("line", {"x1": 0, "x2": "100%", "y1": 6, "y2": 6, "class": "zero"}),
            el("line", {"x1": "50%", "x2": "50%", "y1": 3, "y2": 9, "class": "zero"}),
            el("circle", {"cx": x, "cy": 6, "r": 3.5, "class": "dot"}),
        ),
        el("b", None, format_significant(place.value) if tiny else format_number(place.value)),
    ]


def turn_items(dialog: QuotedDialog, strips: bool) -> Iterator[Html]:
    """The turns: who, the emotions, the words; with a line where some are left out.

    Faint evidence is not marked, by the strongest in the dialog, or nearly every word would be.
    """
    weights = [abs(weight) for turn in dialog.turns for _, _, weight in turn.spans]
    least = FAINT * max(weights, default=0.0)
    for i, turn in enumerate(dialog.turns):
        if i == dialog.omitted_after:
            rest = format_count(dialog.total - len(dialog.turns), "turn")
            yield el("li", None, remark(f"… {rest} left out …"))
        name = turn.speaker if turn.speaker not in ("", turn.style.name) else None
        words = mark_evidence(turn.text, turn.spans, least)
        end = f"… {format_count(turn.left_out, 'character')} left out"
        yield el(
            "li",
            None,
            el("span", {"class": "who", "title": name}, styled_name(turn.style)),
            emotion_strip(turn.emotions, turn.style) if strips else None,
            el("span", {"class": "said", "dir": "auto"}, words)
            if turn.text.strip()
            else remark("(no words)"),
            remark(end) if turn.left_out else None,
            remark(turn.note, "end low") if turn.note else None,
        )


def remark(text: str, kind: str = "end") -> Html:
    """Words that nobody in the dialog said."""
    return el("span", {"class": kind}, text)
