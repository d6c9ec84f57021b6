"""Slow work done once for every distinct text: within a chunk, and across runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TypeVar

from simpatico.models.cache import Cache, Numbers
from simpatico.progress import step

Key = TypeVar("Key", str, tuple[str, ...])
Compute = Callable[[list[Key]], Iterable[tuple[int, Numbers]]]

SECONDS_BETWEEN_WRITES = 10.0


def remembered(
    kind: str, keys: Sequence[Key], compute: Compute[Key], *, memo: dict[Key, Numbers]
) -> list[Numbers]:
    """The numbers of every key, in order, from `memo`, from disk, or else from `compute`.

    `kind` names all that the numbers depend on besides the key: the procedure and its version, its
    parameters, the model's hash. `compute` gets the distinct keys that are not known and gives, in
    any order, the place of each among them with its numbers; a key's numbers must not depend on
    which other keys there are.
    """
    wanted = [key for key in dict.fromkeys(keys) if key not in memo]
    cache = Cache.of(kind) if wanted else None
    if cache:
        known = cache.get(wanted)
        memo.update({key: known[key] for key in wanted if key in known})
        wanted = [key for key in wanted if key not in memo]
    if wanted:
        computed(kind, wanted, compute, memo, cache)
    return [memo[key] for key in keys]


def computed(
    kind: str,
    wanted: list[Key],
    compute: Compute[Key],
    memo: dict[Key, Numbers],
    cache: Cache | None,
) -> None:
    """Compute what is wanted into `memo`, and now and then write what is done to disk."""
    fresh: dict[str | tuple[str, ...], Numbers] = {}
    written = monotonic()
    with step(kind.partition("|")[0], len(wanted)) as tick:
        for place, numbers in compute(wanted):
            memo[wanted[place]] = numbers
            tick(1)
            if cache:
                fresh[wanted[place]] = numbers
                if monotonic() - written > SECONDS_BETWEEN_WRITES:
                    cache.put(fresh)
                    fresh, written = {}, monotonic()
    if cache and fresh:
        cache.put(fresh)
