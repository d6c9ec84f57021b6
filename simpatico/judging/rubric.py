"""Rubrics: what a judge is asked, through whose eyes, and the card of where the question is from.

A rubric is a question of `simpatico.questions`, so that people and models answer the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.questions.field_errors import describe_error
from simpatico.questions.question import (
    QUESTION_SETS,
    Question,
    Role,
    question_problem,
    question_sets,
    read_toml,
)

UNKNOWN = "Not known: no judge has been compared with people on it."


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a set of questions measures, the paper it follows, and how well judges follow people."""

    about: str = ""
    source: str = ""
    followed: str = UNKNOWN


class RubricFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of rubrics."""

    questions: Annotated[tuple[Question, ...], msgspec.Meta(min_length=1)]
    card: Card = msgspec.field(default_factory=Card)


class Rubric(NamedTuple):
    """One question, whose eyes it is answered through, and the card of its set."""

    question: Question
    eyes: Role
    card: Card
    set_name: str

    @property
    def name(self) -> str:
        """The quality that is judged."""
        return self.question.name


def read_rubric_file(path: Path) -> RubricFile:
    """The rubrics of a TOML file, read strictly."""
    facts: Any = read_toml(path)
    try:
        file = msgspec.convert(facts, RubricFile)
    except msgspec.ValidationError as error:
        problem = describe_error(error, facts, RubricFile, whole="a rubric file")
        raise DataError(f"{path.name}: {problem}") from None
    for question in file.questions:
        if why := question_problem(question):
            raise DataError(f"{path.name}: question {question.name!r}: {why}")
    return file


def rubrics_of(path: Path, eyes: Role | None = None) -> list[Rubric]:
    """The rubrics of a file; without `eyes`, through those of a question's first role."""
    file = read_rubric_file(path)
    return [Rubric(q, eyes or q.roles[0], file.card, path.stem) for q in file.questions]


def shipped_rubrics(eyes: Role | None = None) -> list[Rubric]:
    """All rubrics of `data/questions`."""
    paths = [QUESTION_SETS / f"{name}.toml" for name in question_sets()]
    return [rubric for path in paths for rubric in rubrics_of(path, eyes)]


def load_rubrics(names: Sequence[str], eyes: Role | None = None) -> list[Rubric]:
    """The rubrics of names and files: of a shipped set, all; of a shipped rubric, that one."""
    shipped, rubrics = shipped_rubrics(eyes), list[Rubric]()
    for name in names:
        if name.endswith(".toml"):
            rubrics += rubrics_of(Path(name), eyes)
        elif own := [r for r in shipped if name in (r.set_name, r.name)]:
            rubrics += own
        else:
            known = dict.fromkeys([*question_sets(), *(r.name for r in shipped)])
            raise UnknownName(f"there is no rubric {name!r}; {suggest_names(name, known)}")
    counts = Counter(rubric.name for rubric in rubrics)
    if repeated := [name for name, n in counts.items() if n > 1]:
        raise BadValue(
            f"two rubrics are called {repeated[0]!r}; rename one, or judge one at a time"
        )
    for rubric in rubrics:
        if rubric.eyes not in rubric.question.roles:
            roles = " and ".join(rubric.question.roles)
            raise BadValue(
                f"the rubric {rubric.name!r} is for the {roles}, not the {rubric.eyes}; leave "
                "--eyes out, or copy the rubric into a file and change its roles"
            )
    kinds = {rubric.question.unit == "pair" for rubric in rubrics}
    if len(kinds) > 1:
        raise BadValue(
            "rubrics of pairs give preferences and the others ratings, which are not in one file; "
            "judge them in two calls"
        )
    return rubrics
