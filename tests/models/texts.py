"""Four hundred distinct texts of many lengths, cut from the bundled conversations."""

import json
from pathlib import Path

import simpatico

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"


def texts(n: int = 400) -> list[str]:
    """Whole utterances first, then ever shorter beginnings of them."""
    said = [json.loads(line)["text"] for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    parts = [
        " ".join(text.split()[:size])
        for size in (99, *range(1, 40))
        for text in said
        if size == 99 or size < len(text.split())
    ]
    return list(dict.fromkeys(parts))[:n]


def write_few_dialogs(folder: Path) -> Path:
    """The first dialogs of the samples: enough to see that something runs."""
    lines = SAMPLES.read_text(encoding="utf-8").splitlines(keepends=True)[:60]
    path = folder / "few.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path
