"""What is shipped: the lock, the wheel and the sdist, and what importing the package does."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = ROOT / "requirements-dev.lock"
EPOCH = "1700000000"


def locked():
    """The packages of the lock with their versions."""
    rows = re.findall(
        r"^(\S+)==(\S+) \\\n    --hash=sha256:([0-9a-f]{64})$", LOCK.read_text(), re.M
    )
    return {canonicalize_name(name): version for name, version, _ in rows}


def required(extra):
    """The requirements of an extra, and of those that it names."""
    for line in PROJECT["optional-dependencies"][extra]:
        need = Requirement(line)
        if need.name == "simpatico":
            for other in need.extras:
                yield from required(other)
        else:
            yield need


def test_the_lock_has_every_package_with_a_version_that_fits_and_a_hash():
    versions = locked()
    needs = [*map(Requirement, PROJECT["dependencies"]), *required("dev")]
    assert len(needs) > 20
    for need in needs:
        if need.name != "torch":  # its CPU build has another index and hash
            assert need.specifier.contains(versions[canonicalize_name(need.name)]), need
    entries = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    assert len(entries) == 2 * len(versions)


def test_the_lock_names_no_host_and_no_path():
    text = LOCK.read_text()
    assert not re.search(r"://|^-|index-url|find-links|@ |/\w+/", text, re.M)


def test_importing_opens_no_socket_and_writes_no_file():
    code = (
        "import sys\n"
        "seen = []\n"
        "def watch(event, args):\n"
        "    if event.startswith('socket.') or event in ('os.mkdir', 'os.rename', 'os.remove'):\n"
        "        seen.append(event)\n"
        "    if event == 'open' and isinstance(args[1], str) and set(args[1]) & set('wax+'):\n"
        "        seen.append((event, str(args[0])))\n"
        "sys.addaudithook(watch)\n"
        "import simpatico\n"
        "simpatico.score, simpatico.Run\n"
        "print(seen)\n"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def source(folder, mask):
    """The files of the project, copied under another mask of permissions."""
    before = os.umask(mask)
    try:
        names = ["simpatico", "tests", "docs", "benchmarks", ".gitignore", "Makefile", "LICENSE"]
        names += [p.name for p in ROOT.iterdir() if p.suffix in (".md", ".toml", ".cff")]
        ignore = shutil.ignore_patterns("__pycache__", ".*cache")
        for name in names:
            path = ROOT / name
            if path.is_dir():
                shutil.copytree(path, folder / name, ignore=ignore, copy_function=shutil.copyfile)
            else:
                shutil.copyfile(path, folder / name)
    finally:
        os.umask(before)


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """Wheel and sdist, built twice: in two folders, with other permissions and times."""
    pytest.importorskip("hatchling")
    paths = []
    for n, mask in enumerate((0o022, 0o077)):
        folder = tmp_path_factory.mktemp(f"source{n}") / ("name" * (n + 1))
        folder.mkdir()
        source(folder, mask)
        code = "from hatchling import build as b; print(b.build_wheel('out'), b.build_sdist('out'))"
        call = [sys.executable, "-c", code]
        env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
        done = subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True, check=True)
        paths.append([folder / "out" / name for name in done.stdout.split()])
    return paths


@pytest.mark.slow
def test_two_builds_are_the_same_to_the_last_byte(builds):
    for one, other in zip(*builds, strict=True):
        digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, other)}
        assert len(digests) == 1, one.name


@pytest.mark.slow
def test_the_wheel_has_the_files_of_the_package_and_nothing_that_runs_by_itself(builds):
    names = zipfile.ZipFile(builds[0][0]).namelist()
    info = next(name.split("/")[0] for name in names if name.endswith("dist-info/RECORD"))
    own = {name for name in names if not name.startswith(info)}
    package = {str(p.relative_to(ROOT)) for p in (ROOT / "simpatico").rglob("*") if p.is_file()}
    assert own == {name for name in package if "__pycache__" not in name}
    known = {".py", ".json", ".jsonl", ".csv", ".md", ".txt", ".bib", ".safetensors", ".toml"}
    known |= {".tsv", ".typed", ".css", ".js", ".woff2", ".gz", ".html", ".npy", ".parquet", ".svg"}
    assert {Path(name).suffix for name in own} <= known | {""}
    with tarfile.open(builds[0][1]) as archive:
        unsafe = [m.name for m in archive if not (m.isfile() or m.isdir()) or ".." in m.name]
    assert not unsafe


@pytest.mark.slow
def test_the_wheel_runs_the_demo_in_a_clean_environment_elsewhere(builds, tmp_path):
    venv, elsewhere = tmp_path / "venv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    pip = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", builds[0][0]]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    env = {"PATH": os.defpath, "HOME": str(tmp_path)}
    demo = [venv / "bin" / "simpatico", "demo", "--out", "demo"]
    ran = subprocess.run(demo, cwd=elsewhere, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (elsewhere / "demo" / "report.html").stat().st_size > 100_000
    where = [venv / "bin" / "python", "-c", "import simpatico; print(simpatico.__file__)"]
    found = subprocess.run(where, cwd=elsewhere, env=env, capture_output=True, text=True)
    assert found.stdout.startswith(str(venv))
    assert not list(venv.rglob("simpatico*.pth"))
