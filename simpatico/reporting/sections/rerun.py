"""How to run it again: commands, versions, hashes and signatures.

A page is passed on without its run. Files are named without their folders, which are private and
exist on one machine only; hashes tell whether a file is the same.
"""

from __future__ import annotations

from dataclasses import fields
from shlex import quote

from simpatico.charts.html import Child, el
from simpatico.metric import signature_value
from simpatico.registry import available, metric_class
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page

COMMAND_FILES, HASHES = 3, 8
"""Input files at most in the command, and with their hashes."""


def rerun_section(findings: Findings, judged: str | None) -> page.Section:
    """What somebody needs to get the same numbers."""
    commands = "\n".join(rerun_commands(findings, judged))
    facts = findings.facts
    hashes = [f"{f['name']} sha256 {f['sha256'][:12]}…" for f in facts["inputs"]]
    more = f" and {len(hashes) - HASHES} more" if len(hashes) > HASHES else ""
    options = [f"{k} {v}" for k, v in facts["options"].items() if v not in (None, False)]
    rows: dict[str, Child] = {
        "Version": f"simpatico {facts['version']}",
        "Run": el("code", None, f"{facts['key'][:16]}…"),
        "Input": el("code", None, ", ".join(hashes[:HASHES]) + more),
        "Options": ", ".join(options),
        "Seed": "0 (bootstrap and other random draws)",
        "Signatures": "on every metric’s card",
        "This file": "self-contained; makes no network requests. Dialog text is quoted as logged: "
        "share with care.",
    }
    return page.make_section(
        "again",
        "Reproduce this report",
        "Scores are comparable only if their signatures match",
        el("pre", {"id": "commands", "tabindex": 0}, commands),
        el(
            "div",
            {"class": "bar"},
            el("button", {"type": "button", "id": "copy", "hidden": True}, "Copy commands"),
            el("span", {"class": "note", "id": "copied", "role": "status"}),
        ),
        el(
            "dl", {"class": "kv"}, [[el("dt", None, k), el("dd", None, v)] for k, v in rows.items()]
        ),
    )


def rerun_commands(findings: Findings, judged: str | None) -> list[str]:
    """The commands that made this page, each a line that a shell takes as it stands."""
    facts, run, pair = findings.facts, findings.shell_name, findings.requested_pair
    names = [quote(f["name"]) for f in facts["inputs"]]
    files = " ".join(names[:COMMAND_FILES]) + (" …" if len(names) > COMMAND_FILES else "")
    metrics = quote(",".join(facts["metrics"]))
    options = "".join(f" {o}" for o in [*reading_options(findings), *metric_options(findings)])
    ratings = f" --judgements {quote(judged)}" if judged else ""
    ratings += f" --turns-from {findings.turns_from}" if findings.turns_from else ""
    systems = f" --pair {' '.join(map(quote, pair))}" if pair else ""
    baseline = quote(",".join(findings.traditional))
    baseline = f" --traditional {baseline}" if findings.traditional else ""
    people = " --with-human" if findings.with_human else ""
    people += f" --by {quote(findings.by)}" if findings.by else ""
    several = len(findings.run_names) > 1  # which files are of which run is not known any more
    commands = [
        f"simpatico score {'…' if several else files} --metrics {metrics}{options} --out "
        f"{'RUN' if several else run}",
        f"simpatico compare {run}{ratings if findings.evidence else ''}{people}",
        f"simpatico validate {run}{ratings}{baseline if findings.evidence else ''}"
        if judged and not several
        else "",
        f"simpatico report {run}{ratings}{systems}{people}{baseline} --out report.html",
    ]
    return [command for command in commands if command]


def reading_options(findings: Findings) -> list[str]:
    """The options with which the conversations were read, where they are not the default.

    Other options of `run.json`, such as the size of chunks, do not change scores.
    """
    options = findings.facts["options"]
    flags = {
        "--no-merge": options.get("merge") is False,
        "--gather": options.get("gather"),
        "--on-error skip": options.get("on_error") == "skip",
        "--redact": options.get("redact"),
        "--pseudonymise": findings.facts.get("pseudonyms"),
        "--no-text": findings.facts.get("text") is False,
    }
    names = ("format", "system", "idle_minutes")
    given = {name.replace("_", "-"): options[name] for name in names if options.get(name)}
    values = [
        f"--{name} {quote(f'{value:g}' if isinstance(value, float) else str(value))}"
        for name, value in given.items()
    ]
    return [*values, *(flag for flag, is_set in flags.items() if is_set)]


def metric_options(findings: Findings) -> list[str]:
    """The parameters of metrics that are not the default; of files only their names.

    Metrics of other packages are skipped where they are not installed: their defaults are unknown.
    """
    options = []
    for name, about in findings.facts["metrics"].items():
        if name not in available():
            continue
        defaults = {f.name: f.default for f in fields(metric_class(name))}
        for parameter, value in about.get("parameters", {}).items():
            now = tuple(value) if isinstance(value, list) else value  # JSON has no tuples
            if parameter in defaults and defaults[parameter] != now:
                shown = signature_value(parameter, now)
                options.append(f"--set {quote(f'{name}.{parameter}={shown}')}")
    return options
