"""Draw the pictures of the documents: the demo's report, and a rater's page of a study.

python docs/picture.py docs     (needs Chromium, and playwright from the extra `dev`)
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

SIMPATICO = (sys.executable, "-m", "simpatico")
SCREEN, STUDY_SCREEN = {"width": 1280, "height": 1000}, {"width": 1280, "height": 760}
STUDY = """name = "picture"
title = "Support chats, spring"
question_sets = ["tbd"]
lead = "The partner may be a person or a machine; you are not told which."
guidelines = [
  "Judge the reply, not the person.",
  "Use the whole scale; for “don't know” press 0.",
  "Rate a reply by what had been said up to then.",
]
[rate]
source = "chats.jsonl"
[checks]
every = 0
"""
SAID = (
    "My flat was burgled on Sunday. They only took the kettle and a box of photographs.",
    "Oh no, the photographs. What was in the box?",
    "My grandfather's years at sea. I had meant to scan them all winter.",
    "A good scanner costs about 80 euros. Shall I compare a few for you?",
)


def draw_report(chromium: Any, scheme: str, folder: Path, out: Path) -> None:
    page = chromium.new_page(viewport=SCREEN, color_scheme=scheme)
    page.goto((folder / "run" / "report.html").as_uri())
    page.screenshot(path=out / f"report-{scheme}.png")


def draw_study(chromium: Any, scheme: str, link: str, out: Path) -> None:
    """A dialog that has been begun."""
    context = chromium.new_context(
        viewport=STUDY_SCREEN, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(link)
    page.locator(".q.on").wait_for()
    for key in "54":
        page.keyboard.press(key)
    page.get_by_text("Saved").wait_for()
    page.screenshot(path=out / f"study-{scheme}.png")


def main(out: Path) -> None:
    browser = shutil.which("chromium") or sys.exit("no Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        demo = [*SIMPATICO, "demo", "--out", str(folder / "run")]
        subprocess.run(demo, capture_output=True, check=True)
        rows = [
            {"dialog": f"d{dialog}", "speaker": who, "text": text, "system": who}
            for dialog in range(9)
            for who, text in zip(("human", "bot") * 2, SAID, strict=True)
        ]
        (folder / "chats.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (folder / "picture.toml").write_text(STUDY)
        study = [*SIMPATICO, "study", "serve", str(folder / "picture.toml"), "--port", "0"]
        server = subprocess.Popen(
            [*study, "--outsiders", "2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        links = [re.findall(r"http\S+", server.stdout.readline().decode())[0] for _ in range(2)]
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for scheme, link in zip(("light", "dark"), links, strict=True):
            draw_report(chromium, scheme, folder, out)
            draw_study(chromium, scheme, link, out)
        chromium.close()
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
