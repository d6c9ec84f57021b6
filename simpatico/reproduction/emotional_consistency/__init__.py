"""Evaluator for Emotionally Consistent Chatbots (Liu et al.): what can be redone.

Where the published utterances come from, classifiers of them (accuracies in the paper's text), and
how well evaluators correlate with people's ratings of 141 turns with three answers each (Tables 1,
3, 4 and 5). These ratings are a test set: no model, threshold or variant here was chosen on them.

The paper has two classifiers, NNC (neutral or not) and EC (positive or negative), fine-tuned on a
mix of four corpora; an answer gets a point if it has the sign of the user's turn, half a point if
it is neutral. Left out: Table 2, evaluator scores of chatbots on a test set of dialogs, as the
answers are not published. The training mix is not published either and is rebuilt from the corpora.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from simpatico.errors import DataError, MissingResource
from simpatico.features.embeddings import MINILM
from simpatico.files import make_folder
from simpatico.models.names import why_missing
from simpatico.reproduction.cells import UNEXPLAINED, Cell, Reproduction
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.emotional_consistency import classifiers, raters, training_mix
from simpatico.reproduction.emotional_consistency import data as files
from simpatico.reproduction.request import Request, Tell
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import Polarity, polarity_model
from simpatico.training.emotion.task import UtteranceInput

OTHER_EVALUATOR = "another evaluator: the authors fine-tune RoBERTa, which is not available here"


class Sources(NamedTuple):
    """The published files, all corpora by text, the mix without what is published, and the sign of
    each emotion."""

    files: dict[str, Utterances]
    by_text: dict[str, list[training_mix.CorpusUtterance]]
    mix: training_mix.TrainingMix
    signs: training_mix.Signs


def reproduce(
    data: Path, request: Request | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` receives progress messages."""
    request, omissions, cells = request or Request(), list[str](), list[Cell]()
    utterance_files = files.read_published(data, omissions)
    metrics = classifiers.available_evaluators(request, omissions)
    if utterance_files:
        tell("where the published utterances come from")
        sources = read_sources(data, utterance_files, omissions)
        cells += training_mix.origin_cells(sources.files, sources.by_text)
        cells += training_mix.rule_cells(sources.files, sources.by_text, sources.signs)
        cells += training_mix.overlap_cells(sources.mix)
        cells += mix_classifier_cells(sources, request, omissions, tell)
        for task in files.TASKS:
            if test := utterance_files.get(f"{task}_test.csv"):
                tell(f"{task}: evaluators")
                cells += classifiers.evaluator_cells(task, test, metrics)
    if path := locate_file(data, files.FOLDER, files.CONVERSATIONS):
        tell("people's ratings of the human conversations")
        talks, seed = files.read_conversations(path), request.sample.seed
        users, answers = talks["user"].to_list(), talks["answer"].to_list()
        scores = {
            name: classifiers.score_answers(scorer, users, answers)
            for name, scorer in classifiers.text_scorers(metrics, omissions)
        }
        cells += raters.conversation_count_cells(talks)
        cells += raters.mean_cells(talks, scores, seed=seed)
        cells += raters.dialog_point_cells(talks, scores, seed=seed)
        cells += raters.responder_correlation_cells(talks, scores)
        cells += raters.turn_level_cells(talks, scores, seed=seed)
    return Reproduction.with_reasons(cells, omissions, explain_emotional_deviation)


def read_sources(
    data: Path, utterance_files: Mapping[str, Utterances], omissions: list[str]
) -> Sources:
    """The corpora, indexed by text and without what is published.

    The sign of an emotion is read off the validation file alone; the test file stays unseen.
    """
    utterances = training_mix.read_corpora(data, omissions)
    index = training_mix.index_by_text(utterances)
    keys = {training_mix.text_key(text) for file in utterance_files.values() for text in file.text}
    valid = utterance_files.get("EC_valid.csv")
    signs = {} if valid is None else training_mix.emotion_signs(valid, index)
    mix = training_mix.remove_published(utterances, keys)
    return Sources(dict(utterance_files), index, mix, signs)


def load_polarity_model(request: Request, omissions: list[str]) -> Polarity | None:
    """The model that says whether utterances are positive where their emotion does not."""
    name = request.parameters_of("emotional_consistency").get("polarity_model", "polarity")
    try:
        return polarity_model(name)
    except MissingResource as error:
        omissions.append(f"signs of single utterances: {error}")
        return None


def mix_classifier_cells(
    sources: Sources, request: Request, omissions: list[str], tell: Tell
) -> Iterator[Cell]:
    """How often a model of polarity decides as published, and a head on the mix for each task."""
    model = load_polarity_model(request, omissions)
    reason = why_missing(MINILM) if request.seeds else "no seeds"
    if reason:
        omissions.append(f"classifiers on the rebuilt mix: {reason}")
        return
    valid = sources.files.get("EC_valid.csv")
    if valid is not None and model:
        tell("EC_valid: utterances decided one by one")
        yield from training_mix.polarity_agreement_cells(
            valid, sources.by_text, sources.signs, model
        )
    for task in files.TASKS:
        validation, test = (sources.files.get(f"{task}_{part}.csv") for part in files.PARTS)
        labels = training_mix.mix_labels(task, sources.mix.rows, sources.signs, model)
        if test is not None and any(labels):
            # spelt as the published files are, where commas are "_comma_" and stops stand apart
            both = [(u, y) for u, y in zip(sources.mix.rows, labels, strict=True) if y]
            train = Utterances(
                "the rebuilt mix",
                [utterance.published_text for utterance, _ in both],
                [(label,) for _, label in both],
                [utterance.dialog for utterance, _ in both],
            )
            splits = UtteranceInput(train, validation, test)
            yield from classifiers.head_cells(task, splits, seed=request.sample.seed, tell=tell)


def mix_files(out: Path) -> list[Path]:
    """The files of the training mix in a folder."""
    return [out / f"{task.lower()}_train.csv" for task in files.TASKS]


def write_mix(
    data: Path, out: Path, request: Request, *, tell: Tell = lambda _: None
) -> list[Path]:
    """Write nnc_train.csv and ec_train.csv for `simpatico train emotion`."""
    omissions = list[str]()
    sources = read_sources(data, files.read_published(data, omissions), omissions)
    rows = sources.mix.rows
    if not rows:
        corpora = ", ".join(training_mix.CORPORA)
        raise DataError(f"{data} has none of {corpora}; give the folder of them")
    model = load_polarity_model(request, omissions)
    for reason in omissions:
        tell(f"- left out: {reason}")
    make_folder(out)
    paths = mix_files(out)
    for task, path in zip(files.TASKS, paths, strict=True):
        labels = training_mix.mix_labels(task, rows, sources.signs, model)
        n = training_mix.write_training_csv(path, rows, labels)
        tell(f"written: {path}, {n:,} utterances")
    return paths


def explain_emotional_deviation(cell: Cell) -> str:
    """Why a figure is not the paper's.

    Table 4 is a count of words on the same file: whatever the tokenisation was, it is not known.
    """
    if cell.table == raters.TABLE_4:
        return UNEXPLAINED
    return OTHER_EVALUATOR + (f"; {raters.BY_59}" if cell.table == raters.TABLE_5 else "")
