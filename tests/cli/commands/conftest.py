"""Commands with bots are tested against the server that tests of bots use."""

from tests.bots.conftest import quick, server

__all__ = ["quick", "server"]
