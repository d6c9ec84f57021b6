"""The page as a file: sound, the same every time, and never lost for words."""

import os
import re
import subprocess
import sys
from base64 import b64encode
from functools import cache
from hashlib import sha256

import pytest

from simpatico.reporting.page import render_page, report
from tests.conftest import ROOT
from tests.reporting.cases import CASES, case
from tests.reporting.pages import example_page
from tests.reporting.tree import Node, tree

KINDS = ["demo", "few", "unjudged", "one_system", "thirteen", "long_names", "right_to_left", "long_dialog", "two_scales", "nulls_only"]  # fmt: skip
EVERY = [*KINDS, *CASES]
LOST = re.compile(
    r"\b(nan|NaN|None(?! of the)|null|inf|Infinity|undefined|True|False)\b|[{}]|[a-z]  [a-z]"
)


def of(kind):
    return case(kind) if kind in CASES else example_page(kind)


@cache
def root_of(kind):
    return tree(of(kind).html)


def own_words(root: Node) -> str:
    """What the page itself says: no dialogs, no signatures, no commands."""
    (main,) = root.all("main")
    quotes = {id(n) for kind in ("said", "sig") for n in main.all(kind=kind)}
    quotes |= {id(n) for tag in ("pre", "dl") for n in main.all(tag)}

    def text_of(node: Node) -> str:
        parts = [c if isinstance(c, str) else f"|{text_of(c)}|" for c in node.children]
        return "" if id(node) in quotes else "".join(parts)

    return text_of(main)


@pytest.mark.parametrize("kind", EVERY)
def test_no_page_shows_what_a_program_would_say(kind):
    text = own_words(root_of(kind))
    match = LOST.search(text)
    assert not match, text[max(match.start() - 60, 0) : match.end() + 60]


@pytest.mark.parametrize("kind", EVERY)
def test_every_page_is_sound(kind):
    root = root_of(kind)
    every = list(root.all())
    ids = [n.attributes["id"] for n in every if "id" in n.attributes]
    assert len(ids) == len(set(ids))
    targets = [n.attributes["href"] for n in every if "href" in n.attributes]
    assert {t.removeprefix("#") for t in targets} <= set(ids)
    assert all(t.startswith("#") for t in targets)
    labels = [n.attributes[a] for n in every for a in ("aria-labelledby",) if a in n.attributes]
    assert set(labels) <= set(ids)
    assert len(list(root.all("h1"))) == 1
    assert root.one("html").attributes == {"lang": "en"}
    names = {name for n in every for name in n.attributes}
    assert not [n for n in names if n == "style" or n.startswith("on") or n in ("src", "action")]


@pytest.mark.parametrize("kind", EVERY)
def test_every_section_stands_in_the_contents(kind):
    root = root_of(kind)
    sections = ["verdict", *(s.attributes["id"] for s in root.one("main").all("section"))]
    links = [a.attributes["href"] for a in root.one("nav").all("a")]
    assert links == [f"#{name}" for name in sections]
    assert {"trust", "read", "cards", "data", "again"} <= set(sections)
    for part in root.one("main").all("section"):
        assert part.one("h2").text.strip()


@pytest.mark.parametrize("kind", ["demo", "few"])
def test_nothing_is_loaded(kind):
    html, fonts = re.subn(r"url\(data:font/woff2;base64,[\w+/=]+\)", "", of(kind).html)
    assert fonts == 1
    assert "http" not in html.replace("http-equiv", "")
    ours = r"<script>.*?</script>|sha256-[\w+/=]+"  # comments, and hashes that may have two slashes
    assert not re.search(r"url\(|@import|//", re.sub(ours, "", html, flags=re.DOTALL))


def test_the_policy_names_the_style_and_the_script_in_the_file():
    html = example_page("demo").html
    root = tree(html)
    (policy,) = [m.attributes["content"] for m in root.all("meta") if "http-equiv" in m.attributes]
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert directives.pop(f"{tag}-src") == f"'sha256-{digest}'"
    nothing = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    assert directives == {**nothing, "font-src": "data:"}


def test_two_pages_of_a_run_are_the_same_bytes():
    demo, other = example_page("demo"), case("two_qualities_one_on_two_scales")
    assert render_page(demo.findings, judged=demo.judged) == demo.html
    assert report(other.run, other.judgements) == other.html


def test_the_order_of_hashing_changes_nothing():
    """Another process with another seed for the hashes of strings."""
    made_up = case("two_qualities_one_on_two_scales")
    path = made_up.run.folder.parent / "judged.parquet"
    made_up.judgements.frame.write_parquet(path)
    code = (
        "import sys, polars as pl\n"
        "from simpatico.judgements import Judgements\n"
        "from simpatico.reporting.page import report\n"
        "from pathlib import Path\n"
        "from simpatico.run import Run\n"
        "judged = Judgements(pl.read_parquet(sys.argv[2]))\n"
        "sys.stdout.write(report(Run(Path(sys.argv[1])), judged))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, made_up.run.folder, path],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert done.stderr == ""
    assert done.stdout == made_up.html


def test_the_title_is_that_of_the_run_unless_given():
    demo = example_page("demo")
    assert tree(demo.html).one("title").text == "demo-run · simpatico report"
    root = tree(render_page(case("one_turn").findings, title="A & B"))
    assert root.one("title").text == "A & B · simpatico report"
    assert root.one("div", "run").one("b").text == "A & B"


def test_no_page_tells_where_the_run_lies():
    for kind in ("demo", "joins_nothing", "lexicon_gone", "no_text"):
        made_up = of(kind)
        assert str(made_up.run.folder.parent) not in made_up.html


def test_names_from_right_to_left_stand_apart_from_the_words_around_them():
    """Their direction would otherwise turn the numbers that follow."""
    root = tree(example_page("right_to_left").html)
    names = ("مهند", "ليلى", "سارة")
    isolating = ("bdi", "svg", "text", "caption", "title")

    def loose(node: Node, above: tuple[Node, ...] = ()):
        for child in node.children:
            if isinstance(child, Node):
                yield from loose(child, (*above, child))
            elif any(n in child for n in names):
                kinds = {n.tag for n in above} | {
                    n.attributes.get("class", "")
                    for n in above
                    if n.attributes.get("dir") == "auto"
                }
                if not kinds & {*isolating, "said"}:
                    yield child, [n.tag for n in above]

    assert list(loose(root.one("body"))) == []
