"""Run folders and pages for tests in a browser, made by the real code and kept for the session."""

import atexit
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import polars as pl

from simpatico.judgements import Judgement, Judgements
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.registry import load, preset
from simpatico.reporting.findings import Findings, gather_findings
from simpatico.reporting.page import render_page
from simpatico.run import Run
from simpatico.run.writer import score_run
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"
TWO_METRICS = ("emotional_entropy", "length")
FEW_METRICS = ("style_matching", "emotional_entropy", "length", "question_rate")
WORDS = (
    "I am so glad you told me, that sounds lovely.",
    "Oh no, I was afraid of that. What happened then?",
    "We went there with my sister, and it was sad to leave.",
    "Why not? You should try it and see.",
    "I hate waiting, it makes me angry and tired.",
    "Thank you, that is a great idea!",
    "Hm.",
)


@dataclass(frozen=True)
class ExamplePage:
    """A run with what was judged of it, its findings and its page."""

    run: Run
    judgements: Judgements | None
    title: str | None = None
    judged: str | None = None
    by: str | None = None

    @cached_property
    def findings(self) -> Findings:
        return gather_findings(self.run, self.judgements, by=self.by)

    @cached_property
    def html(self) -> str:
        return render_page(self.findings, title=self.title, judged=self.judged)

    @cached_property
    def path(self) -> Path:
        path = self.run.folder.parent / "report.html"
        path.write_text(self.html, encoding="utf-8")
        return path


