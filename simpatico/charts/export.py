"""Write a figure as SVG, or as PDF or PNG through vl-convert, which needs no browser.

vl-convert is an extra of the package: it brings its own renderer and fonts, 84 MB that only
authors of papers need.
"""

from __future__ import annotations

import re
from pathlib import Path
from zlib import crc32

from simpatico.errors import BadValue, MissingResource
from simpatico.files import write_atomically

MARK = b"simpatico figure"
"""In every figure file, so that we know our own from others'."""
POINTS_PER_PIXEL = 72 / 96
"""The converter takes a unit for a point, 1/72 inch; in SVG it is a pixel, 1/96 inch."""

DOTS_PER_INCH = 300
"""What journals ask for."""


def write_figure(svg: str, out: Path) -> None:
    """Write the figure in the format that the file's suffix names."""
    out = Path(out)
    if not out.parent.is_dir():
        raise BadValue(f"{out}: there is no folder {out.parent}; create it or choose another one")
    write_atomically(out, figure_bytes(svg, out), public=True)


def figure_bytes(svg: str, out: Path) -> bytes:
    """The content of the file."""
    suffix = out.suffix.lower()
    if suffix == ".svg":
        return b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- %b -->\n%b\n' % (MARK, svg.encode())
    if suffix not in (".pdf", ".png"):
        raise BadValue(
            f"{out}: a figure cannot be written as {suffix or 'a file without an ending'}; "
            "end the name in .svg, .pdf or .png"
        )
    try:
        import vl_convert
    except ImportError as error:
        raise MissingResource(
            f"a {suffix[1:].upper()} needs the package vl-convert-python: "
            "pip install 'simpatico[figures]'; a figure that ends in .svg needs nothing"
        ) from error
    if suffix == ".pdf":
        return bytes(vl_convert.svg_to_pdf(size_in_points(svg))) + b"\n%% %b\n" % MARK
    return with_png_text(bytes(vl_convert.svg_to_png(size_in_points(svg), ppi=DOTS_PER_INCH)))


def with_png_text(png: bytes) -> bytes:
    """The image with a chunk of text before its last one, which has 12 bytes."""
    chunk = b"tEXtSoftware\0" + MARK
    text = (len(chunk) - 4).to_bytes(4, "big") + chunk + crc32(chunk).to_bytes(4, "big")
    return png[:-12] + text + png[-12:]


def size_in_points(svg: str) -> str:
    """The figure with its outer size in points; the viewBox keeps its inside as it is."""

    def points(match: re.Match[str]) -> str:
        return f'{match[1]}="{float(match[2]) * POINTS_PER_PIXEL:g}"'

    return re.sub(r'\b(width|height)="([0-9.]+)"', points, svg, count=2)
