"""Draw the README's picture: what `simpatico demo` prints, as an SVG without fonts from elsewhere.

python docs/picture.py docs/demo.svg
"""

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

LINE, CHAR, EDGE, BAR = 20, 8.1, 18, 34
STYLE = "font: 13.5px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; white-space: pre"


def printed() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "simpatico", "demo", "--out", f"{folder}/run"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    table = done.stdout.split("scores:")[0].rstrip().splitlines()
    return ["$ make demo", "", *(line.rstrip() for line in table)]


def drawn(lines: list[str]) -> str:
    width = int(max(map(len, lines)) * CHAR) + 2 * EDGE
    height = LINE * len(lines) + BAR + EDGE
    rows = "".join(
        f'<text x="{EDGE}" y="{BAR + LINE * (i + 1) - 6}" fill="{colour(i, line)}" '
        f'textLength="{len(line) * CHAR:.0f}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">'
        f"{escape(line)}</text>"
        for i, line in enumerate(lines)
        if line
    )
    dots = "".join(
        f'<circle cx="{22 + 20 * i}" cy="19" r="6" fill="{c}"/>'
        for i, c in enumerate(("#d98378", "#d9b578", "#8fb98a"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
        f'<rect width="{width}" height="{height}" rx="10" fill="#1d2327"/>{dots}'
        f'<g style="{STYLE}">{rows}</g></svg>\n'
    )


def colour(number: int, line: str) -> str:
    if number == 0:
        return "#8fd0c0"
    return "#6d7a80" if line.strip().startswith("─") else "#e6e3da"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn(printed()), encoding="utf-8")
