"""A page stays small however long the dialogs are that it quotes."""

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from simpatico.judgements import Judgement, Judgements
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


def test_the_first_turn_where_a_low_rated_dialog_went_wrong(tmp_path):
    """Turns 1, 3, 5, 7 of 12 dialogs are rated 4 to 5, but five of these 48 turns are rated 1.

    Two are in d003, the lowest rated dialog; its first low turn is 5, the sixth. d000 and d011, which
    have the other three, are above the median and have no mark.
    """
    pl.DataFrame(list(talk(12, 8, 4))).write_ndjson(tmp_path / "talk.jsonl")
    talks = Conversations((str(tmp_path / "talk.jsonl"),))
    run = score_run(talks, [load("length"), load("style_matching")], tmp_path / "run")
    low = {("d003", 5), ("d003", 7), ("d000", 1), ("d000", 3), ("d011", 1)}
    rows = []
    for d in range(12):
        name = f"d{d:03}"
        speaker = ("heron", "juniper")[d % 2]
        dialog = 1.0 if d == 3 else 4.0 + d / 100 if d else 5.0
        rows.append(Judgement(name, None, speaker, "overall", "j", None, dialog, 1.0, 5.0))
        for turn in (1, 3, 5, 7):
            value = 1.0 if (name, turn) in low else 4.0 + turn / 10
            rows.append(Judgement(name, turn, speaker, "fit", "j", None, value, 1.0, 5.0))
    findings = gather_findings(run, Judgements.of(rows))
    quotes = collect_quotations(findings)
    first = quotes.dialogs[0]
    assert first.example.title.startswith("Lowest rated: ")
    assert (first.example.dialog, first.example.low_turn) == ("d003", 5)
    marks = [q.example.dialog for q in quotes.dialogs if q.example.low_turn is not None]
    assert marks == ["d003"]
    assert first.turns[5].note == "first low turn: “fit” 1.00, in the worst 10% of turns"
    page = render_page(findings)
    assert "First low turn: 5 (turns count from 0)" in page
    assert page.count("first low turn: “fit” 1.00") == 1
