"""Figures for papers: sound XML, painted, with the numbers of the JSON, refused below a floor."""

import re
from itertools import product
from xml.etree import ElementTree

import pytest

from simpatico.errors import BadValue, DataError, UnknownName
from simpatico.reporting.figures import FIGURES, draw_figure
from simpatico.wording import format_correlation, format_number
from tests.reporting.browser import FONT_SETS
from tests.reporting.cases import TWO, case, rated
from tests.reporting.pages import ExamplePage, example_page, scored, talks

SVG = "{http://www.w3.org/2000/svg}"


def words_of(root) -> list[str]:
    return ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("width", [40, 84, 174, 400])
@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_is_sound_and_painted(kind, width):
    root = ElementTree.fromstring(draw_figure(example_page("demo").findings, kind, width=width))
    assert float(root.get("width")) == pytest.approx(width / 25.4 * 96, abs=0.01)
    style = root.find(f"{SVG}style").text
    assert "var(" not in style
    classes = set(re.findall(r"\.([\w-]+)", style))
    for node in root.iter():
        own = set((node.get("class") or "").split())
        assert not own or own & classes or node.get("fill") or node.tag == f"{SVG}g", own
        assert not [n for n in node.attrib if n == "style" or n.startswith("on")]
    ids = {node.get("id") for node in root.iter()}
    assert all(use.get("href").removeprefix("#") in ids for use in root.iter(f"{SVG}use"))
    assert not re.search(r"\b(nan|None|inf)\b", " ".join(words_of(root)))


@pytest.mark.parametrize("fonts", FONT_SETS)
def test_no_text_of_a_figure_is_cut_or_covers_another(fonts, browser, tmp_path):
    """A figure names fonts and has none inside, so its text must fit in whichever is there."""
    page = browser.new_page(device_scale_factor=2)  # without rounding to whole pixels
    path = tmp_path / "figure.svg"
    problems = []
    figures = [*product(("demo", "thirteen"), FIGURES), ("unjudged", "forest")]
    for (run, kind), width in product(figures, (40, 84, 174)):
        if run == "thirteen" and kind == "radar":
            continue  # too few dialogs of each system
        path.write_text(
            draw_figure(example_page(run).findings, kind, width=width), encoding="utf-8"
        )
        page.goto(path.as_uri())
        problems += [f"{kind} of {run}, {width} mm: {p}" for p in page.evaluate(COLLISIONS)]
    page.close()
    assert problems == []


COLLISIONS = """
() => {
  const room = document.documentElement.getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].filter((t) => t.textContent.trim())
    .map((t) => [t.textContent, t.getBoundingClientRect()]);
  const cut = texts.filter(([, b]) => b.left < room.left - 1.5 || b.right > room.right + 1.5)
    .map(([text]) => 'cut: ' + text);
  const covered = texts.flatMap(([text, a], i) => texts.slice(0, i).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
    .map(([other]) => text + ' covers ' + other));
  return [...cut, ...covered];
}
"""


def test_the_numbers_of_a_forest_are_those_of_the_json():
    findings = example_page("demo").findings
    for quality in ("overall", "empathetic"):
        labels = words_of(ElementTree.fromstring(draw_figure(findings, "forest", quality=quality)))
        rows = [
            r for r in findings.as_json()["evidence"]["correlations"] if r["quality"] == quality
        ]
        for row in rows:
            assert format_correlation(row["value"]) in labels
            assert (
                f"[{format_correlation(row['low'])}, {format_correlation(row['high'])}]" in labels
            )


def test_without_judgements_a_forest_is_of_two_systems():
    findings = example_page("unjudged").findings
    labels = words_of(ElementTree.fromstring(draw_figure(findings, "forest", width=174)))
    for row in findings.as_json()["differences"]:
        assert format_number(row["times_in_100"], 0) in labels


