"""`simpatico study`: people talk with bots and rate dialogs, in the browser."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.groups import CommandGroup
from simpatico.cli.output import clean, note, result, show_json, show_table
from simpatico.errors import BadValue, MissingResource

if TYPE_CHECKING:
    from simpatico.study.design import Design, Role
    from simpatico.study.results import Results
    from simpatico.study.store import Store

ROLES: tuple[Role, ...] = ("outsider", "interlocutor")
study_argument = click.argument("study", type=opt.PATH)
store_option = opt.option(
    "--store",
    "SQLite file, or postgresql://USER@HOST/NAME.  [default: STUDY.sqlite]",
    "url",
    metavar="FILE|URL",
)


@click.group(name="study", cls=CommandGroup)
def command() -> None:
    """Collect ratings in the browser: people talk with bots, and rate dialogs.

    \b
      simpatico study init my-study.toml                  describe the study
      simpatico study serve my-study.toml --outsiders 3   open it: three links
      simpatico study report my-study.toml --out results  scores and one page
    """


@command.command(name="init")
@click.argument("study", type=opt.PATH, default=Path("study.toml"))
def init(study: Path) -> None:
    """Write a commented study file to start from."""
    template = Path(__file__).parents[3] / "study" / "template.toml"
    try:
        with study.open("x", encoding="utf-8") as file:
            file.write(template.read_text(encoding="utf-8"))
    except FileExistsError:
        raise BadValue(f"{study} exists already; name another file") from None
    note(f"next: edit {clean(str(study))}, then simpatico study serve {clean(str(study))}")
    result(str(study))


@command.command(name="serve")
@study_argument
@store_option
@opt.value("--outsiders", 0, "Personal links to make for people who rate.", type=click.IntRange(0))
@opt.value(
    "--interlocutors", 0, "Personal links to make for people who talk.", type=click.IntRange(0)
)
@opt.flag("--new-owner-link", "Make another link for the owner; the one before is void.")
@opt.flag("--new-panel-link", "Make another link for the panel; the one before is void.")
@opt.value("--host", "127.0.0.1", "Address to listen on.")
@opt.value("--port", 8000, "Port to listen on; 0 = any free one.", type=click.IntRange(0, 65535))
@opt.option("--public", "Address that people open, where a proxy stands before the server.")
def serve(study: Path, url: str | None, **options: Any) -> None:
    """Open a study in the browser and print the personal links.

    Ctrl-C ends the server; the same command opens the study again where it was.
    """
    from simpatico.serve.process import browser_origins, build_server, listen
    from simpatico.study.server import load_bots, study_app
    from simpatico.study.units import build_units

    host, public = options["host"], options["public"]
    browser_origins(host, 1, public)  # refused before the port is opened
    design, store = open_study(study, url)
    with ExitStack() as stack:
        stack.callback(store.close)
        token = store.add_study(design, build_units(design, study.parent))
        if options["new_owner_link"]:
            token = store.new_owner_token(design.name)
        bots = load_bots(design)
        for bot in bots.values():
            stack.callback(bot.close)
        line = stack.enter_context(listen(host, options["port"]))
        port = line.getsockname()[1]
        base = (public or f"http://{f'[{host}]' if ':' in host else host}:{port}").rstrip("/")
        print_links(store, design, base, options)
        print_panel_link(store, design, base, replace=options["new_panel_link"])
        if token:
            result(f"owner: {base}/owner#{token}")
        else:
            note("The owner's link is as before; --new-owner-link makes another.")
        note(f"{design.title} is open at {base}; Ctrl-C closes it.")
        origins = browser_origins(host, port, public)
        with suppress(KeyboardInterrupt):  # uvicorn passes the signal on that has stopped it
            build_server(study_app(store, design, bots, origins=origins)).run([line])
    note("Closed. The same command opens the study again where it was.")


@command.command(name="export")
@study_argument
@store_option
@opt.out("Folder to write.")
@opt.force
def export(study: Path, url: str | None, out: Path) -> None:
    """Write dialogs and ratings as files that `score` and `validate` read."""
    from simpatico.study.export import export_folder

    results = read_results(study, url)
    names = export_folder(results, out, force=opt.is_forced())
    n = len(results.judgements)
    note(f"{n:,} ratings; next: simpatico study report, or score {out}/dialogs.jsonl")
    for name in names:
        result(f"{out}/{name}")


@command.command(name="report")
@study_argument
@store_option
@opt.out("Folder to write: the export, a run and report.html.")
@opt.metrics
@opt.force
def report(study: Path, url: str | None, out: Path, **options: Any) -> None:
    """Export, score and write the page with people's ratings first."""
    from simpatico.cli.commands.score import print_run_summary
    from simpatico.cli.progress import ProgressDisplay
    from simpatico.files import write_atomically
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.reporting.page import report as render_report
    from simpatico.study.export import export_folder
    from simpatico.trial import score_answers

    results = read_results(study, url)
    names = export_folder(results, out, force=opt.is_forced())
    if "judgements.csv" not in names:
        raise BadValue(f"{study}: no dialog is rated whole yet, so that there is nothing to report")
    with ProgressDisplay() as progress:
        metrics = opt.load_metrics(options)
        run = score_answers([out / "dialogs.jsonl"], metrics, out, progress.add)
    print_run_summary(run)
    ratings = read_judgements(out / "judgements.csv")
    with ProgressDisplay("report"):
        page = render_report(run, ratings, title=results.design.title, judged="judgements.csv")
    write_atomically(out / "report.html", page.encode())
    result(f"report to open in a browser: {out}/report.html")


