"""Contextual RUBER: RUBER over the vectors of a pretrained encoder.

Ghazarian et al. (2019, NeuralGen). Unlike pooled word vectors, those of an encoder depend on the
order of the words and on what stands around them. The formulas are in `_shared/ruber.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.features import Feature
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.ruber import UNDEFINED, Ruber


@dataclass(frozen=True)
class CtxRuber(Ruber):
    """RUBER with a sentence encoder; `model` is the encoder, or path:DIR of a trained folder."""

    model: str = MINILM

    name = Carried("ctx_ruber")
    kind = "ctx-ruber"
    title = "Contextual RUBER"
    card = Card(
        about="A turn's likeness to a reference and its fit to what it answers, in one number.",
        undefined=UNDEFINED,
        citation=(
            "Ghazarian et al. 2019, Better Automatic Evaluation of Open-Domain Dialogue Systems "
            "with Contextualized Embeddings; the authors use BERT and offer no weights. The "
            "unreferenced part is trained with `simpatico train ctx-ruber`"
        ),
        kind="traditional",
        careful="Texts on one subject look as if they followed each other, sense or not.",
    )

    def vectors(self) -> Feature:
        return Embeddings(self.model)
