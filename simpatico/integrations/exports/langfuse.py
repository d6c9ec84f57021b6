"""Langfuse: the scores of dialogs as scores of sessions or traces of the same ids.

A score has an id made from what it is a score of and its metric's signature, so that a second push
changes nothing: Langfuse replaces a score of the same id and time. Its time is that of the dialog,
else that of the run. Scores that are null are not sent, as Langfuse knows no null.

The address and the keys are those of Langfuse's own client: LANGFUSE_BASE_URL (or LANGFUSE_HOST),
LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY. They are read from the environment and never written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from simpatico.errors import BadValue, MissingResource
from simpatico.integrations import import_host
from simpatico.integrations.exports import CHECK, Export, Refused, check_address, push_error

BATCH = 100
"""Scores of one request, well below its limit of 1 MiB."""
TIMEOUT = 60.0


def score_bodies(export: Export) -> Iterator[dict[str, Any]]:
    """What is sent of each score that is not null, in the fields of POST /api/public/scores."""
    if export.level != "dialog":
        raise BadValue("--to langfuse takes the scores of dialogs; leave out --level")
    written = (export.run.folder / "run.json").stat().st_mtime
    of_run = datetime.fromtimestamp(int(written), UTC)
    for row in export.rows():
        if row["value"] is None:
            continue
        yield {
            "id": export.own_id(export.target, row["dialog"], row),
            f"{export.target}_id": row["dialog"],
            "name": row["score"],
            "value": row["value"],
            "data_type": "NUMERIC",
            "metadata": export.facts(row),
            "timestamp": row.get("time") or of_run,
        }


def push(export: Export, refused: Refused) -> tuple[int, int]:
    """Send the scores; how many were accepted and refused, each with a call of `refused`."""
    client = connect(os.environ)
    scores = import_host("langfuse.api.scores", "langfuse")
    errors = import_host("langfuse.api.core.api_error", "langfuse")
    transport = import_host("httpx", "langfuse")
    bodies, n_accepted, n_refused = score_bodies(export), 0, 0
    while batch := list(islice(bodies, BATCH)):
        request = [scores.CreateScoreRequest(**body) for body in batch]
        try:
            answer = client.scores.create(request=request)
        except errors.ApiError as error:
            what = f"Langfuse refused the request (HTTP {error.status_code})"
            raise push_error(what, n_accepted, CHECK) from None
        except transport.HTTPError as error:
            what = f"Langfuse cannot be reached ({type(error).__name__})"
            raise push_error(what, n_accepted) from None
        rejected = getattr(answer, "rejected", 0)
        n_accepted, n_refused = n_accepted + len(batch) - rejected, n_refused + rejected
        for refusal in getattr(answer, "errors", ()):
            refused(refusal.message)
    return n_accepted, n_refused


def connect(environment: Mapping[str, str]) -> Any:
    """Langfuse's client for the address and the keys of the environment."""
    names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    url = environment.get("LANGFUSE_BASE_URL") or environment.get("LANGFUSE_HOST")
    if not url or not all(map(environment.get, names)):
        raise MissingResource(
            "--to langfuse needs the address and the keys of a project: set LANGFUSE_BASE_URL, "
            f"{names[0]} and {names[1]}, or use --dry-run"
        )
    check_address(url, "LANGFUSE_BASE_URL")
    public, secret = (environment[name] for name in names)
    # a redirect would take the keys elsewhere
    return import_host("langfuse.api.client", "langfuse").LangfuseAPI(
        base_url=url,
        username=public,
        password=secret,
        x_langfuse_public_key=public,
        timeout=TIMEOUT,
        follow_redirects=False,
    )
