"""What a trained evaluator says of single utterances, be it a head or a fine-tuned classifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import alone
from simpatico.features.classes import ClassProbabilities
from simpatico.features.detokenise import tidied
from simpatico.features.heads.folder import PairHead, trained
from simpatico.models.names import why_missing
from simpatico.training.emotion.labels import Polarity

POSITIVE = "positive"


def judge(model: str) -> Polarity:
    """Says how likely texts are positive: a head of ours, or a classifier whose class 1 is that."""
    feature: PairHead | ClassProbabilities
    if trained(model):
        feature = PairHead(model, "polarity", POSITIVE)
    elif why := why_missing(model):
        raise MissingResource(
            f"no model of polarity {model!r} to say what labels mean ({why}); give one with "
            "--polarity-model, or say it with --map LABEL=positive"
        )
    else:
        feature = ClassProbabilities(model)
    said = alone([feature, *feature.needs])[feature]

    def positive(texts: Sequence[str]) -> Floats:
        found = np.asarray(said.of([tidied(text) for text in texts]), np.float64)
        if found.ndim == 1:
            return found
        if found.shape[1] != 2:
            raise DataError(
                f"{model} tells {found.shape[1]} classes apart, where polarity needs two: "
                "negative, and positive"
            )
        return found[:, 1]

    return positive


def logits(model: str, texts: Sequence[str]) -> Floats:
    """What a classifier says of each text before it is made a probability."""
    feature = ClassProbabilities(model, output="logits")
    said = alone([feature])[feature].of(list(texts))
    return np.asarray(said, np.float64)
