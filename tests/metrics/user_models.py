"""Small personal models: one that numbers can be worked out of by hand, one over a tiny encoder."""

from functools import cache
from pathlib import Path

import numpy as np

from simpatico.features.users.contexts import CIRCUMSTANCES
from simpatico.features.users.folder import Figure, Heldout
from simpatico.features.users.model import People, Personal, Scaling
from simpatico.features.users.inputs import SeenForm
from simpatico.models.names import find
from simpatico.training.model_folder import About
from simpatico.training.users.folder import Trained, save_personal
from tests.metrics.heads import made
from tests.models.tiny import tiny

HELDOUT = Heldout(20, 2, {"AUC": Figure(0.7, 0.6, 0.8)})
PLAIN = SeenForm(grams=None)
"""Sees circumstances and nothing else."""


def by_hand(target="chance", **changes) -> Personal:
    """A question adds 2 to the shared number, which is -1; ann's own part is 1.5, of 3 examples."""
    count = len(CIRCUMSTANCES)
    shared = np.zeros(count + 1)
    shared[CIRCUMSTANCES.index("question")], shared[-1] = 2.0, -1.0
    people = People(
        {"ann": 0, "bob": 1},
        np.array([[1.5], [0.0]]),
        np.array([[[3.0]], [[1.0]]]),
        np.array([3, 1]),
    )
    told = {"own": (0,), "pull": np.ones(1), "people": people} | changes
    return Personal(target, shared, Scaling(np.zeros(count), np.ones(count)), **told)


def folder(model: Personal, form: SeenForm = PLAIN, out: Path | None = None) -> str:
    """The name of a folder of this model."""
    out = out or made("personal") / "m"
    about = About("chats", "MIT", "simpatico train", {"seed": 0})
    save_personal(out, Trained(model, form, 4, HELDOUT, about))
    return f"path:{out}"


@cache
def at_random(target: str) -> str:
    """A model that leans at random on runs of characters and, for chances, on vectors."""
    encoder = find(f"path:{tiny('bert')}") if target == "chance" else None
    form = SeenForm(encoder.name, encoder.sha256) if encoder else SeenForm()
    rng, count = np.random.default_rng(0), len(CIRCUMSTANCES)
    columns = 2 * form.grams.columns + (64 if encoder else 0)
    shared = 0.5 * rng.standard_normal(columns + count + 1)
    ends = (1.0, 7.0) if target == "score" else None
    unit = (4.0, 1.0) if target == "score" else (0.0, 1.0)
    people = People({"x": 0}, np.ones((1, 1)), np.ones((1, 1, 1)), np.array([3]))
    scaling = Scaling(np.zeros(count), np.ones(count))
    told = {"own": (0,), "pull": np.ones(1), "people": people, "unit": unit, "ends": ends}
    return folder(Personal(target, shared, scaling, **told), form)
