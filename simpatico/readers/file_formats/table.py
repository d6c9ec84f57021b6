"""Our own table: one utterance a row, as JSON lines, a JSON list, CSV, TSV or Parquet.

    {"dialog": "d1", "speaker": "ann", "text": "Hi", "system": null}
    {"dialog": "d1", "speaker": "bot", "text": "Hello", "system": "acme-2"}

The fastest of the readers, as it reads the largest files: rows that are all text are decoded
straight into a tuple; all other rows take a longer way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import msgspec
import polars as pl

from simpatico import limits
from simpatico.readers.extra_columns import extra_values
from simpatico.readers.file_formats._chat import (
    MACHINE_ROLES,
    SKIPPED_ROLES,
    USER_ROLES,
    system_of,
)
from simpatico.readers.file_formats._table_columns import (
    csv_columns,
    json_columns,
    parquet_columns,
    table_frame,
)
from simpatico.readers.file_formats._table_csv import table_rows
from simpatico.readers.file_formats._table_fields import (
    ALIASES,
    NEEDED,
    SPEAKER_ROLES,
    Fields,
    parse_references,
    parse_time,
)
from simpatico.readers.input.decode import (
    DECODE_ERRORS,
    InvalidValue,
    decode_problem,
    repeated_fields,
)
from simpatico.readers.input.raw_bytes import long_record
from simpatico.readers.input.record import (
    Dialog,
    Ledger,
    Place,
    Reader,
    Utterance,
)
from simpatico.readers.input.source import NEW_TUPLE, Head, Source

Name = str | int
PlacedUtterances = Iterator[tuple[Place, Utterance]]

TYPES: dict[str, Any] = dict.fromkeys(ALIASES, Name | None) | {
    "dialog": Name,
    "speaker": Name,
    "text": str,
    "profile": str | None,
    "system": Name | None | msgspec.UnsetType,
    "time": float | str | None,
    "references": list[str] | str | None,
}
"""By field, in the order of an utterance; others than these are names, which may be absent."""
NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]
PLAIN: dict[str, Any] = dict.fromkeys(TYPES, str | None) | {
    "dialog": NonEmpty,
    "speaker": NonEmpty,
    "text": str,
    "system": str | None | msgspec.UnsetType,
    "time": None,
    "references": None,
}
"""The types of a row that needs no second look."""
DEFAULTS: dict[str, Any] = {n: None for n in TYPES if n not in NEEDED} | {"system": msgspec.UNSET}
BYTES = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Table(Reader):
    """Rows of dialog, speaker and text; the rows of a dialog stand together."""

    name = "table"
    about = "one utterance a row: dialog, speaker, text and more"
    suffixes = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
    divisible = True
    rows_are_utterances = True

    def matches(self, head: Head) -> bool:
        return Fields.of(head).are_utterances(head)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return group_dialogs(self.utterances(source, ledger), ledger)

    def next_dialog(self, source: Source) -> int | None:
        """Where a dialog begins right after the row of another, with nothing rejected between."""
        ledger, last, errors = Ledger("skip"), None, 0
        for place, row in self.utterances(source, ledger):
            if last not in (None, row.dialog) and ledger.errors == errors:
                return place.byte
            last, errors = row.dialog, ledger.errors
        return None

    def frame(self, source: Source) -> pl.DataFrame | None:
        """The rows at once, if all are plain."""
        head, columns = source.head, None
        fields = Fields.of(head, dict(self.mapping))
        if fields.role:
            return None
        if head.kind == "lines":
            columns = json_columns(source.data(), fields, head.field_order, self.system)
        elif head.kind == "text":
            columns = csv_columns(source, fields)
        elif isinstance(source.held, pl.DataFrame):
            columns = parquet_columns(source.held, fields)
        return table_frame(columns, fields, self.system) if columns else None

    def columns(self, head: Head) -> dict[str, str]:
        """Which of our fields are read from a column of another name."""
        return Fields.of(head, dict(self.mapping)).aliases

    def utterances(self, source: Source, ledger: Ledger) -> PlacedUtterances:
        """Every row with its place."""
        fields = Fields.of(source.head, dict(self.mapping))
        text = source.head.kind == "text"
        rows = (self.csv_utterances if text else self.json_utterances)(source, fields, ledger)
        if fields.role:
            return self.with_roles(rows, fields.role, ledger)
        return skip_roles(rows, ledger) if fields.keys["speaker"] in SPEAKER_ROLES else rows

    def with_roles(self, rows: PlacedUtterances, column: str, ledger: Ledger) -> PlacedUtterances:
        """The rows with the system that their role says: people are `human`."""
        for place, row in rows:
            role = extra_values(row.extras).get(column, "").lower()
            if role in SKIPPED_ROLES:
                ledger.skip(f"{role} message")
            elif role in USER_ROLES:
                yield place, row._replace(system="human")
            elif role in MACHINE_ROLES:
                yield place, row._replace(system=self.system or row.speaker)
            else:
                yield place, row

    def csv_utterances(self, source: Source, fields: Fields, ledger: Ledger) -> PlacedUtterances:
        """The rows of a CSV file."""
        for place, values, extras in table_rows(source, fields, ledger):
            try:
                yield place, self.utterance(values, extras)
            except InvalidValue as error:
                ledger.reject(place, error.code, error.reason)

    def json_utterances(self, source: Source, fields: Fields, ledger: Ledger) -> PlacedUtterances:
        """The rows of a file of JSON values, decoded straight from their bytes.

        A row that is all text and has no other fields, as most do, takes the short way.
        """
        plain, full = row_decoder(fields, PLAIN), self.full_decoder(fields)
        short_way = not fields.others
        for place, line in source.records(ledger):
            try:
                if short_way:
                    try:
                        values = plain(line)
                        if no_field_repeats(line, values):
                            row = NEW_TUPLE(Utterance, (*self.with_system(values), None, False))
                            yield place, row
                            continue
                    except msgspec.ValidationError:
                        pass
                row = full(line)
            except DECODE_ERRORS as error:
                ledger.reject(place, *decode_problem(line, error))
            else:
                # files are alike throughout: after the first row that needs more, all take this way
                simple = row.time is None and row.references is None and not row.extras
                short_way = short_way and simple
                yield place, row

    def full_decoder(self, fields: Fields) -> Callable[[bytes], Utterance]:
        """A function from the bytes of any row to its utterance."""
        decode = row_decoder(fields, TYPES)

        def decode_utterance(line: bytes) -> Utterance:
            values, cells, n = decode(line), BYTES.decode(line), count_names(line)
            if n > len(cells):  # names inside of cells do not count
                n -= sum(count_names(bytes(cell)) for cell in cells.values())
            if n > len(cells) and (twice := repeated_fields(line) & fields.own_columns):
                raise InvalidValue("duplicate_key", f"{min(twice)!r} is in the record twice")
            return self.utterance(values, fields.extras(cells))

        return decode_utterance

    def with_system(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values with a system also where the row does not say."""
        if values[3] is not msgspec.UNSET:
            return values
        return (*values[:3], system_of(str(values[1]), self.system), *values[4:])

    def utterance(self, values: tuple[Any, ...], extras: str | None) -> Utterance:
        """The utterance of a row in the order of `TYPES`, or the error `InvalidValue`."""
        dialog, speaker, text, *more = self.with_system(values)
        system, name, reply_to, time, references, partner, profile, prompt = more
        return Utterance(
            dialog if dialog.__class__ is str and dialog else non_empty(dialog, "dialog"),
            speaker if speaker.__class__ is str and speaker else non_empty(speaker, "speaker"),
            text,
            system if system is None or system.__class__ is str else str(system),
            name if name is None or name.__class__ is str else str(name),
            reply_to if reply_to is None or reply_to.__class__ is str else str(reply_to),
            time if time is None else parse_time(time),
            references if references is None else parse_references(references),
            partner if partner is None or partner.__class__ is str else str(partner),
            profile,
            prompt if prompt is None or prompt.__class__ is str else str(prompt),
            extras,
        )


