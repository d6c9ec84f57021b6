"""The collection of Giorgi et al. (2023) in small: five people, three bots, both levels of questions.

Two bots follow a script and one is a language model on this machine. People talk through the pages,
outsiders rate turns and dialogs through them, and `validate` prints T, P and P+T of both levels, the
shape of the paper's Tables 1 and 2.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from simpatico.models.names import why_missing
from tests.command_line import simpatico
from tests.study.pages.test_story import answer_all

STUDY = """
name = "tbd-small"
title = "Three bots"
question_sets = ["tbd"]
seed = 11

[talk]
bots = [
  {name = "vague", spec = "script:generic"},
  {name = "echo", spec = "script:echo"},
  {name = "smollm2", spec = "local:package:smollm2", max_tokens = 12},
]
dialogs_per_bot = 5
min_turns = 4
max_turns = 5

[rate]
raters = 2
"""
OPENINGS = [
    "Hello! How was your weekend?", "I just came back from the sea.", "My dog is ill.",
    "I cannot find a job.", "What did you cook yesterday?",
]  # fmt: skip


@pytest.mark.slow
def test_three_bots_five_people_both_levels(open_study, visit, tmp_path):
    if why := why_missing("package:smollm2"):
        pytest.skip(why)
    study = open_study(STUDY)
    for person, link in enumerate(study.links("interlocutor", 5)):
        page = visit(link)
        for _ in range(3):
            for n, text in enumerate((OPENINGS[person], "Tell me more, please.")):
                expect(page.locator("#say")).to_be_enabled(timeout=60_000)
                page.locator("#say").fill(text)
                page.keyboard.press("Enter")
                expect(page.locator(".turn.s")).to_have_count(n + 1)
                expect(page.locator("#hint")).not_to_contain_text("writing", timeout=120_000)
            page.locator(".q").last.focus()
            answer_all(page, [1 + (person + n) % 5 for n in range(9)])
            page.locator("#next").press("Enter")
            expect(page.locator(".turn")).to_have_count(0)
        expect(page.locator("h1")).to_have_text("Thank you, that was all")
    for rater, link in enumerate(study.links("outsider", 2)):
        page = visit(link)
        for unit in range(15):
            expect(page.locator(".q.on")).to_have_count(1)
            count = page.locator("#count").inner_text()
            answer_all(page, [1 + (unit * 7 + rater + n * n) % 5 for n in range(30)])
            page.keyboard.press("Enter")
            expect(page.locator("#count")).not_to_have_text(count)
        expect(page.locator("h1")).to_have_text("Thank you, that was all")

    out = tmp_path / "results"
    metrics = "style_matching,emotional_entropy,length,question_rate"
    done = simpatico("study", "report", study.file, "--out", out, "--metrics", metrics)
    assert done.returncode == 0, done.stderr
    line = ["validate", out / "run", "--judgements", out / "judgements.csv"]
    facts = json.loads(simpatico(*line, "--json").stdout)
    rows = {(r["quality"], r["level"]) for r in facts["incremental"]}
    assert {("appropriateness", "turn"), ("overall", "dialog")} <= rows
    n = {
        (r["quality"], r["level"]): r["n"] for r in facts["correlations"] if r["score"] == "length"
    }
    # 15 dialogs, two replies each; every one was rated by two outsiders
    assert n["appropriateness", "turn"] == 30
    assert n["overall", "dialog"] == 15
    tables = simpatico(*line).stdout
    assert re.search(r"^appropriateness +all ", tables, re.MULTILINE)
    assert re.search(r"^overall +all ", tables, re.MULTILINE)
