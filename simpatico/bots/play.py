"""Two bots talk with each other, from openings that somebody wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simpatico.bots.bot import Bot, Message, Role
from simpatico.bots.journal import Rows
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import AskOptions, Summary, ask_all, failure_rows, prompt_rows, reply_row
from simpatico.errors import BadValue, NoAnswer

SPEAKERS = {"system": "system", "user": "a", "assistant": "b"}
OTHER_SIDE: dict[Role, Role] = {"user": "assistant", "assistant": "user", "system": "system"}


def play(
    bots: tuple[Bot, Bot],
    openings: Sequence[Prompt],
    out: str | Path,
    *,
    turns: int = 6,
    how: AskOptions | None = None,
) -> Summary:
    """Let two bots talk until a dialog has so many turns, the opening among them.

    The opening counts as said by the first bot, so that the second speaks next. Each hears the
    other as its user. A dialog that breaks off keeps what was said, and the reason.
    """
    if turns < 2:
        raise BadValue(f"turns is {turns}; with less than 2 no bot says anything")
    if long := [opening.id for opening in openings if len(opening.dialog) >= turns]:
        raise BadValue(f"the opening {long[0]!r} has {turns} turns or more already; raise --turns")

    def play_opening(opening: Prompt) -> Rows:
        # roles are the second bot's view throughout; the first hears the dialog with them swapped
        rows, dialog = prompt_rows(opening, SPEAKERS), list(opening.dialog)
        while len(dialog) < turns:
            second = dialog[-1].role == "user"
            bot = bots[second]
            try:
                # chat models answer as the assistant and are trained to answer a user
                own_view = [Message(OTHER_SIDE[turn.role], turn.text) for turn in dialog]
                reply = bot(dialog if second else own_view)
            except NoAnswer as error:
                return failure_rows(rows, error, bot)
            role: Role = "assistant" if second else "user"
            dialog.append(Message(role, reply.text))
            rows.append(reply_row(opening, reply, bot, speaker=SPEAKERS[role]))
        return rows

    return ask_all(
        play_opening, openings, Path(out), bots=bots, how=how or AskOptions(), turns=turns
    )
