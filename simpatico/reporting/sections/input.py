"""What was read: how the input was understood, and what was skipped or rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simpatico.charts.count_bar import count_bar
from simpatico.charts.html import Child, Html, el
from simpatico.comparison.samples import HUMAN
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections.components import Section, make_section, small_print
from simpatico.wording import format_count

ANSWERS, OPENS = " answers ", " opens the dialog"
"""How `run.json` words who replies to whom."""
MOST = 12
"""Rows of a list of counts at most."""


def input_section(found: Findings, sample: Html | None) -> Section:
    """Counts of what was scored and what was not, and one dialog to check them by."""
    read = found.facts["alignment"]
    lost = sum(read["aside"].values()) + sum(read["rejected"].values())
    unused = f"{format_count(lost, 'record')} {'was' if lost == 1 else 'were'} skipped or rejected"
    unused = unused if lost else "no record skipped or rejected"
    finding = f"{format_count(read['dialogs'], 'dialog')} read; {unused}"
    aside = {**read["aside"], **read["rejected"]}
    return make_section(
        "data",
        "What was read",
        finding,
        count_bar([("turns scored", read["scored"]), ("turns as context", read["context"])]),
        el(
            "div",
            {"class": "why3"},
            el(
                "div",
                None,
                el("h3", None, "Skipped by design or rejected"),
                set_aside_table(found, aside),
            ),
            el("div", None, el("h3", None, "How the input was read"), reading_table(read)),
        ),
        el("h3", {"class": "gap"}, "What each turn replies to"),
        small_print(answer_counts(read)),
        sample,
    )


def set_aside_table(found: Findings, aside: Mapping[str, int]) -> Html:
    """What was not used and why, the largest first."""
    if not aside:
        return small_print("Every record of the input was used.")
    rows = sorted(aside.items(), key=lambda kv: (-kv[1], kv[0]))
    body = [
        el(
            "tr",
            None,
            el("td", {"class": "r count"}, f"{n:,}"),
            el("td", None, el("bdi", None, why)),
        )
        for why, n in rows[:MOST]
    ]
    more = f"{len(rows) - MOST} more reasons. " if len(rows) > MOST else ""
    rejected = bool(found.facts["alignment"]["rejected"])
    listed = "Each one with its file and line: rejects.jsonl in the run folder." if rejected else ""
    end = small_print(f"{more}{listed}") if more or listed else None
    return el("div", None, el("table", None, el("tbody", None, body)), end)


def reading_table(read: Mapping[str, Any]) -> Html:
    """Files, speakers, what was joined."""
    files = list(read["formats"].items())
    shown = [[left_to_right(name), f" (read as {kind})"] for name, kind in files[:3]]
    rest = f" and {len(files) - 3} more" if len(files) > 3 else None
    systems = sorted(read["systems"].items(), key=lambda kv: (-kv[1], kv[0]))
    names = [[left_to_right(name), f" ({format_count(n, 'turn')})"] for name, n in systems[:MOST]]
    more = f" and {len(systems) - MOST} more" if len(systems) > MOST else None
    rows: list[tuple[str, Child]] = [
        ("Files", [commas(shown), rest] if shown else "–"),
        (
            "Messages",
            f"{format_count(read['utterances'], 'message')} in "
            f"{format_count(read['turns'], 'turn')}",
        ),
        (
            "Merged",
            f"{format_count(read['merged'], 'message')} into the previous one by the same speaker",
        ),
        ("Scored turns of", [commas(names), more] if names else "–"),
        ("Context only", f"{format_count(read['context'], 'turn')}: replied to, not scored"),
    ]
    body = [
        el("tr", None, el("th", {"scope": "row"}, head), el("td", None, content))
        for head, content in rows
    ]
    return el("table", None, el("tbody", None, body))


def left_to_right(name: str) -> Html:
    """A name that is read from left to right as a part of its line, whatever its script."""
    return el("bdi", {"dir": "ltr"}, name)


def commas(items: Sequence[Child]) -> list[Child]:
    return [part for i, item in enumerate(items) for part in (", " if i else None, item)]


def answer_counts(read: Mapping[str, Any]) -> list[Child]:
    """Who answers whom, the most frequent first."""
    rows = sorted(read["answers"].items(), key=lambda kv: (-kv[1], kv[0]))
    if not rows:
        return ["No turn was scored."]
    parts: list[Child] = []
    for pair, n in rows[:MOST]:
        parts += ["; " if parts else None, *reply_count(pair, n)]
    return [*parts, f"; and {len(rows) - MOST} more." if len(rows) > MOST else "."]


def reply_count(pair: str, n: int) -> list[Child]:
    """124 harbor turns reply to user; `pair` is a key of the run's counts (`a answers b`)."""
    turns = "turn" if n == 1 else "turns"
    if pair.endswith(OPENS):
        verb, to = "opens the dialog" if n == 1 else "open the dialog", None
        speaker = pair.removesuffix(OPENS)
    elif ANSWERS in pair:
        speaker, name = pair.split(ANSWERS, 1)
        verb, to = "replies to " if n == 1 else "reply to ", left_to_right(role_or_system(name))
    else:
        return [left_to_right(pair), f": {n:,} {turns}"]
    return [f"{n:,} ", left_to_right(role_or_system(speaker)), f" {turns} {verb}", to]


def role_or_system(name: str) -> str:
    """Turns of people are stored under the system name `human`."""
    return "user" if name == HUMAN else name
