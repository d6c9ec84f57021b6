"""Reading a page back: the words a reader sees, and the places that are marked."""

from html.parser import HTMLParser

VOID = {"br", "meta", "link", "input", "col", "hr"}


class Page(HTMLParser):
    """What an HTML parser makes of markup: text by class, elements, attributes."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.parts = [], [], []
        self.feed(html)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, len(self.elements) - 1))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.parts.append((data, tuple(place for _, place in self.open)))

    def handle_comment(self, data):
        raise AssertionError(f"a comment in the page: {data!r}")

    @property
    def text(self):
        return "".join(data for data, _ in self.parts)

    def inside(self, tag, kind=None):
        """The text of every element of a tag and class, in order."""
        matches = [
            i
            for i, (name, attributes) in enumerate(self.elements)
            if name == tag and (kind is None or kind in (attributes.get("class") or "").split())
        ]
        return ["".join(data for data, above in self.parts if i in above) for i in matches]

    def attributes(self, tag, name):
        return [a[name] for t, a in self.elements if t == tag and name in a]
