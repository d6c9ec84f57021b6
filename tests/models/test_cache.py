"""Numbers kept on disk: found again only when nothing that they depend on has changed."""

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

from simpatico.errors import BadValue
from simpatico.features import classes, embeddings, on_model
from simpatico.features.classes import ClassProbabilities
from simpatico.features.embeddings import Embeddings, TokenEmbeddings
from simpatico.models import cache as cache_module
from simpatico.models.cache import (
    Cache,
    cache_files,
    evict_oldest,
    machine_secret,
    pack_array,
    unpack_array,
)
from simpatico.models.runtime import encoders as nets
from tests.models.texts import texts
from tests.models.tiny import tiny

TEXTS = ["good day", "what a day", "tea or coffee"]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache"


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny("bert"), folder)
    return folder


@pytest.fixture
def ran(monkeypatch):
    """The number of texts that had to be computed, call by call."""
    counts = []
    track = cache_module.track

    def counting(what, total):
        counts.append(total)
        return track(what, total)

    monkeypatch.setattr(cache_module, "track", counting)
    return counts


def encode(feature, given=TEXTS):
    return feature.compute(None, None).of(given)


def test_the_second_run_computes_nothing_and_gives_the_same_bytes(cache, model, ran):
    first = encode(Embeddings(f"path:{model}"))
    second = encode(Embeddings(f"path:{model}"))
    assert ran == [3]
    assert first.tobytes() == second.tobytes()


@pytest.mark.timing
def test_the_second_run_is_fifty_times_faster_on_real_weights(cache):
    inputs = texts(400)
    encode(Embeddings(), ["warm"])
    start = time.process_time()
    first = encode(Embeddings(), inputs)
    middle = time.process_time()
    second = encode(Embeddings(), inputs)
    again = time.process_time() - middle
    assert first.tobytes() == second.tobytes()
    assert middle - start > 50 * again


def flip(path, place=-2):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def another_weight(folder):
    from safetensors.numpy import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    name = sorted(tensors)[0]
    tensors[name].flat[0] += 1
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def another_setting(folder):
    config = json.loads((folder / "config.json").read_text())
    config["layer_norm_eps"] = 1e-3
    (folder / "config.json").write_text(json.dumps(config))


def another_space(folder):
    with (folder / "config.json").open("a") as file:
        file.write(" ")


