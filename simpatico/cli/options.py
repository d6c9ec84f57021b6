"""Options that several commands share, and shorthands to declare the others.

Commands import this module as `opt`: `@opt.value("--jobs", 4, "Number of processes.")`. The group
`cli` shows defaults in every help text, and click takes an option's type from its default, so that
most options are one line. A help text says itself what happens without the option, if that is no
value of it: `[default: detected]`.

Heavy imports stand inside functions here and in the commands that people start with: `score --help`
must not wait for polars.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from mmap import ACCESS_READ, mmap
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.output import note
from simpatico.errors import BadValue, UnknownName

if TYPE_CHECKING:
    from simpatico.metric import Metric

FOLDER = Path(__file__).parents[1] / "readers" / "file_formats"
FORMATS = ", ".join(
    sorted(m.name.replace("_", "-") for m in iter_modules([str(FOLDER)]) if m.name[0] != "_")
)
"""Off the folder, as `readers.detect` has them; importing that takes a tenth of a second."""

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
SEED = click.IntRange(0, 2**32 - 1)
"""What every library takes that draws numbers."""


class PlainPath(click.Path):
    """A path whose name is text: Parquet files and JSON cannot name another one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            os.fspath(value).encode()
        except UnicodeEncodeError:
            self.fail(f"{os.fspath(value)!r} is not UTF-8; choose another name.", param, ctx)
        return super().convert(value, param, ctx)


PATH = PlainPath(path_type=Path)


def accept_old_names(**names: str) -> type[click.Command]:
    """A command that still takes the options of the last release: `old="new"`, and says so.

    Arguments are rewritten before they are parsed, so that help texts show the new names alone.
    """
    options = {f"--{old.replace('_', '-')}": f"--{new}" for old, new in names.items()}

    class Renaming(click.Command):
        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            rewritten = []
            for argument in args:
                name, equals, value = argument.partition("=")
                if name in options:
                    note(f"{name} is now {options[name]}")
                rewritten.append(f"{options.get(name, name)}{equals}{value}")
            return super().parse_args(ctx, rewritten)

    return Renaming


