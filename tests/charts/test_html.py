"""The one way to markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.html import Html, el, join_html, raw_element, value_text
from simpatico.errors import ContractError
from tests.charts.charts import tree


def test_text_is_escaped_and_markup_is_not():
    assert el("b", {"title": '"<&'}, "<i>&", el("i", None, 1)) == (
        '<b title="&quot;&lt;&amp;">&lt;i&gt;&amp;<i>1</i></b>'
    )


def test_null_and_false_are_left_out():
    assert el("td", {"hidden": False, "class": None}, None, False, ["a", None]) == "<td>a</td>"
    assert el("input", {"checked": True}) == "<input checked>"
    assert el("path", {"d": "M0 0"}) == '<path d="M0 0"/>'


def test_coordinates_keep_two_decimals():
    assert [value_text(v) for v in (1.0, 0.1 + 0.2, -0.001, 100.0, 7)] == [
        "1",
        "0.3",
        "0",
        "100",
        "7",
    ]


def test_hidden_characters_are_shown():
    assert el("p", None, "a\u202eb") == '<p>a<span class="unseen">[U+202E]</span>b</p>'
    assert el("p", {"title": "\x00"}) == '<p title="[U+0000]"></p>'


@pytest.mark.parametrize("name", ["style", "onclick", "OnLoad", "srcdoc", "a b", 'x"y'])
def test_attributes_that_could_run_or_paint_are_refused(name):
    with pytest.raises(ContractError) as error:
        el("p", {name: "1"})
    assert str(error.value) == f"an element must not have the attribute {name!r}"


@pytest.mark.parametrize("tag", ["script", "style", "b><i", ""])
def test_tags_that_could_run_are_refused(tag):
    with pytest.raises(ContractError) as error:
        el(tag)
    assert str(error.value) == f"{tag!r} is not an element that a drawing may contain"


def test_raw_content_cannot_end_its_element():
    assert raw_element("style", {}, "a{}") == "<style>a{}</style>"
    with pytest.raises(ContractError, match="must not end it"):
        raw_element("style", {}, "a</STYLE>")


@given(st.text(), st.text())
def test_any_text_stays_text(inside, title):
    markup = el("p", {"title": title}, inside)
    assert isinstance(markup, Html)
    assert len(list(tree(markup.replace("\ufffe", "").replace("\uffff", "")).iter("p"))) == 1


def test_children_join_without_separator():
    assert join_html(["a", 1, [el("b"), None]]) == "a1<b></b>"
