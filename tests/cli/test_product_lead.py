"""The first hour of a product lead, on real conversations: Ji et al. (2022) as OpenAI messages.

Two of their models, 60 dialogs each, and the workers' ratings as thumbs: up where the mean of the
seven ratings is 50 of 100 or more.
"""

import json

import polars as pl
import pytest

from simpatico.reporting.dialogs.quoting import collect_quotations
from simpatico.reporting.findings import gather_findings
from simpatico.run import Run
from tests.command_line import simpatico

DIALOGS = 60
METRICS = "empathy,agreeableness,predicted_rating[core],style_matching,length,repetition"
FILES = ("pass_free_run1.json", "pass_free_run2.json")
LOOP = "basketball , basketball"


def messages(talk):
    for exchange in talk["dialogue"]:
        yield {"role": "user", "content": exchange["user"]}
        yield {"role": "assistant", "content": exchange["bot"]}


@pytest.fixture(scope="module")
def story(data, tmp_path_factory):
    """A run for each of the models A and D, one of a bot that only loops, and the thumbs."""
    folder = tmp_path_factory.mktemp("lead")
    if not (data / "ji2022").is_dir():
        pytest.skip(f"no ji2022 in {data}; set SIMPATICO_DATA to the folder of public data sets")
    logs, thumbs, loops = {"A": [], "D": []}, ["dialog,quality,value"], []
    for sitting in (s for name in FILES for s in json.loads((data / "ji2022" / name).read_text())):
        for k, talk in enumerate(sitting["data"]):
            dialog, own = f"{sitting['AssignmentId']}:{k}", logs.get(talk["model"], [])
            loops += [e["bot"] for e in talk["dialogue"] if e["bot"].startswith(LOOP)]
            ratings = talk["raw scores"].values()
            if talk["model"] in logs and len(own) < DIALOGS and ratings and talk["dialogue"]:
                row = {"id": dialog, "model": talk["model"], "messages": list(messages(talk))}
                own.append(json.dumps(row))
                thumbs.append(f"{dialog},thumb,{int(sum(ratings) / len(ratings) >= 50)}")
    loop = {"dialogue": [{"user": "What do you like?", "bot": text} for text in loops]}
    logs["loop"] = [
        json.dumps({"id": f"l{k}", "model": "loop", "messages": list(messages(loop))})
        for k in range(4)
    ]
    (folder / "thumbs.csv").write_text("\n".join(thumbs) + "\n")
    for name, lines in logs.items():
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        path, out = folder / f"{name}.jsonl", folder / f"run-{name}"
        done = simpatico("score", path, "--metrics", METRICS, "--out", out)
        assert done.returncode == 0, done.stderr
    return folder


def compare(story, *names, **options):
    more = [str(o) for pair in options.items() for o in (f"--{pair[0]}", pair[1])]
    done = simpatico("compare", *(story / f"run-{name}" for name in names), *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_with_ratings_the_verdict_leads_with_people(story):
    lines = compare(story, "A", "D", judgements=story / "thumbs.csv").splitlines()
    assert lines[0].startswith("People rate A higher than D on “thumb” (")
    assert " 120 dialogs, 60 and 60. Effect on ratings (" in lines[1]
    tables = [i for i, line in enumerate(lines) if line.startswith("score ")]
    assert lines[tables[0] - 1] == "People's ratings"
    assert lines[tables[0] + 2].startswith("people: thumb ")


def test_without_ratings_it_does_not_lead_with_empathy_or_agreeableness(story):
    text = compare(story, "A", "D")
    headline = text.splitlines()[0]
    assert headline.startswith("A is predicted to be rated higher than D")
    assert "empath" not in headline
    assert "agreeable" not in headline
    table, sentences = text.split("Exploratory: scores not shown to follow people\n")[1:]
    assert {"empathy", "agreeableness", "repetition"} <= set(table.split())
    assert "essay-trained empathic-concern model" in sentences


@pytest.mark.parametrize("rated", [True, False])
def test_swapped_arguments_give_the_same_sentences(story, rated):
    options = {"judgements": story / "thumbs.csv"} if rated else {}
    assert compare(story, "A", "D", **options) == compare(story, "D", "A", **options)


def test_a_bot_that_only_loops_has_no_empathy(story):
    run = Run(story / "run-loop")
    rows = run.at("dialog").filter(pl.col("system") == "loop")
    assert rows["empathy"].null_count() == rows.height == 4
    assert rows["empathy_null"].unique().to_list() == ["degenerate"]
    assert rows["agreeableness"].null_count() == 4


def test_the_page_of_both_runs_says_the_same_and_quotes_by_ratings(story, tmp_path):
    thumbs, out = story / "thumbs.csv", tmp_path / "x.json"
    runs = [story / "run-D", story / "run-A"]
    done = simpatico("report", *runs, "--judgements", thumbs, "--json")
    facts = json.loads(done.stdout)
    first = facts["differences"][0]
    assert (first["score"], first["a"], first["b"]) == ("people: thumb", "A", "D")
    assert (first["n_a"], first["n_b"]) == (DIALOGS, DIALOGS)
    titles = [example["title"] for example in facts["examples"]]
    assert titles[0].startswith("Lowest rated, like ")
    assert titles[1].startswith("Highest rated, like ")
    assert facts["examples"][0]["low_turn"] is not None
    assert not out.exists()


def test_without_ratings_dialogs_are_chosen_by_a_score_that_follows_people(story):
    findings = gather_findings(Run(story / "run-A"))
    assert collect_quotations(findings).lead == "predicted_rating[core]"
