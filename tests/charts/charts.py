"""Numbers read back out of drawings, and systems to draw."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from simpatico.charts.axis import Axis
from simpatico.charts.systems import SystemStyle, assign_styles, user_style

HERON, JUNIPER, SLATE = assign_styles(["heron-1", "juniper-2", "slate-8b"]).values()
PEOPLE = user_style("people with people")
LONG = "x" * 200


def tree(markup: str) -> ET.Element:
    """The markup parsed as XML, so that it must be well formed."""
    return ET.fromstring(f"<body>{markup}</body>")


def value_at(axis: Axis, place: str) -> float:
    """The value that stands at a place such as 58.2%."""
    return axis.low + float(place.removesuffix("%")) / 100 * (axis.high - axis.low)


def words(element: ET.Element) -> str:
    return "".join(element.itertext())


def elements_of(root: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    """Elements with this tag and class."""
    return [e for e in root.iter() if local(e) == tag and kind in e.get("class", "").split()]


def every(root: ET.Element, tag: str) -> Iterator[ET.Element]:
    return (e for e in root.iter() if local(e) == tag)


def local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def numbers(text: str) -> list[float]:
    return [
        float(n.replace("−", "-").replace(",", "")) for n in re.findall(r"[−]?[\d,]*\.?\d+", text)
    ]


def thirteen() -> list[SystemStyle]:
    """More systems than there are colours, with long and hostile names."""
    names = [f"model {i} {'y' * i * 16}" for i in range(12)]
    return list(assign_styles([*names, "</td><script>\u202e"], names[2:4]).values())
