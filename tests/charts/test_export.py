"""Figures as files: whole or not at all, fonts inside, sizes as on paper."""

import re
import struct
import sys
import zlib
from xml.etree import ElementTree

import pytest

from simpatico.charts.export import figure_bytes, size_in_points, write_figure
from simpatico.charts.html import el
from simpatico.charts.svg import mm_to_pixels, nested_svg, svg_document, text_line
from simpatico.charts.systems import use_mark
from simpatico.errors import BadValue, MissingResource, RunError

WIDTH = mm_to_pixels(84)
DRAWN = svg_document(
    WIDTH, 40, text_line(0, 10, "r −.46", "k"), el("g", {"class": "s0"}, use_mark("s0", 20, 30))
)


def test_svg_is_written_as_it_is(tmp_path):
    write_figure(DRAWN, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    comment = "<!-- simpatico figure -->"
    assert text == f'<?xml version="1.0" encoding="UTF-8"?>\n{comment}\n{DRAWN}\n'
    ElementTree.fromstring(text.encode())


def test_only_the_outer_size_is_in_points():
    assert size_in_points('<svg width="96" height="48"><rect width="8" height="2"/></svg>') == (
        '<svg width="72" height="36"><rect width="8" height="2"/></svg>'
    )


def test_png_has_300_dots_an_inch(tmp_path):
    pytest.importorskip("vl_convert")
    write_figure(DRAWN, tmp_path / "a.PNG")
    content = (tmp_path / "a.PNG").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert width == pytest.approx(84 / 25.4 * 300, abs=1)
    assert height == pytest.approx(40 / 96 * 300, abs=1)
    at = content.index(b"pHYs") + 4
    assert struct.unpack(">II", content[at : at + 8]) == (11811, 11811)  # 300 / 0.0254 m


def test_pdf_has_its_size_on_paper_and_its_fonts_inside(tmp_path):
    pytest.importorskip("vl_convert")
    write_figure(DRAWN, tmp_path / "a.pdf")
    content = plain((tmp_path / "a.pdf").read_bytes())
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", content)
    assert box
    assert float(box[1]) == pytest.approx(84 / 25.4 * 72, abs=1)
    assert float(box[2]) == pytest.approx(30, abs=1)
    descriptors = re.findall(rb"/Type\s*/FontDescriptor.*?endobj", content, re.DOTALL)
    assert descriptors
    assert all(b"/FontFile" in d for d in descriptors)
    assert b"LiberationSans" in content


def plain(pdf):
    """The PDF with all its deflated streams beside it, so that nothing hides in one."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return pdf + b"".join(inflate(s) for s in streams)


def inflate(stream):
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_percents_in_nested_drawings_marks_and_classes_come_out_right(tmp_path):
    """A dot at 25% of a nested drawing from 20 to 60 stands at 30, in the colour of its class."""
    pytest.importorskip("vl_convert")
    dot = el("circle", {"cx": "25%", "cy": 10, "r": 4, "class": "ink"})
    shape = el("g", {"class": "s1"}, use_mark("s1", "75%", 10))
    write_figure(svg_document(96, 24, nested_svg(20, 0, 40, 20, dot, shape)), tmp_path / "a.png")
    pixel = decoded((tmp_path / "a.png").read_bytes())
    scale = 300 / 96
    assert pixel(30 * scale, 10 * scale) == (0x1A, 0x1D, 0x21)
    assert pixel(50 * scale, 10 * scale) == (0xB8, 0x4A, 0x00)
    assert pixel(80 * scale, 10 * scale) == (255, 255, 255)


def decoded(png):
    """The colour at a place of an 8-bit RGBA image, read by the format's own rules."""
    width, _ = struct.unpack(">II", png[16:24])
    assert png[24:26] == b"\x08\x06"
    data, at = b"", 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        data += png[at + 8 : at + 8 + size] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += size + 12
    lines = unfiltered(zlib.decompress(data), 4 * width)
    return lambda x, y: tuple(lines[int(y)][4 * int(x) : 4 * int(x) + 3])


def unfiltered(data, width):
    lines, before = [], bytearray(width)
    for at in range(0, len(data), width + 1):
        line = bytearray(data[at + 1 : at + 1 + width])
        for i in range(width):
            left, up = (line[i - 4] if i >= 4 else 0), before[i]
            corner = before[i - 4] if i >= 4 else 0
            line[i] = (line[i] + predicted(data[at], left, up, corner)) & 255
        lines.append(line)
        before = line
    return lines


def predicted(kind, left, up, corner):
    guess = left + up - corner
    paeth = min((left, up, corner), key=lambda v: abs(guess - v))
    return (0, left, up, (left + up) // 2, paeth)[kind]


def test_nothing_is_drawn_without_text_where_no_fonts_are_installed():
    """The converter brings Liberation Sans along, which every figure names first."""
    vl_convert = pytest.importorskip("vl_convert")
    family = re.search(r'font-family="([^"]*)"', DRAWN)
    assert family
    assert family[1].split(",")[0] == "&#x27;Liberation Sans&#x27;"
    with_text, without = (len(vl_convert.svg_to_pdf(s)) for s in (DRAWN, svg_document(WIDTH, 40)))
    assert with_text > without + 1000  # a font subset and its glyphs


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.jpeg", "a figure cannot be written as .jpeg; end the name in .svg, .pdf or .png"),
        (
            "a",
            "a figure cannot be written as a file without an ending; "
            "end the name in .svg, .pdf or .png",
        ),
    ],
)
def test_other_formats_are_named(tmp_path, name, message):
    with pytest.raises(BadValue) as error:
        write_figure(DRAWN, tmp_path / name)
    assert str(error.value) == f"{tmp_path / name}: {message}"
    assert not list(tmp_path.iterdir())


def test_the_folder_must_exist(tmp_path):
    out = tmp_path / "figures" / "a.svg"
    with pytest.raises(BadValue) as error:
        write_figure(DRAWN, out)
    assert str(error.value) == (
        f"{out}: there is no folder {out.parent}; create it or choose another one"
    )


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(RunError) as error:
        write_figure(DRAWN, tmp_path / "a.svg")
    assert str(error.value) == f"{tmp_path / 'a.svg'} could not be written: Is a directory"
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_without_the_converter_a_sentence_says_how_to_get_it(kind, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingResource) as error:
        figure_bytes(DRAWN, tmp_path / f"a.{kind}")
    assert str(error.value) == (
        f"a {kind.upper()} needs the package vl-convert-python: pip install 'simpatico[figures]'; "
        "a figure that ends in .svg needs nothing"
    )


def test_a_figure_names_no_address_a_converter_could_open():
    assert re.findall(r"[a-z]+://[^\s\"']*", DRAWN) == ["http://www.w3.org/2000/svg"]
    assert set(re.findall(r'href="([^"]*)"', DRAWN)) == {"#m0"}
