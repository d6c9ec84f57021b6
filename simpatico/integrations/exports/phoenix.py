"""Phoenix: scores of dialogs as annotations of sessions, those of turns as annotations of spans.

Phoenix keeps one annotation for a name, a session or span, and an identifier. Ours is made from
what is scored and the metric's signature, so that a second push replaces the first one, and scores
of other settings, speakers or tools stay beside it. A score that is null is an annotation without a
score, with the reason as its explanation.

Address and key are those of Phoenix's own client: PHOENIX_ENDPOINT (or PHOENIX_COLLECTOR_ENDPOINT)
and PHOENIX_API_KEY. They are read from the environment and never written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from simpatico.errors import MissingResource
from simpatico.integrations import import_host
from simpatico.integrations.exports import (
    CHECK,
    Export,
    Refused,
    check_address,
    null_words,
    push_error,
)

ADDRESSES = ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT")
BATCH = 100
"""Annotations of one request."""
UNKNOWN = 404
"""The status where a session or span does not exist; then nothing of a request is kept."""


def score_bodies(export: Export) -> Iterator[dict[str, Any]]:
    """An annotation for each score of a session, or of a span at the level of turns."""
    key = annotation_key(export)
    for place, row in export.placed_rows("span"):
        facts, outcome = export.facts(row), {"score": row["value"]}
        if row["value"] is None:
            outcome = {"explanation": null_words(row["reason"])}
            facts["null_reason"] = row["reason"]
        yield {
            key: place,
            "name": row["score"],
            "annotator_kind": "CODE",
            "identifier": export.own_id(key, place, row),
            "result": outcome,
            "metadata": facts,
        }


def annotation_key(export: Export) -> str:
    """The field that names what is annotated."""
    return "session_id" if export.level == "dialog" else "span_id"


def push(export: Export, refused: Refused) -> tuple[int, int]:
    """Send the annotations; how many were accepted and refused, each with a call of `refused`.

    Of a request that names an unknown session or span Phoenix keeps nothing: then each session or
    span is sent by itself.
    """
    client = connect(os.environ)
    transport = import_host("httpx", "arize-phoenix-client")
    key, bodies, n_accepted, n_refused = annotation_key(export), score_bodies(export), 0, 0
    while batch := list(islice(bodies, BATCH)):
        try:
            if send(client, transport, key, batch):
                n_accepted += len(batch)
                continue
            for place, group in groupby(batch, key=lambda body: body[key]):
                own = list(group)
                if send(client, transport, key, own):
                    n_accepted += len(own)
                else:
                    n_refused += len(own)
                    refused(f"Phoenix has no {key.partition('_')[0]} {place!r}")
        except transport.HTTPStatusError as error:
            what = f"Phoenix refused the request (HTTP {error.response.status_code})"
            raise push_error(what, n_accepted, CHECK) from None
        except transport.HTTPError as error:
            what = f"Phoenix cannot be reached ({type(error).__name__})"
            raise push_error(what, n_accepted) from None
    return n_accepted, n_refused


def send(client: Any, transport: Any, key: str, bodies: Sequence[dict[str, Any]]) -> bool:
    """Whether the server has taken these annotations; false if it knows not all of the units.

    The answer is waited for: else unknown sessions would be dropped without a word.
    """
    try:
        if key == "span_id":
            client.spans.log_span_annotations(span_annotations=bodies, sync=True)
        else:
            client.sessions.log_session_annotations(session_annotations=bodies, sync=True)
    except transport.HTTPStatusError as error:
        if error.response.status_code != UNKNOWN:
            raise
        return False
    return True


def connect(environment: Mapping[str, str]) -> Any:
    """Phoenix's client for the address and the key of the environment."""
    name = next((name for name in ADDRESSES if environment.get(name)), None)
    if name is None:
        raise MissingResource(
            f"--to phoenix needs the address of a server: set {ADDRESSES[0]}, or use --dry-run"
        )
    host = import_host("phoenix.client", "arize-phoenix-client")
    config = import_host("phoenix.client.utils.config", "arize-phoenix-client")
    if environment.get("PHOENIX_API_KEY") or environment.get("PHOENIX_CLIENT_HEADERS"):
        check_address(str(config.get_base_url()), name)
    return host.Client()
