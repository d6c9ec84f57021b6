"""`simpatico list`: which metrics there are, and the card of each.

A metric whose package or model is missing is listed too, so that people learn that it exists; its
card has the command that installs what it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import line_width, note, result, show_json, show_prose, show_table
from simpatico.errors import MissingResource
from simpatico.evidence import ScoreEvidence, evidence_of
from simpatico.metric_index import available, metric_index
from simpatico.wording import NO_VALUE, format_correlation, format_correlation_interval

if TYPE_CHECKING:
    from simpatico.metric import Metric


@click.command(name="list")
@click.argument("name", required=False)
@opt.as_json
def command(name: str | None, as_json: bool) -> None:
    """List all metrics, or print the card of the metric NAME.

    The card says what each score means, its range and better direction, whether it follows human
    ratings, when it is undefined, and the paper it comes from.
    """
    if name:
        from simpatico.registry import load

        metric = load(name)
        show_json(metric_facts(metric)) if as_json else show_card(metric)
    elif as_json:
        from simpatico.registry import load_all

        show_json([metric_json(name, metric) for name, metric in load_all().items()])
    else:
        rows: dict[bool, list[list[str]]] = {True: [], False: []}
        for own_name in available():
            runs, row = metric_row(own_name)
            rows[runs].append(row)
        columns = ["name", "level", "follows", "about"]
        show_table("Metrics", columns, rows[True])
        if rows[False]:
            show_table("Metrics whose model or package is not installed", columns, rows[False])
        note(
            "Follows: does the score follow people? Mean ρ with human ratings over public data "
            "sets that the metric was not trained on. weak: below .1, or a set speaks against it; "
            "unproven: fewer than three sets; –: no better direction. A name with a model in "
            "brackets runs on that one, as its own is not installed."
        )
        result("Run `simpatico list NAME` for the card of a metric.")


def metric_row(name: str) -> tuple[bool, list[str]]:
    """Whether a metric, or one of its variants, can run here, and its cells in the table."""
    entries = metric_index().get(name)
    if entries is None:
        from simpatico.registry import index_entry, runnable_variant

        try:
            entries = (index_entry(runnable_variant(name) or name),)
        except MissingResource as absent:
            return False, [name, NO_VALUE, NO_VALUE, str(absent)]
    runnable = next((entry for entry in entries if entry.runs), None)
    entry = runnable or entries[0]
    mark = evidence_mark(entry.scored_as, entry.better)
    return runnable is not None, [entry.name, entry.level, mark, entry.about]


def evidence_mark(score: str, better: str | None) -> str:
    """Whether a score follows people, with its mean rho."""
    evidence = evidence_of(score)
    grade = evidence.grade(better)
    if grade in ("descriptive", "unproven"):
        return NO_VALUE if grade == "descriptive" else grade
    return f"{'yes' if grade == 'follows people' else grade} {format_correlation(evidence.mean)}"


def metric_json(name: str, metric: Metric | MissingResource) -> dict[str, Any]:
    """What scripts learn of a metric, even of one that cannot be loaded."""
    if not isinstance(metric, MissingResource):
        return metric_facts(metric)
    facts = {"kind": None, "level": None, "scores": (), "needs": (), "citation": None}
    return {"name": name, **facts, "installed": False, "how_to_get": str(metric)}


def metric_facts(metric: Metric) -> dict[str, Any]:
    """Everything about a metric that scripts may want."""
    from simpatico.metric import json_range, missing_resource, plain_name, signature
    from simpatico.registry import runnable_variant

    card, problem = metric.card, missing_resource(metric)
    return {
        "name": plain_name(metric.name),
        "scored_as": metric.name,
        "kind": card.kind,
        "level": metric.level,
        "scores": [
            {
                "name": s.name,
                "range": json_range(s.range),
                "better": s.better,
                "meaning": s.meaning,
                "evidence": evidence_of(s.name).as_json(s.better),
            }
            for s in metric.scores
        ],
        "needs": [type(f).__name__ for f in metric.needs],
        "installed": problem is None,
        "runs_as": runnable_variant(plain_name(metric.name)) if problem else metric.name,
        "how_to_get": problem,
        "about": card.about,
        "undefined": card.undefined,
        "language": card.language,
        "citation": card.citation,
        "signature": None if problem else signature(metric),
    }


def show_card(metric: Metric) -> None:
    """What people should know before they trust the metric."""
    from simpatico.metric import json_range

    facts = metric_facts(metric)
    show_prose(f"{metric.name}: {metric.card.about}")
    for score in metric.scores:
        low, high = ("…" if b is None else f"{b:.4g}" for b in json_range(score.range))
        better = (
            f"{score.better} is better" if score.better else "descriptive (no better direction)"
        )
        show_prose(f"  {score.name}  {low} to {high}, {better}: {score.meaning}")
        if (evidence := evidence_of(score.name)).rows or score.name == metric.name:
            show_prose(f"    {evidence.sentence(score.better)}")
    if metric.card.careful:
        show_prose(f"  careful: {metric.card.careful}")
    for word in ("undefined", "language", "level", "citation", "how_to_get"):
        if facts[word]:
            show_prose(f"  {word.replace('_', ' ')}: {facts[word]}")
    if facts["signature"]:
        show_signature(facts["signature"])
    for score in metric.scores:
        show_evidence(evidence_of(score.name))


def show_signature(signature: str) -> None:
    """The signature, broken after its bars only: it is one word, and longer than a line."""
    line = "  signature: "
    for part in (f"{piece}|" for piece in signature.split("|")):
        if len(line) + len(part) > line_width():
            result(line)
            line = "    "
        line += part
    result(line.removesuffix("|"))


def show_evidence(evidence: ScoreEvidence) -> None:
    """The correlation with human ratings on each data set."""
    rows = [
        [
            row.data + (" (trained on)" if row.trained_on else ""),
            "dialog, " * (row.level == "dialog") + row.quality,
            format_correlation(row.rho),
            format_correlation_interval(row.low, row.high),
            format_correlation(row.without_length),
            f"{row.n:,}",
            f"{row.scored:.0%}",
        ]
        for row in evidence.rows
    ]
    if rows:
        head = ["data", "rated", "ρ", "95% CI", "length const.", "n", "scored"]
        show_table(f"{evidence.score}: ρ with human ratings", head, rows)
