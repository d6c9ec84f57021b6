"""A quoted dialog: what was said, by whom, with which feeling, and what moved the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from simpatico.charts.axis import Axis
from simpatico.charts.emotion_strip import emotion_strip
from simpatico.charts.html import Child, Html, el
from simpatico.charts.systems import SystemStyle, person_style, shorten_name, styled_name
from simpatico.comparison.samples import HUMAN
from simpatico.features.emotions import EMOTIONS
from simpatico.reporting.dialogs.choice import Example, ScorePlace
from simpatico.reporting.dialogs.evidence import (
    Span,
    character_boundary,
    mark_evidence,
    strongest_words,
    valid_spans,
)
from simpatico.reporting.dialogs.pool import score_title
from simpatico.turns import Turns
from simpatico.wording import format_count, format_number, format_significant

FAINT = 0.25
"""Share of the strongest weight in a dialog below which a word is not marked."""
LONGEST = 48
"""Characters of a dialog's or speaker's id that are shown."""
PERCENT = Axis(0, 100)


@dataclass(frozen=True)
class QuotedTurn:
    """A turn as it is quoted; `left_out` characters at its end are not."""

    style: SystemStyle
    text: str
    spans: tuple[Span, ...]
    emotions: Mapping[str, float] | None
    """Shares of the eight feelings; empty where no word shows one, null where none was sought."""
    lang: str | None
    speaker: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class QuotedDialog:
    """A dialog as it stands on a page; after `omitted_after` turns some of `total` are left out."""

    example: Example
    style: SystemStyle
    turns: tuple[QuotedTurn, ...]
    total: int
    omitted_after: int | None
    why: str


def quoted_turns(
    turns: Turns,
    example: Example,
    spans: pl.DataFrame,
    emotions: pl.DataFrame | None,
    parties: Mapping[str, SystemStyle],
    most: int = 40,
    longest: int = 2000,
) -> tuple[tuple[QuotedTurn, ...], int, int | None]:
    """The turns to quote of a dialog, how many it has, and after how many some are left out.

    Of a long dialog three quarters of `most` are its first turns and the rest its last ones.
    """
    own = dialog_rows(turns, example.dialog)
    first = most * 3 // 4 if own.height > most else own.height
    shown = pl.concat([own.head(first), own.tail(min(most, own.height) - first)])
    voices = speaker_styles(own, parties)
    evidence = spans_by_row(own, example, spans)
    feelings = emotions_by_turn(emotions, example.dialog)
    said = []
    for place, speaker, system, text, at in shown.select(
        "turn", "speaker", "system", "text", "row"
    ).iter_rows():
        kept, marks = cut_text(text, evidence.get(at, []), longest)
        feeling = feelings.get(place, {}) if emotions is not None else None
        left_out = len(text) - len(kept)
        said.append(
            QuotedTurn(voices[speaker, system], kept, marks, feeling, None, speaker, left_out)
        )
    return tuple(said), own.height, first if own.height > most else None


def speaker_styles(
    own: pl.DataFrame, parties: Mapping[str, SystemStyle]
) -> dict[tuple[str, str | None], SystemStyle]:
    """Who speaks: people by number if there are several, systems by name.

    Where one system speaks as two of a dialog's speakers, their names are added.
    """
    units = list(own.select("speaker", "system").unique(maintain_order=True).iter_rows())
    people = list(dict.fromkeys(s for s, system in units if system in (None, HUMAN)))
    speakers = [system for _, system in units]
    found = {}
    for speaker, system in units:
        if system in (None, HUMAN):
            place = f" {people.index(speaker) + 1}" if len(people) > 1 else ""
            found[speaker, system] = person_style(f"user{place}")
            continue
        party = parties.get(system, SystemStyle(system, "sx"))
        twice = speakers.count(system) > 1
        found[speaker, system] = SystemStyle(f"{system} ({speaker})", party.key) if twice else party
    return found


def score_explanation(turns: Turns, example: Example, spans: pl.DataFrame) -> Html:
    """What moved the score of the example most, anywhere in its dialog, as a sentence."""
    own = dialog_rows(turns, example.dialog)
    texts = dict(own.select("row", "text").iter_rows())
    found = spans_by_row(own, example, spans)
    return strongest_words((texts[row], marks) for row, marks in found.items())


def dialog_rows(turns: Turns, dialog: str) -> pl.DataFrame:
    """The turns of a dialog with their rows in the whole table."""
    row = pl.int_range(pl.len(), dtype=pl.Int64).alias("row")
    return turns.frame.with_columns(row).filter(dialog=dialog)


def spans_by_row(own: pl.DataFrame, example: Example, spans: pl.DataFrame) -> dict[int, list[Span]]:
    """The evidence in the turns whose score the example is about, by row."""
    part = own.filter(speaker=example.speaker, system=example.system).select("row")
    rows = spans.drop_nulls().join(part, on="row", how="semi").sort("row", "start", "end")
    found: dict[int, list[Span]] = {}
    for row, start, end, weight in rows.select("row", "start", "end", "weight").iter_rows():
        found.setdefault(row, []).append((start, end, weight))
    return found


def emotions_by_turn(emotions: pl.DataFrame | None, dialog: str) -> dict[int, dict[str, float]]:
    """The eight shares of each turn that has them; columns are named by emotion or by score."""
    if emotions is None:
        return {}
    forms = ("{}", "{}_share", "emotion_shares_{}")
    names = {e: f.format(e) for e in EMOTIONS for f in forms if f.format(e) in emotions.columns}
    rows = emotions.filter(dialog=dialog).select("turn", **names).drop_nulls()
    return {row.pop("turn"): row for row in rows.iter_rows(named=True)}


def cut_text(text: str, spans: Sequence[Span], longest: int) -> tuple[str, tuple[Span, ...]]:
    """The beginning of a text, not cut inside of a character and if possible of no evidence."""
    at = character_boundary(text, longest)
    across = min((start for start, end, _ in spans if start < at < end), default=at)
    if longest - across <= longest // 10:
        at = across
    return text[:at], tuple(valid_spans(text[:at], spans))


def dialog_article(quoted: QuotedDialog, titles: Mapping[str, str]) -> Html:
    """The dialog with what is known about it at its side."""
    example = quoted.example
    lines = [
        line
        for line in (dialog_source(quoted), dialog_length(quoted), rating_text(example))
        if line
    ]
    meta = [[el("br") if i else None, line] for i, line in enumerate(lines)]
    scores = [score_line(place, titles) for place in example.places]
    strips = any(said.emotions is not None for said in quoted.turns)
    return el(
        "article",
        {"class": "dlg"},
        el(
            "aside",
            None,
            el("h3", None, dialog_heading(example)),
            el("div", {"class": "meta"}, meta),
            el("div", {"class": "scores"}, scores) if scores else None,
        ),
        el(
            "div",
            None,
            el("ol", {"class": "turns" if strips else "turns bare"}, turn_items(quoted, strips)),
            el("p", {"class": "why"}, quoted.why) if quoted.why else None,
        ),
    )


def dialog_source(quoted: QuotedDialog) -> list[Child]:
    """The system and the dialog's id, and the speaker where that is not clear from the system."""
    example = quoted.example
    same = {s.speaker for s in quoted.turns if s.style.key == quoted.style.key}
    part = [" (", isolate_name(example.speaker), ")"] if len(same) > 1 else None
    return [styled_name(quoted.style), part, " · ", isolate_name(example.dialog)]


