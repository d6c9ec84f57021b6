"""RUBER: a turn's likeness to a reference and its fit to what it answers, over word vectors.

Tao et al. (2018, AAAI). The vector of a text holds, in every dimension, the largest and the
smallest value of its words' vectors. `_shared/ruber.py` has the formulas of both parts and of
their blend.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.features import Feature
from simpatico.features.word_vectors import GLOVE, WordExtremes
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.ruber import UNDEFINED, Ruber


@dataclass(frozen=True)
class PlainRuber(Ruber):
    """RUBER with word vectors; `model` is their file, or path:DIR of a trained folder."""

    model: str = GLOVE

    name = Carried("ruber")
    kind = "ruber"
    title = "RUBER"
    card = Card(
        about="A turn's likeness to a reference and its fit to what it answers, in one number.",
        undefined=UNDEFINED,
        citation=(
            "Tao et al. 2018, RUBER: An Unsupervised Method for Automatic Evaluation of "
            "Open-Domain Dialog Systems; the authors offer no weights. The unreferenced part is "
            "trained with `simpatico train ruber`, over pooled word vectors in place of the "
            "paper's recurrent encoder and by cross-entropy in place of its margin"
        ),
        kind="traditional",
        careful="Pooled word vectors do not know the order of words.",
    )

    def vectors(self) -> Feature:
        return WordExtremes(self.model)
