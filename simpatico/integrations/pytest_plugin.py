"""pytest: a test passes only if the conversations it made keep rules on their confidence bounds.

    @pytest.mark.simpatico(rule=["style_matching >= 0.2", "question_rate <= 0.8"])
    def test_support_bot(simpatico_dialogs):
        for prompt in PROMPTS:
            simpatico_dialogs.append(my_bot.talk(prompt))  # messages with role and content

The plug-in is loaded at every start of pytest in an environment that has simpatico, so that at the
top it imports pytest and the standard library alone. `-p no:simpatico` leaves it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from simpatico.comparison.gate import Check
    from simpatico.run import Run

MARKER = (
    "simpatico(rule, metrics=None, system=None): the conversations in the fixture "
    "simpatico_dialogs, or the run in simpatico_run, must keep each rule, such as 'empathy >= 0.4'"
)
NO_RULE = "the marker simpatico needs a rule, as in @pytest.mark.simpatico(rule='empathy >= 0.4')"
NO_FIXTURE = (
    "the marker simpatico needs conversations: let the test take simpatico_dialogs and append "
    "lists of messages to it, or take simpatico_run"
)
NO_RUN = (
    "the fixture simpatico_run needs a run folder: pytest --simpatico-run RUN, or simpatico_run "
    "in pytest's configuration"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("simpatico")
    group.addoption("--simpatico-run", metavar="RUN", help="Run folder of simpatico_run.")
    parser.addini("simpatico_run", "run folder of the fixture simpatico_run", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def simpatico_dialogs() -> list[Any]:
    """Conversations of one test, each a list of messages; the marker's rules are about them."""
    return []


@pytest.fixture
def simpatico_run(pytestconfig: pytest.Config) -> Run:
    """The finished run that `--simpatico-run` or the configuration names."""
    from simpatico.run import Run

    folder = pytestconfig.getoption("--simpatico-run") or pytestconfig.getini("simpatico_run")
    if not folder:
        pytest.fail(NO_RUN, pytrace=False)
    return Run(Path(pytestconfig.rootpath, folder))


@pytest.fixture
def simpatico_gate(request: pytest.FixtureRequest) -> Callable[..., list[Check]]:
    """Check conversations or a run against rules within a test; fails it unless all are kept."""

    def gate(source: Any, *rules: str, **options: Any) -> list[Check]:
        return check_rules(request.node, source, rules, **options)

    return gate


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    outcome = yield
    for marker in pyfuncitem.iter_markers("simpatico"):
        options = dict(marker.kwargs)
        rules = options.pop("rule", marker.args)
        if not rules:
            pytest.fail(NO_RULE, pytrace=False)
        arguments = pyfuncitem.funcargs
        source = arguments.get("simpatico_dialogs", arguments.get("simpatico_run"))
        if source is None:
            pytest.fail(NO_FIXTURE, pytrace=False)
        rules = [rules] if isinstance(rules, str) else rules
        check_rules(pyfuncitem, source, rules, **options)
    return outcome


def check_rules(
    item: pytest.Item,
    source: Any,
    rules: Sequence[str],
    *,
    metrics: Sequence[str] | None = None,
    system: str | None = None,
) -> list[Check]:
    """Each rule on each system; the numbers become properties of the test, as in JUnit XML."""
    from simpatico.comparison import gate
    from simpatico.comparison.gate.rules import read_rule
    from simpatico.comparison.samples import Selection, select_scores
    from simpatico.errors import SimpaticoError

    try:
        with TemporaryDirectory(prefix="simpatico-") as folder:
            run = score_source(source, rules, metrics, Path(folder))
            known = list(select_scores(run, Selection(every=True)))
            conditions = [read_rule(text, known) for text in rules]
            checks = gate.check_rules(run, conditions, gate.select_systems(run, system))
    except SimpaticoError as error:
        raise pytest.fail.Exception(f"simpatico: {error}", pytrace=False) from None
    for check in checks:
        numbers = {"": check.value, "_low": check.low, "_high": check.high, "_n": check.n}
        name = f"simpatico.{check.system}.{check.score}"
        item.user_properties += [(f"{name}{ending}", x) for ending, x in numbers.items()]
    signatures = {n: facts["signature"] for n, facts in run.facts["metrics"].items()}
    item.user_properties.append(("simpatico.signatures", json.dumps(signatures)))
    failed = [f"{c.outcome}: {c.system}: {c.rule}: {c.reason}" for c in checks if not c.passed]
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)
    return checks


def score_source(
    source: Any, rules: Sequence[str], metrics: Sequence[str] | None, folder: Path
) -> Run:
    """The run itself, or the conversations as a run in this folder."""
    from simpatico.api import load_metrics, message_records
    from simpatico.comparison.gate.rules import rule_subject
    from simpatico.errors import DataError
    from simpatico.readers import Conversations
    from simpatico.run import Run
    from simpatico.run.writer import score_run

    if isinstance(source, Run):
        return source
    if not len(source):
        raise DataError("the test made no conversations: simpatico_dialogs is empty")
    names = metrics or list(dict.fromkeys(map(rule_subject, rules)))
    lines = [json.dumps(record) + "\n" for record in message_records(source)]
    dialogs = folder / "dialogs.jsonl"
    dialogs.write_text("".join(lines), encoding="utf-8")
    return score_run(Conversations((dialogs,)), load_metrics(names), folder / "run", jobs=1)
