"""How far a run is: a bar on a terminal, plain lines otherwise, always on stderr."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import monotonic
from types import TracebackType
from typing import Any

from simpatico.cli.output import note
from simpatico.progress import Step, heard_by

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts turns, or what else is done, and tells of slow steps on the way; use as a context."""

    def __init__(self, what: str = "turns scored") -> None:
        self.what = what
        self.total: int | None = None
        self.turns = 0
        self.begun = self.told = self.step_begun = monotonic()
        self.step: Step | None = None
        self.step_from = 0
        self.bar: Any = None
        self.tasks: dict[str, Any] = {}
        self.stack = ExitStack()

    def __enter__(self) -> Progress:
        self.stack.enter_context(heard_by(self.hear))
        if sys.stderr.isatty():
            self.bar = bar()
            self.task = self.bar.add_task(self.what, total=None)
            self.bar.start()
        return self

    def expect(self, total: int) -> None:
        """There are so many to do."""
        self.total = total
        if self.bar:
            self.bar.update(self.task, total=total)

    def add(self, turns: int) -> None:
        """So many more are done."""
        self.turns += turns
        now = monotonic()
        if self.bar:
            self.bar.update(self.task, completed=self.turns)
        elif now - self.told > SECONDS_BETWEEN_LINES:
            self.told = now
            done = f"{self.turns:,}" if self.total is None else f"{self.turns:,} of {self.total:,}"
            rate = self.turns / (now - self.begun)
            note(f"{done} {self.what}, {rate:,.{0 if rate >= 10 else 1}f} a second")

    def hear(self, step: Step) -> None:
        """A model has done some of the texts before it."""
        now = monotonic()
        if self.bar:
            if step.what not in self.tasks:
                self.tasks[step.what] = self.bar.add_task(step.what, total=step.total)
            shown = {"completed": step.done, "total": step.total}
            again = self.bar.tasks[self.tasks[step.what]].total != step.total or step.done == 1
            if again:
                self.bar.reset(self.tasks[step.what], total=step.total)
            self.bar.update(self.tasks[step.what], **shown)
            return
        if not self.step or step.what != self.step.what or step.done <= self.step.done:
            self.step_begun, self.step_from = now, 0 if step.done == 1 else step.done
        self.step, done = step, step.done - self.step_from
        if done and now - self.told > SECONDS_BETWEEN_LINES and now - self.step_begun > 1:
            self.told, rate = now, done / (now - self.step_begun)
            left = (step.total - step.done) / rate
            pace = f"{rate:,.0f} a second" if rate >= 1 else f"{1 / rate:,.0f} seconds each"
            note(
                f"{step.what}: {step.done:,} of {step.total:,}, {pace}, "
                f"about {left:,.0f} seconds left"
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stack.close()
        if self.bar:
            self.bar.stop()


def bar() -> Any:
    """A bar with count, rate and the time that is left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Rate(ProgressColumn):
        """So many a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(20),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True)
