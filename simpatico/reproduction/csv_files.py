"""Reading the CSV files that papers publish: finding them, checking columns, matching texts."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from simpatico.errors import DataError


def locate_file(data: Path, folder: str, name: str) -> Path | None:
    """Where a file is, in `data` or in its folder there."""
    candidates = (data / folder / name, data / name)
    return next((path for path in candidates if path.is_file()), None)


def read_text_columns(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    """Columns of a CSV as text, without the line ends that its cells carry."""
    frame = pl.read_csv(path, infer_schema_length=0)
    if lacking := [name for name in columns if name not in frame.columns]:
        raise DataError(f"{path}: no column {lacking[0]!r}; it has {', '.join(frame.columns)}")
    return frame.select(pl.col(columns).str.strip_chars().fill_null(""))


def cast_to_numbers(frame: pl.DataFrame, names: list[str], path: Path) -> pl.DataFrame:
    """The columns as numbers; a cell that is none is an error."""
    frame = frame.with_columns(pl.col(names).cast(pl.Float64, strict=False))
    for name in names:
        if n := frame[name].null_count():
            raise DataError(f"{path}: {n} of {frame.height} values of {name!r} are no numbers")
    return frame


def ascii_key(text: str) -> str:
    """Letters a to z and digits only, in lower case.

    By this texts are recognised across files, which differ in spaces, quotation marks and broken
    characters. Example: "Well, it’s 5." is "wellits5".
    """
    return re.sub(r"[^a-z0-9]", "", text.lower())
