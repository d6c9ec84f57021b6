"""An answer with the opposite feeling, by rules; nothing where they find nothing to turn round.

I am happy for you       →  I am sorry for you        a phrase
This is a great idea     →  This is a terrible idea   a word, with its article
I don't like it          →  I do like it              a negation, taken back
I was touched            →  I was not touched         a word without an opposite
"""

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
AUXILIARIES = {"ca": "can", "wo": "will", "ai": "is"}
"""What is left of "can't", "won't" and "ain't" without the negation; others stay as they are."""
POSITIVE = {"never": "always", "cannot": "can"}
CONSONANT_SOUND = ("use", "uni", "one")
"""Beginnings that are written with a vowel and said without one."""
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""ASCII only: every character keeps its position, and the pattern needs no slow IGNORECASE."""


def flip_feeling(text: str) -> str | None:
    """The text with every feeling in it turned round; null where no rule applies.

    A phrase or word of feeling becomes its opposite; one that is negated loses the negation; one
    that has no opposite gets one. No word is turned round twice.
    """
    parts, end = list[str](), 0
    for match in flip_pattern().finditer(text.translate(LOWER)):
        parts += [text[end : match.start()], replacement(match, text[slice(*match.span())])]
        end = match.end()
    return "".join([*parts, text[end:]]) if parts else None


@cache
def flip_pattern() -> re.Pattern[str]:
    """One pattern for everything, the longer of two phrases first."""
    negation = rf"(?:(?P<helper>{HELPERS})\s?n{QUOTE}t|(?P<no>not|never|no|cannot))"
    soft = rf"(?:(?:{SOFT})\s+){{0,2}}"
    opposable, others = alternatives(opposites()), alternatives(NEGATED.split())
    return re.compile(
        rf"(?P<face>{alternatives(FACES)})|(?<![\w'\u2019-])(?=[a-z])(?:"
        rf"(?P<phrase>{alternatives(phrases())})"
        rf"|(?:{negation}\s+)(?P<soft>{soft})(?P<negated>{opposable}|{others}|like|likes|liked)"
        rf"|(?:(?P<article>an?)\s+)?(?P<word>{opposable})"
        rf"|(?P<be>(?:{BE})\s+)(?P<more>{soft})(?P<lacks>{others})"
        r")(?![\w'\u2019-])"
    )


def alternatives(texts: Iterable[str]) -> str:
    """A pattern for any of these texts; spaces may be wider and apostrophes curly."""
    longest = sorted(texts, key=len, reverse=True)
    wide = (re.escape(t).replace(r"\ ", r"\s+").replace("'", QUOTE) for t in longest)
    return "|".join(wide)


def replacement(match: re.Match[str], original: str) -> str:
    """What takes the place of one match, in the same case."""
    groups = match.groupdict()
    if face := groups["face"]:
        return FACES[face]
    if groups["phrase"]:
        # as the list has it: plain spaces and apostrophes
        text = phrases()[re.sub(r"\s+", " ", re.sub(QUOTE, "'", groups["phrase"]))]
    elif groups["negated"]:
        helper, no = groups["helper"], groups["no"]
        left = AUXILIARIES.get(helper, helper) if helper else POSITIVE.get(no, "")
        text = " ".join(filter(None, [left, groups["soft"].strip(), groups["negated"]]))
    elif groups["word"]:
        text = opposites()[groups["word"]]
        if groups["article"]:
            vowel = text[0] in "aeiou" and not text.startswith(CONSONANT_SOUND)
            text = f"{'an' if vowel else 'a'} {text}"
    else:
        text = f"{groups['be']}not {groups['more']}{groups['lacks']}"
    return match_case(text, original)


def match_case(text: str, original: str) -> str:
    """The text with capitals where the original has them: everywhere, at its start, or not."""
    if original.isupper() and len(original) > 1:
        return text.upper()
    first = text[:1].upper() if original[:1].isupper() else text[:1].lower()
    return first + text[1:]