@command.command(name="raters")
@study_argument
@store_option
@opt.choice("--role", ROLES, "What they do: rate dialogs, or talk with bots.")
@opt.value("--number", 1, "How many personal links to make.", type=click.IntRange(1, 10_000))
@opt.value("--base", "http://127.0.0.1:8000", "Address at which the study is open.")
def raters(study: Path, url: str | None, role: Any, number: int, base: str) -> None:
    """Make personal links for more people, as CSV; each is shown this once."""
    design, store = open_study(study, url)
    people = store.add_raters(design.name, role, number)
    result("rater,link")
    for name, token in people:
        result(f"{name},{base.rstrip('/')}/#{token}")


@command.command(name="status")
@study_argument
@store_option
@opt.as_json
def status(study: Path, url: str | None, as_json: bool) -> None:
    """Show progress, inter-rater agreement and how each rater does."""
    from time import time

    from simpatico.study.overview import overview
    from simpatico.wording import format_correlation, format_correlation_interval

    facts = overview(read_results(study, url), time())
    if as_json:
        show_json(facts)
        return
    note(
        f"{facts['title']}: {facts['complete']:,} of {facts['units']:,} units have "
        f"{facts['raters_per_unit']} ratings; {facts['ratings']:,} of {facts['ratings_wanted']:,}"
    )
    if facts["talks"]:
        body = [
            [t["bot"], str(t["ended"]), str(t["open"]), str(t["wanted"])] for t in facts["talks"]
        ]
        show_table("Talks", ["bot", "ended", "open", "wanted"], body)
    body = []
    for row in facts["agreement"]:
        for name, r in row["statistics"].items():
            interval = format_correlation_interval(r["low"], r["high"])
            value = format_correlation(r["value"])
            body.append(
                [row["quality"], row["level"], STATISTICS[name], value, interval, str(r["n"])]
            )
    columns = ["quality", "of", "statistic", "value", "95% CI", "n"]
    show_table("Inter-rater agreement", columns, body, keys=2)
    people = [
        [r["rater"], r["role"], str(r["finished"]), f"{r['failed']}/{r['checks']}",
         format_seconds(r["median_seconds"]), format_correlation(r["severity"]["value"]),
         r["why_excluded"] or ""]
        for r in facts["raters"]
    ]  # fmt: skip
    columns = ["rater", "role", "finished", "failed checks", "median time", "severity", "excluded"]
    show_table("Raters", columns, people)
    note("Severity: mean difference from the other raters, in shares of the scale.")


@command.command(name="purge")
@study_argument
@click.argument("rater")
@store_option
def purge(study: Path, rater: str, url: str | None) -> None:
    """Remove a person from the store: answers, talks, and other people's ratings of these."""
    design, store = open_study(study, url)
    n = store.purge(design.name, rater)
    result(f"{rater} is removed, with {n:,} answers")
    note("Exports and runs made before still hold them; delete those too.")


STATISTICS = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "cohen_kappa_quadratic": "weighted κ (quadratic)",
    "icc_2_1": "ICC(2,1)",
}


def format_seconds(seconds: float | None) -> str:
    """A time as people say it."""
    if seconds is None:
        return "–"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def open_study(study: Path, url: str | None) -> tuple[Design, Store]:
    """The design of a study and its store."""
    try:
        from simpatico.study.store import Store
    except ModuleNotFoundError:
        raise MissingResource(
            "studies need the extra serve; pip install 'simpatico[serve]'"
        ) from None
    from simpatico.study.design import read_design

    design = read_design(study)
    return design, Store(url or str(study.with_suffix(".sqlite")))


def read_results(study: Path, url: str | None) -> Results:
    """What a study has collected so far."""
    from simpatico.study.results import collect

    design, store = open_study(study, url)
    return collect(store, design.name)


def print_links(store: Store, design: Design, base: str, options: dict[str, Any]) -> None:
    """The personal links of new raters, shown this once."""
    for role in ROLES:
        if number := options[f"{role}s"]:
            for name, token in store.add_raters(design.name, role, number):
                result(f"{role} {name}: {base}/#{token}")


def print_panel_link(store: Store, design: Design, base: str, *, replace: bool) -> None:
    """The link that everybody of a panel gets, shown this once."""
    from simpatico.study.panel import new_panel_token

    if design.panel is None:
        if replace:
            raise BadValue("--new-panel-link: the study has no [panel]; add one to its file")
        return
    if token := new_panel_token(store, design.name, replace=replace):
        result(f"panel: {base}/panel?{design.panel.parameter}=ID#{token}")
        note("The platform has to write each person's id in place of ID.")
    else:
        note("The panel's link is as before; --new-panel-link makes another.")
