"""Where parts are scored: in processes of this machine, or by the workers of a Ray cluster.

A task is a piece of the input and the number of its part. Workers write parts into the folder of
the run, which they share with the driver; only the driver joins them. A task whose worker is lost
is run again: it writes the same bytes under the same names, each file by a rename.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, Self, TypeVar

from simpatico.errors import BadValue, DataError, MissingResource, RunError
from simpatico.metric import Metric, signature
from simpatico.run.description import library_versions
from simpatico.workers import WORKER_VARIABLES, run_task

RETRIES = 5
"""How often Ray runs a task again whose worker was lost."""
SECONDS_TO_ANSWER = 5
SECONDS_TO_STOP = 10
Result = TypeVar("Result")


@dataclass(frozen=True)
class Ray:
    """A Ray cluster at `HOST:PORT` or "auto"; without an address one is started on this machine.

    `jobs`: how many workers at most, on one core each; without a number all cores of the cluster.
    """

    address: str | None = None
    jobs: int | None = None


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker has to find as the driver does: the folder, the metrics and the packages."""

    cwd: str
    folder: Path
    metrics: tuple[Metric, ...]
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, folder: Path, metrics: tuple[Metric, ...]) -> WorkerSetup:
        """The setup of the process that calls this."""
        return cls(os.getcwd(), folder.absolute(), metrics, setup_facts(metrics))


def setup_facts(metrics: tuple[Metric, ...]) -> tuple[tuple[str, str], ...]:
    """What scores depend on besides the input: versions, and signatures with hashes of models."""
    facts = library_versions(metrics) | {metric.name: signature(metric) for metric in metrics}
    return tuple(facts.items())


class RayWorkers:
    """Workers of a Ray cluster, as `Workers` are processes of this machine."""

    def __init__(self, where: Ray, folder: Path, metrics: tuple[Metric, ...]) -> None:
        self.where, self.folder, self.metrics = where, folder, metrics
        self.connection = ExitStack()
        self.ray: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()

    def start(self) -> None:
        """Connect, and let workers load libraries while this process does something else."""
        if self.ray:
            return
        ray = self.ray = self.connection.enter_context(connect(self.where))
        self.run = ray.remote(num_cpus=1, max_retries=RETRIES)(run_task)
        self.variables = ray.put(worker_variables())
        self.setup = ray.put(WorkerSetup.of(self.folder, self.metrics))
        load = [ray.put(import_module), ray.put("simpatico.run.parts")]
        for _ in range(self.jobs):
            self.run.remote(self.variables, load)

    @property
    def jobs(self) -> int:
        """On how many cores tasks are run."""
        self.start()
        cores = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        return min(self.where.jobs or cores, cores)

    def map(
        self, work: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """The result of `work` for each task, in any order; two tasks a core are under way."""
        self.start()
        ray, waiting = self.ray, list[Any]()
        # one being scored and one at hand for each core, unless the user says how many
        most = self.where.jobs if self.where.address and self.where.jobs else 2 * self.jobs
        function, shared = ray.put(run_on_worker), ray.put(work)
        try:
            for task in tasks:
                rest = [function, shared, self.setup, *map(ray.put, task)]
                waiting.append(self.run.remote(self.variables, rest))
                while len(waiting) >= most:
                    done, waiting = ray.wait(waiting)
                    yield from ray.get(done)
            while waiting:
                done, waiting = ray.wait(waiting)
                yield from ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except ray.exceptions.RayError as error:
            raise RunError(
                f"Ray lost a task more than {RETRIES} times ({type(error).__name__}), often for "
                "lack of memory; run the same command again to resume",
                resumable=True,
            ) from None
        finally:
            for task in waiting:  # nothing may write into a folder that is cleaned up
                with suppress(ray.exceptions.RayError):
                    ray.cancel(task, force=True)
            if waiting:
                ray.wait(waiting, num_returns=len(waiting), timeout=SECONDS_TO_STOP)


def worker_variables() -> dict[str, str]:
    """What workers find in their environment: one core each, and the cache of this process."""
    variables = {**WORKER_VARIABLES, "SIMPATICO_THREADS": "1"}
    if cache := os.environ.get("SIMPATICO_CACHE"):
        variables["SIMPATICO_CACHE"] = cache
    return variables


@contextmanager
def connect(where: Ray) -> Iterator[Any]:
    """Ray itself, connected to the cluster as long as this lasts."""
    if where.address is None and "ray" not in sys.modules:
        # one of our own: nobody else may talk to it, though its ports are open; read on import
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        import ray
    except ImportError:
        raise MissingResource(
            "--engine ray needs the package ray; pip install 'simpatico[ray]'"
        ) from None
    if ray.is_initialized():  # the connection is that of who calls us
        yield ray
        return
    options: dict[str, Any] = {"address": where.address}
    if where.address is None:
        options = {"address": "local", "num_cpus": where.jobs, "include_dashboard": False}
        options["_node_ip_address"] = "127.0.0.1"
    else:
        check_address(where.address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options |= {"log_to_driver": False}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(logging_level=logging.ERROR, **options)
    except Exception as error:  # of no class of its own where a node takes too long to start
        ray.shutdown()
        why = str(error).strip().partition("\n")[0].rstrip(".")
        raise RunError(f"Ray did not start or answer: {why}", resumable=True) from None
    try:
        if current_thread() is main_thread():  # Ray puts its own in place
            signal.signal(signal.SIGTERM, handler)
        yield ray
    finally:
        ray.shutdown()


def check_address(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would try for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, ValueError, OverflowError):
        raise BadValue(
            f"no Ray cluster answers at --address {address}; give HOST:PORT of its head, as "
            "`ray start --head` prints it, or leave --address out to use this machine"
        ) from None


def run_on_worker(work: Callable[..., Result], setup: WorkerSetup, *task: Any) -> Result:
    """Run a task in a worker; models stay loaded for its next ones, as features keep them."""
    check_worker(setup)
    return work(*task)


@lru_cache(maxsize=1)  # once a worker
def check_worker(setup: WorkerSetup) -> None:
    """Refuse a worker that has another folder, version or model: its parts would be of no use."""
    host = socket.gethostname()
    with suppress(OSError):  # relative paths are those of the driver
        os.chdir(setup.cwd)
    if not (setup.folder / "parts").is_dir():
        raise RunError(
            f"{setup.folder} is not there on worker {host}; --out must be a folder that all "
            "workers share"
        )
    own, wanted = dict(setup_facts(setup.metrics)), dict(setup.facts)
    for name in sorted(own.keys() | wanted.keys()):
        if own.get(name) != wanted.get(name):
            raise DataError(
                f"{name} is {own.get(name, 'not there')} on worker {host} and "
                f"{wanted.get(name, 'not there')} here; install the same everywhere"
            )
