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
ON_THE_COMMAND_LINE = {
    "a − b": "difference (X − Y)",
    "answers feelings": "matches the user's sentiment",
    "asked of": "requested, or the name of the option",
    "believed": "predicted",
    "beside": "next to, compared with",
    "by chance": "random seed, at random",
    "calls the gain": "paired t-test: p",
    "chance": "probability",
    "chances": "probabilities",
    "circumstances": "covariates",
    "comes out lower": "lower in 81% of random pairs",
    "foretold": "predicted",
    "goes on": "continues, resumes",
    "happened": "observed",
    "held out": "test set",
    "held-out": "test set",
    "hindrance": "the reason itself",
    "human answers": "user turns reply to",
    "is gone": "removes this user's weights",
    "learn from": "train on",
    "learned from": "trained on",
    "learning from": "training on",
    "learns from": "is trained on",
    "lesson": "settings",
    "marks of persons": "speaker tokens",
    "may be repeated": "repeatable",
    "mirrors the person": "matches the user's function words",
    "not a finding": "suggestive, not significant after correction",
    "nothing to go on": "nothing to do",
    "of 100": "percent",
    "only say": "dry run: show",
    "onward": "next",
    "people's judgements": "human ratings",
    "persons": "users",
    "pull": "penalty (L2)",
    "runs of letters": "character n-grams",
    "slope": "gradient, coefficient",
    "spread": "standard deviation",
    "stranger": "unknown user",
    "stroke": "slash",
    "sub-scores": "component scores",
    "their file": "what the file holds",
    "told": "printed, reported, predicted",
    "took part": "interlocutor",
    "trouble": "error",
    "went on": "continued",
    "what is learned": "training set",
    "words its replies": "scores higher on the essay-trained empathic-concern model",
}
"""The same for the command line alone, where these words never have another meaning."""
IN_JSON = {"validation/raters/outside_view.py": ["looked on"]}
"""Strings of the JSON field `method`, whose bytes stay as they were."""
QUAINT = re.compile("|".join(rf"\b{re.escape(words)}" for words in INSTEAD), re.IGNORECASE)
QUAINT_COMMAND_LINE = re.compile(
    "|".join([QUAINT.pattern, *(rf"\b{re.escape(words)}\b" for words in ON_THE_COMMAND_LINE)]),
    re.IGNORECASE,
)
"""Whole words only: there is no chance in `reply_chance`."""
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


def codes(path):
    """Strings that look something up in what another module returns: nobody reads them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        keys = node.keys if isinstance(node, ast.Dict) else []
        if isinstance(node, ast.Subscript):
            keys = [node.slice]
        yield from (key.value for key in keys if isinstance(key, ast.Constant))


def test_help_texts_use_the_words_of_the_field():
    matches = [(place, QUAINT_COMMAND_LINE.findall(text)) for place, text in helps(cli)]
    assert [row for row in matches if row[1]] == []


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.glob("cli/**/*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_strings_of_the_command_line_use_the_words_of_the_field(path):
    lookups = set(codes(path))
    matches = [
        (line, text, QUAINT_COMMAND_LINE.findall(text))
        for line, text in sentences(path)
        if text not in lookups
    ]
    assert [row for row in matches if row[2]] == []


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_strings_of_the_package_use_the_words_of_the_field(path):
    matches = [(line, QUAINT.findall(text)) for line, text in sentences(path)]
    exempt = IN_JSON.get(path.relative_to(PACKAGE).as_posix())
    assert [row for row in matches if row[1] and row[1] != exempt] == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_documents_use_the_words_of_the_field(path):
    assert QUAINT.findall(" ".join(path.read_text(encoding="utf-8").split())) == []


def test_lines_of_the_documents_stay_below_120_columns():
    long = [
        f"{path.name}:{number}"
        for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) >= 120
    ]
    assert long == []
