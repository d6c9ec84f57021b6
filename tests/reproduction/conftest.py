"""Small made-up files in the shape of the public data sets."""

import json

import pytest

ANSWERS = ["I love the happy sea.", "No, I hate it.", "You are kind."]
LONG = (
    "and then we went for a long walk with my old dog by the river until it was dark so that "
    "nobody could see us on our way home but one man"
)
MORE = LONG.split()
"""Words that make replies longer and longer without making them repeat themselves."""


def zhao(i):
    return {
        "dialogue_id": f"dailydialog-zhao_{i}",
        "model": "m",
        "context": f"What do you like, number {i // 2}?",
        "response": " ".join([ANSWERS[i % 3], *MORE[:i]]),
        "reference": ["I love the sea."],
        "annotations": {"appropriateness": [1 + i % 5, 1 + i % 3, 5]},
    }


def usr(i):
    return {
        "dialogue_id": f"topical-usr_{i}",
        "model": ["Original Ground Truth", "Argmax Decoding", "New Human Generated"][i % 3],
        "context": f"Do you like the number {i // 3}?",
        "response": " ".join([ANSWERS[i % 3], *MORE[: i % 7]]),
        "reference": [ANSWERS[0]],
        "annotations": {"Overall": [1 + i % 5, 1 + i % 4, 4], "Natural": [1, 2, 3]},
    }


@pytest.fixture
def small(tmp_path):
    """30 responses to 15 prompts of one set and 36 responses to 12 prompts of another."""
    folder = tmp_path / "dstc10-dev"
    folder.mkdir()
    sets = {"dailydialog-zhao": [zhao(i) for i in range(30)], "topical-usr": map(usr, range(36))}
    for name, rows in sets.items():
        (folder / f"{name}_eval.json").write_text(json.dumps(list(rows)))
    return tmp_path
