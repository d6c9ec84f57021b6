"""Made-up users whose habits are known, to see what a model finds of them."""

from itertools import pairwise

import numpy as np
from scipy import sparse

from simpatico.training.users.examples import UserExamples

USERS, EACH = 30, 40


def habits(target, *, spread=1.5, seed=0):
    """Examples in the order of time: y depends on a text, on a covariate and on who it is."""
    rng = np.random.default_rng(seed)
    n = USERS * EACH
    who, text = np.tile(np.arange(USERS), EACH), rng.standard_normal((n, 4))
    about = rng.standard_normal((n, 2))
    number = text @ [1.0, -1.0, 0.5, 0.0] + about[:, 0] + spread * rng.standard_normal(USERS)[who]
    if target == "chance":
        y = (rng.random(n) < 1 / (1 + np.exp(-number))).astype(float)
    else:
        y = number + rng.standard_normal(n)
    users = [f"p{at}" for at in who]
    return UserExamples(sparse.csr_matrix(text), about, users, y, np.ones(n))


def parts(examples, *, shares=(0.8, 0.9)):
    """What comes first, next and last."""
    cuts = [0, *(int(share * len(examples.y)) for share in shares), len(examples.y)]
    return [examples.take(np.arange(a, b)) for a, b in pairwise(cuts)]
