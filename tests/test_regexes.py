"""No pattern of the package can be made to backtrack for ever: checked by what it is, not by time.

Polars' patterns are not among them: its engine is linear.
"""

import ast
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import simpatico

ROOT = Path(simpatico.__file__).parent
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
CUBIC = 3
"""What regexploit calls starriness: the power of the length that time may grow with."""


def patterns() -> set[tuple[str, str | bytes, int]]:
    """File, pattern and flags: literals in calls of `re`, and compiled ones of the modules."""
    result = set()
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT.parent)
        source = path.read_text(encoding="utf-8")
        if not re.search(r"^import re$", source, re.MULTILINE):
            continue
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and (node.func.value.id, node.func.attr in CALLS) == ("re", True)
                and isinstance(node.args[0], ast.Constant)
            ):
                result.add((str(place), node.args[0].value, 0))
        names = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        compiled = (v for v in vars(import_module(names)).values() if isinstance(v, re.Pattern))
        result |= {(str(place), p.pattern, p.flags) for p in compiled}
    return result


def blow_ups(pattern: str | bytes, flags: int) -> list[int]:
    """The powers with which time may grow, where they are more than a square."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its parser of patterns is deprecated in Python
        sre = pytest.importorskip("regexploit.ast.sre")
        redos = pytest.importorskip("regexploit.redos")
        text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        # it does not know possessive repeats; as ordinary ones they can only seem worse
        text = re.sub(r"([+*?}])\+", r"\1", text)
        parsed = sre.SreOpParser().parse_sre(text, flags & ~re.UNICODE)
        return [one.starriness for one in redos.find(parsed) if one.starriness >= CUBIC]


def test_the_check_finds_what_blows_up():
    assert blow_ups(r"(a+)+$", 0)
    assert blow_ups(r"\s*\s*\s*x", 0)
    assert not blow_ups(r"[a-z]+\d", 0)


def test_no_pattern_takes_more_than_quadratic_time():
    every = patterns()
    assert len(every) > 50
    assert {
        (file, pattern): bad
        for file, pattern, flags in sorted(every, key=repr)
        if (bad := blow_ups(pattern, flags))
    } == {}
