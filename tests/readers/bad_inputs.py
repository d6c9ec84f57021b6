"""Bad inputs as data, so that the readers and the command line are tried with the same ones.

Every bad record holds the canary; no message may. A record case is one bad record between two
good ones; a file case is a whole file.
"""

import gzip
import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import polars as pl

CANARY = "CANARY-7f3a"
GOOD = [
    {"dialog": "g", "speaker": "ann", "text": "good one"},
    {"dialog": "g", "speaker": "bob", "text": "good two"},
]
NUMBER = "is a number too large to read"
SURROGATE = "an unpaired surrogate (\\ud800 to \\udfff) is not valid text"
NO_TIME = "'time' must be seconds since 1970 or an ISO 8601 time"
NAME = "must be a whole number or text"


@dataclass(frozen=True)
class Bad:
    """A bad record: its bytes, and the code and reason it is rejected with."""

    name: str
    record: bytes
    code: str
    reason: str


@dataclass(frozen=True)
class BadFile:
    """A bad file: its bytes, where and why it is rejected, and how many turns are left.

    Not `via_stdin`: without its suffix it could be anything.
    """

    name: str
    suffix: str
    content: bytes
    code: str
    reason: str
    line: int = 1
    turn_count: int = 0
    via_stdin: bool = True


def row(**changes: Any) -> bytes:
    """A good row with the canary, but for these changes; None leaves the field out."""
    fields = {"dialog": "g", "speaker": "ann", "text": CANARY} | changes
    return json.dumps({k: v for k, v in fields.items() if v is not None}).encode()


def with_text(text: bytes) -> bytes:
    return b'{"dialog": "g", "speaker": "%s", "text": %s}' % (CANARY.encode(), text)


def with_field(field: str) -> bytes:
    return row()[:-1] + b", " + field.encode() + b"}"


