"""Results as tables: polars, pandas or plain Python, the same three methods on every result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simpatico.errors import MissingResource

if TYPE_CHECKING:
    import polars as pl


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
