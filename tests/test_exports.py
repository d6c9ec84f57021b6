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


def test_public_functions_win_over_modules_of_the_same_name():
    import simpatico.run
    import simpatico.scoring

    assert callable(simpatico.score)
    assert callable(simpatico.read)


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
    with pytest.raises(AttributeError) as told:
        simpatico.nothing  # noqa: B018
    assert str(told.value) == "module 'simpatico' has no attribute 'nothing'"
