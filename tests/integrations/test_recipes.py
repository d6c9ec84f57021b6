"""The recipes of docs/integrations run: commands in the order of the page, Python with the tool."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simpatico.integrations.promptfoo import EXAMPLE
from tests.command_line import simpatico as call
from tests.conftest import ROOT
from tests.integrations.test_pytest_plugin import ALONE, PLUGIN

PAGES = {path.stem: path.read_text("utf-8") for path in ROOT.glob("docs/integrations/*.md")}
FILES = ROOT / "tests" / "readers" / "file_formats" / "files"
SERVERS = ("langfuse", "mlflow", "phoenix")
CHATS = """\
dialog,speaker,system,text
a,user,human,I lost my dog.
a,bot,acme,"Oh no, I am so sorry!"
b,user,human,Hello
b,bot,acme,...
"""
BOT = """
PROMPTS = [f"I lost my {thing}, and it was not mine" for thing in "dog cat hat car keys map".split()]

def my_bot(prompt):
    return "Oh no, that is sad. Where did you see it last? " + "And when was it? " * (len(prompt) % 3)
"""
OFFLINE = {
    "HF_EVALUATE_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
}


def blocks(page, kind):
    """The blocks of a kind on a page."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language == kind]


def commands(page):
    """The command lines of a page."""
    joined = [text.replace("\\\n", "") for text in blocks(page, "console")]
    return [line for text in joined for line in text.splitlines()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files of every tool, and with a run called `run` unless the page makes one."""
    for path in FILES.iterdir():
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, tmp_path / path.name)
    shutil.copy(FILES / "inspect_acme-1.eval", tmp_path / "chat.eval")
    (tmp_path / "chats.csv").write_text(CHATS)
    monkeypatch.chdir(tmp_path)
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize("page", sorted(page for page in PAGES if commands(page)))
def test_every_command_of_a_page_runs(page, folder):
    """What would be sent to a server is printed here; servers are in the tests of their exports."""
    lines = [line for line in commands(page) if line.startswith("simpatico ")]
    if not any(" --out run" in line for line in lines):
        line = ["score", "chats.csv", "--out", "run", "--metrics", "style_matching,length"]
        assert call(*line).returncode == 0
    for line in lines:
        words = shlex.split(line)[1:]
        if "export" in words and any(server in words for server in SERVERS):
            words = [*dict.fromkeys([*words, "--dry-run"])]
        done = call(*words)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        if "--dry-run" in words:
            assert done.stdout.startswith("{")
        elif "--out" in words:
            assert Path(words[words.index("--out") + 1]).exists()


def test_every_page_has_a_recipe_and_is_in_the_index():
    index = (ROOT / "docs" / "adapters.md").read_text("utf-8")
    assert set(re.findall(r"\(integrations/([\w-]+)\.md\)", index)) == set(PAGES)
    for page, text in PAGES.items():
        assert "```" in text, page
        for link in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            assert (ROOT / "docs" / "integrations" / link).exists()


def test_the_pytest_recipe_passes_with_a_bot(tmp_path):
    (recipe,) = blocks("pytest", "python")
    (tmp_path / "test_bot.py").write_text(BOT + recipe)
    line = [sys.executable, "-m", "pytest", "-q", *PLUGIN, *ALONE]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_has_the_inputs_of_its_recipe():
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (recipe,) = blocks("github-actions", "yaml")
    (step,) = yaml.safe_load(recipe)["steps"]
    assert set(step["with"]) <= set(action["inputs"])


def test_the_promptfoo_recipe_is_what_init_prints():
    assert blocks("promptfoo", "yaml") == [EXAMPLE.format(name="simpatico_assert.py") + "\n"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "host"),
    [
        ("deepeval", "deepeval"),
        ("evaluate", "evaluate"),
        ("inspect", "inspect_scout"),
        ("mlflow", "mlflow"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_python_of_a_page_runs_in_its_tool(page, host, folder):
    pytest.importorskip(host)
    if page == "evaluate":
        assert call("init", "evaluate").returncode == 0
    (recipe,) = blocks(page, "python")
    env = {**os.environ, "MLFLOW_TRACKING_URI": f"sqlite:///{folder}/m.db", "HF_HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", recipe], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    if page == "evaluate":
        assert 0 < float(done.stdout) <= 1


@pytest.mark.slow
def test_the_inspect_command_of_its_page_scores_the_log(folder):
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import read_eval_log

    (line,) = [line for line in commands("inspect") if line.startswith("inspect ")]
    program, *words = shlex.split(line)
    path = str(Path(sys.executable).with_name(program))
    done = subprocess.run([path, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for sample in read_eval_log("scored.eval").samples:
        assert set(sample.scores["conversation"].value) == {"style_matching", "length"}
