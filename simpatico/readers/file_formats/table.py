"""Our own table: one utterance a row, as JSON lines, a JSON list, CSV, TSV or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import msgspec

from simpatico.readers.file_formats import _chat__roles as roles
from simpatico.readers.file_formats._table_csv import cells
from simpatico.readers.file_formats._table_fields import Fields, references, seconds
from simpatico.readers.input.decode import FAILURES, Wrong, problem
from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance
from simpatico.readers.input.source import NEW, Head, Source

Name = str | int
Found = Iterator[tuple[Place, Utterance]]

TYPES: dict[str, Any] = {
    "dialog": Name,
    "speaker": Name,
    "text": str,
    "system": Name | None | msgspec.UnsetType,
    "id": Name | None,
    "reply_to": Name | None,
    "time": float | str | None,
    "references": list[str] | str | None,
    "interlocutor": Name | None,
    "profile": str | None,
    "prompt": Name | None,
}
Given = Annotated[str, msgspec.Meta(min_length=1)]
PLAIN: dict[str, Any] = dict.fromkeys(TYPES, str | None) | {
    "dialog": Given,
    "speaker": Given,
    "text": str,
    "system": str | None | msgspec.UnsetType,
    "time": None,
    "references": None,
}
"""The types of a row that needs no second look."""

LATER = {name: None for name in TYPES if name not in ("dialog", "speaker", "text")}
DEFAULTS: dict[str, Any] = LATER | {"system": msgspec.UNSET}
BYTES = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True)
class Table:
    """Rows of dialog, speaker and text; the rows of a dialog stand together."""

    name: ClassVar[str] = "table"
    about: ClassVar[str] = "one utterance a row: dialog, speaker, text and more"
    suffixes: ClassVar[tuple[str, ...]] = (
        *(".jsonl", ".ndjson", ".json"),
        *(".csv", ".tsv", ".parquet"),
    )
    scattered: ClassVar[bool] = True
    system: str | None = None

    def matches(self, head: Head) -> bool:
        return Fields.of(head).enough(head)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return grouped(self.utterances(source, ledger), ledger)

    def columns(self, head: Head) -> dict[str, str]:
        """Which of our fields are read from a column of another name."""
        return Fields.of(head).renamed

    def utterances(self, source: Source, ledger: Ledger) -> Found:
        """Every row with its place."""
        fields = Fields.of(source.head)
        text = source.head.kind == "text"
        rows = (self.cells if text else self.records)(source, fields, ledger)
        return without_roles(rows, ledger) if fields.keys["speaker"] == "role" else rows

    def cells(self, source: Source, fields: Fields, ledger: Ledger) -> Found:
        """The rows of a CSV file."""
        for place, values, extras in cells(source, fields, ledger):
            try:
                yield place, self.utterance(values, extras)
            except Wrong as error:
                ledger.reject(place, error.code, error.reason)

    def records(self, source: Source, fields: Fields, ledger: Ledger) -> Found:
        """The rows of a file of JSON values, decoded straight from their bytes.

        A row that is all text and has no other fields, as most do, takes the short way.
        """
        plain, full = decoder(fields, PLAIN), self.row(fields)
        quick = not fields.others
        for place, line in source.records(ledger):
            try:
                if quick:
                    try:
                        values = plain(line)
                        if once(line, values):
                            yield place, NEW(Utterance, (*self.with_system(values), None, False))
                            continue
                    except msgspec.ValidationError:
                        pass
                row = full(line)
            except FAILURES as error:
                ledger.reject(place, *problem(line, error))
            else:
                quick = quick and row.time is None and row.references is None and not row.extras
                yield place, row

    def row(self, fields: Fields) -> Callable[[bytes], Utterance]:
        """A function from the bytes of any row to its utterance."""
        decode = decoder(fields, TYPES)

        def full(line: bytes) -> Utterance:
            values, whole = decode(line), BYTES.decode(line)
            if names(line) > len(whole):
                inner = sum(names(bytes(value)) for value in whole.values())
                fields.once(line, len(whole), names(line) - inner)
            return self.utterance(values, fields.extras(whole))

        return full

    def with_system(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values with a system also where the row does not say."""
        if values[3] is not msgspec.UNSET:
            return values
        return (*values[:3], roles.system_of(str(values[1]), self.system), *values[4:])

    def utterance(self, values: tuple[Any, ...], extras: str | None) -> Utterance:
        """The utterance of a row in the order of `TYPES`, or the error `Wrong`."""
        values = self.with_system(values)
        dialog, speaker, text, system, name, reply_to, time, listed, partner, profile, prompt = (
            values
        )
        return Utterance(
            dialog if dialog.__class__ is str and dialog else named(dialog, "dialog"),
            speaker if speaker.__class__ is str and speaker else named(speaker, "speaker"),
            text,
            system if system is None or system.__class__ is str else str(system),
            name if name is None or name.__class__ is str else str(name),
            reply_to if reply_to is None or reply_to.__class__ is str else str(reply_to),
            time if time is None else seconds(time),
            listed if listed is None else references(listed),
            partner if partner is None or partner.__class__ is str else str(partner),
            profile,
            prompt if prompt is None or prompt.__class__ is str else str(prompt),
            extras,
        )


