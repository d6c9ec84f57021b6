"""What the readers of benchmarks share: a judged row as a dialog, and its ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

import msgspec

from simpatico.judgements import Judgement, judgement_problem, parse_rating
from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance

Rating = int | float | str | None
"""A rating as the files hold it."""


class RatedRow(NamedTuple):
    """A row of a benchmark: the last line is judged, or all that `system` says (`whole_dialog`).

    A line is a speaker and a text; `ratings` has for each quality what each judge wrote.
    """

    dialog: str
    place: Place
    lines: Sequence[tuple[str, str]]
    system: str
    ratings: Mapping[str, Sequence[Rating]]
    whole_dialog: bool = False
    references: Sequence[str] | None = None
    extras: str | None = None


def row_dialog(row: RatedRow) -> list[Utterance]:
    """The row as a dialog; lines that are not judged are context and have no system."""
    if row.whole_dialog:
        systems = {row.system: row.system}
        utterances = [Utterance(row.dialog, *line, systems.get(line[0])) for line in row.lines]
        return Dialog(utterances, [row.place])
    *context, answer = row.lines
    # responses to equal contexts share this name, by which systems can be compared on a prompt
    prompt = blake2b("\n".join(text for _, text in context).encode(), digest_size=6).hexdigest()
    before = [Utterance(row.dialog, *line, prompt=prompt) for line in context]
    response = Utterance(row.dialog, *answer, row.system, prompt=prompt, extras=row.extras)
    return Dialog([*before, response._replace(references=row.references)], [row.place])


def row_judgements(
    row: RatedRow, scales: Mapping[str, tuple[float, float]], ledger: Ledger
) -> Iterator[Judgement]:
    """One judgement per quality and place in its list; `scales["*"]` is for every other quality.

    A judge's number is a position in a list, not a person. Where the list of one quality is
    shorter than others of its row, judgements were left out of the file: they are counted.
    """
    most = max(map(len, row.ratings.values()), default=0)
    for quality, ratings in row.ratings.items():
        low, high = scales.get(quality) or scales.get("*") or (None, None)
        unit = row_unit(row)._replace(quality=quality, scale_min=low, scale_max=high)
        for number, value in enumerate(ratings, start=1):
            unit = unit._replace(judge=f"judge-{number}")
            if judgement := rate(unit, value, row.place, ledger):
                yield judgement
        if len(ratings) < most:
            ledger.skip("judgement left out of its list", most - len(ratings))


def row_unit(row: RatedRow) -> Judgement:
    """What a row's ratings are about, still without quality, judge and value."""
    unit = Judgement(row.dialog, None, row.system, "", None, "outsider", None)
    if row.whole_dialog:
        return unit
    speakers = [speaker for speaker, _ in row.lines]
    return unit._replace(turn=turn_numbers(speakers)[-1], speaker=speakers[-1])


def rate(unit: Judgement, rating: Rating, place: Place, ledger: Ledger) -> Judgement | None:
    """The judgement with this value, or null and a note in the ledger."""
    try:
        judgement = unit._replace(value=parse_rating(rating))
        reason = judgement_problem(judgement)
    except ValueError:
        reason = "a rating is neither a number nor 'not rated'"
    if reason:
        ledger.reject(place, "rating", reason)
        return None
    return judgement


def turn_numbers(speakers: Sequence[str]) -> list[int]:
    """The turn each utterance belongs to once utterances of one speaker are merged."""
    return [number for number, (_, turn) in enumerate(groupby(speakers)) for _ in turn]


def alternate_speakers(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Context whose speakers take turns; the last one, who is answered, is always context-a."""
    names = ("context-b", "context-a")
    return [(names[(len(texts) - i) % 2], text) for i, text in enumerate(texts)]


def system_name(model: str) -> str:
    """The system's name; people are always called human."""
    return "human" if model.lower() == "human" else model


def as_json_object(facts: Mapping[str, object]) -> str | None:
    """What is known besides, as the `extras` of an utterance; null where there is nothing."""
    return msgspec.json.encode(facts).decode() if facts else None
