"""The command on a card does the training again, and says nothing of where files are kept."""

from pathlib import Path

import pytest

from simpatico.cli.commands.train._command_line import option_values, record_command


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Path("/some/where/logs.csv"), ["logs.csv"]),
        ("package:minilm", ["package:minilm"]),
        ("path:/some/where/head", ["path:head"]),
        ("fed.model=path:/some/where/lm", ["fed.model=path:lm"]),
        ("x.model=path:/a/one+path:/b/two", ["x.model=path:one+path:two"]),
        ("path:/a+b/one+1", ["path:one+1"]),
        (("path:/a/one", 3, 0.5), ["path:one", "3", "0.5"]),
        ("footpath:/a", ["footpath:/a"]),
    ],
)
def test_of_a_folder_its_name_alone_is_typed(value, words):
    assert option_values(value) == words


def test_options_by_name():
    options = {
        "data": (Path("/some/where/a b.csv"),),
        "settings": ("nsp.model=path:/some/where/nsp",),
        "level": False,
        "seed": 1,
        "base": "",
    }
    assert record_command(
        "simpatico train x",
        options,
        switches=["level"],
        flags={"settings": "set", "level": "balance-length"},
    ) == (
        "simpatico train x --data 'a b.csv' --out MODEL --no-balance-length --seed 1 --set nsp.model=path:nsp"
    )
