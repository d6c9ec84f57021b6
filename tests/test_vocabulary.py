"""The command line, the page and the documents say things as the field says them (docs/words.md)."""

import ast
import re
from pathlib import Path

import click
import pytest

import simpatico
from simpatico.cli import cli
from tests.conftest import ROOT

INSTEAD = {
    "how far the judges agree": "inter-rater agreement",
    "mean r of two judges": "mean pairwise rater correlation",
    "one judge with the mean of the others": "leave-one-out rater correlation",
    "what a perfect score could reach": "noise ceiling",
    "scores against judgements": "correlation with human ratings",
    "wins in 100": "probability of superiority",
    "times in 100": "probability of superiority",
    "small words": "function words",
    "wider mix of feelings": "more varied emotion vocabulary",
    "with more empathy": "scores higher on the essay-trained empathic-concern model",
    "would have shown": "smallest detectable difference (80% power)",
    "a hint": "suggestive, not significant after correction",
    "the paper's test calls": "paired t-test (Giorgi et al. 2023)",
    "endlessly many": "corrected for attenuation",
    "looked on": "outsiders",
    "mean and spread": "standardise ratings per judge (z-scores)",
    "strings of letters": "character n-grams",
    "runs of characters": "character n-grams",
    "word triples": "trigrams",
    "how dialogs fall": "random seed of the split",
    "else no chance": "otherwise deterministic",
    "later answers are none": "replies later than this count as no reply",
    "what decides": "validation set",
    "is learned from": "training set",
    "held against": "compared with",
    "hold the scores": "validate",
    "as whose answer": "which turns would be scored and what each replies to",
    "where to?": "missing --out",
    "goes on where": "run the same command again to resume",
    "could not be used": "rejected",
    "set aside": "skipped by design",
    "does not judge": "descriptive (no better direction)",
    "the shape of no format": "unrecognised input format",
    "its chances hold": "calibration",
    "who is talked to": "user-aware",
    "a person is gone": "removes this user's weights",
    "belong into": "be part of",
    "do not fit to": "do not match",
    "feelings in kind": "match the user's sentiment",
}
"""What was said, and what the field says."""
IN_JSON = {"validation/raters/outside_view.py": ["looked on"]}
"""Strings of the JSON field `method`, whose bytes stay as they were."""
QUAINT = re.compile("|".join(rf"\b{re.escape(words)}" for words in INSTEAD), re.IGNORECASE)
PACKAGE = Path(simpatico.__file__).parent
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *PACKAGE.glob("data/models/*/card.md")]


def helps(command, name="simpatico"):
    """Every help text below a command, with where it stands."""
    yield name, command.help or ""
    for option in command.params:
        yield f"{name} {option.opts[-1]}", getattr(option, "help", None) or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            yield from helps(command.get_command(context, sub), f"{name} {sub}")


def sentences(path):
    """The strings of a module that people may read: all but names and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def test_help_texts_use_the_words_of_the_field():
    found = [(place, QUAINT.findall(text)) for place, text in helps(cli)]
    assert [row for row in found if row[1]] == []


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_strings_of_the_package_use_the_words_of_the_field(path):
    found = [(line, QUAINT.findall(text)) for line, text in sentences(path)]
    exempt = IN_JSON.get(path.relative_to(PACKAGE).as_posix())
    assert [row for row in found if row[1] and row[1] != exempt] == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_documents_use_the_words_of_the_field(path):
    assert QUAINT.findall(" ".join(path.read_text(encoding="utf-8").split())) == []


def test_prose_of_the_documents_stays_below_120_columns():
    long = [
        f"{path.name}:{number}"
        for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) >= 120 and not line.startswith(("|", "  <"))
    ]
    assert long == []
