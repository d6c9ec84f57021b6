"""An application of typed JSON routes and a fixed list of files.

A handler is a plain function: it gets the caller's token and the decoded body, and returns what is
to be sent. It runs in a thread, so that a slow bot or disk keeps nobody else waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simpatico.errors import SimpaticoError
from simpatico.serve.security import App, Guard, Limits, log_error
from simpatico.serve.streams import StreamThreads

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


WORKERS, SLOW_WORKERS = 8, 2
"""Requests that are worked on at a time. With forty threads, of which one can run Python at a time,
a server asked for twice what it can do did half of that."""
NO_PAGE = "There is no page at this address. Please open the whole link that you were given."


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
    """A path, what a request's body has to be, and what answers it; `slow` if that may take long,
    and then few at a time do."""

    method: str
    path: str
    handler: Handler
    body: type = Empty
    slow: bool = False


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
    limits = limits or Limits()
    threads = StreamThreads(limits.waiting)
    workers = ThreadPoolExecutor(WORKERS, "work"), ThreadPoolExecutor(SLOW_WORKERS, "slow work")
    for r in routes:
        endpoint = json_endpoint(r, workers[r.slow], threads)
        table.append(Path_(r.path, endpoint, methods=[r.method]))
    handlers: dict[Any, Any] = {404: not_found, 405: not_found}
    app = Starlette(routes=table, exception_handlers=handlers)
    app.router.redirect_slashes = False  # the address it redirects to would be wrong behind a proxy
    return Guard(app, origins, frozenset(pages), frozenset(paths), limits)


async def not_found(request: Request, error: Exception) -> Response:
    """The answer where there is no such path or method; for people, a sentence."""
    from starlette.responses import PlainTextResponse

    status = getattr(error, "status_code", 404)
    if status == 404 and "text/html" in request.headers.get("accept", ""):
        return PlainTextResponse(NO_PAGE, status)
    headers = getattr(error, "headers", None)  # of a 405: which methods there are
    response = json_response({"problem": "there is nothing here"}, status)
    response.headers.update(headers or {})
    return response


def json_response(value: object, status: int = 200) -> Response:
    from starlette.responses import Response

    headers = {"Retry-After": "1"} if status == 503 else {}
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def json_endpoint(
    route: Route, workers: ThreadPoolExecutor, threads: StreamThreads
) -> Callable[[Request], Any]:
    """The endpoint of a route: body decoded, handler in a thread, errors as problems."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(route.body)

    async def endpoint(request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token if scheme.lower() == "bearer" else ""
        try:
            body = decoder.decode(await request.body() or b"{}")
            loop = asyncio.get_running_loop()
            value = await loop.run_in_executor(workers, route.handler, token, body)
            return as_response(value, threads)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return json_response({"problem": "the request is not what was expected"}, 400)
        except Problem as error:
            return json_response({"problem": str(error), **error.facts}, error.status)
        except SimpaticoError as error:
            return json_response({"problem": str(error)}, 409)
        except Exception as error:
            log_error(error)
            return json_response({"problem": "internal error"}, 500)

    return endpoint


def as_response(value: object, threads: StreamThreads) -> Response:
    """What a handler returned, as an answer."""
    from starlette.responses import Response, StreamingResponse

    if isinstance(value, Download):
        headers = {"Content-Disposition": f'attachment; filename="{value.name}"'}
        return Response(value.content, headers=headers, media_type="application/octet-stream")
    if isinstance(value, Stream):
        lines = threads.start(value.pieces)
        if lines is None:
            return json_response({"problem": "busy"}, 503)
        headers = {"X-Accel-Buffering": "no"}  # nginx would wait for the end
        return StreamingResponse(lines, headers=headers, media_type="application/x-ndjson")
    return json_response(value)
