"""What a user-aware model reads of a turn: vectors and character n-grams, a sparse row each.

The same function serves training and scoring. An empty text adds nothing at all. The user's name is
masked, so that a habit of one user is not learned as the meaning of a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from simpatico.features import Feature, Features
from simpatico.features.char_ngrams import CharNgramSettings, count_char_ngrams
from simpatico.features.embeddings import Embeddings, Pooling
from simpatico.features.users.contexts import COVARIATES, Contexts, mask_name
from simpatico.models.catalogue import catalogue
from simpatico.models.names import parse_model_name

VECTOR_SCALE = 1.5
"""Factor of the vectors: under one penalty for all weights, larger inputs are shrunk less. Vectors
and n-gram rows both have length 1, but a vector carries more of the meaning in fewer columns."""
ENGLISH = "en"


class InputSpec(
    msgspec.Struct, frozen=True, rename={"char_ngrams": "grams", "covariates": "circumstances"}
):
    """Which columns there are: of the previous turn, the turn and, optionally, the profile."""

    encoder: str = ""
    """Gives the vectors; without one there are none."""
    encoder_sha256: str = ""
    pooling: Pooling = "mean"
    char_ngrams: CharNgramSettings | None = CharNgramSettings(buckets=2**14)
    profile: bool = False
    covariates: tuple[str, ...] = COVARIATES
    answers: tuple[str, ...] = ()
    """Questions to model judges whose answers are read like covariates."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything that is read beside text."""
        return (*self.covariates, *self.answers)

    @property
    def needs(self) -> tuple[Feature, ...]:
        """What gives texts their vectors."""
        return (Embeddings(self.encoder, self.pooling),) if self.encoder else ()


def encoder_language(encoder: str) -> str | None:
    """The one language that an encoder reads; null where it is any, or nobody knows."""
    where, what = parse_model_name(encoder) if encoder else ("", "")
    model = catalogue().get(what) if where == "package" else None
    return ENGLISH if model is not None and model.languages == ENGLISH else None


def input_matrix(contexts: Contexts, spec: InputSpec, features: Features) -> Any:
    """A sparse row for each context."""
    from scipy import sparse

    texts = [contexts.previous, contexts.text, *([contexts.profile] if spec.profile else [])]
    texts = [list(map(mask_name, side, contexts.user)) for side in texts]
    blocks = list[Any]()
    if spec.needs:
        vectors = [embed_texts(side, features[spec.needs[0]]) for side in texts]
        blocks += [VECTOR_SCALE * side for side in vectors]
        if spec.profile:
            # products of turn and profile let a linear model weigh how well the two match; times
            # sqrt(width) they are about as long as the vectors themselves
            width = vectors[1].shape[1]
            blocks.append(VECTOR_SCALE * np.sqrt(width) * vectors[1] * vectors[2])
    if spec.char_ngrams is not None:
        blocks += [ngram_matrix(side, spec.char_ngrams) for side in texts]
    empty = sparse.csr_matrix((len(contexts), 0))
    return sparse.hstack([empty, *map(sparse.csr_matrix, blocks)], format="csr")


def embed_texts(texts: Sequence[str], encoder: Any) -> Any:
    """A vector for each text, of zeros for an empty one."""
    nonempty = [at for at, text in enumerate(texts) if text]
    vectors = encoder.of([texts[at] for at in nonempty] or [" "]).astype(np.float64)
    matrix = np.zeros((len(texts), vectors.shape[1]))
    matrix[nonempty] = vectors[: len(nonempty)]
    return matrix


def ngram_matrix(texts: Sequence[str], form: CharNgramSettings) -> Any:
    """The character n-grams of each text; none for an empty one."""
    counts = count_char_ngrams(texts, form)
    nonempty = np.repeat([bool(text) for text in texts], np.diff(counts.starts))
    matrix = counts._replace(value=counts.value * nonempty).matrix(form)
    matrix.eliminate_zeros()
    return matrix
