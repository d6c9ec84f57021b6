"""The checks of a gate as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from simpatico.comparison.gate import Check

MARK = b'<testsuites name="simpatico gate"'
"""How our own files begin, by which we know them from others'."""
FORBIDDEN = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
    "|[\\t\\n\\r\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]"
)
"""Characters that XML 1.0 forbids, and those that could move or hide text on a page."""


def junit_xml(checks: Sequence[Check]) -> str:
    """A suite for each system and a case for each rule.

    A rule that is broken or undecided is a failure; one with nothing to decide on is an error.
    """
    root = Element("testsuites", {"name": "simpatico gate", **outcome_counts(checks)})
    for system, group in groupby(checks, key=lambda c: c.system):
        own = list(group)
        suite = SubElement(root, "testsuite", {"name": visible_text(system), **outcome_counts(own)})
        for check in own:
            name, home = visible_text(check.rule), visible_text(f"simpatico.{check.system}")
            case = SubElement(suite, "testcase", name=name, classname=home, time="0")
            reason = visible_text(check.reason)
            if check.outcome == "kept":  # a passed case prints its interval
                SubElement(case, "system-out").text = reason
            else:
                tag = "error" if check.outcome == "error" else "failure"
                SubElement(case, tag, message=reason, type=check.outcome).text = reason
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def outcome_counts(checks: Sequence[Check]) -> dict[str, str]:
    """The attributes that build servers add up; a gate takes no time worth reporting."""
    errors = sum(c.outcome == "error" for c in checks)
    failures = sum(c.outcome in ("broken", "undecided") for c in checks)
    counts = {"tests": len(checks), "failures": failures, "errors": errors, "time": 0}
    return {name: str(n) for name, n in counts.items()}


def visible_text(text: str) -> str:
    """The text with a visible dot for each forbidden character.

    Names of systems come from logs, that is from outside, and end up on a build server's page.
    """
    return FORBIDDEN.sub("·", text)
