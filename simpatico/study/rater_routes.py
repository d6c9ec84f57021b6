"""What a rater's page may ask for.

A rater is whoever has the token of a personal link. Nothing that a rater receives names a system, a
score or another rater.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Semaphore
from typing import Annotated, Any

import msgspec

from simpatico.bots.bot import Bot, Message
from simpatico.errors import SimpaticoError
from simpatico.questions.question import Question
from simpatico.questions.units import Unit, unit_id
from simpatico.serve.app import Empty, Problem, Route, Stream
from simpatico.study.answers import Entry, State, answer_json, latest_answers, save_answer
from simpatico.study.checks import CHECK, WHOLE, Check, matches
from simpatico.study.design import Design, Training
from simpatico.study.loans import count_units, find_lease, finish_unit, skip_unit, take_unit
from simpatico.study.results import talk_side
from simpatico.study.store import Conflict, Gone, Rater, Row, Store
from simpatico.study.talks import (
    add_exchange,
    count_talks,
    end_talk,
    find_talk,
    open_talk,
    read_messages,
)
from simpatico.study.texts import page_texts
from simpatico.study.units import units_of

MAX_SAID = 4_000
"""Characters that a person may say at a time."""
Name = Annotated[str, msgspec.Meta(pattern=r"^[\w-]{1,80}$")]


class UnitBody(msgspec.Struct, forbid_unknown_fields=True):
    unit: Name


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True):
    """An answer as the page sends it; `key` is made once and sent again with every attempt."""

    unit: Name
    question: Name
    turn: Annotated[int, msgspec.Meta(ge=-1, le=100_000)]
    value: float | None
    state: State
    revision: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    key: Annotated[str, msgspec.Meta(pattern=r"^[\w-]{16,64}$")]
    milliseconds: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None


class SayBody(msgspec.Struct, forbid_unknown_fields=True):
    """What a person says, as the message at this position of the talk."""

    unit: Name
    position: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SAID)]


class TrainingBody(msgspec.Struct, forbid_unknown_fields=True):
    """The answers to a dialog of the training round."""

    number: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    answers: dict[str, float | None]


@dataclass
class RaterRoutes:
    """One study as its raters see it, and the bots that they talk with."""

    store: Store
    design: Design
    bots: Mapping[str, Bot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # a bot that answers one at a time lets the others wait
        self._slots = {n: Semaphore(b.max_parallel or 1_000) for n, b in self.bots.items()}

    def routes(self) -> list[Route]:
        """Everything that can be asked."""
        table: list[tuple[str, str, Callable[[Rater, Any], object], type]] = [
            ("GET", "me", self.me, Empty),
            ("POST", "consent", self.consent, Empty),
            ("POST", "training", self.training, TrainingBody),
            ("POST", "trained", self.trained, Empty),
            ("POST", "next", self.next_unit, Empty),
            ("POST", "answer", self.answer, AnswerBody),
            ("POST", "finish", self.finish, UnitBody),
            ("POST", "skip", self.skip, UnitBody),
            ("POST", "say", self.say, SayBody),
            ("POST", "end", self.end, UnitBody),
        ]
        return [Route(m, f"/api/{name}", self.as_rater(f), body) for m, name, f, body in table]

    def as_rater(self, handler: Callable[[Rater, Any], object]) -> Callable[[str, Any], object]:
        """The handler for whoever has the token; others are refused."""

        def call(token: str, body: object) -> object:
            rater = self.store.rater(token) if token else None
            if rater is None or rater.study != self.design.name:
                raise Problem(401, "this link is not valid")
            try:
                return handler(rater, body)
            except Conflict as error:
                raise Problem(409, str(error), latest=error.latest) from None
            except Gone as error:
                raise Problem(410, str(error)) from None

        return call

    def me(self, rater: Rater, body: Empty) -> dict[str, Any]:
        """Everything that a rater's page needs to begin."""
        design = self.design
        return {
            "state": self.state(rater),
            "rater": rater.rater,
            # where the browser keeps what is not sent yet: other studies have an r001 too
            "place": unit_id("rater", design.name, rater.rater),
            "role": rater.role,
            "title": design.title,
            "language": design.language,
            "texts": page_texts(design.language),
            "lead": design.lead,
            "consent": design.consent,
            "guidelines": design.guidelines,
            "reveal": design.rate.reveal,
            "questions": [shown_question(q) for q in design.questions if rater.role in q.roles],
            "training": [
                [{"turn": n, "who": t.who, "text": t.text, "rated": t.who == "partner"}
                 for n, t in enumerate(item.turns)]
                for item in self.training_items(rater)
            ],
            "talk": design.talk and {
                "min_turns": design.talk.min_turns,
                "max_turns": design.talk.max_turns,
                "task": design.talk.task,
            },
        }  # fmt: skip

    def training_items(self, rater: Rater) -> list[Training]:
        """The training round; whoever talks with bots learns by doing."""
        return list(self.design.training) if rater.role == "outsider" else []

    def state(self, rater: Rater) -> str:
        if rater.excluded is not None:
            return "excluded"
        if self.store.is_paused(rater.study):
            return "paused"
        if rater.consented is None and self.design.consent:
            return "consent"
        if rater.trained is None and self.training_items(rater):
            return "training"
        return "work"

    def consent(self, rater: Rater, body: Empty) -> dict[str, Any]:
        self.store.stamp(rater, "consented")
        return {}

    def training(self, rater: Rater, body: TrainingBody) -> dict[str, Any]:
        """What would have been right, and why; answers are `turn/question`."""
        items = self.training_items(rater)
        if body.number >= len(items):
            raise Problem(404, "there is no such dialog in the training round")
        feedback = []
        for e in items[body.number].expected:
            key = f"{WHOLE if e.turn is None else e.turn}/{e.question}"
            right = matches(e, body.answers.get(key))
            feedback.append({"key": key, "right": right, "value": e.value, "feedback": e.feedback})
        return {"feedback": feedback}

    def trained(self, rater: Rater, body: Empty) -> dict[str, Any]:
        self.store.stamp(rater, "trained")
        return {}

    def next_unit(self, rater: Rater, body: Empty) -> dict[str, Any]:
        """The unit to rate or the talk to go on with, and the answers that are saved already."""
        if (state := self.state(rater)) != "work":
            return {"state": state}
        if rater.role == "interlocutor":
            return self.next_talk(rater)
        lease = take_unit(self.store, rater, self.design)
        done, left = count_units(self.store, rater, self.design)
        if lease is None:
            return self.ending(done)
        unit = msgspec.json.decode(lease.content, type=Unit)
        return {
            "state": "work", "unit": unit.id, "kind": unit.kind, "done": done, "left": left,
            "sides": unit.shown(swapped=lease.swapped),
            **self.saved_answers(rater, lease),
        }  # fmt: skip

    def ending(self, done: int) -> dict[str, Any]:
        """Nothing is left: for whoever has done something, what shows the platform that."""
        if not done:
            return {"state": "nothing"}
        code, url = self.design.completion_code, self.design.completion_url
        return {"state": "done", "done": done, "code": code, "url": url}

    def saved_answers(self, rater: Rater, lease: Row) -> dict[str, Any]:
        answers = latest_answers(self.store, rater, lease.unit)
        check = lease.check_item and msgspec.json.decode(lease.check_item, type=Check)
        return {
            "check": check and {"text": check.text, "options": check.options},
            "answers": [answer_json(row) for row in answers],
        }

    def next_talk(self, rater: Rater) -> dict[str, Any]:
        done = count_talks(self.store, rater)
        talk = open_talk(self.store, rater, self.design)
        if talk is None:
            return self.ending(done)
        with self.store.read() as c:
            lease = find_lease(c, rater, talk.talk)
        messages = read_messages(self.store, rater.study, talk.talk)
        return {
            "state": "work", "unit": talk.talk, "kind": "talk", "done": done,
            "messages": [{"role": m.role, "text": m.text} for m in messages],
            **self.saved_answers(rater, lease),
        }  # fmt: skip

    def answer(self, rater: Rater, body: AnswerBody) -> dict[str, Any]:
        """Save an answer; what it is about and its value are checked against the design."""
        self.require_work(rater)
        with self.store.read() as c:
            lease = find_lease(c, rater, body.unit)
        self.check_answer(rater, body, lease)
        value = body.value if body.state == "given" else None
        entry = Entry(
            body.unit, body.turn, body.question, value, body.state, body.revision, body.key,
            body.milliseconds,
        )  # fmt: skip
        return {"revision": save_answer(self.store, rater, self.design, entry)}

    def check_answer(self, rater: Rater, body: AnswerBody, lease: Row) -> None:
        """Refuse an answer to what was not asked, or off its scale."""
        asked = self.asked_about(rater, lease)
        if (body.turn, body.question) not in asked:
            raise Problem(400, "this was not asked")
        if body.state != "given":
            question = asked[body.turn, body.question]
            if body.state == "cannot_tell" and (question is None or not question.cannot_tell):
                raise Problem(400, "this question has no such answer")
            return
        low, high = self.value_bounds(asked[body.turn, body.question], lease)
        value = body.value
        if value is None or not low <= value <= high or value != int(value):
            raise Problem(400, "this value is not on the scale")

    def value_bounds(self, question: Question | None, lease: Row) -> tuple[float, float]:
        if question is None:
            check = msgspec.json.decode(lease.check_item, type=Check)
            return 0, len(check.options) - 1
        return question.bounds or (0, 2)

    def asked_about(self, rater: Rater, lease: Row) -> dict[tuple[int, str], Question | None]:
        """Every question of a unit by turn and name; the attention check has no question."""
        asked: dict[tuple[int, str], Question | None] = {}
        if lease.check_item:
            asked[WHOLE, CHECK] = None
        kind = lease.kind
        if kind in ("pair", "exchange"):
            own = self.design.asked(rater.role, kind)
            return asked | {(WHOLE, q.name): q for q in own}
        if kind == "talk":
            messages = read_messages(self.store, rater.study, lease.unit)
            turns = [m.position for m in messages if m.role == "assistant"]
        else:
            unit = msgspec.json.decode(lease.content, type=Unit)
            turns = [line.turn for line in unit.sides[0].lines if line.rated]
        for question in self.design.asked(rater.role, "turn", "dialog"):
            places = turns if question.unit == "turn" else [WHOLE]
            asked |= {(turn, question.name): question for turn in places}
        return asked

    def require_answers(self, rater: Rater, unit: str) -> Row:
        """The lease of a unit; refuse to close it while a question is open."""
        with self.store.read() as c:
            lease = find_lease(c, rater, unit)
        answers = latest_answers(self.store, rater, unit)
        given = {(a.turn, a.question) for a in answers if a.state != "withdrawn"}
        missing = [key for key in self.asked_about(rater, lease) if key not in given]
        if missing:
            raise Problem(409, "some questions are still open", missing=missing[:20])
        return lease

    def require_work(self, rater: Rater) -> None:
        if (state := self.state(rater)) != "work":
            raise Problem(403, f"the study is not open for you now ({state})")

    def finish(self, rater: Rater, body: UnitBody) -> dict[str, Any]:
        self.require_work(rater)
        if self.require_answers(rater, body.unit).kind == "talk":
            raise Problem(400, "a talk is ended, not finished")
        finish_unit(self.store, rater, self.design, body.unit)
        return {}

    def skip(self, rater: Rater, body: UnitBody) -> dict[str, Any]:
        skip_unit(self.store, rater, body.unit)
        return {}

    def say(self, rater: Rater, body: SayBody) -> Stream:
        """The bot's reply, in pieces where the bot streams; saved with what was said."""
        self.require_work(rater)
        talk, limit = find_talk(self.store, rater, body.unit), self.design.talk
        messages = read_messages(self.store, rater.study, talk.talk)
        said = [m.text for m in messages if m.role == "user" and m.position == body.position]
        if said == [body.text]:
            reply = messages[body.position + 1].text  # the page did not hear of it the first time
            return Stream(iter([{"piece": reply}, {"done": True}]))
        if body.position != len(messages):
            raise Problem(409, "this talk went on elsewhere", length=len(messages))
        if talk.ended is not None or not limit or len(messages) + 2 > limit.max_turns + 1:
            raise Problem(409, "this talk is over")
        dialog = [Message(m.role, m.text) for m in messages] + [Message("user", body.text)]
        return Stream(self.reply(talk, dialog))

    def reply(self, talk: Row, dialog: list[Message]) -> Iterator[dict[str, Any]]:
        """Ask the bot; a reply that could not be saved is none."""
        bot, slot = self.bots[talk.bot], self._slots[talk.bot]
        try:
            with slot:
                pieces = []
                stream = getattr(bot, "stream", None)
                for piece in stream(dialog) if stream else [bot(dialog).text]:
                    piece = piece.encode(errors="replace").decode()  # lone surrogates are no text
                    pieces.append(piece)
                    yield {"piece": piece}
            said, reply = dialog[-1].text, "".join(pieces)
            both = [("user", said), ("assistant", reply)]
            add_exchange(self.store, self.design, talk, both, position=len(dialog) - 1)
        except SimpaticoError:  # its text may name the bot
            yield {"problem": "no reply"}
            return
        yield {"done": True}

    def end(self, rater: Rater, body: UnitBody) -> dict[str, Any]:
        """Close a talk that is long enough and rated; outsiders get its dialog."""
        self.require_work(rater)
        talk = find_talk(self.store, rater, body.unit)
        messages = read_messages(self.store, rater.study, talk.talk)
        settings = self.design.talk
        if settings and len(messages) < settings.min_turns:
            raise Problem(409, "this talk is too short to end")
        self.require_answers(rater, body.unit)
        side = talk_side(talk, messages)
        shown = units_of(self.design, [side]) if settings and settings.rated_by_outsiders else []
        end_talk(self.store, rater, self.design, talk, list(shown))
        return {}


def shown_question(q: Question) -> dict[str, Any]:
    """A question as a page gets it."""
    names = ("name", "text", "unit", "answers", "first", "range", "anchors", "cannot_tell", "hint")
    return {name: getattr(q, name) for name in names}
