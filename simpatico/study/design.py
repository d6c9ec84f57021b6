"""A study as its TOML file describes it: what is rated, by whom, with which questions.

The file is read strictly: an unknown name or a wrong type is refused with the place, since a typing
error in a study is found only after people were paid.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from simpatico.errors import DataError, UnknownName, suggest_names

Role = Literal["interlocutor", "outsider"]
UnitKind = Literal["dialog", "exchange", "pair"]
Asked = Literal["turn", "exchange", "dialog", "pair"]

QUESTION_SETS = Path(__file__).parents[1] / "data" / "questions"
NAME = r"^[a-z][a-z0-9_]{0,39}$"
MAX_POINTS = 9
"""Answers with a key of their own: 1 to 9; 0 is "cannot tell"."""
PREFERENCES = ("the first", "the second", "no difference")

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000)]


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question: what it is asked about, and of whom; its name is the quality it measures.

    `answers` are the points of the scale in words, counted from `first`; `range` is a scale of
    whole numbers with `anchors` at its ends instead.
    """

    name: Annotated[str, msgspec.Meta(pattern=NAME)]
    text: Text
    unit: Asked
    roles: tuple[Role, ...] = ("outsider",)
    answers: tuple[Label, ...] = ()
    first: int = 1
    range: tuple[int, int] | None = None
    anchors: tuple[Label, Label] | None = None
    cannot_tell: bool = True
    hint: str = ""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The ends of the scale; null for a choice between two."""
        if self.unit == "pair":
            return None
        if self.range:
            return float(self.range[0]), float(self.range[1])
        return float(self.first), float(self.first + len(self.answers) - 1)


class Material(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What outsiders rate: a run folder, or any file that `simpatico score` reads."""

    source: str = ""
    raters: Count = 3
    per_person: Count | None = None
    """Units that one person rates at most; null: as many as there are."""
    order: Literal["random", "file"] = "random"
    reveal: bool = True
    """Whether later turns appear only once earlier ones are rated, against hindsight."""


class BotChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot that people talk with, under the name that the exported dialogs have."""

    name: Label
    spec: Text
    instruction: str = ""
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 256
    temperature: float | None = None


class Talk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Conversations with bots: how many of each, how long, and what about."""

    bots: tuple[BotChoice, ...]
    dialogs_per_bot: Count = 5
    per_person: Count = 1
    """Talks of one person with each bot."""
    min_turns: Count = 15
    max_turns: Count = 30
    task: str = ""
    rated_by_outsiders: bool = True


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The right answer to a question about a dialog, or about a turn of it."""

    question: str
    value: float
    turn: int | None = None
    tolerance: float = 0
    feedback: str = ""


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Right answers for a dialog among the others, by which a rater's care is checked."""

    dialog: str
    expected: tuple[Expected, ...]


class TrainingTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A turn of a training dialog."""

    who: Literal["person", "partner"]
    text: Text


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A dialog of the training round, with the answers that the feedback explains."""

    turns: tuple[TrainingTurn, ...]
    expected: tuple[Expected, ...]


class Checks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Attention checks: in how many units of each rater, and after how many failures of these or
    of gold answers a rater is excluded; null: the owner decides."""

    every: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 4
    exclude_after: Count | None = None


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """People of a crowd platform, who all get one link; the platform adds who they are to it."""

    max_raters: Count
    parameter: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,39}$")] = "pid"
    """The name under which the platform writes a person's id into the address."""
    role: Role = "outsider"