def combine(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order of the help text."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(options):  # click puts the option applied last first
            function = decorator(function)
        return function

    return decorate


def option(name: str, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option; `parameter` is the name that the function knows it by, if it is another one."""
    return click.option(name, *parameter, help=help, **settings)


def value(name: str, default: object, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option with a default, which also says its type."""
    return option(name, help, *parameter, default=default, **settings)


def choice(
    name: str, values: Sequence[str], help: str, *parameter: str, **settings: Any
) -> Decorator:
    """An option with a fixed set of values; the first is the default unless another is named."""
    settings = {"default": None if "required" in settings else values[0], **settings}
    return option(name, help, *parameter, type=click.Choice(values), **settings)


def flag(name: str, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option without a value."""
    return option(name, help, *parameter, is_flag=True, **settings)


def repeatable(name: str, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option that may be given several times; its value is a tuple."""
    sentence, gap, default = help.partition("  [")
    help = f"{sentence} Repeatable.{gap}{default}"
    return option(name, help, *parameter, multiple=True, **settings)


def text(name: str, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option whose default is the empty text, which the help does not show."""
    return option(name, help, *parameter, default="", show_default=False, **settings)


def names(name: str, help: str) -> Decorator:
    """An option that takes names separated by commas; its value is a tuple, empty if not given."""

    def split(context: click.Context, parameter: click.Parameter, names: str) -> tuple[str, ...]:
        chosen = tuple(name.strip() for name in names.split(",") if name.strip())
        source = context.get_parameter_source(parameter.name or "")
        # an unset variable of a script must not mean "all"
        if not chosen and source is click.core.ParameterSource.COMMANDLINE:
            raise click.BadParameter("it is empty; give names, or leave the option out.")
        return chosen

    return text(name, help, metavar="NAME,...", callback=split)


def mapping(name: str, help: str) -> Decorator:
    """An option that takes pairs of names; its value is a tuple of them, empty if not given."""

    def split(
        context: click.Context, parameter: click.Parameter, pairs: str
    ) -> tuple[tuple[str, ...], ...]:
        items = [tuple(part.strip() for part in item.split("=", 1)) for item in pairs.split(",")]
        if pairs and not all(len(item) == 2 and all(item) for item in items):
            raise click.BadParameter(f"{pairs!r} is not of the form FIELD=NAME,FIELD=NAME")
        return tuple(items) if pairs else ()

    return text(name, help, metavar="FIELD=NAME,...", callback=split)


def path(name: str, help: str, *parameter: str, **settings: Any) -> Decorator:
    """An option that names a file or folder."""
    return option(name, help, *parameter, type=PATH, **settings)


def out(help: str, **settings: Any) -> Decorator:
    """Where results are written; required unless there is a default."""
    return path("--out", help, **{"required": "default" not in settings} | settings)


def random_seed(help: str = "Random seed.") -> Decorator:
    return value("--seed", 0, help, type=SEED)


def set_key_file(context: click.Context, option: click.Parameter, value: Path | None) -> None:
    """Name the key for everything that this process, or one it starts, reads or writes."""
    if value is not None:
        os.environ["SIMPATICO_KEY"] = str(value)


key_file = path(
    "--key",
    "Key of pseudonyms (score --pseudonymise).  [default: in the user's config folder]",
    expose_value=False,
    callback=set_key_file,
)
as_json = flag("--json", "Print JSON.", "as_json")
judgements = combine(
    path(
        "--judgements",
        "File of human ratings (columns dialog, quality, value; or dialog and a column of numbers "
        "for each quality; or an export of an annotation tool, such as Label Studio) or of "
        "preferences (preferred, and dialog_a, dialog_b or system_a, system_b, prompt). Turns are "
        "counted from 0, after consecutive messages of one speaker were merged.",
    ),
    value("--turns-from", 0, "Number of a dialog's first turn in the file of --judgements."),
    key_file,
)
proxy = option(
    "--proxy",
    "Stands in for ratings: a score, a judge, or blend.  [default: blend, where there are ratings]",
    metavar="NAME",
)
judges = repeatable(
    "--judges",
    "File of model judges' answers (of `simpatico judge`, or with columns dialog, "
    "quality, judge, value).",
    type=PATH,
)
correlation = choice(
    "--correlation", ["pearson", "spearman", "kendall"], "Correlation coefficient."
)
by = option(
    "--by",
    "Also compare within each week, month, or value of a column of the input.",
    metavar="week|month|COLUMN",
)
with_human = flag("--with-human", "Include the users as a system.")
rating_columns = mapping("--columns", "Names of your columns, if they differ: dialog=session.")
settings = repeatable(
    "--set",
    "Parameter of a metric, such as emotional_entropy.normalised=true.",
    "settings",
    metavar="METRIC.PARAMETER=VALUE",
)
traditional = names(
    "--traditional",
    "Baseline scores for incremental validity.  [default: all traditional metrics]",
)

reading = combine(
    option("--format", f"Input format; detected if not given: {FORMATS}."),
    option("--system", "Name of the evaluated system, where the input says assistant only."),
    mapping("--columns", "Names of your columns, if they differ: dialog=session,text=body."),
    value("--merge/--no-merge", True, "Merge consecutive messages of one speaker into one turn."),
    flag("--gather", "Regroup dialogs whose turns are interleaved in the file."),
    option(
        "--idle-minutes",
        "End a dialog after so many minutes without a message; what follows is another (ID#2).",
        type=click.FloatRange(0, min_open=True),
    ),
    choice("--on-error", ["fail", "skip"], "What to do with a record that cannot be read."),
    option(
        "--max-errors",
        "With --on-error skip: stop after more errors than this.",
        type=click.IntRange(min=0),
    ),
)
"""How conversations are read."""

metrics = combine(
    names("--metrics", "Metrics to compute; see `simpatico list`. FILE.py:CLASS is one of yours."),
    choice(
        "--preset",
        ["default", "psych", "neural", "all"],
        "Set of shipped metrics that can run here. default: psych, metrics that follow people, "
        "length, question_rate and repetition; it is used if no metric is named.",
        default=None,
    ),
    option("--lexicon", "Emotion lexicon (file) to use instead of the shipped one."),
    settings,
)
"""Which metrics are computed, and with which parameters."""


def remember_force(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta["force"] = value


force = flag(
    "--force",
    "Overwrite a file that is not an earlier result of this command.",
    callback=remember_force,
    expose_value=False,
)
"""Read by `out_file`, so that commands need not pass it on."""


def is_forced() -> bool:
    """Whether the user said --force."""
    return bool(click.get_current_context().meta.get("force"))


def out_file(path: Path, mark: bytes = b"", *, option: str = "--out") -> Path:
    """Where a file is to be written: the target of a link, and nothing but a file.

    Files are written under another name and moved: a move would replace a link or a device, such
    as /dev/stdout, instead of writing to it. A file that is there has to be an earlier result of
    the command, which `mark` is found in, unless --force is given; no file of a run or a model is
    ever replaced.
    """
    from simpatico.files import remove_leftovers

    if str(path) in ("", ".", "-"):
        raise BadValue(f"{option} {str(path)!r} is not a file name")
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise BadValue(f"{option} {path} is a link that leads nowhere; name a file")
    if place.exists() and not place.is_file():
        what = "folder" if place.is_dir() else "device or pipe"
        raise BadValue(f"{option} {path} is a {what}; name a file")
    if not place.parent.is_dir():
        raise BadValue(f"{option} {path}: there is no folder {path.parent}; create it first")
    if owner := owner_of(place):
        raise BadValue(f"{option} {path} would change the {owner}; name another file")
    if mark and not is_forced() and not has_mark(place, mark):
        command = click.get_current_context().command_path
        raise BadValue(
            f"{option} {path} was not written by `{command}`; name another file, or overwrite it "
            "with --force"
        )
    remove_leftovers(place)
    return place


def has_mark(place: Path, mark: bytes) -> bool:
    """Whether these bytes are in a file; there is nothing to lose in an empty one, or none."""
    if not place.exists() or not place.stat().st_size:
        return True
    # mapped, not read: somebody's file may be larger than the memory
    with place.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(mark) >= 0


def owner_of(place: Path) -> str | None:
    """The run or model that a file of this name would be part of, or spoil."""
    folder = place.parent
    if (folder / "manifest.json").exists() or (folder / "training.json").exists():
        return f"model in {folder}"
    if folder.name == "parts" and (folder.parent / "run.json").exists():
        return f"run in {folder.parent}"
    is_part = place.suffix in (".json", ".parquet") or place.name == "rejects.jsonl"
    return f"run in {folder}" if is_part and (folder / "run.json").exists() else None


def load_metrics(options: dict[str, Any]) -> list[Metric]:
    """The metrics the options name; takes their part out of `options`.

    --lexicon is short for `--set METRIC.lexicon=FILE` on every emotion metric, and yields to it.
    """
    from simpatico.metric import plain_name
    from simpatico.registry import is_file_spec, load, metric_class, preset

    names, preset_name = list(options.pop("metrics")), options.pop("preset")
    lexicon, parameters = options.pop("lexicon"), parse_settings(options.pop("settings"))
    if preset_name or not names:
        names = list(dict.fromkeys([*preset(preset_name or "default"), *names]))
    if not names:
        raise UnknownName(f"no metric of preset {preset_name!r} is installed; see `simpatico list`")
    for name in filter(is_file_spec, names):  # --set knows it by the name of its class
        own_name = metric_class(name).name
        parameters |= {name: parameters.pop(own_name)} if own_name in parameters else {}
    refuse_other_metrics(parameters, names)
    if lexicon:
        emotional = [
            name
            for name in names
            if name.startswith("emotion")
            and "lexicon" in {f.name for f in fields(metric_class(plain_name(name)))}
        ]
        if not emotional:
            raise UnknownName(
                f"--lexicon needs an emotion metric; none is among {', '.join(names)}"
            )
        for name in emotional:
            parameters.setdefault(name, {}).setdefault("lexicon", lexicon)
    # a setting under the metric's own name holds for it with any model; the full name wins
    own = {n: {**parameters.get(plain_name(n), {}), **parameters.get(n, {})} for n in names}
    return [load(name, **typed_parameters(name, own[name])) for name in names]


def parse_settings(settings: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """`metric.parameter=value` as a mapping; of a parameter given twice the last value holds.

    Names of the last release are taken, and the new ones said.
    """
    from simpatico.metric import plain_name
    from simpatico.registry import OLD_PARAMETERS

    parameters: dict[str, dict[str, str]] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        metric, dot, parameter = place.partition(".")
        if not equals or not dot:
            raise UnknownName(f"--set {setting!r} is not of the form metric.parameter=value")
        if new := OLD_PARAMETERS.get((plain_name(metric), parameter)):
            note(f"--set {metric}.{parameter} is now {metric}.{new}")
            parameter = new
        parameters.setdefault(metric, {})[parameter] = value
    return parameters


def refuse_other_metrics(parameters: Collection[str], names: Collection[str]) -> None:
    """Refuse a `--set` for a metric that is not computed: it would have no effect."""
    from simpatico.metric import plain_name

    if others := sorted(set(parameters) - set(names) - set(map(plain_name, names))):
        raise UnknownName(f"--set names {others[0]!r}, which is not among {', '.join(names)}")


def typed_parameters(name: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Parameter values as the type of the parameter's default: truth value, number or text.

    The default decides, not the look of the value: a lexicon may be called 2026. Names that the
    metric does not have stay text; loading it complains of them.
    """
    from simpatico.metric import plain_name
    from simpatico.registry import metric_class

    defaults = {f.name: f.default for f in fields(metric_class(plain_name(name)))}
    values: dict[str, Any] = {}
    for parameter, text in parameters.items():
        kind: type[Any] = type(defaults.get(parameter))
        try:
            if kind is bool:
                values[parameter] = {"true": True, "false": False}[text.lower()]
            else:
                values[parameter] = kind(text) if kind in (int, float) else text
        except (KeyError, ValueError):
            place = f"{name}.{parameter}"
            raise UnknownName(
                f"{place} takes a value of type {kind.__name__}, not {text!r}"
            ) from None
    return values