LINES = [
    Bad("not_json", b"just words " + CANARY.encode(), "json", "this is not JSON (byte 0)"),
    Bad("single_quotes", f"{{'text': '{CANARY}'}}".encode(), "json", "this is not JSON (byte 1)"),
    Bad("cut_off_string", row()[:-8], "truncated", "the JSON is truncated"),
    Bad("cut_off_object", row()[:-1], "truncated", "the JSON is truncated"),
    Bad("two_values", row() + row(), "json", "this is not JSON (byte 57)"),
    Bad("trailing_comma", row()[:-1] + b",}", "json", "this is not JSON (byte 56)"),
    Bad("comment", row() + b" // x", "json", "this is not JSON (byte 58)"),
    Bad("a_list", b'["CANARY-7f3a"]', "type", "the record must be an object, not a list"),
    Bad("a_text", b'"CANARY-7f3a"', "type", "the record must be an object, not text"),
    Bad("a_number", b"7", "type", "the record must be an object, not a whole number"),
    Bad("null", b"null", "type", "the record must be an object, not null"),
    Bad("an_empty_object", b"{}", "missing", "there is no 'dialog'"),
    Bad("bad_utf8", with_text(b'"\xff\xfe"'), "utf8", "the text is not valid UTF-8"),
    Bad("latin1", with_text(b'"caf\xe9"'), "utf8", "the text is not valid UTF-8"),
    Bad("overlong_utf8", with_text(b'"\xc0\xaf"'), "utf8", "the text is not valid UTF-8"),
    Bad("utf8_surrogate", with_text(b'"\xed\xa0\x80"'), "utf8", "the text is not valid UTF-8"),
    Bad(
        "bad_utf8_in_extras",
        with_field('"x": 1')[:-2] + b'"\xff"}',
        "utf8",
        "the text is not valid UTF-8",
    ),
    Bad("nul_in_text", with_text(b'"a\0b"'), "nul", "there is a NUL byte in the JSON"),
    Bad("nul_between", row() + b"\0", "nul", "there is a NUL byte in the JSON"),
    Bad("control_character", with_text(b'"a\x01b"'), "json", "this is not JSON (byte 52)"),
    Bad("high_surrogate", with_text(rb'"\ud800"'), "surrogate", SURROGATE),
    Bad("low_surrogate", with_text(rb'"x\udc00y"'), "surrogate", SURROGATE),
    Bad("two_high", with_text(rb'"\ud83d\ud83d"'), "surrogate", SURROGATE),
    Bad("surrogate_in_extras", with_field(r'"x": "\ud800"'), "surrogate", SURROGATE),
    Bad("nan", with_field('"time": NaN'), "number", "NaN and Infinity are not JSON; write null"),
    Bad("nan_extra", with_field('"x": NaN'), "number", "NaN and Infinity are not JSON; write null"),
    Bad(
        "infinity",
        with_field('"time": -Infinity'),
        "number",
        "NaN and Infinity are not JSON; write null",
    ),
    Bad("too_large", with_field('"time": 1e999'), "number", f"'time' {NUMBER}"),
    Bad("5000_digits", with_field('"time": ' + "9" * 5000), "number", f"'time' {NUMBER}"),
    Bad("5000_digits_name", with_field('"id": ' + "9" * 5000), "number", f"'id' {NUMBER}"),
    Bad("large_time", with_field('"time": 1e300'), "time", NO_TIME),
    Bad("time_in_words", row(time=f"yesterday {CANARY}"), "time", NO_TIME),
    Bad("time_list", row(time=[1]), "type", "'time' must be a number or text or null, not a list"),
    Bad("no_dialog", row(dialog=None), "missing", "there is no 'dialog'"),
    Bad("no_speaker", row(speaker=None), "missing", "there is no 'speaker'"),
    Bad(
        "no_text",
        with_field('"x": 1').replace(b'"text"', b'"tixt"'),
        "missing",
        "there is no 'text'",
    ),
    Bad("null_text", with_text(b"null"), "type", "'text' must be text, not null"),
    Bad("text_number", row(text=5, x=CANARY), "type", "'text' must be text, not a whole number"),
    Bad("text_list", row(text=[CANARY]), "type", "'text' must be text, not a list"),
    Bad("text_object", row(text={CANARY: 1}), "type", "'text' must be text, not an object"),
    Bad("text_true", row(text=True), "type", "'text' must be text, not true or false"),
    Bad("null_dialog", row().replace(b'"g"', b"null"), "type", f"'dialog' {NAME}, not null"),
    Bad("dialog_fraction", row(dialog=1.5), "type", f"'dialog' {NAME}, not a number"),
    Bad("dialog_list", row(dialog=[CANARY]), "type", f"'dialog' {NAME}, not a list"),
    Bad("dialog_empty", row(dialog=""), "empty", "'dialog' is empty; every utterance needs one"),
    Bad("speaker_empty", row(speaker=""), "empty", "'speaker' is empty; every utterance needs one"),
    Bad("speaker_true", row(speaker=True), "type", f"'speaker' {NAME}, not true or false"),
    Bad("speaker_object", row(speaker={}), "type", f"'speaker' {NAME}, not an object"),
    Bad(
        "system_list",
        row(system=[1]),
        "type",
        "'system' must be a whole number or text or null, not a list",
    ),
    Bad(
        "references_number",
        row(references=3),
        "type",
        "'references' must be text or a list or null, not a whole number",
    ),
    Bad(
        "references_of_numbers",
        row(references=[3]),
        "type",
        "'references[0]' must be text, not a whole number",
    ),
    Bad(
        "profile_number",
        row(profile=3),
        "type",
        "'profile' must be text or null, not a whole number",
    ),
    Bad(
        "text_twice",
        row()[:-1] + b', "text": "x"}',
        "duplicate_key",
        "'text' is in the record twice",
    ),
    Bad(
        "dialog_twice",
        row()[:-1] + b', "dialog" : "x"}',
        "duplicate_key",
        "'dialog' is in the record twice",
    ),
    Bad(
        "nested_lists",
        with_field('"x": ' + "[" * 100_000 + "]" * 100_000),
        "nesting",
        "the JSON is nested too deeply",
    ),
    Bad(
        "nested_objects",
        with_field('"x": ' + '{"a":' * 100_000 + "1" + "}" * 100_000),
        "nesting",
        "the JSON is nested too deeply",
    ),
    Bad(
        "nested_open",
        with_field('"x": ' + "[" * 100_000),
        "nesting",
        "the JSON is nested too deeply",
    ),
]
"""One bad line of JSON."""

CELLS = [
    Bad("bad_utf8", b"g,ann,CANARY-7f3a \xff,", "utf8", "the text is not valid UTF-8"),
    Bad("nul", b"g,ann,CANARY-7f3a \0,", "nul", "there is a NUL byte in the row"),
    Bad("few", b"g,CANARY-7f3a", "cells", "the row has 2 cells but the header has 4"),
    Bad("many", b"g,ann,CANARY-7f3a,,x", "cells", "the row has 5 cells but the header has 4"),
    Bad("no_dialog", b",ann,CANARY-7f3a,", "empty", "'dialog' is empty; every utterance needs one"),
    Bad("no_speaker", b"g,,CANARY-7f3a,", "empty", "'speaker' is empty; every utterance needs one"),
    Bad("nan", b"g,ann,CANARY-7f3a,nan", "time", NO_TIME),
    Bad("infinite", b"g,ann,CANARY-7f3a,1e999", "time", NO_TIME),
    Bad("digits", b"g,ann,CANARY-7f3a," + b"9" * 5000, "time", NO_TIME),
    Bad("words", b"g,ann,x,CANARY-7f3a", "time", NO_TIME),
    Bad("quote", b'g,ann,"CANARY" 7f3a,', "csv", "a quote is not closed or not doubled"),
    Bad("multi_line", b'g,ann,"CANARY-7f3a\n\xff\nx",', "utf8", "the text is not valid UTF-8"),
]
"""One bad row of CSV under the header dialog,speaker,text,time."""

