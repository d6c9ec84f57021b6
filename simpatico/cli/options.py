"""Options that several commands share.

Heavy imports stand inside functions, so that `--help` of a command is there at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simpatico.errors import BadValue, UnknownName

if TYPE_CHECKING:
    from simpatico.metric import Metric

FOLDER = Path(__file__).parents[1] / "readers" / "file_formats"
FORMATS = ", ".join(
    sorted(m.name.replace("_", "-") for m in iter_modules([str(FOLDER)]) if m.name[0] != "_")
)
"""Off the folder, as `readers.detect` has them; importing that takes a tenth of a second."""

Function = TypeVar("Function", bound=Callable[..., Any])


def renamed_options(**names: str) -> type[click.Command]:
    """A command that still takes the options of the last release: `old="--new"`, and says so.

    Arguments are rewritten before they are parsed, so that help texts show the new names alone.
    """
    options = {f"--{old.replace('_', '-')}": new for old, new in names.items()}

    class Renaming(click.Command):
        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            rewritten = []
            for argument in args:
                name, equals, value = argument.partition("=")
                if name in options:
                    click.echo(f"{name} is now {options[name]}", err=True)
                rewritten.append(f"{options.get(name, name)}{equals}{value}")
            return super().parse_args(ctx, rewritten)

    return Renaming


def out_file(path: Path) -> Path:
    """Where a file is to be written: the target of a link, and nothing but a file."""
    if str(path) in ("", ".", "-"):
        raise BadValue(f"--out {str(path)!r} is not a file name")
    place = path.resolve()
    if place.exists() and not place.is_file():
        what = "folder" if place.is_dir() else "device or pipe"
        raise BadValue(f"--out {path} is a {what}; name a file")
    return place


def combine_options(
    options: list[Callable[[Function], Function]],
) -> Callable[[Function], Function]:
    """Several options as one decorator."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


reading_options = combine_options(
    [
        click.option("--format", help=f"Input format; detected if not given: {FORMATS}."),
        click.option(
            "--system", help="Name of the evaluated side of a chat, such as the assistant."
        ),
        click.option(
            "--merge/--no-merge",
            default=True,
            show_default=True,
            help="Merge consecutive messages of one speaker into one turn.",
        ),
        click.option(
            "--gather",
            is_flag=True,
            help="Collect dialogs whose turns are interleaved in the file.",
        ),
        click.option(
            "--on-error",
            type=click.Choice(["fail", "skip"]),
            default="fail",
            show_default=True,
            help="What to do with a record that cannot be read.",
        ),
        click.option(
            "--max-errors",
            type=click.IntRange(min=0),
            help="With skip: stop after more errors than this.",
        ),
    ]
)
"""How conversations are read."""


metric_options = combine_options(
    [
        click.option("--metrics", help="Metric names, comma-separated; see `simpatico list`."),
        click.option(
            "--preset",
            type=click.Choice(["psych", "neural", "all"]),
            help="A set of metrics; psych if no metric is named.",
        ),
        click.option("--lexicon", help="File with an emotion lexicon to use instead of ours."),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="METRIC.PARAMETER=VALUE",
            help="Metric parameter, such as emotional_entropy.normalised=true; repeatable.",
        ),
    ]
)
"""Which metrics are computed, and with which parameters."""


def load_metrics(options: dict[str, Any]) -> list[Metric]:
    """The metrics the options name; takes their part out of `options`."""
    from simpatico.metric import plain_name
    from simpatico.registry import load, preset

    listed, preset_name = options.pop("metrics"), options.pop("preset")
    lexicon, settings = options.pop("lexicon"), options.pop("settings")
    names = [n.strip() for n in listed.split(",") if n.strip()] if listed else []
    if preset_name or not names:
        names = list(dict.fromkeys([*preset(preset_name or "psych"), *names]))
    if not names:
        raise UnknownName(f"no metric of preset {preset_name!r} is installed; see `simpatico list`")
    parameters = parse_settings(settings)
    if unused := sorted(set(parameters) - set(names) - set(map(plain_name, names))):
        raise UnknownName(f"--set names {unused[0]!r}, which is not among {', '.join(names)}")
    if lexicon:
        emotional = [name for name in names if takes_emotions(name)]
        if not emotional:
            raise UnknownName(
                f"--lexicon needs an emotion metric; none is among {', '.join(names)}"
            )
        for name in emotional:
            parameters.setdefault(name, {}).setdefault("lexicon", lexicon)
    metrics = []
    for name in names:
        # a setting under the metric's own name holds for it with any model; the full name wins
        own = {**parameters.get(plain_name(name), {}), **parameters.get(name, {})}
        metrics.append(load(name, **typed_parameters(name, own)))
    return metrics


def takes_emotions(name: str) -> bool:
    """Whether a metric has an emotion lexicon as a parameter."""
    from simpatico.metric import plain_name
    from simpatico.registry import metric_class

    parameters = {f.name for f in fields(metric_class(plain_name(name)))}
    return name.startswith("emotion") and "lexicon" in parameters


def parse_settings(settings: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """`metric.parameter=value` as a mapping."""
    parameters: dict[str, dict[str, str]] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        metric, dot, parameter = place.partition(".")
        if not equals or not dot:
            raise UnknownName(f"--set {setting!r} is not of the form metric.parameter=value")
        parameters.setdefault(metric, {})[parameter] = value
    return parameters


def typed_parameters(name: str, parameters: dict[str, str]) -> dict[str, Any]:
    """Parameter values as the type of the parameter's default."""
    from simpatico.metric import plain_name
    from simpatico.registry import metric_class

    defaults = {f.name: f.default for f in fields(metric_class(plain_name(name)))}
    return {p: as_type(f"{name}.{p}", v, defaults.get(p)) for p, v in parameters.items()}


def as_type(place: str, value: str, default: object) -> object:
    """One value, read as a truth value, a number or text."""
    try:
        match default:
            case bool():
                return {"true": True, "false": False}[value.lower()]
            case int():
                return int(value)
            case float():
                return float(value)
            case _:
                return value
    except (KeyError, ValueError):
        kind = type(default).__name__
        raise UnknownName(f"{place} takes a value of type {kind}, not {value!r}") from None
