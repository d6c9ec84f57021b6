"""Options that several commands share."""

import click
from click.testing import CliRunner

from simpatico.cli.options import accept_old_names


@click.command(
    cls=accept_old_names(level="balance-length", no_level="no-balance-length", most="max-dialogs")
)
@click.option("--balance-length/--no-balance-length", default=False)
@click.option("--max-dialogs", type=int, default=1)
def command(balance_length, max_dialogs):
    click.echo(f"{balance_length} {max_dialogs}")


def test_options_of_the_last_release_are_taken_and_named():
    done = CliRunner().invoke(command, ["--level", "--most=3"])
    assert done.stdout == "True 3\n"
    assert done.stderr == "--level is now --balance-length\n--most is now --max-dialogs\n"
    assert CliRunner().invoke(command, ["--no-level", "--most", "4"]).stdout == "False 4\n"


def test_new_names_say_nothing_and_stand_alone_in_the_help():
    done = CliRunner().invoke(command, ["--balance-length"])
    assert (done.stdout, done.stderr) == ("True 1\n", "")
    assert "--level" not in CliRunner().invoke(command, ["--help"]).stdout