def named(value: Name, field: str) -> str:
    """A name as text; an empty one is an error."""
    if value == "":
        raise Wrong("empty", f"{field!r} is empty; every utterance needs one")
    return str(value)


def decoder(fields: Fields, types: dict[str, Any]) -> Callable[[bytes], tuple[Any, ...]]:
    """A function from the bytes of a row to its values in the order of `TYPES`."""
    row = msgspec.defstruct(
        "Row",
        [(f, t, DEFAULTS[f]) if f in DEFAULTS else (f, t) for f, t in types.items()],
        rename=fields.keys,
        forbid_unknown_fields=types is PLAIN,
        gc=False,
    )
    decode, values = msgspec.json.Decoder(row).decode, msgspec.structs.astuple
    return lambda line: values(decode(line))


def names(line: bytes) -> int:
    """How many field names a JSON text has at most."""
    return line.count(b'":') + line.count(b'" :')


def once(line: bytes, values: tuple[Any, ...]) -> bool:
    """Whether no field can stand twice, as there are no more names in the line than values."""
    filled = len(values) - values.count(None) - (values[3] is msgspec.UNSET)
    if (found := names(line)) > filled:
        filled += line.count(b":null") + line.count(b": null")
    return 3 <= found <= filled


def grouped(rows: Found, ledger: Ledger) -> Iterator[Dialog]:
    """Runs of rows with one dialog id; a second utterance with the same id is rejected.

    An utterance that comes after rejected rows says so, since they may have stood between.
    """
    dialog: str | None = None
    found, places, ids = list[Utterance](), list[Place](), set[str]()
    errors = ledger.errors
    for place, row in rows:
        if row[0] != dialog:
            if found:
                yield Dialog(found, places)
            dialog, found, places, ids = row[0], [], [], set()
            errors = ledger.errors
        if ledger.errors != errors:
            errors, row = ledger.errors, row._replace(gap=True)
        if (name := row[4]) is not None:
            if name in ids:
                reason = "an earlier utterance of this dialog has the same 'id'"
                ledger.reject(place, "duplicate_id", reason)
                continue
            ids.add(name)
        found.append(row)
        places.append(place)
    if found:
        yield Dialog(found, places)


def without_roles(rows: Iterable[tuple[Place, Utterance]], ledger: Ledger) -> Found:
    """The rows whose role is no instruction and no tool; the others are counted."""
    for place, row in rows:
        if (role := row.speaker.lower()) in roles.ASIDE:
            ledger.set_aside(f"{role} message")
        else:
            yield place, row
