"""`simpatico judge`: a model as a judge of turns, exchanges, dialogs or pairs, by rubrics.

The judgements end in a file that `simpatico validate` compares with those of people.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import bot_options as shared
from simpatico.cli import options as opt
from simpatico.cli.output import (
    format_reasons,
    note,
    result,
    show_json,
    show_prose,
    show_table,
    value_with_interval,
)
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.bots.bot import Bot
    from simpatico.bots.journal import Row, Rows
    from simpatico.judging.calls import Call
    from simpatico.judging.lock import Drift

N_ALTERNATIVES = 20
"""Tokens that are asked for in place of each: the most that OpenAI gives."""
MAX_CHANGES = 50
"""Changed verdicts that are printed; `--json` has all."""


def list_rubrics(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the shipped rubrics and leave."""
    if not wanted or context.resilient_parsing:
        return
    from simpatico.judging.rubric import shipped_rubrics

    rows = [
        [r.name, r.set_name, r.question.unit, r.eyes, r.question.text] for r in shipped_rubrics()
    ]
    show_table("Rubrics", ["name", "set", "unit", "eyes", "question"], rows)
    result("Run `simpatico judge --card NAME` for the card of a rubric.")
    context.exit()


def show_card(context: click.Context, option: click.Parameter, name: str | None) -> None:
    """Print the card of a rubric, or of each in a set, and leave."""
    if not name or context.resilient_parsing:
        return
    from simpatico.judging.prompt import answer_format
    from simpatico.judging.rubric import load_rubrics

    for rubric in load_rubrics([name]):
        question, card = rubric.question, rubric.card
        result(f"{rubric.name}: {question.text}")
        for label, text in {
            "hint": question.hint,
            "measures": card.about,
            "asked": f"about each {question.unit}, through the eyes of the {rubric.eyes}",
            "roles": ", ".join(question.roles),
            "source": card.source,
            "how well judges follow people": card.followed,
        }.items():
            if text:
                show_prose(f"  {label}: {text}")
        for line in answer_format(question).splitlines():
            result(f"    {line}" if line else "")
        result("")
    context.exit()


@click.command(name="judge")
@click.argument("source", metavar="RUN|FILE", type=opt.PATH)
@opt.repeatable(
    "--rubric",
    "What is asked: a shipped rubric or set of them (--list), or a file NAME.toml.",
    "rubrics",
    required=True,
    metavar="NAME|FILE.toml",
)
@shared.bot_option
@opt.path("--out", "JSONL file to write.")
@opt.flag("--plan", "Dry run: count calls, tokens and cost.")
@opt.value("--repeat", 1, "How often each unit is judged.")
@opt.choice("--order", ["both", "ab"], "Orders in which pairs are shown.")
@opt.option("--sample", "Judge a random sample of N dialogs or pairs.", type=int, metavar="N")
@opt.choice(
    "--eyes",
    ["outsider", "interlocutor"],
    "Whose view the judge takes.  [default: the rubric's first role]",
    default=None,
    show_default=False,
)
@opt.value("--logprobs/--no-logprobs", True, "Ask for token probabilities, for an expected score.")
@opt.path(
    "--lock",
    "Lock file of anchors: written if it is new, else verdicts that changed are listed.",
)
@opt.flag(
    "--list", "List the shipped rubrics.", is_eager=True, expose_value=False, callback=list_rubrics
)
@opt.option(
    "--card",
    "Print the card of a rubric: what it measures, source, scale, evidence.",
    is_eager=True,
    expose_value=False,
    callback=show_card,
    metavar="NAME",
)
@shared.many_options
@shared.setting_options
def command(source: Path, out: Path | None, as_json: bool, **options: Any) -> None:
    """Let a model judge conversations by rubrics.

    RUN|FILE is a run folder, or a file that `simpatico score` reads. Each call asks one question
    about one turn, exchange, dialog or pair. Answers that do not parse are null, with the reason.
    Run the same command again to resume after an interruption.

    \b
    Examples:
      simpatico judge --list
      simpatico judge run --rubric coherence --bot local:package:smollm2 --plan
      simpatico judge run --rubric tbd --bot http://localhost:8000/v1?model=m --out judged.jsonl
    """
    from simpatico.judging.calls import CallOptions, build_calls
    from simpatico.judging.rubric import load_rubrics
    from simpatico.questions.units import load_turns

    if out is None and not options["plan"]:
        raise click.UsageError("Missing --out (or --plan for a dry run).")
    how = CallOptions(
        options["repeat"], options["order"] == "both", options["sample"], options["seed"] or 0
    )
    rubrics = load_rubrics(options["rubrics"], options["eyes"])
    settings = replace(
        shared.bot_settings(options), alternatives=N_ALTERNATIVES if options["logprobs"] else 0
    )
    shared.token_prices(options)  # complains of a wrong price before anything is read
    with ExitStack() as stack:
        (bot,) = shared.open_bots(stack, [options["spec"]], settings, [None])
        calls = build_calls(load_turns(source), rubrics, how)
        if out is None or options["plan"]:
            show_plan(calls[: options["limit"]], bot, options, as_json=as_json)
            return
        shared.refuse_same_file(opt.out_file(out), str(source))
        judge_calls(calls, bot, out, options, as_json=as_json)


