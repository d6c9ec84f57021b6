"""The interlocutor's eye (Tsuta et al., 2023), as far as it can be reproduced.

Tsuta et al., Rethinking Response Evaluation from Interlocutor's Eye for Open-Domain Dialogue
Systems, ask whether an evaluator that knows the interlocutor predicts their judgements better.

- Tables 1 and 2, Hazumi: the paper's own data (`hazumi`).
- Table 4 and Figure 3, will the user reply: IRC in place of X, whose posts are not available
  (`continuity`).
- Table 5, own ratings of replies by people and by systems: RealPersonaChat and Ji et al. (2022) in
  place of the two annotators' posts (`ratings`).

Table 3 describes the data set of X and is left out. The paper fine-tunes a Japanese BERT with a
speaker token for each user; ours is a linear model of character n-grams with weights for each user.
The test split comes last in each dialog or in time; no model, weight or variant was chosen by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from simpatico.errors import DataError
from simpatico.reproduction.cells import Cell, Reproduction
from simpatico.reproduction.interlocutors_eye import continuity, hazumi, ratings
from simpatico.reproduction.interlocutors_eye import data as data_sets
from simpatico.reproduction.request import Request, Tell
from simpatico.turns import Turns

FIXED_LENGTH = (
    "continuity on RealPersonaChat: its dialogs end after the thirty utterances that were asked "
    "for, so that a missing reply means nothing"
)
REASONS = {
    hazumi.TABLE_1: "the paper does not say which exchanges it dropped; ours have all six scores",
    continuity.TABLE: "other data, IRC in place of X, which is not available; no fine-tuned BERT",
    ratings.TABLE: "other data: the two annotators' posts are not published, nor their ratings",
}
OTHER_MODEL = "another model: the authors fine-tune a Japanese BERT, which is not available here"
Data = TypeVar("Data")


class ReproductionRun(NamedTuple):
    """Where the data are, the options, what was left out, and who receives progress messages."""

    data: Path
    request: Request
    omissions: list[str]
    tell: Tell

    def read(
        self, name: str, reader: Callable[[Path], Data | None], content: str = ""
    ) -> Data | None:
        """A data set; null, and an omission, where its folder has nothing that can be read."""
        if not (self.data / name).is_dir():
            return None
        try:
            data = reader(self.data / name)
        except DataError as error:
            self.omissions.append(f"{name}: {error}")
            return None
        if data is None:
            missing = content or data_sets.NEEDED[name]
            self.omissions.append(f"{name}: the folder has no {missing}")
        return data

    def read_rated(
        self, name: str, *patterns: str, content: str = ""
    ) -> data_sets.RatedData | None:
        """The same for dialogs with ratings, whose files match one of the patterns."""
        return self.read(
            name, lambda folder: data_sets.read_rated_folder(folder, patterns), content
        )


def reproduce(
    data: Path, request: Request | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` receives progress messages."""
    work = ReproductionRun(data, request or Request(), [], tell)
    continuity.selected_metrics(work.request)  # an unknown name is refused before hours of work
    present = [name for name in data_sets.NEEDED if (data / name).is_dir()]
    if not present:
        raise DataError(
            f"{data} has none of {', '.join(data_sets.NEEDED)}; give the folder that holds them"
        )
    absent = [name for name in data_sets.NEEDED if name not in present]
    work.omissions.extend(f"{name}: no folder of that name" for name in absent)
    logs = work.read(data_sets.IRC, data_sets.read_irc)
    cells = list(hazumi_tables(work))
    if logs is None:
        work.omissions.append("Table 4: no logs of IRC")
    else:
        tell(f"Table 4: will they answer? {len(logs):,} turns of IRC")
        cells += continuity.continuity_cells(logs, work.request, work.omissions)
    cells += rating_tables(work, logs)
    return Reproduction.with_reasons(cells, work.omissions, deviation_reason)


def hazumi_tables(work: ReproductionRun) -> Iterator[Cell]:
    """Tables 1 and 2."""
    subsets = {
        name: work.read_rated(folder, data_sets.LISTED, data_sets.ANNOTATED)
        for name, folder in data_sets.HAZUMI.items()
    }
    available = {name: rated for name, rated in subsets.items() if rated is not None}
    yield from hazumi.statistics_cells(available)
    if len(available) < len(subsets):
        work.omissions.append("Table 2: it needs both subsets of Hazumi")
        return
    work.tell("Table 2: scores of Hazumi's interlocutors")
    both, request = data_sets.concat_rated(list(available.values())), work.request
    cells = hazumi.prediction_cells(both, seeds=request.seeds, seed=request.sample.seed)
    yield from data_sets.cells_until_unusable("Table 2, Hazumi", cells, work.omissions)


def rating_tables(work: ReproductionRun, logs: Turns | None) -> Iterator[Cell]:
    """Table 5's design: people about people and about systems, and crowd workers about bots."""
    seed, omissions = work.request.sample.seed, work.omissions
    people = work.read_rated(data_sets.PERSONA, data_sets.TALKS)
    if people is None:
        omissions.append("Table 5: no RealPersonaChat")
    else:
        work.tell("Table 5: people about people, RealPersonaChat")
        omissions.append(FIXED_LENGTH)
        pattern = data_sets.SYSTEMS
        systems = work.read_rated(data_sets.PERSONA, pattern, content=pattern)
        cells = ratings.persona_cells(people, systems, seed=seed)
        yield from data_sets.cells_until_unusable("Table 5, RealPersonaChat", cells, omissions)
    crowd = work.read_rated(data_sets.CROWD, data_sets.PASSED)
    if crowd is None:
        omissions.append("Table 5: no dialogs of Ji et al.")
    else:
        work.tell("Table 5: people about bots, Ji et al.")
        cells = ratings.crowd_cells(crowd, logs, omissions, seed=seed)
        yield from data_sets.cells_until_unusable("Table 5, Ji et al.", cells, omissions)


def deviation_reason(cell: Cell) -> str:
    """Why a figure differs from the paper's."""
    reasons = (reason for table, reason in REASONS.items() if cell.table.startswith(table))
    return next(reasons, OTHER_MODEL)
