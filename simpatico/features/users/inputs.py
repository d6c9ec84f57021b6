"""What a personal model sees of a turn: vectors and runs of characters, a sparse row each.

The same function serves training and scoring. A text that is empty adds nothing at all. The name of
the person is not seen, so that no habit of somebody is learned as the meaning of a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from simpatico.features import Feature, Features
from simpatico.features.char_ngrams import GramForm, counted
from simpatico.features.embeddings import Embeddings, Pooling
from simpatico.features.users.contexts import CIRCUMSTANCES, Moments, unnamed
from simpatico.models.catalogue import catalogue
from simpatico.models.names import named

VECTORS = 1.5
"""Factor of the vectors, by which they are drawn to 0 less than the runs."""
ENGLISH = "en"

Side = Literal["heard", "said", "profile"]


class SeenForm(msgspec.Struct, frozen=True):
    """Which columns there are: of what was heard and said and, if asked for, of the profile."""

    encoder: str = ""
    """Gives the vectors; without one there are none."""
    encoder_sha256: str = ""
    pooling: Pooling = "mean"
    grams: GramForm | None = GramForm(buckets=2**14)
    profile: bool = False
    circumstances: tuple[str, ...] = CIRCUMSTANCES

    @property
    def needs(self) -> tuple[Feature, ...]:
        """What gives texts their vectors."""
        return (Embeddings(self.encoder, self.pooling),) if self.encoder else ()

    @property
    def language(self) -> str | None:
        return language_of(self.encoder)


def language_of(encoder: str) -> str | None:
    """The one language that an encoder reads; null where it is any, or nobody knows."""
    where, what = named(encoder) if encoder else ("", "")
    known = catalogue().get(what) if where == "package" else None
    return ENGLISH if known is not None and known.languages == ENGLISH else None


def seen(moments: Moments, form: SeenForm, features: Features) -> Any:
    """A sparse row for each moment."""
    from scipy import sparse

    texts = [moments.heard, moments.said, *([moments.profile] if form.profile else [])]
    sides = [list(map(unnamed, side, moments.person)) for side in texts]
    parts = list[Any]()
    if form.needs:
        vectors = [vectors_of(texts, features[form.needs[0]]) for texts in sides]
        parts += [VECTORS * one for one in vectors]
        if form.profile:
            width = vectors[1].shape[1]
            parts.append(VECTORS * np.sqrt(width) * vectors[1] * vectors[2])
    if (grams := form.grams) is not None:
        parts += [runs(texts, grams) for texts in sides]
    nothing = sparse.csr_matrix((len(moments), 0))
    return sparse.hstack([nothing, *map(sparse.csr_matrix, parts)], format="csr")


def vectors_of(texts: Sequence[str], encode: Any) -> Any:
    """A vector for each text, of zeros for an empty one."""
    full = [at for at, text in enumerate(texts) if text]
    vectors = encode.of([texts[at] for at in full] or [" "]).astype(np.float64)
    found = np.zeros((len(texts), vectors.shape[1]))
    found[full] = vectors[: len(full)]
    return found


def runs(texts: Sequence[str], form: GramForm) -> Any:
    """The runs of characters of each text; none for an empty one."""
    found = counted(texts, form)
    full = np.repeat([bool(text) for text in texts], np.diff(found.starts))
    matrix = found._replace(value=found.value * full).matrix(form)
    matrix.eliminate_zeros()
    return matrix
