"""What the sections of a page are built from: findings as headings, and switches without script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simpatico import wording as phrases
from simpatico.charts.html import Child, Html, el


@dataclass(frozen=True)
class Section:
    """A part of the page: where it is, what it is about, what was found."""

    id: str
    topic: str
    html: Html


@dataclass(frozen=True)
class Option:
    """One choice of a switch: its label and what it shows."""

    label: Child
    pane: Child


def make_section(id: str, topic: str, finding: Child, *children: Child) -> Section:
    """A section whose heading says what was found."""
    heading = el("h2", {"id": f"h-{id}"}, finding)
    small = el("p", {"class": "topic"}, topic)
    whole = el("section", {"id": id, "aria-labelledby": f"h-{id}"}, small, heading, children)
    return Section(id, topic, whole)


def intro(*children: Child) -> Html:
    return el("p", {"class": "lede"}, children)


def small_print(*children: Child) -> Html:
    return el("p", {"class": "note"}, children)


def refusal(title: Child, reason: Child) -> Html:
    """What is not drawn, and why."""
    return el("p", {"class": "refuse"}, el("b", None, title), el("span", None, reason))


def switch(
    name: str,
    legend: str,
    options: Sequence[Option],
    *,
    picker: Html | None = None,
    print_all: bool = True,
) -> Html:
    """Radio buttons that show one pane each by style alone; on paper all are shown."""
    if len(options) == 1:
        return el("div", {"class": "pane only"}, options[0].pane)
    panes = [el("div", {"class": "pane"}, option.pane) for option in options]
    return el(
        "div",
        {"class": "switch", "id": f"w-{name}"},
        picker or segments(name, legend, [option.label for option in options]),
        el("div", {"class": "panes all" if print_all else "panes"}, panes),
    )


def segments(name: str, legend: str, labels: Sequence[Child]) -> Html:
    """A row of radio buttons, the first one chosen."""
    return el(
        "fieldset",
        {"class": "pick seg"},
        el("legend", {"class": "vh"}, legend),
        [el("label", None, radio_button(name, i), label) for i, label in enumerate(labels)],
    )


def radio_button(name: str, place: int, said: str | None = None) -> Html:
    return el(
        "input",
        {
            "type": "radio",
            "name": name,
            "value": place,
            "checked": place == 0,
            "aria-label": said,
            "autocomplete": "off",
        },
    )


def switch_rules(most: int) -> str:
    """The style rules that make switches of up to so many panes work."""
    return "".join(
        f'.switch:has(>.pick [value="{i}"]:checked)>.panes>.pane:nth-child({i + 1})'
        "{display:block}\n"
        for i in range(most)
    )


def join_children(words: Sequence[Child], last: str = "and") -> list[Child]:
    """a, b and c; as children of an element."""
    found: list[Child] = []
    for i, word in enumerate(words):
        if i:
            found.append(f" {last} " if i == len(words) - 1 else ", ")
        found.append(word)
    return found


def sentence_list(words: Sequence[str], most: int = 3) -> str:
    """a, b and c; or a, b and 4 more."""
    shown = list(words[:most])
    if len(words) > most:
        shown = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return phrases.join_with_and(shown)