def non_empty(value: Name, field: str) -> str:
    """A name as text; an empty one is an error."""
    if value == "":
        raise InvalidValue("empty", f"{field!r} is empty; every utterance needs one")
    return str(value)


def row_type(fields: Fields, types: dict[str, Any]) -> type[msgspec.Struct]:
    """The type of a file's rows."""
    return msgspec.defstruct(
        "Row",
        [(f, t, DEFAULTS[f]) if f in DEFAULTS else (f, t) for f, t in types.items()],
        rename=fields.keys,
        forbid_unknown_fields=types is not TYPES,
        gc=False,  # no cycles, and the collector need not walk millions of rows
    )


def row_decoder(fields: Fields, types: dict[str, Any]) -> Callable[[bytes], tuple[Any, ...]]:
    """A function from the bytes of a row to its values in the order of `TYPES`."""
    decode, values = msgspec.json.Decoder(row_type(fields, types)).decode, msgspec.structs.astuple
    return lambda line: values(decode(line))


def count_names(line: bytes) -> int:
    """How many field names a JSON text has at most: a colon in a text counts too.

    Decoders keep the last of two fields of one name without a word; counting is the cheapest way to
    notice, and only rows with more names than fields are parsed a second time.
    """
    return line.count(b'":') + line.count(b'" :')