MESSAGES = [
    Bad("no_messages", b'{"id": "CANARY-7f3a"}', "missing", "there is no 'messages'"),
    Bad(
        "messages_text",
        b'{"messages": "CANARY-7f3a"}',
        "type",
        "'messages' must be a list or null, not text",
    ),
    Bad(
        "message_text",
        b'{"messages": ["CANARY-7f3a"]}',
        "type",
        "'messages[0]' must be an object, not text",
    ),
    Bad(
        "no_role",
        b'{"messages": [{"content": "CANARY-7f3a"}]}',
        "missing",
        "there is no 'role' in 'messages[0]'",
    ),
    Bad(
        "role_number",
        b'{"messages": [{"role": 3}]}',
        "type",
        "'messages[0].role' must be text, not a whole number",
    ),
    Bad(
        "content_number",
        b'{"messages": [{"role": "user", "content": 3}]}',
        "type",
        "'messages[0].content' must be text or a list or null, not a whole number",
    ),
    Bad(
        "part_number",
        b'{"messages": [{"role": "user", "content": [3]}]}',
        "type",
        "'messages[0].content[0]' must be text or an object, not a whole number",
    ),
    Bad("a_number", b"5", "type", "the record must be an object or a list, not a whole number"),
    Bad(
        "cut_off",
        b'{"messages": [{"role": "user", "content": "CANARY',
        "truncated",
        "the JSON is truncated",
    ),
]
"""One bad line of chat messages."""


def jsonl(*records: bytes) -> bytes:
    return b"".join(record + b"\n" for record in records)


def parquet(**columns: Any) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(target)
    return target.getvalue()


def zip_archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("conversations.json", CANARY)
    return target.getvalue()


G1, G2 = (json.dumps(good).encode() for good in GOOD)
MANY = jsonl(*[row(dialog=f"d{i}", x=i * 7919 % 10_007) for i in range(5000)])
WIDE = "the file is UTF-{0} but only UTF-8 is read; convert it with: iconv -f UTF-{0} -t UTF-8"
EMPTY = "the file is empty; name another one"
CUT = "the gzip file is truncated; get the whole file again"
DAMAGED = "the gzip file is damaged; get the file again"
BOMB = "the gzip file unpacks to more than 200 times its size; unpack it yourself if you trust it"

NO_DIALOG = (
    "there is no column 'dialog'; it may also be called dialogue, conversation_id, dialog_id, "
    "dialogue_id, session_id, thread_id, conv_id, conversation, or say which it is with "
    "--columns dialog=NAME"
)

COMES_BACK = (
    "a dialog that ended earlier in the file goes on here; "
    "sort the file by dialog, or pass --gather to collect it first"
)

