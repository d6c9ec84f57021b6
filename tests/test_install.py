"""What a core installation costs: few packages, little disk, no heavy ones."""

from importlib.metadata import distribution

from packaging.requirements import Requirement


def core() -> set[str]:
    """simpatico and, in turn, everything it requires without an extra."""
    queue, packages = ["simpatico"], set()
    while queue:
        name = queue.pop().lower()
        if name not in packages:
            packages.add(name)
            for line in distribution(name).requires or []:
                need = Requirement(line)
                if need.marker is None or need.marker.evaluate({"extra": ""}):
                    queue.append(need.name)
    return packages


def test_the_core_is_at_most_14_packages_and_none_is_heavy():
    packages = core()
    assert len(packages) <= 14
    assert not packages & {"torch", "pandas", "pyarrow", "scikit-learn", "transformers", "ray"}


def test_the_core_takes_at_most_400_megabytes():
    """Files of the packages as shipped; the bytecode that Python writes beside them is extra."""
    size = 0
    for name in core() - {"simpatico"}:
        for file in distribution(name).files or []:
            path = file.locate()
            if "__pycache__" not in file.parts and path.is_file():
                size += path.stat().st_size
    assert size <= 400e6
