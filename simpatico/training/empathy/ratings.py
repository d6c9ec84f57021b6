"""Conversations whose empathy people rated, and how well scores follow the ratings.

Kumar et al. (2025), When LLMs are reliable for judging empathic communication: 50 conversations
each of EPITOME, Lend an Ear and EmpatheticDialogues, every one rated by three experts and by crowd
workers (doi.org/10.5281/zenodo.17230987, MIT). Ratings are standardised per
annotator; experts and crowd count the same.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features.empathy import PARTS
from simpatico.stats.correlation import correlation
from simpatico.stats.ranks import mid_ranks
from simpatico.stats.regression import least_squares
from simpatico.stats.result import Result

ANNOTATORS = ("expert1", "expert2", "expert3", "crowd")
SPEAKER = re.compile(r"(?:^|\n)\s*(Seeker|Supporter):")
OVERALL = "overall"


@dataclass(frozen=True)
class Study:
    """One data set: where it is, and which dimensions rate what; a minus reverses one."""

    name: str
    folder: str
    file: str
    key: str
    ratings: Mapping[str, tuple[str, ...]]


STUDIES = (
    Study(
        "EPITOME",
        "epitome",
        "sample_epitome.csv",
        "sp_id",
        {
            OVERALL: (
                *("level_emotional_reactions", "level_interpretations", "level_explorations"),
            ),
            PARTS[0]: ("level_emotional_reactions",),
            PARTS[1]: ("level_interpretations",),
            PARTS[2]: ("level_explorations",),
        },
    ),
    Study(
        "Lend an Ear",
        "lend_an_ear",
        "sample_lend_an_ear_conversations.csv",
        "conversation_id",
        {
            OVERALL: (
                *("validating_emotions", "demonstrating_understanding", "encouraging_elaboration"),
                *("-advice_giving", "-self_oriented", "-dismissing_emotions"),
            ),
            PARTS[0]: ("validating_emotions",),
            PARTS[1]: ("demonstrating_understanding",),
            PARTS[2]: ("encouraging_elaboration",),
        },
    ),
    Study(
        "EmpatheticDialogues",
        "empatheticdialogues",
        "sample_empatheticdialogues.csv",
        "conv_id",
        {OVERALL: ("empathy",)},
    ),
)


class RatedReplies(NamedTuple):
    """The replies of one rated conversation, each with what it answers."""

    contexts: list[str]
    replies: list[str]
    ratings: dict[str, float]


class Agreement(NamedTuple):
    """How scores of one study follow its ratings: alone, with length held constant, and length."""

    study: str
    score: str
    rho: Result
    partial: Result
    length: Result


def read_study(folder: Path, study: Study) -> list[RatedReplies]:
    """The rated conversations of a study."""
    ratings = mean_ratings(folder, study)
    texts = dict[str, tuple[list[str], list[str]]]()
    for row in read_rows(folder / "original_data" / study.file):
        if "response_post" in row:
            pairs = [row["seeker_post"]], [row["response_post"]]
        else:
            pairs = supporter_replies(row["full_conversation"])
        texts.setdefault(row[study.key], pairs)
    return [RatedReplies(*texts[key], own) for key, own in ratings.items() if texts[key][1]]


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        raise DataError(f"no {path}: --ratings names the folder of doi.org/10.5281/zenodo.17230987")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def mean_ratings(folder: Path, study: Study) -> dict[str, dict[str, float]]:
    """For each conversation, the mean over annotators of their standardised ratings."""
    sums = dict[str, dict[str, list[float]]]()
    for annotator in ANNOTATORS:
        rows = read_rows(folder / "annotations" / study.folder / f"{annotator}_ratings.csv")
        for what, dimensions in study.ratings.items():
            points = sum(annotator_z_scores(rows, dimension) for dimension in dimensions)
            for row, value in zip(rows, np.atleast_1d(points).tolist(), strict=True):
                own = sums.setdefault(row[study.key], {})
                own.setdefault(what, []).append(value)
    return {
        key: {what: float(np.mean(values)) for what, values in own.items()}
        for key, own in sums.items()
    }


def annotator_z_scores(rows: Sequence[Mapping[str, str]], dimension: str) -> Floats:
    """One annotator's ratings in standard deviations from their mean."""
    sign = -1.0 if dimension.startswith("-") else 1.0
    values = np.array([float(row[dimension.removeprefix("-")]) for row in rows])
    return np.asarray(sign * (values - values.mean()) / (values.std() or 1.0))


def supporter_replies(conversation: str) -> tuple[list[str], list[str]]:
    """What the supporter answered, and what was said before each reply.

    Turns of one speaker in a row are one; a comma is written `_comma_` in EmpatheticDialogues.
    """
    _, *pieces = SPEAKER.split(conversation.replace("_comma_", ","))
    turns = list[tuple[str, str]]()
    for speaker, piece in zip(pieces[::2], pieces[1::2], strict=True):
        text = piece.strip()
        if text and turns and turns[-1][0] == speaker:
            turns[-1] = (speaker, f"{turns[-1][1]} {text}")
        elif text:
            turns.append((speaker, text))
    at = [i for i in range(1, len(turns)) if turns[i][0] == "Supporter"]
    return [turns[i - 1][1] for i in at], [turns[i][1] for i in at]


def agreement(study: str, score: str, values: Floats, ratings: Floats, words: Floats) -> Agreement:
    """Spearman's rho with the ratings, the same with length held constant, and that of length.

    Length is held constant by taking from the ranks of both what those of length explain.
    """
    ranks = [mid_ranks(column) for column in (values, ratings, words)]
    known = np.column_stack([np.ones(len(words)), ranks[2]])
    left = [one - known @ least_squares(known, one) for one in ranks[:2]]
    return Agreement(
        study,
        score,
        correlation(values, ratings, kind="spearman"),
        correlation(left[0], left[1]),
        correlation(words, ratings, kind="spearman"),
    )