def test_the_numbers_of_t_p_and_both_are_those_of_the_json():
    findings = example_page("demo").findings
    root = ElementTree.fromstring(draw_figure(findings, "tpt", quality="overall", width=174))
    labels = words_of(root)
    rows = [r for r in findings.as_json()["evidence"]["incremental"] if r["quality"] == "overall"]
    numbers = {t for t in labels if re.fullmatch(r"−?\.\d{3}", t)}
    assert {format_correlation(r["adj_r2_pt"], 3) for r in rows} <= numbers
    # T alone is that of most units: a psychological score may be missing in some
    most = {r["score"]: r for r in sorted(rows, key=lambda r: r["n"])}
    assert {format_correlation(r["adj_r2_t"], 3) for r in most.values()} <= numbers


def test_the_numbers_of_a_heat_map_are_those_of_the_json():
    findings = example_page("demo").findings
    labels = words_of(ElementTree.fromstring(draw_figure(findings, "heatmap", width=174)))
    matrix = findings.as_json()["structure"]["r"]
    cells = sorted(t for t in labels if re.fullmatch(r"−?\.\d\d", t))
    assert cells == sorted(format_correlation(matrix[i][j]) for i in range(7) for j in range(i))


def refusal(findings, kind, **options) -> str:
    with pytest.raises((DataError, UnknownName)) as error:
        draw_figure(findings, kind, **options)
    return str(error.value)


def test_what_is_refused():
    demo, plain = example_page("demo").findings, example_page("unjudged").findings
    assert refusal(demo, "pie").startswith("no figure 'pie'; ")
    assert refusal(demo, "forest", quality="overal") == (
        "no ratings of quality 'overal'; did you mean 'overall'?"
    )
    with pytest.raises(BadValue) as error:
        draw_figure(demo, "dots", width=39.9)
    assert str(error.value) == "a figure is 40 to 400 millimetres wide, not 39.9"
    assert refusal(plain, "tpt") == "no human ratings were given; add --judgements FILE"
    assert refusal(case("alone").findings, "forest") == (
        "there are no two systems to compare, and no --judgements were given"
    )
    assert refusal(case("joins_nothing").findings, "forest") == (
        "none of the 48 rated units has a score in run; dialog ids must be the same "
        "('xd0/heron' was judged, 'd0/heron' was scored), and ratings must name the speaker where several speak for a system"
    )
    assert refusal(case("no_traditional").findings, "tpt") == (
        "T, P and P+T need 60 rated units, and scores of traditional and of other metrics; add "
        "--metrics length,question_rate when scoring"
    )


def test_the_floors_of_ratings():
    assert (
        refusal(rated(29).findings, "forest") == "'overall' has 29 rated dialogs; a forest needs 30"
    )
    assert draw_figure(rated(30).findings, "forest")
    assert refusal(rated(59).findings, "tpt").startswith("T, P and P+T need 60 rated units, ")
    assert draw_figure(rated(60).findings, "tpt")


METRICS = ["length", "question_rate", "emotional_entropy"]


@pytest.mark.parametrize(
    ("kind", "floor", "sentence"),
    [
        ("radar", 20, "a radar needs 20 dialogs per system and 3 metrics that all its systems have; use figure dots instead"),
        ("heatmap", 30, "a heat map needs 30 dialogs with two scores; there are 29"),
    ],
)  # fmt: skip
def test_the_floors_of_dialogs(kind, floor, sentence):
    below = ExamplePage(scored(talks(TWO[:1], floor - 1, turns=2), METRICS), None).findings
    at = ExamplePage(scored(talks(TWO[:1], floor, turns=2), METRICS), None).findings
    assert refusal(below, kind) == sentence
    assert draw_figure(at, kind)


def test_of_many_systems_the_two_that_lead_are_in_the_radar():
    findings = ExamplePage(
        scored(talks([f"s{i}" for i in range(7)], 20, turns=2), METRICS), None
    ).findings
    labels = words_of(ElementTree.fromstring(draw_figure(findings, "radar")))
    assert {t for t in labels if re.fullmatch(r"s\d", t)} == set(findings.main)


@pytest.mark.parametrize("kind", ["few", "nulls_only", "thirteen", "one_system"])
def test_dots_need_nothing(kind):
    assert (
        ElementTree.fromstring(draw_figure(example_page(kind).findings, "dots")).tag == f"{SVG}svg"
    )