def another_piece(folder):
    told = json.loads((folder / "tokenizer.json").read_text())
    told["truncation"] = {
        "max_length": 9,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    (folder / "tokenizer.json").write_text(json.dumps(told))


@pytest.mark.parametrize(
    "change",
    [another_weight, another_setting, another_space, another_piece],
    ids=lambda f: f.__name__,
)
def test_a_changed_byte_in_any_file_of_the_model_reuses_nothing(cache, model, ran, change):
    encode(Embeddings(f"path:{model}"))
    change(model)
    encode(Embeddings(f"path:{model}"))
    assert ran == [3, 3]


def other_version(monkeypatch):
    monkeypatch.setattr(embeddings, "VERSION", 99)


def other_back_end(monkeypatch):
    # what a model runs on stands in its fingerprint
    monkeypatch.setattr(on_model, "backend", lambda model: "onnx")


def other_release(monkeypatch):
    monkeypatch.setattr(on_model, "package_release", lambda package: f"{package}-99")


def other_device(monkeypatch):
    monkeypatch.setattr(on_model, "device_suffix", lambda: "@cuda")


@pytest.mark.parametrize(
    "change",
    [other_version, other_back_end, other_release, other_device],
    ids=lambda f: f.__name__,
)
def test_another_procedure_or_back_end_reuses_nothing(cache, model, ran, change, monkeypatch):
    encode(Embeddings(f"path:{model}"))
    change(monkeypatch)
    encode(Embeddings(f"path:{model}"))
    assert ran == [3, 3]


@pytest.mark.parametrize(
    "other",
    [
        lambda name: (Embeddings(name, "max"), TEXTS),
        lambda name: (Embeddings(name, "cls"), TEXTS),
        lambda name: (TokenEmbeddings(name), TEXTS),
        lambda name: (TokenEmbeddings(name, layer=1), TEXTS),
        lambda name: (Embeddings(name), [text + " " for text in TEXTS]),
        lambda name: (Embeddings(name), [text.upper() for text in TEXTS]),
        lambda name: (Embeddings(name), [text + "\u200b" for text in TEXTS]),
    ],
    ids=["max", "cls", "tokens", "layer", "byte", "case", "invisible"],
)
def test_another_option_or_byte_of_the_text_reuses_nothing(cache, model, ran, other):
    encode(Embeddings(f"path:{model}"))
    encode(*other(f"path:{model}"))
    assert ran == [3, 3]


def test_pairs_and_heads_are_kept_apart(cache, ran, monkeypatch):
    name = f"path:{tiny('bert-classes-2')}"
    ClassProbabilities(name).compute(None, None).of(["a b"])
    ClassProbabilities(name, pair=True).compute(None, None).of(["a"], ["b"])
    ClassProbabilities(name, pair=True).compute(None, None).of(["a b"], [""])
    monkeypatch.setattr(classes, "VERSION", 99)
    ClassProbabilities(name).compute(None, None).of(["a b"])
    assert ran == [1, 1, 1, 1]


def test_softmax_and_logits_share_what_the_model_said(cache, ran):
    name = f"path:{tiny('bert-classes-2')}"
    for output in ("softmax", "logits", "sigmoid"):
        ClassProbabilities(name, output=output).compute(None, None).of(["a b"])
    assert ran == [1]


@pytest.mark.parametrize("what", ["batch", "threads", "order", "folder", "stamp"])
def test_what_changes_no_number_reuses_everything(cache, model, ran, what, monkeypatch, tmp_path):
    rows = encode(Embeddings(f"path:{model}"))
    name, order = f"path:{model}", [0, 1, 2]
    if what == "batch":
        monkeypatch.setattr(nets, "TOKENS", 7)
    elif what == "threads":
        monkeypatch.setenv("SIMPATICO_THREADS", "1")
    elif what == "order":
        order = [2, 0, 1]
    elif what == "folder":
        name = f"path:{shutil.copytree(model, tmp_path / 'other' / 'model')}"
    else:
        (model / "config.json").touch()
    again = encode(Embeddings(name), [TEXTS[i] for i in order])
    assert ran == [3]
    assert again.tobytes() == rows[order].tobytes()


def test_two_models_that_share_a_cache_give_two_results(cache, model, tmp_path):
    other = shutil.copytree(model, tmp_path / "other")
    another_weight(other)
    names = [f"path:{model}", f"path:{other}"]
    apart = [encode(Embeddings(name)) for name in names]
    again = [encode(Embeddings(name)) for name in names]
    assert not np.array_equal(apart[0], apart[1])
    assert [a.tobytes() for a in apart] == [a.tobytes() for a in again]


def test_it_can_be_switched_off(tmp_path, monkeypatch, model, ran):
    monkeypatch.setenv("SIMPATICO_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    for _ in range(2):
        encode(Embeddings(f"path:{model}"))
    assert ran == [3, 3]
    assert not (tmp_path / "xdg").exists()


def test_no_text_is_stored_and_only_the_owner_may_read(cache, model):
    encode(Embeddings(f"path:{model}"), ["canary-7f3a"])
    stored = [path for path in cache.iterdir() if path.is_file()]
    assert stored
    for path in stored:
        assert b"canary" not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_what_a_model_wrote_cannot_be_read_without_the_text_it_was_given(cache, monkeypatch):
    """A translation is text: its word pieces stand there only under a mask that its source gives."""
    from simpatico.features.translation import Translation

    kinds, of = [], Cache.of
    monkeypatch.setattr(Cache, "of", lambda kind: kinds.append(kind) or of(kind))
    handle = Translation(f"path:{tiny('bart')}").compute(None, None)
    handle.of(["good day to you"])
    (ids,) = handle.memo.values()
    ((value,),) = sqlite3.connect(next(iter(cache_files()))).execute("SELECT value FROM numbers")
    assert ids.astype("<i8").tobytes()[:16] not in value
    row = Cache.of(kinds[0]).row
    assert unpack_array(value, row("good day to you")[1]).tolist() == ids.tolist()
    assert unpack_array(value, row("good day to me")[1]) is None


@pytest.mark.parametrize("value", [b"", b"\x01", b"\x09\x09" * 9, None, "text", 7])
def test_a_damaged_row_is_computed_anew(cache, model, ran, value):
    rows = encode(Embeddings(f"path:{model}"))
    (path,) = cache_files()
    with sqlite3.connect(path) as base:
        base.execute("UPDATE numbers SET value = ?", (value,))
    assert encode(Embeddings(f"path:{model}")).tobytes() == rows.tobytes()
    assert ran == [3, 3]


def test_a_flipped_bit_is_noticed(cache, model, ran):
    encode(Embeddings(f"path:{model}"))
    (path,) = cache_files()
    with sqlite3.connect(path) as base:
        ((name, value),) = base.execute("SELECT key, value FROM numbers LIMIT 1")
        broken = value[:20] + bytes([value[20] ^ 4]) + value[21:]
        base.execute("UPDATE numbers SET value = ? WHERE key = ?", (broken, name))
    encode(Embeddings(f"path:{model}"))
    assert ran == [3, 1]


def test_the_work_goes_on_where_nothing_can_be_written(model, monkeypatch, ran):
    monkeypatch.setenv("SIMPATICO_CACHE", "/sys")
    assert encode(Embeddings(f"path:{model}")).shape[0] == 3
    assert ran == [3]


def test_a_damaged_file_is_begun_anew(cache, model, ran):
    rows = encode(Embeddings(f"path:{model}"))
    (path,) = cache_files()
    path.write_bytes(b"not a database at all, but long enough to be taken for one" * 99)
    assert encode(Embeddings(f"path:{model}")).tobytes() == rows.tobytes()
    encode(Embeddings(f"path:{model}"))
    assert ran == [3, 3]


def test_many_threads_may_write_at_once(cache):
    kept = Cache.of("kind")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: kept.save({str(n): np.array([n], "f8")}), range(100)))
    assert {k: v.tolist() for k, v in kept.get(["7", "no"]).items()} == {"7": [7.0]}


