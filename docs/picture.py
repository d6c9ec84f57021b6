"""Draw the README's picture: the first screen of the page that `simpatico demo` writes.

python docs/picture.py docs     (needs Chromium, and playwright from the extra `dev`)
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

SCREEN = {"width": 1280, "height": 1000}


def main(out: Path) -> None:
    browser = shutil.which("chromium") or sys.exit("no Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        command = [sys.executable, "-m", "simpatico", "demo", "--out", f"{folder}/run"]
        subprocess.run(command, capture_output=True, check=True)
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = chromium.new_page(viewport=SCREEN, color_scheme=scheme)
            page.goto(Path(folder, "run", "report.html").as_uri())
            page.screenshot(path=out / f"report-{scheme}.png")
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
