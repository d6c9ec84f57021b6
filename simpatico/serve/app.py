"""An application of typed JSON routes and a fixed list of files.

A handler is a plain function: it gets the caller's token and the decoded body, and returns what is
to be sent. It runs in a thread, so that a slow bot or disk keeps nobody else waiting.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simpatico.errors import SimpaticoError
from simpatico.serve.security import App, Guard, Limits, TooLarge

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

BODY_SECONDS = 20.0
"""Within which the body of a request has to be there."""

logger = logging.getLogger(__name__)


class Problem(SimpaticoError):
    """An answer other than 200; `facts` go into its body."""

    def __init__(self, status: int, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.status, self.facts = status, facts


class Empty(msgspec.Struct, forbid_unknown_fields=True):
    """A body without anything."""


@dataclass(frozen=True)
class Download:
    """A file to save."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Stream:
    """An answer in pieces, a JSON object a line."""

    pieces: Iterator[Mapping[str, Any]]


Handler = Callable[[str, Any], object]


@dataclass(frozen=True)
class Route:
    """A path, what a request's body has to be, and what answers it."""

    method: str
    path: str
    handler: Handler
    body: type = Empty


def read_files(folder: Path) -> dict[str, bytes]:
    """The files that pages are made of, by name; nothing else can ever be asked for."""
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.suffix in TYPES}


def build_app(
    routes: list[Route],
    files: Mapping[str, bytes],
    pages: Mapping[str, str],
    *,
    origins: frozenset[str],
    limits: Limits | None = None,
) -> App:
    """The application; `pages` gives the file of each path that people open."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route as Path_

    def serve_file(name: str) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return Response(files[name], headers={"Content-Type": TYPES[Path(name).suffix]})

        return endpoint

    paths = {**{f"/static/{name}": name for name in files if not name.endswith(".html")}, **pages}
    table = [Path_(path, serve_file(name), methods=["GET"]) for path, name in paths.items()]
    table += [Path_(r.path, json_endpoint(r), methods=[r.method]) for r in routes]
    handlers: dict[Any, Any] = {404: not_found, 405: not_found}
    app = Starlette(routes=table, exception_handlers=handlers)
    return Guard(app, origins, frozenset(pages), limits or Limits())


async def not_found(request: Request, error: Exception) -> Response:
    return json_response({"problem": "there is nothing here"}, getattr(error, "status_code", 404))


def json_response(value: object, status: int = 200) -> Response:
    from starlette.responses import Response

    return Response(msgspec.json.encode(value), status, media_type="application/json")


def json_endpoint(route: Route) -> Callable[[Request], Any]:
    """The endpoint of a route: body decoded, handler in a thread, errors as problems."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(route.body)

    async def endpoint(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token if scheme.lower() == "bearer" else ""
        try:
            body = decoder.decode(await read_body(request) or b"{}")
            return as_response(await run_in_threadpool(route.handler, token, body))
        except TooLarge:
            raise
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return json_response({"problem": "the request is not what was expected"}, 400)
        except Problem as error:
            return json_response({"problem": str(error), **error.facts}, error.status)
        except SimpaticoError as error:
            return json_response({"problem": str(error)}, 409)
        except Exception as error:  # without its text, which may hold what somebody said
            place = traceback.extract_tb(error.__traceback__)[-1]
            logger.error("%s in %s:%s", type(error).__name__, place.filename, place.lineno)
            return json_response({"problem": "internal error"}, 500)

    return endpoint


async def read_body(request: Request) -> bytes:
    """The body; a client that sends it drop by drop is cut off."""
    import anyio

    if request.method == "GET":
        return b""
    with anyio.move_on_after(BODY_SECONDS):
        return await request.body()
    raise Problem(408, "the request took too long")


def as_response(value: object) -> Response:
    """What a handler returned, as an answer."""
    from starlette.responses import Response, StreamingResponse

    if isinstance(value, Download):
        headers = {"Content-Disposition": f'attachment; filename="{value.name}"'}
        return Response(value.content, headers=headers, media_type="application/octet-stream")
    if isinstance(value, Stream):
        lines = (msgspec.json.encode(piece) + b"\n" for piece in value.pieces)
        return StreamingResponse(lines, media_type="application/x-ndjson")
    return json_response(value)