def show_plan(calls: list[Call], bot: Bot, options: dict[str, Any], *, as_json: bool) -> None:
    """What would be asked, and what it would cost at most."""
    from simpatico.bots.runner import estimate_tokens

    prompts = [call.prompt for call in calls]
    if as_json:
        tokens = estimate_tokens(prompts, shared.bot_settings(options))
        cost = shared.token_prices(options).cost(tokens)
        facts = {"calls": len(calls), "tokens_in": tokens.read, "tokens_out": tokens.written}
        show_json({**facts, "rubrics": dict(Counter(c.rubric.name for c in calls)), "cost": cost})
        return
    for name, n in Counter(call.rubric.name for call in calls).items():
        result(f"{name}: {n:,} calls")
    result(shared.describe_cost(prompts, "calls", bot, options))


def judge_calls(
    calls: list[Call], bot: Bot, out: Path, options: dict[str, Any], *, as_json: bool
) -> None:
    """Ask, and print what came of it."""
    from simpatico.judging.runner import judge, read_rows

    with ProgressDisplay("calls answered") as progress:
        how = shared.ask_options(
            options,
            progress,
            lambda todo: note(shared.describe_cost(todo, "calls", bot, options)),
        )
        summary = judge(bot, calls, out, how)
    rows = read_rows(out)
    drift = check_lock(options["lock"], rows, bot)
    facts = shared.summary_json(summary, shared.token_prices(options), out)
    no_answer = [row for row in rows if row["null_reason"] == "no_answer"]
    shared.print_summary(facts, "calls answered", can_retry=bool(no_answer))
    if options["logprobs"] and any(row["error"] == "status 400" for row in no_answer):
        note("A server that does not know logprobs may refuse them: try --no-logprobs.")
    if as_json:
        facts |= {"rubrics": rubric_facts(rows), "drift": drift and drift_json(drift)}
    else:
        show_judgements(rows)
        if drift:
            show_drift(drift)
    shared.print_outcome(
        summary,
        facts,
        as_json=as_json,
        nothing="no call was answered",
        then="simpatico validate RUN --judgements PEOPLE --judges {out}",
    )


def rubric_facts(rows: Rows) -> list[dict[str, Any]]:
    """Of each rubric, how many calls gave an answer, why others gave none, and pairs' outcomes."""
    from simpatico.judging.runner import count_pairs

    facts = []
    for name in dict.fromkeys(row["quality"] for row in rows):
        own = [row for row in rows if row["quality"] == name]
        nulls = Counter(row["null_reason"] for row in own if row["null_reason"])
        values = [row["value"] for row in own if row.get("value") is not None]
        facts.append(
            {
                "rubric": name,
                "judge": own[0]["judge"],
                "calls": len(own),
                "nulls": dict(sorted(nulls.items(), key=lambda pair: (-pair[1], pair[0]))),
                "mean": sum(values) / len(values) if values else None,
                "with_probabilities": sum(row["probabilities"] is not None for row in own),
                "pairs": count_pairs(own)._asdict() if "order" in own[0] else None,
            }
        )
    return facts


def show_judgements(rows: Rows) -> None:
    """A line per rubric, and how pairs came out."""
    facts = rubric_facts(rows)
    columns = ["rubric", "judge", "calls", "null", "mean", "why null"]
    cells = [
        [f["rubric"], f["judge"], f"{f['calls']:,}", f"{sum(f['nulls'].values()):,}", f["mean"],
         format_reasons(f["nulls"])]
        for f in facts
    ]  # fmt: skip
    show_table("Judgements", columns, cells)
    for f in facts:
        if pairs := f["pairs"]:
            result(
                f"{f['rubric']}: {pairs['pairs']:,} pairs in both orders: a wins "
                f"{pairs['wins_a']:,}, b wins {pairs['wins_b']:,}, {pairs['ties']:,} ties, of "
                f"which {pairs['flips']:,} are flips (another answer in the other order)"
            )


def check_lock(place: Path | None, rows: Rows, bot: Bot) -> Drift | None:
    """What has changed since the lock was written; a lock that is not there is written."""
    from simpatico.judging.lock import measure_drift, read_lock, write_lock

    if place is None:
        return None
    if place.exists():
        return measure_drift(read_lock(place), rows, bot)
    write_lock(opt.out_file(place, option="--lock"), rows, bot)
    note(f"{len(rows):,} verdicts locked in {place}")
    return None


def drift_json(drift: Drift) -> dict[str, Any]:
    """The drift for scripts."""
    changes = [
        {**unit_names(change.row), "before": change.before, "now": change.now}
        for change in drift.changes
    ]
    rate = drift.rate("judge.flips").as_json()
    return {"anchors": len(drift.rows), "flips": rate, "judge": drift.judge, "changes": changes}


def unit_names(row: Row) -> dict[str, Any]:
    """What names the call of a judgement."""
    from simpatico.judging.calls import UNIT_FIELDS

    return {name: row[name] for name in UNIT_FIELDS if row.get(name) is not None}


def verdict_cell(verdict: float | str | None) -> str | None:
    """A verdict in a table: ratings are whole numbers."""
    return f"{verdict:g}" if isinstance(verdict, float | int) else verdict


def show_drift(drift: Drift) -> None:
    """Changed verdicts, and how many there are."""
    for line in drift.judge:
        note(f"The judge is another one: {line}.")
    rows = [
        [", ".join(f"{k} {v}" for k, v in unit_names(c.row).items()), *map(verdict_cell, c[1:])]
        for c in drift.changes[:MAX_CHANGES]
    ]
    if rows:
        show_table("Changed verdicts", ["anchor", "before", "now"], rows)
    rate = drift.rate("judge.flips")
    interval = value_with_interval(rate.value, rate.low, rate.high)
    result(f"{len(drift.changes):,} of {len(drift.rows):,} verdicts changed: {interval}")
