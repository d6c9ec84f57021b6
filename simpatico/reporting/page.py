"""The page: one file that needs no network, reads without script, and prints.

Runs hold private dialogs, so that nothing on the page may call home: style, script and font are in
the file, and a content security policy forbids everything else. The same run always gives the same
bytes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from simpatico.charts.html import Html, el, raw_element, show_invisible
from simpatico.charts.systems import mark_definitions, styled_name
from simpatico.judgements import Judgements, Preferences
from simpatico.reporting.dialogs.quoting import collect_quotations
from simpatico.reporting.dialogs.section import dialogs_section, scoring_sample
from simpatico.reporting.findings import Findings, gather_findings
from simpatico.reporting.sections.cards import cards_section
from simpatico.reporting.sections.components import Section, switch_rules
from simpatico.reporting.sections.incremental import incremental_section
from simpatico.reporting.sections.input import input_section
from simpatico.reporting.sections.judges import judges_section
from simpatico.reporting.sections.missing import missing_section
from simpatico.reporting.sections.overlap import overlap_section
from simpatico.reporting.sections.raters import raters_section
from simpatico.reporting.sections.rerun import rerun_section
from simpatico.reporting.sections.side_by_side import systems_section
from simpatico.reporting.sections.slices import slices_section
from simpatico.reporting.sections.verdict import verdict_section
from simpatico.run import Run

GENERATOR = el("meta", {"name": "generator", "content": "simpatico report"})
"""By which we know our own pages from others'."""
STYLES = (("charts", "charts.css"), ("reporting", "page.css"), ("reporting", "dialogs.css"))
"""Package and file of each style sheet, in the order in which they override each other."""
LISTED = 14
"""Systems named beside the contents at most."""


def report(
    run: Run | str | Path,
    judgements: Judgements | Preferences | None = None,
    *,
    title: str | None = None,
    pair: tuple[str, str] | None = None,
    judged: str | None = None,
) -> str:
    """The page of a run; `judged` is the name of the file that the judgements came from."""
    folder = run if isinstance(run, Run) else Run(Path(run))
    return render_page(gather_findings(folder, judgements, pair=pair), title=title, judged=judged)


def render_page(findings: Findings, *, title: str | None = None, judged: str | None = None) -> str:
    """The page of what is known about a run."""
    title = title or " + ".join(findings.run_names)
    quotations = collect_quotations(findings)
    drawable = findings.systems and findings.scores
    sections = [
        systems_section(findings) if drawable else None,
        slices_section(findings),
        raters_section(findings),
        judges_section(findings),
        incremental_section(findings),
        overlap_section(findings),
        dialogs_section(findings, quotations),
        cards_section(findings),
        input_section(findings, scoring_sample(findings, quotations)),
        rerun_section(findings, judged),
    ]
    present = [s for s in sections if s is not None]
    verdict, missing = verdict_section(findings, title), missing_section(findings)
    body = el("main", {"id": "main"}, verdict, missing, [s.html for s in present])
    panes = max(len(findings.pairs), len(findings.qualities), 3)  # of the largest switch
    return html_document(title, body, contents_nav(findings, present), panes)


def contents_nav(findings: Findings, sections: Sequence[Section]) -> Html:
    """The sections as links, and the systems with their colours and numbers of dialogs."""
    links = [("verdict", "Verdict"), *((s.id, s.topic) for s in sections)]
    items = [el("li", None, el("a", {"href": f"#{id}"}, topic)) for id, topic in links]
    systems = [
        el("div", None, styled_name(style), el("span", None, f"{findings.dialogs[name]:,}"))
        for name, style in list(findings.styles.items())[:LISTED]
    ]
    brand = el("div", {"class": "brand"}, "simpatico ", el("span", None, "report"))
    legend = el("div", {"class": "lg", "role": "group", "aria-label": "Systems"}, systems)
    return el("nav", {"aria-label": "Contents"}, brand, el("ol", None, items), legend)


def html_document(title: str, body: Html, nav: Html, most: int) -> str:
    """Head and body, with a policy that lets nothing run or load but our own style and script.

    Dialogs come from anywhere: should escaping ever fail, the browser still refuses to run them.
    """
    style = font_face() + "".join(read_resource(p, name) for p, name in STYLES) + switch_rules(most)
    script = read_resource("reporting", "page.js")
    policy = (
        f"default-src 'none'; style-src '{csp_hash(style)}'; script-src '{csp_hash(script)}'; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    head = el(
        "head",
        None,
        el("meta", {"charset": "utf-8"}),
        el("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        el("meta", {"name": "viewport", "content": "width=device-width,initial-scale=1"}),
        el("meta", {"name": "referrer", "content": "no-referrer"}),
        GENERATOR,
        el("title", None, show_invisible(f"{title} · simpatico report")),
        raw_element("style", {}, style),
    )
    hidden = {"class": "defs", "width": 0, "height": 0, "aria-hidden": "true"}
    content = el(
        "body",
        {"class": "simpatico"},
        el("a", {"class": "skip", "href": "#main"}, "Skip to the report"),
        el("svg", hidden, mark_definitions()),
        el("div", {"class": "page"}, nav, body),
        raw_element("script", {}, script),
    )
    return f"<!doctype html>\n{el('html', {'lang': 'en'}, head, content)}\n"


def font_face() -> str:
    """The page's font as a style rule.

    It is embedded because text is measured before anybody draws it: a machine that only has a
    wider font (DejaVu Sans is 14% wider) would cut names and break tables. 42 kB buy a page that
    reads the same everywhere. A declared face takes precedence over an installed one of its name,
    and letters that it lacks come from the next family of `--sans`.
    """
    font = files("simpatico.reporting").joinpath("fonts", "inter.woff2").read_bytes()
    return (
        "@font-face{font-family:Inter;font-weight:400 650;"
        f"src:url(data:font/woff2;base64,{b64encode(font).decode()})format('woff2')}}\n"
    )


def read_resource(package: str, name: str) -> str:
    """A style or script of the package, from wherever it is installed."""
    return files(f"simpatico.{package}").joinpath(name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
