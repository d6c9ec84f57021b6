"""ONNX graphs: every tensor is seen wherever it is, and what cannot be read exactly is refused."""

import struct
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.errors import DataError
from simpatico.models.names import find_model
from simpatico.models.runtime.encoders import load_onnx_net
from simpatico.models.store.graph import MAX_FIELDS, MESSAGES, BadGraph, read_tensors
from tests.models.graphs import (
    BFLOAT16,
    DOUBLE,
    FLOAT16,
    INT64,
    entry,
    external,
    field,
    floats,
    graph,
    model,
    node,
    outside,
    tensor,
    varint,
)

ROOT = Path(__file__).parents[3]
TABLE = floats(*range(12))
GOOD = model(graph(tensor(data=TABLE)))
BESIDE = model(graph(outside("model.onnx_data")))
PLACE = entry("location", "model.onnx_data"), entry("offset", "0"), entry("length", "48")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(TABLE)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx_data").write_bytes(TABLE)
    return folder


def find(folder, data):
    (folder / "model.onnx").write_bytes(data)
    return find_model(f"path:{folder}")


def refusal(folder, data):
    with pytest.raises(DataError) as error:
        find(folder, data)
    return str(error.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize("data", [GOOD, BESIDE], ids=["inside", "beside"])
def test_a_good_graph_is_taken_and_runs(folder, data):
    pytest.importorskip("onnxruntime")
    net = load_onnx_net(find(folder, data), "encoder")
    rows = net(np.array([[2, 0]]), np.zeros((1, 2), np.int64))
    assert rows.tolist() == [[[6, 7, 8], [0, 1, 2]]]


def test_weights_beside_the_graph_are_part_of_the_hash(folder):
    first = find(folder, BESIDE).sha256
    (folder / "model.onnx_data").write_bytes(floats(*range(1, 13)))
    assert find(folder, BESIDE).sha256 != first


def attribute(*more):
    return graph(
        nodes=[node(["input_ids"], "out", "Identity", b"".join(field(5, m) for m in more))]
    )


OUT = outside()
INDICES = tensor("", (12,), INT64, data=struct.pack("<12q", *range(12)))
PLACES = {
    "initializer": model(graph(OUT)),
    "second initializer": model(graph(tensor(), OUT)),
    "constant": model(attribute(field(1, "value") + field(5, OUT))),
    "list of tensors": model(attribute(field(10, tensor()) + field(10, OUT))),
    "subgraph": model(attribute(field(6, graph(OUT)))),
    "list of subgraphs": model(attribute(field(11, graph()) + field(11, graph(OUT)))),
    "subgraph of a subgraph": model(attribute(field(6, attribute(field(6, graph(OUT)))))),
    "sparse values": model(graph(more=field(15, field(1, OUT) + field(2, INDICES)))),
    "sparse indices": model(graph(more=field(15, field(1, tensor()) + field(2, OUT)))),
    "sparse attribute": model(attribute(field(22, field(1, OUT)))),
    "sparse attributes": model(attribute(field(23, field(1, OUT)))),
    "function": model(graph(), field(25, field(7, node([], "o", more=field(5, field(5, OUT)))))),
    "default of a function": model(graph(), field(25, field(11, field(5, OUT)))),
    "training": model(graph(), field(20, field(1, graph(OUT)))),
    "training step": model(graph(), field(20, field(2, graph(OUT)))),
}


@pytest.mark.parametrize("place", PLACES)
def test_weights_outside_are_refused_wherever_a_tensor_can_be(folder, place):
    assert refusal(folder, PLACES[place]) == (
        "model.onnx: its weights are in '../secret.bin', which is not beside it"
    )


@pytest.mark.parametrize(
    "file",
    [
        *("../secret.bin", "/etc/passwd", "..", ".", "", "a/../model.onnx_data", "no.onnx_data"),
        *("model.onnx", "model.onnx_data\0", "*/_ORT_MEM_ADDR_/*", "\\secret", "x" * 2000),
        # a document is no part of the model's hash
        *("README.md", "readme.onnx_data"),
    ],
)
def test_weights_are_in_a_file_of_weights_beside_the_graph(folder, file):
    for name in ("README.md", "readme.onnx_data"):
        (folder / name).write_bytes(TABLE)
    assert refusal(folder, model(graph(outside(file)))) == (
        f"model.onnx: its weights are in {file[:1000]!r}, which is not beside it"
    )


CONSTANT = node([], "table", "Constant", field(5, field(1, "value") + field(5, OUT) + field(20, 4)))
SPARSE = field(1, outside(dims=(12,))) + field(2, INDICES) + field(3, 4) + field(3, 3)
RUNNABLE = {
    "initializer": graph(OUT),
    "constant": graph(nodes=[CONSTANT, node(["table", "input_ids"], "out")]),
    "sparse": graph(more=field(15, SPARSE)),
}


@pytest.mark.parametrize("place", RUNNABLE)
def test_onnxruntime_refuses_weights_outside_by_itself(folder, place):
    """The second barrier: releases before 1.24 read any file, those before 1.27 sparse tensors."""
    onnxruntime = pytest.importorskip("onnxruntime")
    (folder / "model.onnx").write_bytes(model(RUNNABLE[place]))
    with pytest.raises(Exception, match=r"[Ee]xternal data"):
        onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert "onnxruntime>=1.27" in extra["neural"]


def lying(*entries, location=1, **more):
    return model(graph(tensor(data=None, more=external(*entries, location=location), **more)))


UNREADABLE = "where the tensor 'table' lies cannot be read"
LONG = "a number is longer than it need be"
SECRET = field(2, "../secret.bin")
INEXACT = {
    "two files": (lying(entry("location", "../secret.bin"), *PLACE), UNREADABLE),
    "the same file twice": (lying(*PLACE, PLACE[0]), UNREADABLE),
    "two values": (
        lying(PLACE[0] + SECRET, *PLACE[1:]),
        "field 2 of entry is there twice",
    ),
    "two keys": (lying(PLACE[0] + field(1, "location"), *PLACE[1:]), "field 1 of entry is there twice"),
    "long length of a key": (lying(field(1, "location", 1) + SECRET, *PLACE[1:]), LONG),
    "long length of a value": (lying(entry("location", "../secret.bin", 3), *PLACE[1:]), LONG),
    "long tag": (model(graph(b"\x8a\x00" + b"\x01a")), LONG),
    "name not UTF-8": (lying(entry("location", b"\xff"), *PLACE[1:]), "a name is not UTF-8"),
    "no file": (lying(*PLACE[1:]), UNREADABLE),
    "no length": (lying(*PLACE[:2]), UNREADABLE),
    "length below 0": (lying(*PLACE[:2], entry("length", "-48")), UNREADABLE),
    "Arabic digits": (lying(*PLACE[:2], entry("length", "٤٨")), UNREADABLE),
    "another key": (lying(*PLACE, entry("prepacked_0", "x")), UNREADABLE),
    "file, but not external": (lying(*PLACE, location=0), UNREADABLE),
    "external, but no file": (lying(), UNREADABLE),
    "external by overflow": (lying(*PLACE, location=2**32 + 1), UNREADABLE),
    "external twice": (
        model(graph(tensor(data=None, more=external(*PLACE) + field(14, 1)))),
        "field 14 of tensor is there twice",
    ),
    "numbers in two places": (
        model(graph(tensor(more=external(*PLACE)))),
        "the tensor 'table' has numbers in two places",
    ),
    "attribute merged from two": (
        model(attribute(field(5, tensor()) + field(5, OUT))),
        "field 5 of attribute is there twice",
    ),
    "graph merged from two": (model(graph(), field(7, graph(OUT))), "field 7 of model is there twice"),
    "unknown field": (model(graph(tensor(more=field(99, OUT)))), "field 99 of tensor is unknown"),
    "field 0": (model(graph(more=b"\x02\x00")), "field 0 of graph is unknown"),
    "group": (model(graph(more=varint(5 << 3 | 3) + OUT + varint(5 << 3 | 4))), "field 5 of graph is a group"),
    "wire type 7": (model(graph(more=varint(5 << 3 | 7))), "field 5 of graph is a group"),
    "message that is a number": (model(graph(more=field(5, 3))), "field 5 of graph is no message"),
    "cut off": (GOOD[:-1], "field 7 of model is cut off"),
    "length beyond the end": (field(7, b"")[:-1] + varint(2**63), "field 7 of model is cut off"),
    "number without end": (b"\x08" + b"\xff" * 30, "a number has no end"),
    "number of 70 bits": (b"\x08" + b"\xff" * 9 + b"\x7f", LONG),
    "text": (b"<html>", "field 7 of model is a group"),
    "unknown type": (
        model(graph(tensor(kind=17))),
        "the tensor 'table' has numbers of the unknown type 17",
    ),
    "no type": (
        model(graph(field(8, "t"))),
        "the tensor 't' has numbers of the unknown type None",
    ),
    "too many fields": (
        model(graph(more=field(1, b"") * (MAX_FIELDS + 1))),
        f"it has more than {MAX_FIELDS:,} fields",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", INEXACT)
def test_a_graph_that_cannot_be_read_exactly_is_refused(folder, case):
    data, why = INEXACT[case]
    assert refusal(folder, data) == f"model.onnx: not a valid graph ({why}); export it again"


def test_a_thousand_graphs_within_each_other_are_refused(folder):
    data = graph(OUT)
    for _ in range(1000):
        data = field(1, node([], "o", more=field(5, field(6, data))))
    assert refusal(folder, model(data)) == (
        "model.onnx: not a valid graph (more than 100 messages within each other); export it again"
    )


def sixteen(*words):
    return b"".join(map(varint, words))


NAN, INF = float("nan"), float("inf")
NOT_FINITE = {
    "raw": tensor(data=floats(1, NAN, *range(10))),
    "raw infinite": tensor(data=floats(-INF, *range(11))),
    "floats": tensor(data=floats(1, NAN, *range(10)), where=4),
    "raw doubles": tensor(kind=DOUBLE, data=floats(1, INF, code="d")),
    "doubles": tensor(kind=DOUBLE, data=floats(1, NAN, code="d"), where=10),
    "complex": tensor(kind=14, data=floats(1, 2, 3, NAN)),
    "half": tensor(kind=FLOAT16, data=floats(1, INF, code="e")),
    "bfloat16": tensor(kind=BFLOAT16, data=floats(1, NAN)[2:]),
    "one NaN": tensor("mask", (), data=floats(NAN)),
}


@pytest.mark.parametrize("case", NOT_FINITE)
def test_weights_that_are_not_finite_are_refused_by_name(folder, case):
    name = "mask" if case == "one NaN" else "table"
    assert refusal(folder, model(graph(NOT_FINITE[case]))) == (
        f"model.onnx: the tensor {name!r} has weights that are NaN or infinite; get the model again"
    )


@pytest.mark.parametrize(
    ("kind", "word"), [(FLOAT16, 0x7C00), (FLOAT16, 0xFE00), (BFLOAT16, 0x7F80)]
)
def test_sixteen_bits_that_are_written_as_whole_numbers(folder, kind, word):
    good = tensor(kind=kind, data=sixteen(0, 0x3C00, 0x7BFF & ~0x0400), where=5)
    assert find(folder, model(graph(good)))
    bad = tensor(kind=kind, data=sixteen(0, word), where=5)
    assert refusal(folder, model(graph(bad))) == (
        "model.onnx: not a valid graph (the tensor 'table' has NaN or infinite numbers); "
        "export it again"
    )


def test_numbers_beside_the_graph_are_looked_at_too(folder):
    (folder / "model.onnx_data").write_bytes(floats(NAN, *range(11)))
    assert refusal(folder, BESIDE) == (
        "model.onnx_data: the tensor 'table' has weights that are NaN or infinite; "
        "get the model again"
    )
    (folder / "model.onnx_data").write_bytes(bytes(47))
    assert refusal(folder, BESIDE) == (
        "model.onnx_data: the tensor 'table' is cut off; get the model again"
    )


def test_the_infinity_of_an_attention_mask_is_no_weight(folder):
    mask = node([], "mask", "Constant", field(5, field(5, tensor("", (), data=floats(-INF)))))
    assert find(folder, model(graph(tensor(), nodes=[mask])))


def test_every_beginning_of_a_graph_is_a_graph_or_refused(tmp_path):
    path = tmp_path / "model.onnx"
    for length in range(1, len(BESIDE)):
        path.write_bytes(BESIDE[:length])
        try:
            assert read_tensors(path) == []  # before the graph begins
        except BadGraph:
            continue


@cache
def protobuf_reader():
    """Protobuf's own reader of the messages; fields that it does not know are passed over."""
    pytest.importorskip("google.protobuf")  # comes with onnxruntime
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="onnx.proto", package="p", syntax="proto2")
    scalars = {"tensor": {8: 12, 14: 5}, "entry": {1: 12, 2: 12}}  # 5 is int32, 12 bytes
    for kind, (_, repeated, inner) in MESSAGES.items():
        message = file.message_type.add(name=kind.replace(" ", "_"))
        for number, name in (inner | ({13: "entry"} if kind == "tensor" else {})).items():
            label, of = 3 if number in repeated else 1, f".p.{name.replace(' ', '_')}"
            message.field.add(name=f"f{number}", number=number, type=11, type_name=of, label=label)
        for number, of in scalars.get(kind, {}).items():
            message.field.add(name=f"f{number}", number=number, type=of, label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("p.model"))


def protobuf_tensors(message):
    """Name and file of each tensor, the file as onnxruntime takes it: the last location counts."""
    if message.DESCRIPTOR.name == "tensor":
        entries = {entry.f1: entry.f2 for entry in message.f13}
        yield message.f8, entries.get(b"location", b"") if message.f14 == 1 else None
        return
    for _, value in message.ListFields():
        for one in [value] if hasattr(value, "DESCRIPTOR") else value:
            yield from protobuf_tensors(one)


@settings(max_examples=300)
@given(st.data())
def test_what_is_accepted_is_what_protobuf_reads(tmp_path_factory, data):
    """Graphs with bytes changed, added or taken out; a second reader gives the same tensors."""
    original = data.draw(st.sampled_from([GOOD, BESIDE, *PLACES.values()]))
    at, stop = sorted(data.draw(st.integers(0, len(original))) for _ in range(2))
    change = data.draw(st.binary(max_size=4) | st.just(original[at:stop] * 2))
    stop = data.draw(st.sampled_from([at, min(stop, at + 4)]))
    path = tmp_path_factory.getbasetemp() / "changed.onnx"
    path.write_bytes(original[:at] + change + original[stop:] or b"\0")
    try:
        ours = [(tensor.name, tensor.file) for tensor in read_tensors(path)]
    except BadGraph:
        return
    theirs = protobuf_tensors(protobuf_reader().FromString(path.read_bytes()))
    text = [(name.decode(errors="replace"), file and file.decode()) for name, file in theirs]
    assert sorted(ours, key=repr) == sorted(text, key=repr)
