"""The command line: one file a command, each found by its file name and loaded when called.

Exit codes are part of the interface, since scripts and CI branch on them: 0 done; 1 a rule of
`simpatico gate` failed; 2 wrong input or usage, which the same command will meet again; 3
interrupted, too little memory or no access to a file or server, so that the same command may
succeed later; 70 a bug in simpatico. Every error is one line; with SIMPATICO_TRACEBACK=1 a bug has
its traceback.
"""

from __future__ import annotations

import ast
import codecs
import os
import re
import resource
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from pkgutil import iter_modules

import click

from simpatico.cli.groups import CommandGroup, first_paragraph
from simpatico.errors import RunError, SimpaticoError

PACKAGE = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "commands"
LEAST_ADDRESS_SPACE = 2 * 2**30
"""Below 1.5 GB Polars cannot start its threads on two cores; more than is ever in use."""
OUT_OF_MEMORY = re.compile(r"out of memory|cannot allocate|allocation failed|ThreadPoolBuild", re.I)
"""What libraries say that do not raise a MemoryError."""


SECTIONS = {
    "Measure": ["demo", "score", "show", "explain", "verify", "list", "cite", "purge"],
    "Compare systems": ["compare", "report", "figure", "gate"],
    "Collect ratings": ["sample", "study", "judge"],
    "Validate against people": ["validate", "perturb", "reproduce"],
    "Talk to bots": ["trial", "probe", "chat", "play"],
    "Train": ["train"],
    "Work with other tools": ["export", "init"],
    "Models": ["models"],
}
"""The headings of the help, in the order in which people need them."""


class Commands(CommandGroup):
    """The commands: every module of `commands` whose name does not begin with an underscore."""

    sections = SECTIONS

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, off the folder: a new file is a new command."""
        names = {module.name for module in iter_modules([str(FOLDER)])}
        return sorted(name for name in names if not name.startswith("_"))

    def summary(self, context: click.Context, name: str) -> str:
        """Off the docstring of a command: importing all of them takes a second."""
        path = FOLDER / name / "__init__.py" if (FOLDER / name).is_dir() else FOLDER / f"{name}.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = (n for n in tree.body if isinstance(n, ast.FunctionDef))
        doc = next(ast.get_docstring(f) for f in functions if f.name == "command")
        return first_paragraph(doc or "")

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        command: click.Command = import_module(f"simpatico.cli.commands.{name}").command
        return command


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="simpatico")
def cli() -> None:
    """Measure how a dialog system comes across to the person it talks with.

    \b
    Start here:
      simpatico demo                            three made-up systems
      simpatico score chats.jsonl --out run     score your own conversations
      simpatico compare run                     differences between systems
      simpatico report run                      one HTML page to share

    Exit codes: 0 done; 1 a rule of `gate` failed; 2 wrong input or usage; 3 interrupted, no access
    or too little memory, run the same command again; 70 a bug in simpatico.
    """


def main() -> None:
    """Run a command and exit; which error has which code is in the module's docstring.

    `standalone_mode=False` lets click's own errors pass through here, so that they have the same
    form as ours; click would print a usage line above each.
    """
    # a batch system ends jobs with SIGTERM: then the run is resumable as after Ctrl-C
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    prepare_streams()
    try:
        refuse_small_address_space()
        code = cli.main(prog_name="simpatico", standalone_mode=False)
        if sys.stdout:  # a caller may have closed it
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        message = error.format_message()
        if isinstance(error, click.NoSuchOption) and not error.possibilities and error.ctx:
            message += f" See `{error.ctx.command_path} --help`."
        sys.exit(complain(message, 2))
    except (click.Abort, KeyboardInterrupt):
        complain("Interrupted. Run the same command again to resume.", 3)
        os._exit(3)  # a normal exit can lose the code: Polars may raise the signal once more
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except RunError as error:
        sys.exit(complain(str(error), 3 if error.resumable else 2))
    except SimpaticoError as error:
        sys.exit(complain(str(error), 2))
    except OSError as error:
        sys.exit(complain(f"{error.filename or 'output'}: {error.strerror or error}", 3))
    except SystemExit:
        raise
    except BaseException as error:  # Polars' panics are no Exception
        sys.exit(report_failure(error))


def prepare_streams() -> None:
    """Let no stream be the reason of a failure: closed ones lead nowhere, all can hold any text.

    A descriptor that is closed would be given to the next file that is opened, which then receives
    what is meant for the terminal.
    """
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            with suppress(OSError):
                os.fstat(number)
                continue  # in use: whoever calls us within a process has set the stream to None
            empty = os.open(os.devnull, os.O_RDWR)
            if empty != number:
                os.dup2(empty, number)
            if number:
                setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
        elif number and isinstance(stream, TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            encoding = "utf-8" if ascii_only else stream.encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def refuse_small_address_space() -> None:
    """Refuse a limit (`ulimit -v`) under which libraries abort or hang, which nothing can catch."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < LEAST_ADDRESS_SPACE:
        raise RunError(
            f"the address space is limited to {limit / 2**30:.1f} GB (ulimit -v) and must be at "
            f"least {LEAST_ADDRESS_SPACE / 2**30:.0f} GB; raise the limit and run the same command "
            "again",
            resumable=True,
        )


def report_failure(error: BaseException) -> int:
    """One line about an error that nobody has foreseen, and its exit code."""
    kind, module = type(error).__name__, type(error).__module__
    if os.environ.get("SIMPATICO_TRACEBACK"):
        traceback.print_exception(error)
    if isinstance(error, MemoryError) or OUT_OF_MEMORY.search(str(error)):
        advice = "close other programs, or use fewer --jobs"
        return complain(f"not enough memory; {advice}, and run the same command again", 3)
    # a damaged Parquet file; by the name of its module, as importing polars takes its time
    if module.startswith("polars"):
        problem = f"cannot read a table ({kind})"
        return complain(f"{problem}; if it belongs to a run, score again into a new folder", 2)
    # the innermost line of ours; not the error's own words, which may quote what people said
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    *_, (file, line) = [f for f in frames if f[0].is_relative_to(PACKAGE)]
    return complain(
        f"internal error: {kind} in {file.relative_to(PACKAGE)}, line {line}; this is a bug, "
        "please report this line to the maintainers (SIMPATICO_TRACEBACK=1 shows more)",
        70,
    )


def complain(message: str, code: int) -> int:
    """One line on stderr, free of anything a terminal would act on."""
    from simpatico.cli.output import note

    note(f"simpatico: {message}")
    return code
