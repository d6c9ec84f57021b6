"""A question about a turn, an exchange, a dialog or a pair, as people and models are asked it.

Its name is the quality that it measures. A ready-made set of questions is a TOML file of
`data/questions`, with a card that says where they come from.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from simpatico.errors import DataError, UnknownName, suggest_names

Role = Literal["interlocutor", "outsider"]
ROLES: tuple[Role, ...] = ("outsider", "interlocutor")
UnitKind = Literal["dialog", "exchange", "pair"]
Asked = Literal["turn", "exchange", "dialog", "pair"]

QUESTION_SETS = Path(__file__).parents[1] / "data" / "questions"
PAIR_SCALE = {1: "the first", 2: "the second", 0: "no difference"}
MAX_POINTS = 9
"""Answers with a key of their own: 1 to 9; 0 is "cannot tell"."""


def like(pattern: str, words: str) -> msgspec.Meta:
    """A text of this pattern, and the pattern in words, for whoever has to write one."""
    return msgspec.Meta(pattern=pattern, description=words)


Name = Annotated[
    str, like(r"^[a-z][a-z0-9_]{0,39}$", "small letters, digits and _, up to 40, a letter first")
]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000)]


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question: what it is asked about, and of whom; its name is the quality it measures.

    `answers` are the points of the scale in words, counted from `first`; `range` is a scale of
    whole numbers with `anchors` at its ends instead. `quotation` says which answers a model has to
    support by words of the conversation; people are not asked for any.
    """

    name: Name
    text: Text
    unit: Asked
    roles: tuple[Role, ...] = ("outsider",)
    answers: tuple[Label, ...] = ()
    first: int = 1
    range: tuple[int, int] | None = None
    anchors: tuple[Label, Label] | None = None
    cannot_tell: bool = True
    hint: str = ""
    quotation: Literal["no", "always", "above_lowest"] = "no"

    @property
    def scale(self) -> dict[int, str]:
        """The answers in words by their number; of a range, its ends."""
        if self.unit == "pair":
            return PAIR_SCALE
        if self.range and self.anchors:
            return dict(zip(self.range, self.anchors, strict=True))
        return {self.first + n: words for n, words in enumerate(self.answers)}

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The ends of the scale; null for a choice between two."""
        if self.unit == "pair":
            return None
        if self.range:
            return float(self.range[0]), float(self.range[1])
        return float(self.first), float(self.first + len(self.answers) - 1)


def read_toml(path: Path) -> dict[str, Any]:
    """The contents of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8; save it as that") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path.name}: not valid TOML: {error}; correct that line") from None


def question_sets() -> list[str]:
    """The names of the ready-made sets."""
    return sorted(path.stem for path in QUESTION_SETS.glob("*.toml"))


def question_set(name: str) -> tuple[Question, ...]:
    """The questions of a ready-made set."""
    if name not in question_sets():
        raise UnknownName(
            f"there is no question set {name!r}; {suggest_names(name, question_sets())}"
        )
    facts = read_toml(QUESTION_SETS / f"{name}.toml")
    return msgspec.convert(facts["questions"], tuple[Question, ...])


def question_problem(question: Question) -> str | None:
    """Why one question cannot be asked."""
    if question.unit == "pair":
        if question.answers or question.range:
            return "a pair is answered with first, second or no difference; leave answers out"
        return None
    if bool(question.answers) == bool(question.range):
        return "give either answers = [...] in words or range = [low, high]"
    if question.range:
        return range_problem(question, question.range)
    if (n := len(question.answers)) < 2 or n > MAX_POINTS:
        return f"the scale has {n} point{'s'[: n != 1]}; give 2 to {MAX_POINTS} answers"
    if question.anchors:
        return "anchors are for a range; with answers in words leave them out"
    return None


def range_problem(question: Question, ends: tuple[int, int]) -> str | None:
    """Why a scale of whole numbers cannot be used."""
    if ends[0] >= ends[1]:
        return f"range is {list(ends)}; the second number has to be above the first"
    if not question.anchors:
        return "a range needs anchors = ['low end in words', 'high end in words']"
    if question.first != 1:
        return f"first is {question.first}, but a range has its first number already; leave it out"
    return None
