"""Models on this machine: names, hashes, and folders that want to do harm."""

import ast
import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import simpatico
from simpatico.errors import DataError, MissingResource
from simpatico.models.catalogue import catalogue
from simpatico.models.names import find_model, short_model_name, why_missing
from simpatico.models.store import checkpoint
from tests.models import graphs
from tests.models.tiny import tiny

WEIGHTS, CONFIG, WORDS = "model.safetensors", "config.json", "tokenizer.json"
PACKAGE = Path(simpatico.__file__).parent


def model(folder: Path) -> Path:
    """A small folder that is a model as far as files go."""
    (folder / "1_Pooling").mkdir(parents=True)
    save_file({"a": np.ones((2, 3), np.float32), "n": np.arange(3)}, folder / WEIGHTS)
    (folder / CONFIG).write_text('{"model_type": "bert", "hidden_size": 3}')
    (folder / WORDS).write_text('{"model": {"vocab": {"a": 0, "b": 1}}}')
    (folder / "vocab.txt").write_text("a\nb\n")
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Pooling"}]')
    (folder / "README.md").write_text("about it")
    return folder


@pytest.fixture
def folder(tmp_path):
    return model(tmp_path / "some-model")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home of models, and an empty cache of the hub."""
    monkeypatch.setenv("SIMPATICO_MODELS", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "home"


def test_a_folder_is_a_model(folder):
    result = find_model(f"path:{folder}")
    assert result.name == f"path:{folder}"
    assert result.folder == folder
    assert result.files == (
        "1_Pooling/config.json",
        "config.json",
        "model.safetensors",
        "modules.json",
        "tokenizer.json",
        "vocab.txt",
    )
    assert result.config == {"model_type": "bert", "hidden_size": 3}
    assert len(result.sha256) == 64


def test_the_hash_is_of_names_and_bytes_only(folder, tmp_path):
    other = model(tmp_path / "elsewhere")
    (other / "README.md").write_text("another text")
    assert find_model(f"path:{folder}").sha256 == find_model(f"path:{other}").sha256
    (other / "vocab.txt").rename(other / "words.txt")
    assert find_model(f"path:{folder}").sha256 != find_model(f"path:{other}").sha256


def test_a_flipped_byte_in_any_file_gives_another_hash(folder):
    before = find_model(f"path:{folder}").sha256
    seen = {before}
    for name in find_model(f"path:{folder}").files:
        data = (folder / name).read_bytes()
        flipped = bytearray(data)
        # a byte inside a word or a weight, so that JSON stays JSON and a number a number
        flipped[flipped.index(b"o") if name.endswith(".json") else len(data) - 2] ^= 1
        (folder / name).write_bytes(flipped)
        try:
            seen.add(find_model(f"path:{folder}").sha256)
        except DataError:
            seen.add(name)  # refused is as good
        (folder / name).write_bytes(data)
    assert len(seen) == 1 + 6
    assert find_model(f"path:{folder}").sha256 == before


def test_two_swapped_ids_give_another_hash(folder):
    before = find_model(f"path:{folder}").sha256
    (folder / WORDS).write_text('{"model": {"vocab": {"a": 1, "b": 0}}}')
    assert find_model(f"path:{folder}").sha256 != before


def test_files_are_hashed_once_as_long_as_they_stay(folder, monkeypatch):
    find_model(f"path:{folder}")
    hashed = checkpoint.file_sha256.cache_info().misses
    find_model(f"path:{folder}")
    assert checkpoint.file_sha256.cache_info().misses == hashed
    (folder / "vocab.txt").write_text("a\nc\n")
    find_model(f"path:{folder}")
    assert checkpoint.file_sha256.cache_info().misses == hashed + 1


@pytest.mark.parametrize(
    ("name", "carried"),
    [
        ("minilm", "minilm"),
        ("package:smollm2", "smollm2"),
        ("path:/some/where/tiny-bert", "tiny-bert"),
        ("path:/some/where/tiny-bert/", "tiny-bert"),
        ("hub:facebook/bart-large-cnn", "bart-large-cnn"),
    ],
)
def test_what_a_metric_carries(name, carried):
    assert short_model_name(name) == carried


GET = "simpatico models get"
ABSENT = {
    "package:smollm2": f"model 'package:smollm2' is not installed; `{GET} smollm2`",
    "smollm2": f"model 'package:smollm2' is not installed; `{GET} smollm2`",
    "package:smolm2": "no model 'package:smolm2'; did you mean 'package:smollm2'?",
    "path:no/such": "model 'path:no/such': there is no such folder; give the folder with config.json",
    "path:a\0b": "model 'path:a\\x00b': there is no such folder; give the folder with config.json",
    "hub:org/name": f"model 'hub:org/name' is not on this machine; `{GET} hub:org/name` downloads it",
    "hub:../../etc": "no model 'hub:../../etc'; a model of the hub is named hub:ORG/NAME",
    "http://x/y": "no model 'http://x/y'; a model is named package:NAME, path:DIR or hub:ORG/NAME",
}


@pytest.mark.parametrize("name", ABSENT)
def test_an_absent_model_says_how_to_get_it(name, home):
    assert why_missing(name) == ABSENT[name]
    with pytest.raises(MissingResource) as error:
        find_model(name)
    assert str(error.value) == ABSENT[name]
    assert not home.exists()


def test_the_default_encoder_comes_with_its_package():
    result = find_model("minilm")
    assert result.name == "package:minilm"
    assert result.files == ("onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json")
    # sha256 over the lines "name NUL hash" of the three files, as the catalogue has the hashes
    assert result.sha256 == "d8630396753d4ccf2765f41c6ee3202d73d6c8efd1d7298760f134a1fec97422"
    assert why_missing("minilm") is None


def test_a_snapshot_in_the_cache_of_the_hub_is_found(home, tmp_path):
    kept = tmp_path / "hub/models--org--name"
    model(kept / "blobs")
    snapshot = kept / "snapshots/abc"
    snapshot.mkdir(parents=True)
    for name in (WEIGHTS, CONFIG, WORDS):
        (snapshot / name).symlink_to(f"../../blobs/{name}")
    (kept / "refs").mkdir()
    (kept / "refs/main").write_text("abc")
    assert find_model("hub:org/name").files == (CONFIG, WEIGHTS, WORDS)
    (snapshot / "vocab.txt").symlink_to(Path(__file__))
    with pytest.raises(DataError, match="a link that leads out of the model"):
        find_model("hub:org/name")


Act = Callable[[Path], object]


def write(name: str, content: bytes | str) -> Act:
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def head(text: bytes, after: bytes = b"", length: int | None = None) -> Act:
    told = len(text) if length is None else length
    return write(WEIGHTS, struct.pack("<Q", told) + text + after)


def lines(*offsets: tuple[int, int], dtype: str = "F32", shape: list[int] | None = None) -> bytes:
    told = {
        str(n): {"dtype": dtype, "shape": shape or [1], "data_offsets": o}
        for n, o in enumerate(offsets)
    }
    return json.dumps(told).encode()


def weights(value: float, kind: type = np.float32) -> Act:
    numbers = np.array([1, value, 2], kind)
    return lambda folder: save_file({"a": numbers}, folder / WEIGHTS)


def link(name: str, to: str) -> Act:
    def act(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(to)

    return act


def huge(folder: Path) -> None:
    with (folder / WEIGHTS).open("wb") as file:
        file.write(struct.pack("<Q", 200 << 20))
        file.truncate(300 << 20)


def longer(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes() + b"x")


def huge_words(folder: Path) -> None:
    with (folder / WORDS).open("wb") as file:
        file.truncate((64 << 20) + 1)


def many(folder: Path) -> None:
    for number in range(201):
        (folder / f"{number}.txt").touch()


def nest(folder: Path) -> None:
    (folder / "1_Pooling/more").mkdir()


def elsewhere(location: str) -> Act:
    return write("model.onnx", graphs.model(graphs.graph(graphs.outside(location))))


BROKEN = "{folder}/model.safetensors: not a whole safetensors file; get the model again"
NO_NUMBER = (
    "{folder}/model.safetensors: the tensor 'a' has weights that are NaN or infinite; "
    "get the model again"
)
LINK = "{folder}/%s: a link that leads out of the model; copy the file itself"
PICKLE = (
    "{folder}/%s: weights in a format that can run code when opened; save the model again with "
    "transformers' save_pretrained, which writes safetensors, and leave this file out"
)
CODE = "{folder}/%s: code, which is never run from a model; leave this file out"
KIND = "{folder}/%s: not a kind of file that models are made of; leave it out"
ASKS = "{folder}/%s: %r asks to run code that came with the model; not supported"
JSON = "{folder}/config.json: not valid JSON; get the model again"
INDEX = "model.safetensors.index.json"
PARTS = "{folder}/model.safetensors.index.json: its weights are in %r, which is not beside it"
BESIDE = "{folder}/model.onnx: its weights are in %r, which is not beside it"

HOSTILE: dict[str, tuple[Act, str]] = {
    "pickle as safetensors": (write(WEIGHTS, pickle.dumps(print)), BROKEN),
    "empty weights": (write(WEIGHTS, b""), BROKEN),
    "weights cut off": (lambda f: os.truncate(f / WEIGHTS, 90), BROKEN),
    "weights too long": (longer, BROKEN),
    "header of 200 MB": (huge, BROKEN),
    "header beyond 64 bits": (head(b"{}", length=2**64 - 1), BROKEN),
    "header not JSON": (head(b"{{{{"), BROKEN),
    "header deep": (head(b'{"a":' * 99_999), BROKEN),
    "overlap": (head(lines((0, 4), (0, 4)), b"\0" * 4), BROKEN),
    "hole": (head(lines((0, 4), (8, 12)), b"\0" * 12), BROKEN),
    "offsets backwards": (head(lines((4, 0)), b"\0" * 4), BROKEN),
    "shape overflow": (head(lines((0, 4), shape=[2**62, 8]), b"\0" * 4), BROKEN),
    "shape below 0": (head(lines((0, 4), shape=[-1, -1]), b"\0" * 4), BROKEN),
    "unknown numbers": (head(lines((0, 4), dtype="OBJECT"), b"\0" * 4), BROKEN),
    "NaN": (weights(np.nan), NO_NUMBER),
    "infinite": (weights(-np.inf), NO_NUMBER),
    "NaN in 64 bits": (weights(np.nan, np.float64), NO_NUMBER),
    "NaN in 16 bits": (weights(np.nan, np.float16), NO_NUMBER),
    "torch pickle": (write("pytorch_model.bin", b"x"), PICKLE % "pytorch_model.bin"),
    "pkl": (write("vectors.PKL", b"x"), PICKLE % "vectors.PKL"),
    "pt": (write("1_Pooling/weights.pt", b"x"), PICKLE % "1_Pooling/weights.pt"),
    "code": (write("modeling.py", "import os"), CODE % "modeling.py"),
    "library": (write("kernel.so", b"\x7fELF"), CODE % "kernel.so"),
    "zip": (write("more.zip", b"PK"), KIND % "more.zip"),
    "hidden": (write(".pth", b"x"), KIND % ".pth"),
    "auto_map": (
        write(CONFIG, '{"auto_map": {"AutoModel": "modeling.Evil"}}'),
        ASKS % (CONFIG, "auto_map"),
    ),
    "auto_map deep": (write(CONFIG, '{"a": [{"auto_map": "x"}]}'), ASKS % (CONFIG, "auto_map")),
    "auto_map of words": (
        write("tokenizer_config.json", '{"auto_map": ["a", "b"]}'),
        ASKS % ("tokenizer_config.json", "auto_map"),
    ),
    "trust": (
        write(CONFIG, '{"trust_remote_code": true}'),
        ASKS % (CONFIG, "trust_remote_code"),
    ),
    "kernel": (
        write(CONFIG, '{"_attn_implementation": "org/kernel"}'),
        "{folder}/config.json: '_attn_implementation' asks to fetch code ('org/kernel'); "
        "remove this setting",
    ),
    "module of its own": (
        write("modules.json", '[{"type": "evil.Module"}]'),
        "{folder}/modules.json: module 'evil.Module' is custom code; not supported",
    ),
    "adapter": (
        write("adapter_config.json", '{"base_model_name_or_path": "/etc"}'),
        "{folder}/adapter_config.json: an adapter to another model; merge it into the model first",
    ),
    "quantised": (
        write(CONFIG, '{"quantization_config": {"bits": 4}}'),
        "{folder}/config.json: quantised weights; save the model in 32-bit precision",
    ),
    "config cut off": (write(CONFIG, '{"model_type": '), JSON),
    "config deep": (write(CONFIG, "[" * 200_000), JSON),
    "config not UTF-8": (write(CONFIG, b'{"a": "\xff"}'), JSON),
    "words of 64 MB": (
        huge_words,
        "{folder}/tokenizer.json: 67,108,865 bytes; such a file has at most 67,108,864",
    ),
    "settings of 8 MB": (
        write(CONFIG, "[]" * (4 << 20) + " "),
        "{folder}/config.json: 8,388,609 bytes; such a file has at most 8,388,608",
    ),
    "words cut off": (
        write(WORDS, '{"model": '),
        "{folder}/tokenizer.json: not valid JSON; get the model again",
    ),
    "words deep": (
        write(WORDS, "[" * 200_000),
        "{folder}/tokenizer.json: not valid JSON; get the model again",
    ),
    "parts outside": (
        write(INDEX, '{"weight_map": {"a": "../x.safetensors"}}'),
        PARTS % "../x.safetensors",
    ),
    "parts of the root": (
        write(INDEX, '{"weight_map": {"a": "/etc/passwd"}}'),
        PARTS % "/etc/passwd",
    ),
    "parts not here": (
        write(INDEX, '{"weight_map": {"a": "b.safetensors"}}'),
        PARTS % "b.safetensors",
    ),
    "parts that are a document": (
        write(INDEX, '{"weight_map": {"a": "readme.safetensors"}}'),
        PARTS % "readme.safetensors",
    ),
    "parts no names": (write(INDEX, '{"weight_map": {"a": [1], "b": [1]}}'), PARTS % "[1]"),
    "no parts": (write(INDEX, "{}"), PARTS % ""),
    "link out": (link("vocab.txt", "/etc/passwd"), LINK % "vocab.txt"),
    "link up": (link("vocab.txt", "../../secret.txt"), LINK % "vocab.txt"),
    "folder linked out": (link("more", "/etc"), LINK % "more"),
    "link to itself": (
        link("vocab.txt", "vocab.txt"),
        "{folder}/vocab.txt: not a plain file; a model is made of plain files",
    ),
    "pipe": (
        lambda f: os.mkfifo(f / "pipe.txt"),
        "{folder}/pipe.txt: not a plain file; a model is made of plain files",
    ),
    "folders in folders": (
        nest,
        "{folder}/1_Pooling/more: a model has no folders inside its folders",
    ),
    "too many files": (many, "{folder}: more than 200 files; a model has fewer"),
    "case collision": (
        write("CONFIG.json", "{}"),
        "{folder}: 'CONFIG.json' and 'config.json' differ by case only",
    ),
    "graph reads outside": (elsewhere("../../../etc/passwd"), BESIDE % "../../../etc/passwd"),
    "graph reads root": (elsewhere("/etc/passwd"), BESIDE % "/etc/passwd"),
    "empty graph": (
        write("model.onnx", b""),
        "{folder}/model.onnx: an empty file; get the model again",
    ),
    "graph without weights": (elsewhere("model.onnx_data"), BESIDE % "model.onnx_data"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_folder_is_refused_in_a_sentence(case, folder):
    act, sentence = HOSTILE[case]
    act(folder)
    with pytest.raises(DataError) as error:
        find_model(f"path:{folder}")
    assert str(error.value) == sentence.replace("{folder}", str(folder))


@pytest.mark.timing
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_folder_is_refused_within_two_seconds(case, folder):
    act, _ = HOSTILE[case]
    act(folder)
    start = time.process_time()
    with pytest.raises(DataError):
        find_model(f"path:{folder}")
    assert time.process_time() - start < 2


REFUSE = """
import os, sys
import numpy
from simpatico.errors import DataError
from simpatico.models.names import find_model
changes = []
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
names = {f"os.{what}" for what in "chmod chown link mkdir remove rename rmdir symlink truncate utime".split()}
def watch(event, given):
    if event in names or (event == "open" and isinstance(given[2], int) and given[2] & writing):
        changes.append((event, given))
