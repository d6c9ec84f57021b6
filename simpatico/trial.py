"""Bots on trial: emotional prompts, what each bot answers to them, and how all answers score.

The folder of a trial holds `prompts.jsonl`, one file of answers a system in `answers/`, the scores
in `run/`, and the page, `report.html`. The same call again resumes an interrupted one. All of these
are replaced when bots or prompts change, so that `trial.json` says whose they are.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from simpatico.bots.bot import Bot, RenamedBot
from simpatico.bots.probe import SPEAKERS
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import prompt_rows
from simpatico.errors import BadValue, DataError
from simpatico.features import Features, closure
from simpatico.files import make_folder, write_atomically, write_json_atomically
from simpatico.metric import Metric, package_version
from simpatico.metrics.emotional_consistency import EmotionalConsistency
from simpatico.readers import Conversations
from simpatico.readers.conversations import free_name
from simpatico.reporting.page import report
from simpatico.run import Run
from simpatico.run.folder import lock_run
from simpatico.run.writer import run_identity, run_key, score_run
from simpatico.scoring import chunk_size
from simpatico.turns import Turns

PROMPTS, ANSWERS, RUN, PAGE = "prompts.jsonl", "answers", "run", "report.html"
TRIAL = "trial.json"
"""Written into a folder before anything else: what else is there is of the trial."""
MAX_FILE_NAME = 60
"""Characters of a system's name in the name of its file."""


@dataclass(frozen=True)
class JudgedPrompt:
    """A prompt with the probability that its last turn is emotional; null where none is known."""

    prompt: Prompt
    probability: float | None


def judge_prompts(prompts: Sequence[Prompt], metric: EmotionalConsistency) -> list[JudgedPrompt]:
    """How probably the last turn of each prompt is emotional."""
    texts = [prompt.dialog[-1].text for prompt in prompts]
    rows = {"dialog": [str(n) for n in range(len(texts))], "speaker": "user", "text": texts}
    turns = Turns.from_utterances(pl.DataFrame(rows))
    probabilities = metric.turn_emotionality(turns, Features(turns, closure(metric.needs)))
    return [
        JudgedPrompt(prompt, None if np.isnan(probability) else float(probability))
        for prompt, probability in zip(prompts, probabilities, strict=True)
    ]


def keep_emotional(
    prompts: Sequence[JudgedPrompt], metric: EmotionalConsistency
) -> list[JudgedPrompt]:
    """Those prompts that are emotional; an error where none is."""
    emotional = [one for one in prompts if (one.probability or 0.0) >= metric.threshold]
    if not emotional:
        values = [one.probability for one in prompts if one.probability is not None]
        most = max(values, default=None)
        reason = "no text to classify" if most is None else f"probability at most {most:.2f}"
        raise DataError(
            f"none of {len(prompts):,} prompts is emotional ({reason}, where {metric.threshold:g} "
            "is needed); --all-prompts includes them"
        )
    return emotional


def refuse_foreign_folder(folder: Path) -> None:
    """Refuse a folder with files that no trial wrote, as a trial would replace them."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if names and TRIAL not in names:
        raise BadValue(
            f"--out {folder} holds {names[0]!r}, which no trial wrote there; name another folder, "
            "or add --force to write into this one"
        )


def claim_folder(folder: Path) -> None:
    """Make the folder that of a trial, in which it may replace files, and even a whole run."""
    if not (folder / TRIAL).exists() and (folder / RUN).exists():
        raise BadValue(f"{folder / RUN} is not the run of a trial; move it away or delete it")
    make_folder(folder)
    write_json_atomically(folder / TRIAL, {"version": package_version()})
    make_folder(folder / ANSWERS)


def write_prompts(path: Path, prompts: Iterable[JudgedPrompt]) -> None:
    """The prompts in a file that can be given as prompts again."""
    lines: list[bytes] = []
    for one in prompts:
        rows = [
            {key: row[key] for key in ("dialog", "speaker", "text")}
            for row in prompt_rows(one.prompt, SPEAKERS)
        ]
        rows[-1]["emotional"] = one.probability
        lines += map(msgspec.json.encode, rows)
    write_atomically(path, b"".join(line + b"\n" for line in lines))


def with_unique_names(bots: Sequence[Bot]) -> list[Bot]:
    """The bots, each under a name of its own: the second of a name gets a 2 after it."""
    unique: list[Bot] = []
    for bot in bots:
        name = free_name(bot.name, {other.name for other in unique})
        unique.append(bot if name == bot.name else RenamedBot(bot, name))
    return unique


def answer_files(folder: Path, bots: Sequence[Bot]) -> list[Path]:
    """Where the answers of each bot stand."""
    names: list[str] = []
    for bot in bots:
        plain = re.sub(r"[^\w.-]+", "-", bot.name, flags=re.ASCII).strip(".-")[:MAX_FILE_NAME]
        names.append(free_name(plain or "bot", names))
    return [folder / ANSWERS / f"{name}.jsonl" for name in names]


def count_answers(path: Path) -> int:
    """How many prompts have an answer in the file."""
    rows = map(msgspec.json.decode, path.read_bytes().splitlines())
    return sum(row.get("system") is not None for row in rows)


def score_answers(
    files: Sequence[Path],
    metrics: Sequence[Metric],
    folder: Path,
    progress: Callable[[int], object] = lambda turns: None,
) -> Run:
    """The answers scored; a run of other answers or metrics in the folder is replaced."""
    conversations = Conversations(tuple(files))
    # the same answers and metrics give the same key: then the run is resumed or already done
    key = run_key(run_identity(conversations, metrics, chunk_size(metrics), keep_text=True))
    run, facts = folder / RUN, {}
    with suppress(OSError, ValueError):  # what is not a run stays, and is refused by `score_run`
        facts = json.loads((run / "run.json").read_text(encoding="utf-8"))
    if isinstance(facts, dict) and facts.get("key", key) != key:
        with lock_run(run):
            shutil.rmtree(run)
    return score_run(conversations, metrics, run, progress=progress)


def write_page(run: Run, folder: Path, *, title: str | None = None) -> Path:
    """The page of a trial."""
    path = folder / PAGE
    write_atomically(path, report(run, title=title or folder.resolve().name).encode())
    return path
