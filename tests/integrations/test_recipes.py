"""The recipes of docs/adapters.md run, and name what exists."""

import re
import shlex
import subprocess
import sys

import click
import pytest

from simpatico.cli import cli
from simpatico.integrations.promptfoo import EXAMPLE
from tests.conftest import ROOT
from tests.integrations.test_pytest_plugin import PLUGIN

TEXT = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
BOT = """
PROMPTS = [f"I lost my {thing}, and it was not mine" for thing in "dog cat hat car keys map".split()]

def my_bot(prompt):
    return "Oh no, that is sad. Where did you see it last? " + "And when was it? " * (len(prompt) % 3)
"""


def block(kind, word):
    """The one block of a kind that has this word in it."""
    (text,) = [text for language, text in BLOCKS if language == kind and word in text]
    return text


def test_the_pytest_recipe_passes_with_a_bot(tmp_path):
    (tmp_path / "test_bot.py").write_text(BOT + block("python", "simpatico_dialogs"))
    call = [sys.executable, "-m", "pytest", "-q", *PLUGIN]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_has_the_inputs_of_its_recipe():
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (step,) = yaml.safe_load(block("yaml", "uses:"))["steps"]
    assert set(step["with"]) <= set(action["inputs"])


def test_the_promptfoo_recipe_is_what_init_prints():
    assert block("yaml", "type: python") == EXAMPLE.format(name="simpatico_assert.py") + "\n"


def test_every_command_and_option_of_the_recipes_exists():
    lines = re.findall(r"^(simpatico .*)$", "\n".join(text for _, text in BLOCKS), re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        name, *words = shlex.split(line)[1:]
        command = cli.get_command(click.Context(cli), name)
        command.make_context(name, words, resilient_parsing=True)
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_every_python_name_of_the_recipes_exists():
    from simpatico.integrations import deepeval, mlflow

    for module, names in {
        deepeval: ["conversational_metric"],
        mlflow: ["session_scorer", "turn_scorer"],
    }.items():
        for name in names:
            assert name in TEXT
            assert callable(getattr(module, name))