def isolate_name(name: str) -> Html:
    """A name from outside in running text, whichever way it is written."""
    shown = shorten_name(name, LONGEST)
    return el("bdi", {"title": name if shown != name else None}, shown)


def dialog_length(quoted: QuotedDialog) -> list[Child]:
    """How many turns the dialog has, and with whom."""
    told = format_count(quoted.total, "turn")
    if quoted.omitted_after is not None:
        last = len(quoted.turns) - quoted.omitted_after
        told = f"first {quoted.omitted_after} and last {last} of {told}"
    people = {said.speaker for said in quoted.turns if said.style.key == "sp"} - {""}
    if len(people) == 1 and quoted.style.key != "sp":
        return [told, ", user ", isolate_name(people.pop())]
    return [told, f", {len(people)} users" if len(people) > 1 else None]


def rating_text(example: Example) -> list[Child]:
    """What raters gave, on which scale, and how many they were."""
    if example.rating is None:
        return []
    judges = f", {format_count(example.judges, 'rater')}" if example.judges else ""
    value = f"Rating {format_number(example.rating, 1)}"
    if example.scale is None:
        return [value, judges]
    low, high = (format_number(end, 0 if end == int(end) else 1) for end in example.scale)
    return [
        value,
        f" of {high}" if low in ("0", "1") else f" on a scale of {low} to {high}",
        judges,
    ]


def dialog_heading(example: Example) -> list[Child]:
    """Why the dialog is quoted; a system's name before that stands apart from it."""
    name = f"{shorten_name(example.system)}:"
    if not example.title.startswith(name):
        return [example.title]
    return [el("bdi", None, name[:-1]), ":", example.title.removeprefix(name)]


def score_line(place: ScorePlace, titles: Mapping[str, str]) -> list[Child]:
    """A score by name, its place among all dialogs as a dot on a line, its value."""
    higher = min(max(round(place.percentile), 0), 99)
    tiny = place.value != 0 and round(place.value, 2) == 0
    return [
        el("span", None, score_title(place.score, titles)),
        el(
            "svg",
            {"role": "img", "aria-label": f"percentile {higher} of all dialogs, ties counted half"},
            el("line", {"x1": 0, "x2": "100%", "y1": 6, "y2": 6, "class": "zero"}),
            el("line", {"x1": "50%", "x2": "50%", "y1": 3, "y2": 9, "class": "zero"}),
            el("circle", {"cx": PERCENT.at(place.percentile), "cy": 6, "r": 3.5, "class": "dot"}),
        ),
        el("b", None, format_significant(place.value) if tiny else format_number(place.value)),
    ]


def turn_items(quoted: QuotedDialog, strips: bool) -> Iterator[Html]:
    """The turns, with a line where some are left out."""
    weights = [abs(weight) for said in quoted.turns for _, _, weight in said.spans]
    least = FAINT * max(weights, default=0.0)
    for place, said in enumerate(quoted.turns):
        if place == quoted.omitted_after:
            gone = format_count(quoted.total - len(quoted.turns), "turn")
            yield el("li", None, remark(f"… {gone} left out …"))
        yield turn_item(said, least, strips)


def turn_item(said: QuotedTurn, least: float, strips: bool) -> Html:
    """Who, the feelings, the words."""
    own = said.speaker if said.speaker not in ("", said.style.name) else None
    words = {"class": "said", "dir": "auto", "lang": said.lang}
    gone = f"… {format_count(said.left_out, 'character')} left out" if said.left_out else None
    return el(
        "li",
        None,
        el("span", {"class": "who", "title": own}, styled_name(said.style)),
        emotion_strip(said.emotions, said.style) if strips else None,
        el("span", words, mark_evidence(said.text, said.spans, least))
        if said.text.strip()
        else remark("(no words)"),
        remark(gone) if gone else None,
    )


def remark(words: str) -> Html:
    """A remark that nobody in the dialog made."""
    return el("span", {"class": "end"}, words)
