"""A figure as a file: SVG as it is, PDF and PNG through an optional converter without a browser."""

from __future__ import annotations

import os
import re
from pathlib import Path

from simpatico.errors import BadValue, MissingResource, RunError

INCH = 72 / 96
"""The converter takes a unit for a point, 1/72 inch; in SVG it is a pixel, 1/96 inch."""

DOTS = 300
"""Per inch, what printers of journals ask for."""


def write_figure(svg: str, out: Path) -> None:
    """Write the figure in the format that the file's ending names, whole or not at all."""
    out = Path(out)
    if not out.parent.is_dir():
        raise BadValue(f"{out}: there is no folder {out.parent}; make it or choose another one")
    content = converted(svg, out)
    half = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        half.write_bytes(content)
        half.replace(out)
    except OSError as error:
        raise RunError(f"{out} could not be written: {error.strerror}") from error
    finally:
        half.unlink(missing_ok=True)


def converted(svg: str, out: Path) -> bytes:
    """The bytes of the file."""
    match out.suffix.lower():
        case ".svg":
            return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'.encode()
        case ".pdf":
            return pdf(svg)
        case ".png":
            return png(svg)
        case other:
            raise BadValue(
                f"{out}: a figure cannot be written as {other or 'a file without an ending'}; "
                "end the name in .svg, .pdf or .png"
            )


def pdf(svg: str) -> bytes:
    try:
        from vl_convert import svg_to_pdf
    except ImportError as error:
        raise missing("PDF") from error
    return bytes(svg_to_pdf(in_points(svg)))


def png(svg: str) -> bytes:
    try:
        from vl_convert import svg_to_png
    except ImportError as error:
        raise missing("PNG") from error
    return bytes(svg_to_png(in_points(svg), ppi=DOTS))


def missing(format: str) -> MissingResource:
    return MissingResource(
        f"a {format} needs the package vl-convert-python: pip install 'simpatico[figures]'; "
        "a figure that ends in .svg needs nothing"
    )


def in_points(svg: str) -> str:
    """The drawing with its outer size in points; its inside, by the viewBox, stays as it is."""
    return re.sub(
        r'\b(width|height)="([0-9.]+)"', lambda m: f'{m[1]}="{float(m[2]) * INCH:g}"', svg, count=2
    )