class Design(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole study."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
    title: Label
    language: Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = "en"
    seed: int = 0
    lead: str = ""
    consent: str = ""
    guidelines: tuple[Label, ...] = ()
    completion_code: str = ""
    completion_url: Annotated[str, msgspec.Meta(pattern=r"^(https://\S{1,2000})?$")] = ""
    lease_minutes: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 60
    question_sets: tuple[str, ...] = ()
    rate: Material = msgspec.field(default_factory=Material)
    talk: Talk | None = None
    checks: Checks = msgspec.field(default_factory=Checks)
    panel: Panel | None = None
    questions: tuple[Question, ...] = ()
    gold: tuple[Gold, ...] = ()
    training: tuple[Training, ...] = ()

    def asked(self, role: Role, *units: Asked) -> list[Question]:
        """The questions that this role answers about these units."""
        return [q for q in self.questions if role in q.roles and q.unit in units]

    @property
    def rated_kinds(self) -> set[UnitKind]:
        """The kinds of units that outsiders rate."""
        asked = {q.unit for q in self.questions if "outsider" in q.roles}
        return {"dialog" if unit == "turn" else unit for unit in asked}

    def question(self, name: str) -> Question:
        """The question of this name."""
        return next(q for q in self.questions if q.name == name)


def read_design(path: Path) -> Design:
    """The study that a TOML file describes, with the questions of its ready-made sets."""
    facts = read_toml(path)
    try:
        design = msgspec.convert(facts, Design)
    except msgspec.ValidationError as error:
        raise DataError(f"{path.name}: {describe_error(error)}") from None
    questions = [q for name in design.question_sets for q in question_set(name)]
    design = msgspec.structs.replace(
        design, question_sets=(), questions=(*questions, *design.questions)
    )
    if problem := design_problem(design):
        raise DataError(f"{path.name}: {problem}")
    return design


def read_toml(path: Path) -> dict[str, Any]:
    """The contents of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise DataError(f"{path} cannot be read: {why}; check the path") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path.name}: not valid TOML: {error}; correct that line") from None


def describe_error(error: msgspec.ValidationError) -> str:
    """What msgspec says, with the place as the file writes it: `$.questions[0].unit`."""
    text, _, place = str(error).partition(" - at `$.")
    where = place.rstrip("`").replace("...", "")
    return f"{where}: {text}" if where else text


def question_sets() -> list[str]:
    """The names of the ready-made sets."""
    return sorted(path.stem for path in QUESTION_SETS.glob("*.toml"))


def question_set(name: str) -> tuple[Question, ...]:
    """The questions of a ready-made set."""
    if name not in question_sets():
        raise UnknownName(f"no question set {name!r}; {suggest_names(name, question_sets())}")
    facts = read_toml(QUESTION_SETS / f"{name}.toml")
    return msgspec.convert(facts["questions"], tuple[Question, ...])


def design_problem(design: Design) -> str | None:
    """Why a study cannot be run as it is described; null if it can."""
    if not design.questions:
        return "there are no questions; add [[questions]], or question_sets = ['tbd']"
    counts = Counter(q.name for q in design.questions)
    if repeated := [name for name, n in counts.items() if n > 1]:
        return f"the question {repeated[0]!r} is there twice; give each a name of its own"
    for question in design.questions:
        if problem := question_problem(question):
            return f"question {question.name!r}: {problem}"
    if not design.rate.source and not design.talk:
        return "there is nothing to rate; name a source in [rate], or bots in [talk]"
    if design.rate.source and not design.asked("outsider", "turn", "exchange", "dialog", "pair"):
        return "[rate] has a source, but no question is for outsiders; add roles = ['outsider']"
    if design.panel and design.panel.role == "interlocutor" and not design.talk:
        return "[panel] is of interlocutors, but there is no [talk]; add it, or leave role out"
    return talk_problem(design) or expected_problem(design)


def question_problem(question: Question) -> str | None:
    """Why one question cannot be asked."""
    if question.unit == "pair":
        if question.answers or question.range:
            return "a pair is answered with first, second or no difference; leave answers out"
        return None
    if bool(question.answers) == bool(question.range):
        return "give either answers = [...] in words or range = [low, high]"
    if question.answers and not 2 <= len(question.answers) <= MAX_POINTS:
        return f"it has {len(question.answers)} answers; a scale has 2 to {MAX_POINTS}"
    if question.range and question.range[0] >= question.range[1]:
        return f"the range {list(question.range)} has no width"
    if question.range and not question.anchors:
        return "a range needs anchors = ['low end in words', 'high end in words']"
    return None


def talk_problem(design: Design) -> str | None:
    """Why people cannot talk with the bots as described."""
    talk = design.talk
    if not talk:
        return None
    names = [bot.name for bot in talk.bots]
    if not names or len(set(names)) < len(names):
        return "[talk] needs bots = [{name = …, spec = …}], each with a name of its own"
    if talk.min_turns > talk.max_turns:
        return f"min_turns is {talk.min_turns}, above max_turns, {talk.max_turns}"
    if not design.asked("interlocutor", "turn", "dialog"):
        return "[talk] needs a question for interlocutors; add roles = ['interlocutor']"
    return None


def expected_problem(design: Design) -> str | None:
    """Why gold items or the training round cannot be used."""
    both: Sequence[Gold | Training] = (*design.gold, *design.training)
    names = {q.name: q for q in design.questions if q.unit in ("turn", "dialog")}
    for expected in (e for item in both for e in item.expected):
        if expected.question not in names:
            hint = suggest_names(expected.question, names)
            return f"a right answer names no question of turns or dialogs, {hint}"
        bounds = names[expected.question].bounds
        if bounds and not bounds[0] <= expected.value <= bounds[1]:
            return f"the right answer {expected.value:g} to {expected.question!r} is off its scale"
        if (expected.turn is None) != (names[expected.question].unit == "dialog"):
            return f"a right answer to {expected.question!r} needs a turn just if turns are rated"
    if design.gold and not design.rate.source:
        return "[[gold]] is about dialogs of a source; name it in [rate], or leave [[gold]] out"
    for item in design.training:
        rated = [n for n, turn in enumerate(item.turns) if turn.who == "partner"]
        for turn in (e.turn for e in item.expected):
            if turn is not None and turn not in rated:
                return f"[[training]]: turn {turn}, counted from 0, is none of the partner's"
    return None
