"""How far a run is: a bar on a terminal, plain lines otherwise, always on stderr."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Any

from simpatico.cli.out import note

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts turns; use as a context."""

    def __init__(self) -> None:
        self.turns = 0
        self.begun = self.told = monotonic()
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import SpinnerColumn, TextColumn

            text = "{task.completed:,.0f} turns scored"
            self.bar = Bar(
                SpinnerColumn(), TextColumn(text), console=Console(stderr=True), transient=True
            )
            self.task = self.bar.add_task("", total=None)
            self.bar.start()
        return self

    def add(self, turns: int) -> None:
        """So many more are done."""
        self.turns += turns
        now = monotonic()
        if self.bar:
            self.bar.update(self.task, completed=self.turns)
        elif now - self.told > SECONDS_BETWEEN_LINES:
            self.told = now
            note(f"{self.turns:,} turns scored, {self.turns / (now - self.begun):,.0f} a second")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar:
            self.bar.stop()
