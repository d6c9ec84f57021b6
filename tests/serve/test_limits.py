"""Nobody takes more than a share: neither by what is sent, nor by not sending, nor by not reading."""

import selectors
import socket
import threading
import time
from contextlib import suppress

import pytest

from simpatico.serve import protocol, security
from simpatico.serve.app import Download, Route, Stream, build_app
from simpatico.serve.protocol import ImpatientProtocol
from simpatico.serve.security import MAX_BODY, Limits
from tests.serve.site import Client, ask, bearer, request, serving


class Work:
    """Routes that wait until they may go on."""

    def __init__(self):
        self.go_on, self.begun, self.saved = threading.Event(), threading.Semaphore(0), []

    def wait(self, token, body):
        self.begun.release()
        self.go_on.wait(60)
        return {}

    def talk(self, token, body):
        def pieces():
            yield {"piece": "a"}
            self.wait(token, body)
            self.saved.append(1)
            yield {"done": True}

        return Stream(pieces())

    def app(self, origins, limits=None):
        routes = [
            Route("POST", "/wait", self.wait),
            Route("POST", "/talk", self.talk),
            Route("GET", "/quick", lambda token, body: {}),
            Route("POST", "/large", lambda token, body: len(body["x"]), dict),
        ]
        files = {"a.html": b"a" * 50_000}
        return build_app(routes, files, {"/": "a.html"}, origins=origins, limits=limits)


def started(port, path, n, work):
    """This many requests that wait."""
    clients = [Client(port) for _ in range(n)]
    for client in clients:
        client.send(request(port, "POST", path, body=b""))
    for _ in clients:
        work.begun.acquire()
    return clients


def finished(clients):
    """What they were answered."""
    answers = [client.read() for client in clients]
    for client in clients:
        client.close()
    return answers


# -- too much ----------------------------------------------------------------------------------


def chunks(size, piece=4_096):
    data = b"x" * piece
    return b"".join(b"%x\r\n%s\r\n" % (piece, data) for _ in range(size // piece)) + b"0\r\n\r\n"


@pytest.mark.parametrize("how", ["length", "chunked", "length, then more", "on GET"])
def test_little_is_read_of_what_is_too_large(monkeypatch, how):
    seen = []
    whole = ImpatientProtocol.data_received

    def count(self, data):
        seen.append(len(data))
        whole(self, data)

    monkeypatch.setattr(ImpatientProtocol, "data_received", count)
    size = 50 * MAX_BODY
    chunked = "Transfer-Encoding: chunked"
    with serving(Work().app) as port:
        data = {
            "length": request(port, "POST", "/large", body=b"x" * size),
            "chunked": request(port, "POST", "/large", chunked) + chunks(size),
            "length, then more": request(port, "POST", "/large", body=b'{"x":""}') + b"x" * size,
            "on GET": request(port, "GET", "/quick", chunked) + chunks(size),
        }[how]
        client = Client(port)
        reader = []
        thread = threading.Thread(target=lambda: reader.append(client.read()))
        thread.start()
        with suppress(ConnectionError):  # as it should be: the server has hung up
            client.send(data)
        thread.join()
        client.close()
    assert reader[0].status == (200 if how == "length, then more" else 413)
    assert sum(seen) <= MAX_BODY + 64 * 1024


def test_a_body_of_the_limit_is_taken_in_any_form():
    body = b'{"x":"%s"}' % (b"y" * (MAX_BODY - 8))
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:99], body[99:])) + b"0\r\n\r\n"
    with serving(Work().app) as port:
        assert ask(port, "POST", "/large", body=body).body == b"65528"
        client = Client(port)
        client.send(request(port, "POST", "/large", "Transfer-Encoding: chunked") + pieces)
        assert client.read().body == b"65528"
        client.close()
        assert ask(port, "POST", "/large", body=body + b" ").status == 413


# -- too many ----------------------------------------------------------------------------------


def test_more_than_can_wait_are_asked_to_come_back():
    work = Work()
    with serving(lambda origins: work.app(origins, Limits(waiting=5))) as port:
        clients = started(port, "/wait", 5, work)
        client = Client(port)
        busy = [client.ask("GET", path) for path in ("/quick", "/nothing", "/quick")]
        assert [(a.status, a.values("retry-after")) for a in busy] == [(503, ["1"])] * 3
        assert client.ask("GET", "/").status == 200  # a page whose files were refused stays empty
        client.close()
        work.go_on.set()
        assert [a.status for a in finished(clients)] == [200] * 5
        assert ask(port, "GET", "/quick").status == 200


def test_slow_bots_keep_nobody_waiting():
    """Sixty talks that wait are more than the threads, and the places, of everything else."""
    work = Work()
    with serving(lambda origins: work.app(origins, Limits(waiting=60))) as port:
        clients = started(port, "/talk", 60, work)
        assert [ask(port, "GET", "/quick").status for _ in range(20)] == [200] * 20
        work.go_on.set()
        bodies = {answer.body for answer in finished(clients)}
    assert bodies == {b'{"piece":"a"}\n{"done":true}\n'}


def test_a_talk_whose_listener_has_left_is_saved_and_still_counts():
    work = Work()
    with serving(lambda origins: work.app(origins, Limits(waiting=3))) as port:
        for client in started(port, "/talk", 3, work):
            client.close()
        assert ask(port, "GET", "/quick").status == 200
        answer = ask(port, "POST", "/talk", body=b"")
        assert (answer.status, answer.values("retry-after")) == (503, ["1"])
        work.go_on.set()
        while len(work.saved) < 3:
            time.sleep(0.01)
        while (answer := ask(port, "POST", "/talk", body=b"")).status == 503:
            time.sleep(0.01)
        assert answer.body == b'{"piece":"a"}\n{"done":true}\n'


