"""Where chunks are scored: the same function under different schedulers."""