@cache
def base() -> Path:
    """Where all of these stand until the tests end."""
    folder = Path(mkdtemp(prefix="simpatico-pages-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def sentence_pair(place: int) -> str:
    """Something to say: two sentences that change with the place."""
    return f"{WORDS[place % len(WORDS)]} {WORDS[(place * place + 3) % len(WORDS)]}"


def talks(systems: Iterable[str], dialogs: int, turns: int = 4, **overrides: str) -> list[dict]:
    """Dialogs of every system with the same openings."""
    return [
        {
            "dialog": f"{overrides.get('dialog', 'd')}{k}/{system}",
            "prompt": f"p{k}",
            "speaker": system if t % 2 else overrides.get("person", "guest"),
            "system": system if t % 2 else "human",
            "text": overrides.get("text")
            or sentence_pair(7 * k + 3 * t + (t % 2) * place * (k + 1)),
        }
        for place, system in enumerate(systems)
        for k in range(dialogs)
        for t in range(turns)
    ]


def ratings(rows: list[dict], *qualities: str, judge: str = "judge") -> Judgements:
    """Three judges of every dialog: they like long replies, and differ among themselves."""
    frame = pl.DataFrame(rows).filter(pl.col("system") != "human")
    lengths = frame.group_by("dialog", "speaker", maintain_order=True).agg(
        pl.col("text").str.len_chars().mean()
    )
    middle = lengths["text"].median() or 0
    return Judgements.of(
        Judgement(
            dialog,
            None,
            speaker,
            quality,
            f"{judge} {j}",
            "outsider",
            float(min(max(3 + (length > middle) + (place * (j + 2) + q) % 3 - 1, 1), 5)),
            1,
            5,
        )
        for place, (dialog, speaker, length) in enumerate(lengths.iter_rows())
        for q, quality in enumerate(qualities)
        for j in range(3)
    )


def scored(
    rows: list[dict],
    metrics: Iterable[str] = FEW_METRICS,
    *,
    name: str = "talk.jsonl",
    run: str = "run",
) -> Run:
    """The rows as a file of this name, scored into a folder of its own."""
    folder = Path(mkdtemp(dir=base()))
    (folder / "in").mkdir()
    path = folder / "in" / name
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return score_run(Conversations((path,)), [metric(m) for m in metrics], folder / run)


metric = cache(load)


def demo() -> ExamplePage:
    """The bundled samples, with every metric that needs no download."""
    metrics = [load(n) for n in [*preset("psych"), "length", "question_rate"]]
    folder = Path(mkdtemp(dir=base()))
    conversations = Conversations((str(SAMPLES / "conversations.jsonl"),))
    run = score_run(conversations, metrics, folder / "demo-run")
    name = "judgements_made_up.csv"
    return ExamplePage(run, read_judgements(SAMPLES / name), judged=name)


def few() -> ExamplePage:
    rows = [*talks(["heron"], 1), *talks(["juniper"], 1, text="Not today.")]
    return ExamplePage(scored(rows), ratings(rows, "overall"))


def unjudged() -> ExamplePage:
    return ExamplePage(scored(talks(["heron", "juniper"], 24)), None)


def one_system() -> ExamplePage:
    rows = talks(["heron"], 24)
    return ExamplePage(scored(rows), ratings(rows, "overall"))


def thirteen() -> ExamplePage:
    rows = talks([f"system-{i:02d}" for i in range(13)], 8)
    return ExamplePage(scored(rows), ratings(rows, "overall", "warm"))


def long_names() -> ExamplePage:
    names = [letter * 99 + "/" + letter * 100 for letter in "abc"]
    rows = talks(names, 22, dialog="d" * 200, person="p" * 200)
    return ExamplePage(
        scored(rows, name="f" * 200 + ".jsonl", run="r" * 200),
        ratings(rows, "q" * 200, "z" * 200),
        title="t" * 200,
        judged="j" * 200,
    )


def right_to_left() -> ExamplePage:
    rows = talks(["مهند", "ليلى"], 16, person="سارة", text="مرحبا، كيف حالك اليوم؟ أنا سعيد (جدا)!")
    return ExamplePage(scored(rows, name="حوار.jsonl"), ratings(rows, "الجودة"), title="تقرير")


def japanese() -> ExamplePage:
    rows = talks(["さくら", "もみじ"], 4, person="太郎", text="今日はとても良い天気ですね。" * 12)
    return ExamplePage(scored(rows), ratings(rows, "総合"))


def long_dialog() -> ExamplePage:
    return ExamplePage(scored([*talks(["heron"], 1, turns=300), *talks(["juniper"], 2)]), None)


def two_scales() -> ExamplePage:
    """One quality of which half the judgements stand on another scale."""
    rows = talks(["heron", "juniper"], 20)
    other = (pl.int_range(pl.len()) % 2).cast(pl.Boolean)
    frame = ratings(rows, "overall").frame.with_columns(
        pl.when(other).then(pl.col("value") * 20).otherwise(pl.col("value")).alias("value"),
        pl.when(other).then(100.0).otherwise(pl.col("scale_max")).alias("scale_max"),
    )
    return ExamplePage(scored(rows), Judgements(frame))


def nulls_only() -> ExamplePage:
    """No word of these texts is in a lexicon, so that some metrics have no score at all."""
    rows = talks(["heron", "juniper"], 12, text="zzq 123")
    return ExamplePage(scored(rows), ratings(rows, "overall"))


def by_segment() -> ExamplePage:
    """Two systems, each with dialogs of two segments."""
    rows = talks(["heron", "juniper"], 24)
    names = ["new users", "returning users"]
    rows = [{**r, "segment": names[int(r["prompt"][1:]) % 2]} for r in rows]
    return ExamplePage(scored(rows), ratings(rows, "overall"), by="segment")


KINDS: dict[str, Callable[[], ExamplePage]] = {
    "demo": demo,
    "few": few,
    "unjudged": unjudged,
    "one_system": one_system,
    "thirteen": thirteen,
    "long_names": long_names,
    "right_to_left": right_to_left,
    "japanese": japanese,
    "long_dialog": long_dialog,
    "two_scales": two_scales,
    "nulls_only": nulls_only,
    "by_segment": by_segment,
}


@cache
def example_page(kind: str) -> ExamplePage:
    """The page of a kind, made once."""
    return KINDS[kind]()


def hostile(payloads: Sequence[str]) -> ExamplePage:
    """A page with every payload in every field that comes from outside.

    Each payload is the name of a system, a dialog, a person, a quality, a judge and a file, and the
    text of turns; title and judgement file, of which a page has one, hold all of them.
    """
    folder = Path(mkdtemp(dir=base()))
    (folder / "in").mkdir()
    rows, paths = [], []
    for payload in payloads:
        overrides = {"dialog": payload, "person": f"{payload}?"}
        own = [*talks([payload], 1, turns=3, text=payload, **overrides)]
        if len(payloads) == 1:  # a second system, to compare with
            own += talks([f"{payload}~"], 1, turns=3, **overrides)
        path = folder / "in" / file_name(payload)
        path.write_text("".join(json.dumps(r) + "\n" for r in own), encoding="utf-8")
        paths.append(path)
        # Dialogs of several files carry the name of theirs, by which judgements must know them.
        within = "" if len(payloads) == 1 else f"{path.name.removesuffix('.jsonl')}/"
        rows += [{**row, "dialog": f"{within}{row['dialog']}"} for row in own]
    qualities = payloads if len(payloads) > 1 else [payloads[0], f"{payloads[0]}!"]
    judgements = [ratings(rows, q, judge=q).frame for q in qualities]
    metrics = [metric(m) for m in TWO_METRICS]
    run = score_run(Conversations(tuple(paths)), metrics, folder / "run")
    every = " ".join(payloads)
    return ExamplePage(run, Judgements(pl.concat(judgements)), title=every, judged=every)


def file_name(payload: str) -> str:
    """The payload as far as a file may be called so."""
    plain = payload.replace("/", "∕").replace("\x00", "␀").encode()[:200]
    return f"{plain.decode(errors='ignore')}.jsonl"
