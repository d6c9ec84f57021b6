"""The command line within this process: what a call prints and returns, without a second's start-up.

What only a process of its own can show (signals, closed pipes, no network) starts one.
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
from unittest.mock import patch

from simpatico.cli import main


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal; its width is that of the variable COLUMNS."""

    def isatty(self):
        return True


def simpatico(*arguments, stdin=None, cwd=None, stream=io.TextIOWrapper):
    """Call `simpatico` with these arguments; returncode, stdout and stderr as a process has them."""
    out, err = (stream(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    line = ["simpatico", *map(str, arguments)]
    handler = signal.getsignal(signal.SIGTERM)
    with contextlib.ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGTERM, handler)
        stack.enter_context(patch.dict(os.environ))
        stack.enter_context(patch.multiple(sys, argv=line, stdout=out, stderr=err))
        if stdin is not None:
            stack.enter_context(
                patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            )
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
        out.flush()
        err.flush()
    streams = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(line, code, *streams)
