"""Drawings compared byte for byte with those somebody has looked at."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def golden(name: str, markup: str) -> None:
    """Compare with golden/<name>; with SIMPATICO_GOLDEN=1 write it instead, then look at it."""
    path = FOLDER / name
    if os.environ.get("SIMPATICO_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(markup + "\n", encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == markup + "\n", f"{name} has changed"
