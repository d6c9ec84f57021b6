"""A page as a tree: what stands in which cell of which table of which section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "meta", "link", "input", "col", "hr"}


@dataclass
class Node:
    """An element; its children are elements and text."""

    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    def all(self, tag: str = "", kind: str = "", **having: str) -> Iterator[Node]:
        """The elements below of a tag, class and attributes, in order."""
        for child in self.children:
            if isinstance(child, Node):
                if child.matches(tag, kind, having):
                    yield child
                yield from child.all(tag, kind, **having)

    def matches(self, tag: str, kind: str, having: dict[str, str]) -> bool:
        classes = self.attributes.get("class", "").split()
        same = all(self.attributes.get(n) == v for n, v in having.items())
        return (not tag or self.tag == tag) and (not kind or kind in classes) and same

    def one(self, tag: str = "", kind: str = "", **having: str) -> Node:
        (node,) = self.all(tag, kind, **having)
        return node

    @property
    def text(self) -> str:
        """All that it says, drawings included."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    @property
    def prose(self) -> str:
        """What it says outside of drawings, and without words for those who do not see."""
        return "".join(
            c if isinstance(c, str) else c.prose
            for c in self.children
            if isinstance(c, str) or (c.tag != "svg" and not c.matches("", "vh", {}))
        )


class Reader(HTMLParser):
    """Builds the tree; fails where an element is not closed in its place."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(html)
        self.close()
        assert self.open == [self.root], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of <{tag}> is there twice"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment in the page: {data!r}")


def tree(html: str) -> Node:
    return Reader(html).root
