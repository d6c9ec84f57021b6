"""What a study has collected so far: dialogs, judgements and preferences, as `validate` reads them.

Ratings count when their unit was finished and neither the owner nor failed checks have excluded
the rater; `answers` has all of them, with the reason where one does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from simpatico.judgements import Choice, Judgement, Judgements, Preference
from simpatico.questions.question import Role
from simpatico.questions.units import Line, Side, Unit
from simpatico.readers.alignment import HUMAN
from simpatico.study import schema as db
from simpatico.study.checks import CHECK, WHOLE, CheckCounts, count_checks
from simpatico.study.design import Design
from simpatico.study.store import Row, Store

CHOICES: tuple[Choice, ...] = ("a", "b", "tie")


@dataclass(frozen=True)
class Results:
    """One state of a study's store."""

    design: Design
    units: dict[str, Unit]
    raters: dict[str, Row]
    leases: dict[tuple[str, str], Row]
    answers: list[Row]
    revisions: list[Row]
    talks: dict[str, Row]
    people: dict[str, str]
    """Who the raters of a panel are on their platform; never exported."""

    @cached_property
    def checks(self) -> dict[str, CheckCounts]:
        """Attention checks and gold answers of each rater who had some."""
        return count_checks(self.design, self.leases.values(), self.answers)

    def why_excluded(self, rater: str) -> str | None:
        """Why the ratings of a person do not count; null if they do."""
        row = self.raters[rater]
        return None if row.excluded is None else row.why_excluded or "excluded by the owner"

    def why_not(self, answer: Row) -> str | None:
        """Why an answer does not count; null if it does."""
        if why := self.why_excluded(answer.rater):
            return why
        if self.leases[answer.unit, answer.rater].finished is None:
            return "unit not finished"
        return "taken back" if answer.state == "withdrawn" else None

    def counted(self, *, pairs: bool) -> Iterator[tuple[Row, Unit]]:
        """The answers that count, with their units: those about pairs, or all others."""
        for answer in self.answers:
            unit = self.units.get(answer.unit)
            if unit is None or (unit.kind == "pair") != pairs or answer.question == CHECK:
                continue
            if not self.why_not(answer):
                yield answer, unit

    @cached_property
    def judgements(self) -> Judgements:
        """The ratings that count; "cannot tell" is a judgement without a value."""
        return Judgements.of(self.judgement_rows())

    def judgement_rows(self) -> Iterator[Judgement]:
        for answer, unit in self.counted(pairs=False):
            question, side = self.design.question(answer.question), unit.sides[0]
            line = self.rated_line(side, answer.turn, unit)
            low, high = question.bounds or (None, None)
            yield Judgement(
                side.dialog,
                line.turn if line else None,
                line.speaker if line else side.partner,
                question.name,
                answer.rater,
                self.raters[answer.rater].role,
                answer.value,
                low,
                high,
            )

    def rated_line(self, side: Side, turn: int, unit: Unit) -> Line | None:
        """The turn that an answer is about; of an exchange, the reply."""
        if unit.kind == "exchange":
            return side.lines[-1]
        return next((line for line in side.lines if line.turn == turn), None)

    def preferences(self) -> Iterator[Preference]:
        """The choices between two dialogs, whichever stood first on the page."""
        for answer, unit in self.counted(pairs=True):
            chosen: Choice | None = None
            if answer.value is not None:
                swapped = self.leases[answer.unit, answer.rater].swapped
                chosen = CHOICES[int(answer.value)]
                if swapped and chosen != "tie":
                    chosen = "b" if chosen == "a" else "a"
            a, b = unit.sides
            role: Role = self.raters[answer.rater].role
            yield Preference(
                answer.question, answer.rater, role, chosen, dialog_a=a.dialog, dialog_b=b.dialog
            )

    def dialogs(self) -> Iterator[dict[str, Any]]:
        """Every dialog once, an utterance a row; talks that were broken off are not among them."""
        seen = set[str]()
        for unit in self.units.values():
            for side in unit.sides:
                if side.dialog in seen or unit.kind == "exchange":
                    continue
                seen.add(side.dialog)
                for line in side.lines:
                    yield {
                        "dialog": side.dialog, "speaker": line.speaker, "text": line.text,
                        "system": line.system, "prompt": side.prompt,
                    }  # fmt: skip

    def answer_rows(self) -> Iterator[dict[str, Any]]:
        """Every revision of every answer, and whether and why it does not count."""
        latest = {row.number for row in self.answers}
        for row in self.revisions:
            lease, unit = self.leases[row.unit, row.rater], self.units.get(row.unit)
            why = self.why_not(row) if row.number in latest else "changed later"
            yield {
                "unit": row.unit,
                "kind": unit.kind if unit else "talk",
                "dialog": "|".join(side.dialog for side in unit.sides) if unit else None,
                "turn": None if row.turn == WHOLE else row.turn,
                "question": row.question,
                "value": row.value,
                "state": row.state,
                "revision": row.revision,
                "rater": row.rater,
                "role": self.raters[row.rater].role,
                "position": lease.position,
                "swapped": lease.swapped,
                "saved": row.saved,
                "milliseconds": row.milliseconds,
                "counts": why is None,
                "why_not": why,
            }


def talk_side(talk: Row, messages: list[Row]) -> Side:
    """A talk as a dialog; the person is told apart by the rater's name."""
    lines = tuple(
        Line(m.position, talk.rater if m.role == "user" else talk.bot,
             HUMAN if m.role == "user" else talk.bot, m.text, m.role != "user")
        for m in messages
    )  # fmt: skip
    return Side(talk.talk, lines)


def collect(store: Store, study: str) -> Results:
    """Everything of a study; talks become units of the person who talked."""
    design = store.design(study)
    unit_rows, talk_rows, message_rows, answer_rows, rater_rows, lease_rows, people = store.rows(
        study, db.UNITS, db.TALKS, db.MESSAGES, db.ANSWERS, db.RATERS, db.LEASES, db.PANELISTS
    )
    units: dict[str, Unit] = {
        row.unit: msgspec.json.decode(row.content, type=Unit)
        for row in sorted(unit_rows, key=lambda row: (row.position, row.unit))
        if row.kind != "talk"
    }
    talks = {t.talk: t for t in sorted(talk_rows, key=lambda t: (t.started, t.talk))}
    messages: dict[str, list[Row]] = {}
    for row in sorted(message_rows, key=lambda row: row.position):
        messages.setdefault(row.talk, []).append(row)
    for name, talk in talks.items():
        if talk.ended is not None:
            units[name] = Unit(name, "dialog", (talk_side(talk, messages.get(name, [])),))
    revisions = sorted(answer_rows, key=lambda row: row.number)
    latest = {(r.unit, r.rater, r.turn, r.question): r for r in revisions}
    return Results(
        design,
        units,
        {row.rater: row for row in rater_rows},
        {(row.unit, row.rater): row for row in lease_rows},
        list(latest.values()),
        revisions,
        talks,
        {row.rater: row.person for row in people},
    )
