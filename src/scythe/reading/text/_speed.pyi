import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float32]

VERSION: int

class Scorer:
    """Scores blocks with one network. Raises ValueError for weights or columns that do not fit together."""

    def __new__(
        cls,
        vocabulary: tuple[dict[str, int], dict[str, int]],
        comments: dict[str, int],
        page_tags: frozenset[str],
        kinds: NDArray[np.uint8],
        word_chars: bytes,
        tables: tuple[_Floats, _Floats, _Floats],
        numbers: tuple[_Floats, _Floats],
        first: tuple[_Floats, _Floats],
        rounds: tuple[tuple[int, _Floats, _Floats, _Floats, _Floats, _Floats], ...],
        last: tuple[_Floats, float],
    ) -> Scorer: ...
    def score(
        self,
        columns: tuple[list[int] | list[str] | list[bool], ...],
        title: str,
        description: str,
        page_rows: list[int],
    ) -> tuple[bytearray, bytearray, bytearray]: ...
