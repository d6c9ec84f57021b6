"""A study as its TOML file describes it: what is rated, by whom, with which questions.

The file is read strictly: an unknown name or a wrong type is refused with the place, since a typing
error in a study is found only after people were paid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.questions.field_errors import describe_error
from simpatico.questions.question import (
    Asked,
    Count,
    Label,
    Question,
    Role,
    Text,
    UnitKind,
    like,
    question_problem,
    question_set,
    read_toml,
)
from simpatico.study.texts import page_texts

StudyName = Annotated[
    str,
    like(
        r"^[a-z0-9][a-z0-9-]{0,59}$",
        "small letters, digits and hyphens, up to 60, no hyphen first",
    ),
]
Parameter = Annotated[
    str, like(r"^[A-Za-z_][A-Za-z0-9_]{0,39}$", "letters, digits and _, up to 40, no digit first")
]
SecureUrl = Annotated[
    str, like(r"^(https://\S{1,2000})?$", "an address that begins with https:// and has no spaces")
]


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
    parameter: Parameter = "pid"
    """The name under which the platform writes a person's id into the address."""
    role: Role = "outsider"


class Design(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole study."""

    name: StudyName
    title: Label
    language: str = "en"
    seed: int = 0
    lead: str = ""
    consent: str = ""
    guidelines: tuple[Label, ...] = ()
    completion_code: str = ""
    completion_url: SecureUrl = ""
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
        raise DataError(f"{path.name}: {describe_error(error, facts, Design)}") from None
    try:
        page_texts(design.language)
        questions = [q for name in design.question_sets for q in question_set(name)]
    except UnknownName as error:
        raise UnknownName(f"{path.name}: {error}") from None
    design = msgspec.structs.replace(
        design, question_sets=(), questions=(*questions, *design.questions)
    )
    if problem := design_problem(design):
        raise DataError(f"{path.name}: {problem}")
    return design


def design_problem(design: Design) -> str | None:
    """Why a study cannot be run as it is described; null if it can."""
    if not design.questions:
        return "there are no questions; add [[questions]], or question_sets = ['tbd']"
    counts = Counter(q.name for q in design.questions)
    if repeated := [name for name, n in counts.items() if n > 1]:
        return f"two questions have the name {repeated[0]!r}; give each a name of its own"
    for question in design.questions:
        if problem := question_problem(question):
            return f"question {question.name!r}: {problem}"
    if not design.rate.source and not design.talk:
        return "there is nothing to rate; name a source in [rate], or bots in [talk]"
    if design.rate.source and (problem := role_problem(design, "outsider")):
        return f"[rate] has a source, but {problem}"
    if design.panel and (problem := role_problem(design, design.panel.role)):
        return f"[panel] is for {design.panel.role}s, but {problem}"
    return talk_problem(design) or expected_problem(design)


def role_problem(design: Design, role: Role) -> str | None:
    """Why there is nothing to do in a study for people of this role; null if there is."""
    if role == "interlocutor":
        return None if design.talk else "there are no bots to talk with; add [talk]"
    if not design.rated_kinds:
        return "no question is for outsiders; add roles = ['outsider'] to one"
    if design.rate.source or (design.talk and design.talk.rated_by_outsiders):
        return None
    return "there are no dialogs for outsiders to rate; name a source in [rate]"


def talk_problem(design: Design) -> str | None:
    """Why people cannot talk with the bots as described."""
    talk = design.talk
    if not talk:
        return None
    if not talk.bots:
        return "[talk] has no bots; add bots = [{name = '…', spec = '…'}]"
    counts = Counter(bot.name for bot in talk.bots)
    if repeated := [name for name, n in counts.items() if n > 1]:
        return f"[talk]: two bots have the name {repeated[0]!r}; give each a name of its own"
    if talk.min_turns > talk.max_turns:
        return f"[talk]: min_turns is {talk.min_turns}, above max_turns, {talk.max_turns}; lower it"
    if not design.asked("interlocutor", "turn", "dialog"):
        return "[talk]: no question is for interlocutors; add roles = ['interlocutor'] to one"
    return None


def expected_problem(design: Design) -> str | None:
    """Why gold items or the training round cannot be used."""
    if design.gold and not design.rate.source:
        return "[[gold]] is about dialogs of a source; name it in [rate], or leave [[gold]] out"
    questions = {q.name: q for q in design.asked("outsider", "turn", "dialog")}
    for table, items in (("gold", design.gold), ("training", design.training)):
        for expected in (e for item in items for e in item.expected):
            if problem := answer_problem(expected, questions):
                return f"[[{table}]]: {problem}"
    for item in design.training:
        if not item.expected:
            return "[[training]]: expected is empty; add an answer that the feedback explains"
        rated = [n for n, turn in enumerate(item.turns) if turn.who == "partner"]
        for turn in (e.turn for e in item.expected):
            if turn is not None and turn not in rated:
                turns = ", ".join(map(str, rated)) or "none"
                return f"[[training]]: turn {turn} is not the partner's; from 0, those are {turns}"
    return None


def answer_problem(expected: Expected, questions: Mapping[str, Question]) -> str | None:
    """Why something cannot be the right answer to a question."""
    name = expected.question
    if name not in questions:
        return (
            f"outsiders are not asked {name!r} about turns or dialogs; "
            f"{suggest_names(name, questions) if questions else 'leave it out'}"
        )
    low, high = questions[name].bounds or (0, 0)
    if not low <= expected.value <= high:
        return f"{expected.value:g} is not on the scale of {name!r}, {low:g} to {high:g}"
    if questions[name].unit == "dialog" and expected.turn is not None:
        return f"{name!r} is asked about the whole dialog; leave turn out"
    if questions[name].unit == "turn" and expected.turn is None:
        return f"{name!r} is asked about each turn; add turn = …, counted from 0"
    return None
