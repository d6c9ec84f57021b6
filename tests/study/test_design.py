"""A study file: what is refused, with the place and the way out."""

from pathlib import Path

import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.questions.question import question_problem, question_set, question_sets
from simpatico.study import design as module
from simpatico.study.design import Design, read_design
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
    # a field that is not there, or not of its kind
    (HEAD + "nam = 1", "a study has no field 'nam'; did you mean 'name'?"),
    (HEAD + "[rate]\nrater = 2", "rate has no field 'rater'; did you mean 'raters' or 'order'?"),
    (HEAD + "[rate]\nconsent = ''", "rate has no field 'consent'; it belongs at the top, before the first [table]"),
    (HEAD + "[panel]\nmax_raters = 9\nper_person = 2", "panel has no field 'per_person'; it belongs in [rate]"),
    (HEAD + question(scale="7"), "questions[0] has no field 'scale'; there are name, text, unit, roles, answers, "
     "first, range, anchors, cannot_tell, hint, quotation"),
    ('title = "S"', "name is missing; add it"),
    (HEAD + "[panel]\nparameter = 'pid'", "panel.max_raters is missing; add it"),
    (HEAD + '[talk]\nbots = [{name = "a"}]', "talk.bots[0].spec is missing; add it"),
    (HEAD + "seed = 'x'", 'seed is "x"; write a whole number'),
    (HEAD + "lead = 3", "lead is 3; write a text in quotes"),
    (HEAD + "rate = 3", "rate is 3; write a table of fields"),
    ('name = "s"\ntitle = {a = 1}', "title is a table; write a text of 1 to 200 characters"),
    ('name = "S s"\ntitle = "S"', 'name is "S s"; write small letters, digits and hyphens, up to 60, no hyphen first'),
    (HEAD + question(name='"Warm"'), 'questions[0].name is "Warm"; write small letters, digits and _, up to 40, '
     "a letter first"),
    (HEAD + question(unit='"word"'), 'questions[0].unit is "word"; write "dialog" or "exchange" or "pair" or "turn"'),
    (HEAD + question(roles='["outsiders"]'), 'questions[0].roles[0] is "outsiders"; write "interlocutor" or "outsider"'),
    (HEAD + question(answers='"cold, warm"'), 'questions[0].answers is "cold, warm"; write a list, each of it a text of 1 '
     "to 200 characters"),
    (HEAD + question(cannot_tell='"no"'), 'questions[0].cannot_tell is "no"; write true or false'),
    (HEAD + "[rate]\nraters = 0", "rate.raters is 0; write a whole number from 1 to 1,000"),
    (HEAD + "[rate]\nraters = true", "rate.raters is true; write a whole number from 1 to 1,000"),
    (HEAD + "[checks]\nexclude_after = 0", "checks.exclude_after is 0; write a whole number from 1 to 1,000"),
    (HEAD + "[checks]\nexclude_after = -2", "checks.exclude_after is -2; write a whole number from 1 to 1,000"),
    (HEAD + "[rate]\nper_person = 0", "rate.per_person is 0; write a whole number from 1 to 1,000"),
    (HEAD + 'completion_url = "http://a.example/?cc=1"', 'completion_url is "http://a.example/?cc=1"; write an address '
     "that begins with https:// and has no spaces"),
    (HEAD + f'completion_url = "javascript:{"x" * 99}"', f'completion_url is "javascript:{"x" * 48}…; write an address '
     "that begins with https:// and has no spaces"),
    (HEAD + '[panel]\nmax_raters = 9\nparameter = "{{id}}"', 'panel.parameter is "{{id}}"; write letters, digits and _, '
     "up to 40, no digit first"),
    (HEAD + GOLD + 'expected = [{question = "q", value = "high"}]', 'gold[0].expected[0].value is "high"; write a number'),
    # questions
    (HEAD + SOURCE, "there are no questions; add [[questions]], or question_sets = ['tbd']"),
    (HEAD + SOURCE + WARMTH + WARMTH, "two questions have the name 'warmth'; give each a name of its own"),
    (HEAD + SOURCE + question(unit='"pair"', answers='["a", "b"]'),
     "question 'q': a pair is answered with first, second or no difference; leave answers out"),
    (HEAD + SOURCE + question(), "question 'q': give either answers = [...] in words or range = [low, high]"),
    (HEAD + SOURCE + question(answers='["a", "b"]', range="[1, 2]"),
     "question 'q': give either answers = [...] in words or range = [low, high]"),
    (HEAD + SOURCE + question(answers='["a"]'), "question 'q': the scale has 1 point; give 2 to 9 answers"),
    (HEAD + SOURCE + question(answers=str([str(n) for n in range(10)])),
     "question 'q': the scale has 10 points; give 2 to 9 answers"),
    (HEAD + SOURCE + question(answers='["a", "b"]', anchors='["poor", "good"]'),
     "question 'q': anchors are for a range; with answers in words leave them out"),
    (HEAD + SOURCE + question(range="[5, 5]"),
     "question 'q': range is [5, 5]; the second number has to be above the first"),
    (HEAD + SOURCE + question(range="[0, 9]"),
     "question 'q': a range needs anchors = ['low end in words', 'high end in words']"),
    (HEAD + SOURCE + question(range="[0, 9]", anchors='["poor", "so-so", "good"]'),
     'questions[0].anchors is ["poor", "so-so", "good"]; write a list of 2, each a text of 1 to 200 characters'),
    (HEAD + SOURCE + question(range="[0, 9]", anchors='["poor", "good"]', first="0"),
     "question 'q': first is 0, but a range has its first number already; leave it out"),
    # what is rated, and by whom
    (HEAD + WARMTH, "there is nothing to rate; name a source in [rate], or bots in [talk]"),
    (HEAD + SOURCE + WARMTH.replace('"outsider", ', ""),
     "[rate] has a source, but no question is for outsiders; add roles = ['outsider'] to one"),
    (HEAD + SOURCE + WARMTH + '[panel]\nmax_raters = 9\nrole = "interlocutor"',
     "[panel] is for interlocutors, but there are no bots to talk with; add [talk]"),
    (HEAD + WARMTH + TALK + "rated_by_outsiders = false\n[panel]\nmax_raters = 9",
     "[panel] is for outsiders, but there are no dialogs for outsiders to rate; name a source in [rate]"),
    (HEAD + WARMTH + "[talk]\nbots = []", "[talk] has no bots; add bots = [{name = '…', spec = '…'}]"),
    (HEAD + WARMTH + '[talk]\nbots = [{name = "a", spec = "x"}, {name = "a", spec = "y"}]',
     "[talk]: two bots have the name 'a'; give each a name of its own"),
    (HEAD + WARMTH + TALK + "min_turns = 5\nmax_turns = 4", "[talk]: min_turns is 5, above max_turns, 4; lower it"),
    (HEAD + OVERALL + TALK, "[talk]: no question is for interlocutors; add roles = ['interlocutor'] to one"),
    # right answers
    (HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warm", value = 1}]',
     "[[gold]]: outsiders are not asked 'warm' about turns or dialogs; did you mean 'warmth'?"),
    (HEAD + SOURCE + OVERALL + WARMTH.replace('"outsider", ', "") + TRAINING
     + 'expected = [{question = "warmth", value = 1, turn = 1}]',
     "[[training]]: outsiders are not asked 'warmth' about turns or dialogs; there are overall"),
    (HEAD + SOURCE + question(unit='"pair"') + TRAINING + 'expected = [{question = "q", value = 1}]',
     "[[training]]: outsiders are not asked 'q' about turns or dialogs; leave it out"),
    (HEAD + SOURCE + WARMTH + TRAINING + "expected = []",
     "[[training]]: expected is empty; add an answer that the feedback explains"),
    (HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warmth", value = 3, turn = 1}]',
     "[[gold]]: 3 is not on the scale of 'warmth', 1 to 2"),
    (HEAD + SOURCE + WARMTH + GOLD + 'expected = [{question = "warmth", value = 1}]',
     "[[gold]]: 'warmth' is asked about each turn; add turn = …, counted from 0"),
    (HEAD + SOURCE + OVERALL + TRAINING + 'expected = [{question = "overall", value = 1, turn = 1}]',
     "[[training]]: 'overall' is asked about the whole dialog; leave turn out"),
    (HEAD + WARMTH + TALK + GOLD + 'expected = [{question = "warmth", value = 1, turn = 1}]',
     "[[gold]] is about dialogs of a source; name it in [rate], or leave [[gold]] out"),
    (HEAD + SOURCE + WARMTH + TRAINING + 'expected = [{question = "warmth", value = 1, turn = 0}]',
     "[[training]]: turn 0 is not the partner's; from 0, those are 1"),
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
    assert str(caught.value) == f"{path} is not UTF-8; save it as that"
    path.write_text("name = ")
    with pytest.raises(DataError) as caught:
        read_design(path)
    assert str(caught.value) == (
        "study.toml: not valid TOML: Invalid value (at end of document); correct that line"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('question_sets = ["tdb"]', "there is no question set 'tdb'; did you mean 'tbd'?"),
        ('language = "fr"', "the pages do not speak 'fr'; there are de, en"),
    ],
)
def test_a_name_that_does_not_exist(tmp_path, line, sentence):
    path = tmp_path / "study.toml"
    path.write_text(f"{HEAD}{line}\n{SOURCE}")
    with pytest.raises(UnknownName) as caught:
        read_design(path)
    assert str(caught.value) == f"study.toml: {sentence}"


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
    assert design.rated_kinds == {"dialog", "exchange", "pair"}
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