def test_what_was_not_used_for_longest_goes_first(cache):
    for age, kind in enumerate("abc"):
        kept = Cache.of(kind)
        kept.save({"x": np.zeros(9_000, "f8")})
        os.utime(kept.path, (age, age))
    evict_oldest(cache, max_bytes=200_000)
    assert [p.name for p in cache_files()] == [Cache.of(k).path.name for k in "bc"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(BadValue) as told:
        Cache.of("kind")
    assert str(told.value) == (
        f"{tmp_path / 'file' / 'cache'} cannot hold the cache (Not a directory); "
        "set SIMPATICO_CACHE to another folder, or to off"
    )


@pytest.mark.parametrize(
    "numbers", [np.zeros((2, 3), "f4"), np.array([1.5, -2]), np.arange(3), np.zeros((0, 4), "f4")]
)
def test_numbers_come_back_as_they_were(numbers):
    back = unpack_array(pack_array(numbers, b"seed"), b"seed")
    assert unpack_array(pack_array(numbers, b"seed"), b"other") is None
    assert back.dtype == numbers.dtype
    assert back.shape == numbers.shape
    assert np.array_equal(back, numbers)


def test_texts_that_belong_together_are_not_taken_for_others(cache):
    row = Cache.of("kind").row
    keys = [("ab", "c"), ("a", "bc"), ("abc",), "ab"]
    assert len({part for key in keys for part in row(key)}) == 2 * len(keys)


def test_the_work_goes_on_when_the_cache_is_locked(cache, model, monkeypatch):
    monkeypatch.setattr("simpatico.models.cache.LOCK_SECONDS", 0.01)
    rows = encode(Embeddings(f"path:{model}"))
    (path,) = cache_files()
    with sqlite3.connect(path) as base:
        base.execute("BEGIN EXCLUSIVE")
        result = encode(Embeddings(f"path:{model}"), [*TEXTS, "more"])
    assert np.array_equal(result[:3], rows)


def stored_rows(path):
    with closing(sqlite3.connect(path)) as base:
        return dict(base.execute("SELECT key, value FROM numbers"))


def test_a_guessed_text_cannot_be_checked_without_the_secret(cache, monkeypatch, tmp_path):
    """Not even with the kind, which is no secret: another machine's names are other names."""
    text = "my PIN is 0417"
    ours = Cache.of("kind")
    ours.save({text: np.arange(3)})
    (name,) = stored_rows(ours.path)
    assert name == ours.row(text)[0]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "thief"))
    theirs = Cache.of("kind")
    assert ours.path != theirs.path
    assert name not in theirs.row(text)
    assert theirs.key not in ours.path.read_bytes()
    assert not Cache(ours.path, theirs.key).get([text])


def test_two_kinds_of_one_text_do_not_unmask_each_other(cache):
    """Whoever knows one array, such as a translation's small numbers, learns nothing of the other."""
    streams = []
    for kind in ("embeddings", "translation"):
        one = Cache.of(kind)
        one.save({"text": np.zeros(384, "f4")})
        (value,) = stored_rows(one.path).values()
        streams.append(np.frombuffer(value[-1536:], np.uint8))
    assert np.mean(streams[0] == streams[1]) < 0.05  # 1 in 256 by chance


def test_another_array_of_the_same_text_has_another_mask(cache):
    one, values = Cache.of("kind"), []
    for number in (0.0, 1.0):
        one.save({"text": np.array([number, *[0.0] * 99])})
        values += stored_rows(one.path).values()
    streams = [np.frombuffer(value[-792:], np.uint8) for value in values]
    assert np.mean(streams[0] == streams[1]) < 0.05


