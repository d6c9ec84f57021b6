"""Printed tables: within 80 columns, or the width of the terminal, and no name or number is cut."""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simpatico
from simpatico.cli import output
from simpatico.cli.output import column_blocks, show_table
from tests.command_line import Terminal as TerminalStream
from tests.command_line import simpatico as call

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples"
RATINGS = SAMPLES / "judgements_made_up.csv"
LONG_NAME = "an-assistant-with-a-name-2026-11-17"


def table_output(*arguments, **options):
    with redirect_stdout(io.StringIO()) as out:
        show_table(*arguments, **options)
    return out.getvalue()


def tables(text):
    """The lines of every table: from the headings above a rule to the next empty line."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("──"):
            start = place - 1
            while start and lines[start - 1].startswith(" "):  # headings of several lines
                start -= 1
            end = next(i for i in range(place, len(lines)) if not lines[i].strip())
            yield lines[start:end]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The demo, in which one system has a long name."""
    folder = tmp_path_factory.mktemp("tables")
    logs = folder / "logs.jsonl"
    text = (SAMPLES / "conversations.jsonl").read_text(encoding="utf-8")
    logs.write_text(text.replace('"harbor"', f'"{LONG_NAME}"'), encoding="utf-8")
    ratings = RATINGS.read_text(encoding="utf-8").replace("harbor", LONG_NAME)
    (folder / "ratings.csv").write_text(ratings, encoding="utf-8")
    done = call("score", logs, "--preset", "psych", "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder


COMMANDS = {
    "show": ["show", "run"],
    "dialogs": ["show", "run", "--level", "dialog"],
    "turns": ["show", "run", "--level", "turn", "--every"],
    "compare": ["compare", "run", "--with-human"],
    "plan": ["compare", "run", "--plan", "--detect", "0.1"],
    "validate": ["validate", "run", "--judgements", "ratings.csv"],
    "systems": ["validate", "run", "--judgements", "ratings.csv", "--level", "system"],
    "controls": ["validate", "run", "--controls", "generic,flipped", "--max-dialogs", "20"],
    "list": ["list"],
    "card": ["list", "predicted_rating[core]"],
    "sorted": ["show", "run", "--sort", "empathy", "--rows", "3"],
    "explain": ["explain", "run", "dog-died/harbor"],
    "cite": ["cite", "run"],
    "verbose": ["validate", "run", "--judgements", "ratings.csv", "--verbose"],
    "models": ["models"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_table_fits_80_columns_and_says_the_same_as_a_wide_one(name, run, monkeypatch):
    narrow = call(*COMMANDS[name], cwd=run).stdout
    long = [line for table in tables(narrow) for line in table if len(line.rstrip()) > 80]
    assert long == []
    monkeypatch.setattr(output, "PIPED", 10_000)
    wide = tables(call(*COMMANDS[name], cwd=run).stdout)
    words = {word for table in wide for line in table for word in line.strip("─").split()}
    assert words <= set(narrow.split())


ESCAPES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|\r")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_on_a_terminal_of_80_columns_is_longer(name, run, monkeypatch):
    """A terminal breaks longer lines inside of names and numbers; BibTeX is one field a line."""
    monkeypatch.setenv("COLUMNS", "80")
    done = call(*COMMANDS[name], cwd=run, stream=TerminalStream)
    assert done.returncode == 0, done.stderr
    lines = [ESCAPES.sub("", line) for line in (done.stdout + done.stderr).splitlines()]
    own = [
        line
        for line in lines
        if not line.startswith(("  author =", "  title =", "  booktitle =", "  how"))
    ]
    assert [line for line in own if len(line.rstrip()) > 80] == []


def test_headings_and_prose_wrap_before_the_table_is_split():
    rows = [["a_name_of_a_score", "−0.123 [−0.456, 0.789]", "why it is so, " * 6]] * 2
    (table,) = tables(table_output("Title", ["score", "change [95% CI]", "reason"], rows))
    assert table[0].split() == ["score", "change", "[95%", "CI]", "reason"]
    assert all("−0.123 [−0.456, 0.789]" in line for line in table[2::3])
    assert max(map(len, table)) <= 80


def test_columns_that_do_not_fit_go_on_below_under_the_same_names():
    columns = ["dialog", "speaker", *(f"score_number_{n}" for n in range(6))]
    rows = [[f"d{i}", f"s{i}", *(float(n) for n in range(6))] for i in range(3)]
    first, second = tables(table_output("Dialogs", columns, rows, keys=2))
    assert first[0].split() == columns[:6]
    assert second[0].split() == [*columns[:2], *columns[6:]]
    assert [line.split()[:2] for line in second[2:]] == [row[:2] for row in rows]


def test_a_name_that_fits_no_line_is_printed_whole():
    name = "x" * 300
    assert table_output("Systems", ["system", "mean"], [[name, 0.5]]) == (
        f"Systems\nsystem  {name}\nmean    0.500\n\n"
    )


@given(st.lists(st.integers(1, 25), min_size=1, max_size=12), st.integers(1, 2))
def test_blocks_hold_every_column_once_after_the_keys(widths, keys):
    """Two keys and one column of 25 characters fit 80 columns with the gaps between them."""
    blocks = column_blocks(widths, keys, 80)
    first = list(range(min(keys, len(widths))))
    assert first + [i for block in blocks for i in block[len(first) :]] == list(range(len(widths)))
    for block in blocks:
        assert block[: len(first)] == first
        assert sum(widths[i] + output.GAP for i in block) - output.GAP <= 80


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [60, 132])
def test_a_terminal_has_the_width_it_says(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    show_table("Metrics", ["name", "about"], [["length", "How many words a turn has. " * 6]])
    lines = re.sub(r"\x1b\[\d*m", "", screen.getvalue()).splitlines()
    assert columns - 12 < max(map(len, lines)) <= columns
