"""`simpatico study`: people talk with bots and rate dialogs, in the browser."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.groups import CommandGroup
from simpatico.cli.output import clean, note, result, show_json, show_table
from simpatico.errors import BadValue, DataError, MissingResource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simpatico.judgements import Judgements, Preferences
    from simpatico.questions.question import Role
    from simpatico.study.design import Design
    from simpatico.study.results import Results
    from simpatico.study.store import Store

ROLES: tuple[Role, ...] = ("outsider", "interlocutor")
LINKS = click.IntRange(0, 10_000)
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
    except OSError as error:
        raise BadValue(f"{study} cannot be written: {error.strerror}; name another file") from None
    name = clean(str(study))
    note(f"next: name your dialogs under [rate], then simpatico study serve {name} --outsiders 3")
    result(str(study))


@command.command(name="serve")
@study_argument
@store_option
@opt.value("--outsiders", 0, "Personal links to make for people who rate.", type=LINKS)
@opt.value("--interlocutors", 0, "Personal links to make for people who talk.", type=LINKS)
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

    design = read_study(study)
    from simpatico.study.server import load_bots, study_app
    from simpatico.study.store import Store
    from simpatico.study.units import build_units

    check_call(design, options)
    host, public = options["host"], options["public"]
    browser_origins(host, 1, public)  # refused before the port is opened
    with ExitStack() as stack:
        bots = load_bots(design)
        for bot in bots.values():
            stack.callback(bot.close)
        line = stack.enter_context(listen(host, options["port"]))
        place, units = url or default_store(study), build_units(design, study.parent)
        if "://" not in place and not Path(place).exists():
            units = iter(list(units))  # a source that cannot be used is refused without a store
        store = Store(place)
        stack.callback(store.close)
        # last of what can fail: the owner's link is shown this once
        token = store.add_study(design, units)
        if options["new_owner_link"]:
            token = store.new_owner_token(design.name)
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
    """Export, score and write the page with people's ratings first.

    Choices between two dialogs make the page where there are no ratings, else one of their own.
    """
    from simpatico.cli.commands.score import print_run_summary
    from simpatico.cli.progress import ProgressDisplay
    from simpatico.files import write_atomically
    from simpatico.readers.judgement_files import read_judgements, read_preferences
    from simpatico.reporting.page import report as render_report
    from simpatico.study.export import export_folder
    from simpatico.trial import score_answers

    results = read_results(study, url)
    if not len(results.judgements) and not any(results.preferences()):
        raise BadValue(f"{study}: no dialog is rated whole yet, so that there is nothing to report")
    names = export_folder(results, out, force=opt.is_forced())
    readers: dict[str, Callable[[Path], Judgements | Preferences]] = {
        "judgements.csv": read_judgements,
        "preferences.csv": read_preferences,
    }
    rated = [name for name in readers if name in names]
    with ProgressDisplay() as progress:
        metrics = opt.load_metrics(options)
        run = score_answers([out / "dialogs.jsonl"], metrics, out, progress.add)
    print_run_summary(run)
    for name in rated:
        page = out / ("report.html" if name == rated[0] else "report-preferences.html")
        with ProgressDisplay("report"):
            ratings = readers[name](out / name)
            text = render_report(run, ratings, title=results.design.title, judged=name)
        write_atomically(page, text.encode())
        result(f"report to open in a browser: {page}")


@command.command(name="raters")
@study_argument
@store_option
@opt.choice("--role", ROLES, "What they do: rate dialogs, or talk with bots.")
@opt.value("--number", 1, "How many personal links to make.", type=click.IntRange(1, 10_000))
@opt.value("--base", "http://127.0.0.1:8000", "Address at which the study is open.")
def raters(study: Path, url: str | None, role: Any, number: int, base: str) -> None:
    """Make personal links for more people, as CSV; each is shown this once."""
    from simpatico.study.design import role_problem

    with open_study(study, url) as (design, store):
        if problem := role_problem(design, role):
            raise BadValue(f"--role {role}: {problem}")
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
    from simpatico.wording import (
        format_correlation,
        format_correlation_interval,
        format_difference,
        format_interval,
    )

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
    if body:
        columns = ["quality", "of", "statistic", "value", "95% CI", "n"]
        show_table("Inter-rater agreement", columns, body, keys=2)
    else:
        note("No dialog is rated whole yet.")
    people = [
        [r["rater"], r["role"], str(r["finished"]), f"{r['failed']}/{r['checks']}",
         format_seconds(r["median_seconds"]), format_difference(r["severity"]["value"]),
         format_interval(r["severity"]["low"], r["severity"]["high"]), str(r["severity"]["n"]),
         r["why_excluded"] or ""]
        for r in facts["raters"]
    ]  # fmt: skip
    columns = [
        *("rater", "role", "finished", "failed checks", "median time"),
        *("severity", "95% CI", "n", "excluded"),
    ]
    show_table("Raters", columns, people)
    note("Severity: mean difference from the other raters, in shares of the scale; n: dialogs.")


@command.command(name="purge")
@study_argument
@click.argument("rater")
@store_option
def purge(study: Path, rater: str, url: str | None) -> None:
    """Remove a person from the store: answers, talks, and other people's ratings of these."""
    with open_study(study, url) as (design, store):
        n = store.purge(design.name, rater)
    result(f"{rater} is removed, with {n:,} answers")
    note("Exports, runs and copies of the store made before still hold them; delete those too.")


STATISTICS = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "cohen_kappa_quadratic": "weighted κ (quadratic)",
    "icc_2_1": "ICC(2,1)",
    "pairwise_agreement": "share of pairs who agree",
}


def format_seconds(seconds: float | None) -> str:
    """A time as people say it."""
    if seconds is None:
        return "–"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def read_study(study: Path) -> Design:
    """The design of a study; refused where what studies need is not installed."""
    if not all(map(find_spec, ("sqlalchemy", "starlette", "uvicorn"))):
        raise MissingResource("studies need the extra serve; pip install 'simpatico[serve]'")
    from simpatico.study.design import read_design

    return read_design(study)


def check_call(design: Design, options: dict[str, Any]) -> None:
    """Refuse links that would lead nowhere."""
    from simpatico.study.design import role_problem

    for role in ROLES:
        if options[f"{role}s"] and (problem := role_problem(design, role)):
            raise BadValue(f"--{role}s: {problem}")
    if options["new_panel_link"] and not design.panel:
        raise BadValue("--new-panel-link: the study has no [panel]; add it, or leave this out")


def default_store(study: Path) -> str:
    return str(study.with_suffix(".sqlite"))


@contextmanager
def open_study(study: Path, url: str | None) -> Iterator[tuple[Design, Store]]:
    """The design of a study that has been opened before, and its store."""
    design = read_study(study)
    from simpatico.study.store import Store

    place = url or default_store(study)
    if "://" not in place and not Path(place).exists():
        raise DataError(
            f"there is no store {place}; `simpatico study serve {study}` makes it, or name "
            "another with --store"
        )
    with closing(Store(place)) as store:
        yield store.design(design.name), store


def read_results(study: Path, url: str | None) -> Results:
    """What a study has collected so far."""
    from simpatico.study.results import collect

    with open_study(study, url) as (design, store):
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
        return
    if token := new_panel_token(store, design.name, replace=replace):
        result(f"panel: {base}/panel?{design.panel.parameter}=ID#{token}")
        note("The platform has to write each person's id in place of ID.")
    else:
        note("The panel's link is as before; --new-panel-link makes another.")
