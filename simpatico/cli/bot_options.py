"""Options and sentences that the commands with bots share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_json
from simpatico.errors import BadValue, RunError

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot, Settings
    from simpatico.bots.prompts import Prompt
    from simpatico.bots.runner import AskOptions, Prices, Summary
    from simpatico.cli.progress import ProgressDisplay

SPEC = (
    "http(s)://HOST:PORT/v1?model=NAME, local:MODEL, command:PROGRAM ARGS or script:NAME "
    "(echo, generic, or a file)."
)
SETTINGS = ("temperature", "max_tokens", "seed", "instruction", "timeout", "retries")


setting_options = combine_options(
    [
        click.option(
            "--temperature",
            type=float,
            help="Sampling temperature; 0 = most likely token. Default: the bot's own.",
        ),
        click.option(
            "--max-tokens", type=int, default=256, show_default=True, help="Tokens per reply."
        ),
        click.option("--seed", type=int, help="Random seed, for bots that sample."),
        click.option("--instruction", default="", help="System prompt, sent before the dialog."),
        click.option(
            "--timeout",
            type=float,
            default=60,
            show_default=True,
            help="Seconds to wait for a reply.",
        ),
        click.option(
            "--retries",
            type=int,
            default=4,
            show_default=True,
            help="How often to retry a request.",
        ),
    ]
)

prompt_options = combine_options(
    [
        click.option("--format", help="Format of conversations; detected if not given."),
        click.option(
            "--turn",
            "upto",
            type=click.Choice(["last", "first", "every"]),
            default="last",
            show_default=True,
            help="Which user turn to reply to, where prompts are conversations.",
        ),
    ]
)

many_options = combine_options(
    [
        click.option(
            "--limit", type=int, metavar="N", help="Use only the first N prompts or openings."
        ),
        click.option("--jobs", type=int, default=4, show_default=True, help="Requests at a time."),
        click.option("--retry-errors", is_flag=True, help="Repeat requests that failed before."),
        click.option("--price-in", type=float, help="Price per million input tokens."),
        click.option("--price-out", type=float, help="Price per million output tokens."),
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
    ]
)


def bot_settings(options: dict[str, Any]) -> Settings:
    """The settings; takes their part out of the options."""
    from simpatico.bots.bot import Settings

    return Settings(**{name: options.pop(name) for name in SETTINGS})


def token_prices(options: dict[str, Any]) -> Prices:
    """The prices; takes their part out of the options."""
    from simpatico.bots.runner import Prices

    read, written = options.pop("price_in"), options.pop("price_out")
    for name, price in (("--price-in", read), ("--price-out", written)):
        if price is not None and not 0 <= price < float("inf"):
            raise BadValue(f"{name} is {price}; a price per million tokens is zero or more")
    return Prices(read, written)


def ask_options(
    options: dict[str, Any],
    progress: ProgressDisplay,
    announce: Callable[[Sequence[Prompt]], object],
) -> AskOptions:
    """How many are asked; takes its part out of the options."""
    from simpatico.bots.runner import AskOptions

    def start(prompts: Sequence[Prompt]) -> None:
        progress.expect(len(prompts))
        if prompts:
            announce(prompts)

    own = {name: options.pop(name) for name in ("jobs", "limit", "retry_errors")}
    return AskOptions(**own, on_start=start, progress=progress.add)


def load_named_bot(spec: str, settings: Settings, system: str | None) -> Bot:
    """The bot of a SPEC, under the name of the system if one is given."""
    from simpatico.bots.bot import RenamedBot
    from simpatico.bots.spec import load_bot
    from simpatico.models.runtime.tokens import as_utf8

    bot = load_bot(spec, settings)
    return RenamedBot(bot, as_utf8(system)) if system else bot


def refuse_same_file(out: Path, source: str) -> None:
    """Complain where the output is the input."""
    if source != "-" and out.exists() and Path(source).exists() and out.samefile(source):
        raise BadValue(f"--out {out} is the input file; name another file")


def print_estimate(
    prompts: Sequence[Prompt], bot: Bot, *, settings: Settings, prices: Prices
) -> None:
    """What is about to be spent."""
    from simpatico.bots.runner import estimate_tokens

    tokens = estimate_tokens(prompts, settings)
    cost, what = prices.cost(tokens), f"{len(prompts):,} prompts for {bot.name}"
    counts = f"about {tokens.read:,} input tokens, at most {tokens.written:,} output tokens"
    note(f"{what}: {counts}" + ("" if cost is None else f"; cost at most about {cost:,.4f}"))


def summary_json(summary: Summary, prices: Prices, out: Path) -> dict[str, Any]:
    """The summary as a mapping; null for what nobody counted."""
    tokens = summary.tokens
    return {
        "out": str(out),
        "before": summary.n_before,
        "answered": summary.n_answered,
        "failed": sum(summary.failures.values()),
        "why": dict(sorted(summary.failures.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tokens_in": tokens and tokens.read,
        "tokens_out": tokens and tokens.written,
        "tokens_counted_for": summary.n_counted,
        "replies": summary.n_replies,
        "cost": prices.cost(tokens) if tokens else None,
        "seconds": round(summary.seconds, 3),
    }


def print_summary(summary: dict[str, Any], what: str) -> None:
    """The summary as sentences."""
    why = ", ".join(f"{n:,} {reason}" for reason, n in summary["why"].items())
    before = f" ({summary['before']:,} done before)" if summary["before"] else ""
    failures = f"{summary['failed']:,} failed" + (f": {why}" if why else "")
    seconds = f"{summary['seconds']:,.1f} seconds"
    note(f"{summary['answered']:,} {what}{before}, {failures}; {seconds}")
    if summary["tokens_in"] is not None:
        part = (
            ""
            if summary["tokens_counted_for"] == summary["replies"]
            else f" in {summary['tokens_counted_for']:,} of {summary['replies']:,} replies"
        )
        cost = "" if summary["cost"] is None else f"; cost {summary['cost']:,.4f}"
        counts = f"{summary['tokens_in']:,} input tokens, {summary['tokens_out']:,} output tokens"
        note(f"{counts}{part}{cost}")
    if not summary["answered"] + summary["failed"]:
        note("Nothing to do: everything was finished before.")
    if summary["failed"]:
        note("Run the same command with --retry-errors to repeat what failed.")


def print_outcome(summary: Summary, facts: dict[str, Any], *, as_json: bool, nothing: str) -> None:
    """The result on stdout; an error where nothing at all was answered, now or before."""
    if as_json:
        show_json(facts)
    else:
        result(facts["out"])
    if summary.failures and not summary.n_answered and not summary.n_before:
        why = summary.failures.most_common(1)[0][0]
        raise RunError(f"{nothing} ({why}); {facts['out']} has the reason for each")
