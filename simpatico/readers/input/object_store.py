"""Objects of `s3://`, `gs://`, `az://` and `hf://`, read through Polars.

Nothing is contacted unless such an address is given. Credentials come from the environment, as
Polars documents; what an error of a store says is never repeated, since it may hold them.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import IO

import polars as pl
from polars.exceptions import PolarsError

from simpatico.errors import DataError

REMOTE = re.compile(r"(s3a?|gs|gcs|az|azure|abfss?|hf)://")
SECRET = re.compile(r"//[^/@]*:[^/@]*@|[?&][^/=]*=")
"""A password before the host, or a signature after the name."""
RETRIES = {"max_retries": 2, "retry_timeout_ms": 10_000}
REASONS = {
    r"not ?found|404|NoSuch": "there is no such object",
    r"403|401|forbidden|denied|unauthori[sz]ed": "the store refused access; check the credentials",
    r"invalid utf": "the object is not UTF-8 text",
}


def is_remote(path: object) -> bool:
    """Whether this is the address of an object in a store rather than a file."""
    return isinstance(path, str) and REMOTE.match(path) is not None


def copy_object(address: str, out: IO[bytes]) -> None:
    """Copy an object: Parquet as Parquet, all else as its lines, unpacked where it is packed."""
    if SECRET.search(address):
        raise DataError(
            "an address of an object store must not hold credentials; set them in the environment"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Polars, about regions that it finds by itself
            if Path(address).suffix.lower() in (".parquet", ".pq"):
                pl.scan_parquet(address, glob=False, storage_options=RETRIES).sink_parquet(out)
                return
            lines = pl.scan_lines(address, glob=False, storage_options=RETRIES)
            for batch in lines.collect_batches(maintain_order=True):
                out.write("".join(f"{line}\n" for line in batch.to_series()).encode())
    except (PolarsError, OSError, ImportError, ValueError) as error:
        found = (why for what, why in REASONS.items() if re.search(what, str(error), re.I))
        default = "the store cannot be reached; check address, credentials and connection"
        raise DataError(f"{address}: {next(found, default)}") from None
