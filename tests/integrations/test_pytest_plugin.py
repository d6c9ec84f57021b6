"""The pytest plug-in in pytest processes of their own, alone and with xdist."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from xml.etree import ElementTree

import pytest

import simpatico

INSTALLED = any(point.name == "simpatico" for point in entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "simpatico.integrations.pytest_plugin"]
"""Of an installation older than the entry point, the plug-in has to be named."""
ALONE = [
    word for name in ("warnings", "asyncio", "deepeval", "phoenix") for word in ("-p", f"no:{name}")
]
"""Plug-ins of other packages, which may be installed and warn at their import, are left out."""
SUITE = """
import pytest

DIALOGS = [
    [
        {"role": "user", "content": "I lost my keys " + "again " * n},
        {"role": "assistant", "content": "Oh no. " + "Did you look twice? " * (n % 3 + 1)},
    ]
    for n in range(8)
]

@pytest.mark.simpatico(rule=["length >= 4", "style_matching >= 0"])
def test_kept(simpatico_dialogs):
    simpatico_dialogs += DIALOGS

@pytest.mark.simpatico(rule="length >= 100")
def test_broken(simpatico_dialogs):
    simpatico_dialogs += DIALOGS

@pytest.mark.simpatico(rule="length >= 4")
def test_few(simpatico_dialogs):
    simpatico_dialogs.append(DIALOGS[0])

@pytest.mark.simpatico(rule="lenght >= 4")
def test_unknown(simpatico_dialogs):
    simpatico_dialogs += DIALOGS

@pytest.mark.simpatico(rule="length >= 4")
def test_empty(simpatico_dialogs):
    pass

@pytest.mark.simpatico
def test_no_rule(simpatico_dialogs):
    pass

@pytest.mark.simpatico(rule="length >= 4")
def test_no_fixture():
    pass

def test_gate(simpatico_gate):
    (check,) = simpatico_gate(DIALOGS, "style_matching_ppron >= 0", metrics=["style_matching"])
    assert check.n == 8

@pytest.mark.simpatico(rule="length >= 4")
def test_run(simpatico_run):
    pass

@pytest.mark.simpatico(rule="length >= 4")
def test_that_fails_by_itself(simpatico_dialogs):
    assert DIALOGS == []
"""
MESSAGES = {
    "test_broken": "broken: assistant: length >= 100: 9.500 (95% CI [6.709, 12.291]), 8 dialogs; the mean violates the rule",
    "test_few": "undecided: assistant: length >= 4: too few dialogs: 1; at least 6 are needed",
    "test_unknown": "simpatico: no metric 'lenght'; did you mean 'length'?",
    "test_empty": "simpatico: the test made no conversations: simpatico_dialogs is empty",
    "test_no_rule": "the marker simpatico needs a rule, as in @pytest.mark.simpatico(rule='empathy >= 0.4')",
    "test_no_fixture": "the marker simpatico needs conversations: let the test take simpatico_dialogs and append lists of messages to it, or take simpatico_run",
    "test_run": "the fixture simpatico_run needs a run folder: pytest --simpatico-run RUN, or simpatico_run in pytest's configuration",
}  # fmt: skip


def run_pytest(folder, *options):
    """A process of its own, with the plug-in as an installed package offers it."""
    (folder / "test_bot.py").write_text(SUITE, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    call = [sys.executable, "-m", "pytest", "-q", *PLUGIN, *ALONE, "--junitxml=out.xml", *options]
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True)
    assert (folder / "out.xml").exists(), done.stdout + done.stderr
    root = ElementTree.parse(folder / "out.xml").getroot()
    return {case.get("name"): case for case in root.iter("testcase")}, done


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_rules_decide_and_the_numbers_are_in_junit(tmp_path, options):
    """Replies have 2 + 4 k words, k = 1, 2, 3 three, three and two times: 76 / 8 = 9.5 words.

    The squares of the deviations add up to 78: 9.5 ± 2.3646 sqrt(78 / 7 / 8) = [6.709, 12.291].
    """
    cases, done = run_pytest(tmp_path, *options)
    assert done.returncode == 1
    assert "7 failed, 2 passed, 1 error" in done.stdout
    for name, text in MESSAGES.items():
        (problem,) = [e for e in cases[name] if e.tag in ("failure", "error")]
        assert problem.text == text
    assert cases["test_that_fails_by_itself"].find("properties") is None
    numbers = {p.get("name"): p.get("value") for p in cases["test_kept"].iter("property")}
    assert float(numbers["simpatico.assistant.length"]) == 9.5
    assert numbers["simpatico.assistant.length_n"] == "8"
    assert float(numbers["simpatico.assistant.length_low"]) == pytest.approx(6.709, abs=0.0005)
    assert "length|version:" in numbers["simpatico.signatures"]
    assert not cases["test_gate"].findall("failure")


def test_a_run_is_named_by_option_or_configuration_and_the_plugin_can_be_left_out(tmp_path):
    chats = tmp_path / "chats.jsonl"
    turn = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "%s"}]}\n'
    chats.write_text("".join(turn % ("one two three four five " * n) for n in range(1, 9)))
    conversations = simpatico.Conversations((chats,))
    simpatico.score_run(conversations, [simpatico.load("length")], tmp_path / "run")
    cases, _ = run_pytest(tmp_path, "-k", "test_run", "--simpatico-run", "run")
    assert not cases["test_run"].findall("*[@message]")
    cases, _ = run_pytest(tmp_path, "-k", "test_run", "-o", "simpatico_run=run")
    assert not cases["test_run"].findall("*[@message]")


def test_the_plugin_imports_nothing_but_pytest_and_the_standard_library():
    code = (
        "import pytest, sys\n"
        "before = set(sys.modules)\n"
        "import simpatico.integrations.pytest_plugin\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - set(sys.stdlib_module_names)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['simpatico']\n"
