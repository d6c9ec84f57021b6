"""Help of the command line: printed whole by a bare call, grouped, and a way out of a wrong name."""

import click
import pytest

from simpatico.cli import SECTIONS, cli
from tests.command_line import simpatico as call


@pytest.mark.parametrize("arguments", [[], ["train"]])
def test_a_bare_group_prints_its_help_and_is_no_error(arguments):
    bare, asked = call(*arguments), call(*arguments, "--help")
    assert (bare.returncode, bare.stderr) == (0, "")
    assert bare.stdout == asked.stdout
    assert bare.stdout.startswith(" ".join(["Usage: simpatico", *arguments]) + " [OPTIONS] COMMAND")


@pytest.mark.parametrize("arguments", [[], ["train"], ["models", "--help"]])
def test_summaries_stand_whole_within_80_columns(arguments):
    text = call(*arguments).stdout
    context, group = click.Context(cli), cli
    if arguments:
        group = cli.get_command(context, arguments[0])
    words = " ".join(text.split())
    for name in group.list_commands(context):
        summary = (group.get_command(context, name).help or "").partition("\n\n")[0]
        assert f"{name} {' '.join(summary.split())}" in words
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in text.replace("[ARGS]...", "")


def test_every_command_stands_under_one_heading_in_the_order_of_the_work():
    placed = [name for section in SECTIONS.values() for name in section]
    assert sorted(placed) == cli.list_commands(click.Context(cli))
    lines = call().stdout.splitlines()
    places = [lines.index(f"{title}:") for title in SECTIONS]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["scor"], "no command 'scor'; did you mean 'score'?"),
        (["train", "enga"], "no command 'enga'; did you mean 'engagement'?"),
        (["models", "gt"], "no command 'gt'; did you mean 'get'?"),
        (["models", "x"], "no command 'x'; there are cache, forget, get"),
        (["show", "--zzz"], "No such option '--zzz'. See `simpatico show --help`."),
    ],
)
def test_a_wrong_name_gets_one_sentence_with_the_way_out(arguments, sentence):
    done = call(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simpatico: {sentence}\n"


def test_a_misspelt_option_is_suggested():
    done = call("show", "run", "--levle", "turn")
    assert done.returncode == 2
    assert "'--level'" in done.stderr  # the rest of the sentence is click's


def every_option(command, name="simpatico"):
    yield from ((name, opt) for parameter in command.params for opt in parameter.opts)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            yield from every_option(command.get_command(context, sub), f"{name} {sub}")


def test_score_alone_offers_an_engine():
    places = [place for place, option in every_option(cli) if option == "--engine"]
    assert places == ["simpatico score"]
