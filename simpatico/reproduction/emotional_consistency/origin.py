"""Where the published utterances come from, which rule gives their labels, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_count
from simpatico.reproduction.emotional_consistency.training_mix import (
    CORPORA,
    EACH,
    NEUTRAL,
    POSITIVE,
    Kept,
    Said,
    own_sign,
    same,
)
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import Polarity, label_rule

ORIGIN = "Published files: utterances by corpus"
RULE = "Published files: labels that the rule gives"
OVERLAP = "Training mix: utterances of the corpora"
SEVERAL, NOWHERE = "several corpora", "no corpus"
SIGNS = "EC: emotions with a sign of their own"

Known = Mapping[str, Sequence[Said]]


def origin(text: str, known: Known) -> str:
    """The corpus an utterance stands in."""
    found = {said.source for said in known.get(same(text), ())}
    return found.pop() if len(found) == 1 else SEVERAL if found else NOWHERE


def origin_cells(files: Mapping[str, Utterances], known: Known) -> Iterator[Cell]:
    """How many utterances of each file are of each corpus."""
    for name, given in files.items():
        counts = Counter(origin(text, known) for text in given.text)
        for corpus in (*CORPORA, SEVERAL, NOWHERE):
            spot = Spot(ORIGIN, name, corpus)
            yield of_count(spot, counts[corpus], paper=None, total=len(given))


def rule_cells(
    files: Mapping[str, Utterances], known: Known, meant: Mapping[tuple[str, str], str]
) -> Iterator[Cell]:
    """How many labels of utterances found are among those that their corpora give.

    For EC only utterances count whose emotion has a sign of its own.
    """
    for name, given in files.items():
        right, total = 0, 0
        for text, (label,) in zip(given.text, given.label, strict=True):
            found = [expected(said, name, meant) for said in known.get(same(text), ())]
            if found and EACH not in found:
                right, total = right + (label in found), total + 1
        note = "signs of emotions are read off EC_valid" if name.startswith("EC") else ""
        spot = Spot(RULE, name, "as the rule says")
        yield of_count(spot, right, paper=None, total=total, note=note)


def expected(said: Said, file: str, meant: Mapping[tuple[str, str], str]) -> str:
    """The label of an utterance by its corpus; "" where the corpus has none for this task."""
    if file.startswith("NNC"):
        return NEUTRAL if said.neutral else "emotional"
    return "" if said.neutral else own_sign(said) or meant.get(said.name, EACH)


def overlap_cells(kept: Kept) -> Iterator[Cell]:
    """What of each corpus is published, said before, or left to learn from."""
    rows = Counter(said.source for said in kept.rows)
    note = "the same letters and digits as one of the four published files"
    for corpus in CORPORA:
        left = {"in a published file": kept.published, "said before": kept.repeated, "left": rows}
        total = sum(some[corpus] for some in left.values())
        for column, some in left.items():
            yield of_count(
                Spot(OVERLAP, corpus, column), some[corpus], paper=None, total=total, note=note
            )


def agreement_cells(
    valid: Utterances, known: Known, meant: Mapping[tuple[str, str], str], judge: Polarity
) -> Iterator[Cell]:
    """How often a judge of polarity decides as published, and finds the sign of an emotion."""
    rows = [
        (text, label == POSITIVE, where.pop())
        for text, (label,) in zip(valid.text, valid.label, strict=True)
        if len(where := {said.name for said in known.get(same(text), ())}) == 1
    ]
    texts, names = [text for text, _, _ in rows], ["/".join(name) for _, _, name in rows]
    chances = judge(texts)
    each = [
        (chance > 0.5) == positive
        for chance, (_, positive, name) in zip(chances, rows, strict=True)
        if meant[name] == EACH
    ]
    spot = Spot(RULE, "EC_valid.csv", "utterances decided one by one as published")
    yield of_count(spot, sum(map(int, each)), paper=None, total=len(each))
    ruled = label_rule([[name] for name in names], texts, lambda _: chances)
    agreed = [ruled["/".join(name)].sign == sign for name, sign in meant.items()]
    spot = Spot(RULE, "EC_valid.csv", "emotions whose sign the 70% rule finds")
    yield of_count(spot, sum(agreed), paper=None, total=len(agreed))
