"""What tests of a bot behind an address need: a server, and short waits."""

import pytest

from simpatico.bots import http
from tests.bots.server import serving


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def quick(monkeypatch, request):
    """Hardly a wait before asking again; the key is that of the test's module."""
    monkeypatch.setattr(http, "FIRST_DELAY", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", request.module.KEY)
