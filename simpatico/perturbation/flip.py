"""An answer with the opposite feeling, by rules; nothing where they find nothing to turn round."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from string import ascii_lowercase, ascii_uppercase

from simpatico.perturbation.opposites import FACES, NEGATED, opposites, phrases

QUOTE = r"\s?['\u2018\u2019]\s?"
SOFT = "a|an|the|so|very|really|too|that|quite|all|exactly|such|much|at all|any|feel|feeling|be"
HELPERS = "do|does|did|is|are|was|were|have|has|had|would|could|should|can|ca|wo|must|need|ai"
BE = "am|is|are|was|were|be|been|feel|feels|felt|sound|sounds|sounded|look|looks|seem|seems"
PLAIN = {"ca": "can", "wo": "will", "ai": "is"}
VOWELS = "aeiou"
LIKE_Y = ("use", "uni", "one")
"""Beginnings that are written with a vowel and said without one."""
SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Keeps every character in its place, and the pattern quick, which ignoring case would not."""


def flipped(text: str) -> str | None:
    """The text with every feeling in it turned round; null where no rule applies.

    A phrase or word of feeling becomes its opposite; one that is negated loses the negation; one
    that has no opposite gets one. No word is turned round twice.
    """
    parts, end = list[str](), 0
    for match in rules().finditer(text.translate(SMALL)):
        parts += [text[end : match.start()], turned(match, text[slice(*match.span())])]
        end = match.end()
    return "".join([*parts, text[end:]]) if parts else None


@cache
def rules() -> re.Pattern[str]:
    """One pattern for everything, the longer of two phrases first."""
    negation = rf"(?:(?P<helper>{HELPERS})\s?n{QUOTE}t|(?P<no>not|never|no|cannot))"
    soft = rf"(?:(?:{SOFT})\s+){{0,2}}"
    return re.compile(
        rf"(?P<face>{any_of(FACES)})|(?<![\w'\u2019-])(?=[a-z])(?:"
        rf"(?P<phrase>{any_of(phrases())})"
        rf"|(?:{negation}\s+)(?P<soft>{soft})(?P<negated>{any_of(opposites())}|{any_of(words())}"
        rf"|like|likes|liked)"
        rf"|(?:(?P<article>an?)\s+)?(?P<word>{any_of(opposites())})"
        rf"|(?P<be>(?:{BE})\s+)(?P<more>{soft})(?P<lacks>{any_of(words())})"
        r")(?![\w'\u2019-])"
    )


def words() -> list[str]:
    """Words of feeling that have no opposite of their own."""
    return NEGATED.split()


def any_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts; spaces may be wider and apostrophes curly."""
    longest = sorted(texts, key=len, reverse=True)
    wide = (re.escape(t).replace(r"\ ", r"\s+").replace("'", QUOTE) for t in longest)
    return "|".join(wide)


def turned(match: re.Match[str], before: str) -> str:
    """What stands in place of one find, as large as it was."""
    found = match.groupdict()
    if face := found["face"]:
        return FACES[face]
    if found["phrase"]:
        said = phrases()[plain(found["phrase"])]
    elif found["negated"]:
        said = " ".join(filter(None, [freed(found), found["soft"].strip(), found["negated"]]))
    elif found["word"]:
        said = opposite(found["word"], found["article"])
    else:
        said = f"{found['be']}not {found['more']}{found['lacks']}"
    return as_large(said, before)


def plain(phrase: str) -> str:
    """A phrase as the list has it."""
    return re.sub(r"\s+", " ", re.sub(QUOTE, "'", phrase))


def freed(found: dict[str, str | None]) -> str:
    """What is left of a negation that is taken back."""
    if helper := found["helper"]:
        return PLAIN.get(helper, helper)
    return {"never": "always", "cannot": "can"}.get(found["no"] or "", "")


def opposite(word: str, article: str | None) -> str:
    """The opposite of a word, after the article that goes with it."""
    other = opposites()[word]
    if not article:
        return other
    vowel = other[0] in VOWELS and not other.startswith(LIKE_Y)
    return f"{'an' if vowel else 'a'} {other}"


def as_large(said: str, before: str) -> str:
    """The text with capitals where the one before had them: everywhere, at its start, or not."""
    if before.isupper() and len(before) > 1:
        return said.upper()
    first = said[:1].upper() if before[:1].isupper() else said[:1].lower()
    return first + said[1:]
