"""What the sections of a page are built from: headings that state findings, tables, switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simpatico.charts.html import Child, Html, el
from simpatico.wording import join_with_and


@dataclass(frozen=True)
class Section:
    """A part of the page: its anchor, its entry in the contents, and its markup."""

    id: str
    topic: str
    html: Html


def make_section(id: str, topic: str, finding: Child, *children: Child) -> Section:
    """A section whose heading states what was found; its topic is in small print above."""
    heading = el("h2", {"id": f"h-{id}"}, finding)
    topic_line = el("p", {"class": "topic"}, topic)
    # The heading labels the region, so that screen readers list findings rather than topics.
    attributes = {"id": id, "aria-labelledby": f"h-{id}"}
    return Section(id, topic, el("section", attributes, topic_line, heading, children))


def intro(*children: Child) -> Html:
    """The paragraph below a heading: what is shown, and how to read it."""
    return el("p", {"class": "lede"}, children)


def small_print(*children: Child) -> Html:
    """A remark below a chart: sample, method, or where to find more."""
    return el("p", {"class": "note"}, children)


def refusal(title: Child, reason: Child) -> Html:
    """What is not drawn, and why."""
    return el("p", {"class": "refuse"}, el("b", None, title), el("span", None, reason))


def table(attributes: dict[str, object] | None, head: Child, rows: Child) -> Html:
    """A table with one row of column heads."""
    thead = el("thead", None, el("tr", None, head))
    return el("table", attributes, thead, el("tbody", None, rows))


def column_heads(titles: Sequence[Child], kind: str | None = None) -> list[Html]:
    """Heads with their scope, by which screen readers announce cells."""
    return [el("th", {"scope": "col", "class": kind}, title) for title in titles]


def switch(
    name: str,
    legend: str,
    options: Sequence[tuple[Child, Child]],
    *,
    picker: Html | None = None,
    print_all: bool = True,
) -> Html:
    """Radio buttons, each with a label and the pane it shows.

    Style alone shows and hides panes (see `switch_rules`), so that the page works where scripts
    are blocked, as in many mail programs; on paper all panes are shown, if `print_all`.
    """
    if len(options) == 1:
        return el("div", {"class": "pane only"}, options[0][1])
    labels = [el("label", None, radio_button(name, i), o[0]) for i, o in enumerate(options)]
    buttons = el("fieldset", {"class": "pick seg"}, el("legend", {"class": "vh"}, legend), labels)
    panes = [el("div", {"class": "pane"}, pane) for _, pane in options]
    kind = "panes all" if print_all else "panes"
    attributes = {"class": "switch", "id": f"w-{name}"}
    return el("div", attributes, picker or buttons, el("div", {"class": kind}, panes))


def radio_button(name: str, position: int, label: str | None = None) -> Html:
    """A button of a switch; the first one is checked."""
    return el(
        "input",
        {
            "type": "radio",
            "name": name,
            "value": position,
            "checked": position == 0,
            "aria-label": label,
            # Firefox would restore an earlier choice on reload; the page opens with its lead.
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


def join_children(items: Sequence[Child], last: str = " and ") -> list[Child]:
    """a, b and c; as children of an element."""
    end = len(items) - 1
    separators = [None if i == 0 else last if i == end else ", " for i in range(len(items))]
    return [part for pair in zip(separators, items, strict=True) for part in pair]


def sentence_list(words: Sequence[str], most: int = 3) -> str:
    """a, b and c; or a, b and 4 more."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return join_with_and(words)
