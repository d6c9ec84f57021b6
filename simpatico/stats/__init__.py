"""Statistics on arrays; of the package they import `arrays` and `errors` only.

- `result`: `Result`, the value with interval, p, n, status and method that statistics return
- `draws` -> `bootstrap`: seeded draws, and the one loop over resamples of clusters
- `correlation`, `ranks`, `correlation_bootstrap`, `partial_correlation`, `dependent`: correlations
- `bradley_terry`: strengths of systems out of paired comparisons
- `classification`, `by_user`, `regression`: how well predictions fit labels, ratings, users
- `means`, `superiority`, `permutation`, `power`, `correction`: differences between two systems
- `systems/`: metrics against ratings over systems x inputs
"""
