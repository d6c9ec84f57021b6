"""What was read: how the input was understood, and what was skipped or rejected.

Speakers taken for each other, or context taken for replies, change every score, and no statistic
shows it. The counts here and one dialog in full let a person see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simpatico.charts.count_bar import count_bar
from simpatico.charts.html import Child, Html, el
from simpatico.comparison.samples import HUMAN
from simpatico.privacy.patterns import RECALL
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.wording import format_count

ANSWERS, OPENS = " answers ", " opens the dialog"
"""How `run.json` words who replies to whom; its keys are older than the page's words."""
MOST = 12
"""Rows of a list of counts at most."""
FILES = 3
"""Input files named at most."""


def input_section(findings: Findings, sample: Html | None) -> page.Section:
    """Counts of what was scored and what was not, and one dialog to check them by."""
    counts = findings.facts["alignment"]
    reasons = {**counts["aside"], **counts["rejected"]}
    records = sum(counts["aside"].values()) + sum(counts["rejected"].values())
    verb = "was" if records == 1 else "were"
    loss = f"{format_count(records, 'record')} {verb} skipped or rejected"
    loss = loss if records else "no record skipped or rejected"
    tables = (
        ("Skipped by design or rejected", unused_table(reasons, bool(counts["rejected"]))),
        ("How the input was read", reading_table(counts, findings.facts.get("purged", 0))),
    )
    return page.make_section(
        "data",
        "What was read",
        f"{format_count(counts['dialogs'], 'dialog')} read; {loss}",
        count_bar([("turns scored", counts["scored"]), ("turns as context", counts["context"])]),
        el("div", {"class": "why3"}, [el("div", None, el("h3", None, h), t) for h, t in tables]),
        el("h3", {"class": "gap"}, "What each turn replies to"),
        page.small_print(reply_counts(counts)),
        sample,
    )


def largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names with their counts; ties in the order of the alphabet, whatever the input's order."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def unused_table(reasons: Mapping[str, int], rejects_file: bool) -> Html:
    """What was not used and why, the largest first; never dropped in silence."""
    if not reasons:
        return page.small_print("Every record of the input was used.")
    rows = largest_first(reasons)
    body = []
    for reason, n in rows[:MOST]:
        count = el("td", {"class": "r count"}, f"{n:,}")
        body.append(el("tr", None, count, el("td", None, el("bdi", None, reason))))
    more = f"{len(rows) - MOST} more reasons. " if len(rows) > MOST else ""
    where = "Each one with its file and line: rejects.jsonl in the run folder."
    where = where if rejects_file else ""
    end = page.small_print(more, where) if more or where else None
    return el("div", None, el("table", None, el("tbody", None, body)), end)


def reading_table(counts: Mapping[str, Any], purged: int) -> Html:
    """Files and their formats, messages and turns, and whose turns were scored.

    Consecutive messages of a speaker are one turn, unless the run was read with --no-merge.
    """
    formats = [(name, f" (read as {kind})") for name, kind in counts["formats"].items()]
    systems = [
        (name, f" ({format_count(n, 'turn')})") for name, n in largest_first(counts["systems"])
    ]
    messages = format_count(counts["utterances"], "message")
    merges = format_count(counts["merged"], "message")
    context = format_count(counts["context"], "turn")
    rows: dict[str, Child] = {
        "Files": names_with_notes(formats, FILES),
        "Messages": f"{messages} in {format_count(counts['turns'], 'turn')}",
        "Merged": f"{merges} into the previous one by the same speaker",
        "Scored turns of": names_with_notes(systems, MOST),
        "Context only": f"{context}: replied to, not scored",
    }
    if purged:
        rows["Purged"] = f"{format_count(purged, 'dialog')} since; messages are counted as read"
    if redacted := counts.get("redacted"):
        found = ", ".join(f"{n:,} {kind}" for kind, n in largest_first(redacted))
        rows["Redacted"] = (
            f"{found}; by pattern, not anonymisation (recall at least {RECALL:.0%} of each kind "
            "on generated cases)"
        )
    body = [
        el("tr", None, el("th", {"scope": "row"}, head), el("td", None, content))
        for head, content in rows.items()
    ]
    return el("table", None, el("tbody", None, body))


def names_with_notes(items: list[tuple[str, str]], most: int) -> Child:
    """The names, each with its note, and how many more there are."""
    parts = [[left_to_right(name), note] for name, note in items[:most]]
    more = f" and {len(items) - most} more" if len(items) > most else None
    return [page.join_children(parts, ", "), more] if parts else "–"


def left_to_right(name: str) -> Html:
    """A name that is read from left to right as a part of its line, whatever its script.

    Turns of people are stored under the system name `human`; the page calls them users.
    """
    return el("bdi", {"dir": "ltr"}, "user" if name == HUMAN else name)


def reply_counts(counts: Mapping[str, Any]) -> list[Child]:
    """Who replies to whom, the most frequent first: 124 harbor turns reply to user; …"""
    rows = largest_first(counts["answers"])
    if not rows:
        return ["No turn was scored."]
    parts: list[Child] = []
    for pair, n in rows[:MOST]:
        parts.append("; " if parts else None)
        one, turns = n == 1, "turn" if n == 1 else "turns"
        speaker, separator, name = pair.partition(ANSWERS)
        if pair.endswith(OPENS):
            speaker, name = pair.removesuffix(OPENS), ""
            verb = "opens the dialog" if one else "open the dialog"
        elif separator:
            verb = "replies to " if one else "reply to "
        else:  # worded by another version
            parts += [left_to_right(pair), f": {n:,} {turns}"]
            continue
        reply = left_to_right(name) if name else None
        parts += [f"{n:,} ", left_to_right(speaker), f" {turns} {verb}", reply]
    return [*parts, f"; and {len(rows) - MOST} more." if len(rows) > MOST else "."]
