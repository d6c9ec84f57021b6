"""The linear model of users: one turn gets the same bits alone and among others."""

import numpy as np
from scipy.sparse import csr_array

from simpatico.features.users.model import Standardizer, UserModel, UserWeights


def test_a_turn_has_the_same_bits_alone_and_among_others():
    """Ten covariates: NumPy adds those of a single row in another order than those of fifty."""
    rng = np.random.default_rng(1)
    rows = csr_array(rng.random((50, 3)))
    covariates = rng.random((50, 20))[:, list(range(10))]
    terms = tuple(range(12))
    model = UserModel(
        "chance",
        shared=rng.normal(size=14),
        standardizer=Standardizer.fit(covariates),
        terms=terms,
        users=UserWeights({"u": 0}, rng.normal(size=(1, 12)), np.zeros((1, 12, 12)), np.ones(1)),
    )
    at_once = model.predict(rows, covariates, ["u"] * 50).value
    alone = [
        model.predict(rows[i : i + 1], covariates[i : i + 1], ["u"]).value[0] for i in range(50)
    ]
    assert alone == at_once.tolist()
