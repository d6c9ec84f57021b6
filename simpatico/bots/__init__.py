"""Code that we run to produce turns: one file a kind of bot, and what is done with bots.

A bot is called with a dialog so far and gives its reply. `load_bot` makes one from its SPEC.
"""

from __future__ import annotations

from simpatico.bots.bot import Bot, Message, Reply, Settings
from simpatico.bots.spec import load_bot

__all__ = ["Bot", "Message", "Reply", "Settings", "load_bot"]
