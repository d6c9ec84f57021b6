"""The public names, and what importing them costs."""

import subprocess
import sys

import pytest

import simpatico

HEAVY = ("torch", "sklearn", "scipy.stats", "pandas", "pyarrow", "polars", "numpy")


def test_every_export_exists_and_the_list_is_sorted():
    assert simpatico.__all__ == sorted(simpatico.__all__)
    assert set(simpatico.__all__) == set(simpatico.HOMES)
    for name in simpatico.__all__:
        assert type(getattr(simpatico, name)).__name__ != "module"


def test_no_public_name_hides_a_module():
    code = (
        "import simpatico\n"
        "from importlib import import_module\n"
        "from pkgutil import walk_packages\n"
        "names = [m.name for m in walk_packages(simpatico.__path__, 'simpatico.')]\n"
        "for name in names:\n"
        "    if not name.endswith('__main__'):\n"
        "        exec(f'import {name} as z')\n"
        "        assert z is import_module(name), name\n"
        "assert all(type(getattr(simpatico, n)).__name__ != 'module' for n in simpatico.__all__)\n"
        "print(len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


def in_a_new_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_loads_nothing_heavy():
    assert not set(HEAVY) & set(in_a_new_process("import sys, simpatico; print(*sys.modules)"))


@pytest.mark.timing
def test_importing_takes_less_than_a_third_of_a_second():
    clock = "import time; t = time.process_time(); import simpatico; print(time.process_time() - t)"
    assert min(float(*in_a_new_process(clock)) for _ in range(3)) < 0.3


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError) as error:
        simpatico.nothing  # noqa: B018
    assert str(error.value) == "module 'simpatico' has no attribute 'nothing'"
