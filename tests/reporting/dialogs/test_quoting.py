"""A page stays small however long the dialogs are that it quotes."""

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from simpatico.reporting.dialogs.quoting import (
    LETTERS,
    TURNS,
    collect_quotations,
    total_length,
)
from simpatico.reporting.findings import gather_findings
from simpatico.reporting.page import render_page

METRICS = ("style_matching", "emotional_entropy", "emotion_shares", "length")


def talk(dialogs, turns, words):
    """Dialogs of two systems; every other word is a function word, so that most are marked."""
    texts = ["you and I", "the happy dog", "it was not sad", "we are very glad"]
    for d in range(dialogs):
        system = ("heron", "juniper")[d % 2]
        for t in range(turns):
            text = " ".join(texts[(d + t + w) % 4] for w in range(words + (d * 7 + t) % 5))
            who = ("ann", "human") if t % 2 == 0 else (system, system)
            yield {"dialog": f"d{d:03}", "speaker": who[0], "system": who[1], "text": text}


@pytest.mark.parametrize(("turns", "words"), [(300, 4), (60, 200), (2, 3)])
def test_long_dialogs_are_cut_and_the_page_stays_below_a_megabyte(tmp_path, turns, words):
    pl.DataFrame(list(talk(30, turns, words))).write_ndjson(tmp_path / "talk.jsonl")
    talks = Conversations((str(tmp_path / "talk.jsonl"),))
    run = score_run(talks, [load(name) for name in METRICS], tmp_path / "run")
    findings = gather_findings(run)
    quotes = collect_quotations(findings).dialogs
    assert quotes
    assert total_length(quotes) <= LETTERS
    assert sum(len(q.turns) for q in quotes) <= TURNS
    assert len(render_page(findings).encode()) < 1_000_000
