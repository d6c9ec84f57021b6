"""Write requirements-dev.lock: every package of the extra `dev` with its version and hash.

pip resolves as if nothing were installed and reports what it would install on this platform. torch
is left out: its CPU build comes from another index, under another hash. Neither hosts nor paths are
written.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from platform import machine

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"
HEAD = """\
# Packages of the extra `dev` for CPython {python} on {platform}, with the hash of each file.
# Made by `make lock`; make it anew after a change of dependencies in pyproject.toml.
# Install: pip install torch=={torch}, its CPU build, then
#   pip install --no-deps --require-hashes -r requirements-dev.lock && pip install --no-deps -e .
"""


def locked_packages() -> list[dict]:
    """What pip would install for the extra, without downloading more than it must."""
    options = ["--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    call = [sys.executable, "-m", "pip", "install", *options, f"{ROOT}[dev]"]
    report = json.loads(subprocess.run(call, check=True, stdout=subprocess.PIPE).stdout)
    return report["install"]


def lock_text(packages: list[dict]) -> str:
    """A line for each package but ourselves and torch, in the order of the alphabet."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (torch,) = (r for r in metadata["optional-dependencies"]["torch"] if r.startswith("torch=="))
    lines = []
    for package in packages:
        name = package["metadata"]["name"].lower().replace("_", "-")
        if name not in (metadata["name"], "torch"):
            digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
            version = package["metadata"]["version"]
            lines.append(f"{name}=={version} \\\n    --hash=sha256:{digest}\n")
    python = ".".join(map(str, sys.version_info[:2]))
    head = HEAD.format(
        python=python, platform=f"{sys.platform} {machine()}", torch=torch.partition("==")[2]
    )
    return head + "".join(sorted(lines))


if __name__ == "__main__":
    LOCK.write_text(lock_text(locked_packages()), encoding="utf-8")
