"""`simpatico validate` as a researcher meets it: a table per quality, verdicts, Williams, LaTeX."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import simpatico
from simpatico.cli.commands._correlations import verdict
from simpatico.cli.table_formats import latex_lines, markdown_lines
from simpatico.stats.result import Result
from simpatico.validation.correlations import CorrelationRow
from tests.command_line import simpatico as call
from tests.readers.judgement_formats.exports import as_export

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples"
RATINGS = SAMPLES / "judgements_made_up.csv"
TEN = (
    *("length", "question_rate", "repetition", "style_matching", "emotional_entropy"),
    *("emotion_matching", "agreeableness", "empathy", "predicted_rating[core]", "emotion_shares"),
)
QUALITIES = ["empathetic", "enjoyed", "interesting", "overall"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("researcher") / "run"
    source = SAMPLES / "conversations.jsonl"
    done = call("score", source, "--out", out, "--metrics", ",".join(TEN))
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def printed(run):
    return call("validate", run, "--judgements", RATINGS)


def correlation(value, p, partial=(0.3, 0.2, 0.4), status="ok"):
    constant = None if partial is None else Result(*partial)
    names = {"quality": "overall", "score": "x", "nulls": 0, "unmatched": 0, "family": 1}
    return CorrelationRow(
        value=value, p_adjusted=p, length_held_constant=constant, status=status, **names
    )


@pytest.mark.parametrize(
    ("row", "better", "words"),
    [
        (correlation(0.4, 0.01), "higher", "follows"),
        (correlation(-0.4, 0.01, (-0.3, -0.4, -0.2)), "lower", "follows (reversed)"),
        (correlation(-0.4, 0.01), "higher", "opposite"),
        (correlation(0.4, 0.01), "lower", "opposite"),
        (correlation(-0.4, 0.01), None, "correlates"),
        (correlation(0.4, 0.01, (0.1, -0.1, 0.3)), "higher", "follows, by length"),
        (correlation(0.4, 0.01, None), "higher", "follows"),
        (correlation(0.4, 0.2), "higher", "n.s."),
        (correlation(None, None, status="too_few"), "higher", "too few"),
        (correlation(0.4, None), "higher", "no test"),
    ],
)
def test_the_sign_is_read_by_the_better_direction(row, better, words):
    assert verdict(row, better) == words


def test_one_table_a_quality_sorted_by_strength_with_a_verdict(printed):
    title = r"^(\w+): correlation with human ratings \(Pearson's r\), (\d+) rated dialogs$"
    titles = dict(re.findall(title, printed.stdout, re.MULTILINE))
    assert list(titles) == QUALITIES
    # 11 dialogs have no rating of it
    assert titles == {**dict.fromkeys(QUALITIES, "66"), "enjoyed": "55"}
    for block in printed.stdout.split("correlation with human ratings")[1:]:
        lines = block.split("\n\n")[0].splitlines()[3:]
        rows = [line.split() for line in lines if not line.startswith(" ")]  # a verdict may wrap
        sizes = [abs(float(row[1].replace("−", "-"))) for row in rows]
        assert sizes == sorted(sizes, reverse=True)
        assert len(rows) == len(TEN) - 1  # emotion_shares has no score of its own name
    assert (
        "verdict: follows = significant in the better direction (reversed: lower is better)"
        in printed.stderr
    )
    assert "r: Pearson's r; p: t-test, Holm-corrected for 9 scores per quality" in printed.stderr
    assert len(printed.stdout.splitlines()) < 100


def test_details_stand_behind_verbose(run, printed):
    details = call("validate", run, "--judgements", RATINGS, "--verbose").stdout
    assert "Inter-rater agreement" not in printed.stdout
    assert "Inter-rater agreement" in details
    over_length = re.compile(r"^overall +length +", re.MULTILINE)
    assert not over_length.search(printed.stdout)
    assert over_length.search(details)


def test_every_sentence_names_its_quality(printed):
    sentences = [line for line in printed.stdout.splitlines() if line.endswith(".")]
    assert len(sentences) == len(QUALITIES)  # agreement of raters
    assert all(any(quality in line for quality in QUALITIES) for line in sentences)


def test_ten_baselines_against_length_by_the_williams_test_as_latex(run):
    """The researcher's story; the numbers are those of the JSON."""
    line = ["validate", run, "--judgements", RATINGS, "--quality", "empathetic"]
    line += ["--against", "length", "--correlation", "spearman"]
    text = call(*line, "--format", "latex").stdout
    rows = json.loads(call(*line, "--json").stdout)["dependent"]
    assert len(rows) == len(TEN) - 2
    assert {row["method"] for row in rows} == {"Spearman rho, Williams t, Zou interval"}
    assert r"\caption{Differences between correlations, Williams' test}" in text
    for row in rows:
        value = f"{row['value']:.2f}".replace("0.", ".").replace("-", "$-$")
        score = row["score"].replace("_", r"\_").replace("[", "{[}").replace("]", "{]}")
        assert f"empathetic & {score} & length & {value} &" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\bottomrule") == 4
    assert r"$\rho$" in text


