"""`simpatico train`: labelled or unlabelled data in, model weights or lexicons out.

Results are printed next to those of a trivial baseline, such as reply length alone: a model that
does not beat it has found nothing.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.groups import CommandGroup
from simpatico.cli.output import note, result

MODULES = {
    **dict.fromkeys(("nsp", "ruber", "ctx-ruber", "usl-h", "relevance"), "heads"),
    **{name: name for name in ("engagement", "emotion", "empathy", "continuity", "interlocutor")},
    "trait": "trait",
    **dict.fromkeys(("rating", "chat-words"), "rating"),
}
"""Evaluators, and the module of this folder that has the command of each."""


class Evaluators(CommandGroup):
    """The commands below `train`: each is loaded when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted([*self.commands, *MODULES])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in MODULES:
            return super().get_command(context, name)
        module = import_module(f"{__name__}.{MODULES[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command


@click.group(name="train", cls=Evaluators)
def command() -> None:
    """Train a model or derive a lexicon from your own data.

    Every training writes a folder that a metric loads with `--set METRIC.PARAMETER=path:MODEL`,
    and a model card with the results on the test set.
    """


@command.command(name="lexicon")
@opt.path("--data", "Folder of the GoEmotions data set.", required=True)
@opt.out("CSV file to write.")
@opt.force
@opt.value("--minimum", 5, "Minimum number of texts that contain a word.")
def lexicon_command(data: Path, out: Path, minimum: int) -> None:
    """Derive an emotion lexicon from labelled texts.

    Use it with `simpatico score --lexicon FILE`.
    """
    from simpatico.files import write_atomically
    from simpatico.training.lexicon import derive_lexicon, encode_lexicon

    opt.out_file(out)  # before the work; whether a file there is ours, only its content tells
    lexicon = derive_lexicon(data, minimum=minimum)
    content = encode_lexicon(lexicon)
    write_atomically(opt.out_file(out, content), content, public=True)
    note(f"{lexicon.height:,} weights for {lexicon['term'].n_unique():,} words")
    result(str(out))
