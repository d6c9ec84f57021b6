"""A quoted dialog on the page: every word of it, and nothing it did not say."""

from dataclasses import replace

import polars as pl
import pytest

from simpatico import Turns
from simpatico.charts.html import show_invisible
from simpatico.charts.systems import SystemStyle, assign_styles
from simpatico.metric import EVIDENCE
from simpatico.reporting.dialogs.choice import Example, ScorePlace
from simpatico.reporting.dialogs.transcript import dialog_article, quote_dialog
from tests.reporting.dialogs.test_evidence import HOSTILE
from tests.reporting.reading import Page

PLACES = (ScorePlace("empathy", 0.841, 91.2), ScorePlace("tiny", 0.00042, 0.2))
EXAMPLE = Example("Worked: …", "d", "bot", "heron", "empathy", PLACES, 4.27, "overall", 3, (1, 5))
NOTHING = pl.DataFrame(schema=EVIDENCE)
WHO = assign_styles(["heron", "juniper"])


def turns(*rows, dialog="d"):
    """Turns of (speaker, system, text), after one of another dialog."""
    rows = [("before", "x", None, "hello"), *((dialog, *row) for row in rows)]
    names = ["dialog", "speaker", "system", "text"]
    return Turns.from_utterances(pl.DataFrame(rows, names, orient="row"), merge=False)


def quote(table, example=EXAMPLE, spans=NOTHING, emotions=None, **most):
    return quote_dialog(table, example, spans, emotions, WHO, **most)


def page(quotation):
    return Page(dialog_article(quotation, {"empathy": "Empathy"}))


TALK = turns(
    ("ann", None, "my dog died"),
    ("bot", "heron", "🙂 I am so sorry"),
    ("ann", None, ""),
    ("bot", "heron", "Whatever"),
)
SPANS = pl.DataFrame([(2, 7, 9, 0.5), (2, 10, 15, 0.2), (4, 0, 8, -0.4), (1, 0, 2, 9.0)], EVIDENCE, orient="row")  # fmt: skip


def test_what_stands_beside_a_dialog():
    root = page(quote(TALK))
    assert root.inside("h3") == ["Worked: …"]
    assert root.inside("div", "meta") == ["heron · d4 turns, user annRating 4.3 of 5, 3 raters"]
    assert root.inside("div", "scores") == ["Empathy0.84Tiny0.00042"]
    assert root.attributes("svg", "aria-label") == [
        "percentile 91 of all dialogs, ties counted half",
        "percentile 0 of all dialogs, ties counted half",
    ]
    assert root.attributes("circle", "cx") == ["91.2%", "0.2%"]


@pytest.mark.parametrize(
    ("scale", "judges", "words"),
    [
        ((0, 100), 1, "Rating 4.3 of 100, 1 rater"),
        ((-3, 3.5), 2, "Rating 4.3 on a scale of −3 to 3.5, 2 raters"),
        (None, 0, "Rating 4.3"),
    ],
)
def test_ratings_in_words(scale, judges, words):
    example = replace(EXAMPLE, scale=scale, judges=judges)
    assert page(quote(TALK, example)).inside("div", "meta")[0].endswith(f"ann{words}")
    assert "Raters" not in page(quote(TALK, replace(example, rating=None))).text


def test_words_marks_and_the_sentence_are_those_of_the_speaker_who_is_scored():
    """The 9.0 on the person's words is evidence of another score and is not shown."""
    root = page(quote(TALK, spans=SPANS))
    assert root.inside("span", "who") == ["user", "heron", "user", "heron"]
    assert root.inside("span", "said") == ["my dog died", "🙂 I am so sorry", "Whatever"]
    assert root.inside("span", "end") == ["(no words)"]
    assert root.inside("mark") == ["so sorry", "Whatever"]
    assert root.inside("p", "why") == [
        "Raised most by “so” (+.50) and “sorry” (+.20); lowered most by “Whatever” (−.40)."
    ]
    assert root.attributes("span", "dir") == ["auto"] * 3
    assert root.attributes("span", "title") == ["ann", "bot", "ann", "bot"]


def test_weights_below_a_quarter_of_the_strongest_are_not_marked():
    faint = pl.DataFrame([(2, 7, 9, 0.5), (2, 10, 15, 0.12)], EVIDENCE, orient="row")
    assert page(quote(TALK, spans=faint)).inside("mark") == ["so"]


