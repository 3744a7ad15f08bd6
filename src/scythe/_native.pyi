from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float32]

VERSION: int

def tag_table() -> dict[str, tuple[int, int]]: ...
def is_utf8(part: bytes) -> bool: ...
def simhash(words: bytes) -> int: ...
def find_links(
    body: bytes, most_links: int, most_tags: int, most_bytes: int
) -> tuple[list[bytes | tuple[bytes, bytes]], list[bytes], int, bool]:
    """Return links (href, or href and rel), other tags, how many more there were, and whether all was read."""

def pack_forest(
    roots: NDArray[Any],
    first: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    value: NDArray[Any],
    width: int,
) -> object:
    """Return a forest for rows of so many columns. Raises ValueError for arrays that do not fit together."""

def predict_forest(packed: object, rows: NDArray[Any]) -> bytearray:
    """Return the mean over the trees for each row as float64. Raises ValueError for rows of another width."""

def choose_blocks(
    probabilities: NDArray[np.float64],
    words: NDArray[np.float64],
    comment: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    is_thread: bool,
    limits: tuple[float, float, float],
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return what `choose_text.choose` keeps after `settle`, and the settled probabilities of all with three digits."""

def measure_records(*arrays: NDArray[Any] | tuple[int, ...]) -> bytearray:
    """Return what the records of each candidate amount to, as `list_features._measure` lays it out, in float64.

    Raises ValueError for arrays that do not fit together.
    """

def count_alike(start: NDArray[Any], count: NDArray[Any], marks: NDArray[Any]) -> bytearray:
    """Return per line of marks and candidate how many differ, then how often the usual one comes, as int64."""

class Scorer:
    """Scores blocks with one network. Raises ValueError for weights or columns that do not fit together."""

    def __new__(
        cls,
        vocabulary: tuple[dict[str, int], dict[str, int]],
        comments: dict[str, int],
        page_tags: frozenset[str],
        chars: NDArray[np.uint32],
        tables: tuple[_Floats, _Floats, _Floats],
        numbers: tuple[_Floats, _Floats],
        first: tuple[_Floats, _Floats],
        rounds: tuple[tuple[int, _Floats, _Floats, _Floats, _Floats, _Floats], ...],
        kind: tuple[int, _Floats, _Floats, _Floats, _Floats],
        last: tuple[_Floats, float],
    ) -> Scorer: ...
    def score(
        self,
        columns: tuple[Sequence[int] | list[str] | list[bool], ...],
        title: str,
        description: str,
        page_rows: list[int],
        plain: bool = False,
    ) -> tuple[bytearray, bytearray]: ...
