"""What a run was made of so far and what an addition names: inputs that are new, moved or gone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from simpatico.errors import DataError, RunError
from simpatico.readers import Source
from simpatico.run.folder import ADDED, stored_facts
from simpatico.run.writer import describe_input


class Input(NamedTuple):
    """An input of the run: where it is, what the command called it, name and hash of its bytes."""

    path: str
    given: str
    name: str
    sha256: str

    @property
    def facts(self) -> dict[str, str]:
        """What `run.json` says of it."""
        return {"name": self.name, "sha256": self.sha256}


def input_path(source: Source) -> str:
    """Where an input is, whatever the command calls it."""
    return str(source.path.resolve()) if source.path and not source.spool else source.name


def read_index(folder: Path) -> tuple[list[Input], dict[str, str]] | None:
    """The inputs of the run and the files that were ignored; null where no parts are kept."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        index = json.loads((folder / f"{ADDED}.json").read_bytes())
        return [Input(*one) for one in index["inputs"]], dict(index["ignored"])
    return None


def read_former(
    folder: Path, settings: Mapping[str, Any], given: Sequence[Input]
) -> tuple[list[Input], dict[str, str]]:
    """What the run was made of so far; refused where nothing can be added to it."""
    facts = stored_facts(folder)
    if not facts:
        return [], {}
    if facts.get("status") != "done":
        raise RunError(f"{folder} holds a run that is not finished; run its command again first")
    if "purged" in facts:
        raise RunError(
            f"dialogs were purged from {folder}, and adding would bring them back; score into a "
            "new folder"
        )
    if differing := changed_settings(facts, json.loads(json.dumps(settings))):
        raise RunError(
            f"{folder} was scored with other {differing}; --add needs those of the run, "
            "or another folder"
        )
    index = read_index(folder)
    if index and [one.facts for one in index[0]] == facts["inputs"]:
        return index
    here = [one.facts for one in given]
    if missing := next((one["name"] for one in facts["inputs"] if one not in here), None):
        raise RunError(
            f"{folder} was scored without --add, so that its parts were not kept; name all of its "
            f"inputs with --add once, as they were ({missing} is not among them)"
        )
    return [], {}


def changed_settings(facts: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """In which settings the run and this command differ, in words; empty if in none."""
    stored = {
        name: {k: v for k, v in about.items() if k != "parameters"}
        for name, about in facts.get("metrics", {}).items()
    }
    differing = []
    if names := differing_keys(stored, settings["metrics"]):
        differing.append(f"metrics ({names})")
    if names := differing_keys(facts.get("options", {}), settings["options"]):
        differing.append(f"options ({names})")
    if facts.get("text") != settings["text"]:
        differing.append("options (no_text)")
    if facts.get("pseudonyms") != settings["pseudonyms"]:
        differing.append("pseudonyms")
    if facts.get("version") != settings["version"]:
        differing.append(f"version ({facts.get('version')})")
    return ", ".join(differing)


def differing_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """The keys whose values differ."""
    return ", ".join(sorted(k for k in {*one, *other} if one.get(k) != other.get(k)))


def merge_inputs(former: Sequence[Input], given: Sequence[Input]) -> list[Input]:
    """All inputs, in the order in which they came; in that of the command if it names them all.

    A file that was moved is the same input, as long as neither its name nor its bytes changed.
    """
    now = {one.path: one for one in given}
    by_content = {(one.name, one.sha256): one for one in reversed(given)}
    places = []
    for one in former:
        place = now.get(one.path) or by_content.get((one.name, one.sha256))
        # two inputs may have the same bytes, and only one of them have moved
        places.append(place if place and place not in places else None)
    if all(places):
        return list(given)
    old = [place or one for place, one in zip(places, former, strict=True)]
    return [*old, *(one for one in given if one not in places)]


def find_source(one: Input, source: Source | None) -> Source:
    """The input to be read, which need not be named again as long as it is where it was."""
    if source is None:
        with suppress(DataError):
            source = Source.of(one.path)
        if source is None or describe_input(source) != one.facts:
            raise RunError(
                f"{one.given}: this input of the run has to be scored again, as dialog ids clash, "
                "the order of the metrics changed or its parts are damaged, but it is gone or "
                "changed; score all inputs into a new folder"
            )
    return source
