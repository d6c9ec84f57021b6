"""Train a head that says how engaging a reply is, and compare it with simpler guesses.

Dialogs are drawn into 60% to learn from, 20% that decide when to stop, and 20% held out; where who
rated several is known, all of one rater are on one side. Labels are rarely balanced, so both count
the same in the loss: a probability of .5 is where the two are equally likely if they were equally
frequent. With several seeds everything is drawn anew for each;
the head of the first one is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from simpatico.errors import BadValue, DataError
from simpatico.features.char_ngrams import GramForm
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import SCHEMA, Figures, HeadRecipe, Recipe, load_heads
from simpatico.features.heads.head import Head
from simpatico.models.names import find_model, public_model_name
from simpatico.progress import step
from simpatico.stats.auc import DECIMALS
from simpatico.stats.classification__measures import Run, measured
from simpatico.training.card import About
from simpatico.training.engagement.baselines import LENGTH, beside, run
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.heads import Encoded, guessed, learned, rounds
from simpatico.training.engagement.report import OURS
from simpatico.training.engagement.report__engagement_report import LIMITS, Report, card
from simpatico.training.engagement.splits import Given, Sides
from simpatico.training.engagement.train__engagement_weights import weights
from simpatico.training.fit.mlp import Examples, Shape
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.train import Form

ENGAGING = "engaging"
SMALL_RATE = 1e-4
"""How fast a head that was trained already learns from new exchanges."""
TRANSFER_EPOCHS = 50
STEPS, BATCHES = 30, (8, 256)

HeadName = Literal["paper", "best"]
PooledBy = Literal["mean", "max"]
PAPER = Shape(("first", "second"), (64, 32, 8), "relu", rate=1e-3)
BEST = Shape(("first", "second"), grams=GramForm())
SHAPES: Mapping[tuple[HeadName, PooledBy], Shape] = {
    ("paper", "mean"): PAPER,
    ("paper", "max"): replace(PAPER, rate=1e-2),
    ("best", "mean"): BEST,
    ("best", "max"): BEST,
}


@dataclass(frozen=True)
class Training:
    """How to train; `base` is a trained model to go on from, which then says what it sees.

    With `fine_tune` epochs the encoder's own weights learn, too.
    """

    head: HeadName = "paper"
    pooling: PooledBy = "mean"
    encoder: str = ""
    base: str = ""
    seed: int = 0
    seeds: int = 1
    baselines: bool = False
    fine_tune: int = 0
    level: bool = False
    """Both labels count the same at every length of reply, so that length cannot be learned."""
    limits: tuple[str, ...] = ()
    """Sentences that the card has beside those that are always true."""

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise BadValue(f"{self.seeds} seeds; give 1 or more")
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; there are none or more")

    @property
    def range(self) -> range:
        return range(self.seed, self.seed + self.seeds)

    @property
    def facts(self) -> dict[str, object]:
        """What was asked for."""
        return {
            **asdict(self),
            "base": public_model_name(self.base),
            "encoder": public_model_name(self.encoder),
        }


class Start(NamedTuple):
    """What is trained: a head of this form, from weights of its own or from those of `base`."""

    form: Form
    base: Head | None = None


class Trial(NamedTuple):
    """What came out of one seed; our own guesses stand first."""

    head: Head
    sides: Sides
    runs: dict[str, Run]


def train_engagement(
    given: Given | Exchanges, out: Path, *, training: Training, about: About
) -> Report:
    """Train, estimate on dialogs held out, and write the folder."""
    check_heads_folder(out)
    start = begun(training)
    trials = tried(given, start, training)
    told = recipe(trials[0], start, about, training)
    report = Report.of([trial.runs for trial in trials], trials[0].sides, told)
    facts = {**about.training, **training.facts, "shape": msgspec.to_builtins(start.form.shape)}
    about = replace(about, training={**facts, **report.facts})
    heads = {ENGAGING: trials[0].head}
    save_heads(out, told, heads, about=about, card=card(report, about))
    return report


def tried(given: Given | Exchanges, start: Start, training: Training) -> list[Trial]:
    """What comes out of every seed; nothing is written."""
    given = Given.of(given).checked()
    known = Encoded.of(given.parts, start.form)
    able = ~np.isnan(known.vectors[:, 0])
    given = given.checked(lambda text: bool(able[known.place[text]]))
    trials = []
    for seed in training.range:
        sides = given.sides(seed)
        learn, check = (examples(s, known.place, level=training.level) for s in sides[:2])
        shape = replace(start.form.shape, batch=batch(len(learn.label)))
        with step(f"epochs, seed {seed}", rounds(shape)) as tick:
            head = learned(shape, known, learn, check, seed=seed, base=start.base, tick=tick)
        guess = guessed(head, known, sides.heldout)
        ours = {OURS: run(guess, guess > 0, sides.heldout)}
        others = beside(sides, seed=seed, learned=training.baselines)
        trials.append(Trial(head, sides, ours | others))
    return trials


def batch(n: int) -> int:
    """Exchanges a step: about 30 steps an epoch, so that a few hundred labels teach something."""
    return int(np.clip(n // STEPS, *BATCHES))


def begun(training: Training) -> Start:
    """The form of head that is asked for, or the trained one to go on from."""
    if not training.base:
        shape = SHAPES[training.head, training.pooling]
        return Start(Form(training.encoder or MINILM, training.pooling, shape))
    folder = load_heads(training.base, "engagement")
    told, head = folder.recipe.heads[ENGAGING], folder.heads[ENGAGING]
    if training.encoder not in ("", told.encoder):
        raise BadValue(
            f"{training.base} sees vectors of {told.encoder!r}, not of {training.encoder!r}; "
            "leave the encoder to it"
        )
    if find_model(told.encoder).sha256 != told.encoder_sha256:
        raise DataError(
            f"{training.base} was trained over other weights than {told.encoder!r} has here; "
            "train it again"
        )
    return Start(Form(told.encoder, told.pooling, learning_on(head)), head)


def learning_on(head: Head) -> Shape:
    """The shape of a trained head that goes on learning, slowly."""
    hidden = tuple(matrix.shape[1] for matrix, _ in head.layers[:-1])
    shape = Shape(head.parts, hidden, head.activation, rate=SMALL_RATE, epochs=TRANSFER_EPOCHS)
    return replace(shape, grams=head.grams.form) if head.grams else shape


def examples(given: Exchanges, place: Mapping[str, int], *, level: bool = False) -> Examples:
    """Exchanges as places among distinct texts; both labels weigh the same, and all origins."""
    first, second = (
        np.array([place[text] for text in texts], np.int64) for texts in (given.query, given.reply)
    )
    _, dialog = np.unique(given.dialog, return_inverse=True)
    weight = weights(given, level=level)
    return Examples(first, second, given.label.astype(np.float32), dialog, weight)


def recipe(trial: Trial, start: Start, about: About, training: Training) -> Recipe:
    """What a reader of the folder must know of the head that is kept."""
    form, model = start.form, find_model(start.form.encoder)
    ours, length = (measured(name, [trial.runs[name]]) for name in (OURS, LENGTH))
    right = float((trial.runs[OURS].predicted == trial.runs[OURS].label).mean())
    figures = Figures(
        round(right, DECIMALS),
        ours.auc.value,
        LENGTH,
        length.auc.value,
        ours.n,
        trial.sides.heldout.dialogs,
        ours.balanced_accuracy.value,
        ours.auc.low,
        ours.auc.high,
    )
    parts, activation = list(form.shape.parts), form.shape.activation
    told = HeadRecipe(
        model.name, model.sha256, form.pooling, parts, activation, figures, form.shape.grams
    )
    dialogs = sum(side.dialogs for side in trial.sides)
    return Recipe(
        "engagement",
        SCHEMA,
        dialogs,
        {ENGAGING: told},
        data=about.data,
        licence=about.licence,
        limits=(*LIMITS, *training.limits),
    )
