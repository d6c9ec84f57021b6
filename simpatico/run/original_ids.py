"""Names and ids of the input in a run that holds pseudonyms, found with the key."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from simpatico.errors import DataError
from simpatico.privacy.pseudonyms import Pseudonyms, key_path, read_key
from simpatico.run import Run


def pseudonyms_of(run: Run, names: Iterable[str], existing: Collection[str]) -> dict[str, str]:
    """The pseudonym of each of the names, where the run holds pseudonyms and none of the names."""
    names, stored = set(names), run.facts.get("pseudonyms")
    if not stored or not names or not names.isdisjoint(existing):
        return {}
    pseudonyms = Pseudonyms(read_key())
    if pseudonyms.as_json()["key"] != stored["key"]:
        raise DataError(
            f"{', '.join(run.sources)} holds pseudonyms, and {key_path()} is not their key; name "
            "the file of the key with --key FILE"
        )
    return {name: pseudonyms.of(name) for name in names}