def test_feelings_stand_before_the_words_of_each_turn():
    shares = pl.DataFrame({"dialog": ["d", "d"], "turn": [0, 1], "joy": [None, 0.75]})
    turns = quote(TALK, emotions=shares).turns
    assert [dict(turn.emotions) for turn in turns] == [{}, {"joy": 0.75}, {}, {}]
    root = page(quote(TALK, emotions=shares))
    assert root.inside("span", "emo") == ["–", "joy", "–", "–"]
    assert page(quote(TALK)).inside("ol", "bare")


def test_many_people_and_systems_and_one_system_twice():
    table = turns(
        ("ann", None, "a"),
        ("bob", "human", "b"),
        ("bot", "heron", "c"),
        ("two", "juniper", "d"),
        ("three", "juniper", "e"),
        ("new", "unknown", "f"),
    )
    assert [s.style for s in quote(table).turns] == [
        SystemStyle("user 1", "sp"),
        SystemStyle("user 2", "sp"),
        WHO["heron"],
        SystemStyle("juniper (two)", "s1"),
        SystemStyle("juniper (three)", "s1"),
        SystemStyle("unknown", "sx"),
    ]
    assert "6 turns, 2 users" in page(quote(table)).text
    example = replace(EXAMPLE, system="juniper", speaker="three")
    assert page(quote(table, example)).inside("div", "meta")[0].startswith("juniper (three) · d")


def test_of_three_hundred_turns_thirty_and_ten_are_quoted():
    table = turns(*((f"{'bot' if i % 2 else 'ann'}", "heron" if i % 2 else None, f"turn {i}") for i in range(300)))  # fmt: skip
    late = pl.DataFrame([(1 + 151, 0, 4, 0.3)], EVIDENCE, orient="row")
    quotation = quote(table, spans=late)
    assert (quotation.total, quotation.omitted_after, len(quotation.turns)) == (300, 30, 40)
    root = page(quotation)
    positions = [*range(30), *range(290, 300)]
    assert root.inside("span", "said") == [f"turn {i}" for i in positions]
    assert root.inside("span", "end") == ["… 260 turns left out …"]
    assert root.inside("li")[30] == "… 260 turns left out …"
    assert "first 30 and last 10 of 300 turns" in root.text
    assert root.inside("p", "why") == ["Raised most by “turn” (+.30)."]


def test_a_long_turn_is_cut_and_says_so():
    text = "é" * 10_210
    root = page(quote(turns(("bot", "heron", text))))
    assert root.inside("span", "said") == ["é" * 2000]
    assert root.inside("span", "end") == ["… 8,210 characters left out"]
    long_page = page(quote(turns(("bot", "heron", "word " * 20_000))))
    assert long_page.inside("span", "end") == ["… 98,000 characters left out"]


def test_a_cut_is_before_evidence_that_it_would_divide():
    """A span of three around the tenth character moves the cut to its beginning; a long one is cut."""
    table = turns(("bot", "heron", "0123456789" * 40))
    near = pl.DataFrame([(1, 98, 102, 1.0), (1, 5, 7, 1.0), (1, 150, 160, 1.0)], EVIDENCE, orient="row")  # fmt: skip
    turn = quote(table, spans=near, longest=100).turns[0]
    assert (len(turn.text), turn.spans, turn.left_out) == (98, ((5, 7, 1.0),), 302)
    far = pl.DataFrame([(1, 50, 200, 1.0)], EVIDENCE, orient="row")
    assert quote(table, spans=far, longest=100).turns[0].spans == ((50, 100, 1.0),)


@pytest.mark.parametrize("text", [t for t in HOSTILE if t], ids=range(len(HOSTILE) - 1))
def test_hostile_words_ids_and_names_are_text(text):
    example = replace(EXAMPLE, dialog=text, speaker=text, title=text, quality=text)
    table = turns(("ann", None, text), (text, "heron", text), dialog=text)
    spans = pl.DataFrame([(2, 0, 3, 0.5)], EVIDENCE, orient="row")
    root = page(quote(table, example, spans))
    assert root.inside("span", "said") == [show_invisible(text)] * 2
    assert root.inside("h3") == [show_invisible(text)]
    assert show_invisible(text[:20]) in root.inside("div", "meta")[0]
    tags = {tag for tag, _ in root.elements}
    assert tags <= {"article", "aside", "h3", "div", "span", "svg", "use", "bdi", "br", "line", "circle", "b", "ol", "li", "mark", "p"}  # fmt: skip
