"""Search algorithms of the paper's Table 6, for comparison only: a pattern is prepared, then found in a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.searching import bndm, boyer_moore, horspool, optimal_mismatch, raita, skip_search, tuned_boyer_moore


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A search with its two steps apart; `search` takes what `prepare` gave."""

    name: str
    prepare: Callable[[bytes], Any]
    search: Callable[[Any, bytes, int], int]


ALGORITHMS = (
    Algorithm("Skip Search", skip_search.prepare, skip_search.search),
    Algorithm("Tuned Boyer-Moore", tuned_boyer_moore.prepare, tuned_boyer_moore.search),
    Algorithm("Horspool", horspool.prepare, horspool.search),
    Algorithm("BNDM", bndm.prepare, bndm.search),
    Algorithm("Optimal Mismatch", optimal_mismatch.prepare, optimal_mismatch.search),
    Algorithm("Boyer-Moore", boyer_moore.prepare, boyer_moore.search),
    Algorithm("Raita", raita.prepare, raita.search),
)
