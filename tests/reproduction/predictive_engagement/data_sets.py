"""Small made-up files in the shape of those that the engagement paper published."""

import csv
import json
from pathlib import Path

from simpatico.reproduction.predictive_engagement import data as files

HEAD = [
    "query",
    "response",
    "human_score",
    "Ruber_Unref_Score",
    "CTX_Unref_Score",
    "Eng_Score_MeanPooling",
    "Eng_Score_MaxPooling",
]
EXAMPLE = ("Not long , because people rush for lunch .", "The line sure does move fast .")


def write(path: Path, head: list[str], rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


def rated(queries: int = 12):
    """For each query a generated and a written reply; three ratings of each stand in three rows.

    Pair i of a part is rated 1 + i mod 5 three times over, and Ctx-RUBER says i / 100.
    """
    texts = [EXAMPLE, *((f"What is number {i} ?", f"It is {'so ' * i}") for i in range(1, queries))]
    for part in ("generated", "written"):
        for turn in range(3):
            for i, (query, reply) in enumerate(texts):
                text = reply if part == "written" else f"{i} of the machine"
                value = 1 + (i + turn * (i == 0)) % 5
                yield query, text, value, "0.5\n", f"{i / 100}\n", f"{(i % 4) / 4}\n", f"{i % 3}\n"


def talk(number: int, bot: bool):
    """Bob gets what stands under his id; Alice, a person, nothing from a bot."""
    ratings = {"Alice": 0 if bot else 4, "Bob": 1 + number % 5}
    texts = [f"hello {number} {turn}" for turn in range(6)]
    return {
        "dialogId": number,
        "users": [
            {"id": "Alice", "userType": "Human"},
            {"id": "Bob", "userType": "Bot" if bot else "Human"},
        ],
        "evaluation": [
            {"userId": name, "quality": v, "breadth": v, "engagement": v}
            for name, v in ratings.items()
        ],
        "thread": [
            {"userId": "AliceBob"[5 * (i % 2) : 5 + 3 * (i % 2)], "text": text, "evaluation": i % 3}
            for i, text in enumerate(texts)
        ],
        "context": "A passage.",
    }


def write_published(folder: Path) -> Path:
    """All files of the paper and ConvAI, small."""
    own, chats = folder / files.FOLDER, folder / "convai2017"
    own.mkdir()
    chats.mkdir()
    write(own / files.PAIRS, HEAD, rated())
    talks = [talk(number, bot=number % 2 == 0) for number in range(60)]
    (chats / "train_full.json").write_text(json.dumps(talks))
    lines, labels = [], []
    for number in range(12):
        texts = [f"hello {number} {turn}" for turn in range(6)]
        turns = " ".join(f"<sp{1 + i % 2}> {text} </sp{1 + i % 2}>" for i, text in enumerate(texts))
        lines.append(f"{number}\t6\t{number % 6}\t4\t4\t {turns}")
        pairs = list(zip(texts[::2], texts[1::2], strict=True))
        labels += [(q, r, int(place < number / 4)) for place, (q, r) in enumerate(pairs)]
    (own / files.DIALOGS).write_text("\n".join(lines) + "\n")
    write(own / files.LABELS, ["id", "query", "reply", "label"], with_numbers(reversed(labels)))
    target = [(f"Ask {i}", f"Reply {i} {'more ' * (i % 7)}", int(i % 7 > 3)) for i in range(60)]
    leak = [("What is number 3 ?", "Something new .", 1)]
    write(
        own / files.TARGET_TRAIN,
        ["id", "query", "reply", "label"],
        with_numbers([*leak, *target[:40]]),
    )
    write(own / files.TARGET_TEST, ["id", "query", "reply", "label"], with_numbers(target[40:]))
    return folder


def with_numbers(rows):
    return [(i, *row) for i, row in enumerate(rows)]
