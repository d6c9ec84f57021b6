"""The words of the pages, a file a language; a study may be in any of them."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from simpatico.errors import UnknownName, suggest_names

FOLDER = Path(__file__).parent / "pages" / "texts"


def languages() -> list[str]:
    """The languages that the pages speak."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@lru_cache
def page_texts(language: str) -> dict[str, str]:
    """The words of a language; of `de-AT`, those of `de` where it has none of its own."""
    for name in (language, language.partition("-")[0]):
        if name in languages():
            texts: dict[str, str] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
            return texts
    raise UnknownName(
        f"the pages do not speak {language!r}; {suggest_names(language, languages())}"
    )
