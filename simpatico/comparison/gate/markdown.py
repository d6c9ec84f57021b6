"""The checks of a gate as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.comparison.gate import Check, Outcome
from simpatico.comparison.gate.junit import visible_text
from simpatico.wording import format_count

MARK = "<!-- simpatico gate -->"
"""How our own files begin, by which we know them, and our comments, from others'."""
OUTCOMES: dict[Outcome, str] = {
    "kept": "✅ passed",
    "broken": "❌ failed",
    "undecided": "❔ undecided",
    "error": "⚠️ error",
}


def markdown_verdict(checks: Sequence[Check]) -> str:
    """The outcome in a sentence, and a row for each check; those that did not pass come first."""
    n_passed = sum(check.passed for check in checks)
    outcome = "passed" if n_passed == len(checks) else "did not pass"
    count = f"{n_passed} of {format_count(len(checks), 'check')} passed"
    lines = [MARK, f"### The gate {outcome}: {count}", ""]
    lines += ["| | system | rule | result |", "| --- | --- | --- | --- |"]
    for check in sorted(checks, key=lambda c: c.passed):
        cells = [OUTCOMES[check.outcome], *map(code_span, (check.system, check.rule)), check.reason]
        lines.append(f"| {' | '.join(cells)} |")
    if any(check.outcome == "undecided" for check in checks):
        lines += ["", "Undecided counts as not passed: more dialogs decide it."]
    return "\n".join(lines) + "\n"


def code_span(text: str) -> str:
    """A name from outside as code, in which nothing links, mentions or formats."""
    return f"`{visible_text(text).replace('`', 'ʼ').replace('|', chr(92) + '|')}`"
