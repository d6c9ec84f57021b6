"""Results as tables: polars, pandas or plain Python, the same three methods on every result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from simpatico.errors import MissingResource

if TYPE_CHECKING:
    import polars as pl

    from simpatico.turns import Level


class Tabular:
    """A result with rows: give `to_frame`, and the other two follow."""

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars DataFrame."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame; needs `pip install 'simpatico[pandas]'`."""
        return pandas_frame(self.to_frame())

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, null as None."""
        return self.to_frame().to_dicts()


class TabularByLevel(Tabular):
    """A result with a table for each level: give `at`, and the others follow."""

    default_level: ClassVar[Level]
    """Whose table is meant where none is named."""

    def at(self, level: Level) -> pl.DataFrame:
        """The scores of a level."""
        raise NotImplementedError

    def to_frame(self, level: Level | None = None) -> pl.DataFrame:
        """The scores of a level; the same as `at`."""
        return self.at(level or self.default_level)

    def to_pandas(self, level: Level | None = None) -> Any:
        """The scores of a level as a pandas DataFrame."""
        return pandas_frame(self.to_frame(level))

    def to_dict(self, level: Level | None = None) -> list[dict[str, Any]]:
        """The scores of a level, a dictionary per unit."""
        return self.to_frame(level).to_dicts()


def pandas_frame(frame: pl.DataFrame) -> Any:
    """A polars table as a pandas one; by columns of Python values, so that no pyarrow is needed."""
    try:
        import pandas
    except ImportError:
        raise MissingResource(
            "to_pandas needs pandas: pip install 'simpatico[pandas]'; to_frame() gives a polars "
            "DataFrame without it"
        ) from None
    return pandas.DataFrame(frame.to_dict(as_series=False))
