"""Made-up logs: persons who nearly always answer and others who hardly ever do."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from simpatico import Turns
from simpatico.judgements import Judgement, Judgements

START = datetime(2015, 3, 1, tzinfo=UTC)
OFTEN, SELDOM = 0.9, 0.2
PERSONS = 8
"""Those of even number answer often."""


def rows(dialogs=240, *, seed=0, first=0):
    """Dialogs an hour apart: a person asks, somebody helps, and the person answers or does not."""
    rng = np.random.default_rng(seed)
    result = []
    for n in range(first, first + dialogs):
        who = int(rng.integers(PERSONS))
        lines = [(f"p{who}", None, f"how do i mend thing {n}?")]
        lines.append(("helper", "human", f"look at page {rng.integers(9**9)} first"))
        if rng.random() < (SELDOM if who % 2 else OFTEN):
            lines.append((f"p{who}", None, f"thanks, {n} done"))
        for minute, (speaker, system, text) in enumerate(lines):
            time = START + timedelta(hours=n, minutes=minute)
            result.append((f"d{n}", speaker, system, text, time))
    return result


def frame(*args, **kwargs):
    columns = ["dialog", "speaker", "system", "text", "time"]
    return pl.DataFrame(rows(*args, **kwargs), schema=columns, orient="row")


def log(*args, **kwargs):
    return Turns.from_utterances(frame(*args, **kwargs))


def rated(dialogs=6, exchanges=30, *, seed=0):
    """Conversations whose turns are rated 1 to 7: each person has a mean, and questions please.

    Two outsiders see what pleases, but not the person's mean.
    """
    rng = np.random.default_rng(seed)
    lines, inputs = [], []
    for n in range(dialogs):
        mean = 2.5 + 3 * n / max(dialogs - 1, 1)
        for k in range(exchanges):
            asks = bool(rng.integers(2))
            said = f"what about topic {k % 5}?" if asks else f"i like topic {k % 5}."
            lines.append((f"d{n}", "Wizard", "Wizard", said, f"person {n}"))
            lines.append((f"d{n}", "Participant", None, "well", None))
            noise = rng.normal(0, 0.3, 3)
            scores = np.array([mean, 4.0, 4.0]) + (0.8 if asks else -0.8) + noise
            judges = (f"person {n}", "o1", "o2")
            for judge, score in zip(judges, scores, strict=True):
                kind = "outsider" if judge[0] == "o" else "interlocutor"
                value = float(np.clip(score, 1, 7))
                inputs.append(
                    Judgement(f"d{n}", 2 * k, "Wizard", "impression", judge, kind, value, 1, 7)
                )
    columns = ["dialog", "speaker", "system", "text", "interlocutor"]
    turns = Turns.from_utterances(pl.DataFrame(lines, schema=columns, orient="row"))
    return turns, Judgements.of(inputs)
