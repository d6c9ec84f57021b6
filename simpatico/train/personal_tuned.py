"""What fine-tunings with marks of who speaks share: whom a model knows already, and its key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from simpatico.errors import BadValue
from simpatico.features import alone
from simpatico.features.head_folder import heads_folder
from simpatico.features.marked_folder import KEY, is_marked, load_marked, read_key
from simpatico.features.moments import Moments
from simpatico.features.personal import Numbers, Target
from simpatico.features.personal_folder import PERSONS, Heldout
from simpatico.features.personal_rows import language_of
from simpatico.features.persons import new_key
from simpatico.parts import publish
from simpatico.train.finetune_folder import CARD
from simpatico.train.personal_card import figures
from simpatico.turns import Turns

BASE = "package:minilm-torch"


def marked(base: str) -> Collection[str]:
    """Digits of those who have a mark in the model to go on from."""
    if (personal := heads_folder(base)) and (personal / PERSONS).is_file():
        raise BadValue(f"{base} is not fine-tuned; to go on from it, leave out --fine-tune")
    return load_marked(base).marks.known if is_marked(base) else ()


def used(base: str, facts: Mapping[str, object]) -> dict[str, object]:
    """The facts of a training, with what is needed to use the model that comes of it."""
    read = load_marked(base).recipe.language if is_marked(base) else language_of(base)
    return {**facts, "language": read}


def foretold(out: Path, target: Target, turns: Turns, moments: Moments) -> Numbers:
    """What a finished model says of moments that it did not learn from."""
    folder = load_marked(f"path:{out}", target)
    return folder.of(turns, moments, alone(folder.needs)).value


def told_on_card(out: Path, heldout: Heldout, lines: Sequence[str]) -> None:
    """Write how well a finished model does on what was held out at the end of its card."""
    with (out / CARD).open("a", encoding="utf-8") as card:
        card.write("\n".join(["", *figures(heldout), "", *lines, ""]))


def kept_key(out: Path, base: str = "") -> bytes:
    """The key of the model to go on from, or one that stays the same until `out` is finished.

    Marks are made with it, so that a training that was broken off needs it to go on.
    """
    if base.startswith("path:"):
        found = Path(base.removeprefix("path:")) / KEY
        if found.is_file():
            return read_key(found)
    waiting = out.absolute().with_name(f"{out.name}.{KEY}")
    if not waiting.is_file():
        put_key(waiting, new_key())
    return read_key(waiting)


def finish_key(out: Path, key: bytes) -> None:
    """Put the key into the finished folder, readable by its owner only."""
    put_key(out / KEY, key)
    out.absolute().with_name(f"{out.name}.{KEY}").unlink(missing_ok=True)


def put_key(path: Path, key: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    publish(path, lambda place: place.write_text(f"{key.hex()}\n"), private=True)
