"""A study file: what is refused, with the place and the way out."""

from pathlib import Path

import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.study import design as module
from simpatico.study.design import (
    Design,
    question_problem,
    question_set,
    question_sets,
    read_design,
)
from simpatico.study.units import build_units

HEAD = 'name = "s"\ntitle = "S"\n'
SOURCE = '[rate]\nsource = "chats.jsonl"\n'
WARMTH = (
    '[[questions]]\nname = "warmth"\ntext = "?"\nunit = "turn"\nanswers = ["cold", "warm"]\n'
    'roles = ["outsider", "interlocutor"]\n'
)
OVERALL = (
    '[[questions]]\nname = "overall"\ntext = "?"\nunit = "dialog"\nrange = [0, 100]\n'
    'anchors = ["poor", "good"]\n'
)
TALK = '[talk]\nbots = [{name = "a", spec = "script:echo"}]\n'
GOLD = '[[gold]]\ndialog = "d1"\n'
TRAINING = '[[training]]\nturns = [{who = "person", text = "a"}, {who = "partner", text = "b"}]\n'


def question(**facts: str) -> str:
    """A question's lines in the file, of a dialog unless they say otherwise."""
    lines = {"name": '"q"', "text": '"?"', "unit": '"dialog"', **facts}
    return "[[questions]]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items())


