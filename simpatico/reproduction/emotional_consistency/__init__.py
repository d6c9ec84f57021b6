"""Evaluator for Emotionally Consistent Chatbots (Liu et al.): what can be redone.

Where the published utterances come from, classifiers of them, and how well evaluators follow
people's ratings of 141 turns with three answers each. These ratings are a test: no model,
threshold or variant here was chosen on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from simpatico.errors import DataError, MissingResource
from simpatico.features.embeddings import MINILM
from simpatico.models.names import absent as lacking
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.comparison import UNEXPLAINED, apart
from simpatico.reproduction.emotional_consistency import data as files
from simpatico.reproduction.emotional_consistency import training_mix as mix
from simpatico.reproduction.emotional_consistency.classifiers import (
    TABLE,
    evaluator_cells,
    head_cells,
)
from simpatico.reproduction.emotional_consistency.origin import (
    agreement_cells,
    origin_cells,
    overlap_cells,
    rule_cells,
)
from simpatico.reproduction.emotional_consistency.raters import (
    BY_59,
    TABLE_4,
    TABLE_5,
    count_cells,
    dialog_cells,
    mean_cells,
    three_cells,
    turn_cells,
)
from simpatico.reproduction.emotional_consistency.scores import answered, evaluators, judges
from simpatico.reproduction.request import Asked
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.evaluators import judge
from simpatico.training.emotion.labels import Polarity
from simpatico.training.emotion.train import Given

OTHER = "another evaluator: the authors fine-tune RoBERTa, which is not to be had here"
Tell = Callable[[str], object]


class Sources(NamedTuple):
    """The published files, where their utterances stand, what is left, and signs of emotions."""

    published: dict[str, Utterances]
    known: dict[str, list[mix.Said]]
    kept: mix.Kept
    meant: dict[tuple[str, str], str]

    def labels(self, task: str, decide: Polarity | None) -> list[str]:
        """The label of every utterance that is left; "" where it has none."""
        rows = self.kept.rows
        if task == "NNC":
            return mix.neutrality(rows)
        return mix.polarity(rows, self.meant, decide)


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` hears what is begun."""
    asked, absent, cells = asked or Asked(), list[str](), list[Cell]()
    published = gather(data, absent)
    metrics = evaluators(asked, absent)
    if published:
        tell("where the published utterances come from")
        found = sources(data, published, absent)
        cells += origins(found)
        decide = deciding(asked, absent)
        cells += classified(found, decide, asked, absent, tell)
        for name, given in published.items():
            task, _, part = name.removesuffix(".csv").partition("_")
            if part == "test":
                tell(f"{task}: evaluators")
                cells += evaluator_cells(task, given, metrics)
    if path := files.found(data, files.TALKS):
        tell("people's ratings of the human conversations")
        talks, seed = files.conversations(path), asked.sample.seed
        users, said = talks["user"].to_list(), talks["answer"].to_list()
        scored = {name: answered(who, users, said) for name, who in judges(metrics, absent)}
        cells += count_cells(talks)
        cells += [*mean_cells(talks, scored, seed=seed), *dialog_cells(talks, scored, seed=seed)]
        cells += [*three_cells(talks, scored), *turn_cells(talks, scored, seed=seed)]
    reasons = [(cell, why(cell)) for cell in apart(cells)]
    return Reproduction(cells, [], reasons, list(dict.fromkeys(absent)))


def gather(data: Path, absent: list[str]) -> dict[str, Utterances]:
    """The published files that are there; what is not goes to `absent`."""
    names = {f"{task}_{part}.csv": task for task in files.TASKS for part in files.PARTS}
    places = {name: files.found(data, name) for name in (*names, files.TALKS)}
    if not any(places.values()):
        raise DataError(
            f"{data} has no file of {files.FOLDER} such as {next(iter(names))}; give the folder "
            f"that holds {files.FOLDER}"
        )
    absent += [f"{files.FOLDER}: no {name}" for name, path in places.items() if path is None]
    return {
        name: files.labelled(path, names[name])
        for name, path in places.items()
        if path is not None and name in names
    }


def sources(data: Path, published: Mapping[str, Utterances], absent: list[str]) -> Sources:
    """The corpora, looked up and without what is published."""
    said = mix.corpora(data, absent)
    known = mix.index(said)
    held = {mix.same(text) for given in published.values() for text in given.text}
    valid = published.get("EC_valid.csv")
    meant = {} if valid is None else mix.signs(valid, known)
    return Sources(dict(published), known, mix.left(said, held), meant)


def origins(found: Sources) -> Iterator[Cell]:
    yield from origin_cells(found.published, found.known)
    yield from rule_cells(found.published, found.known, found.meant)
    yield from overlap_cells(found.kept)


def deciding(asked: Asked, absent: list[str]) -> Polarity | None:
    """The model that says whether utterances are positive where their emotion does not."""
    name = asked.of("emotional_consistency").get("polarity", "polarity")
    try:
        return judge(name)
    except MissingResource as error:
        absent.append(f"signs of single utterances: {error}")
        return None


def classified(
    found: Sources, decide: Polarity | None, asked: Asked, absent: list[str], tell: Tell
) -> Iterator[Cell]:
    """How often the judge decides as published, and a head on the mix for each task."""
    if not asked.seeds:
        absent.append("classifiers on the rebuilt mix: no seeds")
        return
    if reason := lacking(MINILM):
        absent.append(f"classifiers on the rebuilt mix: {reason}")
        return
    valid = found.published.get("EC_valid.csv")
    if valid is not None and decide:
        tell("EC_valid: utterances decided one by one")
        yield from agreement_cells(valid, found.known, found.meant, decide)
    for task in files.TASKS:
        sides = [found.published.get(f"{task}_{part}.csv") for part in files.PARTS]
        labels = found.labels(task, decide)
        if sides[1] is not None and any(labels):
            learn = mix.learnable(found.kept.rows, labels, "the rebuilt mix")
            given = Given(learn, sides[0], sides[1])
            yield from head_cells(task, given, seed=asked.sample.seed, tell=tell)


def write_mix(data: Path, out: Path, asked: Asked, *, tell: Tell = lambda _: None) -> list[Path]:
    """Write nnc_train.csv and ec_train.csv for `simpatico train emotion`."""
    absent = list[str]()
    found = sources(data, gather(data, absent), absent)
    if not found.kept.rows:
        raise DataError(f"{data} has none of {', '.join(mix.CORPORA)}; give the folder of them")
    decide = deciding(asked, absent)
    for reason in absent:
        tell(f"- left out: {reason}")
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for task in files.TASKS:
        path = out / f"{task.lower()}_train.csv"
        n = mix.write(path, found.kept.rows, found.labels(task, decide))
        tell(f"written: {path}, {n:,} utterances")
        written.append(path)
    return written


def why(cell: Cell) -> str:
    """Why a figure is not the paper's."""
    if cell.table.startswith(TABLE):
        return OTHER
    if cell.table == TABLE_5:
        return f"{OTHER}; {BY_59}"
    return UNEXPLAINED if cell.table == TABLE_4 else OTHER
