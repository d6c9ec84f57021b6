"""The inputs of a user-aware model: vectors and character n-grams, in which columns."""

import numpy as np
import pytest

from simpatico import load, score
from simpatico.errors import DataError
from simpatico.features import features_for_texts
from simpatico.features.char_ngrams import CharNgramSettings, count_char_ngrams
from simpatico.features.embeddings import Embeddings
from simpatico.features.users.contexts import turn_contexts
from simpatico.features.users.inputs import InputSpec, input_matrix
from simpatico.models.names import find_model
from tests.conftest import talk
from tests.metrics.user_models import by_hand, folder
from tests.models.tiny import tiny

GRAMS = CharNgramSettings(2, 2, 8)
TALK = talk("ann: tea", "bob: coffee")


def test_runs_of_what_was_heard_then_of_what_was_said_and_nothing_for_an_opening():
    rows = input_matrix(
        turn_contexts(TALK), InputSpec(char_ngrams=GRAMS), features_for_texts(())
    ).toarray()
    tea, coffee = (
        count_char_ngrams([text], GRAMS).matrix(GRAMS).toarray()[0] for text in ("tea", "coffee")
    )
    assert rows.shape == (2, 18)
    assert np.array_equal(rows[0], [*np.zeros(9), *tea])
    assert np.array_equal(rows[1], [*tea, *coffee])


def test_vectors_count_half_as_much_again_and_a_profile_is_multiplied_with_what_is_said():
    """Columns: heard, said, profile, then said times profile times the root of 32 numbers."""
    name = f"path:{tiny('bert')}"
    spec = InputSpec(name, find_model(name).sha256, char_ngrams=None, profile=True)
    contexts = turn_contexts(TALK)
    features = features_for_texts(spec.needs)
    vector = features[Embeddings(name)].of(["tea", "coffee", "likes tea"]).astype(np.float64)
    with_persona = type(contexts)(
        contexts.row,
        contexts.user,
        ["", "likes tea"],
        contexts.previous,
        contexts.text,
        contexts.history,
    )
    rows = input_matrix(with_persona, spec, features).toarray()
    tea, coffee, likes = 1.5 * vector
    product = np.sqrt(32) * vector[1] * likes
    assert rows[1] == pytest.approx(np.concatenate([tea, coffee, likes, product]))
    assert rows[0] == pytest.approx(np.concatenate([np.zeros(32), tea, np.zeros(64)]))


def test_two_persons_who_hear_the_same_with_their_names_are_seen_alike():
    spec = InputSpec(char_ngrams=GRAMS)
    one, other = (
        input_matrix(
            turn_contexts(talk(f"{name}: tea", f"bob: well {name}")), spec, features_for_texts(())
        ).toarray()
        for name in ("ann", "cyd")
    )
    assert np.array_equal(one, other)


def test_without_vectors_and_runs_there_is_nothing():
    assert input_matrix(
        turn_contexts(TALK), InputSpec(char_ngrams=None), features_for_texts(())
    ).shape == (2, 0)


def test_a_model_over_other_weights_is_refused():
    name = f"path:{tiny('bert')}"
    model = folder(by_hand(), InputSpec(name, "0" * 64, char_ngrams=None))
    with pytest.raises(DataError) as error:
        score(TALK, [load("reply_chance", model=model)])
    assert str(error.value) == (
        f"{model} was trained on other weights of {name!r} than are here; train it again"
    )


def test_a_model_of_other_columns_is_refused():
    name = f"path:{tiny('bert')}"
    model = folder(by_hand(), InputSpec(name, find_model(name).sha256, char_ngrams=None))
    with pytest.raises(DataError) as error:
        score(TALK, [load("reply_chance", model=model)])
    assert str(error.value) == (
        f"the model has weights for 0 columns, and {name!r} gives 64; train it again"
    )