REFUSED = [
    (HEAD + "nam = 1", "Object contains unknown field `nam`"),
    (HEAD + "[rate]\nrater = 2", "rate: Object contains unknown field `rater`"),
    (HEAD + "seed = 'x'", "seed: Expected `int`, got `str`"),
    ('title = "S"', "Object missing required field `name`"),
    ('name = "S s"\ntitle = "S"', "name: Expected `str` matching regex '^[a-z0-9][a-z0-9-]{0,59}$'"),
    (HEAD + "[rate]\nraters = 0", "rate.raters: Expected `int` >= 1"),
    (HEAD + question(unit='"word"'), "questions[0].unit: Invalid enum value 'word'"),
    (HEAD + SOURCE, "there are no questions; add [[questions]], or question_sets = ['tbd']"),
    (
        HEAD + SOURCE + WARMTH + WARMTH,
        "the question 'warmth' is there twice; give each a name of its own",
    ),
    (
        HEAD + SOURCE + question(unit='"pair"', answers='["a", "b"]'),
        "question 'q': a pair is answered with first, second or no difference; leave answers out",
    ),
    (
        HEAD + SOURCE + question(),
        "question 'q': give either answers = [...] in words or range = [low, high]",
    ),
    (
        HEAD + SOURCE + question(answers='["a", "b"]', range="[1, 2]"),
        "question 'q': give either answers = [...] in words or range = [low, high]",
    ),
    (
        HEAD + SOURCE + question(answers='["a"]'),
        "question 'q': it has 1 answers; a scale has 2 to 9",
    ),
    (
        HEAD + SOURCE + question(answers=str([str(n) for n in range(10)])),
        "question 'q': it has 10 answers; a scale has 2 to 9",
    ),
    (HEAD + SOURCE + question(range="[5, 5]"), "question 'q': the range [5, 5] has no width"),
    (
        HEAD + SOURCE + question(range="[0, 9]"),
        "question 'q': a range needs anchors = ['low end in words', 'high end in words']",
    ),
    (HEAD + WARMTH, "there is nothing to rate; name a source in [rate], or bots in [talk]"),
    (
        HEAD + SOURCE + WARMTH.replace('"outsider", ', ""),
        "[rate] has a source, but no question is for outsiders; add roles = ['outsider']",
    ),
    (
        HEAD + WARMTH + "[talk]\nbots = []",
        "[talk] needs bots = [{name = …, spec = …}], each with a name of its own",
    ),
    (
        HEAD + WARMTH + '[talk]\nbots = [{name = "a", spec = "x"}, {name = "a", spec = "y"}]',
        "[talk] needs bots = [{name = …, spec = …}], each with a name of its own",
    ),
    (
        HEAD + WARMTH + TALK + "min_turns = 5\nmax_turns = 4",
        "min_turns is 5, above max_turns, 4",
    ),
    (
        HEAD + OVERALL + TALK,
        "[talk] needs a question for interlocutors; add roles = ['interlocutor']",
    ),
    (
        HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warm", value = 1}]',
        "a right answer names no question of turns or dialogs, did you mean 'warmth'?",
    ),
    (
        HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warmth", value = 3, turn = 1}]',
        "the right answer 3 to 'warmth' is off its scale",
    ),
    (
        HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warmth", value = 1}]',
        "a right answer to 'warmth' needs a turn just if turns are rated",
    ),
    (
        HEAD + SOURCE + OVERALL + GOLD + 'expected = [{question = "overall", value = 1, turn = 1}]',
        "a right answer to 'overall' needs a turn just if turns are rated",
    ),
    (
        HEAD + WARMTH + TALK + GOLD + 'expected = [{question = "warmth", value = 1, turn = 1}]',
        "[[gold]] is about dialogs of a source; name it in [rate], or leave [[gold]] out",
    ),
    (
        HEAD + SOURCE + WARMTH + TRAINING
        + 'expected = [{question = "warmth", value = 1, turn = 0}]',
        "[[training]]: turn 0, counted from 0, is none of the partner's",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_is_wrong_is_refused_with_its_place(tmp_path, text, sentence):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_design(path)
    assert str(caught.value) == f"study.toml: {sentence}"


def test_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "study.toml"
    with pytest.raises(DataError) as caught:
        read_design(path)
    assert str(caught.value) == f"{path} cannot be read: No such file or directory; check the path"
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(DataError) as caught:
        read_design(path)
    assert str(caught.value) == f"{path} cannot be read: it is not UTF-8; check the path"
    path.write_text("name = ")
    with pytest.raises(DataError) as caught:
        read_design(path)
    assert str(caught.value) == (
        "study.toml: not valid TOML: Invalid value (at end of document); correct that line"
    )


def test_a_question_set_that_does_not_exist(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(HEAD + SOURCE.replace("[rate]", 'question_sets = ["tdb"]\n[rate]'))
    with pytest.raises(UnknownName) as caught:
        read_design(path)
    assert str(caught.value) == "no question set 'tdb'; did you mean 'tbd'?"


@pytest.mark.parametrize("name", question_sets())
def test_ready_made_questions_can_be_asked(name):
    questions = question_set(name)
    assert questions
    assert [question_problem(q) for q in questions] == [None] * len(questions)


def test_ready_made_questions_go_together(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(HEAD + f"question_sets = {question_sets()}\n" + SOURCE)
    design = read_design(path)
    assert design.question_sets == ()  # they are among the questions now
    assert design.rated_kinds == {"dialog", "pair"}
    assert [q.bounds for q in design.asked("outsider", "pair")] == [None]
    assert design.question("will_answer").bounds == (0, 100)
    assert design.question("emotionally_consistent").bounds == (0, 1)
    assert design.question("engaging").bounds == (1, 5)


def test_the_template_is_a_study_once_its_source_exists(tmp_path):
    path = tmp_path / "study.toml"
    template = (Path(module.__file__).parent / "template.toml").read_text(encoding="utf-8")
    path.write_text(template, encoding="utf-8")
    design = read_design(path)
    assert isinstance(design, Design)
    (tmp_path / "chats.jsonl").write_text(
        '{"dialog": "d", "speaker": "ann", "text": "Hello", "system": "human"}\n'
        '{"dialog": "d", "speaker": "bot", "text": "Hi", "system": "bot"}\n'
    )
    assert [unit.kind for unit in build_units(design, tmp_path)] == ["dialog"]


def test_the_template_holds_with_everything_that_it_comments_out(tmp_path):
    """Its optional tables are commented out with `# `, other remarks begin in lower case words."""
    text = (Path(module.__file__).parent / "template.toml").read_text(encoding="utf-8")
    rest = text[text.index("# [talk]") :]
    lines = [line.removeprefix("# ") for line in rest.splitlines()]
    path = tmp_path / "study.toml"
    path.write_text(text[: text.index("# [talk]")] + "\n".join(lines), encoding="utf-8")
    design = read_design(path)
    assert (len(design.gold), len(design.training), len(design.questions)) == (1, 1, 9)
    assert design.talk
