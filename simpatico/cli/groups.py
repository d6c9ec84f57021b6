"""Groups of commands: help under headings and never cut, and a suggestion for a misspelt name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import cleandoc

import click

from simpatico.errors import suggest_names


class CommandGroup(click.Group):
    """A group that prints its help, whole, when it is called alone; `no_args_is_help` says so."""

    sections: Mapping[str, Sequence[str]] = {}
    """Headings of the help and the commands below each; others stand under `Commands`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click's own answer is an error that carries the help
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}; {suggest_names(args[0], names)}")
        return super().resolve_command(ctx, args)

    def summary(self, ctx: click.Context, name: str) -> str:
        """What the help says of a command: the first paragraph of its own help."""
        command = self.get_command(ctx, name)
        return first_paragraph((command.help or "") if command else "")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings; summaries wrap where click would cut them."""
        names = self.list_commands(ctx)
        placed = {name for section in self.sections.values() for name in section}
        sections = {**self.sections, "Commands": [n for n in names if n not in placed]}
        widest = max(map(len, names))
        for title, commands in sections.items():
            rows = [(name.ljust(widest), self.summary(ctx, name)) for name in commands]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def first_paragraph(text: str) -> str:
    """The words before the first empty line."""
    return " ".join(cleandoc(text).partition("\n\n")[0].split())
