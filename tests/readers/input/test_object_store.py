"""Objects of a store, read from a real S3 server on loopback."""

import json
import logging

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from simpatico.errors import DataError
from simpatico.readers import Source

ROWS = [
    {"dialog": d, "speaker": s, "text": "so it goes"} for d in ("a", "b") for s in ("ann", "bot")
]
UNREACHED = "the store cannot be reached; check address, credentials and connection"


@pytest.fixture(scope="module")
def store():
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "canary-secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ALLOW_HTTP": "true",
        }.items():
            patch.setenv(name, value)
        import boto3

        client = boto3.client("s3", endpoint_url=f"http://{host}:{port}")
        client.create_bucket(Bucket="logs")
        yield client
    server.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_object_is_scored_as_the_file_is(store, tmp_path):
    file = tmp_path / "talk.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    pl.DataFrame(ROWS).write_parquet(tmp_path / "talk.parquet")
    for name in ("talk.jsonl", "talk.parquet"):
        store.put_object(Bucket="logs", Key=name, Body=(tmp_path / name).read_bytes())
    metrics = [load("length")]
    remote = score_run(Conversations(("s3://logs/talk.jsonl",)), metrics, tmp_path / "remote")
    local = score_run(Conversations((str(file),)), metrics, tmp_path / "local")
    for name in ("turn.parquet", "dialog.parquet", "system.parquet", "text.parquet", "run.json"):
        assert (remote.folder / name).read_bytes() == (local.folder / name).read_bytes()
    table = score_run(Conversations(("s3://logs/talk.parquet",)), metrics, tmp_path / "table")
    assert table.at("turn").equals(local.at("turn"))
    with pytest.raises(DataError) as error:
        Source.of("s3://logs/absent.jsonl")
    assert str(error.value) == "s3://logs/absent.jsonl: there is no such object"


def test_a_store_that_refuses_the_connection_is_one_sentence(monkeypatch):
    """A closed port of this machine; the secret is not in the sentence."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    with pytest.raises(DataError) as error:
        Source.of("s3://closed/talk.jsonl")
    assert str(error.value) == f"s3://closed/talk.jsonl: {UNREACHED}"


def test_a_store_without_an_account_is_one_sentence(monkeypatch):
    """Azure's address names no account, and nothing in the environment does."""
    for name in ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DataError) as error:
        Source.of("az://logs/talk.jsonl")
    assert str(error.value) == f"az://logs/talk.jsonl: {UNREACHED}"


@pytest.mark.parametrize("address", ["s3://me:secret@logs/x.jsonl", "az://logs/x.jsonl?sig=secret"])
def test_credentials_in_an_address_are_refused_and_not_repeated(address):
    with pytest.raises(DataError) as error:
        Source.of(address)
    sentence = (
        "an address of an object store must not hold credentials; set them in the environment"
    )
    assert str(error.value) == sentence


def test_a_pattern_of_objects_is_refused():
    with pytest.raises(DataError) as error:
        _ = Conversations(("s3://logs/*.jsonl",)).sources
    sentence = "s3://logs/*.jsonl: patterns are for local files; name the objects one by one"
    assert str(error.value) == sentence
