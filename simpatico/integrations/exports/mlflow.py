"""MLflow: scores of dialogs as feedback on sessions, those of turns as feedback on their traces.

Feedback on a session stands at its first trace and names the session in its metadata, as that of
MLflow's own evaluation does. MLflow gives feedback no id of the sender's: ours is part of the
metadata, is looked for first, and a second push changes only what has changed. A score that is null
is feedback with its reason as the error and no value.

The store is that of MLflow's own settings: MLFLOW_TRACKING_URI, and MLFLOW_EXPERIMENT_NAME or
MLFLOW_EXPERIMENT_ID.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simpatico.errors import BadValue, MissingResource
from simpatico.integrations import import_host
from simpatico.integrations.exports import (
    CHECK,
    Export,
    Refused,
    check_address,
    null_words,
    push_error,
)

SESSION = "mlflow.trace.session"
OWN_ID = "simpatico.id"
PAGE = 500
"""Traces of one answer."""
TOKENS = ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_PASSWORD")


@dataclass
class Store:
    """The traces of an experiment: the first one of each session, and the feedback that is ours."""

    first: dict[str, str] = field(default_factory=dict)
    feedback: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, client: Any, experiment: str) -> Store:
        """All traces without their spans, page by page, the earliest first."""
        store, token = cls(), None
        while True:
            page = client.search_traces(
                locations=[experiment],
                order_by=["timestamp_ms ASC"],
                max_results=PAGE,
                page_token=token,
                include_spans=False,
            )
            for info in (trace.info for trace in page):
                # a trace of no session is read as a dialog of its own
                session = info.trace_metadata.get(SESSION, info.trace_id)
                store.first.setdefault(session, info.trace_id)
                store.feedback[info.trace_id] = {
                    one.metadata[OWN_ID]: one
                    for one in info.assessments
                    if one.metadata and OWN_ID in one.metadata
                }
            token = page.token
            if not token:
                return store


def score_bodies(export: Export) -> Iterator[dict[str, Any]]:
    """The feedback for each score of a session, or of a trace at the level of turns."""
    key = "session" if export.level == "dialog" else "trace"
    for place, row in export.placed_rows("trace"):
        facts = export.facts(row) | {OWN_ID: export.own_id(key, place, row)}
        values = {"value": row["value"], "null_reason": row["reason"]}
        yield {key: place, "name": row["score"], **values, "metadata": facts}


def push(export: Export, refused: Refused) -> tuple[int, int]:
    """Log the feedback; how many scores are there now, and how many have no place to be at."""
    host = connect(os.environ)
    errors = import_host("mlflow.exceptions", "mlflow")
    n_accepted = n_refused = 0
    try:
        client = host.MlflowClient()
        store = Store.of(client, experiment_id(client, os.environ))
        for body in score_bodies(export):
            session = body.get("session")
            trace = body["trace"] if session is None else store.first.get(session)
            if trace in store.feedback:
                log_score(host, trace, body, store.feedback[trace].get(body["metadata"][OWN_ID]))
                n_accepted += 1
            else:
                n_refused += 1
                kind = "trace" if session is None else "session"
                refused(f"the experiment has no {kind} {body[kind]!r}")
    except errors.MlflowException as error:
        what = f"MLflow cannot be reached or refused the request ({error.error_code})"
        raise push_error(what, n_accepted, CHECK) from None
    return n_accepted, n_refused


def log_score(host: Any, trace: str, body: Mapping[str, Any], known: Any) -> None:
    """Log one score as feedback, over the one that is there; nothing if that is the same."""
    entities, error = host.entities, None
    if body["value"] is None:
        code = (body["null_reason"] or "undefined").upper()
        error = entities.AssessmentError(code, null_words(body["null_reason"]))
    session = {SESSION: body["session"]} if "session" in body else {}
    feedback = entities.Feedback(
        name=body["name"],
        value=body["value"],
        error=error,
        source=entities.AssessmentSource(source_type="CODE", source_id="simpatico"),
        metadata=body["metadata"] | session,
    )
    if known is None:
        host.log_assessment(trace_id=trace, assessment=feedback)
    elif (known.value, error_code(known)) != (feedback.value, error_code(feedback)):
        host.update_assessment(trace, known.assessment_id, feedback)


def error_code(feedback: Any) -> str | None:
    """Why there is no value, if there is none."""
    return str(feedback.error.error_code) if feedback.error else None


def connect(environment: Mapping[str, str]) -> Any:
    """MLflow, which takes its store from the environment."""
    url = environment.get("MLFLOW_TRACKING_URI")
    if not url:
        raise MissingResource(
            "--to mlflow needs a store: set MLFLOW_TRACKING_URI (and MLFLOW_EXPERIMENT_NAME), or "
            "use --dry-run"
        )
    if url.startswith("http") and any(map(environment.get, TOKENS)):
        check_address(url, "MLFLOW_TRACKING_URI")
    return import_host("mlflow", "mlflow")


def experiment_id(client: Any, environment: Mapping[str, str]) -> str:
    """The experiment that the environment names, else MLflow's own default."""
    if known := environment.get("MLFLOW_EXPERIMENT_ID"):
        return known
    name = environment.get("MLFLOW_EXPERIMENT_NAME", "Default")
    experiment = client.get_experiment_by_name(name)
    if experiment is None:
        raise BadValue(f"MLFLOW_EXPERIMENT_NAME {name!r}: MLflow has no such experiment")
    return str(experiment.experiment_id)
