"""Dialogs to read: quoted with the words that moved a score and the emotions of each turn.

Means hide what a score reacts to. Reading where metric and raters agree and where they do not is
the quickest way to see whether the metric measures what it should.
"""

from __future__ import annotations

from simpatico.charts.emotion_strip import emotion_legend
from simpatico.charts.html import Child, Html, el
from simpatico.charts.systems import shorten_name, styled_name
from simpatico.reporting.dialogs.evidence import truncate
from simpatico.reporting.dialogs.quoting import Quotations
from simpatico.reporting.dialogs.transcript import dialog_article
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.wording import capitalize, format_count, join_with_and, lower_first_letter

ONLY = {"The only dialog": "The one dialog", "One of 2 dialogs": "Both dialogs"}
"""Titles in a run of one or two dialogs, and the heading they get."""
KINDS = {
    "Lowest rated": "the lowest rated",
    "Highest rated": "the highest rated",
    "Lowest": "the lowest",
    "Highest": "the highest",
    "Disagree": "where metric and raters disagree",
    "Metrics disagree": "one where metrics disagree",
}
"""How titles of dialogs begin, and what a heading says of them."""
OPEN = 4
"""Dialogs that stand open on the page; the others are behind a line to click."""
SAMPLE, SAMPLE_LENGTH = 4, 160
"""Turns of the dialog that shows what each turn replies to, and characters of each."""


def dialogs_section(findings: Findings, quotations: Quotations) -> page.Section:
    """The section of quoted dialogs, the first ones open, or why there are none."""
    topic = "Dialogs to read"
    if not quotations.dialogs:
        return page.make_section("read", topic, "No dialog is quoted", page.intro(quotations.why))
    articles = [dialog_article(q, findings.titles) for q in quotations.dialogs]
    rest = articles[OPEN:]
    summary = el("summary", None, f"{format_count(len(rest), 'more dialog')} by system")
    dialogs = format_count(findings.facts["alignment"]["dialogs"], "dialog")
    return page.make_section(
        "read",
        topic,
        dialogs_heading(quotations),
        dialogs_legend(findings, quotations),
        articles[:OPEN],
        el("details", {"class": "more"}, summary, rest) if rest else None,
        page.small_print(quotations.why) if quotations.why else None,
        page.small_print(
            f"{len(articles)} of {dialogs} are quoted in this file. Scores of all dialogs: ",
            el("code", None, f"simpatico show {findings.shell_name} --level dialog"),
        ),
    )


def dialogs_heading(quotations: Quotations) -> str:
    """The kinds of dialogs that are quoted, in words; only those that were found."""
    titles = [q.example.title for q in quotations.dialogs]
    if titles[0] in ONLY:
        return ONLY[titles[0]]
    starts = {next((start for start in KINDS if t.startswith(start)), "") for t in titles}
    kinds = [words for start, words in KINDS.items() if start in starts]
    if not kinds:
        return f"{format_count(len(titles), 'dialog')} to read"
    return capitalize(join_with_and(kinds))


def dialogs_legend(findings: Findings, quotations: Quotations) -> Html:
    """How to read the marks, those that are there.

    Words are marked by a metric that can name its evidence; emotions need a lexicon in the run.
    """
    turns = [turn for q in quotations.dialogs for turn in q.turns]
    marks = el(
        "span",
        None,
        el("mark", {"class": "p"}, "raised"),
        " and ",
        el("mark", {"class": "m"}, "lowered"),
        f" {lower_first_letter(findings.titles[quotations.lead])}",
    )
    shades = el("span", None, "stronger colour = larger share of that emotion (word counts)")
    return el(
        "div",
        {"class": "legend"},
        marks if any(turn.spans for turn in turns) else None,
        [emotion_legend(), shades] if any(turn.emotions for turn in turns) else None,
    )


def scoring_sample(findings: Findings, quotations: Quotations) -> Html | None:
    """The first turns of a quoted dialog, each with the turn it replies to.

    Shown where the input is described, for people to check that speakers and replies are right.
    """
    if quotations.turns is None or not quotations.dialogs:
        return None
    dialog = quotations.dialogs[0].example.dialog
    items = []
    for turn in [t for t in quotations.turns if t.dialog == dialog][:SAMPLE]:
        style = findings.styles.get(turn.system or "")
        who: Child = styled_name(style) if style else "user"
        reply = "opens the dialog" if turn.answers is None else f"replies to {turn.answers}"
        items.append(
            el(
                "li",
                None,
                el("span", {"class": "note"}, turn.turn),
                el("span", {"class": "who"}, who),
                el("span", {"class": "said", "dir": "auto"}, truncate(turn.text, SAMPLE_LENGTH)),
                el("small", None, reply if turn.system is not None else f"{reply}, not scored"),
            )
        )
    name = el("bdi", None, shorten_name(dialog, 60))
    about = page.small_print("Example: dialog ", name, ":")
    return el("div", None, about, el("ol", {"class": "pairs"}, items))