def test_two_files_that_were_swapped_are_not_believed(cache, model, ran):
    name = f"path:{model}"
    means = encode(Embeddings(name))
    (first,) = cache_files()
    encode(Embeddings(name, "max"))
    (second,) = {*cache_files()} - {first}
    for path, to in ((first, cache / "x"), (second, first), (cache / "x", second)):
        path.rename(to)
    assert encode(Embeddings(name)).tobytes() == means.tobytes()
    assert ran == [3, 3, 3]
    assert encode(Embeddings(name)).tobytes() == means.tobytes()
    assert ran == [3, 3, 3]


def planted(one):
    """Rows that somebody who can write, but does not have the secret or the text, could plant."""
    name, seed = one.row("a")
    (value,) = (v for n, v in stored_rows(one.path).items() if n == one.row("b")[0])
    yield name, value  # the array of another text
    yield name, pack_array(np.zeros(3), b"guessed seed")
    yield name, Cache(one.path, b"another kind").row("a")[1] + bytes(100)
    yield name, value[:16] + bytes(2)
    yield name, bytes(10**6)
    yield name, b"\xff" * 2
    yield name, "text"
    yield name, None
    yield name, 2**40
    yield name, pack_array(np.zeros(3), seed)[:-1]
    yield name, pack_array(np.zeros(3), seed) + b"\0"


def test_planted_rows_are_ignored(cache):
    one = Cache.of("kind")
    one.save({"a": np.arange(3), "b": np.arange(4)})
    for name, value in planted(one):
        with closing(sqlite3.connect(one.path)) as base, base:
            base.execute("INSERT OR REPLACE INTO numbers VALUES (?, ?)", (name, value))
        assert [*one.get(["a", "b"])] == ["b"]


@pytest.mark.parametrize(
    "table", ["CREATE VIEW numbers AS SELECT 1 AS key, 2 AS value", "CREATE TABLE numbers (x)"]
)
def test_a_planted_file_is_ignored(cache, table):
    one = Cache.of("kind")
    with closing(sqlite3.connect(one.path)) as base, base:
        base.execute(table)
    one.save({"a": np.arange(3)})
    assert one.get(["a"]) == {}


def test_the_secret_is_made_once_and_is_for_its_owner(cache, tmp_path):
    old = os.umask(0)
    try:
        secret = machine_secret()
    finally:
        os.umask(old)
    folder = tmp_path / "state/simpatico"
    assert [*folder.iterdir()] == [folder / "cache.key"]
    assert (folder / "cache.key").read_bytes() == secret == machine_secret()
    assert len({*secret}) > 10
    assert stat.S_IMODE((folder / "cache.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not cache.exists()


TOGETHER = """
import sys, time
from simpatico.models.cache import machine_secret
print(flush=True)
sys.stdin.readline()
print(machine_secret().hex())
"""


def test_five_processes_that_start_together_have_one_secret(cache):
    command = [sys.executable, "-c", TOGETHER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(5)]
    for process in processes:
        process.stdout.readline()  # it is ready
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    secrets = {process.communicate()[0] for process in processes}
    assert secrets == {f"{machine_secret().hex()}\n"}


def test_fifty_threads_have_one_secret(cache, tmp_path, monkeypatch):
    for number in range(20):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / str(number)))
        with ThreadPoolExecutor(50) as pool:
            assert len({*pool.map(lambda _: machine_secret(), range(50))}) == 1


@pytest.mark.parametrize("content", [None, b"", b"short", b"x" * 1000])
def test_without_its_secret_the_cache_is_made_anew(cache, model, ran, tmp_path, content):
    rows = encode(Embeddings(f"path:{model}"))
    path = tmp_path / "state/simpatico/cache.key"
    path.unlink() if content is None else path.write_bytes(content)
    for _ in range(2):
        assert encode(Embeddings(f"path:{model}")).tobytes() == rows.tobytes()
    assert ran == [3, 3]


def test_where_no_secret_can_be_kept_nothing_is_cached(cache, model, ran, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/sys")
    assert encode(Embeddings(f"path:{model}")).shape[0] == 3
    assert (ran, cache_files()) == ([3], {})


def test_files_of_the_first_cache_are_ignored_and_can_be_deleted(cache):
    """They are named by the plain hash of the kind and hold names that anybody can guess."""
    cache.mkdir()
    old = cache / f"{hashlib.sha256(b'kind').hexdigest()[:32]}.sqlite"
    with closing(sqlite3.connect(old)) as base, base:
        base.execute("CREATE TABLE numbers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        name = hashlib.sha256(b"name" + (1).to_bytes(8, "little") + b"a").digest()
        base.execute("INSERT INTO numbers VALUES (?, ?)", (name, bytes(100)))
    one = Cache.of("kind")
    assert (one.path != old, one.get(["a"])) == (True, {})
    assert [*cache_files()] == [old]