def no_field_repeats(line: bytes, values: tuple[Any, ...]) -> bool:
    """Whether no field can stand twice, as there are no more names in the line than values."""
    n, most = count_names(line), len(values) - values.count(None) - (values[3] is msgspec.UNSET)
    if n > most:
        most += line.count(b":null") + line.count(b": null")
    return 3 <= n <= most


def group_dialogs(rows: PlacedUtterances, ledger: Ledger) -> Iterator[Dialog]:
    """Consecutive rows with one dialog id; a second utterance with the same id is rejected.

    An utterance that comes after rejected rows says so, since they may have stood between. Of a
    dialog that is too long, none is kept.
    """
    dialog: str | None = None
    utterances, places, ids = list[Utterance](), list[Place](), set[str]()
    errors, size, held, is_long = ledger.errors, 0, 0, False
    for place, row in rows:
        # fields by position (dialog 0, text 2, id 4, extras 11): by name takes twice as long
        if row[0] != dialog:
            if utterances:
                yield Dialog(utterances, places)
            dialog, utterances, places, ids = row[0], [], [], set()
            errors, size, held, is_long = ledger.errors, 0, 0, False
        size += len(row[2])
        held += len(row[11] or "")
        if size > limits.DIALOG or held > limits.RECORD:
            if not is_long:  # said once
                limit = limits.DIALOG if size > limits.DIALOG else limits.RECORD
                ledger.reject(places[0] if places else place, *long_record("dialog", limit))
            is_long, utterances = True, []
            continue
        if ledger.errors != errors:
            errors, row = ledger.errors, row._replace(gap=True)
        if (name := row[4]) is not None:
            if name in ids:
                reason = "an earlier utterance of this dialog has the same 'id'"
                ledger.reject(place, "duplicate_id", reason)
                continue
            ids.add(name)
        utterances.append(row)
        places.append(place)
    if utterances:
        yield Dialog(utterances, places)


def skip_roles(rows: PlacedUtterances, ledger: Ledger) -> PlacedUtterances:
    """The rows whose role is no instruction and no tool; the others are counted."""
    for place, row in rows:
        if (role := row.speaker.lower()) in SKIPPED_ROLES:
            ledger.skip(f"{role} message")
        else:
            yield place, row
