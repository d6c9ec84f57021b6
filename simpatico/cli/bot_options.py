"""Options and sentences that the commands with bots share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simpatico.cli.options import together
from simpatico.cli.output import note
from simpatico.errors import BadValue

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot, Settings
    from simpatico.bots.cost import Prices
    from simpatico.bots.prompts import Prompt
    from simpatico.bots.runner import How, Summary
    from simpatico.cli.progress import Progress

Function = TypeVar("Function", bound=Callable[..., Any])
SPEC = (
    "http(s)://HOST:PORT/v1?model=NAME, local:MODEL, command:PROGRAM ARGS or script:NAME "
    "(echo, generic, or a file)."
)
ASKED = ("temperature", "max_tokens", "seed", "instruction", "timeout", "retries")


setting_options = together(
    [
        click.option("--temperature", type=float, help="0 takes the likeliest; left to the bot."),
        click.option("--max-tokens", type=int, default=256, show_default=True, help="Per answer."),
        click.option("--seed", type=int, help="For bots that draw by chance and take a seed."),
        click.option("--instruction", default="", help="What the bot is told before the dialog."),
        click.option(
            "--timeout", type=float, default=60, show_default=True, help="Seconds for an answer."
        ),
        click.option(
            "--retries", type=int, default=4, show_default=True, help="How often to try again."
        ),
    ]
)

prompt_options = together(
    [
        click.option("--format", help="Of conversations, if not to be guessed."),
        click.option(
            "--turn",
            "upto",
            type=click.Choice(["last", "first", "every"]),
            default="last",
            show_default=True,
            help="Which turn of the user is answered, where prompts are conversations.",
        ),
    ]
)

many_options = together(
    [
        click.option("--limit", type=int, help="Only so many, from the first."),
        click.option("--jobs", type=int, default=4, show_default=True, help="At the same time."),
        click.option("--retry-errors", is_flag=True, help="Ask again what failed before."),
        click.option("--price-in", type=float, help="Price of a million tokens read."),
        click.option("--price-out", type=float, help="Price of a million tokens written."),
        click.option("--json", "as_json", is_flag=True, help="The summary as JSON on stdout."),
    ]
)


def settings_of(options: dict[str, Any]) -> Settings:
    """The settings; takes their part out of the options."""
    from simpatico.bots.bot import Settings

    return Settings(**{name: options.pop(name) for name in ASKED})


def prices_of(options: dict[str, Any]) -> Prices:
    """The prices; takes their part out of the options."""
    from simpatico.bots.cost import prices

    return prices(options.pop("price_in"), options.pop("price_out"))


def how_of(
    options: dict[str, Any], progress: Progress, foretell: Callable[[Sequence[Prompt]], object]
) -> How:
    """How many are asked; takes its part out of the options."""
    from simpatico.bots.runner import How

    def begin(left: Sequence[Prompt]) -> None:
        progress.expect(len(left))
        if left:
            foretell(left)

    names = ("jobs", "limit", "retry_errors")
    asked = {name: options.pop(name) for name in names}
    return How(**asked, foretell=begin, progress=progress.add)


def named(spec: str, settings: Settings, system: str | None) -> Bot:
    """The bot of a SPEC, under the name of the system if one is given."""
    from simpatico.bots.bot import Renamed
    from simpatico.bots.spec import load_bot
    from simpatico.models.runtime.tokens import as_utf8

    bot = load_bot(spec, settings)
    return Renamed(bot, as_utf8(system)) if system else bot


def elsewhere(out: Path, given: str) -> None:
    """Nothing if the output is not the input, else the error."""
    if given != "-" and out.exists() and Path(given).exists() and out.samefile(given):
        raise BadValue(f"--out {out} is the file that is read; name another")


def foretell(left: Sequence[Prompt], bot: Bot, settings: Settings, prices: Prices) -> None:
    """What is about to be spent."""
    from simpatico.bots.cost import guessed

    tokens = guessed(left, settings)
    cost, what = prices.of(tokens), f"{len(left):,} prompts for {bot.name}"
    told = f"about {tokens.read:,} tokens to read, at most {tokens.written:,} to write"
    note(f"{what}: {told}" + ("" if cost is None else f"; at most about {cost:,.4f}"))


def summed(done: Summary, prices: Prices, out: Path) -> dict[str, Any]:
    """The summary as a mapping; null for what nobody counted."""
    from simpatico.bots.cost import counted

    tokens = counted(done)
    return {
        "out": str(out),
        "before": done.before,
        "answered": done.answered,
        "failed": sum(done.failed.values()),
        "why": dict(sorted(done.failed.items(), key=lambda told: (-told[1], told[0]))),
        "tokens_in": tokens and tokens.read,
        "tokens_out": tokens and tokens.written,
        "tokens_counted_for": done.counted,
        "replies": done.replies,
        "cost": prices.of(tokens) if tokens else None,
        "seconds": round(done.seconds, 3),
    }


def tell(told: dict[str, Any], what: str) -> None:
    """The summary as sentences."""
    why = ", ".join(f"{n:,} {reason}" for reason, n in told["why"].items())
    before = f" ({told['before']:,} done before)" if told["before"] else ""
    failed = f"{told['failed']:,} failed" + (f": {why}" if why else "")
    seconds = f"{told['seconds']:,.1f} seconds"
    note(f"{told['answered']:,} {what}{before}, {failed}; {seconds}")
    if told["tokens_in"] is not None:
        part = (
            ""
            if told["tokens_counted_for"] == told["replies"]
            else f" in {told['tokens_counted_for']:,} of {told['replies']:,} replies"
        )
        cost = "" if told["cost"] is None else f"; cost {told['cost']:,.4f}"
        note(f"{told['tokens_in']:,} tokens read, {told['tokens_out']:,} written{part}{cost}")
    if not told["answered"] + told["failed"]:
        note("Everything was done before; nothing was asked.")
    if told["failed"]:
        note("the same command with --retry-errors asks again what failed")
