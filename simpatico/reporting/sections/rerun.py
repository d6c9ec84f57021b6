"""How to run it again: commands, versions, hashes and signatures."""

from __future__ import annotations

from dataclasses import fields
from shlex import quote

from simpatico.charts.html import Child, el
from simpatico.metric import signature_value
from simpatico.registry import available, metric_class
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections.components import Section, make_section

MOST = 8


def rerun_section(found: Findings, judged: str | None) -> Section:
    """What somebody needs to get the same numbers."""
    return make_section(
        "again",
        "Reproduce this report",
        "Scores are comparable only if their signatures match",
        el("pre", {"id": "commands", "tabindex": 0}, "\n".join(rerun_commands(found, judged))),
        el(
            "div",
            {"class": "bar"},
            el("button", {"type": "button", "id": "copy", "hidden": True}, "Copy commands"),
            el("span", {"class": "note", "id": "copied", "role": "status"}),
        ),
        el("dl", {"class": "kv"}, [pair(k, v) for k, v in run_facts(found)]),
    )


def rerun_commands(found: Findings, judged: str | None) -> list[str]:
    """The commands that made this page, with the names of files but not their folders."""
    files = [f["name"] for f in found.facts["inputs"]]
    given = " ".join(quote(f) for f in files[:3]) + (" …" if len(files) > 3 else "")
    names, run = quote(",".join(found.facts["metrics"])), found.shell_name
    with_ratings = f" --judgements {quote(judged)}" if judged else ""
    how = "".join(f" {option}" for option in [*reading_options(found), *metric_options(found)])
    old = f" --traditional {quote(','.join(found.traditional))}" if found.traditional else ""
    pair = f" --pair {' '.join(map(quote, found.requested_pair))}" if found.requested_pair else ""
    lines = [
        f"simpatico score {given} --metrics {names}{how} --out {run}",
        f"simpatico compare {run}",
    ]
    if judged:
        lines.append(f"simpatico validate {run}{with_ratings}{old}")
    return [*lines, f"simpatico report {run}{with_ratings}{pair}{old} --out report.html"]


def reading_options(found: Findings) -> list[str]:
    """The options with which the conversations were read, where they are not the usual ones."""
    told = found.facts["options"]
    named = [f"--{n} {quote(str(told[n]))}" for n in ("format", "system") if told.get(n)]
    named += ["--no-merge"] if told.get("merge") is False else []
    named += ["--gather"] if told.get("gather") else []
    named += ["--on-error skip"] if told.get("on_error") == "skip" else []
    return [*named, *(["--no-text"] if found.facts.get("text") is False else [])]


def metric_options(found: Findings) -> list[str]:
    """The parameters of metrics that are not the usual ones; of files only their names."""
    changed = []
    for name, told in found.facts["metrics"].items():
        if name not in available():
            continue
        usual = {f.name: f.default for f in fields(metric_class(name))}
        for parameter, value in told.get("parameters", {}).items():
            now = tuple(value) if isinstance(value, list) else value
            if parameter in usual and usual[parameter] != now:
                changed.append(f"--set {quote(f'{name}.{parameter}={signature_value(now)}')}")
    return changed


def run_facts(found: Findings) -> list[tuple[str, Child]]:
    told = found.facts
    hashes = [f"{f['name']} sha256 {f['sha256'][:12]}…" for f in told["inputs"][:MOST]]
    more = len(told["inputs"]) - MOST
    files = ", ".join(hashes) + (f" and {more} more" if more > 0 else "")
    options = [f"{k} {v}" for k, v in told["options"].items() if v not in (None, False)]
    seed = "0 (bootstrap and other random draws)"
    return [
        ("Version", f"simpatico {told['version']}"),
        ("Run", el("code", None, f"{told['key'][:16]}…")),
        ("Input", el("code", None, files)),
        ("Options", ", ".join(options)),
        ("Seed", seed),
        ("Signatures", "on every metric’s card"),
        (
            "This file",
            "self-contained; makes no network requests. Dialog text is quoted as logged: share "
            "with care.",
        ),
    ]


def pair(name: str, value: Child) -> list[Child]:
    return [el("dt", None, name), el("dd", None, value)]
