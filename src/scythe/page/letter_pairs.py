"""Tell how much likelier letters are beside each other: codecs, languages and counts in, a table over byte pairs out.

Letters alone hardly tell Hebrew from a Russian that writes seldom letters often; which of them follow each other does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

Whole: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
Table: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]

HALF = 128  # bytes outside ASCII
_SMOOTHING = (
    100.0  # pairs that each letter is taken to have had by the frequency of letters alone; some 10,000 were seen
)


def count_pairs(octets: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Whole:
    """Return how often each two bytes outside ASCII stand side by side, at 128 times the first plus the second."""
    values = octets.astype(np.int64) - HALF
    beside = (values[:-1] >= 0) & (values[1:] >= 0)
    return np.bincount(HALF * values[:-1][beside] + values[1:][beside], minlength=HALF * HALF)


def log_ratios(letters: Mapping[str, float], pairs: Mapping[str, int]) -> tuple[list[str], Table]:
    """Return an alphabet, and the log of P(b after a) / P(b) for each two letters of it; one more row for no letter."""
    alphabet = sorted(letters)
    place = {letter: number for number, letter in enumerate(alphabet)}
    shares = np.array([letters[letter] for letter in alphabet])
    shares /= shares.sum()
    counts = np.zeros((len(alphabet), len(alphabet)))
    for pair, count in pairs.items():
        counts[place[pair[0]], place[pair[1]]] = count
    chances = (counts + _SMOOTHING * shares) / (counts.sum(axis=1, keepdims=True) + _SMOOTHING)
    return alphabet, np.pad(np.log(chances / shares), ((0, 1), (0, 1)))


def pair_rows(
    codecs: Sequence[str],
    alphabet: Sequence[str],
    ratios: Table,
    character: Callable[[int, str], str],
) -> Table:
    """Return for each codec the ratios of its byte pairs, in the order of `count_pairs`."""
    place = {letter: number for number, letter in enumerate(alphabet)}
    rows = []
    for codec in codecs:
        numbers = [place.get(character(octet, codec).lower(), len(alphabet)) for octet in range(HALF, 2 * HALF)]
        rows.append(ratios[np.ix_(numbers, numbers)].ravel())
    return np.array(rows)
