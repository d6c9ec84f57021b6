"""Model judges against people: may a judge be used, for what, and what would make that sure?"""

from __future__ import annotations

from simpatico.charts.html import el
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.reporting.sections.preferences import text_table
from simpatico.validation.judges.tables import HOW_TO_READ, audit_tables

FIRST = 2
"""Tables that are always open; the others open on request."""


def judges_section(findings: Findings) -> page.Section | None:
    """The three sentences, then the tables behind them; null where no judges were given."""
    audit = findings.judges
    if audit is None:
        return None
    first, *others = audit.answer
    open_cases = [
        f"{v.quality}, {v.judge}: {v.reason}."
        for v in audit.verdicts
        if v.use in ("undecided", "none")
    ]
    tables = [[el("h3", {"class": "gap"}, t.title), text_table(t)] for t in audit_tables(audit)]
    more = el("summary", None, "Winning rates, consistency, bias, which judge")
    return page.make_section(
        "judges",
        "Model judges against people",
        first.rstrip("."),
        page.intro(" ".join(others)),
        tables[:FIRST],
        el("details", {"class": "more"}, more, tables[FIRST:]),
        [page.small_print(text) for text in (*HOW_TO_READ, *audit.notes, *open_cases)],
    )
