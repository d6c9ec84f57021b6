"""What tests of judges share: a server, rubrics and dialogs."""

import pytest

from simpatico.bots import http
from simpatico.judging.rubric import load_rubrics
from tests.judging.server import judging


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(http, "FIRST_DELAY", 0.01)
    with judging() as running:
        yield running


def rubric(name, eyes=None):
    return load_rubrics([name], eyes)[0]


def dialogs(texts, *, system="bot"):
    """Rows of a file: a dialog per text, in which a person says it and the system replies."""
    return [
        {"dialog": f"d{n}", "speaker": speaker, "system": who, "text": said, "prompt": f"p{n}"}
        for n, text in enumerate(texts)
        for speaker, who, said in (("ann", "human", text), (system, system, f"Well, {n}."))
    ]
