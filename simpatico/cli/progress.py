"""Progress on the terminal: a bar, or a line every ten seconds in a log file; always on stderr.

Two things are counted: the items of a command (turns, prompts), and on the way the texts that a
model has processed, which `simpatico.progress` announces from deep inside. Without the second a
command that embeds a large file would seem to hang.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import monotonic
from typing import Any

from simpatico.cli.output import note
from simpatico.progress import Step, listen

SECONDS_BETWEEN_LINES = 10.0
"""Often enough to see that it works, seldom enough that the log of a night stays readable."""


class ProgressDisplay:
    """Counts turns, or other items, and shows slow steps on the way; use as a context."""

    def __init__(self, what: str = "turns scored") -> None:
        self.what = what
        self.total: int | None = None
        self.done = 0
        self.started = self.last_line = self.step_started = monotonic()
        self.step: Step | None = None
        self.step_first = 0
        self.bar: Any = None
        self.tasks: dict[str, Any] = {}
        self.stack = ExitStack()

    def __enter__(self) -> ProgressDisplay:
        self.stack.enter_context(listen(self.show_step))
        if sys.stderr.isatty():
            self.bar = build_bar()
            self.task = self.bar.add_task(self.what, total=None)
            self.bar.start()
        return self

    def expect(self, total: int) -> None:
        """Set the number of items to do."""
        self.total = total
        if self.bar:
            self.bar.update(self.task, total=total)

    def add(self, items: int) -> None:
        """Count items that are done."""
        self.done += items
        now = monotonic()
        if self.bar:
            self.bar.update(self.task, completed=self.done)
        elif now - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = now
            total = "" if self.total is None else f" of {self.total:,}"
            rate = self.done / (now - self.started)
            note(f"{self.done:,}{total} {self.what}, {rate:,.{0 if rate >= 10 else 1}f} a second")

    def show_step(self, step: Step) -> None:
        """Show how far a model is with the texts before it."""
        now = monotonic()
        if self.bar:
            if step.what not in self.tasks:
                self.tasks[step.what] = self.bar.add_task(step.what, total=step.total)
            task = self.tasks[step.what]
            # the same model starts again with the next chunk
            if self.bar.tasks[task].total != step.total or step.done == 1:
                self.bar.reset(task, total=step.total)
            self.bar.update(task, completed=step.done, total=step.total)
            return
        # a new step, or the same one from the start: its rate counts from here
        if not self.step or step.what != self.step.what or step.done <= self.step.done:
            self.step_started, self.step_first = now, 0 if step.done == 1 else step.done
        self.step, count = step, step.done - self.step_first
        # a rate over less than a second says little of the hours to come
        if count and now - self.last_line > SECONDS_BETWEEN_LINES and now - self.step_started > 1:
            self.last_line, rate = now, count / (now - self.step_started)
            seconds = (step.total - step.done) / rate
            pace = f"{rate:,.0f} a second" if rate >= 1 else f"{1 / rate:,.0f} seconds each"
            note(
                f"{step.what}: {step.done:,} of {step.total:,}, {pace}, "
                f"about {seconds:,.0f} seconds left"
            )

    def __exit__(self, *error: object) -> None:
        self.stack.close()
        if self.bar:
            self.bar.stop()


def build_bar() -> Any:
    """A bar with count, rate and remaining time."""
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    class Rate(progress.ProgressColumn):
        """Items a second; rich has a column for bytes a second only."""

        def render(self, task: progress.Task) -> Text:
            rate = task.finished_speed or task.speed
            return Text(f"{rate:,.0f}/s" if rate else "")

    class Count(progress.MofNCompleteColumn):
        """`3/12`; nothing while nothing is counted, as in a command of steps alone."""

        def render(self, task: progress.Task) -> Text:
            return super().render(task) if task.completed or task.total else Text("")

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.BarColumn(20),
        Count(),
        Rate(),
        progress.TimeRemainingColumn(),
    )
    return progress.Progress(*columns, console=Console(stderr=True), transient=True)
