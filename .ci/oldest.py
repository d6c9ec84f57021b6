"""Print the oldest version that pyproject.toml admits of each package, as arguments of pip."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def oldest_versions(extras: list[str]) -> list[str]:
    """`name==bound` for the core's packages and those of these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    packages = [package for packages in lists for package in packages]
    bound = re.compile(r"([\w.-]+)(\[\w+\])?[>=]=([\w.]+)")
    return [f"{m[1]}{m[2] or ''}=={m[3]}" for p in packages if (m := bound.match(p))]


if __name__ == "__main__":
    sys.stdout.write(" ".join(oldest_versions(sys.argv[1:])) + "\n")