sys.addaudithook(watch)
n = 0
for folder in sys.argv[1:]:
    try:
        find_model(f"path:{folder}")
    except DataError:
        n += 1
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
sys.stdout.write(repr((n, changes, int(peak) // 1024)))
"""


def bombs() -> dict[str, Act]:
    """Small files that would take much memory if all of them became objects, refused at the end."""
    settings = ",".join(['{"":0}'] * 1_190_000)
    tensor = '"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    tensors = ",".join(tensor % n for n in range(290_000))
    entries = [graphs.entry("location", "x" * 1000)] * 50_000
    place = graphs.tensor(data=None, more=graphs.external(*entries))
    return {
        "settings": write(CONFIG, f'[{settings},{{"auto_map": 1}}]'),
        "tensors": head(f"{{{tensors}}}".encode(), b"x"),
        "places": write("model.onnx", graphs.model(graphs.graph(place))),
        "fields": write("model.onnx", graphs.model(graphs.graph(more=b"\x0a\0" * 5_000_000))),
        "words": write(
            "model.onnx",
            graphs.model(graphs.graph(graphs.tensor(kind=10, where=5, data=bytes(20 << 20)))),
        ),
    }


def test_refusing_hostile_folders_takes_300_mb_at_most_and_writes_nothing(tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc here, which has the peak of a process's memory")
    acts = [act for act, _ in HOSTILE.values()] + [*bombs().values()]
    folders = [model(tmp_path / str(n) / "model") for n in range(len(acts))]
    for act, folder in zip(acts, folders, strict=True):
        act(folder)
    done = subprocess.run(
        [sys.executable, "-c", REFUSE, *map(str, folders)],
        capture_output=True,
        text=True,
        check=True,
    )
    n, changes, peak = ast.literal_eval(done.stdout)
    assert (n, changes) == (len(acts), [])
    assert peak <= 300


def test_an_empty_folder_is_no_model(tmp_path):
    with pytest.raises(DataError) as error:
        find_model(f"path:{tmp_path}")
    assert str(error.value) == f"{tmp_path}: no file of a model is in this folder"


def test_a_folder_without_weights_is_no_model(folder):
    (folder / WEIGHTS).unlink()
    with pytest.raises(DataError) as error:
        find_model(f"path:{folder}")
    assert str(error.value) == (
        f"{folder}: no weights here; a model has model.safetensors or model.onnx"
    )


def test_a_link_within_the_folder_is_fine(folder):
    link("words.txt", "vocab.txt")(folder)
    assert "words.txt" in find_model(f"path:{folder}").files


AUDIT = """
import sys
from simpatico.models.names import find_model as find
from simpatico.models import catalogue
from simpatico.models.store import checkpoint
for name in sys.argv[1:]:
    find(name)
for kept in (catalogue.catalogue, checkpoint.file_sha256, checkpoint.examine_file):
    kept.cache_clear()  # everything is imported now, and nothing is remembered
seen = []
watched = {"pickle.find_class", "marshal.loads", "exec", "compile", "import",
           "subprocess.Popen", "os.system", "socket.connect", "socket.getaddrinfo"}
sys.addaudithook(lambda event, given: seen.append(event) if event in watched else None)
for name in sys.argv[1:]:
    find(name)
sys.stdout.write(repr(seen))
"""


def test_nothing_runs_and_nothing_is_sent_when_a_model_is_found(folder, tmp_path):
    other = model(tmp_path / "other")
    names = [f"path:{folder}", f"path:{other}", "package:minilm"]
    told = subprocess.run(
        [sys.executable, "-c", AUDIT, *names], capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]"


SCORE = """
import sys
import simpatico
from simpatico import registry
roles = ("user", "assistant") * 3
dialog = [{"role": role, "content": f"{role} had a good day"} for role in roles]
# made beforehand, as making a metric evaluates our own annotations
metrics = [registry.load(name, model=model) for name, _, model in (a.partition("=") for a in sys.argv[1:])]
half = len(metrics) // 2
simpatico.score([dialog], metrics[:half])  # imports everything; the other folders are not loaded
seen = []
watched = {"pickle.find_class", "marshal.loads", "exec", "compile", "import", "subprocess.Popen",
           "os.system", "os.exec", "os.posix_spawn", "os.fork", "ctypes.dlopen",
           "socket.__new__", "socket.connect", "socket.getaddrinfo"}
sys.addaudithook(lambda event, given: seen.append(event) if event in watched else None)
table = simpatico.score([dialog], metrics[half:])
sys.stdout.write(repr((seen, len(table.at("turn")))))
"""


@pytest.mark.parametrize("back_end", ["onnxruntime", pytest.param("torch", marks=pytest.mark.slow)])
def test_nothing_runs_and_nothing_is_sent_when_models_load_and_score(tmp_path, back_end):
    sources = {"coherence": find_model("minilm").folder}
    if back_end == "torch":
        kinds = {"coherence": "bert", "bart_score": "bart", "dialog_rpt": "gpt2-classes-1"}
        sources = {metric: tiny(kind) for metric, kind in kinds.items()}
    copies = {metric: shutil.copytree(f, tmp_path / metric) for metric, f in sources.items()}
    given = [f"{metric}=path:{f}" for one in (sources, copies) for metric, f in one.items()]
    done = subprocess.run(
        [sys.executable, "-c", SCORE, *given], capture_output=True, text=True, check=True
    )
    assert done.stdout == "([], 6)"


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_one_function_alone_opens_what_torch_pickled():
    loads = [
        (path.name, {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords})
        for path in PACKAGE.rglob("*.py")
        for call in calls(path)
        if ast.unparse(call.func) in ("torch.load", "torch.jit.load", "torch.hub.load")
    ]
    assert loads == [("convert.py", {"map_location": "'cpu'", "weights_only": "True"})]


def test_no_call_trusts_code_or_pickles_of_a_model():
    banned = {"trust_remote_code", "allow_pickle"}
    told = [
        (path.name, keyword.arg)
        for path in PACKAGE.rglob("*.py")
        for call in calls(path)
        for keyword in call.keywords
        if keyword.arg in banned and ast.unparse(keyword.value) != "False"
    ]
    assert told == []


def test_every_pretrained_load_is_local_and_of_safetensors():
    for path in PACKAGE.rglob("*.py"):
        for call in calls(path):
            if ast.unparse(call.func).endswith(".from_pretrained"):
                told = {k.arg: ast.unparse(k.value) for k in call.keywords}
                assert told.get("local_files_only") == "True" or None in told, path


def test_the_catalogue_is_whole():
    for entry in catalogue().values():
        hashes = [*entry.files.values(), *(wheel.sha256 for wheel in entry.wheels)]
        assert all(len(value) == 64 and int(value, 16) for value in hashes)
        assert entry.licence
        assert entry.about
        assert entry.cut or len(entry.wheels) == 1
        assert not entry.source or set(entry.source.makes) <= set(entry.files)
