"""Rubrics: those that are shipped have a card; files of one's own are read strictly."""

import pytest

from simpatico.errors import DataError
from simpatico.judging.prompt import answer_format
from simpatico.judging.rubric import UNKNOWN, load_rubrics, shipped_rubrics
from simpatico.questions.question import question_problem
from tests.judging.conftest import rubric

SHIPPED = shipped_rubrics()


@pytest.mark.parametrize("one", SHIPPED, ids=lambda one: one.name)
def test_a_shipped_rubric_has_a_card_and_can_be_asked(one):
    assert question_problem(one.question) is None
    assert one.card.about.endswith(".")
    assert "our own wording" in one.card.source or "our addition" in one.card.source
    assert one.card.followed == UNKNOWN or "n =" in one.card.followed
    for number in one.question.scale:
        assert f"{number} = " in answer_format(one.question)


def test_the_shipped_rubrics_are_those_of_the_papers_and_ours():
    names = {one.name for one in SHIPPED}
    assert len(names) == len(SHIPPED) == 19
    assert {
        *("appropriateness", "content", "grammar", "relevance"),
        *("coherence", "informativeness", "likability", "overall"),
        *("engaging", "emotionally_consistent", "will_answer", "preferred"),
        *("emotional_reaction", "interpretation", "exploration"),
        *("perceived_empathy", "user_frustration", "companionship_reinforced", "boundary_kept"),
    } == names
    assert [one.name for one in load_rubrics(["tbd"])][:2] == ["appropriateness", "content"]
    assert (rubric("will_answer").eyes, rubric("engaging").eyes) == ("interlocutor", "outsider")
    assert rubric("engaging", "interlocutor").eyes == "interlocutor"


GOOD = (
    '[[questions]]\nname = "kind"\nunit = "dialog"\ntext = "Is it kind?"\nanswers = ["no", "yes"]\n'
)
WRONG = {
    "": "mine.toml: questions is missing; add it",
    "questions = []": "mine.toml: questions is []; write a list, each of it a table of fields",
    GOOD.replace("text", "txt"): "mine.toml: questions[0] has no field 'txt'; did you mean 'text'?",
    GOOD + 'quotation = "yes"\n': (
        'mine.toml: questions[0].quotation is "yes"; write "above_lowest" or "always" or "no"'
    ),
    GOOD.replace('["no", "yes"]', '["no"]'): (
        "mine.toml: question 'kind': the scale has 1 point; give 2 to 9 answers"
    ),
    GOOD
    + '[cards]\nabout = "x"\n': "mine.toml: a rubric file has no field 'cards'; did you mean 'card'?",
    "name = ": ("mine.toml: not valid TOML: Invalid value (at end of document); correct that line"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_no_rubric_is_refused_with_its_place(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        load_rubrics([str(path)])
    assert str(caught.value) == WRONG[text]


def test_a_rubric_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    (one,) = load_rubrics([str(path)])
    assert (one.name, one.eyes, one.card.followed) == ("kind", "outsider", UNKNOWN)
    assert one.question.bounds == (1, 2)