# -- too slow ----------------------------------------------------------------------------------


def begin(port, kind, client):
    """The beginning of what such a client never ends."""
    head = f"Host: 127.0.0.1:{port}\r\n".encode()
    match kind:
        case "silent":
            return
        case "head":
            client.send(b"GET / HTTP/1.1\r\n")
        case "body":
            client.send(b"POST /wait HTTP/1.1\r\nContent-Length: 60000\r\n" + head + b"\r\n")
        case "chunks":
            client.send(
                b"POST /wait HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + head + b"\r\nea60\r\n"
            )
        case "body of a page":
            client.send(b"GET / HTTP/1.1\r\nContent-Length: 60000\r\n" + head + b"\r\n")
        case "refused body":
            client.send(b"POST / HTTP/1.1\r\nContent-Length: 60000\r\nHost: evil.example\r\n\r\n")
        case "second head":
            client.send(b"GET /quick HTTP/1.1\r\n" + head + b"\r\n")
            client.read()
            client.send(b"GET / HTTP/1.1\r\n")
        case "pipelined head":
            client.send(b"GET /quick HTTP/1.1\r\n" + head + b"\r\nGET / HTTP/1.1\r\n")
        case "reads nothing":
            client.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.line.setblocking(False)
            with suppress(BlockingIOError):
                client.line.send(request(port, "GET", "/") * 200)


KINDS = (
    "silent", "head", "body", "chunks", "body of a page", "refused body", "second head",
    "pipelined head", "reads nothing",
)  # fmt: skip


def count_lines(server_port):
    """Connections that the server holds, as the kernel lists them (state 01: established)."""
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file][1:]
    return sum(row[1].endswith(f":{server_port:04X}") and row[3] == "01" for row in rows)


def drip(clients, seconds, each):
    """A drop from everyone, now and then, until the server has hung up on all or time is over."""
    end, open_clients = time.monotonic() + seconds, set(clients)
    while open_clients and time.monotonic() < end:
        each()
        for client in list(open_clients):
            try:
                client.line.setblocking(False)
                client.line.send(b"X")
            except BlockingIOError:
                pass
            except OSError:
                open_clients.discard(client)
        time.sleep(0.1)
    return open_clients


def test_clients_that_dawdle_are_hung_up_on(monkeypatch):
    monkeypatch.setattr(protocol, "CLIENT_SECONDS", 0.5)
    monkeypatch.setattr(security, "BODY_SECONDS", 0.5)
    with serving(Work().app) as port:
        clients = {Client(port): kind for kind in KINDS for _ in range(3)}
        for client, kind in clients.items():
            begin(port, kind, client)
        dripping = [client for client, kind in clients.items() if kind != "reads nothing"]
        left = drip(dripping, 20, lambda: None)
        assert sorted(clients[client] for client in left) == []
        end = time.monotonic() + 20
        while (lines := count_lines(port)) and time.monotonic() < end:
            time.sleep(0.05)  # whoever reads nothing does not see it: the kernel does
        assert lines == 0
        assert ask(port, "GET", "/quick").status == 200
        for client in clients:
            client.close()


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 131_072, 16_000_001])
def test_a_client_that_reads_slowly_but_steadily_gets_everything(monkeypatch, size):
    """Such as an owner who downloads for longer than a silent client may stay."""
    monkeypatch.setattr(protocol, "CLIENT_SECONDS", 1.5)
    content = bytes(range(251)) * (size // 251 + 1)
    content = content[:size]
    route = Route("GET", "/file", lambda token, body: Download("a.zip", content))
    with serving(lambda origins: build_app([route], {}, {}, origins=origins)) as port:
        client = Client(port)
        client.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        client.send(request(port, "GET", "/file"))
        steps = 0
        while len(client.buffer) < size and client.more():
            steps += 1
            time.sleep(0.1 if steps % 20 == 0 else 0)
        assert client.read().body == content
        client.close()


@pytest.mark.slow
def test_two_hundred_of_each_are_hung_up_on_within_half_a_minute_while_others_go_on(site):
    """More bodies than may wait at the same time; an idle line ends after ten seconds."""
    done = []

    def work():
        done.append(site.ask("GET", "/api/me", bearer(site.outsiders[0])).status)

    for kinds in (("head", "body"), ("second head", "refused body")):
        clients = []
        for kind in kinds:
            for _ in range(205):
                clients.append(Client(site.port))
                begin(site.port, kind, clients[-1])
        done.clear()
        left = drip(clients, 30, work)
        assert (len(left), set(done)) == (0, {200})
        assert len(done) > 20
        for client in clients:
            client.close()


@pytest.mark.slow
def test_idle_lines_are_closed(site):
    clients = [Client(site.port) for _ in range(200)]
    watch = selectors.DefaultSelector()
    for client in clients:
        assert client.ask("GET", "/static/icon.svg").status == 200
        watch.register(client.line, selectors.EVENT_READ, client)
    end, ended = time.monotonic() + 30, 0
    while ended < 200 and time.monotonic() < end:
        for key, _ in watch.select(1):
            assert not key.data.more()
            watch.unregister(key.fileobj)
            ended += 1
    for client in clients:
        client.close()
    watch.close()
    assert ended == 200
