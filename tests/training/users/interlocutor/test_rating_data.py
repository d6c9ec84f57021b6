"""What a model of scores learns from: in the order of time, and nothing from what is held out."""

import numpy as np
import polars as pl

from simpatico import Turns
from simpatico.features.users.folder import load_user_model
from simpatico.judgements import Judgement, Judgements
from simpatico.training.card import About
from simpatico.training.users.examples import input_spec
from simpatico.training.users.interlocutor.train import (
    InterlocutorTraining,
    RatingData,
    outsider_examples,
    rating_examples,
    train_interlocutor,
)
from tests.training.users.logs import rated

ABOUT = About("made up", "CC0", "simpatico train interlocutor")
SPEC = input_spec("", profile=False)


def test_the_order_of_judgements_changes_nothing(tmp_path):
    """The same weights to the last bit, of all and of each person, whoever teaches."""
    turns, judgements = rated(4, 20)
    frame = judgements.frame
    orders = {"as rated": frame, "last first": frame.reverse()}
    orders["shuffled"] = frame.sample(fraction=1, shuffle=True, seed=3)
    for learn in ("interlocutor", "all"):
        models, figures = [], []
        for name, some in orders.items():
            out, training = tmp_path / learn / name, InterlocutorTraining(encoder="", learn=learn)
            report = train_interlocutor(
                turns, Judgements(some), out, training=training, about=ABOUT
            )
            figures.append(report.results)
            models.append(load_user_model(f"path:{out}").model)
        first, *others = models
        means = np.sort(first.users.mean, axis=0)
        for other in others:
            assert np.array_equal(first.shared, other.shared)
            assert first.discount == other.discount
            assert np.array_equal(means, np.sort(other.users.mean, axis=0))
        assert figures[0] == figures[1] == figures[2]


def test_the_scale_ends_where_it_did_before():
    """20 turns are rated 1 to 3 and the last of them, which is held out, 9. Nobody told the scale,
    or somebody did."""
    turns, _ = rated(1, 20)
    value = [9.0 if n == 19 else 1.0 + n % 3 for n in range(20)]
    for scale, ends in (((None, None), (1, 3)), ((0, 10), (0, 10))):
        inputs = Judgements.of(
            Judgement("d0", 2 * n, "Wizard", "fun", "p", "interlocutor", one, *scale)
            for n, one in enumerate(value)
        )
        assert RatingData.load(turns, inputs, InterlocutorTraining()).ratings.bounds == ends


def test_outsiders_of_dialogs_that_name_no_speaker():
    """p and an outsider rate 20 dialogs, of whom they do not say: 18 of 20 are not held out, 2 of
    these decide. Those of somebody who is named go with ratings of the same one only."""
    rows, inputs = [], []
    for n in range(20):
        rows += [(f"d{n}", "p", None), (f"d{n}", "bot", "bot")]
        for judge, kind in (("p", "interlocutor"), ("o", "outsider")):
            inputs.append(Judgement(f"d{n}", None, None, "fun", judge, kind, 1.0 + n % 5, 1, 5))
        inputs.append(Judgement(f"d{n}", None, "p", "fun", "x", "outsider", 5.0, 1, 5))
    table = pl.DataFrame(rows, schema=["dialog", "speaker", "system"], orient="row")
    turns = Turns.from_utterances(table.with_columns(text=pl.lit("well")))
    result = RatingData.load(turns, Judgements.of(inputs), InterlocutorTraining(learn="all"))
    others = outsider_examples(result, rating_examples(turns, result.ratings, SPEC))
    assert others.user == [f"d{n}/o" for n in range(16)]
    assert others.y.tolist() == result.ratings.own[result.split.train].tolist()