def test_markdown_and_csv_hold_the_same_rows(run):
    line = ["validate", run, "--judgements", RATINGS, "--quality", "overall", "--format"]
    markdown, table = call(*line, "markdown").stdout, call(*line, "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 9
    assert {"score", "better", "value", "low", "high", "p_adjusted", "n", "verdict"} <= set(rows[0])
    for row in rows:
        assert re.search(
            rf"^\| {re.escape(row['score'])} \| .*{row['verdict']} \|$", markdown, re.M
        )


def test_an_export_of_an_annotation_tool_gives_the_numbers_of_the_table(run, tmp_path):
    columns = ["dialog", "turn", "speaker", "quality", "judge", "judge_kind", "value"]
    ratings = pl.read_csv(RATINGS).filter(judge_kind="outsider").select(columns)
    table, export = tmp_path / "ratings.csv", tmp_path / "label_studio.json"
    ratings.write_csv(table)
    export.write_text(json.dumps(as_export("label-studio", ratings.to_dicts())))
    options = ("--quality", "overall", "--format", "csv", "--scores", "length,style_matching")
    done = [call("validate", run, "--judgements", path, *options) for path in (table, export)]
    assert done[0].stdout == done[1].stdout
    assert done[0].stdout.count("\n") == 3  # a header and two scores
    note = "read as Label Studio export: dialog from 'dialog', speaker from 'speaker'\n"
    assert done[1].stderr.startswith(note)
    assert call("compare", run, "--judgements", export).stderr.startswith(note)


def test_names_cannot_break_a_table():
    (row,) = latex_lines("50% & more", ["a_b"], [["[x] #1 \\ −.5"]])[6:7]
    assert row == r"{[}x{]} \#1 \textbackslash{} $-$.5 \\"
    assert markdown_lines("t", ["a"], [["x|y"]])[-1] == "| x\\|y |"


def test_a_figure_takes_the_coefficient_and_names_the_kinds(run, tmp_path):
    out = tmp_path / "f.svg"
    line = ["figure", "forest", "--run", run, "--judgements", RATINGS, "--quality", "empathetic"]
    assert call(*line, "--correlation", "spearman", "--out", out).returncode == 0
    text = re.sub(r"<[^>]+>", " ", out.read_text(encoding="utf-8"))
    assert " ρ " in text
    words = " ".join(text.split())
    assert "P psychological, L learned, T traditional. Hollow: not significant." in words


def terminal_output(*arguments, columns=80):
    """What a command prints to a terminal of so many columns, without colours."""
    import fcntl
    import struct
    import termios

    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    command = [sys.executable, "-m", "simpatico", *map(str, arguments)]
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(command, stdout=writer, stderr=writer, stdin=writer, env=env)
    os.close(writer)
    chunks = []
    while True:
        try:
            chunk = os.read(reader, 65536)
        except OSError:  # Linux reports the end of a terminal so
            break
        if not chunk:
            break
        chunks.append(chunk)
    assert process.wait() == 0
    os.close(reader)
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", b"".join(chunks).decode())


def test_progress_is_shown_on_a_terminal_and_lines_break_between_words(run):
    text = terminal_output(
        "validate", run, "--judgements", RATINGS, "--scores", "length,repetition"
    )
    assert "inter-rater agreement" in text  # the name of a step; the table has a capital
    lines = [line for part in text.splitlines() for line in part.split("\r")]
    assert max(map(len, lines)) <= 80