FILES = [
    BadFile("empty", ".jsonl", b"", "empty", EMPTY),
    BadFile("blank", ".jsonl", b"\n \n\r\n", "empty", EMPTY),
    BadFile("only_a_mark", ".csv", b"\xef\xbb\xbf", "empty", EMPTY),
    BadFile("empty_gzip", ".jsonl.gz", gzip.compress(b""), "empty", EMPTY),
    BadFile("utf16", ".jsonl", G1.decode().encode("utf-16"), "encoding", WIDE.format(16)),
    BadFile("utf16_le", ".jsonl", G1.decode().encode("utf-16-le"), "encoding", WIDE.format(16)),
    BadFile("utf16_be", ".csv", G1.decode().encode("utf-16-be"), "encoding", WIDE.format(16)),
    BadFile("utf32", ".jsonl", G1.decode().encode("utf-32"), "encoding", WIDE.format(32)),
    BadFile("utf32_be", ".json", G1.decode().encode("utf-32-be"), "encoding", WIDE.format(32)),
    BadFile(
        "utf16_gzip",
        ".jsonl.gz",
        gzip.compress(G1.decode().encode("utf-16")),
        "encoding",
        WIDE.format(16),
    ),
    BadFile(
        "zip",
        ".zip",
        zip_archive(),
        "zip",
        "this is a zip archive; unpack it and give the file inside",
    ),
    BadFile("cut_gzip_start", ".jsonl.gz", gzip.compress(MANY)[:8], "gzip_truncated", CUT),
    BadFile(
        "damaged_gzip_start", ".jsonl.gz", b"\x1f\x8b\xff" + MANY[:99], "gzip_corrupt", DAMAGED
    ),
    BadFile(
        "bomb",
        ".jsonl.gz",
        gzip.compress(jsonl(G1, G2) + b" " * (20 << 20)),
        "gzip_bomb",
        BOMB,
        3,
        2,
    ),
    BadFile(
        "last_line_cut_off",
        ".jsonl",
        jsonl(G1, G2) + row()[:-9],
        "truncated",
        "the JSON is truncated",
        3,
        2,
    ),
    BadFile(
        "first_line_bad",
        ".jsonl",
        jsonl(row()[:-9], G1, G2),
        "truncated",
        "the JSON is truncated",
        1,
        2,
    ),
    BadFile("only_line_bad", ".jsonl", row()[:-9], "truncated", "the JSON is truncated"),
    BadFile(
        "id_twice",
        ".jsonl",
        jsonl(row(id="u1"), row(id="u1", speaker="bob")),
        "duplicate_id",
        "an earlier utterance of this dialog has the same 'id'",
        2,
        1,
    ),
    BadFile(
        "comes_back",
        ".jsonl",
        jsonl(G1, G2, row(dialog="h"), row()),
        "dialog_comes_back",
        COMES_BACK,
        4,
        3,
    ),
    BadFile("no_header", ".csv", b"g,ann,CANARY-7f3a\n", "header", NO_DIALOG, via_stdin=False),
    BadFile(
        "carriage_returns",
        ".csv",
        b"dialog,speaker,text\rg,ann,CANARY-7f3a\r",
        "csv",
        "there is a carriage return without a line feed; convert the line ends",
        via_stdin=False,
    ),
    BadFile(
        "header_lacks_text",
        ".csv",
        b"dialog,speaker\ng,CANARY-7f3a\n",
        "header",
        "there is no column 'text'; it may also be called message, utterance, content, "
        "or say which it is with --columns text=NAME",
    ),
    BadFile(
        "header_twice",
        ".csv",
        b"dialog,speaker,text,text\ng,ann,CANARY-7f3a,x\n",
        "header",
        "the column 'text' is there twice; keep one",
    ),
    BadFile(
        "open_quote",
        ".csv",
        b'dialog,speaker,text\ng,ann,x\ng,bob,"CANARY-7f3a\ng,ann,y\n',
        "csv",
        "a quote is not closed or not doubled",
        3,
        1,
    ),
    BadFile(
        "list_cut_off",
        ".json",
        b"[" + G1 + b",\n" + row()[:-8],
        "truncated",
        "the JSON is truncated",
    ),
    BadFile(
        "list_item",
        ".json",
        b"[" + G1 + b",\n" + row(text=5) + b",\n" + G2 + b"]",
        "type",
        "'text' must be text, not a whole number",
        2,
        2,
    ),
    BadFile("deep_list", ".json", b"[" * 100_000, "no_format", ""),
    BadFile("words", ".txt", b"hello CANARY-7f3a", "no_format", ""),
    BadFile("unknown_shape", ".json", b'{"CANARY-7f3a": 1}', "no_format", ""),
    BadFile(
        "not_parquet", ".parquet", b"PAR1 CANARY-7f3a", "parquet", "the Parquet file is damaged"
    ),
    BadFile(
        "parquet_cut_off",
        ".parquet",
        parquet(dialog=["g"], text=[CANARY])[:-20],
        "parquet",
        "the Parquet file is damaged",
    ),
    BadFile(
        "parquet_null_text",
        ".parquet",
        parquet(dialog=["g"] * 3, speaker=["a", "b", "c"], text=["x", None, "y"]),
        "type",
        "'text' must be text, not null",
        2,
        2,
    ),
    BadFile(
        "parquet_null_dialog",
        ".parquet",
        parquet(dialog=["g", None], speaker=["a", "b"], text=["x", CANARY]),
        "type",
        "'dialog' must be a whole number or text, not null",
        2,
        1,
    ),
    BadFile(
        "parquet_number_text",
        ".parquet",
        parquet(dialog=["g"], speaker=["a"], text=[5]),
        "type",
        "'text' must be text, not a whole number",
    ),
    BadFile(
        "parquet_list_text",
        ".parquet",
        parquet(dialog=["g"], speaker=["a"], text=[[CANARY]]),
        "type",
        "'text' must be text, not a list",
    ),
    BadFile(
        "parquet_no_text",
        ".parquet",
        parquet(dialog=["g"], speaker=["a"], x=[CANARY]),
        "missing",
        "there is no 'text'",
    ),
    BadFile(
        "parquet_bad_time",
        ".parquet",
        parquet(dialog=["g"], speaker=["a"], text=["x"], time=[CANARY]),
        "time",
        NO_TIME,
    ),
    BadFile(
        "parquet_twice",
        ".parquet",
        parquet(dialog=["g", "h", "g"], speaker=["a"] * 3, text=["x"] * 3),
        "dialog_comes_back",
        COMES_BACK,
        3,
        2,
    ),
]
"""Whole files; a code of "no_format" is an error whatever --on-error says."""
