"""Bots on trial: emotional prompts, what each bot answers to them, and how all answers score.

The folder of a trial holds `prompts.jsonl`, one file of answers a system in `answers/`, the scores
in `run/`, and the page, `report.html`. The same call again goes on where an earlier one stopped.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from simpatico.bots.bot import Bot, Renamed
from simpatico.bots.probe import SPEAKERS
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import context
from simpatico.errors import DataError
from simpatico.features import Features, closure
from simpatico.files import locked, publish
from simpatico.metric import Metric
from simpatico.metrics.emotional_consistency import EmotionalConsistency
from simpatico.readers import Conversations
from simpatico.reporting.page import report
from simpatico.run import Run, basis, key_of, score_run
from simpatico.scoring import chunk_of
from simpatico.turns import Turns

PROMPTS, ANSWERS, RUN, PAGE = "prompts.jsonl", "answers", "run", "report.html"
LONGEST = 60
"""Characters of a system's name in the name of its file."""


@dataclass(frozen=True)
class Felt:
    """A prompt, and how likely what is to be answered is emotional; null where nobody can say."""

    prompt: Prompt
    chance: float | None


def felt(prompts: Sequence[Prompt], metric: EmotionalConsistency) -> list[Felt]:
    """How likely the last turn of each prompt is emotional."""
    texts = [prompt.dialog[-1].text for prompt in prompts]
    rows = {"dialog": [str(n) for n in range(len(texts))], "speaker": "user", "text": texts}
    turns = Turns.from_utterances(pl.DataFrame(rows))
    found = metric.prompted(turns, Features(turns, closure(metric.needs)))
    known = [None if np.isnan(chance) else float(chance) for chance in found]
    return [Felt(prompt, chance) for prompt, chance in zip(prompts, known, strict=True)]


def emotional(given: Sequence[Felt], metric: EmotionalConsistency) -> list[Felt]:
    """Those prompts that are emotional; an error where none is."""
    kept = [one for one in given if one.chance is not None and one.chance >= metric.threshold]
    if not kept:
        most = max((one.chance for one in given if one.chance is not None), default=None)
        so = "none of them can be judged" if most is None else f"at most {most:.2f} likely"
        raise DataError(
            f"none of {len(given):,} prompts is emotional ({so}, where {metric.threshold:g} is "
            "needed); --all-prompts asks them as they are"
        )
    return kept


def write_prompts(path: Path, prompts: Iterable[Felt]) -> None:
    """The prompts in a file that can be given as prompts again."""
    lines: list[bytes] = []
    for one in prompts:
        rows = [
            {key: row[key] for key in ("dialog", "speaker", "text")}
            for row in context(one.prompt, SPEAKERS)
        ]
        lines += map(msgspec.json.encode, [*rows[:-1], {**rows[-1], "emotional": one.chance}])
    whole = b"".join(line + b"\n" for line in lines)
    publish(path, lambda to: to.write_bytes(whole), private=True)


def told_apart(bots: Sequence[Bot]) -> list[Bot]:
    """The bots, each under a name of its own: the second of a name gets a 2 after it."""
    found: list[Bot] = []
    for bot in bots:
        taken = {other.name for other in found}
        name = free(bot.name, taken)
        found.append(bot if name == bot.name else Renamed(bot, name))
    return found


def free(name: str, taken: Iterable[str]) -> str:
    """The name, or the first with a number after it that nobody has."""
    tries = (name if n == 1 else f"{name}-{n}" for n in count(1))
    return next(one for one in tries if one not in taken)


def answer_files(folder: Path, bots: Sequence[Bot]) -> list[Path]:
    """Where the answers of each bot stand."""
    names: list[str] = []
    for bot in bots:
        plain = re.sub(r"[^\w.-]+", "-", bot.name, flags=re.ASCII).strip(".-")[:LONGEST]
        names.append(free(plain or "bot", names))
    return [folder / ANSWERS / f"{name}.jsonl" for name in names]


def answered(path: Path) -> int:
    """How many prompts have an answer in the file."""
    rows = map(msgspec.json.decode, path.read_bytes().splitlines())
    return sum(row.get("system") is not None for row in rows)


def judged(
    files: Sequence[Path],
    metrics: Sequence[Metric],
    folder: Path,
    progress: Callable[[int], object] = lambda turns: None,
) -> Run:
    """The answers scored; scores of other answers or metrics in the folder make room."""
    conversations = Conversations(tuple(files))
    key = key_of(basis(conversations, metrics, chunk_of(metrics), keep_text=True))
    make_room(folder / RUN, key)
    return score_run(conversations, metrics, folder / RUN, progress=progress)


def make_room(folder: Path, key: str) -> None:
    """Remove a run that is not the one of this key; what is no run stays, and is refused later."""
    try:
        held = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if isinstance(held, dict) and "key" in held and held["key"] != key:
        with locked(folder):
            shutil.rmtree(folder)


def write_page(run: Run, folder: Path, *, title: str | None = None) -> Path:
    """The page of a trial."""
    text, path = report(run, title=title or folder.resolve().name), folder / PAGE
    publish(path, lambda to: to.write_text(text, encoding="utf-8"))
    return path
