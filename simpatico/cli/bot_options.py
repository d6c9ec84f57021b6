"""Options, calls and sentences that the commands with bots share.

Tokens are estimated and priced before the first request, since a server may charge for them, and
counted afterwards; results are appended as they come, so that a repeated command resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simpatico.cli import options as opt
from simpatico.cli.output import format_reasons, note, result, show_json
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import BadValue, RunError

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot, Settings
    from simpatico.bots.prompts import Prompt
    from simpatico.bots.runner import AskOptions, Prices, Summary

SPEC = (
    "Bot to talk to: http(s)://HOST:PORT/v1?model=NAME (OpenAI-compatible server), local:MODEL, "
    "command:PROGRAM ARGS, or script:NAME (echo, generic, or a file)."
)
SETTINGS = ("temperature", "max_tokens", "seed", "instruction", "timeout", "retries")

bot_option = opt.option("--bot", SPEC, "spec", required=True, metavar="SPEC")
system_option = opt.option("--system", "Name of the bot.  [default: its model or program]")
prompts_option = opt.option(
    "--prompts", "Prompts to reply to.", "source", required=True, metavar="FILE"
)
setting_options = opt.combine(
    opt.option(
        "--temperature",
        "Sampling temperature; 0 = most likely token.  [default: the bot's own]",
        type=float,
    ),
    opt.value("--max-tokens", 256, "Maximum number of tokens per reply."),
    opt.option("--seed", "Random seed, for bots that sample.", type=opt.SEED),
    opt.text("--instruction", "System prompt, sent before the dialog."),
    opt.value("--timeout", 60, "Seconds to wait for a reply.", type=float),
    opt.value("--retries", 4, "How often to retry a failed request."),
)
prompt_options = opt.combine(
    opt.option("--format", "Format of conversations; detected if not given."),
    opt.choice(
        "--turn",
        ["last", "first", "every"],
        "If prompts are conversations: the user turn to reply to.",
        "upto",
    ),
)
many_options = opt.combine(
    opt.option("--limit", "Use only the first N prompts.", type=int, metavar="N"),
    opt.value("--jobs", 4, "Number of concurrent requests."),
    opt.flag("--retry-errors", "Repeat requests that failed before."),
    opt.option("--price-in", "Price per million input tokens.", type=float),
    opt.option("--price-out", "Price per million output tokens.", type=float),
    opt.as_json,
)


def bot_settings(options: Mapping[str, Any]) -> Settings:
    """How a bot replies; recorded with every reply."""
    from simpatico.bots.bot import Settings

    return Settings(**{name: options[name] for name in SETTINGS})


def token_prices(options: Mapping[str, Any]) -> Prices:
    """What tokens cost; null where no price is given."""
    from simpatico.bots.runner import Prices

    prices = [options[name] for name in ("price_in", "price_out")]
    for name, price in zip(("--price-in", "--price-out"), prices, strict=True):
        # written this way round since it also refuses nan
        if price is not None and not 0 <= price < float("inf"):
            raise BadValue(f"{name} is {price}; a price per million tokens is zero or more")
    return Prices(*prices)


def ask_options(
    options: Mapping[str, Any],
    progress: ProgressDisplay,
    announce: Callable[[Sequence[Prompt]], object],
) -> AskOptions:
    """How many prompts are sent and how; `announce` is called with those still to do, if any."""
    from simpatico.bots.runner import AskOptions

    def start(prompts: Sequence[Prompt]) -> None:
        progress.expect(len(prompts))
        if prompts:
            announce(prompts)

    own = {name: options[name] for name in ("jobs", "limit", "retry_errors")}
    return AskOptions(**own, on_start=start, progress=progress.add)


def open_bots(
    stack: ExitStack, specs: Sequence[str], settings: Settings, systems: Sequence[str | None]
) -> list[Bot]:
    """The bots of SPECs, closed with the stack; under the names of the systems if there are any.

    Closing gives back what a bot holds, such as the process of `command:`. Names are made valid
    UTF-8 here: a shell may pass any bytes, and the JSONL file could not hold them.
    """
    from simpatico.bots.bot import RenamedBot
    from simpatico.bots.spec import load_bot
    from simpatico.models.runtime.tokens import as_utf8

    bots = []
    for spec, system in zip(specs, systems or [None] * len(specs), strict=True):
        bot = load_bot(spec, settings)
        bots.append(RenamedBot(bot, as_utf8(system)) if system else bot)
        stack.enter_context(closing(bots[-1]))
    return bots


def refuse_same_file(out: Path, source: str) -> None:
    """Complain where the output is the input, also under another name or through a link.

    Results replace the file or are appended to it; either way the input would be spoilt.
    """
    if source != "-" and out.exists() and Path(source).exists() and out.samefile(source):
        raise BadValue(f"--out {out} is the input file; name another file")


def ask_bot(
    bot: Bot, prompts: Sequence[Prompt], out: Path, *, options: Mapping[str, Any]
) -> tuple[Summary, dict[str, Any]]:
    """Let a bot reply to prompts, with an estimate of tokens and cost before the first request."""
    from simpatico.bots.probe import probe

    with ProgressDisplay("prompts answered") as progress:
        how = ask_options(
            options, progress, lambda todo: note(describe_cost(todo, "prompts", bot, options))
        )
        summary = probe(bot, prompts, opt.out_file(out), how=how)
    return summary, summary_json(summary, token_prices(options), out)


def describe_cost(
    prompts: Sequence[Prompt], what: str, bot: Bot, options: Mapping[str, Any]
) -> str:
    """How many tokens these prompts are estimated to take of a bot, and what that costs."""
    from simpatico.bots.runner import estimate_tokens

    tokens = estimate_tokens(prompts, bot_settings(options))
    cost = token_prices(options).cost(tokens)
    counts = f"about {tokens.read:,} input tokens, at most {tokens.written:,} output tokens"
    price = "" if cost is None else f"; cost at most about {cost:,.4f}"
    return f"{len(prompts):,} {what} for {bot.name}: {counts}{price}"


def summary_json(summary: Summary, prices: Prices, out: Path) -> dict[str, Any]:
    """The summary as a mapping; null for what nobody counted.

    The reasons of failures are sorted by frequency, then name, so that two runs can be compared.
    """
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


def print_summary(summary: dict[str, Any], what: str, *, can_retry: bool = True) -> None:
    """The summary as sentences."""
    why = format_reasons(summary["why"])
    before = f" ({summary['before']:,} done before)" if summary["before"] else ""
    failures = f"{summary['failed']:,} failed" + (f": {why}" if why else "")
    seconds = f"{summary['seconds']:,.1f} seconds"
    note(f"{summary['answered']:,} {what}{before}, {failures}; {seconds}")
    if summary["tokens_in"] is not None:
        n, n_replies = summary["tokens_counted_for"], summary["replies"]
        part = "" if n == n_replies else f" in {n:,} of {n_replies:,} replies"
        cost = "" if summary["cost"] is None else f"; cost {summary['cost']:,.4f}"
        counts = f"{summary['tokens_in']:,} input tokens, {summary['tokens_out']:,} output tokens"
        note(f"{counts}{part}{cost}")
    if not summary["answered"] + summary["failed"]:
        note("Nothing to do: everything was finished before.")
    if summary["failed"] and can_retry:
        note("Run the same command with --retry-errors to repeat what failed.")


def print_outcome(
    summary: Summary,
    facts: dict[str, Any],
    *,
    as_json: bool,
    nothing: str,
    then: str = "simpatico score {out} --out RUN",
) -> None:
    """The result on stdout; an error where nothing at all was answered, now or before."""
    if as_json:
        show_json(facts)
    else:
        result(facts["out"])
    if summary.failures and not summary.n_answered and not summary.n_before:
        why = summary.failures.most_common(1)[0][0]
        raise RunError(f"{nothing} ({why}); {facts['out']} has the reason for each")
    note(f"next: {then.format(out=facts['out'])}")
