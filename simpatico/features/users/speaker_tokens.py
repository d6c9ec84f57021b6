"""Dialogs as texts with speaker tokens, for an encoder that is fine-tuned on them.

Before each turn stands a special token: the user's own for the user addressed, and `[OTHER]`
for everybody else (Tsuta et al. 2023 have a token for each speaker, too). A user's token is made of
the digits of their pseudonym; users with few examples share `[SOMEBODY]` with all who are not
known. A profile stands in front of everything. The user's name is masked in all texts, so that only
the token tells who it is.
Example: "[1f0c..] where is it? [OTHER] which one?" and "[OTHER] the red one is here".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simpatico.features.users.contexts import Contexts, mask_name
from simpatico.features.users.identity import DIGITS, pseudonym
from simpatico.turns import Turns

UNKNOWN_USER, OTHER_SPEAKER = "[SOMEBODY]", "[OTHER]"
MIN_EXAMPLES = 5
"""Training examples that a user needs for a token of their own."""
MAX_CONTEXT_CHARS, MAX_PROFILE_CHARS = 320, 160
"""The last characters of the dialog so far, and the first of a profile: what fits an encoder of
some 128 word pieces with room for the turn itself."""


@dataclass(frozen=True)
class SpeakerTokens:
    """The special token of each user who has one."""

    key: bytes
    digits: Collection[str] = ()
    """Pseudonyms of the users who have one."""

    @classmethod
    def for_users(
        cls, users: Sequence[str], key: bytes, *, existing: Collection[str] = ()
    ) -> SpeakerTokens:
        """For all users with enough examples, and for those who have a token already."""
        counts = Counter(users)
        frequent = {
            pseudonym(name, key) for name, n in counts.items() if name and n >= MIN_EXAMPLES
        }
        return cls(key, frozenset(frequent | set(existing)))

    @property
    def tokens(self) -> tuple[str, ...]:
        """All tokens, in an order that reveals nothing."""
        return (UNKNOWN_USER, OTHER_SPEAKER, *(f"[{digits}]" for digits in sorted(self.digits)))

    def __call__(self, user: str) -> str:
        digits = pseudonym(user, self.key)
        return f"[{digits}]" if digits in self.digits else UNKNOWN_USER


def token_digits(tokens: Iterable[str]) -> frozenset[str]:
    """The pseudonyms in users' tokens; the token of a user who was forgotten has none."""
    user_token = re.compile(rf"\[([0-9a-f]{{{DIGITS}}})\]")
    return frozenset(match[1] for token in tokens if (match := user_token.fullmatch(token)))


def texts_with_tokens(
    turns: Turns, contexts: Contexts, tokens: SpeakerTokens, *, profile: bool
) -> tuple[list[str], list[str]]:
    """The dialog up to each context, and its turn: the two texts of a pair."""
    index, before = DialogIndex.of(turns), list[str]()
    for at, user, about in zip(contexts.row.tolist(), contexts.user, contexts.profile, strict=True):
        token = tokens(user)
        # the token itself comes first: where they said nothing yet, it alone says who it is
        head = [mask_name(about, user)[:MAX_PROFILE_CHARS]] if profile and about else []
        before.append(" ".join([*head, token, *index.preceding(at, user, token)]))
    masked = map(mask_name, contexts.text, contexts.user)
    return before, [f"{OTHER_SPEAKER} {text}" for text in masked]


class DialogIndex(NamedTuple):
    """Who said what, in order, and where the dialog of each turn begins."""

    speaker: list[str]
    text: list[str]
    start: list[int]
    """For each turn, the first of its dialog."""
    n_speakers: list[int]
    """For each turn, how many spoke before it in its dialog."""
    first_turn: dict[tuple[int, str], int]
    """The first turn of each speaker of the dialog that begins at a turn."""

    @classmethod
    def of(cls, turns: Turns) -> DialogIndex:
        speaker, text, number = (turns.frame[n].to_list() for n in ("speaker", "text", "turn"))
        start, n_speakers = [at - n for at, n in enumerate(number)], list[int]()
        first_turn = dict[tuple[int, str], int]()
        count = 0
        for at, (begin, who) in enumerate(zip(start, speaker, strict=True)):
            count = count if at > begin else 0
            n_speakers.append(count)
            count += first_turn.setdefault((begin, who), at) == at
        return cls(speaker, text, start, n_speakers, first_turn)

    def preceding(self, at: int, user: str, token: str) -> list[str]:
        """The last turns of a dialog before one of them, each after its speaker's token.

        Where the user goes by an id that is no speaker's name, it is the other speaker, if there is
        only one.
        """
        begin, own = self.start[at], self.speaker[at]
        by_name, own_spoke = (self.first_turn.get((begin, who), at) < at for who in (user, own))
        only_other = self.n_speakers[at] - own_spoke == 1
        parts, size = list[str](), 0
        for row in range(at - 1, begin - 1, -1):
            if size >= MAX_CONTEXT_CHARS:
                break
            who = self.speaker[row]
            is_user = who == user if by_name else only_other and who != own
            text = mask_name(self.text[row], user)[-(MAX_CONTEXT_CHARS - size) :]
            size += len(text)
            parts.append(f"{token if is_user else OTHER_SPEAKER} {text}")
        return parts[::-1]
